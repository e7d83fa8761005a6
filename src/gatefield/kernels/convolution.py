"""Second moments and expected tangent kernels of circular convolutions behind gates, with and without pooling.

Two positions i and i + r of two samples keep their distance r under a convolution, so that each rotation r has a recursion of
its own over the layers, and no path is listed.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from gatefield.core import checks
from gatefield.core.arrays import Exact, Numbers
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.kernels.arrays import Arrays, Kernel, arrays, full_precision, is_traced, numbers
from gatefield.kernels.bundles import ring_kernel
from gatefield.kernels.paths import layer_deviations

BLOCK = 2**17
"""Numbers in one block of pairs of samples: small enough for a cache."""


_known = given(gates=arrays, x=numbers, sigma=numbers, pool=checks.flag)


class Stack(NamedTuple):
    """A network: arrays (positions, samples, channels) of the inputs and of each layer's gates, sigma^2, and kernel size."""

    layers: list[Any]
    variances: list[Any]
    kernel_size: int

    @property
    def positions(self) -> int:
        return len(self.layers[0])


@_known
@full_precision
def conv_gap_moment(gates: Arrays, x: Numbers, sigma: Numbers, kernel_size: int) -> Kernel:
    r"""Mean product of the outputs of two samples: circular convolutions, gates, and global average pooling.

    $$E[y\,y'] = \frac{\sigma^{2c}}{n^2}\sum_k\Big(\sum_{p\in b_k}xA\Big)\Big(\sum_{p\in b_k}x'A'\Big)
    = \frac{1}{n^2}\sum_{i,r}v_c(i,r)$$

    $$v_0(i,r)=\langle x(i),x'(i+r)\rangle,\qquad
    v_l(i,r)=\sigma^2\langle G_l(i),G_l'(i+r)\rangle\sum_{j<k}v_{l-1}(i+j,r)$$

    Layer l of c makes $q(i)=\sum_j\theta_j z(i+j)$, positions modulo n, and multiplies it by its gates. All bundles of paths
    are summed by the recursion, in $n^2kc$ steps for each pair of samples. Any independent weights of mean zero will do.

    **Arguments**

    - `gates`: an array (samples, positions) or (samples, positions, channels) for each layer, not dependent on the weights.
    - `x`: inputs, (samples, positions) or (samples, positions, channels).
    - `sigma`: standard deviation of the weights, or one for each layer.
    - `kernel_size`: k, at most n.

    **Returns** the moments (samples, samples), summed over the channels of the last layer; float64 NumPy unless traced.

    >>> x = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    >>> conv_gap_moment([[[1, 1, 1], [1, 1, 1]]], x, 1.0, 2) * 9  # a rotation changes nothing
    array([[2., 2.],
           [2., 2.]])
    >>> conv_gap_moment([[[1, 0, 0], [1, 0, 0]]], x, 1.0, 2) * 9  # unless the gates stay where they are
    array([[1., 0.],
           [0., 1.]])

    **Source:** paper 004, lemmas 4.1 and 8.2, for c = d - 1; channels and a sigma for each layer are added.
    """
    stack = _stack(gates, x, sigma, kernel_size)
    n = stack.positions
    total = _term(stack, 0)
    for rotation in range(1, (n + 1) // 2):
        term = _term(stack, rotation)
        total = total + term + term.T  # the opposite rotation
    return (total + _term(stack, n // 2) if n % 2 == 0 else total) / n**2


@_known
@full_precision
def conv_moment(gates: Arrays, x: Numbers, sigma: Numbers, kernel_size: int) -> Kernel:
    r"""Mean scalar product of what two samples become in circular convolutions behind gates, without pooling.

    $$E\langle z_c,z_c'\rangle=\sum_i v_c(i,0)$$

    with the recursion of `conv_gap_moment`. Unlike that, it changes when one of the inputs is rotated.

    **Arguments**

    - `gates`, `x`, `sigma`, `kernel_size`: as for `conv_gap_moment`.

    **Returns** the moments (samples, samples), summed over positions and channels; float64 NumPy unless traced.

    >>> x = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    >>> conv_moment([[[1, 1, 1], [1, 1, 1]]], x, 1.0, 2)
    array([[2., 0.],
           [0., 2.]])

    **Source:** paper 004, equation 7, which the paper replaces by the moment with pooling; the two differ.
    """
    return _term(_stack(gates, x, sigma, kernel_size), 0)


@_known
@full_precision
def rotation_terms(gates: Arrays, x: Numbers, sigma: Numbers, kernel_size: int) -> Float[Exact, "rotations samples samples"]:
    r"""The parts of the moment with pooling that come from pairs of paths at a distance r.

    $$n^{-2}\sum_i v_c(i,r)$$

    with the recursion of `conv_gap_moment`, which is their sum. Term 0, times n^2, is `conv_moment`, and for gates that rotate
    with the input term r is term 0 of the second sample rotated by r, $x'(i+r)$ in the place of $x'(i)$. A further rotation
    permutes the terms: it changes each of them, but not the sum.

    **Arguments**

    - `gates`, `x`, `sigma`, `kernel_size`: as for `conv_gap_moment`.

    **Returns** the terms (rotations, samples, samples); float64 NumPy unless traced.

    >>> x = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    >>> rotation_terms([[[1, 1, 1], [1, 1, 1]]], x, 1.0, 2)[:, 0, 1] * 9
    array([0., 2., 0.])

    **Source:** paper 004, remark after lemma 4.1, which calls each term invariant; only the sum is, and only with gates that
    rotate with the input.
    """
    stack = _stack(gates, x, sigma, kernel_size)
    terms = [_term(stack, rotation) for rotation in range(stack.positions)]
    xp: Any = jnp if is_traced(terms) else np
    return xp.stack(terms) / stack.positions**2


@_known
def expected_conv_ntk(gates: Arrays, x: Numbers, sigma: Numbers, kernel_size: int, *, pool: bool = True) -> Kernel:
    r"""Mean tangent kernel of circular convolutions behind gates.

    $$E[K]=\frac{c}{\sigma^2}E[y\,y']$$

    Every path uses one weight of each layer, so that each layer adds $E[yy']/\sigma_l^2$; with a sigma for each layer
    $c/\sigma^2$ becomes $\sum_l\sigma_l^{-2}$.

    **Arguments**

    - `gates`, `x`, `sigma`, `kernel_size`: as for `conv_gap_moment`.
    - `pool`: with global average pooling; without, the kernel is summed over the positions of the output, $\sum_iK_{ii}$, and
      the moment is that of `conv_moment`.

    **Returns** E[K] (samples, samples), summed over the channels of the last layer; float64 NumPy unless traced.

    >>> expected_conv_ntk([[[1, 1, 1]], [[1, 1, 0]]], [[1.0, 0.0, 0.0]], 0.5, 2) * 9
    array([[1.]])

    **Source:** derived here; paper 004, section 4, prints the moment only.
    """
    moment = (conv_gap_moment if pool else conv_moment)(gates, x, sigma, kernel_size)
    return moment * sum(deviation**-2.0 for deviation in layer_deviations(sigma, len(gates)))


def _stack(gates: Arrays, x: Any, sigma: Any, kernel_size: int) -> Stack:
    layers: list[Any] = [array if is_traced(array) else np.asarray(array, np.float64) for array in (x, *gates)]
    if len(layers) < 2:
        raise UserError("gates must be a list with an array for each convolution, but is empty; give at least one.")
    layers = [_channels("gates" if at else "x", layer, layers[0].shape[:2]) for at, layer in enumerate(layers)]
    variances = [deviation**2 for deviation in layer_deviations(sigma, len(gates))]
    return Stack(layers, variances, ring_kernel(kernel_size, len(layers[0])))


def _channels(name: str, array: Any, shape: tuple[int, ...]) -> Any:
    """The array as (positions, samples, channels)."""
    if array.ndim not in (2, 3) or array.shape[:2] != shape:
        rule = "(samples, positions) or (samples, positions, channels)" + ("" if name == "x" else f", beginning with {shape}")
        raise UserError(f"{name} must have the shape {rule}, not {array.shape}; put the samples first.")
    whole = array if array.ndim == 3 else array[:, :, None]
    return whole.transpose(1, 0, 2)


def _term(stack: Stack, rotation: int) -> Any:
    """Sum over positions i of v_c(i, rotation), for all pairs of samples."""
    positions, samples, _ = stack.layers[0].shape
    xp = jnp if is_traced(stack.layers, stack.variances) else np
    scaled = zip(stack.layers, [1.0, *stack.variances], strict=True)
    others = [xp.roll(layer * scale, -rotation, axis=0).transpose(0, 2, 1) for layer, scale in scaled]
    rows = max(1, BLOCK // (positions * samples))
    parts = [_pairs(stack, others, slice(first, first + rows)) for first in range(0, samples, rows)]
    return xp.concatenate(parts)


def _pairs(stack: Stack, others: list[Any], rows: slice) -> Any:
    v = stack.layers[0][:, rows] @ others[0]
    for layer, other in zip(stack.layers[1:], others[1:], strict=True):
        v = _window_sums(v, stack.kernel_size)
        v *= layer[:, rows] @ other
    return v.sum(0)


def _window_sums(v: Any, size: int) -> Any:
    """Sums over v(i), ..., v(i + size - 1) on the ring."""
    longer = (jnp if is_traced(v) else np).concatenate([v, v[: size - 1]])
    total = v.copy()
    for shift in range(1, size):
        total += longer[shift : shift + len(v)]
    return total
