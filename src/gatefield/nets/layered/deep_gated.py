"""The deep gated network: fully connected layers behind gates of any origin."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core.errors import UserError
from gatefield.core.runs import leaf
from gatefield.nets.layered.init import Layers
from gatefield.nets.layered.kinds import KINDS, soft_gate
from gatefield.nets.layered.parts import (
    Start,
    check_inputs,
    check_makes_gates,
    check_same_layout,
    initial_parts,
    kind_name,
    layer_shapes,
    norms,
    trained_parts,
)
from gatefield.nets.network import Network, Observables, as_inputs

Gate = Callable[[int, Array], Array]


class DeepGated(Network):
    r"""A network of d layers whose hidden sums are multiplied by gates.

    $$z_0 = x,\quad q_l = \Theta_l^\top z_{l-1} + b_l,\quad z_l = G_l\circ q_l,\quad \hat y = \Theta_d^\top z_{d-1} + b_d$$

    Gates are made from sums q of the network itself or of a gating network that has the same layers and goes through its own
    gates: $G = (1+\epsilon)\,\mathrm{sigmoid}(\beta q)$, and $G = 1(q > 0)$ for $\beta = \infty$.

    **Arguments**

    - `n`: number of inputs. `widths`: of the d - 1 gated layers. `outputs`: 1 (outputs have the shape of the samples), or the
      number of classes (outputs have one more axis).
    - `gating`: where gates come from and what is trained:

      | name | gates | trained |
      |---|---|---|
      | `"linear"` | all open | weights |
      | `"free"` | fixed for each training sample and unit, open with probability `mu` | weights |
      | `"galu"` | a gating network, frozen | weights |
      | `"relu"` | its own sums, hard | weights |
      | `"soft-relu"` | its own sums, soft | weights |
      | `"soft-galu"` | a gating network, soft | weights and gating network |
      | `"gates-only"` | a gating network, soft | gating network |

      The inputs of a network with free gates are always the whole training set, in order.
    - `beta`, `eps`: the soft gate, 4 and 0.1 by default; hard gates for `"relu"` and, unless given, `"galu"`.
    - `init`: `"gaussian"`, `"uniform"`, `"bernoulli"` (+-sigma with equal chances), or d arrays (fan-in, width). `sigma`, the
      standard deviation: `"he"` (sqrt(2/fan-in)), `"glorot"` (sqrt(2/(fan-in + fan-out))), `"depth-free"` (sqrt(1/(mu w))), a
      number, or one for each layer. A gating network is drawn independently, by `gating_init`: the same law unless given,
      another one, or d - 1 arrays.
    - `mu`: share of open gates, 1/2 by default and 1 for `"linear"`.
    - `samples` or `free_gates`: for `"free"`, the number of training samples, or d - 1 arrays (samples, width).
    - `gates_from`: a `DeepGated` whose gates are taken over. They are frozen, unless `gating` says that they are trained.
    - `bias`: whether there are biases, which start at zero; also those of the gating network.
    - `record_weights`: whether a training records all weights, not only their norms.
    - `key`: a PRNG key, or an array of keys for one run each; not needed if nothing is drawn.

    >>> import jax
    >>> net = DeepGated(784, [100, 100], gating="soft-galu", beta=4.0, eps=0.1, key=jax.random.key(0))
    >>> net(jax.numpy.ones((5, 784))).shape, [g.shape for g in net.gates(jax.numpy.ones((5, 784)))]
    ((5,), [(5, 100), (5, 100)])

    **Source:** paper 004, tables 2 and 3. Its beta = inf trains no gates; here that is an error where gates are to be trained.
    """

    gating: str = eqx.field(static=True)
    beta: float = eqx.field(static=True)
    eps: float = eqx.field(static=True)
    record_weights: bool = eqx.field(static=True)
    weights: Layers = leaf(2)
    biases: tuple[Float[Array, " width"], ...] | None = leaf(1)
    gating_weights: Layers | None = leaf(2)
    gating_biases: tuple[Float[Array, " width"], ...] | None = leaf(1)
    free_gates: Layers | None = leaf(2)

    def __init__(
        self,
        n: int,
        widths: Sequence[int],
        *,
        gating: str | None = None,
        outputs: int = 1,
        beta: float | None = None,
        eps: float | None = None,
        init: Any = "gaussian",
        sigma: Any = "he",
        mu: float | None = None,
        samples: int | None = None,
        free_gates: Sequence[Any] | None = None,
        gates_from: "DeepGated | None" = None,
        gating_init: Any = None,
        bias: bool = False,
        record_weights: bool = False,
        key: PRNGKeyArray | None = None,
    ) -> None:
        shapes = layer_shapes(n, widths, outputs)
        self.gating = kind_name(DeepGated, gating, gates_from)
        if gates_from is not None:
            here, there = [n for n, _ in shapes], [gates_from.inputs, *gates_from.widths]
            check_same_layout({"n": here[0], "widths": here[1:]}, {"n": there[0], "widths": there[1:]})
        self.beta, self.eps = soft_gate(self.gating, beta, eps, gates_from)
        self.record_weights = bool(record_weights)
        start = Start(init, gating_init, sigma, mu, bias, gates_from, samples, free_gates)
        parts = initial_parts(self.gating, shapes, [width for _, width in shapes[:-1]], key, start)
        self.weights, self.biases, self.gating_weights, self.gating_biases, self.free_gates = parts

    @property
    def inputs(self) -> int:
        return self.weights[0].shape[-2]

    @property
    def outputs(self) -> int:
        return self.weights[-1].shape[-1]

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths of the gated layers."""
        return tuple(w.shape[-1] for w in self.weights[:-1])

    @property
    def samples(self) -> int | None:
        return None if self.free_gates is None else self.free_gates[0].shape[-2]

    @property
    def footprint(self) -> int:
        return (self.inputs + sum(self.widths)) * (1 if self.gating_weights is None else 2)

    @property
    def gating_layers(self) -> Layers:
        """The d - 1 arrays of weights whose sums decide the gates."""
        check_makes_gates(self.gating)
        return self.weights[:-1] if self.gating_weights is None else self.gating_weights

    @property
    def gating_offsets(self) -> tuple[Float[Array, " width"], ...] | None:
        """The biases that go with `gating_layers`."""
        if self.gating_weights is not None:
            return self.gating_biases
        return None if self.biases is None else self.biases[:-1]

    def __call__(self, x: Float[Array, "*samples n"]) -> Float[Array, "*samples"] | Float[Array, "*samples outputs"]:
        x = self._inputs(x)
        gates = None if KINDS[self.gating].gates == "own" else self.gates(x)
        gate = self._gate if gates is None else lambda at, q: gates[at]
        z = _pass(self.weights[:-1], self.biases, x, gate)[-1]
        y = z @ self.weights[-1] if self.biases is None else z @ self.weights[-1] + self.biases[-1]
        return y[..., 0] if self.outputs == 1 else y

    def gates(self, x: Float[Array, "*samples n"]) -> list[Float[Array, "*samples width"]]:
        """The gates of each layer, as `gatefield.kernels` takes them."""
        x = self._inputs(x)
        match KINDS[self.gating].gates:
            case "open":
                return [jnp.ones((*x.shape[:-1], width)) for width in self.widths]
            case "free":
                return self._free(x)
            case _:
                return [self._gate(at, q) for at, q in enumerate(self.preactivations(x))]

    def preactivations(self, x: Float[Array, "*samples n"]) -> list[Float[Array, "*samples width"]]:
        """The sums q that decide the gates of each layer."""
        x = self._inputs(x)
        return _pass(self.gating_layers, self.gating_offsets, x, self._gate)[0]

    def observables(self) -> Observables:
        return {**norms(self), **self._all_weights()} if self.record_weights else norms(self)

    def trainable(self) -> Any:
        return trained_parts(self)

    def _inputs(self, x: Any) -> Array:
        x = as_inputs(x)
        check_inputs(self, x, f"the last axis n = {self.inputs}", fits=x.shape[-1:] == (self.inputs,))
        return x

    def _gate(self, at: int, q: Array) -> Array:
        if math.isinf(self.beta):
            return (q > 0).astype(q.dtype)
        return (1 + self.eps) * jax.nn.sigmoid(self.beta * q)

    def _free(self, x: Array) -> list[Array]:
        if x.ndim != 2 or len(x) != self.samples:
            raise UserError(
                f"Free gates are made for {self.samples} samples, but inputs have shape {x.shape}; "
                f"give the whole training set, in order (batch_size='all')."
            )
        return list(self.free_gates or ())

    def _all_weights(self) -> dict[str, tuple[tuple[str, ...], Array]]:
        named = [("weights", 2, self.weights), ("biases", 1, self.biases)]
        named += [("gating_weights", 2, self.gating_weights), ("gating_biases", 1, self.gating_biases)]
        return {
            f"{name}_{at}": ((f"unit_{at - 1}", f"unit_{at}")[2 - ndim :], array)
            for name, ndim, arrays in named
            for at, array in enumerate(arrays or (), 1)
        }


def _pass(layers: Layers, offsets: Sequence[Array] | None, x: Array, gate: Gate) -> tuple[list[Array], Array]:
    """The sums of each gated layer, and what leaves the last one."""
    sums, z = [], x
    for at, layer in enumerate(layers):
        sums.append(z @ layer if offsets is None else z @ layer + offsets[at])
        z = gate(at, sums[-1]) * sums[-1]
    return sums, z
