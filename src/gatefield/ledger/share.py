"""Formulas shared out among helpers."""

import collections
import threading
from collections.abc import Callable, Sequence

from gatefield.ledger.formula import Finding, Formula

Examine = Callable[[Formula], Finding]
_Left = collections.deque[tuple[int, Formula]]


def examine_all(
    formulas: Sequence[Formula], examine: Examine, begin: Callable[[Formula, int], object], helpers: Sequence[Examine] = ()
) -> tuple[Finding, ...]:
    """The findings of all formulas, in order.

    Formulas next to each other have compiled programs in common: this thread goes from the first on, helpers, each in a thread
    of its own, from the last back. What a helper cannot answer is examined here.

    **Arguments**

    - `examine`: what is done here.
    - `begin`: called before each formula that is examined here, with it and the number of findings so far.
    - `helpers`: what else gives the finding of a formula; one that raises an error is not asked again.
    """
    left: _Left = collections.deque(enumerate(formulas))
    found: dict[int, Finding] = {}
    threads = [threading.Thread(target=_help, args=(helper, left, found), daemon=True) for helper in helpers]
    for thread in threads:
        thread.start()
    try:
        _examine_here(left, found, examine, begin)
        for thread in threads:
            thread.join()
        _examine_here(left, found, examine, begin)  # what a helper gave back
    finally:
        left.clear()  # so that after an error or an interruption helpers end
    return tuple(found[place] for place in range(len(formulas)))


def _examine_here(left: _Left, found: dict[int, Finding], examine: Examine, begin: Callable[[Formula, int], object]) -> None:
    while left:
        try:
            place, formula = left.popleft()
        except IndexError:  # a helper was faster
            return
        begin(formula, len(found))
        found[place] = examine(formula)


def _help(helper: Examine, left: _Left, found: dict[int, Finding]) -> None:
    while left:
        try:
            place, formula = left.pop()
        except IndexError:
            return
        try:
            found[place] = helper(formula)
        except Exception:  # whatever became of the helper: the formula is examined without it
            left.append((place, formula))
            return
