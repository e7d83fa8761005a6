"""A few damages of files that are not records, drawn as `benchmarks/faults/readers.py` draws them."""

import pytest
import readers
from harness import chance


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", "/")
        yield readers.World(tmp_path_factory.mktemp("world"))


@pytest.mark.wrong_types
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", readers.KINDS)
def test_what_is_read_is_whole_or_told_or_not_there(world, kind):
    count = 6 if kind == "shown" else 60  # a picture is drawn for each
    found = [readers.tried(world, kind, chance(2, case), 60.0) for case in range(count)]
    assert not [(one.what, one.reproduction) for one in found if one.failed]
    assert {"the same", "one sentence", "as if it were not there"} & {one.outcome for one in found}
