import contextlib
import dataclasses
import errno
import json
import math
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lab_blocks import edit
from lab_toy import ToyParameters, square, toy

from gatefield.core.errors import StoreError, UserError
from gatefield.core.version import __version__
from gatefield.lab import Store, Verdict, load_study, open_record, resolve, run
from gatefield.lab.store.arrays import read_arrays
from gatefield.lab.store.lock import locked


def test_a_run_gives_record_and_verdicts(tmp_path):
    outcome = run(toy(), ToyParameters(), Store(tmp_path))
    assert outcome.entry.status == "finished"
    assert outcome.record.square.values.tolist() == [0, 1, 4, 9, 16]
    assert (outcome.reused, outcome.resumed) == (False, False)
    assert outcome.seconds > 0
    largest, endless = outcome.verdicts
    assert (largest.predicted, largest.measured, largest.holds) == (16.0, 16.0, True)
    assert math.isnan(endless.measured)
    assert (endless.outcome, endless.holds) == ("not judged", None)


def test_a_record_says_how_it_was_made(tmp_path):
    attrs = run(toy(), ToyParameters(size=3), Store(tmp_path)).record.attrs
    assert attrs["note"] == "made by simulate"
    assert attrs["experiment"] == "toy"
    assert json.loads(attrs["parameters"]) == {"size": 3, "gain": "Infinity", "seconds": 0.0}
    assert attrs["gatefield_version"] == __version__
    assert attrs["record_format"] == 1
    assert attrs["python_version"] == ".".join(map(str, sys.version_info[:3]))
    assert attrs["created"] <= attrs["finished"]
    assert attrs["seconds"] >= 0
    assert {"jax_version", "device"} <= set(attrs)
    assert resolve(toy(), "full", shlex.split(attrs["command"])[4::2]) == ToyParameters(size=3)


class Seeds(ToyParameters):
    seeds: int = 10**9


def test_more_seeds_than_there_is_memory_for_are_refused_before_anything_is_made(tmp_path):
    study = dataclasses.replace(toy(), Parameters=Seeds)
    with pytest.raises(UserError, match=r"^toy with seeds=1000000000 would take 1 TB of memory .* choose fewer seeds\.$"):
        run(study, Seeds(), Store(tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_finished_run_is_reused(tmp_path):
    study, store = toy(), Store(tmp_path)
    first = run(study, ToyParameters(), store)
    second = run(study, ToyParameters(), store)
    assert study.simulate.calls == 1
    assert second.reused
    assert second.record.identical(first.record)
    assert str(second.verdicts) == str(first.verdicts)


def test_a_run_goes_on_after_an_error_in_its_simulation(tmp_path):
    study, store = toy(fails="simulate"), Store(tmp_path)
    with pytest.raises(RuntimeError, match="cannot simulate"):
        run(study, ToyParameters(), store)
    (entry,) = store.entries()
    assert entry.status == "unfinished"
    with pytest.raises(StoreError, match="is not finished: run the same command again to finish it"):
        open_record(entry.path)
    outcome = run(study, ToyParameters(), store)
    assert not outcome.resumed  # there was nothing to go on from
    assert outcome.record.attrs["resumed"] == 0


@pytest.mark.parametrize("found", [3, None, "record"])
def test_a_simulation_that_gives_no_dataset_is_one_sentence(tmp_path, found):
    study = dataclasses.replace(toy(), simulate=lambda p, bench: found)
    with pytest.raises(UserError, match=r"simulate of the experiment 'toy' must return an xarray.Dataset, but returned "):
        run(study, ToyParameters(), Store(tmp_path))


def test_an_error_in_the_verdicts_keeps_the_record(tmp_path):
    study, store = toy(fails="judge"), Store(tmp_path)
    with pytest.raises(RuntimeError, match="cannot judge"):
        run(study, ToyParameters(), store)
    assert store.entries()[0].status == "finished"  # the record is there; verdicts follow from it
    assert run(study, ToyParameters(), store).reused
    assert study.simulate.calls == 1


def test_verdicts_are_those_of_the_code_that_reads(tmp_path):
    store = Store(tmp_path)
    entry = run(toy(), ToyParameters(), store).entry
    (entry.path / "verdicts.json").write_text("{")
    changed = dataclasses.replace(toy(), verdicts=lambda record: [Verdict.above("changed", 3.0, float(record.square.max()))])
    outcome = run(changed, ToyParameters(), store)
    assert outcome.reused
    assert [verdict.claim for verdict in outcome.verdicts] == ["changed"]
    assert [verdict.claim for verdict in entry.verdicts()] == ["changed"]


def test_fresh_moves_the_old_run_aside(tmp_path):
    study, store = toy(), Store(tmp_path)
    entry = run(study, ToyParameters(), store).entry
    for number in (1, 2):
        assert not run(study, ToyParameters(), store, fresh=True).reused
        assert open_record(entry.path.with_name(f"{entry.id}.old-{number}")).sizes["x"] == 5
    assert study.simulate.calls == 3
    assert len(store.entries()) == 1


def begun_by(version, tmp_path):
    study, store = toy(fails="simulate"), Store(tmp_path)
    with pytest.raises(RuntimeError):
        run(study, ToyParameters(), store)
    (entry,) = store.entries()
    edit(entry.path / "about.json", gatefield=version)
    return study, store, entry


def test_a_run_begun_by_another_version_is_not_continued(tmp_path):
    study, store, entry = begun_by("0.0.9", tmp_path)
    with pytest.raises(StoreError) as error:
        run(study, ToyParameters(), store)
    assert str(error.value) == (
        f"Run toy/{entry.id} was begun by gatefield 0.0.9 and this is {__version__}: only the version that began a run "
        f"continues it; finish it with that version, or pass --fresh (in Python fresh=True) to start again "
        f"(the old records move aside to {entry.id}.old-1)."
    )
    assert not run(study, ToyParameters(), store, fresh=True).resumed


def test_a_finished_run_of_another_version_is_reused(tmp_path):
    study, store, entry = begun_by(__version__, tmp_path)
    run(study, ToyParameters(), store)
    edit(entry.path / "about.json", gatefield="0.0.9")
    outcome = run(study, ToyParameters(), store)
    assert outcome.reused
    assert not outcome.remarks


def test_a_run_that_another_process_finishes_before_the_lock_is_reused(tmp_path, monkeypatch):
    """The other process finishes between the first look and the lock, which it has until then."""
    store, mine, other = Store(tmp_path), toy(), toy()
    kept = []

    @contextlib.contextmanager
    def waiting(path, what):
        with locked(path, what):
            monkeypatch.undo()
        entry = run(other, ToyParameters(), store).entry
        kept.append((entry.path / "verdicts.json").stat())
        with locked(path, what) as held:
            yield held

    monkeypatch.setattr("gatefield.lab.runner.locked", waiting)
    outcome = run(mine, ToyParameters(), store)
    assert (outcome.reused, outcome.resumed) == (True, False)
    assert (mine.simulate.calls, other.simulate.calls) == (0, 1)
    after = (outcome.entry.path / "verdicts.json").stat()
    assert (after.st_ino, after.st_mtime_ns) == (kept[0].st_ino, kept[0].st_mtime_ns)


@pytest.mark.parametrize("finished", [False, True])
def test_the_record_is_read_once_in_a_run(tmp_path, monkeypatch, finished):
    store, read = Store(tmp_path), []
    if finished:
        run(toy(), ToyParameters(), store)
    monkeypatch.setattr("gatefield.lab.store.records.read_arrays", lambda *args: (read.append(args), read_arrays(*args))[1])
    run(toy(), ToyParameters(), store)
    assert len(read) == 1


def test_who_reads_a_finished_run_leaves_it_as_it_is(tmp_path):
    store = Store(tmp_path)
    entry = run(toy(), ToyParameters(), store).entry
    before = {path: path.stat().st_mtime_ns for path in entry.path.rglob("*")}
    assert run(toy(), ToyParameters(), store).reused
    assert before == {path: path.stat().st_mtime_ns for path in entry.path.rglob("*")}


def test_changed_verdicts_and_words_reach_a_finished_run(tmp_path):
    """Verdicts and what an experiment says of itself are kept as they are now, for readers who do not have it."""
    store, old = Store(tmp_path), toy()
    run(old, ToyParameters(), store)
    new = dataclasses.replace(old, title="A steeper parabola", verdicts=lambda record: [Verdict.equals("none", 0, 1)])
    outcome = run(new, ToyParameters(), store)
    assert outcome.reused
    assert [verdict.claim for verdict in outcome.verdicts] == ["none"]
    assert [verdict.claim for verdict in outcome.entry.verdicts()] == ["none"]
    assert outcome.entry.about().title == "A steeper parabola"
    assert outcome.entry.about().experiment == "toy"


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS])
def test_a_disk_without_locks_is_one_sentence(tmp_path, monkeypatch, number):
    def no_lock(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", no_lock)
    with pytest.raises(StoreError, match=r"cannot be locked \(.*\), and .*: choose a folder on another disk by --store\.$"):
        run(toy(), ToyParameters(), Store(tmp_path))


def test_two_processes_do_not_run_the_same_at_once(tmp_path):
    store, parameters = Store(tmp_path), ToyParameters(seconds=60)
    script = Path(__file__).with_name("lab_toy.py")
    with subprocess.Popen([sys.executable, str(script), str(tmp_path), "60"]) as other:
        while store.entry("toy", parameters).status != "unfinished":
            assert other.poll() is None
            time.sleep(0.05)
        with pytest.raises(StoreError, match="is being computed by another process: wait until that one ends, or stop it"):
            run(toy(), parameters, store)
        other.kill()
    fast = toy(lambda given, bench: square(given.model_copy(update={"seconds": 0.0}), bench))
    assert not run(fast, parameters, store).reused


STUDY = """
import xarray as xr
from matplotlib.figure import Figure
from gatefield.lab import Experiment, Parameters

class Size(Parameters):
    size: int = 3

experiment = Experiment(
    name="own", title="Own", Parameters=Size, verdicts=lambda record: [], figure=lambda record: Figure(),
    simulate=lambda p, bench: xr.Dataset({"x": ("i", [2.0] * p.size)}),
)
"""


def test_a_study_whose_code_changed_is_told_when_it_is_reused(tmp_path):
    """Comments are not code; what was computed again is not told any more."""
    file, store = tmp_path / "my_study.py", Store(tmp_path / "store")

    def outcome(text, **settings):
        file.write_text(text)
        (study,) = load_study(str(file))
        return run(study, resolve(study), store, **settings)

    assert not outcome(STUDY).remarks
    assert not outcome(STUDY + "\n# a word more\n").remarks
    changed = STUDY.replace("2.0", "3.00")
    found = outcome(changed)
    assert found.remarks == (f"{file} has changed since this run; --fresh (in Python fresh=True) computes it again.",)
    assert found.record.x.values.tolist() == [2, 2, 2]
    assert not outcome(changed, fresh=True).remarks
    assert not outcome(changed).remarks


def test_a_folder_in_the_place_of_the_figure_moves_aside(tmp_path):
    entry = run(toy(), ToyParameters(), Store(tmp_path)).entry
    (entry.path / "figure.svg").mkdir()
    assert run(toy(), ToyParameters(), Store(tmp_path)).reused
    assert (entry.path / "figure.svg.old-1").is_dir()
    assert not (entry.path / "figure.svg").exists()
