"""`gatefield figure`."""

import dataclasses
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, UseAppendAction, arg

from gatefield.cli.messages import report_error, to_stderr
from gatefield.cli.programs import use_cache
from gatefield.cli.store import unknown_entry
from gatefield.cli.store_option import Store, check_store, default_store, of_store
from gatefield.cli.words.find import check_own, find_experiments, names_file, parted
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import MOST, quoted

if TYPE_CHECKING:
    from gatefield.lab import Entry, Experiment

_ENTRY = re.compile(r"(.+)-([0-9a-f]{12})")


@dataclasses.dataclass(frozen=True)
class Figure:
    """Draw the figures of finished entries of the store into files, as svg, png or pdf."""

    names: Annotated[tuple[str, ...], Positional, arg(metavar="NAME...", help_behavior_hint="")] = ()
    """Which figures: those of experiments, whose parameters say which entry, as for `gatefield run`; or of entries, NAME-ID."""

    output: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="(default: NAME.svg)")] = None
    """The file to write, ending in .svg, .png or .pdf."""

    preset: Annotated[str, arg(metavar="NAME")] = "quick"
    """The preset of the run."""

    set: Annotated[tuple[str, ...], UseAppendAction, arg(metavar="NAME=VALUE...")] = ()
    """Parameters of the run, as in --set seeds=8 gain=3."""

    store: Store = dataclasses.field(default_factory=default_store)

    def __call__(self) -> int:
        words, settings = parted(self.names, self.set)
        if not words:
            raise UserError("No figure is named: give experiments, or names of entries that `gatefield store` lists.")
        if self.output:
            _check_output(self.output)
        check_store(self.store, self._run(words[0], settings))
        use_cache()
        return max([self._one(word, settings, alone=len(words) == 1) for word in words])

    def _one(self, word: str, settings: list[str], *, alone: bool) -> int:
        """Whatever one word stands for; what the user can put right does not keep the others from being drawn."""
        from gatefield import experiments

        if word in experiments.names() or names_file(word):
            to_stderr(f"{word}: loading, preset {self.preset}")  # before the seconds that it takes
        try:
            found = self._entries(word, settings)
            if self.output and not (alone and len(found) == 1):
                raise UserError("A file takes one figure, but more are asked for: name one of them, or leave --output out.")
            for name, (experiment, entry) in found.items():
                path = self.output or Path(f"{name}.svg")
                _check_output(path)
                _draw(experiment, entry, path)
        except UserError as error:
            return report_error(error)
        return 0

    def _entries(self, word: str, settings: list[str]) -> "dict[str, tuple[Experiment, Entry]]":
        """Name of the file -> whose figure is to be drawn."""
        from gatefield import experiments, lab

        store = lab.Store(self.store)
        if _ENTRY.fullmatch(word) and word not in experiments.names():
            return {word: self._entry(word, settings)}
        check_own(word, self.store, "figure")
        found: dict[str, tuple[Experiment, Entry]] = {}
        for experiment in find_experiments(word):
            entry = store.entry(experiment.name, lab.resolve(experiment, self.preset, settings))
            found[experiment.name] = experiment, _finished(entry, self._run(word, settings) or "", self.store)
        return found

    def _run(self, word: str, settings: list[str]) -> str | None:
        """The command that makes what the figure of a word is drawn from; None for a word that names none."""
        from gatefield import experiments

        named = word if names_file(word) or word in experiments.names() else re.sub(_ENTRY, r"\1", word)
        if not names_file(named) and named not in experiments.names():
            return None
        preset = ["--preset", self.preset] * (self.preset != "quick")
        settings = settings if len(shlex.join(settings)) <= MOST else ["..."]  # what was typed need not be repeated in full
        return of_store(shlex.join(["gatefield", "run", named, *preset, *settings]), self.store)

    def _entry(self, word: str, settings: list[str]) -> "tuple[Experiment, Entry]":
        """An entry that is named itself, with its experiment."""
        from gatefield import lab

        if settings:
            raise UserError(f"{quoted(word)} names one entry, which has its parameters: leave {quoted(settings[0])} out.")
        holdings = [holding for holding in lab.holdings(lab.Store(self.store)) if holding.entry.path.name == holding.entry.id]
        named = {holding.name: holding.entry for holding in holdings}
        if word not in named:
            raise unknown_entry(word, holdings, self.store)
        entry = _finished(named[word], of_store(f"gatefield store {word}", self.store), self.store)
        return _experiment(entry), entry


def _check_output(path: Path) -> None:
    """See that a figure can be written there, before the work."""
    from gatefield import lab, show

    lab.check_file(path)  # whatever its name ends in
    lab.check_output(path, show.figure_kind(path))


def _draw(experiment: "Experiment", entry: "Entry", path: Path) -> None:
    from gatefield import show

    show.save(show.draw(experiment, entry.record()), path)
    print(f"The figure of {entry.name}-{entry.id}: {path.resolve()}", flush=True)


def _finished(entry: "Entry", asked: str, store: Path) -> "Entry":
    """The entry, if there is a record to draw from; `asked` is the command that makes it, or that shows which does."""
    if entry.problem:
        raise UserError(entry.problem)
    if entry.status == "finished":
        return entry
    others = f"; `{of_store(f'gatefield store {entry.name}', store)}` lists others" if entry.path.parent.is_dir() else ""
    run = f"by the command that `{asked}` shows" if asked.startswith("gatefield store") else f"by `{asked}`"
    if entry.status == "unfinished":
        raise UserError(f"{entry.name}-{entry.id} is not finished, so that it has no figure: go on with it {run}{others}.")
    raise UserError(
        f"{entry.name} with these parameters is not in the store '{entry.path.parent.parent}': run it {run}{others}."
    )


def _experiment(entry: "Entry") -> "Experiment":
    """The experiment of an entry; that of a file is known only where the file is named."""
    origin = entry.about().origin
    if origin:
        raise UserError(
            f"The experiment of {entry.name}-{entry.id} is in a file: write `gatefield figure {quoted(origin)[1:-1]}`."
        )
    return find_experiments(entry.name)[0]
