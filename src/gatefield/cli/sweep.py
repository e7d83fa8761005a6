"""`gatefield sweep`."""

import dataclasses
import difflib
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from gatefield.cli.messages import to_stderr
from gatefield.cli.programs import use_cache
from gatefield.cli.store_option import Store, check_store, default_store, of_store
from gatefield.cli.words.find import find_experiments
from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.quoted import quoted
from gatefield.core.text.words import joined

if TYPE_CHECKING:
    from gatefield import lab

STATUS = "status"


@dataclasses.dataclass(frozen=True)
class Sweep:
    """Run an experiment, or a training, over the axes that a TOML file names; `sweep status FILE.toml` says how far it is.

    Points that are finished in the store are not computed again; interrupted ones go on.
    """

    words: Annotated[tuple[str, ...], Positional, arg(metavar="[status] FILE.toml", help_behavior_hint="")] = ()
    """The file that says what to sweep; after the word status, nothing is computed."""

    plot: Annotated[str | None, arg(metavar="MEASURE AXIS [AXIS]", help_behavior_hint="")] = None
    """Draw a measure over one axis or two, such as --plot ipr gain xi: its median over all others."""

    output: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="(default: NAME-MEASURE.svg)")] = None
    """The file for the picture, ending in .svg, .png or .pdf."""

    shard: Annotated[str | None, arg(metavar="I/N", help_behavior_hint="")] = None
    """Only the I-th of N parts, counted from 1, for job arrays; all parts share one store."""

    cluster: Annotated[str | None, arg(metavar="local[:N]|tcp://HOST:PORT|slurm", help_behavior_hint="")] = None
    """Blocks go to workers: on this host, at the scheduler of that address, or as jobs that [cluster] of the file describes."""

    store: Store = dataclasses.field(default_factory=default_store)

    def __call__(self) -> int:
        file, axes = self._parted()
        shard = read_shard(self.shard)
        if self.output:
            self._check_output()
        to_stderr(f"{file}: loading")
        use_cache()
        from gatefield import lab

        if self.cluster is not None:
            lab.check_cluster(self.cluster)
        sweep = lab.read_sweep(file, find_experiments)
        for axis in axes:
            if axis not in sweep.points.axes:
                raise unknown_name("axis of the sweep", axis, sweep.points.axes)
        if self.plot and not self._asks_status:
            self._check_measure(sweep)
        code = self._status(sweep) if self._asks_status else self._run(sweep, shard)
        if self.plot:
            self._draw(sweep, axes)
        return code

    @property
    def _asks_status(self) -> bool:
        return self.words[:1] == (STATUS,)

    def _parted(self) -> tuple[str, list[str]]:
        """The file, and the axes of --plot: further words, wherever they stand."""
        words = list(self.words[self._asks_status :])
        files = [word for word in words if word.endswith(".toml")]
        if len(files) != 1:
            found = ", ".join(map(quoted, words)) or "none"
            raise UserError(
                f"A sweep is described by one file that ends in .toml, but the words are {found}: give one such file."
            )
        axes = [word for word in words if word not in files]
        if axes and not self.plot:
            meant = "did you mean 'status'?" if difflib.get_close_matches(axes[0], [STATUS]) else "leave it out."
            raise UserError(f"{quoted(axes[0])} is no file that ends in .toml, and names no axis of --plot: {meant}")
        if self.plot and (not 1 <= len(axes) <= 2 or len(set(axes)) < len(axes)):
            raise UserError(
                f"After --plot come a measure and one axis or two different ones, such as --plot ipr gain xi, but the axes are "
                f"{joined([quoted(axis) for axis in axes]) or 'none'}: {'give one' if not axes else 'leave one out'}."
            )
        return files[0], axes

    def _check_output(self) -> None:
        from gatefield import lab, show

        if not self.plot:
            raise UserError("The option --output belongs to --plot MEASURE AXIS AXIS: leave it out, or say what to draw.")
        assert self.output is not None
        show.figure_kind(self.output)
        lab.check_file(self.output)

    def _check_measure(self, sweep: "lab.Sweep") -> None:
        """See that the measure can be drawn, as far as that can be known before anything is computed."""
        from gatefield import lab, show

        beside = lab.foreseen(sweep)
        if beside is not None:
            show.check_measure(str(self.plot), beside)

    def _status(self, sweep: "lab.Sweep") -> int:
        from rich.console import Console

        from gatefield import lab, show

        check_store(self.store, self._typed())
        store = lab.Store(self.store)
        plan = lab.read_plan(store, sweep.name)  # one that is damaged says so
        if plan is None:
            raise UserError(
                f"The sweep {quoted(sweep.name)} is not in the store {quoted(str(self.store))}: run it by `{self._typed()}`."
            )
        show.show_state(lab.state_of(store, plan), Console())
        return 0

    def _typed(self) -> str:
        """The command that runs the sweep, as it is typed."""
        return of_store(shlex.join(["gatefield", "sweep", self._parted()[0]]), self.store)

    def _run(self, sweep: "lab.Sweep", shard: tuple[int, int]) -> int:
        from gatefield.core.progress import progress

        to_stderr(f"{sweep.name}: {len(sweep.points)} points; looking for what is done")
        with progress(sweep.name, unit="points") as report:
            swept = self._swept(sweep, shard, lambda done, total: report("", done, total))
        return self._tell(swept)

    def _swept(self, sweep: "lab.Sweep", shard: tuple[int, int], progress: Callable[[int, int], object]) -> "lab.Swept":
        """Run it here, or by a cluster."""
        from gatefield import lab

        store = lab.Store(self.store)
        if self.cluster is None:
            return lab.run_sweep(sweep, store, shard=shard, progress=progress)

        def say(text: str) -> None:
            to_stderr(f"{sweep.name}: {text}")

        options = {"shard": shard, "find": find_experiments, "progress": progress, "say": say}
        return lab.run_on_cluster(sweep, store, self.cluster, **options)

    def _tell(self, swept: "lab.Swept") -> int:
        """What came of it, and how to open it."""
        from rich.console import Console

        from gatefield import lab, show

        for remark in swept.remarks:
            to_stderr(f"{swept.plan.name}: {remark}")
        state = lab.state_of(lab.Store(self.store), swept.plan)
        show.show_state(state, Console())
        print(f"{swept.computed} points were computed now; to open all of them in Python:")
        print(f'  gatefield.lab.open_sweep("{swept.plan.name}", "{self.store}")', flush=True)
        return 2 if state.failed else 0

    def _draw(self, sweep: "lab.Sweep", axes: Sequence[str]) -> None:
        from gatefield import lab, show

        assert self.plot is not None
        path = self.output or Path(f"{sweep.definition.name}-{self.plot}.svg")
        figure = show.draw_sweep(lab.open_sweep(sweep, lab.Store(self.store)), self.plot, axes)
        print(f"The map of {sweep.name}: {show.save(figure, path).resolve()}", flush=True)


def read_shard(text: str | None) -> tuple[int, int]:
    """The part and the number of parts.

    >>> read_shard("2/8"), read_shard(None)
    ((2, 8), (1, 1))
    """
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text or "1/1")
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise UserError(f"The option --shard takes I/N with I from 1 to N, such as --shard 1/8, but has {quoted(text)}.")
    return int(found[1]), int(found[2])
