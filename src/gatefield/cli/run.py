"""`gatefield run`."""

import contextlib
import dataclasses
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, UseAppendAction, arg

from gatefield.cli.messages import report_error, to_stderr
from gatefield.cli.programs import use_cache
from gatefield.cli.store_option import Store, default_store
from gatefield.cli.words.find import find_experiments, names_file, parted
from gatefield.core.errors import Diverged, StoreError, UserError
from gatefield.core.text.quoted import quoted

if TYPE_CHECKING:
    from gatefield.lab import Experiment


@dataclasses.dataclass(frozen=True)
class Run:
    """Run experiments into the store. Finished ones are reused, interrupted ones go on."""

    names: Annotated[tuple[str, ...], Positional, arg(metavar="NAME...", help_behavior_hint="")] = ()
    """Which experiments: names that `gatefield list` shows, or files with experiments of your own (FILE.py, FILE.py:NAME)."""

    all: Annotated[bool, arg(help_behavior_hint="")] = False
    """Every experiment that `gatefield list` shows, one after the other."""

    preset: Annotated[str, arg(metavar="NAME")] = "quick"
    """A named set of parameters: quick, full, ..."""

    set: Annotated[tuple[str, ...], UseAppendAction, arg(metavar="NAME=VALUE...")] = ()
    """Parameters, one or more, as in --set seeds=8 gain=3. `gatefield list NAME` shows them all."""

    store: Store = dataclasses.field(default_factory=default_store)

    fresh: Annotated[bool, arg(help_behavior_hint="")] = False
    """Start over; what is in the store for these parameters is moved aside."""

    def __call__(self) -> int:
        words, settings = parted(self.names, self.set)
        if self.all:
            from gatefield import experiments

            words = [*experiments.names(), *(word for word in words if word not in experiments.names())]
        if not words:
            raise UserError("No experiment is named: give one or more of those that `gatefield list` shows, or --all.")
        use_cache()
        return max([self._one(word, settings) for word in words])

    def _one(self, word: str, settings: Sequence[str]) -> int:
        """Whatever one word stands for; what the user can put right does not keep the others from being run."""
        from gatefield import experiments

        if word in experiments.names() or names_file(word):
            to_stderr(f"{word}: loading, preset {self.preset}")  # before the seconds that it takes
        try:
            for experiment in find_experiments(word):
                run_experiment(experiment, self.preset, settings, self.store, fresh=self.fresh)
        except UserError as error:
            return report_error(error)
        return 0


def run_experiment(experiment: "Experiment", preset: str, settings: Sequence[str], store: Path, *, fresh: bool) -> None:
    """Run one experiment, and print its verdicts and where they come from."""
    from rich.console import Console

    from gatefield import lab
    from gatefield.core.progress import progress
    from gatefield.show import show_outcome

    parameters = lab.resolve(experiment, preset, settings)
    entry = lab.Store(store).entry(experiment.name, parameters)
    if fresh or entry.status != "finished":
        begun = "" if fresh else entry.committed
        to_stderr(f"{experiment.name}: {f'going on from {begun}' if begun else 'starting'}")
    room = _room(experiment.name, [f"preset {preset}", *settings])
    with diverging(experiment.name), progress(experiment.name) as report, room:
        outcome = lab.run(experiment, parameters, lab.Store(store), progress=report, fresh=fresh)
    show_outcome(experiment, outcome, Console())


_TOO_LARGE = ("RESOURCE_EXHAUSTED", "Out of memory", "array is too big", "Maximum allowed", "too large to convert")
"""What JAX and NumPy say where an array has no room, as errors of other kinds."""


@contextlib.contextmanager
def _room(name: str, asked: Sequence[str]) -> Iterator[None]:
    """One sentence where the arrays that were asked for have no room."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        if not isinstance(error, MemoryError) and not any(words in str(error) for words in _TOO_LARGE):
            raise
        raise UserError(
            f"{name} with {quoted(', '.join(asked))[1:-1]} takes more memory than there is "
            f"({quoted(str(error))[1:-1] or 'nothing is left'}): choose smaller sizes."
        ) from error


@contextlib.contextmanager
def diverging(name: str) -> Iterator[None]:
    """Tell at the end that trainings diverged, once each. If nothing could be computed from them, that is the error."""
    told: dict[str, None] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("always", Diverged)
        others = warnings.showwarning

        def show(message: Any, category: Any, *place: Any, **more: Any) -> None:
            told.setdefault(str(message)) if issubclass(category, Diverged) else others(message, category, *place, **more)

        warnings.showwarning = show
        try:
            yield
        except Exception as error:
            if told and not isinstance(error, StoreError):
                raise UserError(" ".join(told)) from error
            raise
    for text in told:
        to_stderr(f"{name}: {text}")
