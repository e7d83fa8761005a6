"""Ratios against kept ones, and files of results."""

import json

import pytest
from findings_by_hand import report, standing

from gatefield.core.errors import UserError
from gatefield.speed import SLACK, check_baseline, compare, new_report, read_report


def test_a_ratio_may_fall_by_the_slack_and_no_more():
    kept = report(standing(scan=4.0, loop=4.0, torch=None))
    least = 4.0 * (1 - SLACK)
    found = compare(report(standing(scan=least, loop=least - 0.01, torch=8.0)), kept)
    assert found.ratios == 2  # a peer that was missing is not compared
    assert found.fell == ["training, small, against loop: 2.99, kept 4"]


def test_times_do_not_matter():
    kept = report(standing(scan=4.0))
    slow = standing(scan=4.0)
    slow = slow.model_copy(update={"ours": slow.ours.model_copy(update={"ms": None})})
    assert compare(report(slow), kept).fell == []


def test_contests_are_compared_by_name():
    assert compare(report(standing("large", scan=1.0)), report(standing("small", scan=4.0))).ratios == 0


def test_a_report_comes_back_as_it_was(tmp_path):
    whole = new_report(quick=True, repeats=3)
    whole.add("training", standing(scan=2.0, torch=None))
    path = tmp_path / "kept.json"
    path.write_bytes(whole.to_json())
    assert read_report(path) == whole
    assert path.read_bytes().startswith(b'{\n "what": "gatefield bench"')  # by which `check_output` knows it
    assert whole.machine["cores"] > 0
    assert {"gatefield", "python", "jax"} <= set(whole.versions)
    import platform

    assert platform.node() not in path.read_text().replace("gatefield", "")  # no host name


@pytest.mark.parametrize("text", [b"", b"{}", b"[1]", b"\xff\xfe", b'{"what": "something else"}'])
def test_what_is_no_result_is_refused(tmp_path, text):
    path = tmp_path / "kept.json"
    path.write_bytes(text)
    with pytest.raises(UserError, match="is no result of gatefield bench: give one that --output wrote"):
        read_report(path)


def test_a_result_that_was_changed_is_not_compared_with(tmp_path):
    path = tmp_path / "kept.json"
    path.write_bytes(report(standing(scan=4.0)).to_json())
    whole = path.read_text()
    path.write_text(whole.replace("4.0", "1.0"))
    with pytest.raises(UserError, match="was changed after gatefield bench wrote it"):
        read_report(path)
    path.write_text(json.dumps({name: value for name, value in json.loads(whole).items() if name != "checksum"}))
    assert read_report(path).cases  # of an earlier version


def test_a_baseline_must_have_something_to_compare():
    kept = report(standing(scan=4.0), quick=True)
    check_baseline(kept, ["training", "paths"], quick=True)
    with pytest.raises(UserError, match="measured with --quick, and sizes differ"):
        check_baseline(kept, ["training"], quick=False)
    with pytest.raises(UserError, match="no ratios of the cases paths, but of these: training"):
        check_baseline(kept, ["paths"], quick=True)
