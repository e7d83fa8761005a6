"""The array types of annotations, true at run time: what users hand in, and what functions give.

`...Like` is what a user may hand in: JAX and NumPy arrays, plain numbers, lists. The shape of a list is not looked at; that
of an array is. The others are what functions under `core.precision.exact` give: NumPy arrays when called with plain values,
JAX arrays when traced. For other shapes write `Float[Exact, "*times modes"]` and `Real[ArrayLike, "*times"] | Sequence`.
"""

from collections.abc import Sequence

import jax
import numpy as np
from jaxtyping import ArrayLike, Float, Real

Exact = np.ndarray | jax.Array
"""An array that a function under `exact` gives."""
Numbers = ArrayLike | Sequence
"""Numbers of any shape, as users have them."""

Scalar = Float[Exact, ""]
Field = Float[Exact, " n"]
Fields = Float[Exact, "K n"]
Matrix = Float[Exact, "n n"]

ScalarLike = Real[ArrayLike, ""]
FieldLike = Real[ArrayLike, " n"] | Sequence
FieldsLike = Real[ArrayLike, "K n"] | Sequence
MatrixLike = Real[ArrayLike, "n n"] | Sequence

Labels = tuple[ScalarLike, ScalarLike]
"""The pair (y1, y0)."""
