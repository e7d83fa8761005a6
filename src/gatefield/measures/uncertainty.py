"""How far a field is from the least joint spread in position and frequency."""

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Complex, Float, Num, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real, scaled
from gatefield.measures.inputs import complex_fields, fields
from gatefield.measures.labels import labelled
from gatefield.measures.localization import FieldsLike, Scores, energy, modulus, position_length

AnyFieldsLike = Num[ArrayLike, "*batch n"] | Sequence
"""Real or complex."""
AlphaLike = Real[ArrayLike, "*alphas"] | Sequence

MOST = 20_000
"""Sites of a Harper matrix, which takes 3 GB then."""
ONE_SIDED_BOUND = 0.2950530624747
r"""Least product of the spread in position and the one-sided spread in frequency of a real field on the line.

Half of de Gennes' constant $\Theta_0 = \min_\xi \lambda(\xi)$, with $\lambda(\xi)$ the lowest eigenvalue of
$-d^2/dk^2 + (k-\xi)^2$ on $k > 0$ with zero slope at 0; there $\lambda = \xi^2$.
"""


@labelled(("frequency_resultant", "length of the circular mean of frequency"))
@given(w=complex_fields)
@exact
@jax.jit
def frequency_resultant(w: AnyFieldsLike) -> Scores:
    r"""Length of the circular mean of frequency.

    $$V = \sum_k q_k e^{2\pi i k/n},\qquad q_k = |W_k|^2/\sum_l|W_l|^2$$

    with the complex DFT $W$. For a real field the sum is real, and V is given with its sign: it is the circular
    autocorrelation at lag one, $\sum_j w_j w_{j+1}/|w|^2$, which is 1 for a flat field, 0 for a single site and -1 for one that
    alternates. For a complex field, V is the absolute value of the sum. The zero field gives NaN.

    **Arguments**

    - `w`: real or complex fields (..., n); or a `DataArray`.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** V of each field.

    >>> round(float(frequency_resultant([1.0, 1.0, 1.0, 1.0])), 12), round(float(frequency_resultant([1.0, -1.0])), 12)
    (1.0, -1.0)
    """
    w = scaled(_field(w))
    lag_one = jnp.sum(jnp.conj(w) * jnp.roll(w, -1, axis=-1), axis=-1) / jnp.sum(energy(w), axis=-1)
    return modulus(lag_one) if jnp.iscomplexobj(w) else lag_one


@labelled(("analytic_signal", "field without its negative frequencies"), out=None)
@given(w=fields)
@exact
@jax.jit
def analytic_signal(w: FieldsLike) -> Complex[Exact, "*batch n"]:
    r"""The complex field with the same real part and no negative frequencies: $W_k \to 0, W_k, 2W_k$.

    Frequencies $n/2 < k < n$ (the negative ones) are removed, $0 < k < n/2$ doubled, 0 and n/2 kept. For a band-pass field,
    such as a Gabor with a fast carrier, its absolute value is the envelope.

    **Arguments**

    - `w`: real fields (..., n); or a `DataArray`.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** complex fields of the same shape and labels.

    >>> import numpy as np
    >>> angle = 2 * np.pi * 3 * np.arange(16) / 16
    >>> bool(np.allclose(analytic_signal(np.cos(angle)), np.exp(1j * angle)))
    True
    """
    w = real(w)
    n = w.shape[-1]
    k = jnp.arange(n)
    factor = jnp.where((k == 0) | (2 * k == n), 1.0, jnp.where(2 * k < n, 2.0, 0.0))
    return jnp.fft.ifft(factor * jnp.fft.fft(w, axis=-1), axis=-1)


@labelled(("position_spread", "spread in position", "site"), ("frequency_spread", "spread in frequency", "cycles per ring"))
@given(w=complex_fields, one_sided=checks.flag)
@exact
@partial(jax.jit, static_argnames="one_sided")
def spreads(w: AnyFieldsLike, *, one_sided: bool = False) -> tuple[Scores, Scores]:
    r"""Spreads of a field in position (sites) and in frequency (cycles per ring).

    $$\sigma_x = \frac{n}{2\pi}\sqrt{U^{-2}-1},\qquad \sigma_k = \frac{n}{2\pi}\sqrt{V^{-2}-1}$$

    with the resultants $U$ (`position_resultant`) and $V$ (`frequency_resultant`); infinite where a resultant is 0, NaN for
    the zero field. Where both are small against the ring, $\frac{2\pi}{n}\sigma_x\sigma_k \ge \frac12$, which only Gaussians
    reach: the mean frequency of a real field is 0, so that $\sigma_k$ counts its carrier. Hand in the `analytic_signal` of
    band-pass fields, or ask for `one_sided`: then $\sigma_k$ is the standard deviation of $|k|$ (for which the least product is
    `ONE_SIDED_BOUND`).

    **Arguments**

    - `w`: real or complex fields (..., n); or a `DataArray`.
    - `one_sided`: whether the carrier is left out of the spread in frequency.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** $(\sigma_x, \sigma_k)$, both for each field.

    >>> from gatefield.measures import gabor
    >>> x, k = spreads(gabor(400, mu=200.0, s=10.0))
    >>> print(round(float(x), 2), round(float(2 * 3.141593 / 400 * x * k), 3))
    7.09 0.502

    **Source:** note 002, section on the uncertainty principle; the printed minimum of 1/2 does not hold for real Gabors.
    """
    w = _field(w)
    n = w.shape[-1]
    position = _circular_spread(position_length(scaled(w)), n)
    return position, _deviation(w) if one_sided else _circular_spread(frequency_resultant(w), n)


@exact
def harper_bound(n: int, alpha: AlphaLike = 0.5) -> Float[Exact, "*alphas"]:
    r"""The largest value of $\alpha U + (1-\alpha)V$ on a ring.

    $$\lambda_{\max}[\alpha\cos\hat x + (1-\alpha)\cos\hat p]$$

    The Harper matrix has $\alpha\cos(2\pi j/n)$ on its diagonal and $(1-\alpha)/2$ between neighbours.

    **Arguments**

    - `n`: number of sites.
    - `alpha`: weight of position, between 0 and 1; a number or an array.

    **Returns** the bound for each weight.

    >>> round(float(harper_bound(40)), 6)
    0.961496
    """
    return _harper_bound(checks.count("n", n, most=MOST), _share(alpha))


@labelled(("harper_slack", "distance from the least joint spread in position and frequency"))
@given(w=complex_fields)
@exact
def harper_slack(w: AnyFieldsLike, alpha: Real[ArrayLike, "*#batch"] | Sequence = 0.5) -> Float[Exact, "..."]:
    r"""How far a field is from the least joint spread in position and frequency: 0 for the least, never less.

    $$\lambda_{\max}[\alpha\cos\hat x + (1-\alpha)\cos\hat p] - (\alpha U + (1-\alpha)V) \;\ge\; 0$$

    with the resultants $U$ (`position_resultant`) and $V$ (`frequency_resultant`, signed for real fields), and
    $\lambda_{\max}$ as in `harper_bound`. The minimisers are the top eigenvectors of the Harper matrix, close to Gaussians
    whose width grows as $\alpha$ falls. A real band-pass field cannot come near zero, because its frequencies sit at +f and -f;
    hand in its `analytic_signal`, for which V is the absolute value and the bound holds as well.

    **Arguments**

    - `w`: real or complex fields (..., n); or a `DataArray`.
    - `alpha`: weight of position, between 0 and 1; a number, or an array that broadcasts with the fields.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** the slack of each field, NaN for the zero field.

    >>> import numpy as np
    >>> from gatefield.measures import gabor
    >>> bump = gabor(40, mu=20.0, s=np.sqrt(40 / 2 / np.pi))
    >>> wave = gabor(40, mu=20.0, s=np.sqrt(40 / 2 / np.pi), f=8.0)
    >>> print(*(round(float(harper_slack(w)), 4) for w in (bump, wave, analytic_signal(wave))))
    0.0 0.3322 0.0
    """
    field, share = _field(w), _share(alpha)
    try:
        np.broadcast_shapes(field.shape[:-1], share.shape)
    except ValueError:
        shapes = f"{share.shape} and {field.shape[:-1]}"
        raise UserError(f"alpha and the fields must broadcast, but have shapes {shapes}; give one weight for all.") from None
    return _harper_slack(field, share)


@jax.jit
def _harper_slack(w: Num[Array, "*batch n"], alpha: Float[Array, "*#batch"]) -> Float[Array, "*batch"]:
    reached = alpha * position_length(scaled(w)) + (1 - alpha) * frequency_resultant(w)
    return _harper_bound(w.shape[-1], alpha) - reached


@partial(jax.jit, static_argnames="n")
def _harper_bound(n: int, alpha: Float[Array, "*alphas"]) -> Float[Array, "*alphas"]:
    one = jnp.eye(n)
    neighbours = (jnp.roll(one, 1, axis=0) + jnp.roll(one, -1, axis=0)) / 2
    potential = jnp.diag(jnp.cos(2 * jnp.pi * jnp.arange(n) / n))
    alpha = alpha[..., None, None]
    return jnp.linalg.eigvalsh(alpha * potential + (1 - alpha) * neighbours)[..., -1]


def _share(alpha: Real[ArrayLike, "*alphas"] | Sequence) -> Float[Array, "*alphas"]:
    return real(checks.real("alpha", alpha, "between 0 and 1", lambda a: (a >= 0) & (a <= 1)))


def _field(w: AnyFieldsLike) -> Num[Array, "*batch n"]:
    """As an array of the default float type, or the complex type that goes with it."""
    array = jnp.asarray(w)
    return array.astype(jnp.result_type(complex)) if jnp.iscomplexobj(array) else real(w)


def _circular_spread(resultant: Float[Array, "*batch"], n: int) -> Float[Array, "*batch"]:
    length = jnp.abs(resultant)
    rest = 1 - length**2
    full = rest <= 0
    root = jnp.where(full, 0.0, jnp.sqrt(jnp.where(full, 1.0, rest)))
    return n / (2 * jnp.pi) * root / length


def _deviation(w: Num[Array, "*batch n"]) -> Float[Array, "*batch"]:
    """Standard deviation of the absolute frequency."""
    n = w.shape[-1]
    k = jnp.minimum(jnp.arange(n), n - jnp.arange(n))
    q = energy(jnp.fft.fft(scaled(w), axis=-1))
    q = q / jnp.sum(q, axis=-1, keepdims=True)
    mean = jnp.sum(q * k, axis=-1, keepdims=True)
    variance = jnp.sum(q * (k - mean) ** 2, axis=-1)
    single = variance == 0
    return jnp.where(single, 0.0, jnp.sqrt(jnp.where(single, 1.0, variance)))
