"""The gated linear network: linear units behind gates that do not depend on the weights."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.arrays import Exact, Numbers, ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.keys import Keys
from gatefield.core.runs import leaf
from gatefield.gates import Gate, GateSet
from gatefield.kernels import outer_kernel
from gatefield.nets.initial import InitialName, Rule, initial_fields
from gatefield.nets.network import Network, Observables


class GatedLinear(Network):
    r"""Linear units behind fixed gates, read out by their mean.

    $$\hat y(x) = \frac1K \sum_k g_k(x)\,\langle w_k, x\rangle$$

    Only the weights are trained; the gates are those given. Gates that change with time are taken at the time of the flow,
    learning rate times step. `theory.gated_linear` solves this network exactly.

    Behind gates that are symmetric, g(-x) = g(x), nothing is learned from data that are: with x and -x equally likely in both
    classes, E[g(x) x y] = 0, so that weights only decay. A gate that tells x from -x learns, such as a `HalfSpace`.

    **Arguments**

    - `n`: number of inputs.
    - `gates`: a `GateSet`, or a list of gates, one for each unit.
    - `init`: `"xavier"`, `"scaled-xavier"`, `"normal"`, `"basis"`, `"positive"`, `"zero"`, a function `(key, units, n, scale)`
      that gives weights (units, n), or the weights themselves, shape (K, n).
    - `init_scale`: a factor on the initial weights.
    - `key`: a PRNG key, or an array of keys for one run each; not needed for given weights.

    >>> from gatefield.gates import half_spaces
    >>> net = GatedLinear(2, half_spaces([[1.0, 0.0], [-1.0, 0.0]]), init=[[1.0, 0.0], [3.0, 0.0]])
    >>> net(jax.numpy.array([[1.0, 5.0], [-1.0, 5.0]])).tolist()
    [0.5, -1.5]

    A symmetric gate and a half space:

    >>> from gatefield import Task
    >>> from gatefield.data import Gaussian
    >>> from gatefield.gates import Custom, HalfSpace
    >>> from gatefield.theory import gated_linear
    >>> task, middle = Task(Gaussian(2, 2.0), Gaussian(2, 1.0)), Custom(lambda x: (x**2).sum(-1) < 2.0)
    >>> for gate in (middle, HalfSpace([1.0, 0.0])):
    ...     print(bool(abs(gated_linear.statistics([gate], task, key=jax.random.key(0)).b).max() < 0.01))
    True
    False

    **Source:** note 000, equation 3.
    """

    gates: GateSet
    weights: Float[Array, "*runs K n"] = leaf(2)

    def __init__(
        self,
        n: int,
        gates: GateSet | Sequence[Gate],
        *,
        init: InitialName | Rule | Numbers = "xavier",
        init_scale: ScalarLike = 1.0,
        key: Keys | None = None,
    ) -> None:
        n = checks.count("n", n)
        self.gates = GateSet(gates)
        self.gates.check_sites(n)
        if self.gates.random:
            raise UserError(
                "A network is a function of its input, but some of these gates are random; take the mean gate, such as "
                "HalfSpace(v, width=0.5) in place of Bernoulli(...), or solve it by theory.gated_linear.statistics."
            )
        self.weights = initial_fields(init, key, self.gates.K, n, init_scale)

    @property
    def fields(self) -> Float[Array, "*runs K n"]:
        """The weights of each unit."""
        return self.weights

    def forward(self, x: Float[Array, "*samples n"]) -> Float[Array, "*samples"]:
        return jnp.mean(self.gates(x) * (x @ self.weights.T), axis=-1)

    def observables(self) -> Observables:
        return {"fields": (("unit", "position"), self.weights)}

    def trainable(self) -> Any:
        nothing = jax.tree.map(lambda _: False, self)
        return eqx.tree_at(lambda net: net.weights, nothing, True)

    def at(self, time: ScalarLike) -> "GatedLinear":
        return eqx.tree_at(lambda net: net.gates, self, self.gates.at(time))

    def structured_kernel(self, x: Float[Array, "samples n"]) -> Float[Exact, "samples samples"]:
        """Two Gram matrices, entry by entry: of the inputs, and of the gates over K."""
        return outer_kernel([(x, self.gates(x) / self.gates.K)])

    def _shown(self) -> dict[str, Any]:
        return {"n": self.inputs, "gates": dict(Counter(type(gate).__name__ for gate in self.gates.gates))}
