"""What fields a drift can be asked for."""

from typing import Any

import numpy as np
from jax.core import Tracer

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.data import Source


def check_fields(source: Source, w: Any) -> None:
    """Fields (..., n) of the source's sites, finite and not zero."""
    checks.finite("w", w)
    if np.shape(w)[-1:] != (source.n,):
        raise UserError(
            f"w must have one entry for each of the {source.n} sites, but has shape {np.shape(w)}; "
            f"give it the shape ({source.n},), or (..., {source.n}) for many fields."
        )
    if not isinstance(w, Tracer) and not np.any(w, axis=-1).all():
        raise UserError(
            f"w must not be zero everywhere, because its gate would be open nowhere; write for instance np.ones({np.shape(w)})."
        )
