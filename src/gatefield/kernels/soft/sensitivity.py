"""How gates and paths answer to the weights of a soft gating network."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from gatefield.core.arrays import Exact, ScalarLike
from gatefield.core.checks import given
from gatefield.kernels.arrays import Arrays, Kernel, Samples, arrays, float_arrays, full_precision, numbers
from gatefield.kernels.soft.passes import Pass, answers, check_gating, check_masks, check_soft, gating_pass


class GateSensitivity(NamedTuple):
    """The steepest derivative of each gate and of its sum, one array (samples, width) for each gated layer."""

    gates: list[Float[Exact, "samples _"]]
    """Largest |dG/dtheta| over the weights of the gating network."""
    sums: list[Float[Exact, "samples _"]]
    """Largest |dq/dtheta|; their maximum is the bound B of `measures.sensitivity_threshold`."""


@given(gating_weights=arrays, x=numbers)
@full_precision
def gate_sensitivity(gating_weights: Arrays, x: Samples, beta: ScalarLike = 4.0, eps: ScalarLike = 0.1) -> GateSensitivity:
    r"""The largest derivative of each soft gate with respect to any one weight of the gating network.

    $$\max_m\left|\frac{\partial G_{li}}{\partial\theta_m}\right|
    = G'_{li}\,\max_m\left|\frac{\partial q_{li}}{\partial\theta_m}\right|$$

    **Arguments**

    - `gating_weights`: the layers (fan-in, width) that make gates; a last layer with one output is left out.
    - `x`: inputs (samples, fan-in).
    - `beta`, `eps`: the soft gate: its steepness, finite, and how far it reaches above 1.

    **Returns** the derivatives of the gates and of their sums.

    >>> import numpy as np
    >>> found = gate_sensitivity([np.array([[0.5, 0.1]])], [[2.0]], beta=4.0, eps=0.1)
    >>> found.gates[0].round(4), found.sums[0]
    (array([[0.1554, 1.8824]]), array([[2., 2.]]))

    **Source:** paper 004, section 3.1 (sensitive gates).
    """
    beta, eps = check_soft(beta, eps)
    layers, (x,) = float_arrays(list(gating_weights), [x], exact=True)
    layers = check_gating(layers, x)
    one = gating_pass(layers, x, beta, eps)
    sums = [_steepest(layers, one, top) for top in range(len(layers))]
    return GateSensitivity([slope * steep for slope, steep in zip(one.slopes, sums, strict=True)], sums)


@given(gating_weights=arrays, x=numbers, kept=arrays, moving=arrays)
@full_precision
def gate_path_sensitivity(
    gating_weights: Arrays,
    x: Samples,
    beta: ScalarLike = 4.0,
    eps: ScalarLike = 0.1,
    *,
    kept: Arrays | None = None,
    moving: Arrays | None = None,
) -> Kernel:
    r"""How alike the open paths of two samples answer to the gating network.

    $$\delta(s,s')=\sum_{p\rightsquigarrow i}\sum_m\frac{\partial A(s,p)}{\partial\theta^g_m}
    \frac{\partial A(s',p)}{\partial\theta^g_m}$$

    where A(s, p) is the product of the gates along path p; it does not depend on the input node i. With independent weights of
    deviation sigma in the other network, $E[K^a]=\sigma^{2d}(x^\top x)\circ\delta$. No path is listed: the sum over pairs
    of layers needs the derivatives of sums by sums, so that the cost is samples^2 width^2 d^2 and the memory samples^2 width d.

    **Arguments**

    - `gating_weights`, `x`, `beta`, `eps`: as for `gate_sensitivity`.
    - `kept`: an array (samples, width) of 0 and 1, or of truth values, for each layer: only paths all of whose gates are kept
      are counted. All are by default.
    - `moving`: the same for gates whose derivatives are taken; all others stand still, so that of the terms of the product rule
      only those of gates that move are left.

    **Returns** delta; float64 NumPy unless traced.

    >>> import numpy as np
    >>> gate_path_sensitivity([np.array([[0.5, 0.1]])], [[2.0]], beta=4.0, eps=0.1).round(4)
    array([[3.5676]])

    **Source:** paper 004, definition 3.1.
    """
    beta, eps = check_soft(beta, eps)
    layers, (x,) = float_arrays(list(gating_weights), [x], exact=True)
    layers = check_gating(layers, x)
    one = gating_pass(layers, x, beta, eps)
    along = one if kept is None else _through(one, kept)
    along = along if moving is None else along._replace(slopes=_masked("moving", along.slopes, moving))
    return sum(_from_level(layers, one, along, level) for level in range(len(layers)))  # pyright: ignore[reportReturnType]


def _steepest(layers: list[Any], one: Pass, top: int) -> Any:
    """Largest |dq/dtheta| of the sums of layer `top`, over the weights of all layers below and its own."""
    steep: Any = 0.0
    for k, back in answers(layers, one, top):
        xp = jnp if isinstance(back, jax.Array) else np
        entering = xp.abs(one.entering[k]).max(1)
        steep = xp.maximum(steep, xp.abs(back).max(2) * entering[:, None])
    return steep


def _through(one: Pass, kept: Any) -> Pass:
    """The same with gates and slopes that are 0 where a gate is not kept."""
    return one._replace(gates=_masked("kept", one.gates, kept), slopes=_masked("kept", one.slopes, kept))


def _masked(name: str, values: list[Any], masks: Any) -> list[Any]:
    check_masks(name, masks, values)
    (masks,) = float_arrays(list(masks), exact=True)
    return [value * mask for value, mask in zip(values, masks, strict=True)]


def _from_level(layers: list[Any], one: Pass, along: Pass, level: int) -> Any:
    """The part of delta that comes from the weights of one layer of the gating network; `along`: the paths that count."""
    overlaps = [gate @ gate.T for gate in along.gates]
    tops = range(level, len(layers))
    steep = {top: along.slopes[top][:, :, None] * dict(answers(layers, one, top))[level] for top in tops}
    turned = {top: _turned(along.gates[top], steep[top]) for top in tops}
    total: Any = 0.0
    for top in tops:
        flat = steep[top].reshape(len(steep[top]), -1)
        total = total + (flat @ flat.T) * _product(overlaps, {top})
        for other in tops:
            if other != top:
                pair = (turned[top] * turned[other].swapaxes(0, 1)).sum(2)
                total = total + pair * _product(overlaps, {top, other})
    return (one.entering[level] @ one.entering[level].T) * total


def _turned(gate: Any, steep: Any) -> Any:
    """Sum over i of G_i(s') dG_i(s)/dq, as an array (s, s', unit below)."""
    return gate[None] @ steep


def _product(overlaps: list[Any], without: set[int]) -> Any:
    product: Any = 1.0
    for layer, overlap in enumerate(overlaps):
        product = product if layer in without else product * overlap
    return product
