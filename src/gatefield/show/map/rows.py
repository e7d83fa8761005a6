"""The rows of the map: items of the sources joined with the ledger, the experiments, and verdicts at full size."""

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gatefield import experiments
from gatefield.core.errors import unknown_name
from gatefield.ledger import Formula, Item, formulas, inventory
from gatefield.show.map.quoted import Quote, kept_quotes
from gatefield.show.map.status import OPPOSITE, OUTCOMES, Status, together


class Judged(NamedTuple):
    """Part of a claim that an item names, and the verdicts at full size on claims with that part."""

    experiment: str
    part: str
    quotes: tuple[Quote, ...]


@dataclasses.dataclass(frozen=True)
class Row:
    """An item, what gatefield has of it, and what became of it."""

    item: Item
    formulas: tuple[Formula, ...]
    judged: tuple[Judged, ...]

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """All verdicts at full size on its claims."""
        return tuple(quote for judged in self.judged for quote in judged.quotes)

    @property
    def unkept(self) -> tuple[Judged, ...]:
        """Parts of claims on which no verdict at full size is kept."""
        return tuple(judged for judged in self.judged if not judged.quotes)

    @property
    def anchor(self) -> str:
        return f"map-{self.item.source}-{self.item.name}"

    @property
    def status(self) -> Status:
        if self.item.kind == "question":
            return "answered" if self.item.answer else "open"
        found: list[Status] = [formula.status for formula in self.formulas]
        if not found:
            found = [(OPPOSITE if quote.against else OUTCOMES)[quote.outcome] for quote in self.quotes]
        if self.item.conditional and set(found) == {"holds"}:
            return "holds with a condition"
        if found or self.unkept:
            return together(found) if found else "open"
        return "implemented" if self.item.shown_by or self.item.functions else "not reproduced"

    @property
    def answer(self) -> str:
        """The answer with its numbers."""
        return self.item.answer.format(*(one.quotes[0].number if one.quotes else "…" for one in self.judged))

    @property
    def missing(self) -> str:
        """What is missing: as the item says, and verdicts at full size."""
        lacking = dict[str, list[str]]()
        for one in self.unkept:
            lacking.setdefault(one.experiment, []).append(f"“{one.part}”")
        verdicts = [f"A verdict at full size of {name} on {', '.join(parts)}." for name, parts in lacking.items()]
        return " ".join(filter(None, [self.item.missing, *verdicts]))


def rows() -> tuple[Row, ...]:
    """All rows, source by source.

    >>> row = next(row for row in rows() if row.item.source == "002" and row.item.name == "amplitude")
    >>> row.item.place, row.status
    ('equation 25', 'corrected')
    """
    known = {formula.name: formula for formula in formulas()}
    return tuple(joined(item, known) for item in inventory())


def joined(item: Item, known: Mapping[str, Formula]) -> Row:
    """The row of an item; names that neither the ledger nor the experiments have are refused."""
    for name in item.shown_by:
        if name not in experiments.names():
            raise unknown_name(f"experiment of {item.source}, {item.name}", name, experiments.names())
    for name in item.formulas:
        if name not in known:
            raise unknown_name(f"formula of {item.source}, {item.name}", name, known)
    judged = (Judged(experiment, part, _quotes(experiment, part, against)) for experiment, part, against in parts(item))
    return Row(item, tuple(known[name] for name in item.formulas), tuple(judged))


def parts(item: Item) -> Iterator[tuple[str, str, bool]]:
    """Experiment, part of a claim, and whether that claim says the opposite."""
    for against, named in ((False, item.verdicts), (True, item.against)):
        for experiment, texts in named.items():
            for text in texts:
                yield experiment, text, against


def _quotes(experiment: str, part: str, against: bool) -> tuple[Quote, ...]:
    found = (quote for quote in _kept().get(experiment, ()) if part in quote.claim)
    return tuple(dataclasses.replace(quote, against=against) for quote in found)


@functools.cache
def _kept() -> dict[str, tuple[Quote, ...]]:
    return kept_quotes()
