"""What a drift is given as."""

import equinox as eqx
from jaxtyping import Array, Float


class Drift(eqx.Module):
    """A drift, its error and the name of the method that gave it.

    The error is one standard error if it was sampled, a bound if the law of signs was summed, else 0. Where the length scale of
    these signs is traced, the bound is not known and NaN.
    """

    value: Float[Array, "*runs n"]
    error: Float[Array, "*runs n"]
    method: str = eqx.field(static=True)
