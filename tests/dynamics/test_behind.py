"""What is done beside a training: its order, its errors, and what an interruption leaves."""

import threading

import jax
import numpy as np
import pytest

from gatefield import Committee, Task, train
from gatefield.data import Gaussian
from gatefield.dynamics import Interrupted, MemoryRecorder
from gatefield.dynamics.train.behind import Behind

SETTINGS = {"steps": 12, "batch_size": 3, "learning_rate": 0.1, "record_every": 1, "chunk": 4, "key": jax.random.key(1)}


def trained(**more):
    task = Task(Gaussian(8, 2.0), Gaussian(8, 1.0))
    return train(Committee(8, 1, key=jax.random.key(0)), task, **SETTINGS, **more).record


class Noting(MemoryRecorder):
    """Notes what is asked of it, and by whom; the commit that starts at record `wrong` goes wrong."""

    def __init__(self, wrong=None):
        super().__init__()
        self.wrong, self.starts, self.threads = wrong, [], set()

    def commit(self, start, block, state):
        self.threads.add(threading.current_thread())
        if start == self.wrong:
            raise OSError("no room")
        self.starts.append(start)
        super().commit(start, block, state)


def test_commits_come_in_order_in_one_thread_of_their_own():
    recorder = Noting()
    record = trained(recorder=recorder)
    assert recorder.starts == [0, 4, 8, 12]
    assert len(recorder.threads) == 1
    assert threading.current_thread() not in recorder.threads
    assert not next(iter(recorder.threads)).is_alive()
    np.testing.assert_array_equal(record.fields, trained().fields)


def test_progress_is_told_of_what_is_committed():
    recorder, seen = Noting(), []
    trained(recorder=recorder, progress=lambda done, total: seen.append((done, recorder.dataset().sizes.get("step", 0))))
    assert seen == [(0, 0), (3, 4), (7, 8), (11, 12), (12, 13)]


@pytest.mark.parametrize("wrong", [0, 8, 12])
def test_a_commit_that_fails_ends_the_training(wrong):
    recorder = Noting(wrong)
    with pytest.raises(OSError, match="no room"):
        trained(recorder=recorder)
    assert recorder.starts == list(range(0, wrong, 4))


def test_an_interruption_leaves_whole_commits():
    def stop(done, total):
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="the last commit is at step 7 of 12") as stopped:
        trained(progress=stop)
    np.testing.assert_array_equal(stopped.value.record.fields, trained().fields[:, :8])


def test_work_goes_on_while_the_caller_does_something_else():
    behind, begun, may_end = Behind(), threading.Event(), threading.Event()
    behind.do(lambda: (begun.set(), may_end.wait(10)), then=lambda: done.append("told"))
    done = []
    assert begun.wait(10)
    behind.tell()
    assert done == []
    may_end.set()
    assert behind.later(lambda: 2).result() == 2
    behind.tell()
    assert done == ["told"]
    behind.wait()
    assert done == ["told"]
    assert behind.later(lambda: 3).result() == 3
    behind.close()
