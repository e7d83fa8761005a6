"""`gatefield store`."""

import dataclasses
import difflib
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from gatefield.cli.messages import report_error, to_stderr
from gatefield.cli.store_option import Store, check_store, default_store, of_store
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted

if TYPE_CHECKING:
    from gatefield.lab import Holding, Plan

REMOVE = "remove"


@dataclasses.dataclass(frozen=True)
class Inventory:
    """What the store holds: each entry and sweep with its state and size; `store remove NAME-ID...` removes some for good."""

    words: Annotated[tuple[str, ...], Positional, arg(metavar="[remove] [NAME-ID...]", help_behavior_hint="")] = ()
    """Entries and sweeps to tell more of, as they are listed: NAME-ID, or NAME for all of an experiment. After the word remove:
    those to be removed."""

    yes: Annotated[bool, arg(help_behavior_hint="")] = False
    """Remove without a question."""

    store: Store = dataclasses.field(default_factory=default_store)

    def __call__(self) -> int:
        removes, names = self.words[:1] == (REMOVE,), self.words[self.words[:1] == (REMOVE,) :]
        if removes and not names:
            raise UserError("Nothing is named to be removed: give names that `gatefield store` lists, NAME-ID or NAME.")
        if self.yes and not removes:
            raise UserError(
                "The option --yes belongs to `gatefield store remove NAME-ID`: leave it out, or say what to remove."
            )
        from gatefield import lab

        check_store(self.store)
        found = lab.holdings(lab.Store(self.store))
        plans = list(lab.plans(lab.Store(self.store)))
        for problem in plans:
            if not isinstance(problem, lab.Plan):
                to_stderr(f"gatefield: {problem}")
        sweeps = {plan.name: plan for plan in plans if isinstance(plan, lab.Plan)}
        named = _named(found, [name for name in names if name not in sweeps], self.store)
        chosen = [plan for name, plan in sweeps.items() if name in names or not names]
        if removes:
            return self._remove(named, chosen)
        self._show(named if names else found, chosen, fully=bool(names))
        return 0

    def _show(self, holdings: "Sequence[Holding]", sweeps: "Sequence[Plan]", *, fully: bool) -> None:
        from rich.console import Console

        from gatefield import experiments, lab, show

        if fully:
            for holding in holdings:
                show.describe_holding(holding, experiments.get, Console())
        elif holdings:
            show.show_holdings(holdings, experiments.get, Console())
        for plan in sweeps:
            store = lab.Store(self.store)
            show.show_sweep(lab.state_of(store, plan), lab.own_blocks(store, plan), Console(), fully=fully)
        if not holdings and not sweeps:
            to_stderr(f"gatefield: the store '{self.store}' holds no entries yet.")

    def _remove(self, holdings: "Sequence[Holding]", sweeps: "Sequence[Plan]") -> int:
        """Those that can be removed; what keeps one of them does not keep the others."""
        from gatefield import lab

        store = lab.Store(self.store)
        if not self.yes and not _is_confirmed(holdings, {plan.name: lab.own_blocks(store, plan) for plan in sweeps}):
            print("Nothing is removed.")
            return 0
        entries = [_removed(holding.name, functools.partial(lab.remove, holding)) for holding in holdings]
        return max(entries + [_removed(plan.name, functools.partial(lab.remove_sweep, store, plan)) for plan in sweeps])


def _removed(name: str, remove: Callable[[], None]) -> int:
    try:
        remove()
    except UserError as error:
        return report_error(error)
    print(f"removed: {name}", flush=True)
    return 0


def _is_confirmed(holdings: "Sequence[Holding]", sweeps: "Mapping[str, Sequence[Holding]]") -> bool:
    """Ask in a terminal; elsewhere nobody could answer."""
    from gatefield.show import total

    if not (sys.stdin and sys.stdin.isatty()):
        raise UserError("What is removed is gone for good, and here nobody can be asked: add --yes to remove it.")
    for holding in holdings:
        print(f"  {holding.name}, {holding.state}")
    for name, blocks in sweeps.items():
        print(f"  the sweep {name}, {len(blocks)} blocks")
    both = [*holdings, *(block for blocks in sweeps.values() for block in blocks)]
    print(f"Remove {total(both)}, for good? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _named(holdings: "Sequence[Holding]", words: Sequence[str], store: Path) -> "list[Holding]":
    """Those with such names, or of such experiments, each once."""
    found: dict[str, Holding] = {}
    for word in words:
        meant = {holding.name: holding for holding in holdings if word in (holding.name, holding.experiment)}
        if not meant:
            raise unknown_entry(word, holdings, store)
        found |= meant
    return list(found.values())


def unknown_entry(word: str, holdings: "Sequence[Holding]", store: Path) -> UserError:
    """The sentence for a name that nothing has: names that begin like it, else those that are spelt alike."""
    names = list(dict.fromkeys(name for holding in holdings for name in (holding.experiment, holding.name)))
    near = [name for name in names if word and name.startswith(word)][:3] or difflib.get_close_matches(word, names)
    hint = f"did you mean {' or '.join(map(quoted, near))}? " if near else ""
    where = quoted(str(store))
    lists = of_store("gatefield store", store)
    return UserError(f"Nothing in the store {where} is called {quoted(word)}: {hint}`{lists}` lists what there is.")
