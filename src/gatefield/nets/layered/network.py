"""The layered network behind `DeepGated` and `ConvGated`: any layers, behind gates of any origin."""

import abc
import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.arrays import Exact, Numbers
from gatefield.core.errors import UserError
from gatefield.core.keys import Keys
from gatefield.core.runs import leaf
from gatefield.kernels import gated_pass, ntk, soft_relu_ntk, strength_and_gate_ntk
from gatefield.nets.layered.gating import KINDS, Gating, check_makes_gates, check_same_layout, kind_name, soft_gates
from gatefield.nets.layered.init import Biases, Start, Weights, initial_parts
from gatefield.nets.layered.layers import Convolution, Dense, Layer
from gatefield.nets.network import Network, Observables, Outputs

Precision = Literal["float32", "bfloat16"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)


class Layered(Network):
    """A network of layers, the sums of all but the readout multiplied by gates.

    Its two constructors, `DeepGated` and `ConvGated`, say which layers; `layout()` names them as their arguments do.
    """

    layers: tuple[Layer, ...] = eqx.field(static=True)
    readout: bool = eqx.field(static=True)
    gating: Gating = eqx.field(static=True)
    hard: bool = eqx.field(static=True)
    precision: Precision = eqx.field(static=True)
    record_weights: bool = eqx.field(static=True)
    soft_numbers: tuple[float, float] | None = eqx.field(static=True)
    soft_arrays: tuple[Float[Array, "..."], Float[Array, "..."]] | None = leaf(0)
    weights: Weights = leaf(2)
    biases: Biases | None = leaf(1)
    gating_weights: Weights | None = leaf(2)
    gating_biases: Biases | None = leaf(1)
    free_gates: Weights | None = leaf(2)

    def __init__(
        self,
        layers: tuple[Layer, ...],
        *,
        readout: bool,
        gating: Gating | None,
        gates_from: "Layered | None",
        soft: tuple[Numbers | None, Numbers | None],
        precision: Precision,
        record_weights: bool,
        start: Start,
        key: Keys | None,
    ) -> None:
        self.layers, self.readout, self.record_weights = layers, readout, checks.flag("record_weights", record_weights)
        self.precision = checks.choice("precision", precision, PRECISIONS)
        self.gating = kind_name(type(self), gating, gates_from)
        if gates_from is not None:
            check_same_layout(self, gates_from)
        beta, eps, self.hard = soft_gates(self.gating, *soft, gates_from)
        # Numbers are compiled into the program, arrays are data: convolutions take long to compile, so that one program has to
        # serve all their gates.
        data = np.ndim(beta) > 0 or isinstance(layers[0], Convolution)
        self.soft_numbers = None if data else (beta, eps)
        self.soft_arrays = (jnp.asarray(beta, float), jnp.asarray(eps, float)) if data else None
        parts = initial_parts(self.gating, layers, self.gated_layers, start, gates_from, key)
        self.weights, self.biases, self.gating_weights, self.gating_biases, self.free_gates = parts

    @abc.abstractmethod
    def layout(self) -> dict[str, Any]:
        """What decides which gates weights make, by the names of the arguments."""

    @property
    def inputs(self) -> int:
        return math.prod(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.layers[0].incoming

    @property
    def outputs(self) -> int:
        return math.prod(self.layers[-1].outgoing)

    @property
    def beta(self) -> Any:
        """How steep gates are, one number or one for each run; infinite for hard ones."""
        return self._soft[0]

    @property
    def eps(self) -> Any:
        """How far gates reach above 1."""
        return self._soft[1]

    @property
    def gated_layers(self) -> int:
        """How many layers have gates: all but the readout."""
        return len(self.layers) - self.readout

    @property
    def units(self) -> list[tuple[int, ...]]:
        """The shape of each layer's gates: positions and channels, or a width."""
        return [layer.gated for layer in self.layers[: self.gated_layers]]

    @property
    def samples(self) -> int | None:
        return None if self.free_gates is None else self.free_gates[0].shape[-2]

    @property
    def footprint(self) -> int:
        return (self.inputs + sum(map(math.prod, self.units))) * (1 if self.gating_weights is None else 2)

    @property
    def sequential(self) -> bool:
        return isinstance(self.layers[0], Convolution)

    @property
    def gating_layers(self) -> Weights:
        """The weights of each gated layer whose sums decide the gates."""
        check_makes_gates(self.gating)
        return self.weights[: self.gated_layers] if self.gating_weights is None else self.gating_weights

    @property
    def gating_offsets(self) -> Biases | None:
        """The biases that go with `gating_layers`."""
        if self.gating_weights is not None:
            return self.gating_biases
        return None if self.biases is None else self.biases[: self.gated_layers]

    def forward(self, x: Float[Array, "*samples n"]) -> Outputs:
        z = self._entering(x)
        given = self._given_gates(z)
        gate = self._gate if given is None else lambda at, q: given[at]
        *_, (_, _, z) = self._pass(self.weights, self.biases, z, gate)
        y = self._sums(self.weights, self.biases, len(self.layers) - 1, z) if self.readout else self.layers[-1].leaving(z)
        y = y.astype(self._type(x)).reshape(*x.shape[:-1], self.outputs)
        return y[..., 0] if self.outputs == 1 else y

    def gates(self, x: Numbers) -> list[Float[Array, "..."]]:
        """The gates of each layer, (*samples, width) or (*samples, *positions, channels)."""
        x = self.checked(x)
        z = self._entering(x)
        given = self._given_gates(z)
        found = self._made_gates(z) if given is None else given
        whole = [jnp.broadcast_to(gate, (*self._lead(z), *unit)) for gate, unit in zip(found, self.units, strict=True)]
        return self._by_sample(whole, x)

    def preactivations(self, x: Numbers) -> list[Float[Array, "..."]]:
        """The sums q that decide the gates of each layer, of the same shapes as those."""
        x = self.checked(x)
        return self._by_sample(self._deciding_sums(self._entering(x)), x)

    def observables(self) -> Observables:
        found = {"weight_norm": (("layer",), _norms(self.weights))}
        if self.gating_weights is not None:
            found["gating_norm"] = (("gated_layer",), _norms(self.gating_weights))
        return {**found, **self._all_weights()} if self.record_weights else found

    def trainable(self) -> Any:
        names = [name for name in KINDS[self.gating].trains if getattr(self, name) is not None]
        nothing = jax.tree.map(lambda _: False, self)
        moved = [jax.tree.map(lambda _: True, getattr(self, name)) for name in names]
        return eqx.tree_at(lambda net: [getattr(net, name) for name in names], nothing, moved)

    def structured_kernel(self, x: Float[Array, "samples n"]) -> Float[Exact, "samples samples"] | None:
        """Layer by layer, for dense layers with a readout; None for others."""
        if isinstance(self.layers[0], Convolution) or not self.readout or self.precision != "float32":
            return None
        if not KINDS[self.gating].soft:
            return ntk(self.weights, self.gates(x), x, biases=self.biases)
        if self.gating == "soft-relu":
            return sum(soft_relu_ntk(self.weights, x, self.beta, self.eps, biases=self.biases))  # pyright: ignore[reportReturnType]
        offsets = {"biases": self.biases, "gating_biases": self.gating_biases}
        strengths, gates = strength_and_gate_ntk(self.weights, self.gating_layers, x, self.beta, self.eps, **offsets)
        return gates if self.gating == "gates-only" else strengths + gates

    @property
    def _soft(self) -> Any:
        return self.soft_arrays if self.soft_numbers is None else self.soft_numbers

    def _type(self, x: Array) -> Any:
        """The float type of the outputs: that of weights and inputs together."""
        return jnp.result_type(x, *self.weights)

    def _entering(self, x: Array) -> Array:
        """Inputs in the precision of the sums; before convolutions in their shape, with one axis of samples."""
        z = x.astype(jnp.bfloat16 if self.precision == "bfloat16" else self._type(x))
        return z.reshape(-1, *self.shape) if len(self.shape) > 1 else z

    def _lead(self, z: Array) -> tuple[int, ...]:
        """The axes of samples of what `_entering` gives."""
        return z.shape[: z.ndim - len(self.shape)]

    def _by_sample(self, arrays: Sequence[Array], x: Array) -> list[Array]:
        """Arrays of the gated layers with the samples of the inputs."""
        pairs = zip(arrays, self.units, strict=True)
        return [array.astype(self._type(x)).reshape(*x.shape[:-1], *unit) for array, unit in pairs]

    def _given_gates(self, z: Array) -> list[Array] | None:
        """The gates of each layer, unless the network's own sums decide them."""
        match KINDS[self.gating].gates:
            case "open":
                return [jnp.ones((), z.dtype)] * self.gated_layers
            case "free":
                return self._free_gates(z)
            case "network":
                return self._made_gates(z)
            case _:
                return None

    def _deciding_sums(self, z: Array) -> list[Array]:
        """The sums that decide the gates of each layer."""
        return [q for q, _, _ in self._pass(self.gating_layers, self.gating_offsets, z, self._gate)]

    def _made_gates(self, z: Array) -> list[Array]:
        return [self._gate(at, q) for at, q in enumerate(self._deciding_sums(z))]

    def _free_gates(self, z: Array) -> list[Array]:
        lead = self._lead(z)
        if math.prod(lead) != self.samples:
            raise UserError(
                f"Free gates are made for {self.samples} samples, but inputs have shape {(*lead, self.inputs)}; "
                f"give the whole training set, in order (batch_size='all')."
            )
        return [g.astype(z.dtype).reshape(*lead, *unit) for g, unit in zip(self.free_gates or (), self.units, strict=True)]

    def _gate(self, at: int, q: Array) -> Array:
        if self.hard:
            return (q > 0).astype(q.dtype)
        return _like(1 + self.eps, q) * jax.nn.sigmoid(_like(self.beta, q) * q)

    def _pass(self, weights: Weights, biases: Biases | None, z: Array, gate: Any) -> Iterator[tuple[Array, Array, Array]]:
        """Sums, gates and their product, layer by layer."""
        return gated_pass([functools.partial(self._sums, weights, biases, at) for at in range(self.gated_layers)], z, gate)

    def _sums(self, weights: Weights, biases: Biases | None, at: int, z: Array) -> Array:
        """The sums of a layer, from what comes out of the gates of the layer before."""
        z = self.layers[at - 1].leaving(z) if at else z
        q = self.layers[at].sums(z, weights[at].astype(z.dtype))
        return q if biases is None else q + biases[at].astype(z.dtype)

    def _all_weights(self) -> dict[str, tuple[tuple[str, ...], Array]]:
        """All arrays of weights and biases, layers counted from 1."""
        named = [("weights", 2, self.weights), ("biases", 1, self.biases)]
        named += [("gating_weights", 2, self.gating_weights), ("gating_biases", 1, self.gating_biases)]
        return {
            f"{name}_{at}": ((self._incoming(at), f"unit_{at}")[2 - ndim :], array)
            for name, ndim, arrays in named
            for at, array in enumerate(arrays or (), 1)
        }

    def _incoming(self, at: int) -> str:
        """The dimension of what enters a unit: the units of the layer before, unless positions are in between."""
        convolved = any(isinstance(layer, Convolution) for layer in self.layers[max(at - 2, 0) : at])
        return f"incoming_{at}" if convolved else f"unit_{at - 1}"

    def _shown(self) -> dict[str, Any]:
        layout = {name: tuple(value) if isinstance(value, list) else value for name, value in self.layout().items()}
        soft = {} if not self.hard else {"beta": None, "eps": None}
        outputs = self.outputs if self.readout else None
        return {**layout, **soft, "outputs": outputs, "bias": self.biases is not None, "free_gates": None}


def _like(value: float | Array, q: Array) -> float | Array:
    """A number as it is, which takes the type of q; an array in that type."""
    return value.astype(q.dtype) if isinstance(value, jax.Array) else value


def _norms(weights: Weights) -> Float[Array, " layers"]:
    return jnp.stack([jnp.sqrt(jnp.sum(layer**2)) for layer in weights])


def widths_of(layers: Sequence[Layer]) -> list[int]:
    """The widths of the dense ones among some layers."""
    return [layer.gated[0] for layer in layers if isinstance(layer, Dense)]
