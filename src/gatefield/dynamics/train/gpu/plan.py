"""Whether a training can go through the fused kernel, and what the kernel needs to know of it."""

from typing import Any, Literal, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.runs import leaf
from gatefield.data import AbstractTask, Source, Task
from gatefield.data.numerics import gain_deviation, symmetric_root
from gatefield.dynamics.train.gpu.kernel import Step, Tiling, gradient
from gatefield.dynamics.train.losses import Loss, half_mse
from gatefield.nets import Committee, Network

Precision = Literal["float32", "tf32", "tf32x2"]
PARTS = {"tf32": 1, "tf32x2": 2}
MOST_SITES, MOST_UNITS = 64, 64
"""What fits into the registers and the shared memory of a multiprocessor."""
LEAST_GAIN, LARGEST_SLOPE = 0.005, 1e9
"""Below, the law differs from that of gain 0 by less than 1e-5; above, from signs in fewer than one sample of 1e9."""
PROGRAMS = 4096
"""About how many programs keep a large GPU busy to the end: ten times as many as it holds at once."""


class Prepared(eqx.Module):
    """The two classes of a task as the kernel reads them, positive first."""

    roots: Float[Array, "*runs parts classes sites sites"] = leaf(4)
    """Roots of the latent covariance times the gain, padded with zeros, in parts of TF32 whose sum they are."""
    numbers: Float[Array, "*runs classes 2"] = leaf(2)
    """The factor that makes the variance 1, and the label."""


def check_precision(precision: Any) -> Precision:
    """One of the names."""
    return checks.choice("precision", precision, get_args(Precision))


def plan(precision: Precision, net: Network, task: AbstractTask, loss: Loss, size: int | None, runs: int) -> Step | None:
    """The step that the kernel makes, None for float32, or an error in one sentence where it cannot."""
    if precision == "float32":
        return None
    wrong = _unfit_machine() or _unfit_network(net) or _unfit_task(task, size)
    if wrong is None and loss is not half_mse:
        wrong = "the loss 'mse' only"
    if wrong is not None or not isinstance(net, Committee) or not isinstance(task, Task) or size is None:
        raise UserError(f"precision={precision!r} is for {wrong}; leave precision out, which trains in float32.")
    units, n = net.fields.shape[-2:]
    positive = round(size * task.proportion)
    activation = "erf" if net.activation == "erf" else "relu"
    step = Step(n, units, activation, (positive, size - positive), PARTS[precision], Tiling(tiles=1), _interprets())
    tiles = max(1, min(2 * runs * step.programs // PROGRAMS, step.programs))
    return step._replace(tiling=Tiling(tiles=tiles))


def prepare(step: Step, task: Any) -> Prepared:
    """What the kernel reads of both classes, made in float64."""
    (roots1, factors1), (roots0, factors0) = (_field(source) for source in (task.positive, task.negative))
    roots = _stack(roots1, roots0, 2)
    padding = step.padded[1] - step.n
    roots = np.pad(roots, [(0, 0)] * (roots.ndim - 2) + [(0, padding)] * 2)
    positive, negative = (np.asarray(label) for label in task.labels)
    numbers = _stack(_stack(factors1, positive, 0), _stack(factors0, negative, 0), 1)
    return Prepared(jnp.asarray(_parts(roots, step.parts)), jnp.asarray(numbers, jnp.float32))


def gradient_by_kernel(step: Step, prepared: Prepared, key: PRNGKeyArray) -> Any:
    """A function from step and network to the gradient, for one run; of the network, only the weights are trained."""
    words = jax.lax.bitcast_convert_type(jax.random.bits(key, (2,), jnp.uint32), jnp.int32)

    def of(at: Array, trained: Any) -> Any:
        found = gradient(step, words, jnp.asarray(at, jnp.int32), prepared.roots, prepared.numbers, trained.weights)
        return eqx.tree_at(lambda net: net.weights, trained, found.astype(trained.weights.dtype))

    return of


def _interprets() -> bool:
    """Whether the kernel is interpreted, which is for tests alone: it takes a thousand times as long."""
    return False


def _unfit_machine() -> str | None:
    if _interprets():
        return None
    device = jax.devices()[0]
    if device.platform != "gpu" or "nvidia" not in device.device_kind.lower():
        return f"NVIDIA GPUs, but this is {device.device_kind}"
    if float(getattr(device, "compute_capability", "0")) < 8:
        return "NVIDIA GPUs from Ampere on, whose tensor cores know TF32"
    try:
        from jax.experimental.pallas import triton  # noqa: F401
    except ImportError:
        return f"versions of JAX with Pallas on Triton, but this is {jax.__version__}"
    return None


def _unfit_network(net: Network) -> str | None:
    if not isinstance(net, Committee):
        return f"a Committee, but the network is {type(net).__name__}"
    others = [name for name in ("bias", "output_bias", "readout", "linear") if getattr(net, name) is not None]
    if others:
        return f"a Committee of weights and a fixed mean, but this one has {others[0]}"
    if net.activation not in ("relu", "erf"):
        return "the activations 'relu' and 'erf'"
    if net.fields.shape[-2] > MOST_UNITS or net.inputs > MOST_SITES:
        return f"up to {MOST_UNITS} units on {MOST_SITES} sites, but there are {net.fields.shape[-2]} on {net.inputs}"
    return None


def _unfit_task(task: AbstractTask, size: int | None) -> str | None:
    if not isinstance(task, Task) or size is None:
        return f"a Task of two sources, but the task is {type(task).__name__}"
    if not task.stratified or abs(size * task.proportion - round(size * task.proportion)) > 1e-9 * size:
        return "stratified batches with a whole number of samples of each class"
    if task.antithetic:
        return "independent samples, not antithetic pairs"
    for source in (task.positive, task.negative):
        if source.squashed is None and not (source.gaussian and not np.any(source.mean())):
            return f"squashed Gaussian fields, such as NonlinearGP, Gaussian and Hypercube, but not {type(source).__name__}"
    return None


def _field(source: Source) -> tuple[np.ndarray, np.ndarray]:
    """Root of the latent covariance times the gain, and the factor that makes the variance 1; with a run axis if they vary."""
    found = source.squashed
    covariance = source.covariance() if found is None else np.asarray(found.correlation, float)
    gain = np.maximum(0.0 if found is None else np.asarray(found.gain, float), LEAST_GAIN)
    slope = np.minimum(gain, LARGEST_SLOPE)
    return np.asarray(symmetric_root(covariance)) * slope[..., None, None], np.asarray(1 / gain_deviation(gain))


def _stack(first: np.ndarray, second: np.ndarray, ndim: int) -> np.ndarray:
    """Side by side along a new axis in front of the last `ndim`, with a run axis if one of them has it."""
    shape = np.broadcast_shapes(first.shape, second.shape)
    return np.stack([np.broadcast_to(a, shape) for a in (first, second)], axis=len(shape) - ndim)


def _parts(matrix: np.ndarray, parts: int) -> np.ndarray:
    """Numbers of TF32 whose sum is the matrix, as nearly as so many can; a new axis in front of the classes."""
    found, rest = [], matrix
    for _ in range(parts):
        bits = np.asarray(rest, np.float32).view(np.int32)
        found.append(((bits + 0x1000) & ~0x1FFF).view(np.float32))
        rest = rest - found[-1]
    return np.stack(found, axis=-4)
