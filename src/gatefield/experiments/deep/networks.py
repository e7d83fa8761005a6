"""Deep gated networks on a handful of samples: drawn on the host in float64, their errors with a fixed and a moving kernel."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import jax
import numpy as np
import xarray as xr

from gatefield.core.errors import UserError, unknown_name
from gatefield.data import Dataset
from gatefield.dynamics import Training
from gatefield.kernels import gated_pass, ntk, soft_gate
from gatefield.lab import Bench
from gatefield.nets import DeepGated, Gating

Arrays = list[np.ndarray]
"""One for each layer."""

LAWS: Mapping[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "signs": lambda rng, shape: 2.0 * rng.integers(0, 2, shape, np.int8) - 1.0,
    "gaussian": lambda rng, shape: rng.normal(size=shape),
}


class Case(NamedTuple):
    """One network before training, and its samples."""

    weights: Arrays
    """(inputs, width), (width, width), ..., (width, 1)."""
    gates: Arrays
    """(samples, width) of each layer but the last."""
    x: np.ndarray
    y: np.ndarray

    def kernel(self) -> np.ndarray:
        """The tangent kernel with these gates."""
        return np.asarray(ntk(self.weights, self.gates, self.x))

    def error(self) -> np.ndarray:
        """Output less label of each sample."""
        *_, (_, _, z) = gated_pass(_sums(self.weights), self.x, lambda at, q: self.gates[at])
        return (z @ self.weights[-1])[:, 0] - self.y


def draw(rng: np.random.Generator, law: str, sigma: float, depth: int, width: int, inputs: int = 1) -> Arrays:
    """Independent weights of standard deviation sigma: +-sigma (`signs`) or normal (`gaussian`).

    >>> weights = draw(np.random.default_rng(0), "signs", 0.5, depth=4, width=3, inputs=2)
    >>> [w.shape for w in weights], set(abs(weights[-1]).ravel().tolist())
    ([(2, 3), (3, 3), (3, 3), (3, 1)], {0.5})
    """
    if law not in LAWS:
        raise unknown_name("law of weights", law, LAWS)
    shapes = (inputs, width), (depth - 2, width, width), (width, 1)
    first, middle, last = (sigma * LAWS[law](rng, shape) for shape in shapes)
    return [first, *middle, last]


def random_gates(rng: np.random.Generator, mu: float, depth: int, samples: int, width: int) -> Arrays:
    """Gates (samples, width) of each layer but the last, each open with probability mu."""
    return list((rng.random((depth - 1, samples, width)) < mu).astype(float))


def own_gates(weights: Arrays, x: np.ndarray, soft: tuple[float, float] | None = None) -> Arrays:
    """The gates that a ReLU network with these weights has on x, or with `soft` = (beta, eps) a soft-ReLU network."""

    def gate(_: int, q: Any) -> Any:
        return (q > 0).astype(float) if soft is None else soft_gate(q, *soft)[0]

    return [opened for _, opened, _ in gated_pass(_sums(weights), x, gate)]


def _sums(weights: Arrays) -> list[Callable[[Any], Any]]:
    return [lambda z, w=w: z @ w for w in weights[:-1]]


def recursion(kernel: np.ndarray, error: np.ndarray, factor: float, steps: Any) -> tuple[np.ndarray, np.ndarray]:
    r"""Eigenvalues of K, ascending, and $|e_t|/|e_0|$ of $e_{t+1}=e_t-\alpha Ke_t$ with $\alpha$ = factor/largest eigenvalue.

    >>> values, ratio = recursion(np.diag([1.0, 4.0]), np.array([3.0, 4.0]), 1.0, [0, 1])
    >>> values, ratio.round(4)
    (array([1., 4.]), array([1.  , 0.45]))
    """
    values, vectors = np.linalg.eigh(kernel)
    energy = (vectors.T @ error) ** 2
    left = np.abs(1 - factor * values / values[-1]) ** (2 * np.asarray(steps)[:, None])
    return values, np.sqrt(left @ energy / energy.sum())


def recorded(steps: int, every: int) -> np.ndarray:
    """The steps that a training records.

    >>> recorded(25, 10)
    array([ 0, 10, 20, 25])
    """
    return np.append(np.arange(0, steps, every), steps)


def descend(
    bench: Bench,
    part: str,
    cases: Sequence[Case],
    rate: float,
    *,
    gating: str = "free",
    soft: tuple[float, float] | None = None,
    **settings: Any,
) -> Training:
    """Gradient descent on half the sum of squared errors over all samples, one run for each case.

    **Arguments**

    - `bench`, `part`, `settings`: as for `bench.train`.
    - `cases`: networks of one size.
    - `rate`: the learning rate times the largest eigenvalue of the first kernel.
    - `gating`, `soft`: as `DeepGated` takes gating and (beta, eps). `"free"` keeps the gates of the cases; of others they are
      the first gates.
    """
    largest = np.array([np.linalg.eigvalsh(case.kernel())[-1] for case in cases])
    if largest.min() <= 0:
        width = len(cases[0].weights[-1])
        raise UserError(
            f"A network of width {width} has no open path on any sample and cannot be trained; choose a larger width."
        )
    weights, gates, x, y = jax.tree.map(lambda *leaves: np.stack(leaves), *cases)
    widths, free, (beta, eps) = [w.shape[-1] for w in weights[:-1]], gates if gating == "free" else None, soft or (None, None)
    net = DeepGated(x.shape[-1], widths, gating=cast(Gating, gating), init=weights, free_gates=free, beta=beta, eps=eps)
    common = {"batch_size": "all", "loss": "sse", "learning_rate": rate / largest, "key": jax.random.key(0)}  # nothing is drawn
    return bench.train(part, net, Dataset(x, y), **common, **settings)


def ratio(loss: xr.DataArray) -> xr.DataArray:
    """|e_t|/|e_0|, from sums of squares; infinite from where a run has no finite error any more."""
    return xr.where(np.isfinite(loss), (loss / loss.isel(step=0)) ** 0.5, np.inf)
