"""The report: one page that needs nothing but itself."""

import textwrap
from collections import Counter
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
from gatefield.show import forest
from gatefield.show.ledger.view import view
from gatefield.show.map.view import map_view
from gatefield.show.mathml import equations, mathml
from gatefield.show.plain_math import plain_math, sentence
from gatefield.show.scripts import script, script_policy
from gatefield.show.sections import Gap, Section, data_address, read
from gatefield.show.sweeps.section import SweepSection
from gatefield.show.terminal import MARKS, headcount, origin, parted, tally


def write_report(
    entries: Iterable[Any],
    path: str | Path,
    *,
    find: Callable[[str], Experiment] = experiments.get,
    ledger: Ledger | None = None,
    sweeps: Iterable[SweepSection] = (),
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
    - `sweeps`: those of the store, as `sweep_sections` gives them.
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
    return write_file(Path(path), page(sections, gaps, ledger, list(sweeps)).encode(errors="backslashreplace"))


def _rank(item: Section | Gap) -> tuple[int, str, str]:
    """Experiments in the order in which they are listed."""
    names = experiments.names()
    return names.index(item.name) if item.name in names else len(names), item.name, item.path


def page(
    sections: Sequence[Section], gaps: Sequence[Gap], ledger: Ledger | None = None, sweeps: Sequence[SweepSection] = ()
) -> str:
    """The HTML text."""
    verdicts = [verdict for section in sections for verdict in section.verdicts]
    template = environment().get_template("report.html")
    return template.render(
        asked=_asked(sections),
        groups=_groups(sections),
        sections=sections,
        forest=forest.rows(sections),
        ticks=[(forest.place(margin), words) for margin, words in forest.TICKS],
        gaps=gaps,
        sweeps=sweeps,
        verdicts=verdicts,
        parted=parted,
        kinds=_counted(verdict.kind for verdict in verdicts),
        outcomes=_counted(verdict.outcome for verdict in verdicts),
        ledger=None if ledger is None else view(ledger),
        map=map_view(_places(sections, ledger)) if len(sections) > FEW else None,
        few=FEW,
        version=__version__,
        marks=MARKS,
        scripts=["filter.js", "download.js", "print.js"] if sections else [],
    )


FEW = 2
"""Up to so many experiments a page needs no contents, and shows claims unfolded."""


def _places(sections: Sequence[Section], ledger: Ledger | None) -> dict[str, str]:
    """Where the page has each experiment and formula."""
    formulas = {finding.name: f"#formula-{finding.name}" for finding in (ledger.findings if ledger else ())}
    return formulas | {section.name: f"#{section.anchor}" for section in reversed(sections)}


QUESTIONS = {
    "fields": "Which data make a neuron localize?",
    "gates": "What do gates do in a network?",
    "cube": "What does one neuron do on the corners of a cube?",
    "deep": "What do gates do in a deep network?",
    "convolution": "What do gates do in a convolutional network?",
}
"""What is asked by the experiments of each subject."""


def _asked(sections: Sequence[Section]) -> str:
    """The question that heads a page: of one experiment its own, of one subject that of the subject."""
    subjects = list(dict.fromkeys(section.subject for section in sections))
    if len({section.name for section in sections}) == 1:
        return sections[0].title
    if len(subjects) == 1 and subjects[0] in QUESTIONS:
        return QUESTIONS[subjects[0]]
    return "Gated networks, and the fields they learn"


def _groups(sections: Sequence[Section]) -> list[tuple[str, str, list[Section]]]:
    """By subject: an anchor, its name for readers, and its sections."""
    subjects = dict.fromkeys(section.subject for section in sections)
    names = {**experiments.SUBJECTS, "": "Studies of your own"}
    return [
        (
            f"subject-{at}",
            names.get(subject, f"From the package {subject}"),
            [one for one in sections if one.subject == subject],
        )
        for at, subject in enumerate(subjects)
    ]


def _counted(words: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(words).items(), key=lambda pair: -pair[1])


def environment() -> jinja2.Environment:
    """What all pages are made with."""
    loader = jinja2.PackageLoader("gatefield.show", "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters |= {"number": number, "paragraphs": _paragraphs, "origin": origin, "tally": tally}
    environment.filters |= {"headcount": headcount}
    environment.filters |= {"address": data_address, "equations": equations, "math": mathml, "plain_math": plain_math}
    environment.filters |= {"script": script, "script_policy": script_policy, "sentence": sentence, "slug": slug}
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
