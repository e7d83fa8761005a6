"""Runs that diverged are told once, at the end, with what to lower."""

import warnings

import pytest

from gatefield.cli import main
from gatefield.cli.messages import report_error
from gatefield.cli.run import diverging
from gatefield.core.errors import Diverged, StoreError, UserError


def test_it_is_told_once_at_the_end(capsys):
    with diverging("study"):
        for text in ("Lower learning_rate.", "Lower student_rate.", "Lower learning_rate."):
            warnings.warn(text, Diverged, stacklevel=1)
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err == "study: Lower learning_rate.\nstudy: Lower student_rate.\n"


def fail(error, *, diverged=True):
    with diverging("study"):
        if diverged:
            warnings.warn("Lower learning_rate.", Diverged, stacklevel=1)
        raise error


def test_it_is_the_error_if_nothing_followed_from_the_runs():
    with pytest.raises(UserError, match=r"^Lower learning_rate\.$"):
        fail(UserError("w must be finite, but is nan."))
    with pytest.raises(UserError, match=r"^w must be finite$"):
        fail(UserError("w must be finite"), diverged=False)
    with pytest.raises(StoreError, match="disk is full"):
        fail(StoreError("The disk is full."))


def test_other_warnings_are_shown_as_ever():
    with pytest.warns(UserWarning, match="something else"), diverging("study"):
        warnings.warn("something else", UserWarning, stacklevel=1)


def test_an_error_has_a_way_out_in_the_shell(capsys):
    assert report_error(UserError("Raise max_steps.", shell="Take fewer steps.")) == 2
    assert report_error(UserError("Take another n.")) == 2
    assert capsys.readouterr().err == "gatefield: Take fewer steps.\ngatefield: Take another n.\n"


def test_a_run_that_diverges_says_so_each_time_and_nothing_is_judged_by_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sizes = {"n": 12, "gains": "0.01,1,3,inf", "batch_size": 20, "steps": 100, "seeds": 2, "learning_rate": 50}
    asked = ["run", "localization", *(f"{name}={value}" for name, value in sizes.items())]
    said = "16 of 16 runs diverged, the first by step 100: fields or loss are not finite; lower learning_rate, here 50"
    main(asked)
    found = capsys.readouterr()
    assert f"localization: {said}." in found.err
    rise, cube = (next(line for line in found.out.splitlines() if words in line) for words in ("rises with", "hypercube"))
    for line in (rise, cube):  # a rank correlation of NaN, and a median of NaN
        assert line.startswith("  not judged: ")
        assert f"all runs diverged: {said} (" in line
    assert "nan" not in found.out

    main(asked)
    again = capsys.readouterr().out
    assert "already in the store" in again
    assert f"  remark: {said}." in again
    assert rise in again

    main(["report"])
    page = (tmp_path / "gatefield-report.html").read_text()
    assert f'<p class="diverged">{said}.</p>' in page
