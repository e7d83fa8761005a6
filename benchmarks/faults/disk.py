"""Disks that fill up, folders that may not be used, odd paths, stores that move, two drivers, locks and signals.

    python benchmarks/faults/disk.py [--seed 0] [--limit 300] [--jobs 2]

Each case is one situation from the list below, in a scratch folder of its own; a command runs in a process of its own.
Small disks are tmpfs mounts, so that some situations need root and are left out without it. A failure is a traceback, an
exit code that does not belong there, a missing sentence, a file that is destroyed, or a record that differs from an
undisturbed one.
"""

import contextlib
import os
import random
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from harness import Case, Finding, environment, main, shortened
from small import command, difference, outcome_of, run_folder

CHILD = Path(__file__).with_name("child.py")
QUICK, LONG = "linear-depth", "localization"
NEEDS_ROOT = "needs root"


class Wrong(Exception):
    """What a situation found."""


class Place:
    """A scratch folder, and commands run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.limit = folder, 300.0
        self.cache = folder.parent / "programs"
        folder.mkdir()

    def start(self, words: list[str], before: tuple[str, ...] = (), **settings: Any) -> "subprocess.Popen[str]":
        """A command that goes on; commits come after every other record. `before` is a program that starts it."""
        cache = {"JAX_COMPILATION_CACHE_DIR": str(self.cache), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
        program = [*before, sys.executable, "-W", "ignore", str(CHILD), "--commit", "0", "--", *words]
        streams: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
        }
        return subprocess.Popen(program, cwd=self.folder, env={**environment(), **cache}, **{**streams, **settings})

    def call(self, words: list[str], before: tuple[str, ...] = (), **settings: Any) -> tuple[int, str]:
        process = self.start(words, before, **settings)
        _, said = process.communicate(timeout=self.limit)
        return process.returncode, said or ""

    def refused(self, words: list[str], pattern: str = "", **settings: Any) -> str:
        """A command that must end with one sentence and exit code 2."""
        code, said = self.call(words, **settings)
        lines = [line for line in said.splitlines() if line.startswith("gatefield: ")]
        if code != 2 or len(lines) != 1 or "Traceback" in said:
            raise Wrong(f"exit code {code}: {shortened(' | '.join(said.splitlines()[-4:]), 300)}")
        if not re.search(pattern, lines[0]):
            raise Wrong(f"the sentence does not say {pattern!r}: {shortened(lines[0], 300)}")
        return lines[0]

    def works(self, words: list[str], **settings: Any) -> str:
        code, said = self.call(words, **settings)
        if code != 0 or "Traceback" in said:
            raise Wrong(f"exit code {code}: {shortened(' | '.join(said.splitlines()[-4:]), 300)}")
        return said

    def ends_well(self, name: str, store: Path) -> None:
        """Run to the end, and compare with an undisturbed run."""
        self.works(command(name, store))
        right = self.folder.parent / f"undisturbed {name}"
        if not right.exists():
            self.works(command(name, right))
        if wrong := difference(outcome_of(run_folder(right, name)), outcome_of(run_folder(store, name))):
            raise Wrong(f"the end differs in {wrong}")

    def until_committed(self, process: "subprocess.Popen[str]", store: Path) -> None:
        while process.poll() is None and not list(store.glob("*/*/parts/*/committed.json")):
            time.sleep(0.002)
        if process.poll() is not None:
            raise Wrong(f"ended early: {process.communicate()[1][-300:]}")


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


AS_OTHERS = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
"""Starts a program of root that may do with files what their modes allow, and no more."""


def full_disk(kilobytes: int, name: str) -> Callable[[Place], None]:
    def situation(place: Place) -> None:
        """Ends in a sentence, and goes on to the same bits when there is room."""
        with mounted(place.folder / "disk", f"size={kilobytes}k") as disk:
            code, said = place.call(command(name, disk / "s"))
            lines = [line for line in said.splitlines() if line.startswith("gatefield: ")]
            if (
                "Traceback" in said
                or code not in (0, 2)
                or (code == 2 and (len(lines) != 1 or "no space left" not in lines[0]))
            ):
                raise Wrong(f"exit code {code}: {shortened(' | '.join(said.splitlines()[-4:]), 300)}")
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
            place.ends_well(name, disk / "s")

    return situation


def full_page(place: Place) -> None:
    with mounted(place.folder / "disk", "size=8k") as disk:
        place.refused(["report", "--store", str(_store(place)), "--output", str(disk / "page.html")], "no space left")
        if list(disk.iterdir()):
            raise Wrong("a part of the page is left over")


def file_sizes(place: Place) -> None:
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, resource.RLIM_INFINITY))  # noqa: E731
    place.refused(command(QUICK, place.folder / "s"), "file too large", preexec_fn=limit)
    place.ends_well(QUICK, place.folder / "s")


def read_only(place: Place) -> None:
    with mounted(place.folder / "disk", "size=16m") as disk:
        place.works(command(QUICK, disk / "s"))
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        place.works(command(QUICK, disk / "s"))
        place.refused(command("bumps", disk / "s"), "read-only")


def read_only_without_figure(place: Place) -> None:
    with mounted(place.folder / "disk", "size=16m") as disk:
        place.works(command(QUICK, disk / "s"))
        (run_folder(disk / "s", QUICK) / "figure.svg").unlink()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        place.works(command(QUICK, disk / "s"))


def forbidden(what: str, action: str) -> Callable[[Place], None]:
    def situation(place: Place) -> None:
        """A store, experiment or run that this user may not use."""
        store = _store(place)
        folder = {"store": store, "experiment": store / QUICK, "run": run_folder(store, QUICK)}[what]
        folder.chmod(0)
        words = (
            command(QUICK, store)
            if action == "run"
            else ["report", "--store", str(store), "--output", str(place.folder / "p.html")]
        )
        code, said = place.call(words, AS_OTHERS if os.getuid() == 0 else ())
        folder.chmod(0o755)
        page = (place.folder / "p.html").read_text() if (place.folder / "p.html").exists() else ""
        if "Traceback" in said or code not in (0, 2):
            raise Wrong(f"exit code {code}: {shortened(said[-300:])}")
        if code == 0 and not re.search("permission", said + page, re.IGNORECASE):
            raise Wrong("not a word of what may not be read")

    return situation


def _store(place: Place) -> Path:
    """A store with one finished run."""
    kept = place.folder.parent / f"kept {QUICK}"
    if not kept.exists():
        place.works(command(QUICK, kept))
    shutil.copytree(kept, place.folder / "s")
    return place.folder / "s"


def odd_store(path: str, action: str) -> Callable[[Place], None]:
    def situation(place: Place) -> None:
        """A store that cannot be one: refused, and nothing else."""
        _odd(place)
        words = command(QUICK, Path(path)) if action == "run" else ["report", "--store", path, "--output", "page.html"]
        place.refused(words)

    return situation


def odd_output(path: str) -> Callable[[Place], None]:
    def situation(place: Place) -> None:
        """A page that cannot be written there: refused, and what is there stays as it is."""
        _odd(place)
        before = _kinds(place.folder)
        place.refused(["report", "--store", str(_store(place)), "--output", path])
        if {name: kind for name, kind in _kinds(place.folder).items() if name != "s"} != before:
            raise Wrong("something there was changed")

    return situation


def linked_output(place: Place) -> None:
    (place.folder / "page.html").write_text("<!doctype html>old")
    (place.folder / "link.html").symlink_to("page.html")
    place.works(["report", "--store", str(_store(place)), "--output", "link.html"])
    if not (place.folder / "link.html").is_symlink() or "<html" not in (place.folder / "page.html").read_text():
        raise Wrong("the link is replaced, not followed")


def output_below_a_link(place: Place) -> None:
    """A link to a folder that is not there yet: it is made, and the link stays."""
    (place.folder / "dangling").symlink_to("nowhere/at/all")
    place.works(["report", "--store", str(_store(place)), "--output", "dangling/page.html"])
    if not (place.folder / "dangling").is_symlink() or not (place.folder / "nowhere/at/all/page.html").is_file():
        raise Wrong("the link is replaced, not followed")


def _odd(place: Place) -> None:
    (place.folder / "file").write_text("in the way")
    (place.folder / "folder").mkdir()
    (place.folder / "loop").symlink_to("loop")
    (place.folder / "dangling").symlink_to("nowhere/at/all")
    os.mkfifo(place.folder / "pipe")
    if os.getuid() == 0:
        os.mknod(place.folder / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        os.mknod(place.folder / "full", 0o666 | stat.S_IFCHR, os.makedev(1, 7))


def _kinds(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IFMT(path.lstat().st_mode) for path in folder.iterdir()}


def closed_output(how: str) -> Callable[[Place], None]:
    def situation(place: Place) -> None:
        """`list` into a full device, or with standard output closed: no traceback."""
        _odd(place)
        if how == "closed":
            code, said = place.call(["list"], stdout=None, preexec_fn=lambda: os.close(1))
        else:
            with (place.folder / "full").open("w") as full:
                code, said = place.call(["list"], stdout=full)
        if "Traceback" in said or "Exception" in said or (how == "full" and code == 0):
            raise Wrong(f"exit code {code}: {shortened(said[-300:])}")

    return situation


def lasting(store: Path, steps: int) -> list[str]:
    """A run of so many steps, long enough for something to happen to its store."""
    return [*(word for word in command(LONG, store) if not word.startswith("steps=")), f"steps={steps}"]


def vanished(how: str) -> Callable[[Place], None]:
    def situation(place: Place) -> None:
        """The store is moved or deleted while a run goes on: it is noticed, in a sentence that calls no record bad."""
        store = place.folder / "s"
        process = place.start(lasting(store, 4000))
        place.until_committed(process, store)
        if how == "moved":
            shutil.move(store, place.folder / "moved")
        for _ in range(2):  # the run may write while its folders are being removed
            shutil.rmtree(store, ignore_errors=True)
        _, said = process.communicate(timeout=place.limit)
        lines = [line for line in said.splitlines() if line.startswith("gatefield: ")]
        if process.returncode != 2 or len(lines) != 1 or "Traceback" in said:
            raise Wrong(f"exit code {process.returncode}: {shortened(said[-400:])}")
        if re.search(r"\bdelete\b|corrupted", lines[0]):
            raise Wrong(f"the sentence is of something else: {shortened(lines[0], 300)}")
        if how == "moved":
            shutil.rmtree(store, ignore_errors=True)
            shutil.move(place.folder / "moved", store)
            place.works(lasting(store, 4000))

    return situation


def two_drivers(place: Place) -> None:
    store = place.folder / "s"
    process = place.start(lasting(store, 20000))
    place.until_committed(process, store)
    place.refused(lasting(store, 20000), "another process")
    process.kill()
    process.communicate()


def stale_lock(place: Place) -> None:
    """The lock of a process that was killed does not block, nor does a lock file with anything in it."""
    store = place.folder / "s"
    process = place.start(command(LONG, store))
    place.until_committed(process, store)
    process.kill()
    process.communicate()
    for lock in (store / LONG).glob(".*.lock"):
        lock.write_text("12345")
    place.ends_well(LONG, store)


def signalled(number: signal.Signals) -> Callable[[Place], None]:
    def situation(place: Place) -> None:
        """Ends with a sentence and the usual exit code, and goes on to the same bits."""
        store = place.folder / "s"
        process = place.start(command(LONG, store))
        place.until_committed(process, store)
        process.send_signal(number)
        _, said = process.communicate(timeout=place.limit)
        if process.returncode not in (0, 128 + number, -number) or "Traceback" in said:
            raise Wrong(f"exit code {process.returncode}: {shortened(said[-300:])}")
        if process.returncode and number != signal.SIGHUP and "goes on from there" not in said:
            raise Wrong(f"no sentence: {shortened(said[-300:])}")
        place.ends_well(LONG, store)

    return situation


ODD_STORES = {"of 300 characters": "x" * 300, "in a loop of links": "loop", "below a file": "file/below", "a file": "file"}
ODD_OUTPUTS = {
    "a device": "null",
    "a full device": "full",
    "a pipe": "pipe",
    "a loop of links": "loop",
    "below a file": "file/page.html",
    "a folder": "folder",
    "the root": "/",
    "of 300 characters": "x" * 300,
    "nothing": "",
}
SITUATIONS: dict[str, tuple[str, Callable[[Place], None]]] = {
    **{
        f"the page at {words}": (NEEDS_ROOT if "device" in words else "", odd_output(path))
        for words, path in ODD_OUTPUTS.items()
    },
    "the page at a link": ("", linked_output),
    "the page below a link to nowhere": ("", output_below_a_link),
    **{
        f"a store {words}: {action}": ("", odd_store(path, action))
        for words, path in ODD_STORES.items()
        for action in ("run", "report")
    },
    "a store that is not there: report": ("", odd_store("nowhere", "report")),
    "output closed": ("", closed_output("closed")),
    "output full": (NEEDS_ROOT, closed_output("full")),
    **{
        f"no permission for the {what}: {action}": (NEEDS_ROOT, forbidden(what, action))
        for what in ("store", "experiment", "run")
        for action in ("run", "report")
    },
    "no room for the page": (NEEDS_ROOT, full_page),
    "a limit on file sizes": ("", file_sizes),
    "a read-only disk": (NEEDS_ROOT, read_only),
    "a read-only disk without the figure": (NEEDS_ROOT, read_only_without_figure),
    "the store moved during a run": ("", vanished("moved")),
    "the store deleted during a run": ("", vanished("deleted")),
    "two drivers": ("", two_drivers),
    "a stale lock": ("", stale_lock),
    **{f"{number.name} during a run": ("", signalled(number)) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)},
    **{f"a disk of {size} kB, {name}": (NEEDS_ROOT, full_disk(size, name)) for size in (4, 40, 120) for name in (QUICK, LONG)},
}
"""Situation -> what it needs, and what is tried."""


def start(scratch: Path, limit: float) -> Case:
    """The function that tries one situation; the number of the case says which one."""
    names = list(SITUATIONS)

    def attempt(_: random.Random, case: int) -> Finding:
        name = names[case % len(names)]
        needs, situation = SITUATIONS[name]
        if needs and os.getuid() != 0:
            return Finding(f"left out: {needs}", kind=name)
        place = Place(scratch / "place")
        try:
            situation(place)
        except (Wrong, subprocess.TimeoutExpired) as error:
            return Finding("failed", True, f"{name}: {shortened(str(error), 400)}", name, name)
        finally:
            shutil.rmtree(place.folder, ignore_errors=True)
        return Finding("as it should be", kind=name)

    return attempt


if __name__ == "__main__":
    main(__file__, __doc__ or "", start, count=len(SITUATIONS), limit=300.0)
