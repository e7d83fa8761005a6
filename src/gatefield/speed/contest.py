"""A contest: the same work done by gatefield and by peers, and how many times as fast gatefield is."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pydantic

from gatefield.speed.rounds import Rounds, Spread, digits, rounds


@dataclass(frozen=True)
class Contestant:
    """Who does the work: `call` returns when it is done."""

    name: str
    call: Callable[[], Any]
    amount: int | float = 1
    """How much one call does, in units of the contest: a slow peer may take fewer steps."""


@dataclass(frozen=True)
class Missing:
    """A peer that cannot take part, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Contest:
    """One kind and size of work, and who does it."""

    name: str
    unit: str
    """What times are given for, such as "step"."""
    ours: Contestant
    peers: Sequence[Contestant | Missing]
    error: Callable[[Any], float] | None = None
    """The relative error of what a call gave, where there is an independent reference."""


class Timed(pydantic.BaseModel, frozen=True):
    """One contestant: times per unit, in milliseconds; `ratio` says how many times as long as gatefield it took."""

    name: str
    ratio: Spread | None = None
    ms: Spread | None = None
    computed_ms: float | None = None
    """The median of what all its threads computed."""
    error: float | None = None
    """Root mean square over rounds, where there is a reference."""
    missing: str = ""


class Standing(pydantic.BaseModel, frozen=True):
    """What came of a contest."""

    kind: Literal["contest"] = "contest"
    contest: str
    unit: str
    ours: Timed
    peers: list[Timed]
    load: float
    """How many processes computed at the end, in the mean of a minute: more than ours, and the times say little."""


def hold(contest: Contest, repeats: int, rng: np.random.Generator) -> Standing:
    """Hold a contest.

    **Arguments**

    - `contest`: who does what.
    - `repeats`: rounds; the ratio of a round is taken within it, so that a load that changes changes both sides.
    - `rng`: draws the order in each round.

    **Returns** the standing: medians over rounds, with least and most.

    >>> import numpy as np
    >>> work = Contest("sum", "sum", Contestant("ours", lambda: sum(range(9))), [Missing("theirs", "not installed: theirs")])
    >>> standing = hold(work, 2, np.random.default_rng(0))
    >>> standing.ours.ratio, standing.peers[0].missing
    (None, 'not installed: theirs')
    """
    here = [contest.ours, *(peer for peer in contest.peers if isinstance(peer, Contestant))]
    errors: dict[str, list[float]] = {one.name: [] for one in here}

    def seen(name: str, result: Any) -> None:
        if contest.error:
            errors[name].append(contest.error(result))

    found = rounds({one.name: one.call for one in here}, repeats, rng, seen)
    timed = {one.name: _timed(one, contest.ours, found, errors[one.name]) for one in here}
    peers = [timed[peer.name] if peer.name in timed else _absent(peer) for peer in contest.peers]
    return Standing(
        contest=contest.name, unit=contest.unit, ours=timed[contest.ours.name], peers=peers, load=round(os.getloadavg()[0], 1)
    )


def _timed(one: Contestant, ours: Contestant, found: Rounds, errors: list[float]) -> Timed:
    ms = 1e3 * found.wall[one.name] / one.amount
    reference = 1e3 * found.wall[ours.name] / ours.amount
    return Timed(
        name=one.name,
        ratio=None if one is ours else Spread.of(ms / reference),
        ms=Spread.of(ms),
        computed_ms=digits(1e3 * np.median(found.computed[one.name]) / one.amount),
        error=digits(np.sqrt(np.mean(np.square(errors)))) if errors else None,
    )


def _absent(peer: Contestant | Missing) -> Timed:
    assert isinstance(peer, Missing)
    return Timed(name=peer.name, missing=peer.why)
