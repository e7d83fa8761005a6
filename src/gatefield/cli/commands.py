"""The command line. Heavy imports wait inside the commands, so that help answers at once."""

import dataclasses
import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

import tyro
from tyro.conf import Positional, UseAppendAction, arg

from gatefield.cli.arguments import words_first
from gatefield.core.errors import UserError, unknown_name
from gatefield.core.version import __version__

if TYPE_CHECKING:
    from gatefield.lab import Experiment
    from gatefield.ledger import Ledger

_ABOUT = """A laboratory for gated networks and the receptive fields they learn.

Start with `gatefield tour`; `gatefield --version` says which version this is."""
_STUDY = re.compile(r".+\.py(:[a-z0-9-]+)?")
"""A file with experiments, or one of those in it."""
_STORE_HELP = "The folder of records; the environment variable GATEFIELD_STORE names another one for good."
Store = Annotated[Path, arg(metavar="FOLDER", help=_STORE_HELP)]


def _default_store() -> Path:
    return Path(os.environ.get("GATEFIELD_STORE") or "gatefield-store")


@dataclasses.dataclass(frozen=True)
class Tour:
    """The main job in about two minutes: train neurons on two kinds of data, lay theory over both, write a report page."""

    store: Store = dataclasses.field(default_factory=_default_store)

    def __call__(self) -> int:
        _say("gatefield tour: two experiments, about two minutes; stop it at any time, and it goes on from there.")
        from gatefield import experiments
        from gatefield.cli.tour import EXPERIMENTS, INTRODUCTION, story

        print(f"\n{INTRODUCTION}")
        for name in EXPERIMENTS:
            experiment = experiments.get(name)
            print(f"\n{story(experiment)}\n", flush=True)
            _run(experiment, "quick", (), self.store, fresh=False)
        print()
        return Report(self.store)()


@dataclasses.dataclass(frozen=True)
class List:
    """The experiments: what each shows, where it comes from, how long its presets take; of a named one, its parameters."""

    names: Annotated[tuple[str, ...], Positional, arg(metavar="NAME...", help_behavior_hint="")] = ()
    """Which experiments to describe in full, with their parameters."""

    def __call__(self) -> int:
        from rich.console import Console

        from gatefield import experiments
        from gatefield.show import describe_experiment, show_experiments

        for word in self.names:
            for experiment in found(word):
                describe_experiment(experiment, Console())
        if not self.names:
            show_experiments(experiments.listed(), experiments.SUBJECTS, Console())
        return 0


@dataclasses.dataclass(frozen=True)
class Run:
    """Run experiments into the store. Finished ones are reused, interrupted ones go on."""

    names: Annotated[tuple[str, ...], Positional, arg(metavar="NAME...", help_behavior_hint="")] = ()
    """Which experiments, by the names that `gatefield list` shows."""

    preset: Annotated[str, arg(metavar="NAME")] = "quick"
    """A named set of parameters: quick, full, ..."""

    set: Annotated[tuple[str, ...], UseAppendAction, arg(metavar="NAME=VALUE")] = ()
    """One parameter, as in --set seeds=8; give it again for the next one. `gatefield list NAME` shows them all."""

    store: Store = dataclasses.field(default_factory=_default_store)

    fresh: Annotated[bool, arg(help_behavior_hint="")] = False
    """Start over; what is in the store for these parameters is moved aside."""

    def __call__(self) -> int:
        words = [word for word in self.names if "=" not in word]
        settings = (*self.set, *(word for word in self.names if "=" in word))
        if not words:
            from gatefield import experiments

            raise UserError(f"No experiment is named: give one or more of {', '.join(experiments.names())}.")
        return max([self._one(word, settings) for word in dict.fromkeys(words)])

    def _one(self, word: str, settings: Sequence[str]) -> int:
        from gatefield import experiments

        if word in experiments.names() or _STUDY.fullmatch(word):
            _say(f"{word}: starting, preset {self.preset}")  # before the seconds that loading takes
        try:
            for experiment in found(word):
                _run(experiment, self.preset, settings, self.store, fresh=self.fresh)
        except UserError as error:
            return _complain(error)
        return 0


@dataclasses.dataclass(frozen=True)
class Report:
    """Write one self-contained HTML page of everything in the store: figures, verdicts, provenance, the last check."""

    store: Store = dataclasses.field(default_factory=_default_store)

    output: Annotated[Path, arg(metavar="FILE")] = Path("gatefield-report.html")
    """The page to write."""

    studies: Annotated[tuple[str, ...], Positional, arg(metavar="FILE.py...", help_behavior_hint="")] = ()
    """Files with experiments of your own, whose verdicts and figures are then made anew; else they are shown as last run."""

    def __call__(self) -> int:
        from gatefield import experiments, lab, ledger, show

        own = {experiment.name: experiment for word in self.studies for experiment in found(word)}
        page = show.write_report(
            lab.Store(self.store).entries(),
            self.output,
            find=lambda name: own[name] if name in own else experiments.get(name),
            ledger=ledger.read_ledger(self.store),
        )
        print(f"The report page, for any browser: {page.resolve()}")
        return 0


@dataclasses.dataclass(frozen=True)
class Check:
    """The ledger: every formula against its independent estimate, and what the printed equation gives.

    The exit code is 1 if a formula that the library implements disagrees with its estimate.
    """

    source: Annotated[tuple[tuple[str, ...], ...], UseAppendAction, arg(metavar="SOURCE...", help_behavior_hint="")] = ()
    """Only formulas of these sources: 000 to 004, or sheet for what no source prints."""

    name: Annotated[tuple[tuple[str, ...], ...], UseAppendAction, arg(metavar="TEXT...", help_behavior_hint="")] = ()
    """Only formulas with such a text in their name."""

    json: Annotated[bool, arg(help_behavior_hint="")] = False
    """Print the findings as a JSON list instead of a table."""

    output: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="(default: gatefield-ledger.html)")] = None
    """The page to write. A check of some formulas only (--source, --name), or with --json, writes none unless this names it."""

    store: Store = dataclasses.field(default_factory=_default_store)

    def __call__(self) -> int:
        _say("gatefield check: every formula against an independent estimate, about a minute for all of them.")
        from gatefield.ledger import write_ledger

        sources, names = ([text for texts in given for text in texts] for given in (self.source, self.name))
        ledger = self._check(sources, names)
        self._show(ledger)
        whole = not sources and not names
        if whole:
            write_ledger(self.store, ledger)
        if self.output or (whole and not self.json):
            self._write(ledger, self.output or Path("gatefield-ledger.html"))
        return int(bool(ledger.bad))

    def _check(self, sources: Sequence[str], names: Sequence[str]) -> "Ledger":
        from gatefield.core.progress import progress
        from gatefield.ledger import check

        with progress("check") as report:
            return check(sources=sources, names=names, progress=lambda _, done, total: report("", done, total))

    def _write(self, ledger: "Ledger", path: Path) -> None:
        from gatefield import show

        page = show.write_ledger_page(ledger, path)
        print(f"The ledger page, for any browser: {page.resolve()}", file=sys.stderr if self.json else sys.stdout)

    def _show(self, ledger: "Ledger") -> None:
        from rich.console import Console

        from gatefield.show import show_ledger

        if self.json:
            print(ledger.to_json(), flush=True)
        else:
            show_ledger(ledger.findings, Console())


@dataclasses.dataclass(frozen=True)
class Data:
    """Fetch and verify the published data sets, or check a folder that already has them."""

    names: Annotated[tuple[str, ...], Positional, arg(metavar="NAME...", help_behavior_hint="")] = ()
    """Which data sets; all of them by default."""

    folder: Annotated[Path | None, arg(metavar="FOLDER", help_behavior_hint="")] = None
    """A folder that holds the files; the environment variable GATEFIELD_DATA names one for good. Without, the user's cache."""

    mirror: Annotated[str | None, arg(metavar="NAME", help_behavior_hint="")] = None
    """Where to fetch from; by default one place after the other."""

    def __call__(self) -> int:
        from gatefield.data import COLLECTIONS

        names = list(dict.fromkeys(self.names)) or list(COLLECTIONS)
        for name in names:
            if name not in COLLECTIONS:
                raise unknown_name("data set", name, COLLECTIONS)
        return max([self._one(name) for name in names])

    def _one(self, name: str) -> int:
        """All files of one set; what is wrong with several of them is said once."""
        from gatefield.data import COLLECTIONS, locate
        from gatefield.data.images.fetch import Unreachable, files_of

        wrong: dict[str, UserError] = {}
        for file in files_of(COLLECTIONS[name], self.folder):
            try:
                found = locate(COLLECTIONS[name], file, self.folder, self.mirror, _say)
                print(f"{name}: {file} {found.how}, {found.path}", flush=True)
            except UserError as error:
                wrong[str(error)] = error
                if isinstance(error, Unreachable):
                    break
        return max(map(_complain, wrong.values()), default=0)


@dataclasses.dataclass(frozen=True)
class Completion:
    """Print a completion script for a shell, for instance: eval "$(gatefield completion bash)"."""

    shell: Annotated[Literal["bash", "zsh", "tcsh"], Positional]
    """Which shell."""

    def __call__(self) -> int:
        from gatefield.cli.completion import script

        print(script(_COMMANDS, self.shell))
        return 0


_COMMANDS = {"tour": Tour, "list": List, "run": Run, "report": Report, "check": Check, "data": Data, "completion": Completion}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0, 1 for a check that finds something wrong, 2 for what the user can
    put right, 130 when interrupted, 143 when told to end (SIGTERM), as by a cluster."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    told: list[int] = []
    if argv is None:
        signal.signal(signal.SIGTERM, lambda *_: _end(told))
    try:
        code = _command(list(sys.argv[1:] if argv is None else argv))()
        sys.stdout.flush()
        return code
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except UserError as error:
        return _complain(error)
    except KeyboardInterrupt as stop:
        _say(f"\ngatefield: {str(stop) or 'Stopped.'} What was committed is kept, and the same command goes on from there.")
        if argv is None:
            sys.stdout.flush()
            os._exit(143 if told else 130)  # what the device is computing cannot be cancelled; do not wait for it
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _end(told: list[int]) -> None:
    """End as at an interruption: with a sentence that says how to go on."""
    told.append(signal.SIGTERM)
    raise KeyboardInterrupt


def _command(argv: list[str]) -> Any:
    """The command that `argv` asks for, not yet run."""
    if argv[:1] == ["--version"]:
        return lambda: print(f"gatefield {__version__}") or 0
    if argv and not argv[0].startswith("-") and argv[0] not in _COMMANDS:
        raise unknown_name("command", argv[0], _COMMANDS)
    commands: Any = Union[tuple(Annotated[kind, tyro.conf.subcommand(name)] for name, kind in _COMMANDS.items())]  # noqa: UP007
    args = (argv if argv[:1] == ["check"] else words_first(argv)) or ["--help"]  # check's options take several words each
    return tyro.cli(commands, prog="gatefield", description=_ABOUT, args=args, config=(tyro.conf.FlagCreatePairsOff,))


def found(word: str) -> "list[Experiment]":
    """The experiment of that name, or those in that file."""
    from gatefield import experiments

    if not _STUDY.fullmatch(word):
        return [experiments.get(word)]
    from gatefield.lab import load_study

    own = load_study(word)
    for experiment in own:
        if experiment.name in experiments.names():
            raise UserError(f"The experiment '{experiment.name}' in '{word}' has the name of one that is installed; rename it.")
    return own


def _run(experiment: "Experiment", preset: str, settings: Sequence[str], store: Path, *, fresh: bool) -> None:
    """Run one experiment, and print its verdicts and where they come from."""
    from rich.console import Console

    from gatefield import lab
    from gatefield.core.progress import progress
    from gatefield.show import show_outcome

    parameters = lab.resolve(experiment, preset, settings)
    begun = lab.Store(store).entry(experiment.name, parameters).committed
    if begun and not fresh:
        _say(f"{experiment.name}: going on from {begun}")
    with progress(experiment.name) as report:
        outcome = lab.run(experiment, parameters, lab.Store(store), progress=report, fresh=fresh)
    show_outcome(experiment, outcome, Console())


def _complain(error: UserError) -> int:
    _say(f"gatefield: {error}")
    return 2


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
