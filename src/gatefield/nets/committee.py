"""The committee: one hidden layer, read out by its mean or by learned weights."""

from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.arrays import Exact, Numbers, ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.keys import Keys
from gatefield.core.runs import leaf
from gatefield.core.text.quoted import quoted
from gatefield.kernels import outer_kernel
from gatefield.nets.activations import Activation, ActivationName, activation_function, as_activation
from gatefield.nets.initial import InitialName, Rule, initial_fields
from gatefield.nets.network import Network, Observables

Part = bool | Literal["frozen"]
PARTS = ("bias", "output_bias", "linear")


class Committee(Network):
    r"""A committee of K units with receptive fields $w_k$.

    $$\hat y(x) = \sum_k a_k\, \sigma(\langle w_k, x\rangle + b_k) + b^{(2)} + \langle v, x\rangle$$

    Here $\sigma$ is the activation, $b_k$ are the hidden biases, $a_k$ the readout (fixed at $1/K$: the mean), $b^{(2)}$ the
    output bias and $v$ a linear pathway past the units.

    **Arguments**

    - `n`, `K`: number of inputs and of units.
    - `activation`: `"relu"`, `"erf"` (erf(h/sqrt 2)), `"sigmoid"` (logistic), `"linear"`, or an elementwise function of
      jax.numpy, such as `jax.nn.softplus`.
    - `bias`, `output_bias`, `linear`: `False` (none), `True` (trained) or `"frozen"` (kept at its initial value).
    - `readout`: `"mean"` (fixed 1/K) or `"learned"` (starts at 1/K).
    - `init`: `"xavier"` (standard deviation sqrt(2/(n+K))), `"scaled-xavier"` (the same, times `init_scale`), `"normal"`
      (standard deviation 1), `"basis"`, `"positive"`, `"zero"`, a function `(key, units, n, scale)` that gives fields
      (units, n), or the fields themselves.
    - `init_scale`: a factor on the initial fields; a function gets it as `scale`.
    - `bias_init`, `output_bias_init`, `linear_init`: initial values, one number for all or an array of shape (K,), () and (n,),
      each with a run axis in front if the fields have one.
    - `key`: a PRNG key, or an array of keys for one run each; not needed if the fields are given.

    >>> import jax
    >>> net = Committee(40, 3, activation="erf", bias=True, key=jax.random.key(0))
    >>> net(jax.numpy.ones((5, 40))).shape
    (5,)

    **Source:** note 002, equation 1; the linear pathway is that of its section 6.1.
    """

    activation: ActivationName | Activation = eqx.field(static=True)
    frozen: tuple[str, ...] = eqx.field(static=True)
    weights: Float[Array, "*runs K n"] = leaf(2)
    bias: Float[Array, "*runs K"] | None = leaf(1)
    output_bias: Float[Array, "*runs"] | None = leaf(0)
    readout: Float[Array, "*runs K"] | None = leaf(1)
    linear: Float[Array, "*runs n"] | None = leaf(1)

    def __init__(
        self,
        n: int,
        K: int,
        *,
        activation: ActivationName | Activation = "relu",
        bias: Part = False,
        readout: Literal["mean", "learned"] = "mean",
        init: InitialName | Rule | Numbers = "xavier",
        key: Keys | None = None,
        output_bias: Part = False,
        linear: Part = False,
        init_scale: ScalarLike = 1.0,
        bias_init: Numbers = 0.0,
        output_bias_init: Numbers = 0.0,
        linear_init: Numbers = 0.0,
    ) -> None:
        n, K = checks.count("n", n), checks.count("K", K)
        self.activation = as_activation(activation)
        self.weights = initial_fields(init, key, K, n, init_scale)
        runs = self.weights.shape[:-2]
        self.bias = _initial("bias_init", bias_init, runs, (K,)) if _has("bias", bias) else None
        self.output_bias = (
            _initial("output_bias_init", output_bias_init, runs, ()) if _has("output_bias", output_bias) else None
        )
        learned = checks.choice("readout", readout, ["mean", "learned"]) == "learned"
        self.readout = jnp.full((*runs, K), 1.0 / K) if learned else None
        self.linear = _initial("linear_init", linear_init, runs, (n,)) if _has("linear", linear) else None
        self.frozen = tuple(
            name for name, value in zip(PARTS, (bias, output_bias, linear), strict=True) if isinstance(value, str)
        )

    @property
    def fields(self) -> Float[Array, "*runs K n"]:
        """The receptive fields."""
        return self.weights

    def forward(self, x: Float[Array, "*samples n"]) -> Float[Array, "*samples"]:
        a = activation_function(self.activation)(self._sums(x))
        y = _mean(a) if self.readout is None else a @ self.readout
        y = y if self.output_bias is None else y + self.output_bias
        return y if self.linear is None else y + x @ self.linear

    def observables(self) -> Observables:
        parts = {
            "fields": (("unit", "position"), self.weights),
            "bias": (("unit",), self.bias),
            "output_bias": ((), self.output_bias),
            "readout": (("unit",), self.readout),
            "linear": (("position",), self.linear),
        }
        return {name: (dims, array) for name, (dims, array) in parts.items() if array is not None}

    def trainable(self) -> Any:
        everything = jax.tree.map(eqx.is_inexact_array, self)
        return eqx.tree_at(lambda net: [getattr(net, name) for name in self.frozen], everything, [False] * len(self.frozen))

    def structured_kernel(self, x: Float[Array, "samples n"]) -> Float[Exact, "samples samples"]:
        r"""With $\varphi_k = a_k\sigma'(h_k)$, each part that is trained adds a product of two Gram matrices."""
        h, function, one = self._sums(x), activation_function(self.activation), jnp.ones((len(x), 1), x.dtype)
        slopes = jnp.vectorize(jax.grad(function))(h)
        answers = slopes / h.shape[-1] if self.readout is None else slopes * self.readout
        parts = {
            "weights": (x, answers),
            "bias": (one, answers),
            "readout": (function(h), one),
            "output_bias": (one, one),
            "linear": (x, one),
        }
        trained = self.trainable()
        return outer_kernel([pair for name, pair in parts.items() if getattr(trained, name)])

    def _sums(self, x: Float[Array, "*samples n"]) -> Float[Array, "*samples K"]:
        h = x @ self.weights.T
        return h if self.bias is None else h + self.bias

    def _shown(self) -> dict[str, Any]:
        parts = {name: "frozen" if name in self.frozen else getattr(self, name) is not None for name in PARTS}
        readout = "mean" if self.readout is None else "learned"
        return {"n": self.inputs, "K": self.weights.shape[-2], "readout": readout, **parts}


def _mean(a: Float[Array, "*samples K"]) -> Float[Array, "*samples"]:
    """The mean over units; on a CPU as a product, which takes half of the time of sums over short rows."""

    def product(a: Float[Array, "*samples K"]) -> Float[Array, "*samples"]:
        return jnp.matmul(a, jnp.full(a.shape[-1], 1 / a.shape[-1], a.dtype), precision="highest")

    return jax.lax.platform_dependent(a, cpu=product, default=lambda a: a.mean(-1))


def _has(name: str, value: Part) -> bool:
    if not isinstance(value, bool | np.bool_) and not (isinstance(value, str) and value == "frozen"):
        raise UserError(f"{name} must be False, True or 'frozen', but is {quoted(value)}; write {name}=True.")
    return bool(value)


def _initial(name: str, value: Numbers, runs: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """An initial value for every run, from one number, one array for all runs, or one array for each."""
    array = jnp.asarray(checks.finite(name, value), float)
    if array.shape not in {(), shape, (*runs, *shape)}:
        given = " or ".join(str(s) for s in dict.fromkeys([shape, (*runs, *shape)]) if s)
        rule = f"one number or have shape {given}" if given else "one number"
        raise UserError(f"{name} must be {rule}, but has shape {array.shape}; {name}=0.1 serves all units and runs.")
    return jnp.broadcast_to(array, (*runs, *shape))
