"""How long a new process takes to its first result, with and without programs kept from an earlier one.

A command keeps them itself; a program of one's own does so by JAX's persistent compilation cache.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from gatefield.speed.contest import Contest, Contestant, Missing
from gatefield.speed.peers import present

TRAINING = """
import jax
from gatefield import Committee, Task, train
from gatefield.data import NonlinearGP
task = Task(NonlinearGP(40, 2.0, gain=3.0), NonlinearGP(40, 1.0, gain=3.0))
train(Committee(40, 1, key=jax.random.key(0)), task, steps=100, batch_size=500, learning_rate=0.05, key=jax.random.key(1))
"""
EXPERIMENT = "gaussian-neuron n=12 batch_size=200 steps=60 seeds=2 --fresh --store"


def entries(quick: bool) -> Iterator[Contest]:
    bare = Contestant("a bare Python", _python("-c", "pass"))
    jax = Contestant("import jax", _python("-c", "import jax"))
    yield Contest("import", "process", Contestant("import gatefield", _python("-c", "import gatefield")), [bare, jax, _torch()])
    for words in ("--help", "list"):
        yield Contest(
            f"gatefield {words}", "process", Contestant(f"gatefield {words}", _python("-m", "gatefield", words)), [bare]
        )
    with ExitStack() as folders:
        yield _cached("a small training", ["-c", TRAINING], folders)
        if not quick:
            store = folders.enter_context(tempfile.TemporaryDirectory())
            yield _cached("a small experiment", ["-m", "gatefield", "run", *EXPERIMENT.split(), store], folders)


def _torch() -> Contestant | Missing:
    name = "import torch"
    return Contestant(name, _python("-c", name)) if present.installed("torch") else Missing(name, present.absent("torch"))


def _cached(name: str, words: Sequence[str], folders: ExitStack) -> Contest:
    """The second time with a cache, against the first time, whose cache is empty, and against none."""
    folder = folders.enter_context(tempfile.TemporaryDirectory())
    second = _python(*words, cache=folder)

    def first() -> None:
        with tempfile.TemporaryDirectory() as empty:
            _python(*words, cache=empty)()

    peers = [Contestant("without a cache", _python(*words)), Contestant("first time, with an empty cache", first)]
    return Contest(name, "process", Contestant("second time, with a cache", second), peers)


def _python(*words: str, cache: str | None = None) -> Callable[[], Any]:
    """What starts a Python with these words and waits for its end; bytecode is kept, as it is for users."""
    unset = {"PYTHONDONTWRITEBYTECODE", "JAX_COMPILATION_CACHE_DIR", "JAX_ENABLE_COMPILATION_CACHE"}
    ways = _own_cache if "gatefield" in words else _cache
    environment = {name: value for name, value in os.environ.items() if name not in unset} | ways(cache)
    return lambda: subprocess.run(
        [sys.executable, *words], env=environment, cwd=Path(tempfile.gettempdir()), check=True, capture_output=True
    )


def _own_cache(folder: str | None) -> dict[str, str]:
    """What a command of gatefield goes by: the folder in which it keeps programs, or none."""
    return {"GATEFIELD_CACHE": folder or "off"}


def _cache(folder: str | None) -> dict[str, str]:
    """JAX's settings, for a program that is no command: every program is kept, however quickly it compiled."""
    if folder is None:
        return {"JAX_ENABLE_COMPILATION_CACHE": "false"}
    least = {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
    return {"JAX_COMPILATION_CACHE_DIR": folder, **least}
