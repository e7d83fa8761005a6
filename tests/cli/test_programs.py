"""Compiled programs kept from one command to the next: the same bits, whatever became of the files."""

import os
import subprocess
import sys

import jax
import pytest

from gatefield.cli import main, programs
from gatefield.cli.programs import cache, trial
from gatefield.cli.programs.kept import Kept, trim

TRAINING = """
import jax
from gatefield.cli.programs import use_cache
use_cache()
from gatefield import Committee, Task, train
from gatefield.data import NonlinearGP
pair = Task(NonlinearGP(12, xi=2.0, gain=3.0), NonlinearGP(12, xi=1.0, gain=3.0))
start = Committee(12, 2, key=jax.random.key(0))
net, record = train(start, pair, steps=20, batch_size=50, learning_rate=0.1, key=jax.random.key(1))
from jax._src import compilation_cache
print(record.fields.values.tobytes().hex(), getattr(compilation_cache._cache, "taken", 0))
"""


def trained(folder: str) -> tuple[str, int]:
    """The bits of a training in a process of its own, and how many of its programs were taken from the folder."""
    words = [sys.executable, "-c", TRAINING]
    ended = subprocess.run(words, capture_output=True, text=True, env={**os.environ, programs.FOLDER: folder}, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")
    bits, taken = ended.stdout.split()
    return bits, int(taken)


@pytest.mark.xdist_group("cli")
def test_the_same_bits_with_the_cache_without_it_and_with_damaged_files(tmp_path):
    bits, taken = trained("off")
    assert taken == 0
    folder = tmp_path / "cache"
    first, before = trained(str(folder))
    kept = sorted(path for path in folder.glob("programs/*/*") if path.stat().st_size)
    whole = [path.read_bytes() for path in kept]
    for path, damage in zip(kept, 4 * len(kept) * [lambda b: b[:-9], lambda b: b[:40], lambda b: b"", turned], strict=False):
        path.write_bytes(damage(path.read_bytes()))
    for path in folder.glob("programs/*/works"):
        path.unlink()  # or the two programs of the trial, which are among them, would not be compiled again
    second, none = trained(str(folder))
    third, all_ = trained(str(folder))
    assert {bits, first, second, third} == {bits}
    assert none <= before < 10 < all_
    assert [path.stat().st_size > 40 for path in kept] == [True] * len(kept)  # those that were damaged are kept anew
    assert len(whole) >= all_


def turned(content: bytes) -> bytes:
    """One bit, which no decompression need notice."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b[:5], lambda b: b"", turned, lambda b: b + b"x"])
def test_only_what_is_whole_is_taken(tmp_path, damage):
    kept = Kept(tmp_path)
    assert kept.get("jit_f-1") is None
    kept.put("jit_f-1", b"a program")
    assert (kept.get("jit_f-1"), kept.get("jit_f-2"), kept.taken) == (b"a program", None, 1)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert kept.get("jit_f-1") is None
    kept.put("jit_f-1", b"a program")
    assert kept.get("jit_f-1") == b"a program"
    file.rename(kept._file("jit_f-2"))
    assert kept.get("jit_f-2") is None  # it is another one's


def test_what_cannot_be_written_is_not_kept(tmp_path):
    kept = Kept(tmp_path / "missing")
    kept.put("jit_f", b"a program")
    assert kept.get("jit_f") is None


def test_those_not_used_for_longest_go_first(tmp_path):
    kept = Kept(tmp_path / "jax")
    kept.folder.mkdir()
    for age in range(10):
        kept.put(f"{age}", bytes(68))  # 100 bytes with the digest
        os.utime(kept._file(f"{age}"), (1e9 - age, 1e9 - age))
    trim(tmp_path, 1_000)
    assert all(kept._file(f"{age}").exists() for age in range(10))
    kept.get("9")
    trim(tmp_path, 900)
    assert [age for age in range(10) if not kept._file(f"{age}").exists()] == [5, 6, 7, 8]
    assert kept.get("9") is not None


def test_folders_are_of_the_user_alone(tmp_path):
    folder = cache._private_folder(tmp_path / "deep" / "cache")
    assert [path.stat().st_mode & 0o777 for path in (folder, folder.parent, folder.parent.parent)] == [0o700] * 3
    folder.chmod(0o770)
    with pytest.raises(PermissionError):
        cache._private_folder(tmp_path / "deep" / "cache")
    (tmp_path / "link").symlink_to(tmp_path / "deep")
    with pytest.raises(PermissionError):
        cache._private_folder(tmp_path / "link")


@pytest.mark.parametrize("chosen", ["", " off ", "OFF", "file/below", "~nobody-of-this-name/x"])
def test_without_a_folder_nothing_is_set_and_nothing_said(tmp_path, monkeypatch, capfd, chosen):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(programs.FOLDER, chosen)
    programs.use_cache()
    assert not getattr(jax.config, "jax_compilation_cache_dir", None)
    assert capfd.readouterr() == ("", "")


def test_only_a_process_of_its_own_is_offered_the_users_folder(monkeypatch, capsys, tmp_path):
    monkeypatch.delenv(programs.FOLDER)
    assert main(["--version"]) == 0
    assert programs.FOLDER not in os.environ
    monkeypatch.setenv(programs.FOLDER, "chosen")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    programs.offer_cache()
    assert os.environ[programs.FOLDER] == "chosen"
    monkeypatch.delenv(programs.FOLDER)
    programs.offer_cache()
    assert os.environ[programs.FOLDER] == str(tmp_path / "gatefield")


def test_a_compiler_is_tried_once(tmp_path, monkeypatch):
    trials = []
    monkeypatch.setattr(trial, "_tried", lambda kept: trials.append(kept) or len(trials) > 1)
    kept = Kept(tmp_path)
    assert [trial.works(kept), trial.works(kept), len(trials)] == [False, False, 1]  # so also if the first ended the process
    (tmp_path / "tried").unlink()  # as `trim` may
    assert [trial.works(kept), trial.works(kept), len(trials)] == [True, True, 2]


def test_an_interrupted_trial_is_made_again(tmp_path, monkeypatch):
    def interrupted(kept: Kept) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(trial, "_tried", interrupted)
    with pytest.raises(KeyboardInterrupt):
        trial.works(Kept(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_what_a_compiler_says_is_heard_and_not_shown(capfd):
    with trial._standard_error() as said:
        assert not said()
        os.write(2, b"E0000 cpu_aot_loader.cc: machine type")
        assert said()
    os.write(2, b"later")
    assert capfd.readouterr().err == "later"
