"""A few damages of a small store, drawn as `benchmarks/faults/damage.py` draws them."""

import damage
import pytest
from harness import chance

STORE = ("linear-depth", "finished")


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    return damage.Stores(tmp_path_factory.mktemp("stores"), [STORE])


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", range(4))
def test_damage_is_told_or_mended(stores, case):
    found = damage.damaged(stores, STORE, chance(1, case), 120.0)
    assert not found.failed, found.reproduction


def test_every_kind_of_file_is_there_to_be_damaged(stores):
    stores.copy(*STORE)
    there = list(stores.place.rglob("*"))
    assert {kind for kind, fits in damage.KINDS.items() if any(fits(path) for path in there)} == set(damage.KINDS) - {
        "checkpoint"
    }
