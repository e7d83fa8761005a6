"""The convolutional gated network: convolutions and dense layers behind gates of any origin."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.runs import leaf
from gatefield.nets.layered.conv_parts import (
    HEADS,
    ConvLayer,
    conv_layers,
    convolve,
    glorot,
    layout,
    pooled,
    soft_gates,
    weighted,
)
from gatefield.nets.layered.init import Layers
from gatefield.nets.layered.kinds import KINDS
from gatefield.nets.layered.parts import (
    Start,
    check_inputs,
    check_makes_gates,
    check_same_layout,
    initial_parts,
    kind_name,
    norms,
    trained_parts,
)
from gatefield.nets.network import Network, Observables, as_inputs

Gate = Callable[[int, Array], Array]
PRECISIONS = {"float32": jnp.float32, "bfloat16": jnp.bfloat16}


class ConvGated(Network):
    r"""Convolutions on a ring, a line or an image, then dense layers; all sums but those of the outputs meet gates.

    $$q_l(i) = \sum_j \Theta_{l,j}\, z_{l-1}(i s + j) + b_l,\qquad z_l = \mathrm{pool}(G_l \circ q_l)$$

    over positions i, for stride s. After the convolutions all positions go into the dense layers side by side (`"flatten"`),
    or their mean does (`"mean"`, global average pooling). Gates are those of `DeepGated`.

    **Arguments**

    - `shape`: of one input: (positions, channels) or (height, width, channels). Inputs are flat, in
      this order, (..., n) for the product n of these numbers; inputs (..., *shape) are taken too.
    - `channels`: of each convolution. `kernel_size`: their side. `padding`: `"valid"`, `"same"` (zeros) or `"circular"`.
      `stride`: 1 by default. `pool`: None, `"max"` or `"mean"`, over blocks of two positions along each axis. All but
      `padding` may be a list with one value for each convolution.
    - `head`: `"flatten"` or `"mean"`. `dense`: widths of the gated dense layers. `outputs`: number of outputs; None if what
      leaves the last gated layer is the output.
    - `gating`, `init`, `mu`, `samples`, `free_gates`, `gates_from`, `gating_init`, `bias`, `key`: as for `DeepGated`;
      `gates_from` is a `ConvGated` of the same layout. The
      weights of a convolution are given as (side * ... * channels in, channels).
    - `beta`, `eps`: the soft gate: numbers, or one for each run. All values train by one compiled program.
    - `sigma`: as for `DeepGated`, or `"glorot"`, sqrt(2/(fan-in + fan-out)).
    - `precision`: `"float32"`, or `"bfloat16"` for the sums, with weights and their updates in float32. In bfloat16 a
      sum near zero may round to the other side and flip a hard gate: in small untrained networks the output of `"galu"`
      changed by 8 to 9 %, that of `"soft-relu"` by about 1 % and that of `"relu"` by about 0.5 %.

    >>> import jax
    >>> net = ConvGated((32, 32, 3), [8, 8], stride=[1, 2], dense=[16], outputs=10, gating="relu", key=jax.random.key(0))
    >>> net(jax.numpy.ones((5, 3072))).shape, [g.shape for g in net.gates(jax.numpy.ones((5, 3072)))]
    ((5, 10), [(5, 30, 30, 8), (5, 14, 14, 8), (5, 16)])

    **Source:** paper 004, experiments 6 and 7 (images) and section 4 (rings).
    """

    shape: tuple[int, ...] = eqx.field(static=True)
    convolutions: tuple[ConvLayer, ...] = eqx.field(static=True)
    head: str = eqx.field(static=True)
    readout: bool = eqx.field(static=True)
    gating: str = eqx.field(static=True)
    hard: bool = eqx.field(static=True)
    precision: str = eqx.field(static=True)
    beta: Float[Array, ""] = leaf(0)
    eps: Float[Array, ""] = leaf(0)
    weights: Layers = leaf(2)
    biases: tuple[Float[Array, " width"], ...] | None = leaf(1)
    gating_weights: Layers | None = leaf(2)
    gating_biases: tuple[Float[Array, " width"], ...] | None = leaf(1)
    free_gates: Layers | None = leaf(2)

    def __init__(
        self,
        shape: Sequence[int],
        channels: Sequence[int],
        *,
        gating: str | None = None,
        dense: Sequence[int] = (),
        outputs: int | None = None,
        kernel_size: int | Sequence[int] = 3,
        padding: str = "valid",
        stride: int | Sequence[int] = 1,
        pool: str | Sequence[str | None] | None = None,
        head: str = "flatten",
        beta: Any = None,
        eps: Any = None,
        init: Any = "gaussian",
        sigma: Any = "he",
        mu: float | None = None,
        samples: int | None = None,
        free_gates: Sequence[Any] | None = None,
        gates_from: "ConvGated | None" = None,
        gating_init: Any = None,
        bias: bool = False,
        precision: str = "float32",
        key: PRNGKeyArray | None = None,
    ) -> None:
        self.shape, self.convolutions = conv_layers(shape, channels, kernel_size, padding, stride, pool)
        self.head = checks.choice("head", head, HEADS)
        self.precision = checks.choice("precision", precision, PRECISIONS)
        self.readout = outputs is not None
        self.gating = kind_name(ConvGated, gating, gates_from)
        self.beta, self.eps, self.hard = soft_gates(self.gating, beta, eps, gates_from)
        tail = self._dense_shapes(dense, outputs)
        if gates_from is not None:
            widths = tuple(width for _, width in tail[: len(dense)])
            here, there = (self.shape, self.convolutions, self.head, widths), gates_from
            check_same_layout(layout(*here), layout(there.shape, there.convolutions, there.head, there.dense))
        shapes = [*(layer.shape for layer in self.convolutions), *tail]
        sigma = glorot(self.convolutions, tail) if isinstance(sigma, str) and sigma == "glorot" else sigma
        gated = [*(layer.gated for layer in self.convolutions), *((width,) for _, width in tail[: len(dense)])]
        start = Start(init, gating_init, sigma, mu, bias, gates_from, samples, _flat(free_gates, gated))
        parts = initial_parts(self.gating, shapes, [math.prod(unit) for unit in gated], key, start)
        self.weights, self.biases, self.gating_weights, self.gating_biases, self.free_gates = parts

    @property
    def inputs(self) -> int:
        return math.prod(self.shape)

    @property
    def outputs(self) -> int:
        return self._leaving if not self.dense and not self.readout else self.weights[-1].shape[-1]

    @property
    def gated_layers(self) -> int:
        """How many layers have gates: all but that of the outputs."""
        return len(self.weights) - self.readout

    @property
    def dense(self) -> tuple[int, ...]:
        """The widths of the gated dense layers."""
        return tuple(w.shape[-1] for w in self.weights[len(self.convolutions) : self.gated_layers])

    @property
    def units(self) -> list[tuple[int, ...]]:
        """The shape of each layer's gates: positions and channels, or a width."""
        return [*(layer.gated for layer in self.convolutions), *((width,) for width in self.dense)]

    @property
    def samples(self) -> int | None:
        return None if self.free_gates is None else self.free_gates[0].shape[-2]

    @property
    def footprint(self) -> int:
        return (self.inputs + sum(map(math.prod, self.units))) * (1 if self.gating_weights is None else 2)

    @property
    def sequential(self) -> bool:
        return True

    @property
    def gating_layers(self) -> Layers:
        """The arrays of weights whose sums decide the gates."""
        check_makes_gates(self.gating)
        return self.weights[: self.gated_layers] if self.gating_weights is None else self.gating_weights

    @property
    def gating_offsets(self) -> tuple[Float[Array, " width"], ...] | None:
        """The biases that go with `gating_layers`."""
        if self.gating_weights is not None:
            return self.gating_biases
        return None if self.biases is None else self.biases[: self.gated_layers]

    def __call__(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        x = as_inputs(x)
        z, samples = self._images(x)
        gates = None if KINDS[self.gating].gates == "own" else self._given_gates(z)
        gate = self._gate if gates is None else lambda at, q: gates[at]
        z = self._pass(self.weights, self.biases, z, gate)[1]
        if self.readout:
            z = weighted(z, self.weights[-1].astype(z.dtype))
            z = z if self.biases is None else z + self.biases[-1].astype(z.dtype)
        y = z.astype(x.dtype).reshape(*samples, self.outputs)
        return y[..., 0] if self.outputs == 1 else y

    def gates(self, x: Float[Array, "..."]) -> list[Float[Array, "..."]]:
        """The gates of each layer, (samples, *positions, channels) or (samples, width)."""
        x = as_inputs(x)
        z, samples = self._images(x)
        found = self._own_gates(z) if KINDS[self.gating].gates == "own" else self._given_gates(z)
        whole = [jnp.broadcast_to(g.astype(x.dtype), (len(z), *unit)) for g, unit in zip(found, self.units, strict=True)]
        return [g.reshape(*samples, *g.shape[1:]) for g in whole]

    def observables(self) -> Observables:
        return norms(self)

    def trainable(self) -> Any:
        return trained_parts(self)

    @property
    def _leaving(self) -> int:
        """How many numbers leave the convolutions."""
        last = self.convolutions[-1].outgoing
        return last[-1] if self.head == "mean" else math.prod(last)

    def _dense_shapes(self, dense: Any, outputs: Any) -> list[tuple[int, int]]:
        if np.ndim(dense) != 1:
            raise UserError(
                f"dense must be a list of widths, such as [256, 256], or empty, but is {dense!r}; give such a list."
            )
        widths = [
            *(checks.count("dense", w) for w in dense),
            *([] if outputs is None else [checks.count("outputs", outputs)]),
        ]
        return list(itertools.pairwise([self._leaving, *widths]))

    def _images(self, x: Array) -> tuple[Array, tuple[int, ...]]:
        """Inputs in their shape, with one axis of samples, in the precision of the sums; and the shape of the samples."""
        flat, axes = x.shape[-1:] == (self.inputs,), len(self.shape)
        rule = f"the last axis n = {self.inputs}, or the last axes {self.shape}"
        check_inputs(self, x, rule, fits=flat or x.shape[-axes:] == self.shape)
        samples = x.shape[: -1 if flat else -axes]
        return x.reshape(-1, *self.shape).astype(PRECISIONS[self.precision]), samples

    def _given_gates(self, z: Array) -> list[Array]:
        """Gates that do not depend on the network's own weights."""
        match KINDS[self.gating].gates:
            case "open":
                return [jnp.ones((), z.dtype)] * self.gated_layers
            case "free":
                if len(z) != self.samples:
                    raise UserError(
                        f"Free gates are made for {self.samples} samples, but there are {len(z)}; "
                        f"give the whole training set, in order (batch_size='all')."
                    )
                return [g.astype(z.dtype).reshape(-1, *u) for g, u in zip(self.free_gates or (), self.units, strict=True)]
            case _:
                return self._own_gates(z)

    def _own_gates(self, z: Array) -> list[Array]:
        return [self._gate(at, q) for at, q in enumerate(self._pass(self.gating_layers, self.gating_offsets, z, self._gate)[0])]

    def _gate(self, at: int, q: Array) -> Array:
        if self.hard:
            return (q > 0).astype(q.dtype)
        return (1 + self.eps).astype(q.dtype) * jax.nn.sigmoid(self.beta.astype(q.dtype) * q)

    def _pass(self, layers: Layers, offsets: Sequence[Array] | None, z: Array, gate: Gate) -> tuple[list[Array], Array]:
        """The sums of each gated layer, and what leaves the last one."""
        sums: list[Array] = []
        for at in range(self.gated_layers):
            weights, conv = layers[at].astype(z.dtype), self.convolutions[at] if at < len(self.convolutions) else None
            q = weighted(z, weights) if conv is None else convolve(z, weights, conv)
            sums.append(q if offsets is None else q + offsets[at].astype(z.dtype))
            z = gate(at, sums[-1]) * sums[-1]
            z = z if conv is None else pooled(z, conv)
            if at == len(self.convolutions) - 1:
                z = self._headed(z)
        return sums, z

    def _headed(self, z: Array) -> Array:
        """What the convolutions hand to the dense layers."""
        return z.mean(tuple(range(1, z.ndim - 1))) if self.head == "mean" else z.reshape(len(z), -1)


def _flat(gates: Any, units: Sequence[tuple[int, ...]]) -> Any:
    """Gates (samples, *positions, channels) as (samples, units); a run axis in front stays. Others are left as they are."""
    if gates is None or len(gates) != len(units):
        return gates
    fits = [np.shape(g)[-len(u) :] == u for g, u in zip(gates, units, strict=True)]
    return [np.reshape(g, (*np.shape(g)[: -len(u)], -1)) if fit else g for g, u, fit in zip(gates, units, fits, strict=True)]
