"""The committee: one hidden layer, read out by its mean or by learned weights."""

from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.runs import leaf
from gatefield.nets.activations import ACTIVATIONS
from gatefield.nets.initial import initial_fields
from gatefield.nets.network import Network, Observables, as_inputs

Part = bool | Literal["frozen"]


class Committee(Network):
    r"""A committee of K units with receptive fields $w_k$.

    $$\hat y(x) = \sum_k a_k\, \sigma(\langle w_k, x\rangle + b_k) + b^{(2)} + \langle v, x\rangle$$

    Here $\sigma$ is the activation, $b_k$ are the hidden biases, $a_k$ the readout (fixed at $1/K$: the mean), $b^{(2)}$ the
    output bias and $v$ a linear pathway past the units.

    **Arguments**

    - `n`, `K`: number of inputs and of units.
    - `activation`: `"relu"`, `"erf"` (erf(h/sqrt 2)), `"sigmoid"` (logistic) or `"linear"`.
    - `bias`, `output_bias`, `linear`: `False` (none), `True` (trained) or `"frozen"` (kept at its initial value).
    - `readout`: `"mean"` (fixed 1/K) or `"learned"` (starts at 1/K).
    - `init`: `"xavier"` (standard deviation sqrt(2/(n+K))), `"scaled-xavier"` (the same, times `init_scale`), `"basis"`,
      `"positive"`, or the fields themselves, shape (K, n).
    - `init_scale`: a factor on the initial fields, whatever the rule.
    - `bias_init`, `output_bias_init`, `linear_init`: initial values, one number for all or an array of shape (K,), () and (n,),
      each with a run axis in front if the fields have one.
    - `key`: a PRNG key, or an array of keys for one run each; not needed if the fields are given.

    >>> import jax
    >>> net = Committee(40, 3, activation="erf", bias=True, key=jax.random.key(0))
    >>> net(jax.numpy.ones((5, 40))).shape
    (5,)

    Source: note 002, equation 1; the linear pathway is that of its section 6.1.
    """

    activation: str = eqx.field(static=True)
    frozen: tuple[str, ...] = eqx.field(static=True)
    weights: Float[Array, "K n"] = leaf(2)
    bias: Float[Array, " K"] | None = leaf(1)
    output_bias: Float[Array, ""] | None = leaf(0)
    readout: Float[Array, " K"] | None = leaf(1)
    linear: Float[Array, " n"] | None = leaf(1)

    def __init__(
        self,
        n: int,
        K: int,
        *,
        activation: str = "relu",
        bias: Part = False,
        readout: str = "mean",
        init: Any = "xavier",
        key: PRNGKeyArray | None = None,
        output_bias: Part = False,
        linear: Part = False,
        init_scale: float = 1.0,
        bias_init: Any = 0.0,
        output_bias_init: Any = 0.0,
        linear_init: Any = 0.0,
    ) -> None:
        n, K = checks.count("n", n), checks.count("K", K)
        self.activation = checks.choice("activation", activation, ACTIVATIONS)
        self.weights = initial_fields(init, key, K, n, init_scale)
        runs = self.weights.shape[:-2]
        self.bias = _initial("bias_init", bias_init, runs, (K,)) if _has("bias", bias) else None
        self.output_bias = (
            _initial("output_bias_init", output_bias_init, runs, ()) if _has("output_bias", output_bias) else None
        )
        learned = checks.choice("readout", readout, ["mean", "learned"]) == "learned"
        self.readout = jnp.full((*runs, K), 1.0 / K) if learned else None
        self.linear = _initial("linear_init", linear_init, runs, (n,)) if _has("linear", linear) else None
        parts = {"bias": bias, "output_bias": output_bias, "linear": linear}
        self.frozen = tuple(name for name, value in parts.items() if value == "frozen")

    @property
    def fields(self) -> Float[Array, "K n"]:
        """The receptive fields."""
        return self.weights

    def __call__(self, x: Float[Array, "*samples n"]) -> Float[Array, "*samples"]:
        x = as_inputs(x)
        h = x @ self.weights.T
        a = ACTIVATIONS[self.activation](h if self.bias is None else h + self.bias)
        y = a.mean(-1) if self.readout is None else a @ self.readout
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


def _has(name: str, value: Part) -> bool:
    if value not in (False, True, "frozen"):
        raise UserError(f"{name} must be False, True or 'frozen', but is {value!r}.")
    return bool(value)


def _initial(name: str, value: Any, runs: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """An initial value for every run, from one number, one array for all runs, or one array for each."""
    array = jnp.asarray(checks.finite(name, value), float)
    if array.shape not in {(), shape, (*runs, *shape)}:
        given = " or ".join(str(s) for s in dict.fromkeys([shape, (*runs, *shape)]) if s)
        rule = f"one number or have shape {given}" if given else "one number"
        raise UserError(f"{name} must be {rule}, but has shape {array.shape}; give such a value.")
    return jnp.broadcast_to(array, (*runs, *shape))
