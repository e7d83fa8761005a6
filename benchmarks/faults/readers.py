"""Damaged files of other readers: baselines of `bench`, kept programs, what the report shows of a record, the last check.

    python benchmarks/faults/readers.py [--seed 0] [--count 1600] [--limit 30] [--jobs 2]

Kinds of cases, in turn: the `baseline` that `gatefield bench --baseline` reads; a compiled `program` in the cache folder; a
file of what is `shown` of a record (`shown.json`, `pictures.json`, `figure.svg`); and the `ledger`, the last check that the
report reads from the store. One file is damaged as `damage.py` does it, then read, and written again. A case must end with what
was there before, as if there had been nothing, or with one sentence. A failure is anything else: another number, another
picture, another exception, and more than `--limit` seconds.
"""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from commands import MEASURED
from damage import damage
from harness import Case, Finding, main, shortened
from sweep_inputs import told

PROGRAMS = {f"jit_{name}-{size}": bytes(range(256)) * size for name, size in [("small", 0), ("advance", 3), ("flow", 40)]}


def study() -> Any:
    """An experiment that is drawn at once."""
    import matplotlib.pyplot as plt

    from gatefield.lab import Experiment, Parameters, Verdict

    def figure(record: Any) -> Any:
        drawn, axes = plt.subplots(figsize=(1, 1))
        axes.plot(record.x)
        return drawn

    return Experiment(
        name="drawn-at-once",
        title="One line",
        text="For damage.",
        Parameters=Parameters,
        presets={"quick": {}},
        simulate=lambda *_: __import__("xarray").Dataset({"x": ("step", [0.0, 1.5])}),
        verdicts=lambda record: [Verdict.below("x stays small", 2.0, float(record.x.max()))],
        figure=figure,
    )


class World:
    """Whole files of each kind, and what their readers give."""

    def __init__(self, scratch: Path) -> None:
        os.environ["HOME"] = str(scratch)
        self.whole, self.place = scratch / "whole", scratch / "damaged"
        (self.whole / "program").mkdir(parents=True)
        self.right = {kind: make(self) for kind, (make, _) in KINDS.items()}

    def damaged(self, kind: str, rng: random.Random) -> str:
        """A copy with one damaged file; which one, and how."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.whole / kind, self.place)
        files = [path for path in sorted(self.place.rglob("*")) if path.is_file() and not {"record", "parts"} & {*path.parts}]
        path = rng.choice([path for path in files if path.name not in ("about.json", "verdicts.json")])
        return f"{path.relative_to(self.place)}: {damage(path, rng)}"


def make_baseline(world: World) -> Any:
    from gatefield.speed import Report

    (world.whole / "baseline").mkdir()
    (world.whole / "baseline" / "measured.json").write_bytes(Report.model_validate_json(MEASURED).to_json())
    return ratios(world.whole / "baseline")


def ratios(folder: Path) -> Any:
    """What `bench` compares with."""
    from gatefield.speed import check_baseline, compare, read_report

    kept = read_report(folder / "measured.json")
    check_baseline(kept, ["training"], quick=False)
    return compare(kept, kept), kept.model_dump()["cases"]


def try_baseline(world: World) -> str:
    return "the same" if ratios(world.place) == world.right["baseline"] else "wrong"


def make_program(world: World) -> Any:
    from gatefield.cli.programs.kept import Kept

    for key, program in PROGRAMS.items():
        Kept(world.whole / "program").put(key, program)
    return PROGRAMS


def try_program(world: World) -> str:
    """Taken whole or not at all; kept again and taken then, unless a folder is in the way."""
    from gatefield.cli.programs.kept import Kept, trim

    kept, outcome = Kept(world.place), "the same"
    for key, program in PROGRAMS.items():
        found = kept.get(key)
        outcome = outcome if found == program else "as if it were not there" if found is None else "wrong"
        kept.put(key, program)
        if kept.get(key) != program and not any(path.is_dir() for path in world.place.iterdir()):
            outcome = "wrong"
    trim(world.place.parent, most=1)
    return outcome


def make_shown(world: World) -> Any:
    from gatefield import lab

    experiment = study()
    lab.run(experiment, experiment.Parameters(), lab.Store(world.whole / "shown"))
    return shown(world.whole / "shown")


def shown(store: Path) -> Any:
    """What a report would show of the one entry, as it is kept or drawn anew."""
    from gatefield import lab
    from gatefield.show.shown import shown_of

    (entry,) = lab.Store(store).entries()
    found = shown_of(study(), entry)
    return repr(list(found.verdicts)), found.pictures, list(found.provenance)


def try_shown(world: World) -> str:
    return "the same" if shown(world.place) == shown(world.place) == world.right["shown"] else "wrong"


def make_ledger(world: World) -> Any:
    from gatefield import ledger

    made = ledger.check(names=["002-eq44"])
    odd = made.findings[0].model_copy(update={"value": float("nan"), "printed": float("inf"), "result": "disagrees"})
    ledger.write_ledger(world.whole / "ledger", made.model_copy(update={"findings": (*made.findings, odd)}))
    return repr(ledger.read_ledger(world.whole / "ledger"))


def try_ledger(world: World) -> str:
    from gatefield import ledger
    from gatefield.core.errors import UserError

    found = ledger.read_ledger(world.place)
    if found is None:
        return "as if it were not there"
    if found.problem:
        raise UserError(found.problem)
    return "the same" if repr(found) == world.right["ledger"] else "wrong"


KINDS: dict[str, tuple[Callable[[World], Any], Callable[[World], str]]] = {
    "baseline": (make_baseline, try_baseline),
    "program": (make_program, try_program),
    "shown": (make_shown, try_shown),
    "ledger": (make_ledger, try_ledger),
}


def tried(world: World, kind: str, rng: random.Random, limit: float) -> Finding:
    """One case."""
    words = f"{kind}, {world.damaged(kind, rng)}"
    outcome, what = told(lambda: KINDS[kind][1](world), "", limit)
    if outcome == "wrong":
        what = "something else without a word"
    return Finding(outcome, bool(what), what and f"{kind}: {what}", shortened(words) if what else "", kind)


def start(scratch: Path, limit: float) -> Case:
    """The function that tries one damage; the kinds take turns."""
    world, kinds = World(scratch), list(KINDS)
    return lambda rng, case: tried(world, kinds[case // 2 % len(kinds)], rng, limit)  # two workers share the cases


if __name__ == "__main__":
    main(__file__, __doc__ or "", start, count=1600, limit=30.0)
