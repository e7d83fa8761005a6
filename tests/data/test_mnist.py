"""MNIST: files decoded, verified and fetched, wrong ones told in one sentence, and the transforms of images."""

import gzip
import hashlib
import os
import re
import struct
from pathlib import Path

import numpy as np
import pytest

from gatefield import UserError, cli
from gatefield.data import Images, binary_mnist, mnist
from gatefield.data.images import Collection, check_there, locate
from gatefield.data.images import collections as image_collections
from gatefield.data.images import mnist as mnist_files
from gatefield.data.images.images import read_idx

RNG = np.random.default_rng(0)
ARRAYS = [
    RNG.integers(0, 256, (30, 4, 4), dtype=np.uint8),
    np.repeat(np.arange(10, dtype=np.uint8), 3),
    RNG.integers(0, 256, (10, 4, 4), dtype=np.uint8),
    np.arange(10, dtype=np.uint8),
]


def idx(array):
    return gzip.compress(struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape) + array.tobytes(), mtime=0)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A small set under MNIST's file names in a folder, an empty cache, and no mirror."""
    monkeypatch.delenv("GATEFIELD_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder, files = tmp_path / "files", {}
    folder.mkdir()
    for name, array in zip(mnist_files.MNIST.files, ARRAYS, strict=True):
        (folder / name).write_bytes(idx(array))
        files[name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    use(monkeypatch, Collection("mnist", files, {"nowhere": "http://127.0.0.1:9/"}))
    return folder


def use(monkeypatch, collection):
    monkeypatch.setattr(mnist_files, "MNIST", collection)
    monkeypatch.setitem(image_collections.COLLECTIONS, "mnist", collection)
    monkeypatch.delitem(image_collections.COLLECTIONS, "cifar10", raising=False)


def test_files_of_a_folder_are_decoded(small):
    images = mnist(folder=small)
    np.testing.assert_allclose(images.x, ARRAYS[0].reshape(30, 16) / 255, rtol=1e-6)
    np.testing.assert_array_equal(images.y, ARRAYS[1])
    np.testing.assert_allclose(images.test_x, ARRAYS[2].reshape(10, 16) / 255, rtol=1e-6)
    np.testing.assert_array_equal(images.test_y, ARRAYS[3])


def test_the_folder_can_be_named_by_the_environment(small, monkeypatch):
    monkeypatch.setenv("GATEFIELD_DATA", str(small))
    assert mnist().x.shape == (30, 16)


def test_decoded_arrays_are_cached_and_a_damaged_cache_is_made_anew(small, tmp_path, monkeypatch):
    first = mnist(folder=small)
    (cached,) = (tmp_path / "cache").rglob("*.npz")
    with monkeypatch.context() as patch:
        patch.setattr(mnist_files, "read_idx", None)
        np.testing.assert_array_equal(mnist(folder=small).x, first.x)
    cached.write_bytes(cached.read_bytes()[:100])
    np.testing.assert_array_equal(mnist(folder=small).x, first.x)
    assert len(cached.read_bytes()) > 100
    np.savez(cached, z=first.x)
    np.testing.assert_array_equal(mnist(folder=small).x, first.x)


def test_a_write_that_breaks_off_leaves_no_cache(small, tmp_path, monkeypatch):
    """The file gets its name only when it is whole."""
    written = []

    def broken(path, content):
        written.append(path)
        with path.open("wb") as file:
            file.write(bytes(content)[:50])
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", broken)
        assert mnist(folder=small).x.shape == (30, 16)
    assert len(written) == 1
    assert not list((tmp_path / "cache").rglob("*.npz"))
    assert not written[0].exists()


def test_a_cache_that_cannot_be_written_is_no_obstacle(small, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert mnist(folder=small).x.shape == (30, 16)


def test_two_classes_get_two_values(small):
    images = binary_mnist((4, 7), folder=small)
    np.testing.assert_array_equal(images.y, [-1, -1, -1, 1, 1, 1])
    np.testing.assert_array_equal(images.x, mnist(folder=small).x[[12, 13, 14, 21, 22, 23]])
    np.testing.assert_array_equal(images.test_y, [-1, 1])


@pytest.mark.wrong_types
def test_two_classes_and_two_values_must_differ(small):
    with pytest.raises(UserError, match=r"two different ones of 0 to 9, but are \(4, 11\)"):
        binary_mnist(classes=(4, 11), folder=small)
    for wrong in ((4,), 4, (4, 4), str(small)):
        with pytest.raises(UserError, match=r"two different ones of 0 to 9, but are .*; write \(0, 9\)"):
            mnist(folder=small).pair(wrong, (0.0, 1.0))
    with pytest.raises(UserError, match=r"labels must be two different numbers, but are \(1\.0, 1\.0\); write \(-1\.0, 1\.0\)"):
        binary_mnist(labels=(1.0, 1.0), folder=small)


def test_images_unpack_into_training_arrays(small):
    images = mnist(folder=small)
    x, y = images
    assert x is images.x
    assert y is images.y


def test_missing_and_damaged_files_are_one_sentence(small):
    name = "train-labels-idx1-ubyte.gz"
    (small / name).write_bytes(b"damaged")
    with pytest.raises(UserError, match=rf"'.*{name}' is not the published one .* remove it and copy or fetch it again\."):
        mnist(folder=small)
    (small / name).unlink()
    with pytest.raises(UserError, match=rf"The file '{name}' of mnist is missing in .*gatefield data mnist"):
        mnist(folder=small)
    with pytest.raises(UserError, match=r"folder '.*no-such' does not exist"):
        mnist(folder=small / "no-such")
    with pytest.raises(UserError, match="Unknown mirror 'zzz'"):
        mnist(folder=small, mirror="zzz")


@pytest.mark.parametrize(
    "raw",
    [b"not gzip", idx(ARRAYS[1])[:-12], gzip.compress(b"\0\0"), gzip.compress(b"\0\0\x08\x01\0\0\0\x09ab")],
    ids=["no gzip", "cut", "too short", "too few"],  # the bytes hold the time, and every worker must give the same names
)
def test_files_cut_short_are_one_sentence(tmp_path, raw):
    (tmp_path / "file.gz").write_bytes(raw)
    with pytest.raises(UserError, match=r"file\.gz' is .*cut short.*remove it and copy or fetch it again\."):
        read_idx(tmp_path / "file.gz")


def test_files_are_fetched_from_the_first_mirror_that_has_them(small, tmp_path, monkeypatch, served):
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    files = mnist_files.MNIST.files
    for name in files:
        (wrong / name).write_bytes(b"another file")
    with served(small) as good, served(wrong) as bad, served(tmp_path / "empty") as empty:
        use(monkeypatch, Collection("mnist", files, {"empty": empty, "bad": bad, "good": good}))
        with pytest.raises(UserError, match=r"Cannot fetch .*\(bad: another file than the published one\): try again later"):
            mnist(mirror="bad")
        with pytest.raises(UserError, match=r"\(empty: HTTP status 404\)"):
            mnist(mirror="empty")
        with pytest.raises(UserError, match="Unknown mirror 'goood': did you mean 'good'"):
            mnist(mirror="goood")
        assert [locate(mnist_files.MNIST, name).status for name in files] == ["fetched"] * 4
    assert [locate(mnist_files.MNIST, name).status for name in files] == ["verified"] * 4
    assert mnist().x.shape == (30, 16)


def test_another_file_in_the_cache_of_downloads_is_fetched_again(small, tmp_path, monkeypatch, served):
    files = mnist_files.MNIST.files
    with served(small) as address:
        use(monkeypatch, Collection("mnist", files, {"here": address}))
        paths = [locate(mnist_files.MNIST, name).path for name in files]
        paths[1].write_bytes(b"another file")
        assert [locate(mnist_files.MNIST, name).status for name in files] == ["verified", "fetched", "verified", "verified"]
    assert paths[1].read_bytes() == (small / paths[1].name).read_bytes()


def test_the_command_prints_a_line_for_each_file(small, capsys, monkeypatch):
    assert cli.main(["data", "mnist", "--folder", str(small)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines] == [["mnist:", name, "verified,"] for name in mnist_files.MNIST.files]
    (small / "t10k-images-idx3-ubyte.gz").unlink()
    assert cli.main(["data", "--folder", str(small)]) == 2
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 3
    assert err.startswith("gatefield: The file 't10k-images-idx3-ubyte.gz' of mnist is missing")
    assert len(err.splitlines()) == 1
    (small / "t10k-labels-idx1-ubyte.gz").unlink()
    monkeypatch.setenv("GATEFIELD_DATA", str(small))
    names = r"'t10k-images-idx3-ubyte\.gz', 't10k-labels-idx1-ubyte\.gz'"
    with pytest.raises(UserError, match=rf"The files {names} of mnist are missing in .*: run `gatefield data mnist`"):
        check_there(mnist_files.MNIST)
    for folder, words in [(small, rf"The files {names} of mnist are missing"), (small / "no-such", "does not exist")]:
        assert cli.main(["data", "--folder", str(folder)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert re.search(words, line)


def test_the_command_tells_when_there_is_no_connection_or_no_such_set(small, capsys):
    assert cli.main(["data"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("mnist: fetching train-images-idx3-ubyte.gz from nowhere\n")
    assert "(nowhere: no connection): try again later" in err
    assert len(err.splitlines()) == 2
    assert cli.main(["data", "mnits"]) == 2
    assert "Unknown data set 'mnits': did you mean 'mnist'?" in capsys.readouterr().err


def images(size=2000):
    rng = np.random.default_rng(1)
    x, y = rng.random((size, 4)).astype(np.float32), np.arange(size) % 4
    return Images(x, y, x[:8], y[:8])


def test_subsets_are_drawn_without_replacement():
    whole = images(40)
    part = whole.subset(10, seed=1)
    assert len({tuple(row) for row in part.x}) == 10
    assert {tuple(row) for row in part.x} <= {tuple(row) for row in whole.x}
    assert np.bincount(whole.subset(12, seed=1, balanced=True).y).tolist() == [3, 3, 3, 3]
    np.testing.assert_array_equal(part.x, whole.subset(10, seed=1).x)
    assert np.any(part.x != whole.subset(10, seed=2).x)
    for size, balanced, words in [
        (41, False, r"at most 40, but is 41; write size=40\."),
        (10, True, r"a multiple of 4, and at most 40, but is 10; write size=8\."),
    ]:
        with pytest.raises(UserError, match=words):
            whole.subset(size, seed=0, balanced=balanced)


def test_random_labels_are_uniform_and_independent():
    whole = images()
    drawn = whole.random_labels(seed=3)
    assert np.abs(np.bincount(drawn.y) - 500).max() < 5 * np.sqrt(375)
    assert abs((drawn.y == whole.y).mean() - 0.25) < 5 * np.sqrt(0.1875 / 2000)
    np.testing.assert_array_equal(drawn.x, whole.x)
    np.testing.assert_array_equal(drawn.test_y, whole.test_y)


def test_random_labels_have_equal_shares_whatever_the_shares_of_the_classes():
    x = np.zeros((4000, 1), np.float32)
    unequal = Images(x, np.repeat([0, 1], [3600, 400]), x[:2], np.array([0, 1]))
    assert abs(unequal.random_labels(seed=0).y.mean() - 0.5) < 5 * 0.5 / np.sqrt(4000)


def test_random_pixels_keep_mean_and_variance():
    whole = images()
    drawn = whole.random_pixels(seed=3)
    assert abs(drawn.x.mean() - whole.x.mean()) < 5 * whole.x.std() / np.sqrt(8000)
    assert abs(drawn.x.std() / whole.x.std() - 1) < 5 / np.sqrt(16000)
    assert abs(np.corrcoef(drawn.x.ravel(), whole.x.ravel())[0, 1]) < 5 / np.sqrt(8000)
    np.testing.assert_array_equal(drawn.y, whole.y)
    assert drawn.x.dtype == np.float32


def test_images_make_a_task():
    task = images(40).dataset(batches="replacement")
    assert (task.n, task.size, task.classes) == (4, 40, 4)


@pytest.mark.skipif("GATEFIELD_DATA" not in os.environ, reason="GATEFIELD_DATA names no folder with the published files")
def test_published_files(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = mnist()
    assert found.x.shape == (60_000, 784)
    assert found.test_x.shape == (10_000, 784)
    assert np.bincount(found.y).tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
