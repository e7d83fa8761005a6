"""Gates that are open, gates that move, and the sub-networks they make."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, ScalarLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.measures.inputs import masks

Gates = Sequence[Real[Exact, "samples _width"] | Bool[Exact, "samples _width"] | Sequence]
Masks = list[Bool[Exact, "samples _width"]]
ROUNDING = 1e-12
"""Of a sum of many parts, so that all of them reach the whole."""


def _share(name: str, value: Any) -> None:
    """One number between 0 and 1."""
    checks.number(name, value)
    checks.real(name, value, "strictly between 0 and 1", lambda x: (x > 0) & (x < 1))


@given(gates=masks, threshold=checks.number)
@exact
def active_gates(gates: Gates, threshold: ScalarLike) -> Masks:
    """Gates above a threshold.

    **Arguments**

    - `gates`: those of each layer, (samples, width).
    - `threshold`: from which value on a gate is active.

    **Returns** one mask (samples, width) for each layer.

    >>> active_gates([np.array([[0.2, 0.95]])], 0.9)
    [array([[False,  True]])]

    **Source:** paper 004, section 3.1.
    """
    return [jnp.asarray(gate) > real(threshold) for gate in gates]


@given(sensitivities=masks)
def sensitive_gates(sensitivities: Gates, threshold: ScalarLike) -> Masks:
    """Gates whose largest derivative by one weight exceeds a threshold.

    **Arguments**

    - `sensitivities`: the `gates` of `kernels.gate_sensitivity`.
    - `threshold`: from `sensitivity_threshold`, if sensitive gates must not be active ones.

    **Returns** one mask (samples, width) for each layer.

    >>> sensitive_gates([np.array([[0.2, 0.95]])], 0.9)
    [array([[False,  True]])]

    **Source:** paper 004, section 3.1.
    """
    return active_gates(sensitivities, threshold)


@given(active=checks.number, beta=checks.number, eps=checks.number, bound=checks.number)
def sensitivity_threshold(active: float, beta: float, eps: float, bound: float) -> float:
    r"""The threshold from which on no gate above `active` is sensitive.

    $$\tau_S = \beta\,\tau_A\Big(1-\frac{\tau_A}{1+\epsilon}\Big)B$$

    **Arguments**

    - `active`: threshold $\tau_A$ of active gates, from (1 + eps)/2, where the slope begins to fall, to 1 + eps.
    - `beta`, `eps`: the soft gate.
    - `bound`: B, the largest |dq/dtheta| (`kernels.gate_sensitivity(...).sums`).

    **Returns** $\tau_S$.

    >>> round(sensitivity_threshold(0.9, 4.0, 0.1, 2.0), 4)
    1.3091

    **Source:** paper 004, section 3.1, corrected: the printed threshold has the wrong sign and lacks beta and B.
    """
    beta, bound = checks.positive("beta", beta), checks.positive("bound", bound)
    eps = checks.real("eps", eps, "zero or more and finite", lambda e: (e >= 0) & np.isfinite(e))
    top = 1 + float(eps)
    rule = f"between (1 + eps)/2 = {top / 2:g} and 1 + eps = {top:g}, where the slope of a gate falls as it opens"
    active = checks.real("active", active, rule, lambda a: (a >= top / 2) & (a < top))
    return float(beta * active * (1 - active / top) * bound)


@given(parts=masks, by=masks, share=_share)
@exact
def carrying_share(parts: Gates, by: Gates | None = None, share: ScalarLike = 0.9) -> Float[Exact, ""]:
    r"""The share of gates that carries most of a sum, such as 90 % of the trace of K^a.

    $$\min\Big\{\frac kN:\ \sum_{j\le k}c_{\pi(j)}\ge r\sum_j c_j\Big\}$$

    over all N pairs of a sample and a gate, in the order $\pi$ of falling `by`. Unlike a set of sensitive gates it needs no
    threshold, and is never empty. It is r where all parts are alike, and small where few gates do the work.

    **Arguments**

    - `parts`: c, what each gate adds, (samples, width) for each layer, as from `kernels.gate_parts`.
    - `by`: what gates are ranked by, such as their slopes; by their parts themselves by default.
    - `share`: r, between 0 and 1.

    **Returns** a share between 0 and 1; NaN where the parts do not add up to more than 0.

    >>> float(carrying_share([np.array([[8.0, 1.0, 1.0, 0.0]])]))
    0.5
    >>> float(carrying_share([np.array([[8.0, 1.0, 1.0, 0.0]])], by=[np.array([[1.0, 2.0, 3.0, 4.0]])]))
    1.0

    **Source:** derived here for paper 004, section 3.1.
    """
    ranks = parts if by is None else by
    shapes, others = [np.shape(part) for part in parts], [np.shape(rank) for rank in ranks]
    if shapes != others:
        raise UserError(f"by must have the shapes {shapes} of the parts, not {others}; take both from one network.")
    flat, rank = (jnp.concatenate([real(part).ravel() for part in each]) for each in (parts, ranks))
    reached = jnp.cumsum(flat[jnp.argsort(-rank)])
    known = (flat.sum() > 0) & ~jnp.isnan(rank).any() & ~jnp.isnan(real(share))
    first = jnp.argmax(reached >= real(share) * flat.sum() * (1 - ROUNDING))
    return jnp.where(known, (first + 1.0) / flat.size, jnp.nan)


@given(active=masks, sensitive=masks, inputs=checks.count)
@exact
def subnetwork_sizes(
    active: Gates, sensitive: Gates | None = None, inputs: int = 1
) -> tuple[Float[Exact, " samples"], Float[Exact, " samples"]]:
    """Paths of the active and of the sensitive sub-network of each sample.

    An active path has an active gate in every layer; a sensitive one has a sensitive gate in one layer and active gates in
    all others.

    **Arguments**

    - `active`, `sensitive`: masks as from `active_gates` and `sensitive_gates`, of gates that are never both.
    - `inputs`: how many input nodes there are.

    **Returns** both numbers for each sample, as floats, because they grow like width^(d-1); float64 NumPy unless traced.

    >>> active, sensitive = [np.array([[1, 1, 0]]), np.array([[1, 0, 0]])], [np.array([[0, 0, 1]]), np.array([[0, 1, 1]])]
    >>> subnetwork_sizes(active, sensitive)
    (array([2.]), array([5.]))

    **Source:** paper 004, section 3.1.
    """
    open_counts = jnp.stack([real(mask).sum(-1) for mask in active])
    if sensitive is None:
        return inputs * jnp.prod(open_counts, 0), jnp.zeros(open_counts.shape[1:])
    _alike(active, sensitive)
    moving: Any = jnp.stack([real(mask).sum(-1) for mask in sensitive])
    layers = range(len(active))
    one_moves = sum(moving[at] * jnp.prod(jnp.delete(open_counts, at, axis=0), 0) for at in layers)
    return inputs * jnp.prod(open_counts, 0), inputs * jnp.asarray(one_moves)


class PathShares(NamedTuple):
    """Of all paths of each sample, the shares of some."""

    active: Float[Exact, " samples"]
    """All gates are active."""
    sensitive: Float[Exact, " samples"]
    """Some gate is sensitive, and all others are active."""
    both: Float[Exact, " samples"]
    """All gates are active, and one or more of them sensitive."""
    through: Float[Exact, " samples"]
    """One or more gates are sensitive, whatever the others are."""
    layers: Float[Exact, "samples layers"]
    """The gate of this layer is sensitive, and all others are active."""


@given(active=masks, sensitive=masks)
@exact
def path_shares(active: Gates, sensitive: Gates) -> PathShares:
    r"""Shares of all paths of a dense network that are active, sensitive, or both.

    With $a_l$, $s_l$, $b_l$ the shares of gates of layer l that are active, sensitive, and both, for one sample:

    $$\text{active: } \prod_l a_l,\qquad \text{layer } l\text{: } s_l\prod_{m\ne l}a_m,\qquad
    \text{both: } \prod_l a_l-\prod_l(a_l-b_l),$$
    $$\text{sensitive: both} + \sum_l (s_l-b_l)\prod_{m\ne l}a_m,\qquad \text{through: } 1-\prod_l(1-s_l)$$

    If no gate is both, as with `sensitivity_threshold`, no path is, and the shares of the layers add up to that of sensitive
    paths, as `subnetwork_sizes` counts them.

    **Arguments**

    - `active`, `sensitive`: masks of each layer, (samples, width), as from `active_gates` and `sensitive_gates`.

    **Returns** a `PathShares`: each share for each sample, and those of the layers for each sample and layer.

    >>> active, sensitive = [np.array([[1, 1, 0]]), np.array([[1, 0, 0]])], [np.array([[0, 0, 1]]), np.array([[0, 1, 1]])]
    >>> found = path_shares(active, sensitive)
    >>> [round(float(share[0]) * 9) for share in found[:4]]
    [2, 5, 0, 7]

    **Source:** paper 004, section 3.1; shares by the product over layers.
    """
    _alike(active, sensitive)
    on, steep = ([real(mask) for mask in each] for each in (active, sensitive))
    a, s = (jnp.stack([mask.mean(-1) for mask in each], -1) for each in (on, steep))
    b = jnp.stack([(one * other).mean(-1) for one, other in zip(on, steep, strict=True)], -1)
    rest = jnp.stack([jnp.prod(jnp.delete(a, at, axis=-1), -1) for at in range(len(on))], -1)
    whole = jnp.prod(a, -1)
    both = whole - jnp.prod(a - b, -1)
    return PathShares(whole, both + ((s - b) * rest).sum(-1), both, 1 - jnp.prod(1 - s, -1), s * rest)


def _alike(active: Gates, sensitive: Gates) -> None:
    """Masks of the same gates."""
    if len(sensitive) != len(active):
        raise UserError(
            f"{len(active)} layers of active gates need as many of sensitive ones, not {len(sensitive)}; give both for all."
        )
    apart = [at for at, pair in enumerate(zip(active, sensitive, strict=True), 1) if np.shape(pair[0]) != np.shape(pair[1])]
    if apart:
        raise UserError(f"active and sensitive gates of layer {apart[0]} must have the same shape; take both from one network.")
