"""Which padding, stride, pooling and initial weights reproduce the paper's deep linear and ReLU networks on CIFAR-10?

    GATEFIELD_DATA=FOLDER python benchmarks/layouts.py --output benchmarks/results/layouts.json [NAME ...]

Trains deep linear, ReLU and soft-ReLU networks in each of the named layouts (all by default) and prints best and final test
accuracy beside the paper's. After each the file is written; what it holds of other layouts and settings stays. On a GPU;
`--precision float32` to compare precisions.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import jax

from gatefield.data import Dataset
from gatefield.experiments.convolution.colour_images import ImageSettings, conv_net, fit, task_of
from gatefield.lab import MemoryBench

KERAS = {"init": "uniform", "sigma": "glorot", "bias": True}
HE = {"init": "gaussian", "sigma": "he", "bias": False}
LAYOUTS: dict[str, dict[str, Any]] = {
    "valid": {**KERAS},
    "same": {"padding": "same", **KERAS},
    "valid-he": {**HE},
    "same-strided": {"padding": "same", "stride": (1, 2, 1, 2), **KERAS},
    "same-he": {"padding": "same", **HE},
    "same-strided-he": {"padding": "same", "stride": (1, 2, 1, 2), **HE},
    "same-all-strided": {"padding": "same", "stride": (2, 2, 2, 2), **KERAS},
    "valid-strided": {"stride": (1, 2, 1, 2), **KERAS},
    "same-max-pool": {"padding": "same", "pool": "max", **KERAS},
    "same-mean-pool": {"padding": "same", "pool": "mean", **KERAS},
}
NETS: dict[str, tuple[str, dict[str, Any], float]] = {
    "linear": ("linear", {}, 0.3939),
    "relu": ("relu", {}, 0.71),
    "beta=1": ("soft-relu", {"beta": 1.0, "eps": 0.1}, 0.59),
    "beta=16": ("soft-relu", {"beta": 16.0, "eps": 0.1}, 0.72),
}


def measure(layout: str, net: str, settings: dict[str, Any], task: Dataset) -> dict[str, Any]:
    """Accuracies of one network in one layout, one number for each seed."""
    p = ImageSettings(**{**LAYOUTS[layout], **settings})
    gating, soft, paper = NETS[net]
    begin = time.perf_counter()
    record = fit(MemoryBench(), f"{layout}-{net}", conv_net(p, gating, **soft), task, p)
    record = record.astype(float).isel(step=slice(1, None))
    test = record.test_accuracy
    return {
        "layout": layout,
        "net": net,
        "paper_test": paper,
        "test_best": test.max("step").round(4).values.tolist(),
        "best_epoch": (test.argmax("step") + 1).values.tolist(),
        "test_final": test.isel(step=-1).round(4).values.tolist(),
        "train_final": record.train_accuracy.isel(step=-1).round(4).values.tolist(),
        "test_by_epoch": test.mean("seed").round(3).values.tolist(),
        "seconds": round(time.perf_counter() - begin, 1),
        **settings,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("layouts", nargs="*", metavar="NAME", help=f"of {', '.join(LAYOUTS)}")
    parser.add_argument("--nets", nargs="*", choices=list(NETS), default=list(NETS))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--precision", default="bfloat16")
    options = parser.parse_args()
    settings = {"epochs": options.epochs, "seeds": options.seeds, "precision": options.precision}
    task = task_of(ImageSettings())
    for layout in options.layouts or LAYOUTS:
        for net in options.nets:
            one = measure(layout, net, settings, task)
            print(json.dumps(one), flush=True)
            if options.output:
                keep(one, options.output)


def keep(one: dict[str, Any], path: Path) -> None:
    """Write a training into the file, in place of an earlier one of the same setting."""
    names = ("layout", "net", "precision", "epochs", "seeds")
    found = json.loads(path.read_text())["trainings"] if path.exists() else []
    found = [other for other in found if any(other[name] != one[name] for name in names)]
    result = {"device": jax.devices()[0].device_kind, "jax": jax.__version__, "trainings": [*found, one]}
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
