"""What a layered network begins with: weights by a law and a scale for each layer, or given; biases; what decides the gates."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.keys import Keys, as_key
from gatefield.core.text.quoted import quoted
from gatefield.nets.layered.gating import KINDS, Gating
from gatefield.nets.layered.layers import Layer, Sizes

Shapes = Sequence[tuple[int, int]]
Weights = tuple[Float[Array, "... _ _"], ...]
Biases = tuple[Float[Array, "... _"], ...]


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


def depth_free(layers: Sequence[Layer], mu: float) -> list[float]:
    """sqrt(1/(mu w)), w the width of the gated layer that the weights lead to, or that the last ones come from.

    The mean of the tangent kernel over its depth then does not depend on depth, if a share mu of the gates is open.
    """
    widths = [layer.shape[1] for layer in layers[:-1]] or [layers[0].shape[1]]
    return [(mu * width) ** -0.5 for width in (*widths, widths[-1])][: len(layers)]


def he(layers: Sequence[Layer], mu: float) -> list[float]:
    """sqrt(2/fan-in)."""
    return [(2.0 / layer.fans[0]) ** 0.5 for layer in layers]


def glorot(layers: Sequence[Layer], mu: float) -> list[float]:
    """sqrt(2/(fan-in + fan-out))."""
    return [(2.0 / sum(layer.fans)) ** 0.5 for layer in layers]


RULES: Mapping[str, Callable[[Sequence[Layer], float], list[float]]] = {"depth-free": depth_free, "glorot": glorot, "he": he}


def layer_sigmas(sigma: Any, layers: Sequence[Layer], mu: float) -> list[float]:
    """The scale of each layer, by a rule's name, from one number, or from one for each layer."""
    if isinstance(sigma, str):
        return RULES[checks.choice("sigma", sigma, RULES)](layers, mu)
    given = np.asarray(checks.positive("sigma", sigma), float)
    if given.shape not in {(), (len(layers),)}:
        rule = f"a rule's name, one number, or one for each of the {len(layers)} layers"
        raise UserError(f"sigma must be {rule}, but has shape {given.shape}; write sigma='he' or sigma=0.1, say.")
    return np.broadcast_to(given, len(layers)).tolist()


class Start(NamedTuple):
    """How a network begins, as its user says it."""

    init: Any
    gating_init: Any
    sigma: Any
    mu: Any
    bias: bool
    samples: Any
    free_gates: Any


class Parts(NamedTuple):
    """The arrays of a network, and what decides its gates beside itself: weights and biases, or free gates."""

    weights: Weights
    biases: Biases | None
    gating_weights: Weights | None = None
    gating_biases: Biases | None = None
    free_gates: Weights | None = None


def initial_parts(gating: Gating, layers: Sequence[Layer], gated: int, start: Start, gates_from: Any, key: Any) -> Parts:
    """What a network begins with; its first `gated` layers have gates.

    What decides the gates is taken from the network `gates_from`, if there is one.
    """
    share, keys, kind = open_share(start.mu, gating), three_keys(key), KINDS[gating].gates
    if kind != "free" and (start.samples is not None or start.free_gates is not None):
        raise UserError(f"samples and free_gates belong to gating='free', but gating is '{gating}'; leave them out.")
    weights, has_bias = (
        initial_weights("init", start.init, start.sigma, share, layers, keys[0]),
        checks.flag("bias", start.bias),
    )
    own = Parts(weights, zero_biases(weights) if has_bias else None)
    if kind == "free":
        given = start.free_gates if gates_from is None else gates_from.free_gates
        units = [layer.gated for layer in layers[:gated]]
        return own._replace(free_gates=initial_gates(given, start.samples, share, units, keys[2]))
    if kind != "network":
        return own
    if gates_from is not None:
        deciding = initial_weights("gating_init", gates_from.gating_layers, None, share, layers[:gated], None)
        taken = gates_from.gating_offsets
    else:
        law = start.init if start.gating_init is None else start.gating_init
        deciding, taken = initial_weights("gating_init", law, start.sigma, share, layers, keys[1], gated), None
    return own._replace(gating_weights=deciding, gating_biases=taken or (zero_biases(deciding) if has_bias else None))


def open_share(mu: Any, gating: Gating) -> float:
    """The share of open gates."""
    if mu is None:
        return 1.0 if gating == "linear" else 0.5
    return checks.scalar("mu", checks.real("mu", mu, "above 0 and at most 1", lambda m: (m > 0) & (m <= 1)))


def three_keys(key: Keys | None) -> Sequence[Key[Array, "..."] | None]:
    """Keys for weights, gating network and free gates, each with the run axis of the key."""
    if key is None:
        return (None, None, None)
    return [each_key(lambda k, i=i: jax.random.split(k, 3)[i], as_key(key)) for i in range(3)]


def initial_weights(
    name: str,
    init: Any,
    sigma: Any,
    mu: float,
    layers: Sequence[Layer],
    key: Key[Array, "..."] | None,
    count: int | None = None,
) -> Weights:
    """Drawn or given weights; only those of the first `count` layers, if so asked."""
    shapes = [layer.shape for layer in layers]
    if not isinstance(init, str):
        return given_arrays(name, init, shapes[:count])
    if key is None:
        raise UserError(f"Weights by the law '{init}' need a key; give one, such as key=jax.random.key(0).")
    law, scales = checks.choice("init", init, LAWS), layer_sigmas(sigma, layers, mu)
    return _drawn_weights(key, law, tuple(scales), tuple(shapes))[:count]


@functools.partial(jax.jit, static_argnums=(1, 2, 3))
def _drawn_weights(key: Key[Array, "..."], law: str, scales: Sequence[float], shapes: Shapes) -> Weights:
    """Weights of one network for each key."""

    def one(key: PRNGKeyArray) -> Weights:
        return tuple(s * layer for s, layer in zip(scales, _cut(LAWS[law](key, _total(shapes)), shapes), strict=True))

    return each_key(one, key)


def given_arrays(name: str, arrays: Any, shapes: Shapes) -> Weights:
    """Given arrays, if their shapes are right; a last one (width,) stands for (width, 1)."""
    if not isinstance(arrays, Sequence | np.ndarray) or isinstance(arrays, str):
        raise UserError(f"{name} must be a list of {len(shapes)} arrays, one for each layer, but is {quoted(arrays)}.")
    # rows are what enters, such as sites
    found = [jnp.asarray(checks.finite(name, checks.nameless(array)), float) for array in arrays]
    if len(found) == len(shapes) and found[-1].shape == shapes[-1][:1] and shapes[-1][1] == 1:
        found[-1] = found[-1][:, None]
    if [a.shape[-2:] for a in found] != list(shapes) or any(a.ndim > 3 or not a.size for a in found):
        wanted, has = list(shapes), [a.shape for a in found]
        raise UserError(f"{name} must be arrays of shapes {wanted}, each with a run axis in front or none, but has {has}.")
    return tuple(found)


def zero_biases(weights: Weights) -> Biases:
    """A bias of zero for each unit."""
    return tuple(jnp.zeros((*layer.shape[:-2], layer.shape[-1])) for layer in weights)


def initial_gates(gates: Any, samples: Any, mu: float, units: Sequence[Sizes], key: Key[Array, "..."] | None) -> Weights:
    """Given or drawn free gates, (samples, units) for each layer."""
    widths = tuple(map(math.prod, units))
    if gates is not None:
        gates = _flat(gates, units)
        shape = np.shape(gates[0]) if isinstance(gates, Sequence) and len(gates) else ()
        rows = shape[-2] if len(shape) > 1 else 0
        return given_arrays("free_gates", gates, [(rows, width) for width in widths])
    if samples is None or key is None:
        raise UserError("Gating 'free' needs the number of training samples and a key, or free_gates; give samples=200, say.")
    return _drawn_gates(mu, checks.count("samples", samples), widths, key)


@functools.partial(jax.jit, static_argnums=(1, 2))
def _drawn_gates(mu: ScalarLike, samples: int, widths: tuple[int, ...], key: Key[Array, "..."]) -> Weights:
    """One gate for each sample and unit, open with probability mu, drawn anew for each key."""
    shapes = [(samples, width) for width in widths]
    return each_key(lambda k: _cut(jax.random.bernoulli(k, mu, (_total(shapes),)).astype(float), shapes), key)


def _flat(gates: Any, units: Sequence[Sizes]) -> Any:
    """Gates (samples, *positions, channels) as (samples, units); a run axis in front stays. Others are left as they are."""
    if not isinstance(gates, Sequence) or len(gates) != len(units):
        return gates
    fits = [np.shape(g)[-len(u) :] == u for g, u in zip(gates, units, strict=True)]
    return [np.reshape(g, (*np.shape(g)[: -len(u)], -1)) if fit else g for g, u, fit in zip(gates, units, fits, strict=True)]


def _total(shapes: Shapes) -> int:
    return sum(math.prod(shape) for shape in shapes)


def _cut(numbers: Float[Array, " total"], shapes: Shapes) -> Weights:
    """Arrays of these shapes out of one row of numbers, which compiles faster than draws of their own."""
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    return tuple(numbers[end - math.prod(shape) : end].reshape(shape) for end, shape in zip(ends, shapes, strict=True))


def each_key(make: Callable[[PRNGKeyArray], Any], key: Key[Array, "..."]) -> Any:
    """`make` for one key, or for each of an array of keys."""
    return jax.vmap(make)(key) if key.ndim else make(key)
