"""Odd places for stores and pages, as `benchmarks/faults/disk.py` tries them, here in one process."""

import disk
import pytest
from small import said_by


class Here(disk.Place):
    """Commands are called in this process."""

    def call(self, words, **settings):
        assert not settings
        return said_by(words)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("places")


PAGES = [f"the page at {place}" for place in ("a device", "a pipe", "a loop of links", "the root", "nothing", "a link")]
SITUATIONS = [*PAGES, *(name for name in disk.SITUATIONS if name.startswith("a store"))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SITUATIONS)
def test_odd_places(scratch, tmp_path, monkeypatch, name):
    place = Here(scratch / str(SITUATIONS.index(name)))
    monkeypatch.chdir(place.folder)
    try:
        needs, situation = disk.SITUATIONS[name]
        if needs and disk.os.getuid() != 0:
            pytest.skip(needs)
        situation(place)
    except PermissionError:
        pytest.skip("this user may not make devices")
