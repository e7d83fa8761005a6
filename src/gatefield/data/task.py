"""A binary task: two sources and their labels."""

import math
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.text.quoted import quoted
from gatefield.data.abstract_task import AbstractTask, Batch, DrawBatch
from gatefield.data.arrays import Draw, Parameter
from gatefield.data.numerics.words import split
from gatefield.data.source import Source, draws_of


class Task(AbstractTask):
    """Tell apart samples of two sources: x from `positive` has label y1, x from `negative` has label y0.

    A stratified batch of size B holds floor(p B) positive samples, then floor((1-p) B) negative ones, with p the
    proportion; if one sample is left over, it stands between them and its class is drawn, such that the mean share is p.
    In a batch that is not stratified, the class of each sample is drawn.

    **Arguments**

    - `positive`, `negative`: sources on the same number of sites.
    - `labels`: the pair (y1, y0).
    - `proportion`: p, strictly between 0 and 1.
    - `stratified`: whether class shares are exact in each batch.
    - `antithetic`: whether the samples of each class come in pairs x, -x. The law of each sample stays, and so does every mean.
      Means of odd functions over a class have no noise at all, those of even functions that of half as many samples; so the
      noise of a gradient changes, and only half of the random numbers are made. In a class with an odd number of samples, one
      has no partner (where a sample is left over as above, up to two). Both sources must be symmetric, the batch stratified.

    >>> import jax
    >>> from gatefield.data import Gaussian
    >>> task = Task(Gaussian(40, xi=2.0), Gaussian(40, xi=1.0), labels=(1.0, -1.0))
    >>> x, y = task.sample(jax.random.key(0), 4)
    >>> print(x.shape, y)
    (4, 40) [ 1.  1. -1. -1.]
    """

    positive: Source
    negative: Source
    positive_label: Parameter
    negative_label: Parameter
    proportion: float = eqx.field(static=True)
    stratified: bool = eqx.field(static=True)
    antithetic: bool = eqx.field(static=True)

    def __init__(
        self,
        positive: Source,
        negative: Source,
        labels: tuple[Any, Any] = (1.0, 0.0),
        *,
        proportion: float | int = 0.5,
        stratified: bool = True,
        antithetic: bool = False,
    ) -> None:
        self.positive, self.negative = _same_sites(positive, negative)
        self.positive_label, self.negative_label = _pair(labels)
        self.proportion = checks.proportion(proportion)
        self.stratified = checks.flag("stratified", stratified)
        self.antithetic = checks.flag("antithetic", antithetic)
        if self.antithetic:
            _check_pairs(positive, negative, self.stratified)

    @property
    def n(self) -> int:
        """Number of sites."""
        return self.positive.n

    @property
    def labels(self) -> tuple[Parameter, Parameter]:
        """The pair (y1, y0)."""
        return self.positive_label, self.negative_label

    def sampler(self) -> DrawBatch:
        mixed = _stratified if self.stratified else _independent
        positive, negative = draws_of(self.positive), draws_of(self.negative)
        if self.antithetic:
            positive, negative = _in_pairs(positive), _in_pairs(negative)
        inputs = mixed(positive, negative, self.proportion)
        high, low = real(self.positive_label), real(self.negative_label)

        def draw(key: PRNGKeyArray, size: int) -> Batch:
            x, is_positive = inputs(key, size)
            return x, jnp.where(is_positive, high, low)

        return draw


def _stratified(positive: Draw, negative: Draw, proportion: float) -> Callable:
    """Exact class shares, positive samples first; for a sample left over, one of each class is drawn and one is kept."""

    def draw(key: PRNGKeyArray, size: int) -> tuple[Array, Array]:
        first, left, chance = _split(size, proportion)
        key1, key0, key_class = split(key, 3)
        x1, x0 = positive(key1, first + left), negative(key0, size - first)
        if not left:
            return jnp.concatenate([x1, x0]), jnp.arange(size) < first
        heads = jax.random.bernoulli(key_class, chance)
        middle = jnp.where(heads, x1[first:], x0[:1])
        return jnp.concatenate([x1[:first], middle, x0[1:]]), jnp.arange(size) < first + heads

    return draw


def _independent(positive: Draw, negative: Draw, proportion: float) -> Callable:
    """Each sample's class is drawn by itself."""

    def draw(key: PRNGKeyArray, size: int) -> tuple[Array, Array]:
        key1, key0, key_class = split(key, 3)
        is_positive = jax.random.bernoulli(key_class, proportion, (size,))
        return jnp.where(is_positive[:, None], positive(key1, size), negative(key0, size)), is_positive

    return draw


def _in_pairs(draw: Draw) -> Draw:
    """The first half as drawn, the second its mirror image."""

    def pairs(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
        x = draw(key, -(-size // 2))
        return jnp.concatenate([x, -x[: size // 2]])

    return pairs


def _check_pairs(positive: Source, negative: Source, stratified: bool) -> None:
    if not stratified:
        raise UserError("antithetic=True needs stratified=True, so that both samples of a pair have one class.")
    for source in (positive, negative):
        if not source.symmetric:
            raise UserError(
                f"antithetic=True needs symmetric sources, of which x and -x have one law, but {quoted(source)} is not known "
                "to be symmetric; leave antithetic out."
            )


def _split(size: int, proportion: float) -> tuple[int, int, float]:
    """How many samples are positive for sure, whether one is left over, and the chance that this one is positive."""
    share = proportion * size
    whole = round(share) if abs(share - round(share)) < 1e-9 * size else math.floor(share)
    return whole, int(share - whole > 1e-9 * size), max(share - whole, 0.0)


def _same_sites(positive: Source, negative: Source) -> tuple[Source, Source]:
    for name, source in (("positive", positive), ("negative", negative)):
        if not isinstance(source, Source):
            raise UserError(f"{name} must be a source, such as Gaussian(40, xi=2.0), but is {quoted(source)}.")
    if positive.n != negative.n:
        raise UserError(
            f"Both sources of a task must have the same number of sites, but have {positive.n} and {negative.n}; "
            "give both the same n."
        )
    return positive, negative


def _pair(labels: Any) -> tuple[Any, Any]:
    try:
        high, low = labels
    except (TypeError, ValueError):
        raise UserError(f"labels must be a pair (y1, y0), such as (1.0, 0.0), but is {quoted(labels)}.") from None
    return checks.finite("each of the labels", high), checks.finite("each of the labels", low)
