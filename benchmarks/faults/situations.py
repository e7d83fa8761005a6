"""What may happen to a sweep beside kills: disks, damage, two drivers, signals, and disks whose locks do not work."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from disk import AS_OTHERS, NEEDS_ROOT, Wrong, mounted
from harness import Finding, shortened
from swept import Swept, resumed, right


def full_disk(kilobytes: int) -> Callable[[Swept, float], None]:
    def situation(swept: Swept, limit: float) -> None:
        """One sentence, and the same bits when there is room."""
        with mounted(swept.folder / "disk", f"size={kilobytes}k") as disk:
            swept.store = disk / "store"
            swept.start()
            swept.refused(limit, "no space left")
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
            swept.start()
            swept.works(limit)
            swept.compare(right(swept.scratch))

    return situation


def read_only(swept: Swept, limit: float) -> None:
    """A disk that is read-only when half of the sweep is done: the driver says so; afterwards it goes on."""
    with mounted(swept.folder / "disk", "size=64m") as disk:
        swept.store = disk / "store"
        swept.start()
        swept.until(lambda: len(swept.finished()) >= 6, limit)
        swept.end()
        for _ in range(500):  # until the last worker has let go of the disk
            if subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=False, capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        swept.start()
        swept.refused(limit, "read-only")
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        swept.start()
        swept.works(limit)
        swept.compare(right(swept.scratch))


def forbidden(swept: Swept, limit: float) -> None:
    """Folders that may not be written to any more while workers are at work."""
    swept.start(before=AS_OTHERS if os.getuid() == 0 else ())
    swept.until(lambda: len(swept.finished()) >= 6, limit)
    _change_modes(swept.store, 0o555)
    try:
        swept.refused(limit, "permission denied")
    finally:
        _change_modes(swept.store, 0o755)
    swept.start()
    swept.works(limit)
    swept.compare(right(swept.scratch))


def _change_modes(store: Path, mode: int) -> None:
    """Of all folders; those of unfinished blocks come and go meanwhile."""
    for path in [path for path in (store, *store.rglob("*")) if path.is_dir()]:
        with contextlib.suppress(FileNotFoundError):
            path.chmod(mode)


def damaged(swept: Swept, limit: float) -> None:
    """A chunk of a finished block with one bit changed: told, never read; moved away as the sentence says, it is made anew."""
    from gatefield.core.errors import StoreError
    from gatefield.lab import open_sweep

    swept.start()
    swept.works(limit)
    chunk = min(swept.store.glob("sweeps/blocks/*/record/data.zarr/loss/c/*"))
    data = bytearray(chunk.read_bytes())
    data[len(data) // 2] ^= 4
    chunk.write_bytes(data)
    try:
        open_sweep(swept.file, swept.store).load()
    except StoreError as error:
        said = str(error)
    else:
        raise Wrong("a damaged chunk is read without a word")
    moved = re.search(r"move '([^']*)' away", said)
    if not moved:
        raise Wrong(f"no way out: {said}")
    shutil.rmtree(moved[1])
    swept.start()
    swept.works(limit)
    swept.compare(right(swept.scratch))


def two_drivers(swept: Swept, limit: float) -> None:
    """Two drivers, each with a cluster: both end well, and each block is there once."""
    first = Swept(swept.scratch, swept.folder)
    first.start("local:2")
    swept.start("local:2")
    try:
        first.works(limit)
        swept.works(limit)
    finally:
        first.end()
    swept.compare(right(swept.scratch))


def driver_and_plain(swept: Swept, limit: float) -> None:
    """A driver with a cluster beside one without."""
    first = Swept(swept.scratch, swept.folder)
    first.start("")
    swept.start("local:2")
    try:
        first.works(limit)
        swept.works(limit)
    finally:
        first.end()
    swept.compare(right(swept.scratch))


def terminated(number: signal.Signals) -> Callable[[Swept, float], None]:
    def situation(swept: Swept, limit: float) -> None:
        """The driver ends with the usual exit code and a sentence, its cluster with it, and the same command goes on."""
        driver = swept.start()
        swept.until(lambda: swept.commits() and len(swept.finished()) >= 2, limit)
        pids = [*swept.processes("worker"), *swept.processes("scheduler")]
        driver.send_signal(number)
        code, said = swept.ended(limit)
        if code != 128 + number or "goes on from there" not in said or "Traceback" in said:
            raise Wrong(f"exit code {code}: {shortened(said[-400:])}")
        if alive := [pid for pid in pids if Path(f"/proc/{pid}").exists()]:
            raise Wrong(f"processes are left: {alive}")
        swept.start()
        swept.works(limit)
        swept.compare(right(swept.scratch))

    return situation


def preempted(swept: Swept, limit: float) -> None:
    """SIGTERM for a worker: it commits and goes within seconds; its block is taken again, from there on."""
    swept.start()
    swept.until(lambda: swept.processes("worker") and swept.commits(), limit)
    commits = swept.commits()
    for pid in swept.processes("worker"):
        os.kill(pid, signal.SIGTERM)
    swept.works(limit)
    swept.compare(right(swept.scratch))
    if not any(resumed(swept, id) for id in commits):
        raise Wrong("no block went on from a commit")


def without_locks(patch: str, pattern: str) -> Callable[[Swept, float], None]:
    """A disk whose locks do not work, played by a `sitecustomize` that puts something else in the place of `flock`."""

    def situation(swept: Swept, limit: float) -> None:
        """One sentence before anything is computed; and the same bits on a disk that has locks."""
        place = swept.folder / "patch"
        place.mkdir()
        (place / "sitecustomize.py").write_text(patch)
        swept.start(path=place)
        swept.refused(limit, pattern)
        if swept.finished() or swept.commits():
            raise Wrong("something was computed")
        swept.start()
        swept.works(limit)
        swept.compare(right(swept.scratch))

    return situation


NO_LOCKS = """
import errno, fcntl, os

def flock(*_):
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

fcntl.flock = flock
"""
"""As network disks without a lock service say it."""
LOCAL_LOCKS = """
import fcntl

fcntl.flock = lambda *_: None
"""
"""Locks that nobody else sees, as with `local_lock=flock` of NFS."""


SITUATIONS: dict[str, tuple[str, Callable[[Swept, float], None]]] = {
    "a disk of 40 kB": (NEEDS_ROOT, full_disk(40)),
    "a disk of 400 kB": (NEEDS_ROOT, full_disk(400)),
    "a disk of 800 kB": (NEEDS_ROOT, full_disk(800)),
    "read-only from the middle on": (NEEDS_ROOT, read_only),
    "no permission from the middle on": (NEEDS_ROOT, forbidden),
    "a damaged chunk": ("", damaged),
    "two drivers": ("", two_drivers),
    "a driver with a cluster, and one without": ("", driver_and_plain),
    "SIGTERM for the driver": ("", terminated(signal.SIGTERM)),
    "Ctrl-C for the driver": ("", terminated(signal.SIGINT)),
    "SIGHUP for the driver": ("", terminated(signal.SIGHUP)),
    "SIGTERM for all workers": ("", preempted),
    "a disk without locks": ("", without_locks(NO_LOCKS, "cannot be locked")),
    "locks that do not reach others": ("", without_locks(LOCAL_LOCKS, "locks of the driver's host are not seen")),
}


def situated(scratch: Path, limit: float, name: str) -> Finding:
    """Try one situation."""
    needs, situation = SITUATIONS[name]
    if needs and os.getuid() != 0:
        return Finding("left out: needs root", kind=name)
    swept = Swept(scratch, scratch / name.replace(" ", "-"))
    try:
        situation(swept, limit)
    except Wrong as wrong:
        return Finding("wrong", True, f"{name}: {shortened(str(wrong), 400)}", "", name)
    finally:
        swept.end()
        shutil.rmtree(swept.folder, ignore_errors=True)
    return Finding("as it must", kind=name)
