"""Experiments at full size: their verdicts and figures, as `benchmarks/results/full` has them.

    python benchmarks/full.py NAME... [--store STORE] [--output benchmarks/results/full]

Runs each with the preset `full` (what the store has is not run again), and puts its parameters, how long it took and its
verdicts into `verdicts.json`, its figure beside it. Entries of other experiments stay as they are.
"""

import argparse
import json
import platform
from pathlib import Path

import jax
import matplotlib

from gatefield import Store, experiments
from gatefield.core.text.plain import plain
from gatefield.core.text.words import seconds
from gatefield.lab import Verdict, resolve, run
from gatefield.plot import style

HERE = Path(__file__).parent
COMMAND = "gatefield run NAME --preset full"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--store", type=Path, default=Path("gatefield-store"))
    parser.add_argument("--output", type=Path, default=HERE / "results" / "full")
    options = parser.parse_args()
    matplotlib.use("Agg")
    for name in options.names:
        keep(name, Store(options.store), options.output)


def keep(name: str, store: Store, output: Path) -> None:
    """Run one experiment and write what it found."""
    experiment = experiments.get(name)
    outcome = run(experiment, resolve(experiment, preset="full"), store)
    record = outcome.record
    path = output / "verdicts.json"
    kept = (
        json.loads(path.read_text()) if path.exists() else {"made_with": "gatefield run NAME --preset full", "experiments": {}}
    )
    kept["experiments"][name] = {
        "run": outcome.entry.id,
        "device": f"{jax.devices()[0].device_kind}, jax {jax.__version__}, Python {platform.python_version()}",
        "finished_in": seconds(record.attrs["seconds"]),
        "parameters": plain(dict(outcome.entry.parameters)),
        "verdicts": [written(verdict) for verdict in outcome.verdicts],
    }
    kept["experiments"] = dict(sorted(kept["experiments"].items()))
    output.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept, indent=1) + "\n")
    with style():
        experiment.figure(record).savefig(output / f"{name}.png", dpi=100)
    print(f"{name}: {seconds(record.attrs['seconds'])}", flush=True)


def written(verdict: Verdict) -> dict[str, object]:
    """A verdict as the file has it."""
    words = {"claim": verdict.claim, "outcome": verdict.outcome, "predicted": verdict.predicted, "measured": verdict.measured}
    more = {"tolerance": verdict.tolerance, "holds": verdict.holds, "note": verdict.note, "why": verdict.why}
    return plain(words | {name: value for name, value in more.items() if value != ""})


if __name__ == "__main__":
    main()
