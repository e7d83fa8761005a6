"""Exact variance of the tangent kernel over random weights, without subtracting moments.

The recursion of second moments is rewritten for what exceeds the squared means. All its terms are sums of squares or products
of nonnegative numbers, so that nothing cancels, however small the relative variance is.
"""

from typing import Any, NamedTuple

import numpy as np

from gatefield.core import checks
from gatefield.core.arrays import Numbers, ScalarLike
from gatefield.core.checks import given
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
from gatefield.kernels.paths import input_gram, layer_deviations

MOST_LAYERS = 10**5
"""Depth of networks with random gates: a second."""


def _kurtosis(name: str, value: Any) -> None:
    checks.number(name, value)
    checks.real(name, value, "one or more and finite", lambda k: (k >= 1) & np.isfinite(k))


class Layer(NamedTuple):
    """Overlaps of the gates g, g' of one layer, averaged over the gates if these are random."""

    mean: Any
    """Sum of g g'."""
    excess: Any
    """Variance of that sum; 0 for given gates."""
    same: Any
    """Sum of (g g')^2: N11 for 0/1 gates."""
    apart: Any
    """Sum over i != k of g_i g'_i g_k g'_k: N11(N11 - 1)."""
    crossed: Any
    """Sum over i != k of g_i^2 g'_k^2: N1 N2 - N11."""


class Vector(NamedTuple):
    """Moments of two vectors u, u' that the same random weights make."""

    square: Any
    """(E<u,u'>)^2."""
    excess: Any
    """Var<u,u'>."""
    same: Any
    """E sum u_i^2 u'_i^2."""
    apart: Any
    """E sum over i != k of u_i u'_i u_k u'_k."""
    crossed: Any
    """E sum over i != k of u_i^2 u'_k^2."""


class Between(NamedTuple):
    """Weighted sums, over the lower layer of a pair, of moments of the matrices between the two layers."""

    square: Any
    excess: Any
    same: Any
    apart: Any
    crossed: Any


@given(gates=arrays, x=numbers, sigma=numbers, kurtosis=checks.number)
@full_precision
def ntk_variance(gates: Arrays, x: Samples, sigma: Numbers, kurtosis: Numbers = 1.0) -> Kernel:
    r"""Variance of each entry of the tangent kernel over independent, symmetric weights, for given gates.

    $$\mathrm{Var}\,K = \sum_l \mathrm{Var}\,K_l + 2\sum_{l<m}\mathrm{Cov}(K_l,K_m),\qquad
    K_l=\langle z_{l-1},z_{l-1}'\rangle\langle b_l,b_l'\rangle$$

    by an exact recursion over the layers. It needs $\tau=\sum_i g_ig_i'$, $\sum_i (g_ig_i')^2$ and $|g|^2|g'|^2$ of each layer,
    so that soft gates, several inputs and any widths are allowed. For a deep linear network with $\sigma^2=1/w$, one
    input x = 1 and weights of +-sigma it is $2(d-1)(d-2)(2d-3)/(3w)+O(1/w^2)$.

    **Arguments**

    - `gates`: an array (samples, width) for each gated layer, not dependent on the weights.
    - `x`: inputs (samples, fan-in).
    - `sigma`: standard deviation of the weights, or one for each of the d layers.
    - `kurtosis`: E[theta^4]/sigma^4, which is 1 for +-sigma and 3 for Gaussian weights.

    **Returns** Var K (samples, samples); float64 NumPy unless traced. Nothing cancels: the relative error is about 1e-14 at
    any width.

    >>> import numpy as np
    >>> gates = [np.ones((1, 100))] * 3
    >>> ntk_variance(gates, [[1.0]], 0.1).round(6)
    array([[0.198396]])

    **Source:** paper 004, theorem 2.3, whose bound max(d^2/w, d^3/w^2) is too small for the diagonal entries.
    """
    layers = check_gates(gates)
    deviations = layer_deviations(sigma, len(layers) + 1)
    _kurtosis("kurtosis", kurtosis)
    return _variance(_start(x, gates), [_given(gate) for gate in layers], deviations, kurtosis)


class EntryMoments(NamedTuple):
    """Moments of the entries of a tangent kernel over weights and gates."""

    self_mean: float
    self_variance: float
    cross_mean: float
    cross_variance: float


@given(mu=checks.number, sigma=checks.number, kurtosis=_kurtosis)
def random_gate_moments(depth: int, width: int, mu: ScalarLike, sigma: ScalarLike, kurtosis: ScalarLike = 1.0) -> EntryMoments:
    r"""Mean and variance of the tangent kernel over weights and fixed random gates, one for each sample, all inputs being 1.

    The means are $d(\sigma^2\mu w)^{d-1}$ on the diagonal and $d(\sigma^2\mu^2 w)^{d-1}$ off it; the variances come from the
    recursion of `ntk_variance` with gate overlaps averaged over Bernoulli(mu) gates. For other inputs of one dimension,
    multiply means by x x' and variances by its square.

    **Arguments**

    - `depth`: d weight layers.
    - `width`: w units per layer.
    - `mu`: probability that a gate is open.
    - `sigma`: standard deviation of the weights.
    - `kurtosis`: 1 for +-sigma, 3 for Gaussian weights.

    **Returns** the four moments: mean and variance on the diagonal (`self`) and off it (`cross`).

    >>> moments = random_gate_moments(8, 500, 0.5, (2 / 500) ** 0.5)
    >>> round(moments.self_mean / 8, 6), round(moments.cross_variance**0.5 / 8, 6)
    (1.0, 0.0138)

    **Source:** paper 004, theorem 2.3 and lemma 2.4; the variances are not printed.
    """
    depth, width = checks.count("depth", depth, least=2, most=MOST_LAYERS), checks.count("width", width, most=2**53)
    mu = float(checks.real("mu", mu, "above 0 and at most 1", lambda m: (m > 0) & (m <= 1)))
    deviations, one = layer_deviations(checks.scalar("sigma", sigma), depth), Vector(1.0, 0.0, 1.0, 0.0, 0.0)
    found = []
    for open_both, crossed in ((mu, mu**2), (mu**2, mu**2)):
        pairs = width * (width - 1)
        layer = Layer(
            width * open_both, width * open_both * (1 - open_both), width * open_both, pairs * open_both**2, pairs * crossed
        )
        found += [
            depth * float(deviations[0] ** 2 * width * open_both) ** (depth - 1),
            float(_variance(one, [layer] * (depth - 1), deviations, kurtosis)),
        ]
    return EntryMoments(*found)


def _given(gate: Any) -> Layer:
    overlap, squares = gate @ gate.T, (gate**2) @ (gate**2).T
    lengths = (gate**2).sum(1)
    return Layer(overlap, 0.0, squares, overlap**2 - squares, lengths[:, None] * lengths - squares)


def _start(x: Any, gates: Arrays) -> Vector:
    gram = input_gram(x, gates)
    ((x,),) = float_arrays([x], exact=True)
    squares, lengths = (x**2) @ (x**2).T, (x**2).sum(1)
    if x.shape[1] == 1:
        return Vector(squares, 0.0, squares, 0.0, 0.0)
    return Vector(gram**2, 0.0, squares, gram**2 - squares, lengths[:, None] * lengths - squares)


def _through(v: Vector, layer: Layer, deviation: Any, kurtosis: Any) -> Vector:
    """The vector after independent weights and a layer of gates."""
    scale = deviation**4
    whole = v.crossed + 2 * v.apart + kurtosis * v.same
    beyond = v.crossed + v.apart + (kurtosis - 1) * v.same
    return Vector(
        scale * layer.mean**2 * v.square,
        scale * ((layer.apart + layer.same) * v.excess + layer.excess * v.square + layer.same * beyond),
        scale * layer.same * whole,
        scale * layer.apart * (v.square + v.excess),
        scale * layer.crossed * (v.same + v.crossed),
    )


def _further(b: Between, layer: Layer, deviation: Any, kurtosis: Any) -> Between:
    """The matrices, longer by independent weights and a layer of gates."""
    scale = deviation**4
    beyond = b.crossed + b.apart + (kurtosis - 1) * b.same
    return Between(
        scale * layer.mean**2 * b.square,
        scale * ((layer.apart + layer.same) * b.excess + layer.excess * b.square + layer.same * beyond),
        scale * layer.same * (b.square + b.excess + beyond),
        scale * layer.apart * (b.apart + b.same),
        scale * layer.crossed * (b.crossed + b.same),
    )


def _begin(b: Between, v: Vector, layer: Layer, deviation: Any) -> Between:
    """Adds the matrices that begin at this layer, below which lies v."""
    weight = deviation**2
    return b._replace(
        square=b.square + weight * v.square * layer.mean**2,
        excess=b.excess + weight * (v.excess * (layer.apart + layer.same) + v.square * layer.excess),
        same=b.same + weight * (v.square + v.excess) * layer.same,
    )


def _variance(start: Vector, layers: list[Layer], deviations: list[Any], kurtosis: Any) -> Any:
    above = [Vector(1.0, 0.0, 1.0, 0.0, 0.0)]
    for layer, deviation in zip(layers[::-1], deviations[:0:-1], strict=True):
        above.append(_through(above[-1], layer, deviation, kurtosis))
    above.reverse()  # above[l] is b_{l+1}
    below, between = start, Between(0.0, 0.0, 0.0, 0.0, 0.0)
    total: Any = 0.0
    for level, layer in enumerate(layers):
        total = total + _single(below, above[level])
        between = _begin(_further(between, layer, deviations[level], kurtosis), below, layer, deviations[level])
        below = _through(below, layer, deviations[level], kurtosis)
        b = above[level + 1]
        total = total + 2 * deviations[level + 1] ** 2 * (
            b.square * between.excess + b.excess * (between.square + between.excess)
        )
    total = total + _single(below, above[-1])
    return total if is_traced(total) else np.maximum(total, 0.0)


def _single(a: Vector, b: Vector) -> Any:
    """Variance of the product of two independent overlaps."""
    return a.excess * b.square + a.square * b.excess + a.excess * b.excess
