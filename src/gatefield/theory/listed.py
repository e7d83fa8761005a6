"""Means over points that are listed: the support of a law, the corners of the cube, a fixed sample."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, DTypeLike, Float


def gated_mean(
    gates: Float[Array, "points *K"],
    points: Float[Any, "points n"],
    chances: Float[Array, " points"] | None = None,
    dtype: DTypeLike | None = None,
) -> Float[Array, "*K n"]:
    r"""The mean of the gated input, $\sum_x p(x)\,g(x)\,x$.

    On a law that is symmetric about 0, half of the sign of $\langle w,x\rangle$ stands for its gate.

    **Arguments**

    - `gates`: their values at each point, of one gate or of several.
    - `points`: one per row.
    - `chances`: the probabilities of the points; equal ones if not given.
    - `dtype`: the float type of the result, that of the sums if not given; sums are turned into it before they are divided.

    >>> import jax.numpy as jnp
    >>> gated_mean(jnp.array([1.0, 0.5]), jnp.array([[2.0, 0.0], [0.0, 2.0]])).tolist()
    [1.0, 0.5]
    """
    weighted = gates.T if chances is None else gates.T * chances
    total = jnp.matmul(weighted, points, precision="highest")
    total = total if dtype is None else total.astype(dtype)
    return total / len(points) if chances is None else total
