"""Showing what was found: figures, the report, the ledger's page, the map, and what a terminal prints.

The names below are loaded when first used, so that the command line can use the light parts of this room at once.
"""

from typing import TYPE_CHECKING

from gatefield.core.lazy import lazy_names

if TYPE_CHECKING:
    from gatefield.show.figures import draw as draw
    from gatefield.show.figures import figure_kind as figure_kind
    from gatefield.show.figures import save as save
    from gatefield.show.figures import svg_text as svg_text
    from gatefield.show.holdings import describe_holding as describe_holding
    from gatefield.show.holdings import show_holdings as show_holdings
    from gatefield.show.holdings import total as total
    from gatefield.show.ledger.page import write_ledger_page as write_ledger_page
    from gatefield.show.ledger.terminal import show_ledger as show_ledger
    from gatefield.show.map.page import write_map as write_map
    from gatefield.show.map.terminal import show_map as show_map
    from gatefield.show.map.view import map_rows as map_rows
    from gatefield.show.map.view import map_view as map_view
    from gatefield.show.outcome import show_outcome as show_outcome
    from gatefield.show.report import write_report as write_report
    from gatefield.show.speed.terminal import show_finding as show_finding
    from gatefield.show.sweeps.picture import check_measure as check_measure
    from gatefield.show.sweeps.picture import draw_sweep as draw_sweep
    from gatefield.show.sweeps.section import sweep_sections as sweep_sections
    from gatefield.show.sweeps.terminal import show_state as show_state
    from gatefield.show.sweeps.terminal import show_sweep as show_sweep
    from gatefield.show.sweeps.terminal import state_words as state_words
    from gatefield.show.terminal import describe_experiment as describe_experiment
    from gatefield.show.terminal import show_experiments as show_experiments

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "figures": ["draw", "figure_kind", "save", "svg_text"],
        "holdings": ["describe_holding", "show_holdings", "total"],
        "ledger.page": ["write_ledger_page"],
        "ledger.terminal": ["show_ledger"],
        "map.page": ["write_map"],
        "map.terminal": ["show_map"],
        "map.view": ["map_rows", "map_view"],
        "outcome": ["show_outcome"],
        "report": ["write_report"],
        "speed.terminal": ["show_finding"],
        "sweeps.picture": ["check_measure", "draw_sweep"],
        "sweeps.section": ["sweep_sections"],
        "sweeps.terminal": ["show_state", "show_sweep", "state_words"],
        "terminal": ["describe_experiment", "show_experiments"],
    },
)
