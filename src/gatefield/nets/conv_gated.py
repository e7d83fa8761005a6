"""The convolutional gated network: convolutions and dense layers behind gates of any origin."""

from collections.abc import Sequence
from typing import Any

from gatefield.core import checks
from gatefield.core.arrays import Numbers, ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.keys import Keys
from gatefield.core.text.quoted import quoted
from gatefield.nets.layered.gating import Gating
from gatefield.nets.layered.init import Start
from gatefield.nets.layered.layers import Convolution, Head, Padding, Pool, convolutions, dense_layers, is_list
from gatefield.nets.layered.network import Layered, Precision, widths_of


class ConvGated(Layered):
    r"""Convolutions on a ring, a line or an image, then dense layers; all sums but those of the outputs meet gates.

    $$q_l(i) = \sum_j \Theta_{l,j}\, z_{l-1}(i s + j) + b_l,\qquad z_l = \mathrm{pool}(G_l \circ q_l)$$

    over positions i, for stride s. After the convolutions all positions go into the dense layers side by side (`"flatten"`),
    or their mean does (`"mean"`, global average pooling). Gates are those of `DeepGated`.

    **Arguments**

    - `shape`: of one input: (positions, channels) or (height, width, channels). Inputs are flat, in
      this order, (..., n) for the product n of these numbers; inputs (..., *shape) are taken too.
    - `channels`: of each convolution.
    - `gating`, `beta`, `eps`, `init`, `mu`, `samples`, `free_gates`, `gates_from`, `gating_init`, `bias`, `record_weights`,
      `key`: as for `DeepGated`. `gates_from` is a `ConvGated` of the same layout; the weights of a convolution are given as
      (side * ... * channels in, channels). All beta and eps train by one compiled program.
    - `dense`: widths of the gated dense layers.
    - `outputs`: number of outputs; None if what leaves the last gated layer is the output.
    - `kernel_size`, `stride`, `pool`: the side of the kernels, their stride, and None, `"max"` or `"mean"` over blocks of two
      positions along each axis; each one value, or a list with one for each convolution.
    - `padding`: `"valid"`, `"same"` (zeros) or `"circular"`.
    - `head`: `"flatten"` or `"mean"`.
    - `sigma`: as for `DeepGated`; the fan-in and fan-out of a convolution count the sides of its kernel.
    - `precision`: as for `DeepGated`. In bfloat16 a sum near zero may round to the other side and flip a hard gate: in small
      untrained networks the output of `"galu"` changed by 8 to 9 %, that of `"soft-relu"` by about 1 % and that of `"relu"` by
      about 0.5 %.

    >>> import jax
    >>> net = ConvGated((32, 32, 3), [8, 8], stride=[1, 2], dense=[16], outputs=10, gating="relu", key=jax.random.key(0))
    >>> net(jax.numpy.ones((5, 3072))).shape, [g.shape for g in net.gates(jax.numpy.ones((5, 3072)))]
    ((5, 10), [(5, 30, 30, 8), (5, 14, 14, 8), (5, 16)])
    >>> net
    ConvGated(shape=(32, 32, 3), channels=(8, 8), gating='relu', dense=(16,), outputs=10, stride=(1, 2))

    **Source:** paper 004, experiments 6 and 7 (images) and section 4 (rings).
    """

    def __init__(
        self,
        shape: Sequence[int],
        channels: Sequence[int],
        *,
        gating: Gating | None = None,
        dense: Sequence[int] = (),
        outputs: int | None = None,
        kernel_size: int | Sequence[int] = 3,
        padding: Padding = "valid",
        stride: int | Sequence[int] = 1,
        pool: Pool | Sequence[Pool | None] | None = None,
        head: Head = "flatten",
        beta: Numbers | None = None,
        eps: Numbers | None = None,
        init: Any = "gaussian",
        sigma: Any = "he",
        mu: ScalarLike | None = None,
        samples: int | None = None,
        free_gates: Sequence[Any] | None = None,
        gates_from: "ConvGated | None" = None,
        gating_init: Any = None,
        bias: bool = False,
        precision: Precision = "float32",
        record_weights: bool = False,
        key: Keys | None = None,
    ) -> None:
        front = convolutions(shape, channels, kernel_size, padding, stride, pool, head)
        if not is_list(dense):
            raise UserError(f"dense must be a list of widths, such as [256, 256], or empty, but is {quoted(dense)}.")
        back = dense_layers(front[-1].outgoing[0], [checks.count("dense", width) for width in dense], outputs)
        super().__init__(
            (*front, *back),
            readout=outputs is not None,
            gating=gating,
            gates_from=gates_from,
            soft=(beta, eps),
            precision=precision,
            record_weights=record_weights,
            start=Start(init, gating_init, sigma, mu, bias, samples, free_gates),
            key=key,
        )

    @property
    def convolutions(self) -> tuple[Convolution, ...]:
        return tuple(layer for layer in self.layers if isinstance(layer, Convolution))

    @property
    def dense(self) -> tuple[int, ...]:
        """The widths of the gated dense layers."""
        return tuple(widths_of(self.layers[: self.gated_layers]))

    @property
    def head(self) -> Head | None:
        """What the convolutions hand on: all positions ("flatten") or their "mean"."""
        return self.convolutions[-1].head

    def layout(self) -> dict[str, Any]:
        front = self.convolutions
        each = {
            "channels": [layer.gated[-1] for layer in front],
            "kernel_size": [layer.kernel[0] for layer in front],
            "padding": front[0].padding,
            "stride": [layer.stride for layer in front],
            "pool": [layer.pool for layer in front],
        }
        return {"shape": self.shape, **each, "head": self.head, "dense": list(self.dense)}

    def _shown(self) -> dict[str, Any]:
        found = super()._shown()
        each = {name: set(found[name]) for name in ("kernel_size", "stride", "pool")}
        return found | {name: values.pop() for name, values in each.items() if len(values) == 1}
