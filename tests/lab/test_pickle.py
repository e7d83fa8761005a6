"""Whoever gives a store to somebody else can run no code there: nothing that is read is pickle, whatever seals fit."""

import ast
import io
import json
import os
import pickle
import zlib
from pathlib import Path

import numcodecs.pickles
import numpy as np
import pytest
import xarray as xr
import zarr
from lab_blocks import record, start

import gatefield
from gatefield.core.errors import StoreError
from gatefield.lab import ZarrRecorder, open_record
from gatefield.lab.store.format import checksum

WORDS = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "allow_pickle", "read_pickle"}
SOURCES = sorted(Path(gatefield.__file__).parent.rglob("*.py"))


class Trap:
    """Makes a folder as soon as it is read as pickle."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def reseal(folder, **entries):
    """Another marker, with a checksum that fits."""
    content = {**json.loads((folder / "committed.json").read_text()), **entries}
    content.pop("checksum")
    (folder / "committed.json").write_text(json.dumps({**content, "checksum": checksum(content)}))


def in_format_2(folder, bait):
    """The arrays of a record in zarr's format 2, whose filters may be pickle: each chunk is the bait."""
    stored = xr.open_zarr(folder, consolidated=False, decode_times=False, chunks=None)
    arrays = {str(name): (variable.shape, variable.dims) for name, variable in stored.variables.items()}
    for path in folder.rglob("zarr.json"):
        path.unlink()
    (folder / ".zgroup").write_text('{"zarr_format": 2}')
    (folder / ".zattrs").write_text(json.dumps(stored.attrs))
    filters = [{"id": "vlen-utf8"}, {"id": "pickle", "protocol": 5}]
    for name, (shape, dims) in arrays.items():
        how = {"chunks": [max(1, size) for size in shape], "dtype": "|O", "fill_value": "", "filters": filters}
        about = {"zarr_format": 2, "shape": shape, "order": "C", "compressor": None, **how}
        (folder / name / ".zarray").write_text(json.dumps(about))
        (folder / name / ".zattrs").write_text(json.dumps({"_ARRAY_DIMENSIONS": dims}))
        (folder / name / (".".join("0" for _ in shape) or "0")).write_bytes(bait)


def test_a_store_in_a_format_that_may_hold_pickle_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(numcodecs.pickles, "ALLOW_UNSAFE_PICKLE_DECODE", True, raising=False)  # as in earlier versions
    folder, sprung = tmp_path / "record", tmp_path / "sprung"
    record(folder, 10, 3)
    in_format_2(folder / "data.zarr", pickle.dumps(Trap(sprung)))
    reseal(folder, metadata={})
    for read in (lambda: open_record(folder), lambda: ZarrRecorder(folder).find("abc", start())):
        with pytest.raises(StoreError, match=r"zarr\.json (cannot be read|is missing)"):
            read()
    assert not sprung.exists()
    with pytest.raises(TypeError):  # while plain zarr falls for it, so that the trap is one
        zarr.open_array(folder / "data.zarr" / "loss", mode="r")[...]
    assert sprung.exists()


@pytest.mark.parametrize("whole", [True, False])
def test_a_checkpoint_with_pickle_is_not_read(tmp_path, whole):
    folder, sprung = tmp_path / "record", tmp_path / "sprung"
    record(folder, 10, 3)
    bait, (checkpoint,) = io.BytesIO(), folder.glob("checkpoint-*")
    if whole:
        bait.write(pickle.dumps(Trap(sprung)))
    else:
        np.save(bait, np.array([Trap(sprung)], object), allow_pickle=True)
    checkpoint.write_bytes(bait.getvalue())
    reseal(folder, checkpoint_crc32=zlib.crc32(bait.getvalue()))
    with pytest.raises(StoreError, match="cannot be read"):
        ZarrRecorder(folder).find("abc", start())
    assert not sprung.exists()


def pickle_readers(text):
    """What of a module can read pickle, by name."""
    if not any(word in text for word in WORDS):  # to parse them all takes long
        return set()
    found = set()
    for node in ast.walk(ast.parse(text)):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [node.arg or ""] if isinstance(node, ast.keyword) else []
        names += [node.attr] if isinstance(node, ast.Attribute) else []
        found |= {name.partition(".")[0] for name in names} & WORDS
    return found


def test_no_module_can_read_pickle():
    assert {str(path): found for path in SOURCES if (found := pickle_readers(path.read_text()))} == {}


@pytest.mark.parametrize(
    "text", ["import pickle as p", "from dill.source import x", "np.load(f, allow_pickle=True)", "pd.read_pickle(f)"]
)
def test_a_reader_of_pickle_is_seen(text):
    assert len(pickle_readers(text)) == 1
