"""The tangent kernel of a network: by its structure where it has one, else by Jacobians in blocks of samples."""

from typing import Any, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gatefield.core.arrays import Numbers
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.kernels.arrays import Kernel, Products, full_precision, numbers, on_device, products

BYTES = 2**28
"""What the Jacobians of two blocks of samples may take together: little beside what a laptop has."""


@runtime_checkable
class Differentiable(Protocol):
    """What the tangent kernel asks of a network; `gatefield.Network` offers it."""

    outputs: int
    samples: int | None

    def __call__(self, x: Any) -> Any: ...
    def checked(self, x: Any) -> Any: ...
    def trainable(self) -> Any: ...
    def structured_kernel(self, x: Any) -> Any: ...


@given(x=numbers, precision=products)
@full_precision
def tangent_kernel(net: Differentiable, x: Numbers, *, precision: Products | None = None) -> Kernel:
    r"""The tangent kernel of a network: the Gram matrix of the derivatives of its outputs by all that is trained.

    $$K(s,s') = \sum_o\sum_m \frac{\partial y_o(x_s)}{\partial\theta_m}\frac{\partial y_o(x_{s'})}{\partial\theta_m}$$

    over the outputs $y_o$ and all trained parameters $\theta_m$: weights, biases, and a gating network where that is trained.
    Hard gates have the derivative zero. It is exact: layer by layer for dense networks (`ntk`, `soft_relu_ntk`,
    `strength_and_gate_ntk`), by outer products for `Committee` and `GatedLinear`, and by Jacobians, some samples at a time, for
    convolutions and for any other network.

    **Arguments**

    - `net`: a network of gatefield or one of your own, `gatefield.Network`, of one run.
    - `x`: inputs (samples, n).
    - `precision`: `"float32"` by default, or `"tf32"`, for products on a GPU; see `ntk`.

    **Returns** K, in the float type of network and inputs: NumPy from plain values, a JAX array from traced ones and from those
    on an accelerator.

    >>> import jax
    >>> from gatefield import Committee
    >>> tangent_kernel(Committee(2, 1, init=[[1.0, 0.0]]), [[1.0, 2.0], [3.0, 0.0], [-1.0, 1.0]]).tolist()
    [[5.0, 3.0, 0.0], [3.0, 9.0, 0.0], [0.0, 0.0, 0.0]]

    **Source:** paper 004, section 1 (gates held fixed) and section 3 (soft gates); biases and other networks are derived here.
    """
    if not isinstance(net, Differentiable) or isinstance(net, type):
        raise UserError(
            f"net must be a network of gatefield, such as DeepGated(...), but is {type(net).__name__}; for arrays of weights "
            "and gates use ntk, and for a network of your own make it a subclass of gatefield.Network."
        )
    inputs = net.checked(x)
    known = (leaf for leaf in jax.tree.leaves(eqx.filter(net, eqx.is_inexact_array)) if not isinstance(leaf, Tracer))
    if any(np.isnan(np.asarray(leaf)).any() for leaf in known):
        raise UserError("net has NaN among its weights, and so no kernel; take the network before its training diverged.")
    if inputs.ndim != 2 or not len(inputs):
        raise UserError(f"x must have the shape (samples, n), but has {inputs.shape}; give one row for each sample.")
    found = net.structured_kernel(inputs)
    found = jacobian_kernel(net, inputs) if found is None else found
    return found if on_device(found) else np.asarray(found)


def jacobian_kernel(net: Differentiable, x: Float[Array, "samples n"]) -> Kernel:
    """The kernel by Jacobians of blocks of samples, each block with itself and with all before it."""
    trained, fixed = eqx.partition(net, net.trainable())
    size = sum(leaf.size for leaf in jax.tree.leaves(trained)) * net.outputs * x.dtype.itemsize
    if not size:
        return jnp.zeros((len(x), len(x)), x.dtype)
    rows = max(1, BYTES // (2 * size))
    blocks = [slice(start, start + rows) for start in range(0, len(x), rows)]
    strips: list[list[Any]] = []
    for at, upper in enumerate(blocks):
        first = _jacobian(trained, fixed, x, upper)
        strips.append([first @ _jacobian(trained, fixed, x, lower).T for lower in blocks[:at]] + [first @ first.T])
    count = range(len(blocks))
    return jnp.block([[strips[i][j] if j <= i else strips[j][i].T for j in count] for i in count])


def _jacobian(trained: Any, fixed: Any, x: Array, which: slice) -> Float[Array, "rows derivatives"]:
    """The derivatives of the outputs of some samples by all that is trained, side by side."""
    if fixed.samples is None:
        return _one_by_one(trained, fixed, x[which])
    rows = jnp.arange(len(x))[which]
    return _among_all(trained, fixed, x, rows).reshape(len(rows), -1)


@eqx.filter_jit
def _one_by_one(trained: Any, fixed: Any, x: Array) -> Array:
    """Of samples that know nothing of each other."""

    def outputs(arrays: Any, row: Array) -> Array:
        return eqx.combine(arrays, fixed)(row[None]).reshape(-1)

    return _flat(jax.vmap(jax.jacrev(outputs), (None, 0))(trained, x), len(x))


@eqx.filter_jit
def _among_all(trained: Any, fixed: Any, x: Array, rows: Array) -> Array:
    """Of samples that only go together, as free gates are made for all of them."""
    y, pullback = jax.vjp(lambda arrays: eqx.combine(arrays, fixed)(x).reshape(len(x), -1), trained)
    marks = jax.nn.one_hot(rows[:, None] * y.shape[1] + jnp.arange(y.shape[1]), y.size, dtype=y.dtype).reshape(-1, *y.shape)
    return _flat(jax.vmap(pullback)(marks)[0], len(marks))


def _flat(tree: Any, rows: int) -> Array:
    """The leaves of a tree side by side, (rows, all else)."""
    return jnp.concatenate([leaf.reshape(rows, -1) for leaf in jax.tree.leaves(tree)], axis=1)
