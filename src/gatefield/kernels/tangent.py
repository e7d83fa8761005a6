"""The exact tangent kernel of a gated network with given gates, layer by layer."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gatefield.core import checks
from gatefield.core.arrays import Numbers
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.kernels.arrays import (
    Arrays,
    Checked,
    Kernel,
    Products,
    Samples,
    arrays,
    check_network,
    float_arrays,
    full_precision,
    is_traced,
    numbers,
    products,
)
from gatefield.kernels.features import Features, cut, features, host_kernel, kernel, with_biases
from gatefield.kernels.symmetric import square

HEIGHT = 256
"""Samples of a strip on the host: wide enough for fast products, small enough to stay in the cache."""


def _parts(name: str, parts: Any) -> None:
    """Pairs of arrays (samples, size), of the same samples."""
    pairs = parts if isinstance(parts, list | tuple) else []
    if not pairs or any(not isinstance(pair, list | tuple) or len(pair) != 2 for pair in pairs):
        raise UserError(f"{name} must be pairs (f, b) of arrays (samples, size), but are {quoted(parts)}; give one per array.")
    arrays(f"{name}, each of them,", [array for pair in pairs for array in pair])
    shapes = [np.shape(array) for pair in pairs for array in pair]
    if any(len(shape) != 2 or shape[0] != shapes[0][0] for shape in shapes):
        raise UserError(f"{name} must be arrays (samples, size) for the same samples, but have shapes {shapes}.")


@given(weights=arrays, gates=arrays, x=numbers, biases=arrays, precision=products)
@full_precision
def ntk(
    weights: Arrays,
    gates: Arrays,
    x: Samples,
    *,
    biases: Arrays | None = None,
    output: int | None = None,
    block: int | None = None,
    precision: Products | None = None,
) -> Kernel:
    r"""Gram matrix of the derivatives of the output with respect to all weights, the gates held fixed.

    $$K(s,s') = \sum_{l=1}^{d} \langle z_{l-1}(s), z_{l-1}(s')\rangle\,\langle b_l(s), b_l(s')\rangle$$

    with $z_0 = x$, $z_l = G_l \circ \Theta_l^\top z_{l-1}$, $b_d = 1$ and $b_l = G_l \circ \Theta_{l+1} b_{l+1}$. No Jacobian
    is formed. For a ReLU network pass its own 0/1 gates: their derivative is zero. Biases add to the sums
    $\Theta_l^\top z_{l-1}$, and one to each $\langle z_{l-1}(s), z_{l-1}(s')\rangle$.

    **Arguments**

    - `weights`: d arrays (fan-in, width), the last (width,) or (width, outputs).
    - `gates`: d - 1 arrays (samples, width), or (width,) for gates that all samples share.
    - `x`: inputs (samples, fan-in).
    - `biases`: d arrays (width,), trained as the weights are; none by default.
    - `output`: which output; by default the sum over all of them, which is the Gram matrix of the whole Jacobian.
    - `block`: samples per strip; the matrix is then always assembled on the host.
    - `precision`: of products of float32 arrays on a GPU: `"float32"` by default, or `"tf32"`, which rounds the factors of each
      product to 11 bits: several times faster, with errors of about a thousandth. Elsewhere it changes nothing.

    **Returns** K. Plain values are computed on the host and give NumPy, in float32 if weights and inputs are float32 and else
    in float64; traced values, and those on an accelerator, give JAX arrays.

    >>> import numpy as np
    >>> ntk([np.ones((1, 2)), np.ones(2)], [[[1, 1], [1, 0]]], [[1.0], [2.0]])
    array([[4., 4.],
           [4., 8.]])

    **Source:** paper 004, section 1; its lemma 2.1 has this form only for one input. Biases are derived here.
    """
    net = _checked(weights, gates, x, biases, output)
    if isinstance(net.x, np.ndarray):
        return host_kernel(*net, HEIGHT if block is None else checks.count("block", block))
    parts = with_biases(features(*net), net.biases)
    return square(parts) if block is None else _assembled(parts, block)


@given(weights=arrays, gates=arrays, x=numbers, biases=arrays)
@full_precision
def ntk_blocks(
    weights: Arrays,
    gates: Arrays,
    x: Samples,
    *,
    biases: Arrays | None = None,
    block: int = 1024,
    output: int | None = None,
) -> Iterator[tuple[slice, slice, np.ndarray]]:
    """The tangent kernel of `ntk` in square blocks, for sets whose whole matrix is too large to hold.

    **Arguments**

    - `weights`, `gates`, `x`, `biases`, `output`: as for `ntk`.
    - `block`: samples along the side of a block.

    **Returns** triples of rows, columns and the block; only the blocks on and below the diagonal come, because the matrix is
    symmetric. Beside one block, the forward and backward vectors of all samples are held.

    >>> import numpy as np
    >>> blocks = ntk_blocks([np.ones((1, 2)), np.ones(2)], [np.ones(2)], np.ones((3, 1)), block=2)
    >>> [(rows.start, columns.start, part.shape) for rows, columns, part in blocks]
    [(0, 0, (2, 2)), (2, 0, (1, 2)), (2, 2, (1, 1))]

    **Source:** as `ntk`.
    """
    if is_traced(weights, gates, x, biases):
        raise UserError("ntk_blocks cannot run under jit or vmap, because it gives blocks one by one; use ntk there.")
    net = _checked(weights, gates, x, biases, output)
    return _blocks(with_biases(features(*net), net.biases), checks.count("block", block))


@given(parts=_parts)
@full_precision
def outer_kernel(parts: Sequence[tuple[Numbers, Numbers]]) -> Kernel:
    r"""Gram matrix of derivatives that are outer products, one for each array that is trained.

    $$K(s,s') = \sum_i\langle f_i(s), f_i(s')\rangle\,\langle b_i(s), b_i(s')\rangle$$

    **Arguments**

    - `parts`: for each array the pair $f_i$, $b_i$ of arrays (samples, size), whose outer product $f_i b_i^\top$ is the
      derivative of the output by that array.

    **Returns** K, of the types that `ntk` gives.

    >>> outer_kernel([([[1.0, 2.0], [0.0, 1.0]], [[1.0], [3.0]])])
    array([[5., 6.],
           [6., 9.]])

    **Source:** the product rule for inner products of outer products.
    """
    forward, backward = float_arrays([f for f, _ in parts], [b for _, b in parts])
    return square(Features(forward, backward, 1))


def _checked(weights: Arrays, gates: Arrays, x: Any, biases: Arrays | None, output: int | None) -> Checked:
    net = check_network(weights, gates, x, biases)
    outputs = net.weights[-1].shape[1]
    if output is None:
        return net
    if not -outputs <= checks.count("output", output, least=-checks.MOST) < outputs:
        raise UserError(
            f"output must be one of the {outputs} outputs, counted from 0, but is {output}; write output=0 for the first."
        )
    last = None if net.biases is None else [*net.biases[:-1], net.biases[-1][_only(output)]]
    return net._replace(weights=[*net.weights[:-1], net.weights[-1][:, _only(output)]], biases=last)


def _only(output: int) -> np.ndarray:
    return np.array([output])


def _blocks(parts: Features, block: int) -> Iterator[tuple[slice, slice, np.ndarray]]:
    samples = len(parts.forward[0])
    edges = [slice(start, min(start + block, samples)) for start in range(0, samples, block)]
    for i, rows in enumerate(edges):
        upper = cut(parts, rows)
        for columns in edges[: i + 1]:
            yield rows, columns, np.asarray(full_precision(kernel)(upper, cut(parts, columns)))


def _assembled(parts: Features, block: int) -> np.ndarray:
    samples = len(parts.forward[0])
    matrix = np.empty((samples, samples), parts.forward[0].dtype)
    for rows, columns, part in _blocks(parts, checks.count("block", block)):
        matrix[rows, columns] = part
        matrix[columns, rows] = part.T
    return matrix
