"""CIFAR-10: archive, unpacked folder and planes decoded, verified and fetched; wrong files told in one sentence."""

import hashlib
import io
import os
import tarfile
from pathlib import Path

import numpy as np
import pytest

from gatefield import UserError, cli
from gatefield.data import cifar10
from gatefield.data.images import Collection, check_there, locate
from gatefield.data.images import cifar10 as cifar10_files
from gatefield.data.images import collections as image_collections

ARCHIVE, FOLDER = "cifar-10-binary.tar.gz", "cifar-10-batches-bin"
BINARY = [*(f"data_batch_{k}.bin" for k in range(1, 6)), "test_batch.bin"]
PLANES = [*(f"cifar10_train_{k}.npz" for k in range(1, 6)), "cifar10_test.npz"]
MD5 = [  # as the authors published them
    "5dd7e06a14cb22eb9f671a540d1b7c25",
    "5ea93a67294ea407fff1d09f752e9692",
    "942cd6a4bcdd0dd3c604fbe906cb4421",
    "ae636b3ba5c66a11e91e8cb52e771fcb",
    "53f37980c15c3d472c316c40844f3f0d",
    "803d5f7f4d78ea53de84dbe85f74fb6d",
]
RNG = np.random.default_rng(0)
IMAGES = RNG.integers(0, 256, (6, 4, 32, 32, 3), dtype=np.uint8)
CLASSES = RNG.integers(0, 10, (6, 4), dtype=np.uint8)


def binary(images, classes):
    """The authors' layout, record by record."""
    return b"".join(
        bytes([kind]) + b"".join(image[:, :, channel].tobytes() for channel in range(3))
        for image, kind in zip(images, classes, strict=True)
    )


def planes(images, classes):
    """G, R-G, B-G as differences to the left and then to the upper neighbour, modulo 256."""
    red, green, blue = np.moveaxis(images.astype(int), -1, 0)
    d = np.stack([green, red - green, blue - green])
    d = np.diff(np.diff(d, axis=3, prepend=0), axis=2, prepend=0) % 256
    buffer = io.BytesIO()
    np.savez_compressed(buffer, d=d.astype(np.uint8), y=classes)
    return buffer.getvalue()


def tar(contents):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for name, raw in {f"{FOLDER}/batches.meta.txt": b"airplane\n", **contents}.items():
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return buffer.getvalue()


RAW = [binary(*batch) for batch in zip(IMAGES, CLASSES, strict=True)]
FORMS = {
    "archive": {ARCHIVE: tar({f"{FOLDER}/{name}": raw for name, raw in zip(reversed(BINARY), reversed(RAW), strict=True)})},
    "unpacked": {f"{FOLDER}/{name}": raw for name, raw in zip(BINARY, RAW, strict=True)},
    "batches": dict(zip(BINARY, RAW, strict=True)),
    "planes": {name: planes(*batch) for name, *batch in zip(PLANES, IMAGES, CLASSES, strict=True)},
}


def digests(contents):
    return {name: hashlib.sha256(raw).hexdigest() for name, raw in contents.items()}


def use(monkeypatch, mirrors, files=None):
    first, *others = (digests(contents) for contents in FORMS.values())
    collection = Collection("cifar10", files or first, mirrors, tuple(others))
    monkeypatch.setattr(cifar10_files, "CIFAR10", collection)
    monkeypatch.setitem(image_collections.COLLECTIONS, "cifar10", collection)
    return collection


def write(folder: Path, contents) -> Path:
    for name, raw in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(raw)
    return folder


@pytest.fixture(autouse=True)
def small(tmp_path, monkeypatch):
    """Made-up batches under the published names, an empty cache, and no mirror."""
    monkeypatch.delenv("GATEFIELD_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return use(monkeypatch, {"nowhere": "http://127.0.0.1:9/"})


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_the_files_is_decoded(tmp_path, form):
    found = cifar10(folder=write(tmp_path / "files", FORMS[form]))
    np.testing.assert_allclose(found.x, IMAGES[:5].reshape(20, 3072) / 255, rtol=1e-6)
    np.testing.assert_allclose(found.test_x, IMAGES[5].reshape(4, 3072) / 255, rtol=1e-6)
    np.testing.assert_array_equal(found.y, CLASSES[:5].ravel())
    np.testing.assert_array_equal(found.test_y, CLASSES[5])
    assert (found.x.dtype, found.test_x.dtype, found.y.dtype, found.test_y.dtype) == (np.float32,) * 2 + (np.int32,) * 2


def test_images_are_transformed_as_digits_are(tmp_path):
    found = cifar10(folder=write(tmp_path / "files", FORMS["planes"]))
    assert found.subset(5, seed=0).x.shape == (5, 3072)
    assert found.dataset().n == 3072


def test_decoded_arrays_are_bytes_that_all_forms_share(tmp_path, monkeypatch):
    first = cifar10(folder=write(tmp_path / "planes", FORMS["planes"]))
    (cached,) = (tmp_path / "cache").rglob("*.npz")
    with np.load(cached) as arrays:
        assert {array.dtype for array in arrays.values()} == {np.dtype(np.uint8)}
    monkeypatch.setattr(cifar10_files, "read_archive", None)
    np.testing.assert_array_equal(cifar10(folder=write(tmp_path / "archive", FORMS["archive"])).x, first.x)


def test_a_whole_set_goes_before_a_part_of_another(tmp_path, monkeypatch):
    part = dict(list(FORMS["unpacked"].items())[:5])
    folder = write(tmp_path / "files", part | FORMS["planes"])
    assert cifar10(folder=folder).x.shape == (20, 3072)
    (folder / "cifar10_test.npz").unlink()
    with pytest.raises(
        UserError, match=rf"The file '{FOLDER}/test_batch.bin' of cifar10 is missing in .*files': copy it there"
    ):
        cifar10(folder=folder)
    with pytest.raises(UserError, match=r"Unknown file 'cifar10_test\.npz'"):
        locate(cifar10_files.CIFAR10, "cifar10_test.npz")


def test_missing_and_damaged_files_are_one_sentence(tmp_path):
    folder = write(tmp_path / "files", {})
    folder.mkdir()
    forms = rf"copy {ARCHIVE}, or {FOLDER}/.* \(6 files\), or .*cifar10_train_1.npz to cifar10_test.npz \(6 files\) there"
    with pytest.raises(
        UserError, match=rf"The data set cifar10 is not in .*: {forms}, or fetch it by `gatefield data cifar10`"
    ):
        cifar10(folder=folder)
    write(folder, FORMS["planes"] | {"cifar10_train_3.npz": b"damaged"})
    with pytest.raises(UserError, match=r"'.*train_3\.npz' is not the published one .* remove it and copy or fetch it again\."):
        cifar10(folder=folder)
    with pytest.raises(UserError, match=r"folder '.*no-such' does not exist"):
        cifar10(folder=folder / "no-such")


@pytest.mark.parametrize(
    ("reader", "raw"),
    [
        (cifar10_files.read_archive, b"no archive"),
        (cifar10_files.read_archive, FORMS["archive"][ARCHIVE][:-3000]),
        (cifar10_files.read_archive, tar({f"{FOLDER}/{name}": RAW[0] for name in BINARY[:5]})),
        (cifar10_files.read_archive, tar({f"{FOLDER}/{name}": RAW[0][:-1] for name in BINARY})),
        (cifar10_files.read_batch, RAW[0][:-1]),
        (cifar10_files.read_batch, b""),
        (cifar10_files.read_planes, b"no archive"),
        (cifar10_files.read_planes, FORMS["planes"]["cifar10_test.npz"][:-200]),
        (cifar10_files.read_planes, planes(IMAGES[0], CLASSES[0][:3])),
        (cifar10_files.read_planes, planes(IMAGES[0][:, :, :31], CLASSES[0])),
    ],
    ids=["no archive", "cut", "a batch less", "cut batches", "cut batch", "empty", "no npz", "cut npz", "labels", "narrow"],
)
def test_files_cut_short_are_one_sentence(tmp_path, reader, raw):
    path = tmp_path / "file"
    path.write_bytes(raw)
    with pytest.raises(UserError, match=r"file' is cut short or not one of CIFAR-10: remove it and copy or fetch it again\.$"):
        reader(path)


def test_the_archive_is_fetched_from_the_first_mirror_that_has_it(tmp_path, monkeypatch, served):
    (tmp_path / "empty").mkdir()
    good, wrong = write(tmp_path / "good", FORMS["archive"]), write(tmp_path / "wrong", {ARCHIVE: b"another file"})
    with served(tmp_path / "empty") as empty, served(wrong) as bad, served(good) as right:
        use(monkeypatch, {"empty": empty, "bad": bad, "good": right})
        with pytest.raises(UserError, match=r"Cannot fetch .*\(bad: another file than the published one\): try again later"):
            cifar10(mirror="bad")
        with pytest.raises(UserError, match=r"The data set cifar10 is not in .*: run `gatefield data cifar10`"):
            check_there(cifar10_files.CIFAR10)
        assert cifar10().x.shape == (20, 3072)
    check_there(cifar10_files.CIFAR10)
    assert locate(cifar10_files.CIFAR10, ARCHIVE).status == "verified"


def test_the_command_prints_a_line_for_each_file(tmp_path, monkeypatch, capsys):
    folder = write(tmp_path / "files", FORMS["planes"])
    assert cli.main(["data", "cifar10", "--folder", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines] == [["cifar10:", name, "verified,"] for name in PLANES]
    monkeypatch.setenv("GATEFIELD_DATA", str(folder))
    check_there(cifar10_files.CIFAR10)
    write(folder, {PLANES[2]: b"damaged"})
    assert cli.main(["data", "cifar10"]) == 2
    out, err = capsys.readouterr()
    assert (len(out.splitlines()), len(err.splitlines())) == (5, 1)
    assert "cifar10_train_3.npz' is not the published one" in err


def test_the_command_tells_when_there_is_no_connection(capsys):
    assert cli.main(["data", "cifar10", "--mirror", "nowhere"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"cifar10: fetching {ARCHIVE} from nowhere\n")
    assert "(nowhere: no connection): try again later" in err


PUBLISHED, GIVEN = cifar10_files.CIFAR10, os.environ.get("GATEFIELD_DATA")


@pytest.fixture
def published(monkeypatch):
    """The published files, wherever GATEFIELD_DATA has them."""
    if GIVEN is None:
        pytest.skip("GATEFIELD_DATA names no folder with the published files")
    monkeypatch.setattr(cifar10_files, "CIFAR10", PUBLISHED)
    monkeypatch.setenv("GATEFIELD_DATA", GIVEN)
    try:
        check_there(PUBLISHED)
    except UserError as error:
        pytest.skip(str(error))
    return cifar10()


def test_published_files(published):
    assert np.bincount(published.y).tolist() == [5000] * 10
    assert np.bincount(published.test_y).tolist() == [1000] * 10
    images = [*np.split(published.x, 5), published.test_x]
    classes = [*np.split(published.y, 5), published.test_y]
    for image, kind, digest in zip(images, classes, MD5, strict=True):
        planes = np.rint(255 * image).astype(np.uint8).reshape(-1, 32, 32, 3).transpose(0, 3, 1, 2)
        records = np.concatenate([kind[:, None].astype(np.uint8), planes.reshape(len(kind), -1)], axis=1)
        assert hashlib.md5(records.tobytes()).hexdigest() == digest
    means = 255 * published.x.reshape(-1, 3).mean(axis=0, dtype=float)
    np.testing.assert_allclose(means, [125.3069, 122.9504, 113.8654], atol=1e-4)
