"""Initial weights of deep gated networks: a law, a scale for each layer, or the arrays themselves."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError

Shapes = Sequence[tuple[int, int]]
Layers = tuple[Float[Array, "*runs fan_in width"], ...]


def signs(key: PRNGKeyArray, count: int) -> Float[Array, " count"]:
    """+1 or -1 with equal chances."""
    return jax.random.rademacher(key, (count,), float)


def normal(key: PRNGKeyArray, count: int) -> Float[Array, " count"]:
    """Standard normal."""
    return jax.random.normal(key, (count,))


def uniform(key: PRNGKeyArray, count: int) -> Float[Array, " count"]:
    """Uniform with mean 0 and variance 1."""
    edge = math.sqrt(3)
    return jax.random.uniform(key, (count,), minval=-edge, maxval=edge)


LAWS: Mapping[str, Callable[[PRNGKeyArray, int], Array]] = {"bernoulli": signs, "gaussian": normal, "uniform": uniform}


def depth_free(shapes: Shapes, mu: float) -> list[float]:
    """sqrt(1/(mu w)), w the width of the gated layer that the weights lead to, or that the last ones come from.

    The mean of the tangent kernel over its depth then does not depend on depth, if a share mu of the gates is open.
    """
    widths = [width for _, width in shapes[:-1]]
    return [(mu * width) ** -0.5 for width in (*widths, widths[-1])]


def he(shapes: Shapes, mu: float) -> list[float]:
    """sqrt(2/fan-in)."""
    return [(2.0 / fan_in) ** 0.5 for fan_in, _ in shapes]


def glorot(shapes: Shapes, mu: float) -> list[float]:
    """sqrt(2/(fan-in + fan-out))."""
    return [(2.0 / sum(shape)) ** 0.5 for shape in shapes]


RULES: Mapping[str, Callable[[Shapes, float], list[float]]] = {"depth-free": depth_free, "glorot": glorot, "he": he}


def layer_sigmas(sigma: Any, shapes: Shapes, mu: float) -> list[float]:
    """The scale of each layer, by a rule's name, from one number, or from one for each layer."""
    if isinstance(sigma, str):
        return RULES[checks.choice("sigma", sigma, RULES)](shapes, mu)
    given = np.asarray(checks.positive("sigma", sigma), float)
    if given.shape not in {(), (len(shapes),)}:
        rule = f"a rule's name, one number, or one for each of the {len(shapes)} layers"
        raise UserError(f"sigma must be {rule}, but has shape {given.shape}; give such a value.")
    return np.broadcast_to(given, len(shapes)).tolist()


def drawn_layers(law: str, sigma: Any, mu: float, shapes: Shapes, key: PRNGKeyArray) -> Layers:
    """Weights of one network for each key."""
    law, scales = checks.choice("init", law, LAWS), layer_sigmas(sigma, shapes, mu)
    return _drawn_layers(key, law, tuple(scales), tuple(shapes))


@functools.partial(jax.jit, static_argnums=(1, 2, 3))
def _drawn_layers(key: PRNGKeyArray, law: str, scales: Sequence[float], shapes: Shapes) -> Layers:
    def one(key: PRNGKeyArray) -> Layers:
        return tuple(s * layer for s, layer in zip(scales, _cut(LAWS[law](key, _total(shapes)), shapes), strict=True))

    return each_key(one, key)


def given_layers(name: str, layers: Any, shapes: Shapes) -> Layers:
    """Given weights, if their shapes are right; a last layer (width,) stands for (width, 1)."""
    arrays = [jnp.asarray(checks.finite(name, layer), float) for layer in layers]
    if len(arrays) == len(shapes) and arrays[-1].shape == shapes[-1][:1] and shapes[-1][1] == 1:
        arrays[-1] = arrays[-1][:, None]
    if [a.shape[-2:] for a in arrays] != list(shapes) or any(a.ndim > 3 for a in arrays):
        wanted, found = list(shapes), [a.shape for a in arrays]
        raise UserError(f"{name} must be arrays of shapes {wanted}, each with a run axis in front or none, but has {found}.")
    return tuple(arrays)


@functools.partial(jax.jit, static_argnums=(1, 2))
def drawn_gates(mu: float, samples: int, widths: tuple[int, ...], key: PRNGKeyArray) -> Layers:
    """One gate for each sample and unit, open with probability mu, drawn anew for each key."""

    shapes = [(samples, width) for width in widths]
    return each_key(lambda k: _cut(jax.random.bernoulli(k, mu, (_total(shapes),)).astype(float), shapes), key)


def _total(shapes: Shapes) -> int:
    return sum(math.prod(shape) for shape in shapes)


def _cut(numbers: Float[Array, " total"], shapes: Shapes) -> Layers:
    """Arrays of these shapes out of one row of numbers, which compiles faster than draws of their own."""
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    return tuple(numbers[end - math.prod(shape) : end].reshape(shape) for end, shape in zip(ends, shapes, strict=True))


def each_key(make: Callable[[PRNGKeyArray], Any], key: PRNGKeyArray) -> Any:
    """`make` for one key, or for each of an array of keys."""
    return jax.vmap(make)(key) if key.ndim else make(key)
