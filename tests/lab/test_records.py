import json
import warnings

import jax
import numpy as np
import pytest
import xarray as xr
from lab_blocks import record, start

from gatefield import Committee, Task, train
from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.data import Gaussian
from gatefield.lab import ZarrRecorder, open_record, write_record
from gatefield.lab.store.format import RECORD_FORMAT


def some_dataset():
    return xr.Dataset(
        {
            "field": (("gain", "position"), np.arange(12.0).reshape(3, 4), {"units": "1"}),
            "holds": ("gain", np.array([True, False, True])),
            "eigenvalue": ("position", np.array([1j, 2, 3, 4])),
            "count": ((), 3),
            "nothing": (("gain", "none"), np.zeros((3, 0))),
        },
        {
            "gain": [0.5, 3.0, np.inf],
            "activation": ("gain", np.array(["relu", "erf", "linear"])),
            "elapsed": ("position", np.arange(4.0), {"units": "seconds"}),
            "title": ((), "a name"),
        },
        {"experiment": "toy", "labels": [1.0, 0.0]},
    )


def test_a_written_record_comes_back(tmp_path):
    write_record(tmp_path / "new" / "folder", some_dataset())
    made = open_record(tmp_path / "new" / "folder")
    expected = some_dataset().assign_attrs(complete=1)
    assert made.identical(expected)
    assert [made[name].dtype for name in made.variables] == [expected[name].dtype for name in expected.variables]
    assert list(made) == list(expected)


def test_writing_leaves_the_dataset_as_it_was(tmp_path):
    dataset = some_dataset().assign_attrs(flag=True)
    write_record(tmp_path / "a", dataset)
    assert dataset.identical(some_dataset().assign_attrs(flag=True))
    assert dataset.attrs["flag"] is True


def test_what_was_read_can_be_written_again(tmp_path):
    record(tmp_path / "a", 10, 3)
    write_record(tmp_path / "b", open_record(tmp_path / "a"))
    assert open_record(tmp_path / "b").identical(open_record(tmp_path / "a"))


def test_records_are_never_overwritten(tmp_path):
    write_record(tmp_path / "a", some_dataset())
    with pytest.raises(StoreError, match="never overwritten: choose another path"):
        write_record(tmp_path / "a", xr.Dataset())


def test_a_failed_write_leaves_nothing(tmp_path):
    with pytest.raises((TypeError, ValueError)):
        write_record(tmp_path / "a", xr.Dataset({"x": ((), object())}))
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_a_killed_write_do_not_matter(tmp_path):
    (tmp_path / ".a.tmp" / "data.zarr").mkdir(parents=True)
    write_record(tmp_path / "a", some_dataset())
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_group_itself_opens_too(tmp_path):
    write_record(tmp_path / "a", some_dataset())
    assert open_record(str(tmp_path / "a" / "data.zarr")).identical(open_record(tmp_path / "a"))


@pytest.mark.parametrize("path", ["gone", "empty", "file"])
def test_what_is_no_record_says_so(tmp_path, path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("text")
    with pytest.raises(StoreError, match=rf"{path}' is not a record|no record at '.*{path}': give the folder of a run"):
        open_record(tmp_path / path)


def test_a_folder_of_records_names_them(tmp_path):
    write_record(tmp_path / "a", some_dataset())
    write_record(tmp_path / "b", some_dataset())
    with pytest.raises(StoreError, match="is not a record itself: give one of those in it: a, b"):
        open_record(tmp_path)


CHUNK = "data.zarr/fields/c/0/1/0"
LAST = "data.zarr/fields/c/0/3/0"
"""The tenth of ten records in blocks of three has a chunk that it does not fill."""


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


def truncate(path):
    path.write_bytes(path.read_bytes()[:10])


def empty(path):
    path.write_bytes(b"")


def delete(path):
    path.unlink()


@pytest.mark.costly
@pytest.mark.parametrize("harm", [flip, truncate, empty, delete])
@pytest.mark.parametrize("file", [CHUNK, LAST, "data.zarr/loss/c/0/3", "data.zarr/step/c/0", "data.zarr/name/c/0"])
def test_a_harmed_chunk_is_named(tmp_path, harm, file):
    record(tmp_path / "a", 10, 3)
    record(tmp_path / "b", 10, 3)
    harm(tmp_path / "a" / file)
    with pytest.raises(StoreError) as error:
        open_record(tmp_path / "a")
    what = "is missing" if harm is delete else "does not match its checksum"
    assert str(error.value) == (
        f"The record in '{tmp_path / 'a'}' is corrupted, since {file} {what}: move '{tmp_path / 'a'}' away and run "
        f"the same command again to make it anew; other records are untouched."
    )
    assert open_record(tmp_path / "b").sizes["step"] == 10


@pytest.mark.parametrize("harm", [truncate, empty, delete])
@pytest.mark.parametrize("file", ["data.zarr/zarr.json", "data.zarr/fields/zarr.json", "data.zarr/time/zarr.json"])
def test_harmed_metadata_is_named(tmp_path, harm, file):
    record(tmp_path, 10, 3)
    harm(tmp_path / file)
    with pytest.raises(StoreError, match=f"is corrupted, since {file} (cannot be read|does not match its checksum)"):
        open_record(tmp_path)


@pytest.mark.parametrize("harm", [flip, truncate, empty, delete])
def test_a_harmed_checkpoint_is_named_and_the_record_still_opens(tmp_path, harm):
    record(tmp_path, 10, 3)
    harm(tmp_path / "checkpoint-000000010.eqx")
    with pytest.raises(StoreError, match=r"checkpoint-000000010\.eqx (is missing|does not match its checksum): move"):
        ZarrRecorder(tmp_path).find("abc", start())
    assert open_record(tmp_path).sizes["step"] == 10


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format": 1}', '{"format": 1, "gatefield": "0.1.0", "records": "x"}']
)
def test_a_broken_marker_is_named(tmp_path, text):
    record(tmp_path, 10, 3)
    (tmp_path / "committed.json").write_text(text)
    for read in (lambda: open_record(tmp_path), lambda: ZarrRecorder(tmp_path).find("abc", start())):
        with pytest.raises(StoreError, match=r"corrupted, since committed\.json cannot be read: move"):
            read()


def test_another_format_names_the_version_that_reads_it(tmp_path):
    record(tmp_path, 10, 3)
    marker = json.loads((tmp_path / "committed.json").read_text())
    (tmp_path / "committed.json").write_text(json.dumps({**marker, "format": 7, "gatefield": "3.2.1", "new": True}))
    with pytest.raises(StoreError) as error:
        open_record(tmp_path)
    assert str(error.value) == (
        f"The record in '{tmp_path}' has format 7, but gatefield {__version__} reads format {RECORD_FORMAT}: "
        f"open it with the version that made it, gatefield 3.2.1, or move it away and run it again."
    )


def trained(folder, **settings):
    key = jax.random.key(3)
    given = {"steps": 2, "batch_size": 2, "learning_rate": 0.1, "record_every": 1, "key": key, **settings}
    net, task = Committee(4, 1, key=key), Task(Gaussian(4, 2.0), Gaussian(4, 1.0))
    return {
        "memory": train(net, task, **given).record,
        "disk": train(net, task, recorder=ZarrRecorder(folder), **given).record,
        "opened": open_record(folder),
    }


def test_trainings_are_taken_to_netcdf_and_back(tmp_path):
    records = trained(tmp_path / "run")
    records["one run"] = records["opened"].isel(run=0)
    for name, made in records.items():
        made.to_netcdf(tmp_path / f"{name}.nc")
        back = xr.load_dataset(tmp_path / f"{name}.nc")
        xr.testing.assert_equal(back, made)
        assert back.train_key.dtype == np.uint32
        assert back.attrs["network"] == made.attrs["network"]
    write_record(tmp_path / "again", records["opened"])
    assert open_record(tmp_path / "again").identical(records["opened"])


def test_plain_xarray_opens_what_the_readme_says(tmp_path):
    trained(tmp_path / "run")
    write_record(tmp_path / "record", some_dataset())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert xr.open_zarr(tmp_path / "run" / "data.zarr").sizes["step"] == 3
        assert xr.open_zarr(str(tmp_path / "record" / "data.zarr")).field.shape == (3, 4)
