"""What every source of inputs has in common."""

import abc
from collections.abc import Callable
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.keys import as_key
from gatefield.core.precision import exact
from gatefield.core.runs import run_axes, run_count
from gatefield.data.numerics.field import Draw

T = TypeVar("T")


class Source(eqx.Module):
    """A law of inputs on `n` sites, of which samples can be drawn and the covariance is known exactly.

    To add a source, write one file with one final class:

    1. `n: int = eqx.field(static=True)`, and one field for each parameter. Real parameters are arrays, checked in `__init__` by
       `gatefield.core.checks` (which keeps them as float64), so that they may carry a leading run axis; a parameter that is an
       array already for one run says so by `gatefield.core.runs.leaf(ndim)`. Names and whole numbers are static fields.
    2. `sampler()`: prepare once what every draw needs, and return `draw(key, size)`, which gives a (size, n) array of the
       default float type. It must work under `jit` and `vmap`, and the same key must give the same numbers.
    3. `_covariance()`: the (n, n) covariance of one run, in closed form, by counting or by quadrature, never sampled.
    4. `_mean()`, if the mean is not zero.

    Then re-export it in `gatefield.data` and add one line to the contract test. The class gets from here:

    - `sample(key, size)`: samples (size, n);
    - `covariance()` (n, n) and `mean()` (n,): float64 NumPy arrays unless traced.

    With a run axis, each result has it in front; `sample` then uses the same key for all runs.
    """

    n: eqx.AbstractVar[int]

    @abc.abstractmethod
    def sampler(self) -> Draw:
        """A function `draw(key, size)` that gives (size, n) samples of one run; what all draws share is prepared here, once."""

    @abc.abstractmethod
    def _covariance(self) -> Float[Array, "n n"]:
        """The covariance of one run."""

    def _mean(self) -> Float[Array, " n"]:
        """The mean of one run."""
        return jnp.zeros(self.n)

    def sample(self, key: PRNGKeyArray, size: int) -> Float[Array, "*runs size n"]:
        """`size` samples, one per row.

        >>> import jax
        >>> from gatefield.data import Gaussian
        >>> Gaussian(40, xi=2.0).sample(jax.random.key(0), 3).shape
        (3, 40)
        """
        size, key = checks.count("size", size), as_key(key)
        return per_run(lambda source: source.sampler()(key, size), self)

    @exact
    def covariance(self) -> Float[Array, "*runs n n"]:
        """The exact covariance matrix.

        >>> from gatefield.data import Gaussian
        >>> Gaussian(40, xi=[1.0, 2.0]).covariance().shape
        (2, 40, 40)
        """
        return _covariances(_detached(self))

    @exact
    def mean(self) -> Float[Array, "*runs n"]:
        """The exact mean.

        >>> from gatefield.data import Gaussian
        >>> float(abs(Gaussian(40, xi=2.0).mean()).max())
        0.0
        """
        return per_run(lambda source: source._mean(), self)


@eqx.filter_jit
def _covariances(source: Source) -> Float[Array, "*runs n n"]:
    return per_run(lambda one: one._covariance(), source)


def per_run(function: Callable[[T], Any], tree: T) -> Any:
    """`function` of a module, for each of its runs if it has a run axis."""
    tree = _detached(tree)
    if run_count(tree) is None:
        return function(tree)
    return jax.vmap(function, in_axes=(run_axes(tree),))(tree)


def _detached(tree: T) -> T:
    """The module with copies of its NumPy arrays.

    JAX keeps one typed form of each NumPy array that a trace holds on to, found by the array's identity, whatever the float
    type: what a flow traced in float64 would come back so in a training in float32. So no trace is given the array itself.
    """
    return jax.tree.map(lambda leaf: np.array(leaf) if isinstance(leaf, np.ndarray) else leaf, tree)
