"""The deep gated network: fully connected layers behind gates of any origin."""

from collections.abc import Sequence
from typing import Any

from gatefield.core import checks
from gatefield.core.arrays import Numbers, ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.keys import Keys
from gatefield.core.text.quoted import quoted
from gatefield.nets.layered.gating import Gating
from gatefield.nets.layered.init import Start
from gatefield.nets.layered.layers import dense_layers, is_list
from gatefield.nets.layered.network import Layered, Precision, widths_of


class DeepGated(Layered):
    r"""A network of d layers whose hidden sums are multiplied by gates.

    $$z_0 = x,\quad q_l = \Theta_l^\top z_{l-1} + b_l,\quad z_l = G_l\circ q_l,\quad \hat y = \Theta_d^\top z_{d-1} + b_d$$

    Gates are made from sums q of the network itself or of a gating network that has the same layers and goes through its own
    gates: $G = (1+\epsilon)\,\mathrm{sigmoid}(\beta q)$, and $G = 1(q > 0)$ for $\beta = \infty$.

    **Arguments**

    - `n`: number of inputs.
    - `widths`: of the d - 1 gated layers.
    - `outputs`: 1 (outputs have the shape of the samples), the number of classes (outputs have one more axis), or None if what
      leaves the last gated layer is the output.
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
    - `beta`, `eps`: the soft gate, 4 and 0.1 by default, each a number or one for each run; hard gates for `"relu"` and, unless
      given, `"galu"`.
    - `init`: `"gaussian"`, `"uniform"`, `"bernoulli"` (+-sigma with equal chances), or d arrays (fan-in, width).
    - `sigma`: the standard deviation: `"he"` (sqrt(2/fan-in)), `"glorot"` (sqrt(2/(fan-in + fan-out))), `"depth-free"`
      (sqrt(1/(mu w))), a number, or one for each layer.
    - `mu`: share of open gates, 1/2 by default and 1 for `"linear"`.
    - `samples` or `free_gates`: for `"free"`, the number of training samples, or d - 1 arrays (samples, width).
    - `gates_from`: a `DeepGated` whose gates are taken over. They are frozen, unless `gating` says that they are trained.
    - `gating_init`: how a gating network begins, drawn independently: by the law of `init` unless given, by another one, or as
      d - 1 arrays.
    - `bias`: whether there are biases, which start at zero; also those of the gating network.
    - `precision`: `"float32"`, or `"bfloat16"` for the sums, with weights and their updates in float32. With `jax_enable_x64`
      on, `"float32"` stands for float64.
    - `record_weights`: whether a training records all weights. By default it records no fields, which may be large, but
      `weight_norm` of each layer and, where gates are trained, `gating_norm`; for what is between, such as the fields of the
      first layer, give `train` a function of the network in `observe`.
    - `key`: a PRNG key, or an array of keys for one run each; not needed if nothing is drawn.

    >>> import jax
    >>> net = DeepGated(784, [100, 100], gating="soft-galu", beta=4.0, eps=0.1, key=jax.random.key(0))
    >>> net(jax.numpy.ones((5, 784))).shape, [g.shape for g in net.gates(jax.numpy.ones((5, 784)))]
    ((5,), [(5, 100), (5, 100)])
    >>> net
    DeepGated(n=784, widths=(100, 100), gating='soft-galu', beta=4.0, eps=0.1)

    The fields of the first layer, recorded:

    >>> from gatefield import train
    >>> from gatefield.data import Dataset
    >>> sums = Dataset(jax.random.normal(jax.random.key(1), (20, 4)), [-1.0, 1.0] * 10)
    >>> small = DeepGated(4, [3], gating="relu", key=jax.random.key(2))
    >>> fields = {"fields": (("unit", "position"), lambda net: net.weights[0].T)}
    >>> settings = {"steps": 2, "batch_size": 5, "learning_rate": 0.1, "key": jax.random.key(3)}
    >>> dict(train(small, sums, observe=fields, **settings).record.fields.sizes)
    {'run': 1, 'step': 3, 'unit': 3, 'position': 4}

    **Source:** paper 004, tables 2 and 3. Its beta = inf trains no gates; here that is an error where gates are to be trained.
    """

    def __init__(
        self,
        n: int,
        widths: Sequence[int],
        *,
        gating: Gating | None = None,
        outputs: int | None = 1,
        beta: Numbers | None = None,
        eps: Numbers | None = None,
        init: Any = "gaussian",
        sigma: Any = "he",
        mu: ScalarLike | None = None,
        samples: int | None = None,
        free_gates: Sequence[Any] | None = None,
        gates_from: "DeepGated | None" = None,
        gating_init: Any = None,
        bias: bool = False,
        precision: Precision = "float32",
        record_weights: bool = False,
        key: Keys | None = None,
    ) -> None:
        if not is_list(widths) or not len(widths):
            raise UserError(f"widths must be a list of one or more widths, such as [100, 100], but is {quoted(widths)}.")
        super().__init__(
            dense_layers(checks.count("n", n), [checks.count("widths", width) for width in widths], outputs),
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
    def widths(self) -> tuple[int, ...]:
        """The widths of the gated layers."""
        return tuple(widths_of(self.layers[: self.gated_layers]))

    def layout(self) -> dict[str, Any]:
        return {"n": self.inputs, "widths": list(self.widths)}
