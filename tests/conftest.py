"""What all tests share. Types are checked while they run, by jaxtyping and beartype."""

import os
import zlib
from collections import Counter
from pathlib import Path

import jax
import jaxtyping
import pytest

collect_ignore_glob = ["*conftest.py"]
"""Looked through for examples they would be one module each of the same name, and the second one an error."""

os.environ["GATEFIELD_CACHE"] = "off"
"""It gains the tests nothing, and they are to leave nothing in the user's home. Those of the cache name a folder."""

MOST_MAPS = 45_000
"""Compiled programs keep maps of memory, of which Linux allows a process 65,530; beyond, the process crashes."""


SHARE = 6
"""Of the cases of a costly test, one in so many is run by `make test`."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark as slow what `costly` leaves out. Tests of the same cases begin at different ones, so that few are left to none."""
    costly = [item for item in items if item.get_closest_marker("costly")]
    names = [item.nodeid.partition("[")[0] for item in costly]
    cases, seen = Counter(names), Counter()
    for item, name in zip(costly, names, strict=True):
        share = min(SHARE, cases[name])
        if seen[name] % share != zlib.crc32(name.encode()) % share:
            item.add_marker(pytest.mark.slow)
        seen[name] += 1


@pytest.fixture(autouse=True)
def _as_users_call(request):
    """In tests marked `wrong_types` nothing is checked, so that one sees what users see."""
    off = request.node.get_closest_marker("wrong_types") is not None
    jaxtyping.config.update("jaxtyping_disable", off)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(autouse=True, scope="module")
def _room_for_programs():
    """Between files, programs are given back when there are many."""
    yield
    maps = Path("/proc/self/maps")
    if maps.exists() and len(maps.read_bytes().splitlines()) > MOST_MAPS:
        jax.clear_caches()
