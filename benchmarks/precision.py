"""Does training with bfloat16 sums end where float32 ends? The same seeds and batches, a narrow network, CIFAR-10.

    GATEFIELD_DATA=FOLDER python benchmarks/precision.py --output benchmarks/results/precision.json

Prints and writes test accuracy (best and final) and loss of each seed for both; two minutes on two cores.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import jax

from gatefield.experiments.convolution.colour_images import ImageSettings, conv_net, fit, task_of
from gatefield.lab import MemoryBench

SMALL: dict[str, Any] = {
    "samples": 4_000, "tested": 2_000, "channels": (8, 8, 16, 16), "dense": (64, 64), "stride": (2, 1, 2, 1), "seeds": 3,
    "epochs": 6, "batch_size": 32, "learning_rate": 1e-3,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    task, found = task_of(ImageSettings(**SMALL)), []
    for beta in (1.0, 16.0):
        for precision in ("float32", "bfloat16"):
            p = ImageSettings(**SMALL, precision=precision)
            record = fit(MemoryBench(), "one", conv_net(p, "soft-relu", beta=beta, eps=0.1), task, p)
            found.append(
                {
                    "beta": beta,
                    "precision": precision,
                    "test_best": [round(100 * float(v), 2) for v in record.test_accuracy.max("step")],
                    "test_final": [round(100 * float(v), 2) for v in record.test_accuracy.isel(step=-1)],
                    "loss_final": [round(float(v), 4) for v in record.loss.isel(step=-1)],
                }
            )
            print(json.dumps(found[-1]), flush=True)
    if options.output:
        result = {"device": jax.devices()[0].device_kind, "jax": jax.__version__, "setting": SMALL, "trainings": found}
        options.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
