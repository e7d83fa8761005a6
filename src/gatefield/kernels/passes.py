"""The one pass through gated layers, which kernels and networks share."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gatefield.core import checks
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.kernels.arrays import numbers


def _layers(name: str, layers: Any) -> None:
    if not isinstance(layers, Sequence) or not all(callable(layer) for layer in layers):
        raise UserError(f"{name} must be a list of functions, one for each layer, but is {quoted(layers)}.")


@given(layers=_layers, x=numbers, gate=checks.function)
def gated_pass(
    layers: Sequence[Callable[[Any], Any]], x: Any, gate: Callable[[int, Any], Any]
) -> Iterator[tuple[Any, Any, Any]]:
    r"""A pass through gated layers, one layer after the other.

    $$q_l = F_l(z_{l-1}),\qquad G_l = \mathrm{gate}(l, q_l),\qquad z_l = G_l\circ q_l,\qquad z_0 = x$$

    **Arguments**

    - `layers`: for each layer l the function $F_l$ that makes its sums of what enters.
    - `x`: what enters the first layer.
    - `gate`: the gates of a layer, from its number, counted from 0, and its sums.

    **Returns** for each layer in turn $q_l$, $G_l$ and $z_l$. Nothing is kept, so that a caller holds only what it needs.

    >>> import numpy as np
    >>> passed = gated_pass(dense([np.eye(2), np.ones((2, 1))]), np.array([[3.0, -1.0]]), lambda at, q: q > 0)
    >>> [z.tolist() for _, _, z in passed]
    [[[3.0, -0.0]], [[3.0]]]
    """
    z = x
    for at, layer in enumerate(layers):
        q = layer(z)
        opened = gate(at, q)
        z = opened * q
        yield q, opened, z


def dense(weights: Sequence[Any], biases: Sequence[Any] | None = None) -> list[Callable[[Any], Any]]:
    """The layers of `gated_pass` for weights (fan-in, width) and biases (width,)."""
    if biases is None:
        return [lambda z, w=w: z @ w for w in weights]
    return [lambda z, w=w, b=b: z @ w + b for w, b in zip(weights, biases, strict=False)]
