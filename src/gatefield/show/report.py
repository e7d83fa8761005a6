"""The report: one page that needs nothing but itself."""

import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from gatefield import experiments
from gatefield.core.text.words import number, slug
from gatefield.core.version import __version__
from gatefield.lab import Experiment, write_file
from gatefield.ledger import Ledger
from gatefield.show.ledger import view
from gatefield.show.mathml import equations, mathml
from gatefield.show.plain_math import plain_math, sentence
from gatefield.show.scripts import script, script_policy
from gatefield.show.sections import Gap, Section, read
from gatefield.show.terminal import MARKS, origin, tally


def write_report(
    entries: Iterable[Any],
    path: str | Path,
    *,
    find: Callable[[str], Experiment] = experiments.get,
    ledger: Ledger | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
    tell: Callable[[str], object] = lambda what: None,
) -> Path:
    """Write the page of everything in a store: figures, verdicts and how each was made, and the last check of the ledger.

    Figures that were drawn before are taken as they are, where neither record nor code has changed. The page holds its figures
    and its style, asks for nothing from outside, and is the same, byte for byte, for the same
    store. Entries that are unfinished or cannot be read are named with what to do; they never keep the page from being made.

    **Arguments**

    - `entries`: those of a `gatefield.lab.Store`.
    - `path`: the HTML file to write.
    - `find`: from an experiment's name to the experiment; where it raises a `UserError`, verdicts and figure are shown as they
      were kept when the experiment was last run.
    - `ledger`: the last check in the store, if there is one.
    - `progress`: called after each entry with the entries done and the entries in all.
    - `tell`: called with a sentence for each finished entry that cannot be shown.

    **Returns** where the page is.
    """
    entries, items = list(entries), list[Section | Gap]()
    for entry in entries:
        items.append(read(entry, find))
        progress(len(items), len(entries))
    items.sort(key=_rank)
    sections = [item for item in items if isinstance(item, Section)]
    gaps = [item for item in items if isinstance(item, Gap)]
    for gap in gaps:
        if not gap.unfinished:
            tell(f"{gap.name} is not shown: {gap.what}")
    return write_file(Path(path), page(sections, gaps, ledger).encode(errors="backslashreplace"))


def _rank(item: Section | Gap) -> tuple[int, str, str]:
    """Experiments in the order in which they are listed."""
    names = experiments.names()
    return names.index(item.name) if item.name in names else len(names), item.name, item.path


def page(sections: Sequence[Section], gaps: Sequence[Gap], ledger: Ledger | None = None) -> str:
    """The HTML text."""
    verdicts = [verdict for section in sections for verdict in section.verdicts]
    template = environment().get_template("report.html")
    checked = None if ledger is None else view(ledger)
    return template.render(sections=sections, gaps=gaps, verdicts=verdicts, ledger=checked, version=__version__, marks=MARKS)


def environment() -> jinja2.Environment:
    """What all pages are made with."""
    loader = jinja2.PackageLoader("gatefield.show", "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters |= {"number": number, "paragraphs": _paragraphs, "origin": origin, "tally": tally}
    environment.filters |= {"equations": equations, "math": mathml, "plain_math": plain_math, "slug": slug}
    environment.filters |= {"script": script, "sentence": sentence, "script_policy": script_policy}
    return environment


def _paragraphs(text: str) -> list[Markup]:
    """Blank lines part paragraphs, and `words between backticks` are code.

    >>> _paragraphs("Turn `gain` up.")
    [Markup('Turn <code>gain</code> up.')]
    """
    blocks = [" ".join(block.split()) for block in textwrap.dedent(text).strip().split("\n\n")]
    return [_code_spans(block) for block in blocks if block]


def _code_spans(block: str) -> Markup:
    parts = block.split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner stays as it is
        return Markup.escape(block)
    return Markup("").join(Markup("<code>{}</code>").format(part) if odd % 2 else part for odd, part in enumerate(parts))
