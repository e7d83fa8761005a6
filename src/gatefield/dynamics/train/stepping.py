"""A training moved by hand: `init`, then `advance` as often as one likes, bit for bit as `train` does it."""

import warnings
from typing import Any, Generic, TypeVar

import equinox as eqx
import numpy as np
import optax
import xarray as xr
from jaxtyping import Array

from gatefield.core import checks
from gatefield.core.errors import Diverged, UserError
from gatefield.core.keys import Keys
from gatefield.core.text.quoted import quoted
from gatefield.data import AbstractTask
from gatefield.dynamics.pace import Pace
from gatefield.dynamics.train.divergence import divergence
from gatefield.dynamics.train.engine import Observe, State
from gatefield.dynamics.train.gpu.plan import Precision
from gatefield.dynamics.train.losses import Loss, LossName
from gatefield.dynamics.train.optimizers import Optimizer, OptimizerName
from gatefield.dynamics.train.parts import check_steps
from gatefield.dynamics.train.pieces import pieces
from gatefield.dynamics.train.problem import Setup, set_up
from gatefield.nets import Network

N = TypeVar("N", bound=Network)


class Stepper(eqx.Module, Generic[N]):
    """A training at one of its steps. `advance` gives the next one and leaves this one as it is."""

    setup: Setup
    step: int = eqx.field(static=True, default=0)
    told: bool = eqx.field(static=True, default=False)
    """Whether it was told that runs diverged."""

    def __repr__(self) -> str:
        return f"Stepper(net={self.net!r}, task={self.setup.problem.task!r}, step={self.step})"

    @property
    def net(self) -> N:
        """The network as it is now, with a run axis if there are several runs."""
        return self.setup.network(self.setup.state, self.step)

    def observe(self) -> xr.Dataset:
        """What a record would hold of this step, without its axis `step`: the network's observables, and the loss."""
        _, rows = self._advance(self.step)
        return xr.Dataset({name: (("run", *self.setup.dims[name]), np.asarray(row)[:, 0]) for name, row in rows.items()})

    def _advance(self, stop: int) -> tuple[State, dict[str, Array]]:
        """The state at a step, and the record there: by the program that trains, so that no bit differs."""
        with self.setup.precision():
            *_, (state, rows, _) = pieces(self.setup, self.setup.state, np.array([self.step, stop]), 1, 1, 1, Pace())
        return state, rows


def init(
    net: N,
    task: AbstractTask,
    *,
    batch_size: Any,
    learning_rate: Any = None,
    key: Keys,
    optimizer: OptimizerName | Optimizer | optax.GradientTransformation = "sgd",
    loss: LossName | Loss = "mse",
    observe: Observe | None = None,
    precision: Precision = "float32",
    shared_stream: bool = False,
) -> Stepper[N]:
    """A training before its first step, to be moved by `advance`; for notebooks, and for all that steps at its own pace.

    **Arguments**

    - `net`, `task`, `batch_size`, `learning_rate`, `key`, `optimizer`, `loss`, `observe`, `precision`, `shared_stream`: as for
      `train`.

    **Returns** a `Stepper`: its `net` is the network, its `observe()` what a record would hold.

    >>> import jax
    >>> from gatefield import Committee, Task
    >>> from gatefield.data import Gaussian
    >>> from gatefield.dynamics import advance, init
    >>> task, net = Task(Gaussian(20, 2.0), Gaussian(20, 1.0)), Committee(20, 1, key=jax.random.key(0))
    >>> stepper = advance(init(net, task, batch_size=50, learning_rate=0.05, key=jax.random.key(1)), steps=10)
    >>> stepper.step, stepper.net.fields.shape, dict(stepper.observe().loss.sizes)
    (10, (1, 20), {'run': 1})
    """
    options = {"optimizer": optimizer, "loss": loss, "observe": observe, "precision": precision}
    options["shared_stream"] = shared_stream
    return Stepper(set_up(net, task, batch_size=batch_size, learning_rate=learning_rate, key=key, **options))


def advance(stepper: Stepper[N], steps: int = 1) -> Stepper[N]:
    """The training some steps later. It is compiled once, whatever the numbers of steps.

    **Arguments**

    - `stepper`: the training, from `init` or an earlier `advance`.
    - `steps`: how many steps to take.

    **Returns** the training after them. Once the loss of some runs is not finite, a warning, `gatefield.Diverged`, says so,
    and what to lower; further steps of the same training repeat it no more.

    >>> import jax
    >>> from gatefield import Committee, Task
    >>> from gatefield.data import Gaussian
    >>> from gatefield.dynamics import advance, init
    >>> task, net = Task(Gaussian(4, 2.0), Gaussian(4, 1.0)), Committee(4, 1, key=jax.random.key(0))
    >>> stepper = init(net, task, batch_size=5, learning_rate=0.05, key=jax.random.key(1))
    >>> later = advance(advance(stepper, 3), 4)
    >>> later.step, bool((later.net.fields == advance(stepper, 7).net.fields).all())
    (7, True)
    """
    if not isinstance(stepper, Stepper):
        raise UserError(
            f"stepper must come from init(...) or an earlier advance(...), but is {quoted(stepper)}; write for instance "
            "advance(init(net, task, batch_size=100, learning_rate=0.01, key=jax.random.key(0)), 10)."
        )
    stop = stepper.step + checks.count("steps", steps)
    check_steps(stepper.setup.problem.task, stop, stepper.setup.program.batch_size)
    state, rows = stepper._advance(stop)
    lost = None if stepper.told else _divergence(stepper.setup, rows, stop)
    if lost:
        warnings.warn(lost, Diverged, stacklevel=2)
    return Stepper(stepper.setup._replace(state=state), stop, stepper.told or bool(lost))


def _divergence(setup: Setup, rows: dict[str, Array], step: int) -> str | None:
    """What is to be said of runs that diverged.

    The loss alone is asked for: one number for each run, made by steps for which `advance` has waited already.
    """
    wrong = ~np.isfinite(np.asarray(rows["loss"])[:, :1])
    return divergence(xr.Dataset({"status": (("run", "step"), wrong)}, {"step": [step]}), setup) if wrong.any() else None
