"""How far the gates of a layered network have moved between two times, and how much of its open sub-networks is left."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, ScalarLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.measures.inputs import timed_masks

Gates = Sequence[Real[Exact, "... samples _width"] | Bool[Exact, "... samples _width"] | Sequence]


@given(before=timed_masks, after=timed_masks, threshold=checks.number)
@exact
def flipped_gates(before: Gates, after: Gates, threshold: ScalarLike = 0.5) -> Float[Exact, "... layers"]:
    r"""Share of the gates of each layer that lie on another side of a threshold than before.

    $$\frac1{nw}\sum_{s,i}\big|1(G_l(s,i)>\tau)-1(G'_l(s,i)>\tau)\big|$$

    over n samples s and the w gates i of layer l.

    **Arguments**

    - `before`, `after`: the gates of each layer at two times, (samples, width) each; axes in front, such as seeds or times, are
      paired by the rules of NumPy.
    - `threshold`: tau, from which value on a gate counts as open: 1/2 for hard gates, (1 + eps)/2 for soft ones.

    **Returns** a share for each layer, (..., layers); float64 NumPy unless traced.

    >>> flipped_gates([[[0, 1]], [[1, 1]]], [[[1, 1]], [[1, 1]]])
    array([0.5, 0. ])

    **Source:** paper 004, section 3, says that the gates of a ReLU network keep changing; it measures no share.
    """
    _check_alike(before, after)
    edge = real(threshold)
    pairs = [(real(a), real(b)) for a, b in zip(before, after, strict=True)]
    apart = [jnp.where(jnp.isnan(a - b - edge), jnp.nan, (a > edge) != (b > edge)) for a, b in pairs]
    return jnp.stack([one.mean((-2, -1)) for one in apart], -1)


@given(before=timed_masks, after=timed_masks)
@exact
def gate_change(before: Gates, after: Gates) -> Float[Exact, "... layers"]:
    r"""Mean change of the gates of each layer, $\langle|G_l-G'_l|\rangle$; of gates that are 0 or 1, the share that flipped.

    **Arguments**

    - `before`, `after`: as for `flipped_gates`.

    **Returns** the mean of each layer, (..., layers), in the units of the gates; float64 NumPy unless traced.

    >>> gate_change([[[0.25, 1.0]]], [[[0.75, 1.0]]])
    array([0.25])

    **Source:** none; the share of `flipped_gates` for soft gates, without a threshold.
    """
    _check_alike(before, after)
    pairs = zip(before, after, strict=True)
    return jnp.stack([jnp.abs(real(a) - real(b)).mean((-2, -1)) for a, b in pairs], -1)


@given(before=timed_masks, after=timed_masks)
@exact
def subnetwork_overlap(before: Gates, after: Gates) -> Float[Exact, "... samples"]:
    r"""How much of the open paths of each sample is left at another time.

    $$\frac{\lambda_{tt'}}{\sqrt{\lambda_{tt}\lambda_{t't'}}}=\prod_l\frac{\langle G_l,G'_l\rangle}{|G_l||G'_l|},\qquad
    \lambda_{tt'}(s)=\prod_l\langle G_l(s),G'_l(s)\rangle$$

    With gates that are 0 or 1, $\lambda_{tt'}$ is the number of paths from one input node that are open at both times. The
    overlap is 1 if gates have not moved, and near $2^{-(d-1)}$ for d - 1 layers of unrelated gates that are half open.

    **Arguments**

    - `before`, `after`: as for `flipped_gates`.

    **Returns** the overlap for each sample, (..., samples), NaN where no path is open at one of the times; float64 NumPy unless
    traced.

    >>> subnetwork_overlap([[[1, 1]], [[1, 0]]], [[[1, 0]], [[1, 0]]]).round(4)
    array([0.7071])

    **Source:** paper 004, section 1 (similarity metric), there for two samples at one time.
    """
    _check_alike(before, after)
    overlap: Any = 1.0
    for a, b in zip(before, after, strict=True):
        one, two = real(a), real(b)
        size = jnp.sqrt((one**2).sum(-1) * (two**2).sum(-1))
        there = size > 0
        overlap = overlap * jnp.where(there, (one * two).sum(-1) / jnp.where(there, size, 1.0), jnp.nan)
    return overlap


def _check_alike(before: Gates, after: Gates) -> None:
    """As many layers, samples and gates; axes in front that can be paired."""
    if len(before) != len(after):
        raise UserError(
            f"before and after must have as many layers, but have {len(before)} and {len(after)}; take both from one network."
        )
    for at, pair in enumerate(zip(before, after, strict=True), 1):
        one, two = map(np.shape, pair)
        if one[-2:] != two[-2:] or not _pairs(one[:-2], two[:-2]):
            raise UserError(
                f"before and after must have the same samples and gates, but those of layer {at} have shapes {one} and {two}; "
                "take both from one network and the same inputs."
            )


def _pairs(one: tuple[int, ...], two: tuple[int, ...]) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(one[::-1], two[::-1], strict=False))
