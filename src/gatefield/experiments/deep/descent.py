"""Deep gated networks on a handful of samples: drawn on the host, trained by full-batch gradient descent, many at once."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gatefield.core.errors import unknown_name

LAWS: Mapping[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "signs": lambda rng, shape: 2.0 * rng.integers(0, 2, shape, np.int8) - 1.0,
    "gaussian": lambda rng, shape: rng.normal(size=shape),
}


class Layers(NamedTuple):
    """Weights of one network, or of many with a run axis in front."""

    first: Any
    """(inputs, width)."""
    middle: Any
    """(depth - 2, width, width)."""
    last: Any
    """(width,)."""

    def listed(self) -> list[Any]:
        """One array for each layer, as the kernels take them."""
        return [self.first, *self.middle, self.last]


def draw(rng: np.random.Generator, law: str, sigma: float, depth: int, width: int, inputs: int = 1) -> Layers:
    """Independent weights of standard deviation sigma: +-sigma (`signs`) or normal (`gaussian`).

    >>> layers = draw(np.random.default_rng(0), "signs", 0.5, depth=4, width=3, inputs=2)
    >>> [w.shape for w in layers.listed()], set(abs(layers.last).tolist())
    ([(2, 3), (3, 3), (3, 3), (3,)], {0.5})
    """
    if law not in LAWS:
        raise unknown_name("law of weights", law, LAWS)
    return Layers(*(sigma * LAWS[law](rng, shape) for shape in ((inputs, width), (depth - 2, width, width), (width,))))


def random_gates(rng: np.random.Generator, mu: float, depth: int, samples: int, width: int) -> np.ndarray:
    """Gates (depth - 1, samples, width), each open with probability mu."""
    return (rng.random((depth - 1, samples, width)) < mu).astype(float)


def own_gates(layers: Layers, x: np.ndarray, soft: "Soft | None" = None) -> np.ndarray:
    """Gates (depth - 1, samples, width) that a ReLU or soft-ReLU network with these weights has on x."""
    z, gates = x, []
    for w in layers.listed()[:-1]:
        q = z @ w
        gates.append((q > 0).astype(float) if soft is None else (1 + soft.eps) / (1 + np.exp(-soft.beta * q)))
        z = q * gates[-1]
    return np.array(gates)


def outputs(layers: Layers, gates: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Outputs (samples,) with given gates."""
    z = x
    for w, gate in zip(layers.listed()[:-1], gates, strict=True):
        z = (z @ w) * gate
    return z @ layers.last


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


class Soft(NamedTuple):
    """The soft gate (1 + eps) sigmoid(beta q)."""

    beta: float
    eps: float


class Descent(NamedTuple):
    """What gradient descent on 1/2 sum e^2 leaves."""

    layers: Layers
    """The weights at the end, with the run axis in front."""
    errors: np.ndarray
    """e = output - target (run, record, sample), the first before any step."""

    @property
    def ratio(self) -> np.ndarray:
        """|e_t|/|e_0| (run, record); infinite from where a run has no finite error any more."""
        sizes = np.linalg.norm(self.errors, axis=-1)
        return np.where(np.isfinite(sizes), sizes / sizes[:, :1], np.inf)


def stacked(many: Sequence[Any]) -> Any:
    """A list of networks or arrays as one, with the run axis in front."""
    return jax.tree.map(lambda *leaves: np.stack(leaves), *many)


def descend(
    layers: Layers,
    x: np.ndarray,
    y: np.ndarray,
    rate: np.ndarray,
    *,
    gates: np.ndarray | None = None,
    soft: Soft | None = None,
    steps: int,
    record_every: int,
) -> Descent:
    """Full-batch gradient descent of many runs at once, in the precision of the weights.

    `layers`, `x` (run, sample, input), `y` (run, sample) and `rate` (run,) have a run axis in front, and so have `gates`
    (run, depth - 1, sample, width), which stay as they are; without gates the network has its own, hard or `soft`.
    """
    double = layers.first.dtype == np.float64
    with jax.enable_x64(double), jax.default_matmul_precision("float32"):
        inputs = jax.tree.map(lambda a: jnp.asarray(a, layers.first.dtype), (layers, gates, x, y, rate))
        ended, errors = _descend(*inputs, soft, steps // record_every, record_every)
        return Descent(jax.tree.map(np.asarray, ended), np.asarray(errors, float))


@functools.partial(jax.jit, static_argnums=(5, 6, 7))
def _descend(layers: Layers, gates: Any, x: Any, y: Any, rate: Any, soft: Soft | None, records: int, every: int) -> Any:
    def one(layers: Layers, gates: Any, x: Any, y: Any, rate: Any) -> tuple[Layers, jax.Array]:
        def error(now: Layers) -> jax.Array:
            return _output(now, gates, x, soft) - y

        def step(_: Any, now: Layers) -> Layers:
            slope = jax.grad(lambda at: 0.5 * jnp.sum(error(at) ** 2))(now)
            return jax.tree.map(lambda w, g: w - rate * g, now, slope)

        def record(now: Layers, _: None) -> tuple[Layers, jax.Array]:
            return jax.lax.fori_loop(0, every, step, now), error(now)

        ended, errors = jax.lax.scan(record, layers, None, length=records)
        return ended, jnp.concatenate([errors, error(ended)[None]])

    return jax.vmap(one, in_axes=(0, None if gates is None else 0, 0, 0, 0))(layers, gates, x, y, rate)


def _output(layers: Layers, gates: Any, x: Any, soft: Soft | None) -> jax.Array:
    def layer(z: jax.Array, item: tuple[jax.Array, Any]) -> tuple[jax.Array, None]:
        w, gate = item
        q = z @ w
        return q * (_gate(q, soft) if gate is None else gate), None

    z, _ = layer(x, (layers.first, None if gates is None else gates[0]))
    z, _ = jax.lax.scan(layer, z, (layers.middle, None if gates is None else gates[1:]))
    return z @ layers.last


def _gate(q: jax.Array, soft: Soft | None) -> jax.Array:
    return (q > 0).astype(q.dtype) if soft is None else (1 + soft.eps) * jax.nn.sigmoid(soft.beta * q)
