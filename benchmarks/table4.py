"""Table 4 of paper 004: what it does not say of its trainings, found by trying.

    GATEFIELD_DATA=FOLDER python benchmarks/table4.py SETTING ... --rows ROW ... --output benchmarks/results/table4.json
    GATEFIELD_DATA=FOLDER python benchmarks/table4.py --best 2 --output benchmarks/results/table4.json
    python benchmarks/table4.py --list --output benchmarks/results/table4.json

Trains the probe rows (or those named) in each of the named settings, prints best and final test accuracy beside the paper's,
and writes the file after each training; what it has is not trained again. `--best 2` completes the probe rows of the two
settings that stand first so far. On a GPU; `--precision float32` to compare precisions.

**The rule, fixed before the search.** A setting's distance in a row is the mean over seeds of the best test accuracy of each
run, less the paper's number. Settings with the same rows are compared: first stands the one with more rows within 2 points,
and of equals the one whose largest distance is smallest. The search goes in two rounds: the SCREEN rows for all settings,
then all PROBES for the two that stand first; the winner is the first of those that have all PROBES.
"""

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from gatefield.data import Dataset
from gatefield.experiments.convolution.colour_images import ImageSettings, conv_net, fit, task_of
from gatefield.experiments.convolution.soft_gates_table.rows import paper
from gatefield.lab import MemoryBench

WITHIN = 2.0
"""Points that a row may be away from the paper's."""
SCREEN = ("beta=1+eps=0.1", "relu", "beta=16+eps=0.1")
PROBES = (*SCREEN, "linear", "beta=2+eps=0.1", "beta=4+eps=0.1")
STRIDED, HE = {"stride": (1, 2, 1, 2)}, {"init": "gaussian", "sigma": "he", "bias": False}
SETTINGS: dict[str, dict[str, Any]] = {
    "valid": {},
    "valid-64": {"batch_size": 64},
    "valid-32": {"batch_size": 32},
    "valid-centred": {"scaling": "centred"},
    "valid-standard": {"scaling": "standard"},
    "valid-32-standard": {"batch_size": 32, "scaling": "standard"},
    "valid-32-centred": {"batch_size": 32, "scaling": "centred"},
    "valid-32-x1.2": {"batch_size": 32, "gain": 1.2},
    "same": {"padding": "same"},
    "same-32": {"padding": "same", "batch_size": 32},
    "valid-he": {**HE},
    "same-he": {"padding": "same", **HE},
    "same-strided": {"padding": "same", **STRIDED},
    "same-strided-he": {"padding": "same", **STRIDED, **HE},
    "same-all-strided": {"padding": "same", "stride": (2, 2, 2, 2)},
    "valid-strided": {**STRIDED},
    "same-max-pool": {"padding": "same", "pool": "max"},
    "same-mean-pool": {"padding": "same", "pool": "mean"},
}
"""What differs from batches of 128, uniform Glorot weights, biases, valid padding, stride 1, no pooling, pixels from 0 to 1.

`same-32` is how the authors train the same network in their later, published code (github.com, chandrashekar-lakshminarayanan/
neural-path-kernel, adam-vconv-cifar10), there for 80 epochs.
"""
KEY = ("setting", "row", "epochs", "seeds", "precision")
Training = dict[str, Any]


def main() -> None:
    options = _options()
    found = read(options.output)
    if not options.list:
        search(found, options)
    table(found if options.list else of(found, options))


def search(found: list[Training], options: argparse.Namespace) -> None:
    """Train what is asked for and not there yet, and write each training when it is done."""
    begin, task = time.perf_counter(), None
    for asked in wanted(found, options):
        if time.perf_counter() - begin > 60 * options.minutes:
            print(f"{options.minutes:g} minutes are over before {asked['setting']}, {asked['row']}", flush=True)
            return
        p = settings_of(asked, options.samples)
        task = _task(task, p)
        found.append(measure(asked, p, task[1]))
        print(json.dumps(found[-1]), flush=True)
        write(options.output, found)


def wanted(found: Sequence[Training], options: argparse.Namespace) -> list[Training]:
    """The trainings that are asked for, without those that are there."""
    names, rows = options.settings or list(SETTINGS), options.rows
    if options.best:
        names, rows = [name for name, *_ in ranked(of(found, options), SCREEN)[: options.best]], PROBES
    asked = {name: getattr(options, name) for name in KEY[2:]}
    every = [{"setting": name, "row": row, **asked} for name in names for row in rows]
    return [one for one in every if not any(same(one, other) for other in found)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("settings", nargs="*", metavar="SETTING", help=f"of {', '.join(SETTINGS)}")
    parser.add_argument("--rows", nargs="*", metavar="ROW", default=list(PROBES))
    parser.add_argument("--best", type=int, help="complete the probe rows of so many settings, the first so far")
    parser.add_argument("--list", action="store_true", help="train nothing")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--precision", default="bfloat16")
    parser.add_argument("--minutes", type=float, default=np.inf, help="begin no training after so many")
    parser.add_argument("--samples", type=int, default=50_000, help="fewer images, to try the script")
    return parser.parse_args()


def settings_of(asked: Training, samples: int) -> ImageSettings:
    """The parameters of a training."""
    size: Training = {"samples": samples, "tested": min(samples, 10_000)}
    return ImageSettings(**SETTINGS[asked["setting"]], **{name: asked[name] for name in KEY[2:]}, **size)


def _task(task: tuple[str, Dataset] | None, p: ImageSettings) -> tuple[str, Dataset]:
    """Images with their scaling, put on the device once for all trainings in a row that share it."""
    return task if task and task[0] == p.scaling else (p.scaling, task_of(p))


def measure(asked: Training, p: ImageSettings, task: Dataset) -> Training:
    """Accuracies of one row in one setting, one number for each seed."""
    row, begin = asked["row"], time.perf_counter()
    soft = dict(part.split("=") for part in row.split("+") if "=" in part)
    net = conv_net(p, "soft-relu" if soft else row, **{name: float(value) for name, value in soft.items()})
    record = fit(MemoryBench(), f"{asked['setting']}-{row}", net, task, p).astype(float).isel(step=slice(1, None))
    test, train = record.test_accuracy, record.train_accuracy
    printed = paper(row)
    return {
        **asked,
        "batch_size": p.batch_size,
        "paper_test": printed and printed[1],
        "test_best": test.max("step").round(4).values.tolist(),
        "best_epoch": (test.argmax("step") + 1).values.tolist(),
        "test_final": test.isel(step=-1).round(4).values.tolist(),
        "train_final": train.isel(step=-1).round(4).values.tolist(),
        "test_by_epoch": test.mean("seed").round(3).values.tolist(),
        "seconds": round(time.perf_counter() - begin, 1),
    }


def distance(training: Training) -> float:
    """The mean of the best test accuracies less the paper's, in points."""
    return 100 * (float(np.mean(training["test_best"])) - training["paper_test"])


def ranked(found: Iterable[Training], rows: Sequence[str]) -> list[tuple[str, int, float, dict[str, float]]]:
    """The settings that have these rows, the first by the rule first: name, rows within, largest distance, distances."""
    each: dict[str, dict[str, float]] = {}
    for training in found:
        each.setdefault(training["setting"], {})[training["row"]] = distance(training)
    whole = {name: {row: d[row] for row in rows} for name, d in each.items() if set(rows) <= set(d)}
    out = [(name, sum(abs(v) <= WITHIN for v in d.values()), max(map(abs, d.values())), d) for name, d in whole.items()]
    return sorted(out, key=lambda one: (-one[1], one[2]))


def of(found: Iterable[Training], options: argparse.Namespace) -> list[Training]:
    """The trainings of as many epochs and seeds, in the same precision."""
    return [one for one in found if all(one[name] == getattr(options, name) for name in KEY[2:])]


def table(found: Sequence[Training]) -> None:
    """Print the settings in their order, for the rows of each round, by epochs, seeds and precision."""
    for kind in sorted({tuple(one[name] for name in KEY[2:]) for one in found}):
        some = [one for one in found if tuple(one[name] for name in KEY[2:]) == kind]
        for rows in (SCREEN, PROBES):
            print(f"\n{kind[0]} epochs, {kind[1]} seeds, {kind[2]}: points from the paper in {', '.join(rows)}")
            for name, within, largest, each in ranked(some, rows):
                values = " ".join(f"{value:+6.2f}" for value in each.values())
                print(f"{name:20} {values}   {within} of {len(rows)} within {WITHIN:g}, largest {largest:.2f}")


def same(one: Training, other: Training) -> bool:
    """Whether two trainings are the same by their setting."""
    return all(one[name] == other[name] for name in KEY)


def read(path: Path) -> list[Training]:
    """The trainings in the file, if it is there."""
    return json.loads(path.read_text())["trainings"] if path.exists() else []


def write(path: Path, found: Sequence[Training]) -> None:
    """All trainings, one on a line; the file is replaced as a whole."""
    lines = ",\n".join("  " + json.dumps(one) for one in found)
    head = f' "device": "{jax.devices()[0].device_kind}",\n "jax": "{jax.__version__}",\n'
    temporary = path.with_name(f".{path.name}")
    temporary.write_text(f'{{\n{head} "trainings": [\n{lines}\n ]\n}}\n')
    temporary.replace(path)


if __name__ == "__main__":
    main()
