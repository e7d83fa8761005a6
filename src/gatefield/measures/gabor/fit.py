"""Is a field a Gabor? Fits of the ring Gabor and of the plain bump, and the choice between them."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import xarray as xr
from jaxtyping import ArrayLike, Real

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.measures.gabor.search import Band, Fit, search
from gatefield.measures.labels import labelled

LEAST_CARRIER = 0.5
"""Cycles per ring: slower carriers cannot be told from a plain bump."""

_LEAST_SITES = 6
"""A Gabor has five parameters; with fewer sites it would fit anything."""
_BLOCK = 512
"""Fields that are fitted at a time, so that their trial atoms fit into memory."""
_FLOOR = 1e-12
"""Share of the energy below which what is left over counts as rounding (of float32 fields)."""


class GaborFit(NamedTuple):
    """What `gabor_fit` found: arrays with one entry for each field, or plain numbers for a single field.

    `mu`, `s`, `f`, `phi`, `amplitude` are those of `gabor`, for the model that was chosen (f = 0 and phi = 0 or pi for a bump);
    `R2` is the share of the energy that it explains, and `R2_bump`, `R2_gabor` are those of the two models. `bic_gain` is the
    BIC of the bump less that of the Gabor: positive where the Gabor is the better bargain. `is_gabor` says which was chosen.
    """

    mu: Any
    s: Any
    f: Any
    phi: Any
    amplitude: Any
    R2: Any
    is_gabor: Any
    bic_gain: Any
    R2_bump: Any
    R2_gabor: Any


def gabor_fit(
    w: Real[ArrayLike, "*batch n"] | Sequence | xr.DataArray,
    *,
    model: Literal["best", "gabor", "bump"] = "best",
    dim: str = "position",
) -> GaborFit | xr.Dataset:
    r"""The ring Gabor nearest to a field, or the nearest plain bump if that says as much with less (host).

    $$\min_{A,\varphi,\mu,s,f}\sum_j\Big(w_j - A\,\Re\big[e^{i\varphi}G_j(\mu,s,f)/G(\mu)\big]\Big)^2,\qquad
    R^2 = 1-\frac{\mathrm{RSS}}{\sum_j w_j^2}$$

    with $G$ as in `gabor`. Two models are fitted: the *Gabor*, f from 1/2 to n/2 cycles per ring (5 parameters), and the
    *bump*, f = 0 (3 parameters). The model with the smaller $\mathrm{BIC} = n\ln(\mathrm{RSS}/n) + (\text{parameters})\ln n$
    is chosen. Amplitude and phase are solved for by linear least squares at every step; the other parameters start from the
    best atom of each of eight widths, over all places and frequencies, and are refined by Levenberg-Marquardt. The width
    stays between 0.15 sites and two rings.

    Read the numbers with care. A high R2 alone does not speak for a Gabor: single sites, plain bumps, sinusoids and flat fields
    are limits of it. Five parameters explain about 0.28 of white noise at n = 40. The frequency f is not identified for s below
    about 0.6 sites (there is less than one site under the envelope), mu not for s above about n/2, and at f near n/2
    phase and amplitude trade against each other. A slow carrier with phase pi/2 looks like an odd bump: hence f >= 1/2.

    **Arguments**

    - `w`: one field (n,), or many (..., n), or a `DataArray`; six sites or more, and no field may be zero.
    - `model`: `"best"` for the choice by BIC, or the model whose parameters to report in any case.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** a `GaborFit`, or for a `DataArray` a `Dataset` of the same names. A thousand fields take about ten seconds.

    >>> from gatefield.measures import gabor
    >>> field = gabor(40, mu=12.3, s=3.0, f=5.2, phi=0.4, amplitude=2.0)
    >>> fit = gabor_fit(field)
    >>> print(fit.is_gabor, *(round(x, 6) for x in (fit.mu, fit.s, fit.f, fit.phi, fit.amplitude, fit.R2)))
    True 12.3 3.0 5.2 0.4 2.0 1.0

    **Source:** note 002, section on the uncertainty principle (the hypothesis that fields are Gabors).
    """
    checks.choice("model", model, ("best", "gabor", "bump"))
    found: Any = _fit(cast(Any, w), model, dim=dim)
    return xr.Dataset({part.name: part for part in found}) if isinstance(w, xr.DataArray) else found


@labelled(
    ("mu", "centre", "site"),
    ("s", "width of the envelope", "site"),
    ("f", "carrier frequency", "cycles per ring"),
    ("phi", "phase of the carrier at the centre", "rad"),
    ("amplitude", "height of the envelope"),
    ("R2", "share of the energy that is explained"),
    ("is_gabor", "whether a Gabor was chosen"),
    ("bic_gain", "BIC of the bump less that of the Gabor"),
    ("R2_bump", "share of the energy that the best bump explains"),
    ("R2_gabor", "share of the energy that the best Gabor explains"),
)
def _fit(w: Any, model: str) -> GaborFit:
    fields = _fields(w)
    n = fields.shape[-1]
    rows = fields.reshape(-1, n)
    scale = np.linalg.norm(rows / abs(rows).max(axis=1, keepdims=True), axis=1) * abs(rows).max(axis=1)
    blocks = np.split(rows / scale[:, None], range(_BLOCK, len(rows), _BLOCK))
    bump, wave = (
        _join([search(block, band) for block in blocks]) for band in (Band(n, 0.0, 0.0), Band(n, LEAST_CARRIER, n / 2))
    )
    fit = _choose(n, scale, bump, wave, model)
    return GaborFit(*(x.item() if fields.ndim == 1 else x.reshape(fields.shape[:-1]) for x in fit))


def _choose(n: int, scale: np.ndarray, bump: Fit, wave: Fit, model: str) -> GaborFit:
    """The better model for each field, by BIC; both were fitted to fields of unit norm."""
    gain = n * np.log(np.maximum(bump.rest, _FLOOR) / np.maximum(wave.rest, _FLOOR)) - 2 * np.log(n)
    is_gabor = gain > 0 if model == "best" else np.full(len(gain), model == "gabor")
    best = bump.where(is_gabor, wave)
    phi = np.angle(best.coefficient)
    R2_bump, R2_gabor = 1 - bump.rest, 1 - wave.rest
    R2 = np.where(is_gabor, R2_gabor, R2_bump)
    return GaborFit(best.mu, best.s, best.f, phi, scale * abs(best.coefficient), R2, is_gabor, gain, R2_bump, R2_gabor)


def _join(fits: list[Fit]) -> Fit:
    return Fit(*map(np.concatenate, zip(*(fit.parts() for fit in fits), strict=True)))


def _fields(w: Any) -> np.ndarray:
    fields = np.asarray(checks.finite("w", w), float)
    if fields.ndim == 0 or fields.shape[-1] < _LEAST_SITES or fields.size == 0:
        raise UserError(f"A field to fit must have at least {_LEAST_SITES} sites, but w has shape {fields.shape}.")
    if not abs(fields).max(axis=-1).all():
        raise UserError("A field to fit must not be zero everywhere, but one is; leave it out.")
    return fields
