"""Whether a source of the user's own keeps what sources promise."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.keys import Keys, as_key
from gatefield.core.runs import one_run, run_count
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.functions import reason
from gatefield.data.source import Source

MOST_ERRORS = 8.0
"""Standard errors that a sampled moment may be off: by chance one in 10^15 normal ones is."""


def check_source(source: Source, *, key: Keys | None = None, samples: int = 20_000) -> None:
    """An error that says what is wrong, if a source does not keep what `Source` promises; else nothing.

    Looked at are, for each run: that samples have shape (size, n), are finite, are the same for the same key and under `jit`;
    that the covariance is a covariance; and that samples have it, and the mean, up to eight standard errors.

    **Arguments**

    - `source`: the source.
    - `key`, `samples`: which samples, and how many, the moments are compared with.

    >>> from gatefield.data import NonlinearGP
    >>> check_source(NonlinearGP(5, xi=1.0, gain=[0.0, 3.0]))
    """
    if not isinstance(source, Source):
        raise UserError(f"source must be a source, such as Gaussian(40, xi=2.0), but is {quoted(source)}.")
    checks.count("n", source.n)
    key = jax.random.key(0) if key is None else as_key(key, runs=False)
    _check_parameters(source)
    for run in range(run_count(source) or 1):
        _check_run(one_run(source, run), key, checks.count("samples", samples, least=1000))


def _check_parameters(source: Source) -> None:
    """See that all parameters are numbers, as JAX moves them to the device."""
    for path, value in jax.tree_util.tree_leaves_with_path(source):
        if isinstance(path[-1], jax.tree_util.SequenceKey) and isinstance(value, int | float):
            name = jax.tree_util.keystr(path[:-1]).lstrip(".")
            raise UserError(
                f"{name} of {type(source).__name__} must be one array, but is a list with {value:g} in it; keep it as "
                f"np.asarray({name}, float), or declare a setting by eqx.field(static=True)."
            )
        if not eqx.is_array_like(value):
            name = jax.tree_util.keystr(path).lstrip(".")
            raise UserError(
                f"{name} of {type(source).__name__} must be numbers, but is {quoted(value)}; declare a setting that is none by "
                f"eqx.field(static=True)."
            )


def _given(source: Source, method: str, function: Callable[[], Any]) -> Any:
    """What a method of the source gives; one sentence if it fails."""
    try:
        return function()
    except UserError:
        raise
    except Exception as error:
        raise UserError(
            f"{method} of {type(source).__name__} must be computed by jax.numpy, but fails: {reason(error)}."
        ) from error


def _check_run(source: Source, key: PRNGKeyArray, samples: int) -> None:
    name = type(source).__name__
    x = np.asarray(_given(source, "The draw of sampler()", lambda: source.sample(key, samples)), float)
    if not np.isfinite(x).all():
        raise UserError(
            f"The draw of sampler() of {name} must be finite, but {np.sum(~np.isfinite(x))} of its numbers are not."
        )
    again = np.asarray(_given(source, "The draw of sampler()", jax.jit(lambda: source.sample(key, samples))), float)
    if not np.allclose(x, again, rtol=1e-4, atol=1e-5):
        raise UserError(f"sampler() of {name} must draw the same numbers for the same key; draw by jax.random from key alone.")
    covariance = checks.covariance("covariance", _given(source, "_covariance()", source.covariance))
    apart = x - _given(source, "_mean()", source.mean)
    _compare(f"_mean() of {name}", np.zeros(source.n), apart)
    _compare(f"_covariance() of {name}", covariance, apart[:, :, None] * apart[:, None, :])


def _compare(what: str, stated: np.ndarray, each: np.ndarray) -> None:
    """Whether the mean of `each` sample's values is the stated one."""
    error = each.std(axis=0) / np.sqrt(len(each)) + 1e-5
    off = np.abs(each.mean(axis=0) - stated) / error
    if off.max() > MOST_ERRORS:
        raise UserError(
            f"{what} must be that of the samples, but is {off.max():.0f} standard errors off at "
            f"{np.argwhere(off == off.max())[0].tolist()}; see which of the two is right."
        )
