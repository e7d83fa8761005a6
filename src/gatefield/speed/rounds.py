"""Rounds: every contestant once per round, in an order drawn anew, so that a load on the machine meets all alike."""

import resource
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pydantic

LEAST = 0.05
"""Seconds that a measurement is to last at least: a hundred times what starting and reading the clock can cost."""
MOST_IN_A_ROW = 20


class Spread(pydantic.BaseModel, frozen=True):
    """What several rounds gave."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Any) -> "Spread":
        """To four digits, which is more than a clock can tell.

        >>> Spread.of([3.0, 1.0, 2.00004])
        Spread(median=2.0, least=1.0, most=3.0)
        """
        return cls(median=digits(np.median(values)), least=digits(np.min(values)), most=digits(np.max(values)))


class Rounds(NamedTuple):
    """Seconds of one call: of each contestant an array over rounds."""

    wall: dict[str, np.ndarray]
    computed: dict[str, np.ndarray]
    """What all threads, and processes that were started, computed in this time."""


Seen = Callable[[str, Any], object]
"""Called with a contestant's name and what its call gave, outside of what is timed."""


def rounds(calls: Mapping[str, Callable[[], Any]], repeats: int, rng: np.random.Generator, seen: Seen) -> Rounds:
    """Time every call once per round.

    Each is called twice before: the first call compiles, the second tells how many calls in a row last long enough to be
    timed. Where that is more than one, an untimed one precedes them, so that nobody pays for what the one before left in the
    caches and in waiting threads.
    """
    in_a_row = {name: _how_many(call) for name, call in calls.items()}
    times = {name: np.empty((repeats, 2)) for name in calls}
    for i in range(repeats):
        for name in rng.permutation(list(calls)):
            times[name][i], result = _timed(calls[name], in_a_row[name])
            seen(str(name), result)
    return Rounds({name: t[:, 0] for name, t in times.items()}, {name: t[:, 1] for name, t in times.items()})


def digits(value: Any) -> float:
    """A number to four digits."""
    return float(f"{float(value):.4g}")


def _how_many(call: Callable[[], Any]) -> int:
    call()
    (seconds, _), _ = _timed(call, 1)
    return int(np.clip(LEAST / seconds, 1, MOST_IN_A_ROW))


def _timed(call: Callable[[], Any], times: int) -> tuple[tuple[float, float], Any]:
    """Seconds of one call, on the clock and computed, and what the last one gave."""
    result = call() if times > 1 else None
    begin, busy = time.perf_counter(), _computed()
    for _ in range(times):
        result = call()
    return ((time.perf_counter() - begin) / times, (_computed() - busy) / times), result


def _computed() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
