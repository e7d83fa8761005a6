"""What every network offers, and how to write one."""

import abc
from collections.abc import Mapping
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.arrays import Exact, Numbers, ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.runs import run_count, undeclared
from gatefield.core.text.quoted import quoted
from gatefield.core.text.shown import shown

Observables = Mapping[str, tuple[tuple[str, ...], Any]]
Outputs = Float[Array, "*samples"] | Float[Array, "*samples outputs"]


class Network(eqx.Module):
    """A network from inputs to a scalar output, or to one output for each class.

    To write one, in a file of your own or in `nets/`, make one final subclass:

    1. Its arrays are fields with `leaf(ndim)`, `ndim` being the dimensions of the array of one run, so that each may carry a
       leading run axis: one network then stands for many runs. Its settings are fields with `eqx.field(static=True)`.
    2. `forward(x)` gives the outputs for inputs (*samples, n), by jax.numpy and for one run. Calling the network checks the
       inputs, refuses a run axis, and then calls `forward`.
       Outputs have the shape (*samples,), or (*samples, outputs) if the property `outputs` says that there are several.
    3. `observables()` names what a training records, with the names of its dimensions, for one run.
    4. `inputs` is the number n; it need not be defined if an observable is called `fields`, whose last axis it then is.

    That is all it takes: `train` trains it, `kernels.tangent_kernel` finds its kernel, `one_run` takes one of its runs. What
    else a network may define has a default, named below: `outputs`, `shape`, `trainable`, `samples`, `footprint`,
    `sequential`, `at`, `structured_kernel`.

    >>> from gatefield.core.runs import leaf
    >>> class Squared(Network):
    ...     weights: Float[Array, "*runs n"] = leaf(1)
    ...
    ...     def forward(self, x):
    ...         return (x @ self.weights) ** 2
    ...
    ...     def observables(self):
    ...         return {"fields": (("position",), self.weights)}
    >>> Squared(jnp.array([1.0, 2.0]))([[1.0, 1.0], [0.0, 1.0]]).tolist()
    [9.0, 4.0]
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__call__" in vars(cls):
            raise UserError(f"{cls.__name__} must not define __call__, which checks the inputs; name the method forward.")

    @final
    def __call__(self, x: Numbers) -> Outputs:
        """The output for each input; an error if the network stands for several runs, or gives outputs of another shape."""
        x = self.checked(x)
        return self._fitting(self.forward(x), x.shape[:-1])

    @abc.abstractmethod
    def forward(self, x: Float[Array, "*samples n"]) -> Outputs:
        """The output for each input, for one run; inputs are checked already."""

    @abc.abstractmethod
    def observables(self) -> Observables:
        """What a training records of the network: name -> (dimension names, array)."""

    @property
    def inputs(self) -> int:
        """Number of inputs; by default that of the recorded `fields`."""
        found = self.observables()
        if "fields" not in found:
            raise UserError(
                f"{type(self).__name__} must say how many inputs it has, but observables() has no 'fields', whose last axis "
                f"they would be; define the property inputs, which gives a whole number."
            )
        return found["fields"][1].shape[-1]

    @property
    def outputs(self) -> int:
        """Number of outputs; with more than one, outputs have an axis for them behind the samples. By default 1."""
        return 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one input, if it has one: inputs may then come in it as well as flat. By default (n,)."""
        return (self.inputs,)

    @property
    def samples(self) -> int | None:
        """The number of samples, always the same ones in order, that the network is made for; by default None: it takes any."""
        return None

    @property
    def footprint(self) -> int:
        """How many numbers a pass holds for each sample, which says how many runs fit side by side; by default n."""
        return self.inputs

    @property
    def sequential(self) -> bool:
        """Whether runs are faster one after the other than side by side; by default not."""
        return False

    def trainable(self) -> Any:
        """A tree of the network's shape, True where gradient descent may move an array. By default: every float array."""
        return jax.tree.map(eqx.is_inexact_array, self)

    def at(self, time: ScalarLike) -> "Network":
        """The network as it stands at a time of the flow; by default only training changes it."""
        return self

    def structured_kernel(self, x: Float[Array, "samples n"]) -> Float[Exact, "samples samples"] | None:
        """The tangent kernel, if the structure of the network gives it without Jacobians; by default None."""
        return None

    def checked(self, x: Numbers) -> Float[Array, "*samples n"]:
        """Inputs as an array of floats, flat; an error if they do not fit, or if the network stands for several runs."""
        runs = run_count(self)
        if runs is not None:
            raise UserError(
                f"This network stands for {runs} runs and cannot be called as one; train it as it is, or take run 0 by "
                f"gatefield.one_run(net, 0){undeclared(self)}."
            )
        x, shape = as_inputs(x), self.shape
        if x.shape[-1:] == (self.inputs,):
            return x
        if x.shape[-len(shape) :] == shape:
            return x.reshape(*x.shape[: -len(shape)], self.inputs)
        rule = f"the last axis n = {self.inputs}" + (f", or the last axes {shape}" if len(shape) > 1 else "")
        raise UserError(f"Inputs must have {rule}, but have shape {x.shape}; give one row of inputs for each sample.")

    def _fitting(self, y: Any, samples: tuple[int, ...]) -> Outputs:
        """The outputs, if there are as many as there should be: others would be broadcast against the labels."""
        wanted = samples if self.outputs == 1 else (*samples, self.outputs)
        given = getattr(y, "shape", None)
        if given == wanted:
            return y
        rule = f"forward(x) of {type(self).__name__} must give shape {wanted} for inputs of shape {(*samples, self.inputs)}"
        if given is None:
            raise UserError(f"{rule}, but gives {quoted(y)}; return an array of jax.numpy, one number for each input.")
        if given == (*wanted, 1):
            raise UserError(f"{rule}, but gives {given}; return y[..., 0] in the place of y.")
        if given[:-1] == samples and self.outputs == 1:
            raise UserError(f"{rule}, but gives {given}; define the property outputs, here {given[-1]}, or return one of them.")
        raise UserError(f"{rule}, but gives {given}; work along the last axis of x, as in x @ w or x.sum(-1).")

    def _shown(self) -> dict[str, Any]:
        """What `repr` shows in the place of attributes that are called as the arguments of the class."""
        return {}

    def __repr__(self) -> str:
        try:
            runs = run_count(self)
            return shown(self, **self._shown(), **({} if runs is None else {"runs": runs}))
        except AttributeError:  # a mask or a part of a network has something else in the place of its arrays
            return super().__repr__()


def as_inputs(x: Numbers) -> Array:
    """Inputs as an array of floats: whole numbers, such as the pixels of images, and lists are made so."""
    if not isinstance(x, jax.Array) or jnp.issubdtype(x.dtype, jnp.complexfloating):
        rule = "Inputs must be an array of numbers, all rows of the same length, such as [[0.5, 1.0]]"
        x = checks.numbers("Inputs", x, rule)
        x = x if jnp.issubdtype(x.dtype, jnp.floating) else x.astype(float)  # whole numbers of 64 bits would wrap on the device
    x = jnp.asarray(x)
    return x if jnp.issubdtype(x.dtype, jnp.floating) else x.astype(jnp.result_type(float))
