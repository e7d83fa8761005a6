"""Files of JSON: the text is that of `json.dumps` with indent=2, and trees of files are flushed and removed whole."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatefield.core.text.plain import plain
from gatefield.lab.store.disk import flush_files, remove_tree
from gatefield.lab.store.json import write_json

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
NAMES = st.text(max_size=3)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4))


@given(VALUES)
def test_the_text_of_a_file_is_that_of_json(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "value.json"
    write_json(path, value)
    assert path.read_text() == json.dumps(plain(value), indent=2, allow_nan=False) + "\n"


@given(VALUES)
def test_what_is_plain_stays_as_it_is(value):
    assert plain(plain(value)) == plain(value)
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == plain(value)


def test_a_file_that_cannot_be_flushed_is_an_error(tmp_path):
    (tmp_path / "there").write_text("1")
    flush_files([tmp_path / "there"])
    with pytest.raises(FileNotFoundError):
        flush_files([tmp_path / "there", tmp_path / "gone"])


def test_a_tree_is_removed_whole_and_nothing_beside_it(tmp_path):
    for name in ("tree/a/c/0", "tree/b/c/0", "tree/zarr.json", "beside"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "tree" / "link").symlink_to(tmp_path / "beside")
    remove_tree(tmp_path / "tree")
    remove_tree(tmp_path / "tree")
    assert [path.name for path in tmp_path.iterdir()] == ["beside"]
