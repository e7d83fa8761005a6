"""Some calls with changed arguments, drawn as `benchmarks/faults/calls.py` draws them."""

import calls
import numpy as np
import pytest
import table
from harness import chance

QUICK = ("measures.", "kernels.", "gates.", "theory.relu.", "theory.gated_linear.solve", "data.")
"""Beginnings of names whose calls take milliseconds."""


@pytest.fixture(scope="module")
def entries():
    return table.entries()


def test_every_public_name_is_in_the_table_or_left_out_for_a_reason():
    assert table.unlisted() == set()


@pytest.mark.wrong_types
@pytest.mark.filterwarnings("ignore")
def test_calls_give_numbers_or_a_sentence(entries):
    quick, failed = [entry for entry in entries if entry.name.startswith(QUICK)], {}
    for case in range(80):
        rng = chance(0, case)
        entry = rng.choice(quick)
        arguments, made = calls.mutated(entry, rng)
        if wrong := calls.tried(entry, arguments, made, 60.0)[1]:
            failed[f"{entry.name}: {wrong}"] = [(name, change.words) for name, change in made]
    assert not failed


@pytest.mark.parametrize(
    ("function", "change", "outcome"),
    [
        (np.sum, calls.Change("NaN in it", [np.nan, 1.0], "NaN"), "NaN out"),
        (np.nansum, calls.Change("NaN in it", [np.nan, 1.0], "NaN"), "wrong in silence"),
        (np.real, calls.Change("complex", np.array([1j]), "complex"), "wrong in silence"),
        (np.conj, calls.Change("complex", np.array([1j]), "complex"), "finite"),
        (np.exp, calls.Change("large", np.array([1e300])), "inf out"),
        (np.linalg.inv, calls.Change("text", "abc", "text"), "raw exception"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_how_a_call_is_judged(function, change, outcome):
    entry = table.Entry("measures.ipr", {})
    entry.function = lambda a: function(a)
    assert calls.tried(entry, {"a": change.value}, [("a", change)], 60.0)[0] == outcome
