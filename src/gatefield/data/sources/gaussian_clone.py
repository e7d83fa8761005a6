"""The Gaussian clone of a source."""

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.runs import leaf
from gatefield.core.text.quoted import quoted
from gatefield.core.text.shown import shown
from gatefield.data.arrays import Draw
from gatefield.data.numerics.field import gaussian_draw
from gatefield.data.numerics.symmetric_root import symmetric_root
from gatefield.data.source import Source, is_zero


class GaussianClone(Source):
    r"""A Gaussian with the mean and covariance of another source, and nothing else of it.

    $$x \sim N(\mu, C), \qquad \mu = E\,s, \quad C = \operatorname{Cov}(s)$$

    with s the other source. A network that behaves alike on both uses no more than their second moments.

    **Arguments**

    - `source`: the source to clone; its run axis, if it has one, is kept.

    Samples are normal draws times the symmetric root of C, so that they have derivatives in the parameters of s. Where C is
    nearly singular, those are as accurate as the root itself: to the square root of the rounding error.

    >>> import numpy as np
    >>> from gatefield.data import Hypercube
    >>> cube = Hypercube(40, xi=2.0)
    >>> bool(np.allclose(GaussianClone(cube).covariance(), cube.covariance()))
    True
    """

    n: int = eqx.field(static=True)
    centre: Float[Exact, "*runs n"] = leaf(1)
    matrix: Float[Exact, "*runs n n"] = leaf(2)
    factor: Float[Exact, "*runs n n"] = leaf(2)

    def __init__(self, source: Source) -> None:
        if not isinstance(source, Source):
            raise UserError(f"source must be a source, such as Hypercube(40, xi=2.0), but is {quoted(source)}.")
        self.n = source.n
        self.centre = source.mean()
        self.matrix = source.covariance()
        self.factor = symmetric_root(self.matrix)

    def __repr__(self) -> str:
        return shown(self, n=self.n)

    @property
    def symmetric(self) -> bool:
        return is_zero(self.centre)

    @property
    def gaussian(self) -> bool:
        return True

    def sampler(self) -> Draw:
        field, centre = gaussian_draw(self.factor), real(self.centre)

        def draw(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
            return centre + field(key, size)

        return draw

    def _covariance(self) -> Float[Exact, "n n"]:
        return real(self.matrix)

    def _mean(self) -> Float[Array, " n"]:
        return real(self.centre)
