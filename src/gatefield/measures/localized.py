"""Which fields localize: two rules, by the inverse participation ratio."""

from collections.abc import Sequence
from typing import Literal

import jax.numpy as jnp
from jaxtyping import ArrayLike, Bool, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.precision import exact
from gatefield.measures.inputs import known_fields
from gatefield.measures.labels import labelled
from gatefield.measures.localization import ipr

Rule = Literal["flat", "sites"]
FLAT_FIELDS = 6
"""By the rule "flat": so many times the IPR of a flat field, 1/n. Random fields have about 3/n, sinusoids 1.5/n."""
LOCALIZED = 0.15
"""By the rule "sites": the IPR of six or seven equal sites, twice that of a random field on 40 sites."""


def _rule(name: str, value: object) -> str:
    return checks.choice(name, value, ["flat", "sites"])


@given(n=checks.count, rule=_rule)
def localized_ipr(n: int, rule: Rule = "flat") -> float:
    r"""The inverse participation ratio above which a field on `n` sites counts as localized.

    $$\mathrm{IPR} > 6/n \quad(\text{rule "flat"}),\qquad \mathrm{IPR} > 0.15 \quad(\text{rule "sites"})$$

    Both are 0.15 on 40 sites. The first compares with fields that are spread over the same ring, flat, wavy or random, and so
    suits rings of all sizes; the second asks for a bump of few sites whatever the ring, as the ratio of a localized field does
    not fall as n grows. On fewer than 40 sites the first asks for more, on more sites for less.

    **Arguments**

    - `n`: the number of sites.
    - `rule`: "flat" or "sites".

    **Returns** the ratio.

    >>> localized_ipr(40), localized_ipr(40, "sites"), localized_ipr(20), localized_ipr(20, "sites")
    (0.15, 0.15, 0.3, 0.15)
    """
    return FLAT_FIELDS / n if rule == "flat" else LOCALIZED


@labelled(("localized", "whether the field is localized"))
@given(w=known_fields, rule=_rule)
@exact
def localized(w: Real[ArrayLike, "*batch n"] | Sequence, rule: Rule = "flat") -> Bool[Exact, "*batch"]:
    """Whether a field is localized: whether its inverse participation ratio is above `localized_ipr`.

    **Arguments**

    - `w`: one field (n,), or many (..., n); or a `DataArray`.
    - `rule`: "flat", more than 6/n, or "sites", more than 0.15; both are the same on 40 sites.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** true or false for each field; the zero field is not localized. NaN is neither, and is refused; under `jit` it
    gives false.

    >>> import numpy as np
    >>> site = np.zeros(40)
    >>> site[7:10] = 1.0, 2.0, 1.0
    >>> localized([site, np.cos(np.pi / 20 * np.arange(40))]).tolist()
    [True, False]
    >>> import xarray as xr
    >>> localized(xr.DataArray([site, np.ones(40)], dims=("unit", "position"))).values.tolist()  # which units localize?
    [True, False]
    """
    w = jnp.asarray(w)
    return ipr(w) > localized_ipr(w.shape[-1], rule)
