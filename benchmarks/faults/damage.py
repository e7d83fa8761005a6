"""Damaged stores: bytes, JSON and whole files of finished and unfinished runs changed, then opened, reported and run again.

    python benchmarks/faults/damage.py [--seed 0] [--count 300] [--limit 120] [--jobs 2]

Each case copies a small store, damages one file of it, and calls `open_record`, `gatefield report` and `gatefield run` on
it in one process. Good outcomes are the same numbers, a sentence that tells, and numbers that were computed again bit for
bit. A failure is a number, verdict, parameter, figure or page that is silently another one, an exception, an exit code
other than 0 and 2, more than `--limit` seconds, and the advice to delete a run whose record is whole.
"""

import html
import json
import random
import re
import shutil
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from harness import Case, Finding, TooLong, at_most, main, shortened
from small import command, content, difference, outcome_of, run_folder, said_by, sentence

TOLD = re.compile(
    r"corrupt|cannot|damaged|does not|not finished|missing|rebuilt|another|restored|unreadable|changed|delete|moved",
    re.IGNORECASE,
)
"""One of these words stands in a page that tells what is wrong with a run."""

WEIGHTS = {
    ("linear-depth", "finished"): 2,
    ("bumps", "finished"): 2,
    ("localization", "finished"): 2,
    ("gated-linear", "finished"): 1,
    ("localization", "unfinished"): 3,
    ("gated-linear", "unfinished"): 1,
}
"""How often each store is taken; the last ones are the slowest."""

KINDS: dict[str, Callable[[Path], bool]] = {
    "chunk": lambda path: "c" in path.parts and "data.zarr" in path.parts and path.name != "zarr.json",
    "zarr.json of an array": lambda path: path.name == "zarr.json" and path.parent.name != "data.zarr",
    "zarr.json of the group": lambda path: path.name == "zarr.json" and path.parent.name == "data.zarr",
    "committed.json": lambda path: path.name == "committed.json",
    "about.json": lambda path: path.name == "about.json",
    "verdicts.json": lambda path: path.name == "verdicts.json",
    "figure.svg": lambda path: path.name == "figure.svg",
    "checkpoint": lambda path: path.name.startswith("checkpoint-"),
    "lock": lambda path: path.name.endswith(".lock"),
    "a folder": lambda path: path.is_dir() and path.name in ("record", "data.zarr", "parts", "sgd"),
}


def damage(path: Path, rng: random.Random) -> str:
    """Change one file or folder; what was done, in words."""
    ways: list[Callable[[Path, random.Random], str]]
    if path.is_dir():
        ways = [_removed, _emptied, _file_in_its_place]
        return rng.choice(ways)(path, rng)
    ways = [_flipped, _flipped, _cut, _emptied, _removed, _folder_in_its_place, _appended, _zeroed]
    ways += 5 * [_json] if path.suffix == ".json" else []
    return rng.choice(ways)(path, rng)


def _flipped(path: Path, rng: random.Random) -> str:
    data = bytearray(path.read_bytes())
    if not data:
        return _appended(path, rng)
    at = rng.randrange(len(data))
    data[at] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    return f"bit of byte {at} flipped"


def _cut(path: Path, rng: random.Random) -> str:
    size = rng.randrange(max(1, path.stat().st_size))
    path.write_bytes(path.read_bytes()[:size])
    return f"cut to {size} bytes"


def _emptied(path: Path, rng: random.Random) -> str:
    if path.is_dir():
        shutil.rmtree(path)
        path.mkdir()
    else:
        path.write_bytes(b"")
    return "emptied"


def _removed(path: Path, rng: random.Random) -> str:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    return "removed"


def _file_in_its_place(path: Path, rng: random.Random) -> str:
    shutil.rmtree(path)
    path.write_text("a file")
    return "a file in its place"


def _folder_in_its_place(path: Path, rng: random.Random) -> str:
    path.unlink()
    path.mkdir()
    return "a folder in its place"


def _appended(path: Path, rng: random.Random) -> str:
    path.write_bytes(path.read_bytes() + rng.randbytes(7))
    return "7 bytes appended"


def _zeroed(path: Path, rng: random.Random) -> str:
    path.write_bytes(bytes(path.stat().st_size))
    return "all bytes zero"


def _json(path: Path, rng: random.Random) -> str:
    """Another number, type or key somewhere in a JSON file that stays JSON."""
    whole = json.loads(path.read_text())
    if rng.random() < 0.1:
        new = rng.choice([[], {}, None, "text", 3])
        path.write_text(json.dumps(new))
        return f"replaced by {new!r}"
    place, key = _place(whole, rng)
    if key is None:
        return _emptied(path, rng)
    old = place[key]
    if isinstance(place, dict) and rng.random() < 0.2:
        del place[key]
        words = f"{key} left out"
    else:
        place[key] = _other(old, rng)
        words = f"{key} = {shortened(json.dumps(old), 40)} made {shortened(json.dumps(place[key]), 40)}"
    path.write_text(json.dumps(whole, indent=2))
    return words


def _place(value: Any, rng: random.Random) -> tuple[Any, Any]:
    """A random place in nested lists and tables: what holds it, and where."""
    if not isinstance(value, dict | list) or not value:
        return value, None
    key = rng.choice(list(value) if isinstance(value, dict) else list(range(len(value))))
    inside, deeper = _place(value[key], rng)
    return (inside, deeper) if deeper is not None and rng.random() < 0.7 else (value, key)


def _other(old: Any, rng: random.Random) -> Any:
    if isinstance(old, bool):
        return not old
    if isinstance(old, int | float) and rng.random() < 0.7:
        return rng.choice([old + 1, old - 1, 2 * old + 4, -5, 0, 10**12, old + 0.5])
    if isinstance(old, str) and rng.random() < 0.5:
        return old[::-1] + "x"
    return rng.choice([None, "text", [], {}, True, 7, [1, 2]])


class Stores:
    """Finished and unfinished stores, and what each must give; all are looked at in the same place, since pages name it."""

    def __init__(self, scratch: Path, stores: Iterable[tuple[str, str]]) -> None:
        self.scratch, self.place = scratch, scratch / "store"
        self.results: dict[str, dict[str, Any]] = {}
        self.pages: dict[tuple[str, str], str] = {}
        self.records: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        for name, state in stores:
            self._finished(name) if state == "finished" else self._unfinished(name)

    def _finished(self, name: str) -> None:
        code, said = said_by(command(name, self.place))
        assert code == 0, said
        self.results[name] = outcome_of(run_folder(self.place, name))
        self._keep(name, "finished")

    def _unfinished(self, name: str) -> None:
        """Stop at the third commit."""
        from gatefield.lab import ZarrRecorder

        commit, done = ZarrRecorder.commit, []

        def stop(recorder: Any, *args: Any) -> None:
            commit(recorder, *args)
            done.append(1)
            if len(done) == 3:
                raise KeyboardInterrupt

        ZarrRecorder.commit = stop  # type: ignore[method-assign]
        try:
            assert said_by(command(name, self.place))[0] == 130
        finally:
            ZarrRecorder.commit = commit  # type: ignore[method-assign]
        self._keep(name, "unfinished")

    def _keep(self, name: str, state: str) -> None:
        from gatefield import open_record

        folder = run_folder(self.place, name)
        places = [""] if state == "finished" else [f"parts/{part.name}" for part in sorted((folder / "parts").iterdir())]
        self.records[name, state] = {place: content(open_record(folder / place)) for place in places}
        self.pages[name, state] = self.report()
        shutil.move(self.place, self.scratch / f"{name} {state}")

    def copy(self, name: str, state: str) -> Path:
        """A fresh copy, in the one place; the folder of its run."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.scratch / f"{name} {state}", self.place)
        return run_folder(self.place, name)

    def report(self) -> str:
        """The page of the store, or an error in one sentence."""
        page = self.scratch / "page.html"
        code, said = said_by(["report", "--store", str(self.place), "--output", str(page)])
        return page.read_text() if code == 0 else f"{code} {sentence(said)}"


class Trial:
    """One damaged store, looked at in every way."""

    def __init__(self, stores: Stores, name: str, state: str, folder: Path, whole: bool) -> None:
        self.stores, self.name, self.state, self.folder, self.whole = stores, name, state, folder, whole

    def opened(self) -> tuple[str, str]:
        """The finished record, or each part of an unfinished run."""
        from gatefield import StoreError, open_record

        outcome = "same"
        for place, right in self.stores.records[self.name, self.state].items():
            try:
                found = content(open_record(self.folder / place))
            except StoreError as error:
                outcome = "a sentence"
                if advice := self._advice(str(error)):
                    return outcome, advice
                continue
            if wrong := difference(right, found):
                return "silently different", f"open_record differs in {wrong}"
        return outcome, ""

    def reported(self) -> tuple[str, str]:
        page, right = self.stores.report(), self.stores.pages[self.name, self.state]
        if page == right:
            return "same", ""
        if page.startswith("2 gatefield: "):
            return "a sentence", self._advice(page)
        new = [line for line in _lines(page) if line not in set(_lines(right))]
        if page[:1].isdigit() or not any(TOLD.search(line) for line in new):
            return "silently different", f"the page differs without a word: {shortened(' | '.join(new), 150)}"
        return "a sentence", self._advice(" ".join(new))

    def run(self) -> tuple[str, str]:
        before = self._when_finished()
        code, said = said_by(command(self.name, self.stores.place))
        if code == 2 and len(sentence(said).splitlines()) == 1:
            return "a sentence", self._advice(sentence(said))
        if code != 0:
            return "bad exit", f"exit code {code}, {shortened(said, 200)}"
        wrong = difference(self.stores.results[self.name], outcome_of(self.folder))
        if wrong:
            return "silently different", f"run ends with other {wrong}"
        return ("same" if self._when_finished() == before else "computed again"), ""

    def _when_finished(self) -> bytes:
        """What changes when the record is written again: its marker's time."""
        marker = self.folder / "record" / "committed.json"
        return str(marker.stat().st_mtime_ns).encode() if marker.is_file() else b""

    def _advice(self, text: str) -> str:
        """Advice to delete a run, or what holds its records, where these are whole."""
        named = {Path(path) for path in re.findall(r"delete '([^']+)'", html.unescape(text))}
        records = {self.folder, *self.folder.parents, self.folder / "record", self.folder / "parts"}
        return f"advice to delete: {shortened(text, 200)}" if self.whole and named & records else ""


def _lines(page: str) -> list[str]:
    return [line.strip() for line in re.sub(r"<[^>]*>", "\n", page).splitlines() if line.strip()]


def looked_at(trial: Trial, limit: float) -> list[tuple[str, str, str]]:
    """Action, outcome and what failed, for each action."""
    found = []
    for action in (trial.opened, trial.reported, trial.run):
        try:
            with at_most(limit):
                outcome, wrong = action()
        except TooLong:
            outcome, wrong = "hang", f"longer than {limit:g} s"
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            outcome, wrong = "exception", f"{type(error).__name__}: {shortened(str(error), 120)} ({Path(place.filename).name})"
        found.append((action.__name__, outcome, wrong))
    return found


def start(scratch: Path, limit: float) -> Case:
    """The function that tries one damage."""
    from gatefield.dynamics.train import session

    session.SECONDS_PER_COMMIT = 0.0  # a commit for every few records
    stores = Stores(scratch, WEIGHTS)  # finished ones first: they are what the others must become

    def attempt(rng: random.Random, _: int) -> Finding:
        return damaged(stores, rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0], rng, limit)

    return attempt


def damaged(stores: Stores, which: tuple[str, str], rng: random.Random, limit: float) -> Finding:
    """Damage a copy of a store, and look at it."""
    name, state = which
    folder = stores.copy(name, state)
    there = [path for path in sorted(stores.place.rglob("*")) if path.is_file() or path.is_dir()]
    kind = rng.choice([kind for kind, fits in KINDS.items() if any(fits(path) for path in there)])
    path = rng.choice([path for path in there if KINDS[kind](path)])
    where = path.relative_to(folder) if folder in path.parents else path.relative_to(stores.place)
    words = f"{name}, {state}: {where}: {damage(path, rng)}"
    whole = not {"record", "parts"} & set(where.parts)
    found = looked_at(Trial(stores, name, state, folder, whole), limit)
    failed = [f"{action}: {wrong}" for action, _, wrong in found if wrong]
    outcome = ", ".join(f"{action} {outcome}" for action, outcome, _ in found)
    return Finding(
        outcome, bool(failed), f"{kind}: {failed[0]}" if failed else "", f"{words}: {'; '.join(failed)}" if failed else "", kind
    )


if __name__ == "__main__":
    main(__file__, __doc__ or "", start, count=300, limit=120.0)
