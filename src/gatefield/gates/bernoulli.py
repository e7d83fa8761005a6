"""Gates that open at random."""

from typing import Any

import equinox as eqx
from jaxtyping import Array, ArrayLike, Float

from gatefield.core.arrays import ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.gates.gate import Gate


class Bernoulli(Gate):
    r"""Open or shut at random, anew for each input: $P(g = 1\,|\,x)$ is what another gate gives.

    Called, it gives this probability, the mean of g. Unlike a soft gate of the same value, which is always open by that much,
    its square has the same mean as itself, $E[g^2|x] = E[g|x]$. Given the input, gates of a set open independently of each
    other, unless they share a coin: those with a coin of the same name are decided by one random number u, each open where u
    lies below its probability. `Bernoulli(Constant(0.8))` is dropout.

    **Arguments**

    - `gate`: the gate that gives the probability, such as a soft `HalfSpace` or a `Constant`.
    - `coin`: a name, the same for all gates of a set that one random number decides; none if they are independent.

    >>> import jax, numpy as np
    >>> from gatefield.gates import Constant, GateSet
    >>> gates = GateSet([Bernoulli(Constant(0.5)), Bernoulli(Constant(0.5))])
    >>> gates(np.zeros(3)).tolist(), gates.covariance(np.zeros(3)).tolist()
    ([0.5, 0.5], [[0.25, 0.0], [0.0, 0.25]])
    >>> gates.draw(jax.random.key(0), np.zeros((4, 3))).shape
    (4, 2)

    **Source:** note 000, equations 6 and 7, where averages are over gates too.
    """

    gate: Gate
    shared: str = eqx.field(static=True)

    def __init__(self, gate: Gate | Any, *, coin: str = "") -> None:
        if not isinstance(gate, Gate):
            raise UserError(
                f"A random gate needs a gate that gives its probability, such as Constant(0.5), not {quoted(gate)}."
            )
        if not isinstance(coin, str):
            raise UserError(f"coin must be a name, such as coin='a', but is {quoted(coin)}.")
        self.gate, self.shared = gate, coin

    @property
    def random(self) -> bool:
        return True

    @property
    def coin(self) -> str:
        return self.shared

    def __call__(self, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples"]:
        return self.gate(x)

    def at(self, time: ScalarLike) -> Gate:
        return Bernoulli(self.gate.at(time), coin=self.coin)

    def frozen(self) -> Gate:
        return Bernoulli(self.gate.frozen(), coin=self.coin)
