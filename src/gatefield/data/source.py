"""What every source of inputs has in common."""

import abc
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.core.precision import detached, exact
from gatefield.core.runs import run_axes, run_count
from gatefield.core.text.quoted import quoted
from gatefield.core.text.shown import shown
from gatefield.data.arrays import Draw, Parameter
from gatefield.data.laws.radial import GaussianRadial, Radial

T = TypeVar("T")


class Support(NamedTuple):
    """All points of a finite law, one per row, and their probabilities."""

    points: Float[Exact, "*runs points n"]
    probabilities: Float[Exact, "*runs points"]


class Squashed(NamedTuple):
    r"""What makes a squashed Gaussian field: the correlation of z and the gain g of $x_i = \operatorname{erf}(g z_i)/Z(g)$."""

    correlation: Float[Exact, "*runs n n"]
    gain: Parameter


class Source(eqx.Module):
    """A law of inputs on `n` sites, of which samples can be drawn and the covariance is known exactly.

    To add a source, here or in a file of your own, write one final class:

    1. `n: int = eqx.field(static=True)`, and one field for each parameter. Real parameters are arrays, checked in `__init__` by
       `gatefield.core.checks` (which keeps them as float64), so that they may carry a leading run axis; a parameter that is an
       array already for one run says so by `gatefield.leaf(ndim)`. Names and whole numbers are static fields.
    2. `sampler()`: prepare once what every draw needs, and return `draw(key, size)`, which gives a (size, n) array of the
       default float type. It must work under `jit` and `vmap`, and the same key must give the same numbers.
    3. `_covariance()`: the (n, n) covariance of one run, in closed form, by counting or by quadrature, never sampled.
    4. `_mean()`, if the mean is not zero.
    5. What the law is, where that is known: `symmetric = True`, `gaussian = True`, or a property where it depends on
       parameters; `elliptical`, `continuous`, `squashed`, `_support()`, `_characteristic(w)`. Nothing is assumed of a source
       that says nothing: its drift, its gates' moments and its characteristic function are sampled.

    The class gets from here:

    - `sample(key, size)`: samples (size, n);
    - `covariance()` (n, n) and `mean()` (n,): float64 NumPy arrays unless traced;
    - `support()`: the points and probabilities of a finite law.

    With a run axis, each result has it in front; `sample` then uses the same key for all runs. `gatefield.data.check_source`
    says whether a source keeps all this. In the package, a source is
    also named in `gatefield.data` and in the contract test.

    Checks of `gatefield.core.checks` are for sources of your own too: `checks.positive(name, value)`, `checks.finite`, ...

    >>> import equinox as eqx, jax, jax.numpy as jnp
    >>> from gatefield import leaf
    >>> from gatefield.core import checks
    >>> from gatefield.data import Source
    >>> from gatefield.theory import drift
    >>> class Coins(Source):
    ...     n: int = eqx.field(static=True)
    ...     size: jax.Array = leaf(0)
    ...     symmetric = True
    ...     def __init__(self, n, size=1.0):
    ...         self.n, self.size = checks.count("n", n), checks.positive("size", size)
    ...     def sampler(self):
    ...         return lambda key, size: self.size * jax.random.rademacher(key, (size, self.n), float)
    ...     def _covariance(self):
    ...         return self.size**2 * jnp.eye(self.n)
    >>> drift(Coins(3, size=2.0), [1.0, 0.5, 0.2], key=jax.random.key(0)).round(2) + 0.0
    array([1., 0., 0.])
    >>> Coins(3, size=[1.0, 2.0]).covariance().shape  # two runs
    (2, 3, 3)
    """

    n: eqx.AbstractVar[int]

    def __repr__(self) -> str:
        return shown(self)

    @property
    def symmetric(self) -> bool:
        """Whether x and -x are known to have the same law."""
        return False

    @property
    def gaussian(self) -> bool:
        """Whether x is known to be jointly Gaussian, with any mean."""
        return False

    @property
    def elliptical(self) -> Radial | None:
        """The law of the radius if x is known to have ellipsoidal contours about its mean, else None."""
        return GaussianRadial() if self.gaussian else None

    @property
    def continuous(self) -> bool:
        """Whether no plane is known to have a positive probability, so that no input lies on the edge of a gate."""
        return self.elliptical is not None

    @property
    def squashed(self) -> Squashed | None:
        """The latent correlation and the gain of a squashed Gaussian field, or None if x is no such field."""
        return None

    @abc.abstractmethod
    def sampler(self) -> Draw:
        """A function `draw(key, size)` that gives (size, n) samples of one run; what all draws share is prepared here, once."""

    @abc.abstractmethod
    def _covariance(self) -> Float[Exact, "n n"]:
        """The covariance of one run."""

    def _mean(self) -> Float[Array, " n"]:
        """The mean of one run."""
        return jnp.zeros(self.n)

    def _support(self) -> Support | None:
        """The points and probabilities of one run, if they are few and known."""
        return None

    def _characteristic(self, w: Float[Array, " n"]) -> Complex[Array, ""] | None:
        """E exp(i<w, x>) of one run, if the law has a form of its own that no other property leads to."""
        return None

    def sample(self, key: PRNGKeyArray, size: int) -> Float[Array, "*runs size n"]:
        """`size` samples, one per row.

        >>> import jax
        >>> from gatefield.data import Gaussian
        >>> Gaussian(40, xi=2.0).sample(jax.random.key(0), 3).shape
        (3, 40)
        """
        size, key = checks.count("size", size), as_key(key, runs=False)
        return per_run(lambda source: draws_of(source)(key, size), self)

    @exact
    def covariance(self) -> Float[Exact, "*runs n n"]:
        """The exact covariance matrix.

        >>> from gatefield.data import Gaussian
        >>> Gaussian(40, xi=[1.0, 2.0]).covariance().shape
        (2, 40, 40)
        """
        return _covariances(detached(self))

    @exact
    def mean(self) -> Float[Exact, "*runs n"]:
        """The exact mean.

        >>> from gatefield.data import Gaussian
        >>> float(abs(Gaussian(40, xi=2.0).mean()).max())
        0.0
        """
        return per_run(lambda source: _shaped(source, "_mean()", source._mean(), (source.n,)), self)

    @exact
    def support(self) -> Support | None:
        """All points of a finite law and their probabilities, or None if they are too many or not known.

        >>> from gatefield.data import SinglePulse
        >>> SinglePulse(3, widths=(1, 1)).support().points
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 0., 1.]])
        """
        return per_run(lambda source: source._support(), self)


@eqx.filter_jit
def _covariances(source: Source) -> Float[Exact, "*runs n n"]:
    return per_run(lambda one: _shaped(one, "_covariance()", one._covariance(), (one.n, one.n)), source)


def draws_of(source: Source) -> Draw:
    """The draws of one run, of which each sees that it is one row of n sites for each sample."""
    draw = source.sampler()
    if not callable(draw):
        raise UserError(f"sampler() of {type(source).__name__} must give a function draw(key, size), but gives {quoted(draw)}.")
    return lambda key, size: _shaped(source, "The draw of sampler()", draw(key, size), (size, source.n))


def _shaped(source: Source, method: str, array: Any, shape: tuple[int, ...]) -> Any:
    """What a method of a source gives, if it is an array of real numbers of this shape."""
    kind = getattr(array, "dtype", None)
    if kind is None or not jnp.issubdtype(kind, np.number) or jnp.issubdtype(kind, np.complexfloating):
        raise UserError(f"{method} of {type(source).__name__} must be an array of real numbers, but is {quoted(array)}.")
    if array.shape != shape:
        raise UserError(f"{method} of {type(source).__name__} must have shape {shape}, but has {array.shape}.")
    return array


def per_run(function: Callable[[T], Any], tree: T) -> Any:
    """`function` of a module, for each of its runs if it has a run axis.

    **Arguments**

    - `function`: takes the module of one run, and gives arrays.
    - `tree`: a source, network or gate, or a tree of them.

    **Returns** what `function` gives, with a run axis in front if the module has one.

    >>> from gatefield.data import Gaussian
    >>> per_run(lambda source: source.covariance()[0, 1], Gaussian(40, xi=[1.0, 2.0])).shape
    (2,)
    """
    tree = detached(tree)
    if run_count(tree) is None:
        return function(tree)
    return jax.vmap(function, in_axes=(run_axes(tree),))(tree)


def is_zero(value: Any) -> bool:
    """Whether a parameter is known to be 0, in all entries and runs; a traced one is not known."""
    return not isinstance(value, Tracer) and not np.any(np.asarray(value))
