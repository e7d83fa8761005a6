"""Paths that two samples keep open together, counted without listing them, and the expected tangent kernel."""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from gatefield.core import checks
from gatefield.core.arrays import Numbers
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.kernels.arrays import (
    Arrays,
    Kernel,
    Samples,
    arrays,
    check_gates,
    float_arrays,
    full_precision,
    is_traced,
    numbers,
)


@given(gates=arrays)
@full_precision
def path_overlap(gates: Arrays) -> Kernel:
    r"""Weight of the paths from one input node that are open for both samples.

    $$\lambda(s,s') = \prod_l\langle G_l(s),G_l(s')\rangle$$

    over the gated layers l, with the gates $G_l(s)$ of sample s. For 0/1 gates this is the number of such paths.

    **Arguments**

    - `gates`: an array (samples, width) for each gated layer; 0/1 or soft.

    **Returns** lambda; float64 NumPy unless traced.

    >>> path_overlap([[[1, 1], [1, 0]], [[1, 1], [1, 1]]])
    array([[4., 2.],
           [2., 2.]])

    **Source:** paper 004, section 1 (similarity metric).
    """
    overlap: Any = 1.0
    for gate in check_gates(gates):
        overlap = overlap * (gate @ gate.T)
    return overlap


@given(gates=arrays, x=numbers)
@full_precision
def path_kernel(gates: Arrays, x: Samples) -> Kernel:
    r"""Gram matrix of the path features.

    $$M = (x^\top x)\circ\lambda$$

    with the overlap $\lambda$ of `path_overlap`.

    **Arguments**

    - `gates`: an array (samples, width) for each gated layer.
    - `x`: inputs (samples, fan-in).

    **Returns** M; float64 NumPy unless traced.

    >>> path_kernel([[[1, 1], [1, 0]]], [[1.0], [3.0]])
    array([[2., 3.],
           [3., 9.]])

    **Source:** paper 004, section 1 (similarity metric).
    """
    overlap = path_overlap(gates)
    return input_gram(x, gates) * overlap


@given(gates=arrays, x=numbers, sigma=numbers)
@full_precision
def expected_ntk(gates: Arrays, x: Samples, sigma: Numbers) -> Kernel:
    r"""Mean tangent kernel over independent weights of mean zero, for given gates.

    $$E[K] = d\,\sigma^{2(d-1)}\,(x^\top x)\circ\lambda$$

    for d layers and the overlap $\lambda$ of `path_overlap`. Any law of the weights with standard deviation sigma will do. With
    a sigma for each layer, $d\,\sigma^{2(d-1)}$ becomes $\sum_l\prod_{m\ne l}\sigma_m^2$.

    **Arguments**

    - `gates`, `x`: as for `path_kernel`; the gates must not depend on the weights.
    - `sigma`: one standard deviation, or one for each of the d layers.

    **Returns** E[K]; float64 NumPy unless traced.

    >>> expected_ntk([[[1, 1], [1, 0]]], [[1.0], [3.0]], 0.5)
    array([[1. , 1.5],
           [1.5, 4.5]])

    **Source:** paper 004, theorem 2.3.
    """
    layers = check_gates(gates)
    deviations = layer_deviations(sigma, len(layers) + 1)
    xp = jnp if is_traced(layers, deviations) else np
    logs = [2 * xp.log(s) for s in deviations]
    terms = xp.stack([sum(logs) - one for one in logs])
    share = xp.exp((terms.max() + xp.log(xp.sum(xp.exp(terms - terms.max())))) / len(layers))
    mean = input_gram(x, gates)
    for gate in layers:  # the scale goes layer by layer, so that nothing overflows in deep and wide networks
        mean = mean * (share * (gate @ gate.T))
    return mean


def layer_deviations(sigma: Any, depth: int) -> list[Any]:
    """One standard deviation for each layer."""
    sigma = checks.positive("sigma", sigma)
    if np.ndim(sigma) > 1 or (np.ndim(sigma) == 1 and len(sigma) != depth):
        raise UserError(
            f"sigma must be one number or one for each of the {depth} layers, but has shape {np.shape(sigma)}; write sigma=0.1."
        )
    return [sigma[layer] if np.ndim(sigma) else sigma for layer in range(depth)]


def input_gram(x: Any, gates: Arrays) -> Any:
    """Products of the inputs; as many samples as the gates have."""
    x, first = float_arrays([x, gates[0]], exact=True)[0]
    if x.ndim != 2 or len(x) != len(first):
        raise UserError(
            f"x must have the shape ({len(first)}, inputs), as many samples as gates, not {x.shape}; put the samples first."
        )
    return x @ x.T


def paths_through_weight(layer: int, widths: Sequence[int], inputs: int) -> int:
    r"""How many paths use one given weight of a layer.

    $$\prod_{m<l}w_{m-1}\,\prod_{m>l}w_m$$

    for layer l, with $w_0$ inputs, hidden widths $w_1$ to $w_{d-1}$ and one output.

    **Arguments**

    - `layer`: l, counted from 1.
    - `widths`: those of the hidden layers.
    - `inputs`: number of inputs.

    **Returns** the number of paths.

    >>> paths_through_weight(1, [3, 3, 3], 2), paths_through_weight(2, [3, 3, 3], 2), paths_through_weight(4, [3, 3, 3], 2)
    (9, 6, 18)

    **Source:** paper 004, facts 2 and 3 of the proof of theorem 2.3, corrected for more than one input.
    """
    checks.vector("widths", widths)
    nodes = [checks.count("inputs", inputs), *(checks.count("each of the widths", width) for width in widths), 1]
    checks.count("layer", layer, most=len(nodes) - 1)
    return math.prod(nodes[: layer - 1]) * math.prod(nodes[layer + 1 :])
