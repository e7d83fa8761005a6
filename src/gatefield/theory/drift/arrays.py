"""The array types of what is computed inside: one field, and one matrix of its sites."""

from jaxtyping import Array, Float

Field = Float[Array, " n"]
Matrix = Float[Array, "n n"]
