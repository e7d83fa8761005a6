"""Trainings through a bench: interrupted, resumed, and the same as without a store."""

import dataclasses

import jax
import numpy as np
import pytest
import xarray as xr
from lab_toy import toy

from gatefield.core.errors import StoreError, UserError
from gatefield.data import Gaussian, Task
from gatefield.lab import Experiment, MemoryBench, Parameters, Store, open_record, run
from gatefield.lab.bench import StoreBench
from gatefield.nets import Committee


class TrainingParameters(Parameters):
    steps: int = 60


def two_trainings(parameters, bench):
    task = Task(Gaussian(8, 2.0), Gaussian(8, 1.0))
    net = Committee(8, 2, key=jax.random.key(0))
    settings = {"batch_size": 5, "learning_rate": 0.1, "record_every": 5, "chunk": 3, "key": jax.random.key(1)}
    first = bench.train("first", net, task, steps=parameters.steps, **settings).record
    second = bench.train("second", net, task, steps=2 * parameters.steps, **settings).record
    return xr.Dataset({"loss": first.loss, "later": second.loss.rename(step="late").drop_vars("time")})


def training() -> Experiment:
    changes = {"name": "training", "Parameters": TrainingParameters, "presets": {"quick": {}}, "verdicts": lambda record: []}
    return dataclasses.replace(toy(two_trainings), **changes)


class Stop(Exception):
    pass


def stopping(at):
    """A progress that remembers, and stops once a part has come so far."""
    seen = []

    def progress(part, done, total):
        seen.append((part, done, total))
        if (part, done) == at:
            raise Stop

    return progress, seen


def same_numbers(one, other):
    return all(one[name].variable.equals(other[name].variable) for name in ("loss", "later", "step", "late"))


@pytest.fixture(scope="module")
def expected():
    return two_trainings(TrainingParameters(), MemoryBench())


@pytest.mark.parametrize("at", [("first", 40), pytest.param(("second", 25), marks=pytest.mark.slow), ("second", 120)])
def test_an_interrupted_run_ends_in_the_same_numbers(tmp_path, at, expected):
    experiment, store, parameters = training(), Store(tmp_path), TrainingParameters()
    progress, _ = stopping(at)
    with pytest.raises(Stop):
        run(experiment, parameters, store, progress=progress)
    progress, seen = stopping(None)
    outcome = run(experiment, parameters, store, progress=progress)
    assert outcome.resumed
    assert same_numbers(outcome.record, expected)
    if at[0] == "second":
        assert {done for part, done, _ in seen if part == "first"} <= {0, 60}  # the first part was there whole


def test_an_unfinished_run_names_its_parts(tmp_path):
    progress, _ = stopping(("first", 40))
    with pytest.raises(Stop):
        run(training(), TrainingParameters(), Store(tmp_path), progress=progress)
    (entry,) = Store(tmp_path).entries()
    with pytest.raises(
        StoreError, match=r"is not finished: run the same command again to finish it; its parts .*: parts/first"
    ):
        open_record(entry.path)
    part = open_record(entry.path / "parts" / "first")
    assert part.step.values[-1] == 40
    assert part.attrs["complete"] == 0


def test_memory_reports_progress_too():
    progress, seen = stopping(None)
    training().simulate(TrainingParameters(), MemoryBench(progress))
    assert ("first", 60, 60) in seen
    assert ("second", 120, 120) in seen


@pytest.mark.parametrize("part", ["", "../up", "a/b", ".hidden", "two words"])
def test_a_part_is_named_like_a_file(tmp_path, part):
    with pytest.raises(UserError, match="A part's name must be letters, digits"):
        StoreBench(tmp_path).train(part, None, None)
    with pytest.raises(UserError, match=r"write for instance bench\.train\('sgd', \.\.\.\)"):
        MemoryBench().train(part, None, None)


@pytest.mark.parametrize("bench", ["memory", "store"])
def test_each_part_has_a_name_of_its_own(tmp_path, bench):
    bench = MemoryBench() if bench == "memory" else StoreBench(tmp_path)
    settings = {"steps": 2, "batch_size": 5, "learning_rate": 0.1, "key": jax.random.key(1)}
    net, task = Committee(8, 1, key=jax.random.key(0)), Task(Gaussian(8, 2.0), Gaussian(8, 1.0))
    bench.train("sgd", net, task, **settings)
    with pytest.raises(UserError, match="The part 'sgd' is there twice in one simulation: give each part a name of its own"):
        bench.train("sgd", net, task, **settings)


def moody(parameters, bench):
    """A study whose first part comes out differently each time, and whose training starts from it."""
    start = bench.keep("start", lambda: xr.Dataset({"w": (("unit", "position"), np.random.default_rng().normal(size=(1, 8)))}))
    task = Task(Gaussian(8, 2.0), Gaussian(8, 1.0))
    settings = {"batch_size": 5, "learning_rate": 0.1, "record_every": 5, "chunk": 3, "key": jax.random.key(1)}
    record = bench.train("sgd", Committee(8, 1, init=start.w.values), task, steps=parameters.steps, **settings).record
    return xr.Dataset({"start": start.w, "fields": record.fields.isel(run=0)}).drop_vars("time")


def test_what_is_kept_is_computed_once_and_trainings_go_on_from_it(tmp_path):
    experiment, store = dataclasses.replace(training(), simulate=moody), Store(tmp_path)
    progress, _ = stopping(("sgd", 40))
    with pytest.raises(Stop):
        run(experiment, TrainingParameters(), store, progress=progress)
    kept = open_record(next(tmp_path.rglob("parts/start"))).w.values
    outcome = run(experiment, TrainingParameters(), store)
    assert outcome.resumed
    np.testing.assert_array_equal(outcome.record.start.values, kept)
    np.testing.assert_array_equal(outcome.record.fields.isel(step=0).values, kept.astype(np.float32))


def test_what_is_kept_is_a_dataset_and_whole(tmp_path):
    bench = StoreBench(tmp_path)
    with pytest.raises(UserError, match=r"What bench\.keep\('sums', \.\.\.\) computes must be an xarray\.Dataset, but is 3\."):
        bench.keep("sums", lambda: 3)
    StoreBench(tmp_path).keep("sums", lambda: xr.Dataset({"x": ("step", [1.0, 2.0])}))
    assert StoreBench(tmp_path).keep("sums", lambda: pytest.fail("computed again")).x.values.tolist() == [1.0, 2.0]
    (tmp_path / "sums" / "committed.json").unlink()
    with pytest.raises(StoreError, match=r"committed\.json is missing"):
        StoreBench(tmp_path).keep("sums", lambda: pytest.fail("computed again"))
