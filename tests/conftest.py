"""What all tests share. Types are checked while they run, by jaxtyping and beartype."""

from pathlib import Path

import jax
import jaxtyping
import pytest

MOST_MAPS = 45_000
"""Compiled programs keep maps of memory, of which Linux allows a process 65,530; beyond, the process crashes."""


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
