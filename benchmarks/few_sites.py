"""Exact states of a few sites of alternating sign at gain infinity: which exist, and from how far the flow comes back to them.

    python benchmarks/few_sites.py [--samples 50000] [--time 200] [--output benchmarks/results]

For the ten pairs of length scales of `late-localization`: the states of one, three, five and seven neighbouring sites on a ring
of 40 (`theory.hypercube.head_state`), their IPR, loss, and lead (by how much the sites that decide the gate exceed all others;
a state exists where it is positive). Then, for a few pairs, each state w is pushed in `PUSHES` random directions by 0.1, 0.3
and 1 times |w| and left to gradient flow. It is back if its cosine with w, at its place and with its sign, is `SAME` or more.

The drift of the flow is exact behind the gate of the state; what it differs by behind another gate is averaged over a sample
that stays fixed, so that its noise vanishes towards the state. Writes `few-sites.json`, and two tables into `full/README.md`.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import expm
from jaxtyping import Array, Float
from tables import fill, markdown

from gatefield.data import Hypercube, NonlinearGP
from gatefield.experiments.few_sites import SAME, head, reached, states
from gatefield.experiments.fields.late_localization import experiment

HERE = Path(__file__).parent
N, MOST_SITES = 40, 7
PUSHED = ((1.0, 2.0), (2.0, 1.0), (1.0, 1.0))
SIZES, PUSHES = (0.1, 0.3, 1.0), 20
STEP = 0.25
"""Of the flow, in tau; behind a gate that stays as it is a step is exact, whatever its length."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--time", type=float, default=200.0)
    parser.add_argument("--output", type=Path, default=HERE / "results")
    options = parser.parse_args()
    begin = time.process_time()
    pairs = experiment.Parameters().model_dump()["pairs"]
    settings = {"n": N, "pushes": PUSHES, "samples": options.samples, "time": options.time, "step": STEP}
    pushed = [row for k, pair in enumerate(PUSHED) for row in push(pair, k, options.samples, options.time)]
    found = {"settings": settings, "states": listed(pairs), "pushed": pushed, "cpu_seconds": round(time.process_time() - begin)}
    (options.output / "few-sites.json").write_text(json.dumps(found, indent=1) + "\n")
    page = options.output / "full" / "README.md"
    page.write_text(fill(fill(page.read_text(), "few-sites", states_table(found)), "few-sites-pushed", pushed_table(found)))


def listed(pairs: Any) -> list[dict[str, Any]]:
    """The state of each pair and number of sites, whether it exists or not."""
    known = states(N, pairs, MOST_SITES)
    return [
        {
            "positive": float(pair[0]),
            "negative": float(pair[1]),
            "sites": int(sites),
            **{name: known[f"state_{name}"].values[i, k].item() for name in ("exists", "ipr", "loss", "lead")},
        }
        for i, pair in enumerate(pairs)
        for k, sites in enumerate(known.sites.values)
    ]


def push(pair: tuple[float, float], number: int, samples: int, length: float) -> list[dict[str, Any]]:
    """Every state of a pair that exists, pushed by each size; `number` is that of the keys."""
    known = states(N, [pair], MOST_SITES)
    key, draws = jax.random.split(jax.random.fold_in(jax.random.key(0), number))
    points = jnp.asarray(NonlinearGP(N, pair[0], np.inf).sample(key, samples), jnp.float32)
    covs = [np.asarray(Hypercube(N, xi).covariance(), float) for xi in pair]
    rows = []
    for sites in known.sites.values[known.state_exists.values[0]]:
        state = known.state.sel(sites=sites).values[0]
        noise = np.asarray(jax.random.normal(jax.random.fold_in(draws, int(sites)), (len(SIZES), PUSHES, N)), float)
        noise *= (np.linalg.norm(state) * np.array(SIZES))[:, None, None] / np.linalg.norm(noise, axis=-1, keepdims=True)
        starts = state + noise.reshape(-1, N)
        ends = _followed(points, covs[0] + covs[1], head(N, int(sites)), state, starts, round(length / STEP))
        back = (ends @ state / (np.linalg.norm(ends, axis=1) * np.linalg.norm(state)) >= SAME).reshape(len(SIZES), -1)
        which = reached(ends[None], known).reshape(len(SIZES), -1)
        rows += [_counted(pair, int(sites), *one) for one in zip(SIZES, back, which, strict=True)]
        print(*rows[-len(SIZES) :], sep="\n", flush=True)
    return rows


def _counted(pair: tuple[float, float], sites: int, size: float, back: np.ndarray, which: np.ndarray) -> dict[str, Any]:
    """How many of the pushed fields came back, and how many of the others ended in a state of how many sites (0: in none)."""
    others, times = np.unique(which[~back], return_counts=True)
    elsewhere = {str(one): int(many) for one, many in zip(others, times, strict=True)}
    return {
        "positive": pair[0],
        "negative": pair[1],
        "sites": sites,
        "size": size,
        "back": int(back.sum()),
        "others": elsewhere,
    }


def _followed(
    points: Array, both: np.ndarray, gate: np.ndarray, state: np.ndarray, starts: np.ndarray, steps: int
) -> np.ndarray:
    """Where the flow from the starts is after so many steps; `gate` is the direction of the state's gate."""
    decay = np.asarray(expm(-jnp.asarray(both) * STEP / 4))
    f = both @ state / 2
    arrays = (jnp.asarray(one, jnp.float32) for one in (2 * np.linalg.inv(both), decay, f, gate, starts))
    return np.asarray(_flow(points, *arrays, steps), float)


@jax.jit
def _flow(
    points: Float[Array, "points n"],
    inverse: Array,
    decay: Array,
    f: Array,
    gate: Array,
    w: Float[Array, "starts n"],
    steps: Any,
) -> Float[Array, "starts n"]:
    open_there = jnp.sign(points @ gate)[:, None]

    def step(_: Any, w: Array) -> Array:
        differ = jnp.sign(points @ w.T) - open_there
        goal = (f + differ.T @ points / (2 * len(points))) @ inverse
        return goal + (w - goal) @ decay

    return jax.lax.fori_loop(0, steps, step, w)


def states_table(found: dict[str, Any]) -> str:
    """A row for each pair: IPR, loss and lead of the states that exist."""
    rows: dict[str, list[str]] = {}
    for one in found["states"]:
        cell = f"{one['ipr']:.3f}, {one['loss']:.4f}, {one['lead']:.2f}" if one["exists"] else "none"
        rows.setdefault(_pair(one), []).append(cell)
    heads = [f"{sites} site{'s' if sites > 1 else ''}" for sites in range(1, MOST_SITES + 1, 2)]
    return markdown(["", *heads], [[pair, *cells] for pair, cells in rows.items()])


def pushed_table(found: dict[str, Any]) -> str:
    """A row for each state: how many came back from each push, and in which states the others ended."""
    rows: dict[tuple[str, int], list[str]] = {}
    for one in found["pushed"]:
        others = ", ".join(f"{many}×{sites if sites != '0' else 'none'}" for sites, many in one["others"].items())
        cell = f"{one['back']} of {found['settings']['pushes']}" + (f" ({others})" if others else "")
        rows.setdefault((_pair(one), one["sites"]), []).append(cell)
    return markdown(
        ["", "sites", *(f"{size:g}" for size in SIZES)], [[pair, str(m), *cells] for (pair, m), cells in rows.items()]
    )


def _pair(one: dict[str, Any]) -> str:
    return f"{one['positive']:g}, {one['negative']:g}"


if __name__ == "__main__":
    main()
