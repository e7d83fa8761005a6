"""The single pulse source."""

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.text.quoted import quoted
from gatefield.data.arrays import Draw
from gatefield.data.numerics.correlation import lag_matrix
from gatefield.data.source import Source, Support


class SinglePulse(Source):
    r"""One pulse of ones on a ring of zeros, of random place and width.

    $$x_i = 1[(i - S) \bmod n < W], \qquad E\,x_i x_{i+m} = \frac1n E\left[(W - m)_+ + (W - n + m)_+\right] \quad (0 < m < n)$$

    with the start S uniform on the ring and the width W uniform on lo, ..., hi.

    **Arguments**

    - `n`: number of sites.
    - `widths`: the pair (lo, hi) of least and greatest width, 1 <= lo <= hi <= n.
    - `complement`: whether x becomes 1 - x with probability one half.
    - `centre`: whether the exact mean is subtracted.

    >>> import jax
    >>> x = SinglePulse(8, widths=(3, 3)).sample(jax.random.key(0), 4)
    >>> print(x.sum(axis=1))
    [3. 3. 3. 3.]

    **Source:** named but not defined in the notes; this is the usual definition.
    """

    n: int = eqx.field(static=True)
    widths: tuple[int, int] = eqx.field(static=True)
    complement: bool = eqx.field(static=True)
    centre: bool = eqx.field(static=True)

    def __init__(self, n: int, widths: Sequence[int], *, complement: bool = False, centre: bool = False) -> None:
        self.n = checks.count("n", n)
        self.widths = _widths(widths, self.n)
        self.complement = checks.flag("complement", complement)
        self.centre = checks.flag("centre", centre)

    @property
    def symmetric(self) -> bool:
        return self.complement and self.centre

    def sampler(self) -> Draw:
        offset = real(self._level()) if self.centre else real(0.0)

        def draw(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
            start_key, width_key, flip_key = jax.random.split(key, 3)
            start = jax.random.randint(start_key, (size, 1), 0, self.n)
            width = jax.random.randint(width_key, (size, 1), self.widths[0], self.widths[1] + 1)
            inside = (np.arange(self.n) - start) % self.n < width
            if self.complement:
                inside = inside ^ jax.random.bernoulli(flip_key, 0.5, (size, 1))
            return real(inside) - offset

        return draw

    def _support(self) -> Support:
        site, start = np.arange(self.n), np.arange(self.n)[:, None]
        widths = range(self.widths[0], self.widths[1] + 1)
        pulses = np.concatenate([(site - start) % self.n < width for width in widths]).astype(float)
        if self.complement:
            pulses = np.concatenate([pulses, 1 - pulses])
        level = pulses.mean(axis=0) if self.centre else 0.0
        return Support(real(pulses - level), real(np.full(len(pulses), 1 / len(pulses))))

    def _covariance(self) -> Float[Exact, "n n"]:
        width = np.arange(self.widths[0], self.widths[1] + 1)
        lag = np.arange(self.n // 2 + 1)[:, None]
        both = np.maximum(width - lag, 0) + np.where(lag > 0, np.maximum(width - self.n + lag, 0), 0)
        second = both.mean(axis=1) / self.n
        share = width.mean() / self.n
        lags = second - share + 0.25 if self.complement else second - share**2
        return lag_matrix(real(lags), self.n, "ring")

    def _mean(self) -> Float[Array, " n"]:
        return jnp.full(self.n, 0.0 if self.centre else self._level())

    def _level(self) -> float:
        """The mean of a site before centring."""
        return 0.5 if self.complement else (self.widths[0] + self.widths[1]) / (2 * self.n)


def _widths(widths: Sequence[int], n: int) -> tuple[int, int]:
    try:
        low, high = widths
    except (TypeError, ValueError):
        raise UserError(f"widths must be a pair (lo, hi) of whole numbers, but is {quoted(widths)}.") from None
    low, high = checks.count("The least width", low), checks.count("The greatest width", high)
    if not low <= high <= n:
        raise UserError(f"widths must obey 1 <= lo <= hi <= n = {n}, but are ({low}, {high}); change them or n.")
    return low, high
