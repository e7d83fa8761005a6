"""Kill at random moments and file operations, look, go on: nothing committed is lost, and the end is the same bit for bit."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from lab_blocks import following, record, start

from gatefield.lab import ZarrRecorder, open_record

TOTAL, BLOCK, KILLS = 400, 4, 10


@pytest.fixture
def server():
    script = Path(__file__).with_name("lab_blocks.py")
    command = [sys.executable, "-W", "ignore", str(script), str(TOTAL), str(BLOCK)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        yield process
        assert process.stdin
        process.stdin.close()


def ending(server, path, kill_after=None, *, commits=False, kill_at=0):
    """How a process that records into `path` ended: 0, or the signal that killed it: some time after start or first commit, or
    at its file operation of number `kill_at`."""
    server.stdin.write(f"{kill_at} {path}\n")
    child, before = int(server.stdout.readline()), committed(path)
    patience = time.monotonic() + 60
    while commits and committed(path) == before and time.monotonic() < patience:
        time.sleep(0.001)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    server.stdin.write("\n")
    return int(server.stdout.readline())


def committed(path):
    return (path / "committed.json").read_bytes() if (path / "committed.json").exists() else b""


@pytest.fixture(scope="module")
def states():
    """The state after each record."""
    states = [start()]
    for _ in range(TOTAL):
        states.append(following(states[-1]))
    return states


def check(path, states):
    """Whole commits, right numbers, and the state that belongs to them; gives the number of records."""
    found = ZarrRecorder(path).find("abc", start())
    if found is None:
        return 0
    seen = open_record(path)
    assert found.records == seen.sizes["step"]
    assert found.records % BLOCK == 0
    np.testing.assert_array_equal(found.state["weights"], states[found.records]["weights"])
    expected = np.stack([state["weights"] for state in states[1 : found.records + 1]], axis=1)
    np.testing.assert_array_equal(seen.fields, expected.astype(np.float32))
    np.testing.assert_array_equal(seen.loss, expected.mean(-1))
    return found.records


@pytest.mark.slow
def test_kills_at_random_moments(server, states, tmp_path):
    """Every other kill comes while records are being committed, the others a little after the start."""
    chance, path, before, kills = random.Random(0), tmp_path / "0", 0, 0
    while kills < KILLS:
        commits = bool(kills % 2)
        ended = ending(server, path, chance.uniform(0.0, 0.03 if commits else 0.1), commits=commits)
        records = check(path, states)
        assert records >= before + BLOCK * commits
        kills, before = kills + (ended == signal.SIGKILL), records
        if records == TOTAL:  # it was faster; the next one starts afresh
            path, before = tmp_path / str(kills), 0
    assert ending(server, path) == 0
    assert check(path, states) == TOTAL
    assert open_record(path).identical(record(tmp_path / "whole", TOTAL, BLOCK))
    assert not list(path.rglob("*.partial")), "temporary files of killed processes stay"


def test_kills_at_file_operations(server, states, tmp_path):
    """The first one makes the folder, later ones write chunks, checkpoints and markers; one kill follows the other."""
    path, before = tmp_path / "run", 0
    for kill_at in [*range(1, 140, 21), *range(1, 60, 6)]:
        assert ending(server, path, kill_at=kill_at) == signal.SIGKILL
        records = check(path, states)
        assert records >= before
        before = records
    assert before > 0
    assert ending(server, path) == 0
    assert open_record(path).identical(record(tmp_path / "whole", TOTAL, BLOCK))
    assert not [file for file in path.rglob("*") if file.name.endswith((".partial", ".tmp"))], (
        "temporary files of killed processes stay"
    )
