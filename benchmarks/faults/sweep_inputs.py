"""Hostile input of sweeps: TOML files, command lines, plans, names and damaged stores, each read in this process.

    python benchmarks/faults/sweep_inputs.py [--seed 0] [--count 10000] [--limit 30] [--jobs 2]

Kinds of cases: a `toml` file with something changed is read and its first points are made; `words` after `gatefield sweep`,
where running is replaced (`lab.run_sweep`, `lab.run_on_cluster`); a `plan` of a finished sweep with something changed, mostly
with a checksum that fits, as one who means harm would write it; a `name` that is to be opened, done or removed; a store with a
damaged `file`. A case must end with the same numbers, with what was asked for, or with one sentence of at most 1,500
characters. A failure is anything else: another exception, another number, more than `--limit` seconds, and a file outside of
the store that is opened or gone. Nothing that is read is pickle; what dask sends between its own processes is not tried here.
"""

import contextlib
import json
import os
import random
import resource
import shlex
import shutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from commands import MOST_SAID, NUMBERS, TOML, UNICODE, called, repeats, value
from damage import damage
from harness import Case, Finding, TooLong, at_most, main, shortened

MEMORY = 12 * 2**30
"""Bytes of addresses that a case may take: an array without end must be an error here, not the end of the machine."""
TEXT = """
name = "small"
measures = ["ipr"]
keep = ["fields"]
[training]
network = { kind = "Committee", K = 1, activation = "relu" }
positive = { kind = "NonlinearGP", n = 6, xi = 2.0, gain = 3.0 }
negative = { kind = "NonlinearGP", n = 6, xi = 1.0, gain = 3.0 }
steps = 6
batch_size = 8
learning_rate = 0.05
labels = [1.0, 0.0]
seed = 3
[axes]
gain = { values = [0.5, 3.0], sets = ["positive.gain", "negative.gain"] }
xi = { from = 0.5, to = 2.0, count = 2, scale = "log", sets = ["positive.xi"] }
[cluster]
jobs = 2
queue = "gpu"
memory = "4GB"
walltime = "01:00:00"
modules = ["cuda"]
"""
KEYS = [
    "name", "experiment", "preset", "set", "training", "axes", "keep", "measures", "cluster", "network", "positive", "steps",
    "seed", "gain", "kind", "n", "xi", "K", "count", "from", "to", "scale", "random", "low", "high", "values", "rows", "sets",
    "jobs", "positive.gain", "batch_size", "é", "a b", "", "optimizer", "loss", "__class__",
]  # fmt: skip
VALUES = [
    '"NonlinearGP"', '"Committee"', '"../up"', '"localization"', '"my.py"', '"a.py:b"', '"uniform"', '"integers"', '"log"',
    '"Gaussian"', '"ConvGated"', '"__import__"', '"os.system"', "{}", "[[]]", "[[1,2],[3]]", "{ kind = 3 }", "{ count = 3 }",
    "{ random = 'uniform', low = 0, high = 1, count = 3 }", "{ from = 1, to = 1e300, count = 99999999 }", "1000000000",
    "{ values = [] }", "{ values = [1, 'a', []] }", "[nan]", "[inf, -inf]", "[true]", "-1", "0", "1e400", "{ rows = [[1]] }",
]  # fmt: skip
WORDS = [
    "good.toml", "none.toml", "broken.toml", "folder.toml", "status", "gain", "xi", "ipr", "loss", "seed", "x.py", "é.toml",
    "--plot", "--plot=ipr", "--output", "--output=a.svg", "--output=a.xyz", "--shard",
    "--shard=1/2", "--shard=0/0", "--shard=9/2",
    "--shard=1/99999999999", "--store", "--store=s", "--store=file", "--cluster", "--cluster=local", "--cluster=local:2",
    "--cluster=local:-1", "--cluster=local:999", "--cluster=slurm", "--cluster=tcp://a:1", "--cluster=tcp://a:1/../b",
    "--cluster=", "--fresh", "--help", "-x", "--", "../good.toml", ".toml", "good.toml/", "loop.toml",
]  # fmt: skip
NAMES = [
    "", ".", "..", "../outside", "../../outside/record", "/", "/etc/passwd", "small-", "small-000000000000", "small",
    "blocks", "blocks-", "sweeps/small-1", "a/b-1", "\0", "x" * 300, "-", "*", "*-*", "small-*", "~", "a\nb-1",
    "é-000000000000", "failed-1", "../small-000000000000",
]  # fmt: skip


class World:
    """A folder to work in: a finished sweep, files that words name, and something beside the store that is out of bounds."""

    def __init__(self, scratch: Path) -> None:
        from gatefield import lab

        os.chdir(scratch)
        os.environ["HOME"] = str(scratch)
        self.scratch, self.whole, self.store = scratch, scratch / "whole", scratch / "store"
        self._files()
        self.sweep = lab.read_sweep("good.toml")
        self.plan = lab.run_sweep(self.sweep, lab.Store(self.whole)).plan
        self.right = numbers(lab.open_sweep(self.sweep, self.whole))
        block = self.whole / "sweeps" / "blocks" / self.plan.blocks[0]
        self.outside = scratch / "outside"
        shutil.copytree(block, self.outside)
        self.opened: list[str] = []
        sys.addaudithook(self._hear)

    def _files(self) -> None:
        for name, text in {"good.toml": TEXT, "broken.toml": "a = ", "file": "in the way", "x.py": ""}.items():
            Path(name).write_text(text)
        Path("folder.toml").mkdir()
        Path("loop.toml").symlink_to("loop.toml")

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        """Note what is opened or changed outside of the store."""
        if event in ("open", "os.remove", "os.rename", "os.rmdir", "os.listdir", "os.scandir", "shutil.rmtree"):
            path = args[0] if args and isinstance(args[0], str | bytes | os.PathLike) else ""
            if "outside" in os.fsdecode(path):
                self.opened.append(f"{event} {os.fsdecode(path)}")

    def fresh(self) -> Path:
        """A copy of the finished sweep."""
        shutil.rmtree(self.store, ignore_errors=True)
        shutil.copytree(self.whole, self.store)
        self.opened.clear()
        return self.store


def numbers(dataset: Any) -> dict[str, bytes]:
    """All numbers of a sweep but the seconds."""
    loaded = dataset.drop_vars("seconds", errors="ignore").load()
    return {str(name): variable.values.tobytes() for name, variable in loaded.variables.items()}


def told(tried: Callable[[], str], said_of: str, limit: float) -> tuple[str, str]:
    """The outcome of something that is tried, which gives a word of its own; and what failed."""
    from gatefield.core.errors import UserError

    try:
        with at_most(limit), contextlib.redirect_stderr(open(os.devnull, "w")):
            return tried(), ""
    except TooLong:
        return "hang", f"longer than {limit:g} s"
    except UserError as error:
        said = str(error)
        if "\n" in said or not said.endswith("."):
            return "bad message", f"no sentence: {shortened(said, 200)}"
        if len(said) > MOST_SAID or repeats(said_of, said):
            return "bad message", f"too long: {len(said)} characters"
        return "one sentence", ""
    except Exception as error:
        frames = [f"{Path(one.filename).name}:{one.name}" for one in traceback.extract_tb(error.__traceback__)]
        inside = next((frame for frame in reversed(frames) if "site-packages" not in frame), "")
        return "traceback", f"{type(error).__name__} from {inside}: {shortened(str(error), 120)}"


def toml_text(rng: random.Random) -> str:
    """The file of a sweep with one to three lines changed, added or left out; or a salad."""
    lines: list[str] = [*TEXT.strip().splitlines()]
    if rng.random() < 0.1:
        return "\n".join(f"{rng.choice(KEYS)} = {value(rng)}" for _ in range(rng.randrange(8)))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at = rng.randrange(len(lines))
        match rng.randrange(8):
            case 0:
                lines.pop(at)
            case 1:
                lines.insert(at, f"{rng.choice(KEYS)} = {_drawn(rng)}")
            case 2:
                lines[at] = lines[at][: rng.randrange(1 + len(lines[at]))]
            case 3:
                lines[at] = lines[at].replace(
                    rng.choice('0123456789.=[]{}"'), rng.choice(["", "9", "-1", "x", "\\", "é", "\0"]), 1
                )
            case _:
                lines[at] = _inside(lines[at], rng)
    return "\n".join(lines)


def _drawn(rng: random.Random) -> str:
    return (
        rng.choice(VALUES)
        if rng.random() < 0.5
        else rng.choice([*NUMBERS, *TOML, *UNICODE])
        if rng.random() < 0.7
        else value(rng)
    )


def _inside(line: str, rng: random.Random) -> str:
    """One value of a line, or of a table in it, changed."""
    parts = line.split(" = ")
    at = rng.randrange(1, len(parts)) if len(parts) > 1 else 0
    if at:
        rest = parts[at].partition(",")
        parts[at] = _drawn(rng) + (rest[1] + rest[2] if "{" in line and at < len(parts) - 1 else " }" * ("{" in line))
    return " = ".join(parts)


def try_toml(world: World, rng: random.Random, limit: float) -> tuple[str, str, str]:
    from gatefield import lab
    from gatefield.cli.words.find import find_experiments

    text = toml_text(rng)
    Path("case.toml").write_text(text, "utf-8", "surrogateescape")

    def tried() -> str:
        sweep = lab.read_sweep("case.toml", find_experiments)
        if len(sweep.points) <= 100 and not isinstance(sweep.work, lab.Experiment):
            sweep.work.pieces(sweep.points.columns([0, len(sweep.points) - 1]))
        return "read"

    outcome, what = told(tried, text, limit)
    return outcome, what, text


def try_words(world: World, rng: random.Random, limit: float) -> tuple[str, str, str]:
    words = ["sweep", *(rng.choice(WORDS) if rng.random() < 0.85 else value(rng) for _ in range(rng.randrange(7)))]
    if rng.random() < 0.6:
        words.insert(1 + rng.randrange(len(words)), "good.toml")
    try:
        with at_most(limit):
            code, said, trace = called(words)
    except TooLong:
        return "hang", f"longer than {limit:g} s", shlex.join(words)
    sentences = [line for line in said.splitlines() if line.startswith("gatefield: ")]
    if trace:
        return "traceback", trace.strip().splitlines()[-1][:200], shlex.join(words)
    if code not in (0, 2) or len(sentences) != (code == 2) or any(len(line) > MOST_SAID for line in sentences):
        return "bad message", f"exit code {code}, {len(sentences)} sentences", shlex.join(words)
    return ("one sentence" if code else "exit code 0"), "", ""


def try_plan(world: World, rng: random.Random, limit: float) -> tuple[str, str, str]:
    """A plan that says something else, mostly with a checksum that fits."""
    from gatefield import lab
    from gatefield.lab.store.format import checksum

    path = world.fresh() / "sweeps" / f"{world.plan.name}.json"
    content = json.loads(path.read_text())
    content.pop("checksum")
    key = rng.choice(list(content))
    content[key] = _other(content[key], rng)
    seal = {"checksum": checksum(content)} if rng.random() < 0.8 else {}
    path.write_text(json.dumps({**content, **seal}))
    words = f"{key} = {shortened(json.dumps(content[key]), 200)}"

    def tried() -> str:
        same = numbers(lab.open_sweep(world.plan.name, world.store)) == world.right
        lab.state_of(lab.Store(world.store), lab.plan_of(world.plan.name, lab.Store(world.store)))
        lab.do_block(lab.Store(world.store), world.plan.name, 0)
        return "the same numbers" if same else "other numbers, as the plan says" if seal else "wrong"

    outcome, what = told(tried, words, limit)
    if outcome == "wrong":
        what = "a plan without its seal is believed"
    return outcome, what, words


def _other(old: Any, rng: random.Random) -> Any:
    """Something else for an entry of a plan: of its own kind, of another, or one that points elsewhere."""
    if isinstance(old, list) and old and rng.random() < 0.7:
        at = rng.randrange(len(old))
        return [*old[:at], _other(old[at], rng), *old[at + 1 :]]
    if isinstance(old, dict) and old and rng.random() < 0.7:
        at = rng.choice(list(old))
        return {**old, at: _other(old[at], rng)}
    up = ["../../../outside", "../" * 5 + "outside", str(Path("outside").absolute()), "..", "x" * 300, "\0", "é", ""]
    return rng.choice([*up, None, -1, 10**30, 0, 1.5, True, [], {}, [up[0]], {"experiment": up[0]}, {"experiment": up[2]}])


def try_name(world: World, rng: random.Random, limit: float) -> tuple[str, str, str]:
    from gatefield import lab

    store = lab.Store(world.fresh())
    name = rng.choice(NAMES) if rng.random() < 0.7 else value(rng)
    match rng.randrange(3):
        case 0:
            outcome, what = told(lambda: str(lab.open_sweep(name, store).sizes)[:20], name, limit)
        case 1:
            outcome, what = told(lambda: lab.do_block(store, name, rng.randrange(-1, 3)).state, name, limit)
        case _:
            code, said, trace = called(["store", "remove", name, "--yes", "--store", str(world.store)])
            outcome, what = ("one sentence" if code else "exit code 0"), trace.strip().splitlines()[-1] if trace else ""
            what = what or ("" if code in (0, 2) else f"exit code {code}: {shortened(said, 100)}")
    return outcome, what, repr(name)


def try_file(world: World, rng: random.Random, limit: float) -> tuple[str, str, str]:
    from gatefield import lab

    files = sorted(path for path in world.fresh().rglob("*") if path.is_file())
    path = rng.choice(files)
    words = f"{path.relative_to(world.store)}: {damage(path, rng)}"

    def tried() -> str:
        lab.state_of(lab.Store(world.store), lab.plan_of(world.plan.name, lab.Store(world.store)))
        found = numbers(lab.open_sweep(world.plan.name, world.store))
        return "the same numbers" if found == world.right else "wrong"

    outcome, what = told(tried, "", limit)
    if outcome == "wrong":
        what = "other numbers without a word"
    return outcome, what, words


KINDS: dict[str, tuple[int, Callable[[World, random.Random, float], tuple[str, str, str]]]] = {
    "toml": (4, try_toml),
    "words": (3, try_words),
    "plan": (2, try_plan),
    "name": (1, try_name),
    "file": (2, try_file),
}


def replace_running(world: World, put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Sweeps of command lines are not run: the finished one is told instead."""
    from gatefield import lab

    swept = lab.Swept(world.plan, {}, 0)
    put(lab, "run_sweep", lambda *_, **__: swept)
    put(lab, "run_on_cluster", lambda *_, **__: swept)


def tried(world: World, rng: random.Random, limit: float) -> Finding:
    """One case."""
    kind = rng.choices(list(KINDS), [weight for weight, _ in KINDS.values()])[0]
    world.opened.clear()
    outcome, what, words = KINDS[kind][1](world, rng, limit)
    if not what and world.opened:
        what = f"outside of the store: {world.opened[0]}"
    if not what and not (world.outside / "record" / "committed.json").exists():
        what = "something outside of the store is gone"
    return Finding(outcome, bool(what), what and f"{kind}: {what}", shortened(words) if what else "", kind)


def start(scratch: Path, limit: float) -> Case:
    """The function that tries one input."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    world = World(scratch)
    replace_running(world)
    return lambda rng, _: tried(world, rng, limit)


if __name__ == "__main__":
    main(__file__, __doc__ or "", start, count=10_000, limit=30.0)
