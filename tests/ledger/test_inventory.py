"""The inventory against the sources, the ledger and the experiments: nothing numbered is left out, and every name exists."""

import importlib
import re
from functools import cache, reduce

import pytest

from gatefield import experiments
from gatefield.ledger import formulas, inventory

WORDS = "equation|figure|table|lemma|theorem|corollary|definition|experiment|assumption|footnote"
NUMBER = r"\d+(?:\.\d+)?(?: \([^)]*\))?"
PLACE = re.compile(rf"(?<!after )\b({WORDS})s? ({NUMBER}(?:(?:, and |, | and | to ){NUMBER})*)")
NUMBERED = {
    "000": {"equation": range(1, 33)},
    "001": {"equation": range(1, 14)},
    "002": {"equation": range(1, 75), "figure": range(1, 6)},
    "003": {"equation": range(1, 23), "footnote": (3, 4)},
    "004": {
        "equation": range(1, 17),
        "figure": range(1, 11),
        "table": range(1, 6),
        "experiment": range(1, 9),
        "assumption": (1, 2),
        "lemma": ("2.1", "2.2", "2.4", "3.1", "4.1", "7.1", "7.2", "7.4", "7.5", "8.2"),
        "theorem": ("2.3", "7.3"),
        "corollary": ("8.1",),
        "definition": ("3.1", "7.1", "7.2", "7.3", "7.4"),
        "footnote": (5,),
    },
}
"""Read off the sources themselves; other footnotes of theirs say nothing that could be right or wrong."""


def numbered(place: str) -> set[tuple[str, str]]:
    """The numbered things that a place names."""
    found = set()
    for word, numbers in PLACE.findall(place):
        clean = re.sub(r" \([^)]*\)", "", numbers)
        found |= {(word, number) for number in re.findall(r"\d+(?:\.\d+)?", clean)}
        found |= {(word, str(k)) for low, high in re.findall(r"\b(\d+) to (\d+)\b", clean) for k in range(int(low), int(high))}
    return found


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("equations 6 and 10 to 12", "equation 6 10 11 12"),
        ("section 3.3, after equation 16", ""),
        ("lemma 3.1 (i) and 7.5 (ii)", "lemma 3.1 7.5"),
        ("experiment 3, figures 7 (left) and 8", "experiment 3 figure 7 8"),
    ],
)
def test_places_are_read(place, expected):
    word, pairs = "", set()
    for part in expected.split():
        word, pairs = (part, pairs) if part.isalpha() else (word, pairs | {(word, part)})
    assert numbered(place) == pairs


@cache
def items():
    return inventory()


@pytest.mark.parametrize("source", NUMBERED)
def test_nothing_that_a_source_numbers_is_left_out(source):
    expected = {(word, str(number)) for word, numbers in NUMBERED[source].items() for number in numbers}
    found = set().union(*(numbered(item.place) for item in items() if item.source == source))
    assert found == expected


def test_every_formula_of_a_source_is_in_an_item_at_its_place():
    lost = []
    for formula in formulas():
        own = [item for item in items() if formula.name in item.formulas and item.source == formula.source]
        places = set().union(*(numbered(item.place) for item in own))
        if formula.source != "sheet" and not (own and numbered(formula.place) <= places):
            lost.append(f"{formula.name}, {formula.place}")
    assert lost == []


def test_every_experiment_is_in_an_item_and_at_the_places_that_it_names():
    named = {name for item in items() for name in item.shown_by}
    own = [listed for listed in experiments.listed() if listed.subject in experiments.SUBJECTS]
    assert [listed.name for listed in own if listed.name not in named] == []
    lost = []
    for listed in own:
        for source, place in by_source(listed.source):
            here = [item.place for item in items() if item.source == source and listed.name in item.shown_by]
            left = numbered(place) - set().union(*map(numbered, here))
            lost += [(listed.name, source, *one) for one in sorted(left) if one[0] != "assumption"]
    assert lost == []


def by_source(text: str) -> list[tuple[str, str]]:
    """Each source that an experiment names, and what it names of it."""
    marks = list(re.finditer(r"\b(?:notes?|paper) (\d{3}(?:(?:, | and )\d{3})*)", text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [(s, text[m.end() : end]) for m, end in zip(marks, ends, strict=True) for s in re.findall(r"\d{3}", m[1])]


def test_every_item_names_something_or_says_what_is_missing():
    names = [(item.source, item.name) for item in items()]
    assert len(names) == len(set(names))
    assert [item.name for item in items() if not (item.formulas or item.shown_by or item.missing)] == []
    assert [item.name for item in items() if item.kind == "question" and not (item.answer or item.missing)] == []
    assert [item.name for item in items() if item.kind != "question" and item.answer] == []
    assert [item.name for item in items() if item.conditional and not item.remark] == []
    sentences = [text for item in items() for text in (item.says, item.answer, item.remark, item.missing) if text]
    assert [text for text in sentences if text[-1] not in ".?"] == []


def test_every_function_that_an_item_names_exists():
    for name in {name for item in items() for name in item.functions}:
        room, *rest = name.split(".")
        assert reduce(getattr, rest, importlib.import_module(f"gatefield.{room}")) is not None, name
