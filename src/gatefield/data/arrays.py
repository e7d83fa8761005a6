"""Array types of this room."""

from collections.abc import Callable

from jaxtyping import Array, Float, PRNGKeyArray, Real

from gatefield.core.arrays import Exact

Parameter = Real[Exact, "*runs"]
"""A parameter of a source or task: one number, or one for each run. Kept as NumPy where it was given as plain numbers."""
Draw = Callable[[PRNGKeyArray, int], Float[Array, "size n"]]
"""`draw(key, size)`: samples of one run, one per row."""
