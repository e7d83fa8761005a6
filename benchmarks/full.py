"""Experiments at full size: their verdicts, figures and the pages of the gallery, as `benchmarks/results/full` has them.

    python benchmarks/full.py [NAME...] [--preset full] [--set seed=1] [--jobs 1] [--store STORE] [--output FOLDER]

Runs each with the preset `full`, or another (what the store has is not run again), puts its parameters, how long it took and
its verdicts into `verdicts.json`, with a small table of what it found where `tables.py` makes one, and its figures beside it,
drawn from the record by `gatefield.show`; then writes the pages, one for each subject, from all that is there. Entries of
other experiments stay as they are; without names only the pages are written. An experiment that has not a parameter of
`--set` leaves it out. `--jobs` runs so many at a time, each in a process. `--claims TEXT` takes only the claims that have
this text, beside those and the figures that are kept: for a claim on the first epochs, say, a run of all epochs says no more.
"""

import argparse
import fcntl
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import matplotlib
from tables import TABLES, pivot

from gatefield import Store, experiments
from gatefield.core.text.plain import plain
from gatefield.core.text.words import number, seconds
from gatefield.lab import Verdict, headline, resolve, run
from gatefield.lab.bound import Bound
from gatefield.show import draw, save

HERE = Path(__file__).parent
COMMAND = "gatefield run NAME --preset full"
MARKS = {
    "confirmed": "✓",
    "refuted": "✗",
    "not decided": "?",
    "off": "≠",
    "not judged": "–",
    "holds": "✓",
    "missed": "✗",
    "does not hold": "✗",
}
"""A sign for each outcome, `holds` and `missed` of places; `holds` and `does not hold` are those of earlier runs too."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--store", type=Path, default=Path("gatefield-store"))
    parser.add_argument("--output", type=Path, default=HERE / "results" / "full")
    parser.add_argument("--preset", default="full")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--claims", metavar="TEXT", help="take only claims with this text, beside what is kept")
    parser.add_argument("--no-pages", dest="pages", action="store_false", help="leave the pages as they are")
    options = parser.parse_args()
    matplotlib.use("Agg")
    if options.jobs > 1:
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda name: _apart(name, options), options.names))
    else:
        for name in options.names:
            keep(name, Store(options.store), options.output, options.preset, options.set, options.claims)
    if options.pages:
        write_pages(options.output)


def _apart(name: str, options: argparse.Namespace) -> None:
    """One experiment in a process of its own; its last words are told if it fails, and the others go on."""
    places = ["--store", str(options.store), "--output", str(options.output), "--preset", options.preset, "--no-pages"]
    places += ["--claims", options.claims] if options.claims else []
    command = [sys.executable, __file__, name, *places, "--set", *options.set]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    said = done.stdout.strip().splitlines() or ["nothing was said"]
    print(said[-1] if done.returncode == 0 else f"{name} failed ({done.returncode}): " + "\n".join(said[-20:]), flush=True)


def keep(name: str, store: Store, output: Path, preset: str, settings: list[str], claims: str | None = None) -> None:
    """Run one experiment and write what it found, or what it found of some claims."""
    experiment = experiments.get(name)
    fitting = [setting for setting in settings if setting.partition("=")[0] in experiment.Parameters.model_fields]
    outcome = run(experiment, resolve(experiment, preset, fitting), store)
    record, verdicts = outcome.record, [written(verdict) for verdict in outcome.verdicts]
    made = {
        "run": outcome.entry.id,
        "preset": preset,
        "set": fitting,
        "device": _device(record.attrs),
        "finished_in": seconds(record.attrs["seconds"]),
    }
    if claims:
        _write(output, name, lambda kept: with_claims(kept, verdicts, claims, made))
    else:
        found = {
            **made,
            "headline": headline(experiment.title, outcome.verdicts),
            "caption": experiment.caption,
            "more_caption": experiment.more_caption,
            "parameters": plain(dict(outcome.entry.parameters)),
            "verdicts": verdicts,
            **({"tables": {words: plain(table(record)) for words, table in TABLES[name].items()}} if name in TABLES else {}),
        }
        _write(output, name, lambda _: found)
        save(draw(experiment, record, verdicts=outcome.verdicts), output / f"{name}.png")
        if experiment.more:
            save(draw(experiment, record, more=True, verdicts=outcome.verdicts), output / f"{name}-more.png")
    print(f"{name}: {seconds(record.attrs['seconds'])}", flush=True)


def with_claims(
    kept: dict[str, Any], verdicts: list[dict[str, object]], text: str, made: Mapping[str, object]
) -> dict[str, Any]:
    """What is kept of an experiment, with the claims that have a text taken from another run, which they name."""
    chosen = {str(verdict["claim"]): {**verdict, "made": dict(made)} for verdict in verdicts if text in str(verdict["claim"])}
    if not chosen:
        raise SystemExit(f"No claim of this run has {text!r} in it; its claims: {[verdict['claim'] for verdict in verdicts]}")
    others = [verdict for verdict in kept["verdicts"] if verdict["claim"] not in chosen]
    return {**kept, "verdicts": [*others, *chosen.values()]}


def _device(made: Mapping[str, Any]) -> str:
    """Where the record was made, which need not be where it is read."""
    return f"{made['device']}, jax {made['jax_version']}, Python {made['python_version']}"


def _write(output: Path, name: str, find: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """What was found, given what is kept, stands in `verdicts.json` beside what others found, who may be writing too."""
    output.mkdir(parents=True, exist_ok=True)
    path = output / "verdicts.json"
    with (output / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = json.loads(path.read_text()) if path.exists() else {"made_with": COMMAND, "experiments": {}}
        found = find(kept["experiments"].get(name, {"verdicts": []}))
        kept["experiments"] = dict(sorted({**kept["experiments"], name: found}.items()))
        path.write_text(json.dumps(kept, indent=1) + "\n")


def written(verdict: Verdict) -> dict[str, object]:
    """A verdict as the file has it."""
    words = {"claim": verdict.claim, "outcome": verdict.outcome, "predicted": verdict.predicted, "measured": verdict.measured}
    more = {"kind": verdict.kind, "source": verdict.source, "tolerance": verdict.tolerance, "holds": verdict.holds}
    more |= {"error": _error(verdict)}
    rest = {"note": verdict.note, "why": verdict.why, "table": [row(bound) for bound in verdict.table] or ""}
    return plain(words | {name: value for name, value in (more | rest).items() if value != ""})


def _error(verdict: Verdict) -> float | str:
    """The error of what is measured: of several bounds that of the first about this number; empty if there is none."""
    return next((bound.error for bound in verdict.bounds if bound.measured == verdict.measured and bound.error), "")


def row(bound: Bound) -> dict[str, object]:
    """One place of a claim that was looked at in several."""
    words = {"at": bound.at, "predicted": bound.predicted, "measured": bound.measured, "rule": bound.rule}
    rest = {"error": bound.error or "", "note": bound.note}
    return words | {"outcome": bound.outcome} | {name: value for name, value in rest.items() if value != ""}


def write_pages(output: Path) -> None:
    """The gallery: a page for each subject, with every figure and every claim, from the files in `output`."""
    kept = json.loads((output / "verdicts.json").read_text())["experiments"]
    for subject, title in experiments.SUBJECTS.items():
        names = [item.name for item in experiments.listed() if item.subject == subject and item.name in kept]
        parts = [f"# {title}, at full size\n\n" + " · ".join(f"[{name}](#{name})" for name in names)]
        parts += [section(name, kept[name], output) for name in names]
        (output / f"{subject}.md").write_text("\n\n".join(parts) + "\n")


def section(name: str, kept: dict[str, Any], output: Path) -> str:
    """One experiment: what it found, its figures, and its claims in a table."""
    found = kept.get("headline") or experiments.get(name).title
    lines = [f"## {name}", f"**{found}**", f"![{found}]({name}.png)", kept.get("caption", "")]
    if (output / f"{name}-more.png").exists():
        lines += [f"![More of {name}]({name}-more.png)", kept.get("more_caption", "")]
    rows = [line for verdict in kept["verdicts"] for line in (claim(verdict), *places(verdict))]
    lines += [f"{words}\n\n{pivot(cells)}" for words, cells in kept.get("tables", {}).items()]
    runs = {made_by(name, one): None for one in (kept, *(verdict["made"] for verdict in kept["verdicts"] if "made" in verdict))}
    made = "; claims marked * by ".join(runs)
    table = "\n".join(["| claim | kind | source | predicted | measured | bound | |", "|" + 7 * "---|", *rows])
    return "\n\n".join(filter(None, [*lines, made, table]))


def made_by(name: str, run: Mapping[str, Any]) -> str:
    """The command that made a run, how long it took, and where."""
    settings = " ".join(["", "--set", *run["set"]]) if run.get("set") else ""
    where = f" on {run['device']}" if "device" in run else ""
    return f"`gatefield run {name} --preset {run.get('preset', 'full')}{settings}`, {run['finished_in']}{where}"


def claim(verdict: dict[str, Any]) -> str:
    """A line of the table; notes stay in the file. Runs of earlier versions said `expected`, and only whether a claim holds."""
    outcome = verdict.get("outcome") or ("holds" if verdict["holds"] else "does not hold")
    words = verdict["claim"] + (" \\*" if "made" in verdict else "")
    return _line([words, *_origin(verdict)], verdict, verdict.get("tolerance") or verdict.get("why", ""), outcome)


def _origin(verdict: dict[str, Any]) -> tuple[str, str]:
    """Of what kind a claim is, and its source; earlier runs say neither."""
    return verdict.get("kind", ""), verdict.get("source", "")


def places(verdict: dict[str, Any]) -> list[str]:
    """A line for each place at which a claim was looked at."""
    return [
        _line([f"– {one['at']}", "", ""], one, "; ".join(filter(None, (one["rule"], one.get("note")))), one["outcome"])
        for one in verdict.get("table", [])
    ]


def _line(words: list[str], numbers: dict[str, Any], bound: str, outcome: str) -> str:
    """Predicted and measured number, with its error if that is known."""
    predicted, error = numbers.get("predicted", numbers.get("expected")), numbers.get("error", "")
    known = isinstance(error, int | float) and error > 0
    measured = shown(numbers.get("measured")) + (f" ± {error:.2g}" if known else "")
    said = " | ".join(str(cell).replace("|", "\\|") for cell in (*words, shown(predicted), measured, bound))
    return f"| {said} | {MARKS[outcome]} {outcome} |"


def shown(value: Any) -> str:
    return "" if value is None else number(value) if isinstance(value, int | float) else str(value)


if __name__ == "__main__":
    main()
