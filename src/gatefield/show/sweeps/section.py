"""What the report says of the sweeps of a store."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import matplotlib.pyplot as plt

from gatefield.core.errors import StoreError, UserError
from gatefield.lab import Plan, Store, open_sweep, plans, state_of
from gatefield.show.figures import svg_text
from gatefield.show.sweeps.picture import first_map
from gatefield.show.sweeps.terminal import state_words


@dataclass(frozen=True)
class SweepSection:
    """A sweep, ready to be laid out: counts, errors, its map as SVG if there is something to draw, or what is wrong with it."""

    name: str
    counts: str
    errors: tuple[str, ...] = ()
    picture: bytes = b""
    open: str = ""

    @property
    def alt(self) -> str:
        return f"The first measure of the sweep {self.name} over its first axes"


def sweep_sections(store: Store) -> Iterator[SweepSection]:
    """All sweeps of a store; one that cannot be read says so."""
    for plan in plans(store):
        if isinstance(plan, StoreError):
            yield SweepSection("a sweep", str(plan))
            continue
        try:
            yield _section(store, plan)
        except UserError as error:
            yield SweepSection(plan.name, str(error))


def _section(store: Store, plan: Plan) -> SweepSection:
    state = state_of(store, plan)
    figure = first_map(open_sweep(plan.name, store))
    if figure is not None:
        plt.close(figure)
    return SweepSection(
        name=plan.name,
        counts=state_words(state, timed=False),
        errors=tuple(f"{count} failed: {text}" for text, count in state.errors.items()),
        picture=b"" if figure is None else svg_text(figure).encode(),
        open=f'gatefield.lab.open_sweep("{plan.name}", {shlex.quote(str(store.root))!r})',
    )
