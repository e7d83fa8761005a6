import json
import math
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lab_toy import Toy

from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.lab import Store, open_record, resolve, run


class Stumbling(Toy):
    """Fails on its first try, in the stage it is told."""

    def __init__(self, stage):
        super().__init__()
        self.stage, self.failed = stage, False

    def _fail(self, stage):
        if stage == self.stage and not self.failed:
            self.failed = True
            raise RuntimeError(f"cannot {stage}")

    def simulate(self, parameters, bench):
        self._fail("simulate")
        return super().simulate(parameters, bench)

    def verdicts(self, record):
        self._fail("judge")
        return super().verdicts(record)


def test_a_run_gives_record_and_verdicts(tmp_path):
    outcome = run(Toy(), Toy.Parameters(), Store(tmp_path))
    assert outcome.entry.status == "finished"
    assert outcome.record.square.values.tolist() == [0, 1, 4, 9, 16]
    assert (outcome.reused, outcome.resumed) == (False, False)
    assert outcome.seconds > 0
    largest, endless = outcome.verdicts
    assert (largest.expected, largest.measured, largest.holds) == (16.0, 16.0, True)
    assert endless.expected == math.inf
    assert math.isnan(endless.measured)
    assert endless.holds is False
    assert endless.note == "numbers without end"


def test_a_record_says_how_it_was_made(tmp_path):
    attrs = run(Toy(), Toy.Parameters(size=3), Store(tmp_path)).record.attrs
    assert attrs["note"] == "made by simulate"
    assert attrs["experiment"] == "toy"
    assert json.loads(attrs["parameters"]) == {"size": 3, "gain": "Infinity", "seconds": 0.0}
    assert attrs["gatefield_version"] == __version__
    assert attrs["record_format"] == 1
    assert attrs["python_version"] == ".".join(map(str, sys.version_info[:3]))
    assert attrs["created"] <= attrs["finished"]
    assert attrs["seconds"] >= 0
    assert {"jax_version", "device"} <= set(attrs)
    assert resolve(Toy(), "full", shlex.split(attrs["command"])[4::2]) == Toy.Parameters(size=3)


def test_a_finished_run_is_reused(tmp_path):
    toy, store = Toy(), Store(tmp_path)
    first = run(toy, Toy.Parameters(), store)
    second = run(toy, Toy.Parameters(), store)
    assert toy.simulations == 1
    assert second.reused
    assert second.record.identical(first.record)
    assert str(second.verdicts) == str(first.verdicts)


def test_a_stumble_in_simulation_is_gone_on_from(tmp_path):
    toy, store = Stumbling("simulate"), Store(tmp_path)
    with pytest.raises(RuntimeError, match="cannot simulate"):
        run(toy, Toy.Parameters(), store)
    (entry,) = store.entries()
    assert entry.status == "unfinished"
    with pytest.raises(StoreError, match="is not finished: run the same command again to finish it"):
        open_record(entry.path)
    outcome = run(toy, Toy.Parameters(), store)
    assert outcome.resumed
    assert outcome.record.attrs["resumed"] == 1


def test_a_stumble_in_the_verdicts_keeps_the_record(tmp_path):
    toy, store = Stumbling("judge"), Store(tmp_path)
    with pytest.raises(RuntimeError, match="cannot judge"):
        run(toy, Toy.Parameters(), store)
    assert store.entries()[0].status == "unfinished"
    assert run(toy, Toy.Parameters(), store).resumed
    assert toy.simulations == 1


def test_broken_verdicts_are_made_anew_from_the_record(tmp_path):
    toy, store = Toy(), Store(tmp_path)
    entry = run(toy, Toy.Parameters(), store).entry
    (entry.path / "verdicts.json").write_text("{")
    with pytest.raises(StoreError, match=r"delete '.*verdicts\.json' and run the same command again"):
        run(toy, Toy.Parameters(), store)
    (entry.path / "verdicts.json").unlink()
    assert len(run(toy, Toy.Parameters(), store).verdicts) == 2
    assert toy.simulations == 1


def test_fresh_moves_the_old_run_aside(tmp_path):
    toy, store = Toy(), Store(tmp_path)
    entry = run(toy, Toy.Parameters(), store).entry
    for number in (1, 2):
        assert not run(toy, Toy.Parameters(), store, fresh=True).reused
        assert open_record(entry.path.with_name(f"{entry.id}.old-{number}")).sizes["x"] == 5
    assert toy.simulations == 3
    assert len(store.entries()) == 1


def begun_by(version, tmp_path):
    toy, store = Stumbling("simulate"), Store(tmp_path)
    with pytest.raises(RuntimeError):
        run(toy, Toy.Parameters(), store)
    (entry,) = store.entries()
    about = json.loads((entry.path / "about.json").read_text())
    (entry.path / "about.json").write_text(json.dumps({**about, "gatefield": version}))
    return toy, store, entry


def test_a_run_begun_by_another_version_is_not_continued(tmp_path):
    toy, store, entry = begun_by("0.0.9", tmp_path)
    with pytest.raises(StoreError) as error:
        run(toy, Toy.Parameters(), store)
    assert str(error.value) == (
        f"Run toy/{entry.id} was begun by gatefield 0.0.9 and this is {__version__}: only the version that began a run "
        f"continues it; finish it with that version, or pass --fresh to start again "
        f"(the old records move aside to {entry.id}.old-1)."
    )
    assert not run(toy, Toy.Parameters(), store, fresh=True).resumed


def test_a_finished_run_of_another_version_is_reused(tmp_path):
    toy, store, entry = begun_by(__version__, tmp_path)
    run(toy, Toy.Parameters(), store)
    about = json.loads((entry.path / "about.json").read_text())
    (entry.path / "about.json").write_text(json.dumps({**about, "gatefield": "0.0.9"}))
    assert run(toy, Toy.Parameters(), store).reused


def test_a_folder_without_about_needs_a_fresh_start(tmp_path):
    toy, store = Stumbling("simulate"), Store(tmp_path)
    entry = store.entry("toy", Toy.Parameters())
    (entry.path / "parts").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"about\.json is missing: delete"):
        run(toy, Toy.Parameters(), store)


def test_two_processes_do_not_run_the_same_at_once(tmp_path):
    store, parameters = Store(tmp_path), Toy.Parameters(seconds=60)
    script = Path(__file__).with_name("lab_toy.py")
    with subprocess.Popen([sys.executable, str(script), str(tmp_path), "60"]) as other:
        while store.entry("toy", parameters).status != "unfinished":
            assert other.poll() is None
            time.sleep(0.05)
        with pytest.raises(StoreError, match="is being computed by another process: wait until that one ends, or stop it"):
            run(Toy(), parameters, store)
        other.kill()
    assert run(Fast(), parameters, store).resumed


class Fast(Toy):
    """The same without the waiting."""

    def simulate(self, parameters, bench):
        return super().simulate(parameters.model_copy(update={"seconds": 0.0}), bench)
