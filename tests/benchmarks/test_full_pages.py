"""What `benchmarks/full.py` keeps of a run and shows in its pages: verdicts with their errors, and small tables."""

import json
import math
import re
from pathlib import Path

import few_sites
import full
import numpy as np
import pytest
import tables
import xarray as xr
from matplotlib.figure import Figure

from gatefield.lab import Verdict
from gatefield.plot import WIDTH, entitle

BELOW = Verdict.below("it is small", 0.5, 0.25, of="IPR", error=0.0321, note="of two")
PLACES = {
    "n = 8": Verdict.within("", 0.1, 0.12, atol=0.05, error=0.004, note="two seeds"),
    "n = 40": Verdict.within("", 0.1, 0.3, atol=0.05),
}


def record():
    """Two pairs, two gains, four seeds: of the first pair all wait at gain infinity, of the second some never localize."""
    time = np.array([[[np.nan] * 4, [3000.0, 3200.0, 3400.0, 3600.0]], [[200.0] * 4, [200.0, np.nan, np.nan, np.nan]]])
    reached = np.array([[[0] * 4, [3, 3, 3, 5]], [[1] * 4, [1, 0, 0, 0]]])
    dims = ("pair", "gain", "seed")
    return xr.Dataset(
        {"end_ipr": (dims, np.where(reached > 0, 0.331, 0.04)), "localized_at": (dims, time), "reached": (dims, reached)},
        {"pair": ["1, 2", "2, 1"], "gain": [3.0, np.inf], "time": ("step", [0.0, 200.0, 400.0])},
    )


def test_a_table_of_a_record_is_kept_and_shown():
    cells = json.loads(json.dumps(tables.ends(record())))
    assert cells[1] == {"row": "1, 2", "column": "∞", "ipr": 0.331, "time": 3300.0, "at_most": False, "ends": {"3": 3, "5": 1}}
    assert tables.pivot(cells).splitlines() == [
        "| | 3 | ∞ |",
        "|---|---|---|",
        "| 1, 2 | 0.04 (–) | 0.33 (3,300) 3×3 1×5 |",
        "| 2, 1 | 0.33 (≤200) 4×1 | 0.04 (–) 1×1 |",
    ]


def phases():
    """Two gains, two ratios, three seeds; of the median only the middle one counts."""
    early, late = np.array([[0.05, 0.26], [0.33, 0.7]]), np.array([[0.051, 0.331], [0.342, 0.999]])  # gain, ratio
    spread = np.stack([early, late])[..., None] + np.array([-0.02, 0.0, 0.3])
    dims = ("when", "gain", "ratio", "seed")
    return xr.Dataset(
        {"ipr": (dims, spread), "closure_ipr": (dims, spread / 2)},
        {"when": ["early", "late"], "gain": [0.3, np.inf], "ratio": [0.25, 2**0.5]},
    )


def test_the_phase_diagram_is_kept_in_two_digits_and_shown():
    rows = json.loads(json.dumps(tables.medians(phases())))
    assert rows[0] == {
        "row": "0.25",
        "columns": "0.3 ∞",
        "sgd_early": "0.05 0.33",
        "sgd_late": "0.05 0.34",
        "closure_early": "0.03 0.17",
        "closure_late": "0.03 0.17",
    }
    assert tables.pivot(rows).splitlines() == [
        "| | 0.3 | ∞ |",
        "|---|---|---|",
        "| 0.25 | 0.05 0.05 (0.03 0.03) | 0.33 0.34 (0.17 0.17) |",
        "| 1.41 | 0.26 0.33 (0.13 0.17) | 0.70 1.00 (0.35 0.50) |",
    ]
    assert tables.MEDIANS in tables.TABLES["phase-diagram"]


def test_the_page_has_the_table_where_it_is_kept(tmp_path):
    kept = {"caption": "", "verdicts": [], "finished_in": "1 s"}
    found = full.section("late-localization", kept | {"tables": {"Words.": tables.ends(record())}}, tmp_path)
    assert "Words.\n\n| | 3 | ∞ |\n|---|---|---|\n" in found
    assert "| | 3 |" not in full.section("late-localization", kept, tmp_path)


def test_errors_and_notes_are_kept():
    assert full.written(BELOW)["error"] == 0.0321
    rows = full.written(Verdict.each("it is near", PLACES))["table"]
    assert rows[0]["error"] == 0.004
    assert rows[0]["note"] == "two seeds"
    assert not {"error", "note"} & set(rows[1])
    assert "error" not in full.written(Verdict.below("it is small", 0.5, 0.25))
    assert full.written(Verdict.below("it is small", 0.5, 0.25, error=math.inf))["error"] == "Infinity"


def test_errors_are_shown():
    line = full.claim(full.written(BELOW))
    assert line == "| it is small | prediction |  |  | 0.25 ± 0.032 | IPR below 0.5 (error 0.0321) | ✓ confirmed |"
    assert "±" not in full.claim(full.written(Verdict.below("it is small", 0.5, 0.25, error=math.inf)))
    kept = full.written(Verdict.each("it is near", PLACES))
    assert full.places(kept) == [
        "| – n = 8 |  |  | 0.1 | 0.12 ± 0.004 | within 0.05 of 0.1; two seeds | ✓ holds |",
        "| – n = 40 |  |  | 0.1 | 0.3 | within 0.05 of 0.1 | ✗ missed |",
    ]


def test_every_place_is_shown_and_the_kind_and_source_of_the_claim():
    rows = dict.fromkeys(("a", "b"), PLACES["n = 40"])
    kept = full.written(Verdict.each("it is near", rows, kind="claim", source="note 001, section 2"))
    assert full.places(kept) == [f"| – {at} |  |  | 0.1 | 0.3 | within 0.05 of 0.1 | ✗ missed |" for at in "ab"]
    assert full.claim(kept) == "| it is near | claim | note 001, section 2 |  | 0.3 | at each of 2 places | ✗ refuted |"


def test_the_kept_pages_have_a_line_for_every_place():
    """As many cells in each line as the head of its table has."""
    kept = json.loads((full.HERE / "results" / "full" / "verdicts.json").read_text())["experiments"]
    places = sum(len(verdict.get("table", [])) for entry in kept.values() for verdict in entry["verdicts"])
    pages = "".join((full.HERE / "results" / "full" / f"{subject}.md").read_text() for subject in full.experiments.SUBJECTS)
    lines = [line for line in pages.splitlines() if line.startswith("| – ")]
    assert len(lines) == places > 100
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {8}


def test_kept_headlines_fit_two_lines_at_the_width_of_a_figure():
    kept, figure = json.loads((full.HERE / "results" / "full" / "verdicts.json").read_text())["experiments"], Figure((WIDTH, 3))
    lines = {}
    for name, entry in kept.items():
        entitle(figure, entry.get("headline", ""))
        lines[name] = len(figure.get_suptitle().splitlines())
    assert [name for name, count in lines.items() if count > 2] == []


def test_claims_of_another_run_stand_beside_what_is_kept_and_name_it():
    made = {"preset": "full", "set": ["epochs=3"], "device": "cpu", "finished_in": "9 min"}
    early, late = full.written(BELOW), full.written(Verdict.below("it is early", 2.0, 1.0))
    kept = {"finished_in": "4 h", "verdicts": [late, full.written(Verdict.below("it is small", 0.5, 0.75))]}
    found = full.with_claims(kept, [early, full.written(Verdict.below("it is early", 2.0, 3.0))], "small", made)
    measured = {verdict["claim"]: verdict["measured"] for verdict in found["verdicts"]}
    assert measured == {"it is early": 1.0, "it is small": 0.25}
    page = full.section("mnist-galu", found | {"caption": ""}, Path("nowhere"))
    assert (
        "`gatefield run mnist-galu --preset full`, 4 h; claims marked * by "
        "`gatefield run mnist-galu --preset full --set epochs=3`, 9 min on cpu" in page
    )
    assert "| it is small \\* | prediction |" in page
    assert "| it is early | prediction |" in page
    with pytest.raises(SystemExit, match="No claim of this run has 'smaller' in it"):
        full.with_claims(kept, [early], "smaller", made)


def test_a_place_in_a_page_is_filled_once():
    page = "before <!-- one -->old<!-- /one --> after"
    assert tables.fill(tables.fill(page, "one", "new"), "one", "a\\1") == "before <!-- one -->\na\\1\n<!-- /one --> after"
    with pytest.raises(ValueError, match="has them 0 times"):
        tables.fill(page, "two", "new")


@pytest.mark.slow
def test_a_field_at_an_exact_state_stays_and_one_pushed_a_little_comes_back():
    rows = few_sites.push((1.0, 2.0), 0, samples=500, length=20.0)
    assert {row["sites"] for row in rows} == {1, 3, 5, 7}
    assert all(row["back"] == few_sites.PUSHES for row in rows if row["size"] == 0.1)
    assert all(row["back"] + sum(row["others"].values()) == few_sites.PUSHES for row in rows)


@pytest.mark.slow
def test_the_tables_of_few_sites():
    cells = few_sites.listed([(2.0, 1.0), (3.0, 1.0)])
    assert [one["exists"] for one in cells] == [True, True, *[False] * 6]
    pushed = [
        {"positive": 2.0, "negative": 1.0, "sites": 1, "size": s, "back": 18, "others": {"0": 2}} for s in few_sites.SIZES
    ]
    found = {"states": cells, "pushed": pushed, "settings": {"pushes": 20}}
    assert "| 2, 1 | 0.824, 0.1830, 0.17 | 0.373, 0.1998, 0.02 | none | none |" in few_sites.states_table(found)
    assert "| 2, 1 | 1 | 18 of 20 (2×none) |" in few_sites.pushed_table(found)
