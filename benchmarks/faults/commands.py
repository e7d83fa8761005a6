"""Fuzz of the command line: settings of all parameters of all experiments, and salads of words, through `gatefield.cli.main`.

    python benchmarks/faults/commands.py [--seed 0] [--count 10000] [--limit 15] [--jobs 2]

Commands and options are those of `gatefield.cli.command_line`, whichever it has. What is heavy is replaced: the run itself
(`lab.run`) and what it prints (`show.show_outcome`), each formula of `check` (`ledger.examine`) and the process that helps
with it, the contests of `bench` (`speed.bench`, so that a baseline is compared with nothing), running a sweep
(`lab.run_sweep`, `lab.run_on_cluster`, so that no worker is started), and fetching data sets. Parsing, names, files,
parameters, plans of sweeps, `list`, `report`, `figure` and `store` of an empty store, `map`, pages and help are the real ones.
A failure is an exception, an exit code other than 0 and 2, more than one line for what is wrong, a message of more than 1,500
characters or one that repeats more than 200 of a word, more than `--limit` seconds, and a setting that is read as something
else than it says.
"""

import contextlib
import dataclasses
import io
import json
import math
import os
import random
import re
import shlex
import sys
import traceback
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from harness import Case, Finding, TooLong, at_most, main, shortened
from tyro.conf import Positional

from gatefield.cli import command_line

MOST_REPEATED, MOST_SAID = 200, 1500
NOTES = re.compile(
    r".*: (loading(, preset .*)?|starting|going on from .*|\d+ % \(.*|\d+ points; looking for what is done)"
    r"|gatefield (check|tour|bench): .*|\w+: none"
)
"""Lines that are said beside results and errors."""


def _words(text: str) -> list[str]:
    return text.split()


NUMBERS = _words("""
0 1 2 3 7 -1 -0.0 1.5 .5 1. +3 1e-3 1e308 1e309 -1e400 1e-400 99999999999999999999 -99999999999999999999 2147483648
4294967296 1_000 0x10 0b11 0o7 007 1e 1e+ --1 1..2 1,5 ½ ٣ 3% 3j 1/2 nan -nan inf -inf +inf NaN Infinity 2**31
""")
TEXTS = [
    "abc", "", " ", "quick", "relu", "erf", "float32", "'a'", '"a"', "a=b", "=", "==3", "None", "null", "none", "half",
    "laplace", "a b",
]  # fmt: skip
BOOLEANS = ["true", "false", "True", "FALSE", "yes", "no", "on"]
LISTS = [
    "[]", "[1,2]", "1,2", "2,1", ",", ",,", "[,]", "[1,", "1]", "(1,2)", "[[1,2],[3]]", "[[2,1],[1,2]]", "2,1;1,2",
    "[true,1]", "[nan]", "[1,'a']", "0.5,1,3", "1,1", "{1}", "[1 2]", "[[[]]]", "[inf,inf]", "1,2,",
]  # fmt: skip
TOML = [
    "07:32:00", "1979-05-27", "1979-05-27T07:32:00Z", "{a=1}", "'''a'''", '"""', "# no", "1 # one", "[1] # ]", '"\\u0041"',
    '"\\', "{}", "1 = 2", "[a]", "[[a]]", "a.b=1",
]  # fmt: skip
UNICODE = ["é", "日本語", "\u202e12", "\u2028", "\xa01", "１２", "\udcff", "e\u0301", "\ufeff3", "🙂", "−1"]
BREAKS = ["1\nx = 2", "1\n", "\n1", "1\r\n2", "a\nb", "[1,\n2]", "1\t2", "1\x0b2", "1\n[x]\ny = 1", "\x1b[31m1"]
COMMANDS = list(command_line.COMMANDS)
NO_OPTIONS = [
    "--sett", "--no-fresh", "--fresh=true", "--json=1", "--", "-", "-x", "--set=", "--set==", "--tyro-print-completion",
    "--fresh=", "--all=", "--ALL", "--quick=no", "--repeats", "--version",
]  # fmt: skip
FILLED = [
    "--preset=full", "--store=s", "--output=o.html", "--output=o.svg", "--output=o.json", "--output=o.md", "--repeats=0",
    "--repeats=2", "--baseline=measured.json", "--baseline=file", "--baseline=none.json", "--shard=1/2", "--shard=3/2",
    "--plot=ipr", "--cluster=local:2", "--cluster=slurm", "--cluster=tcp://a:1", "--cluster=x", "--folder=folder",
]  # fmt: skip
PATHS = [
    "s", "a/b/c", ".", "..", "/", "file", "file/below", "folder", "x" * 300, "a/" * 3000, "loop", "~", "~nobody-here",
    "no\nbreak", "none.py", "empty.py", "broken.py", "study.py", "study.py:", "study.py:x", "folder.py", ".py", ":",
    "a.py:b:c", "é.html", "o.html", "\udcff", "good.toml", "empty.toml", "measured.json",
]  # fmt: skip
WORDS = [
    "mnist", "cifar10", "bash", "zsh", "tcsh", "fish", "000", "002", "sheet", "002-eq44", "full", "quick", "tiny",
    "my-study", "localisation", "remove", "localization-0123456789ab", "status", "ipr", "gain", "training", "paths", "local:2",
    "slurm", "1/2",
]  # fmt: skip
STUDY = """
from gatefield.lab import Experiment, Parameters
from matplotlib.figure import Figure
import xarray as xr
class P(Parameters):
    n: int = 3
    name: str = "a"
parts = dict(simulate=lambda p, bench: xr.Dataset(), verdicts=lambda r: [], figure=lambda r: Figure())
experiment = Experiment(name="own", title="t", Parameters=P, **parts)
"""

SWEEP = """
name = "small"
experiment = "fourier-basis"
[axes]
n = { values = [12, 16] }
"""
MEASURED = json.dumps({
    "quick": False, "repeats": 7, "time": "", "machine": {}, "versions": {}, "cases": {"training": [{
        "kind": "contest", "contest": "none", "unit": "call", "ours": {"name": "ours"}, "load": 0.0,
        "peers": [{"name": "theirs", "ratio": {"median": 0.01, "least": 0.01, "most": 0.01}}],
    }]},
})  # fmt: skip


def value(rng: random.Random) -> str:
    """A value from the grammar: an atom, a long one, a nested one, or two of them joined."""
    atoms = rng.choice([NUMBERS, NUMBERS, TEXTS, BOOLEANS, LISTS, TOML, UNICODE, BREAKS])
    match rng.randrange(12):
        case 0:
            return rng.choice(["9", "x", "1,", "[", "é", "[1],", "true,", "0.", "\n", "'"]) * rng.choice([50, 201, 2000, 9000])
        case 1:
            depth = rng.choice([2, 5, 100, 3000])
            return "[" * depth + rng.choice(NUMBERS) + "]" * depth
        case 2:
            return rng.choice(atoms) + rng.choice(["", ",", "\n", " ", "=", ";", "#"]) + value(rng)
        case 3:
            return "[" + ",".join(value(rng) for _ in range(rng.randrange(4))) + "]"
    return rng.choice(atoms)


def options_of(command: type) -> list[str]:
    """The options of a command, as its class has them."""
    hints = get_type_hints(command, include_extras=True)
    named = [field.name for field in dataclasses.fields(command) if Positional not in get_args(hints[field.name])]
    return [f"--{name.replace('_', '-')}" for name in named]


def choices_of(command: type) -> list[str]:
    """The words of a command that takes one of a few."""
    return [word for hint in get_type_hints(command).values() if get_origin(hint) is Literal for word in get_args(hint)]


class Commands:
    """The generators of command lines, and what is known of each setting."""

    def __init__(self) -> None:
        from gatefield import experiments

        self.options = {name: options_of(command) for name, command in command_line.COMMANDS.items()}
        self.words = [*WORDS, *(word for command in command_line.COMMANDS.values() for word in choices_of(command))]
        self.models = {name: experiments.get(name).Parameters.model_fields for name in experiments.names()}
        self.settings = [(name, field) for name, fields in self.models.items() for field in fields]

    def __call__(self, rng: random.Random) -> tuple[str, list[str]]:
        """What kind of a command line this is, and its words."""
        return ("settings", self._settings(rng)) if rng.random() < 2 / 3 else ("words", self._words(rng))

    def _settings(self, rng: random.Random) -> list[str]:
        name, field = rng.choice(self.settings)
        if rng.random() < 0.05:
            field = rng.choice(self.settings)[1]
        spelled = field.replace("_", "-") if rng.random() < 0.1 else field
        preset = ["--preset", rng.choice(["quick", "full"])] if rng.random() < 0.1 else []
        more = ["--set", f"{rng.choice(list(self.models[name]))}={value(rng)}"] if rng.random() < 0.1 else []
        return ["run", name, *preset, "--set", f"{spelled}={value(rng)}", *more]

    def _words(self, rng: random.Random) -> list[str]:
        first = rng.choice(COMMANDS) if rng.random() < 0.8 else self._word(rng, "run")
        return [first, *(self._word(rng, first) for _ in range(rng.randrange(6)))]

    def _word(self, rng: random.Random, command: str) -> str:
        match rng.randrange(8):
            case 0:
                return rng.choice(COMMANDS)
            case 1 | 2:
                return self._option(rng, command)
            case 3 | 4:
                return rng.choice(list(self.models))
            case 5:
                return rng.choice(PATHS)
            case 6:
                return rng.choice(self.words)
        return value(rng)

    def _option(self, rng: random.Random, command: str) -> str:
        """Mostly one that the command has; else one of another command, one with a value, or one that there is not."""
        own = [*self.options.get(command, ()), "--help", "-h"]
        every = [option for options in self.options.values() for option in options]
        return rng.choice(rng.choice([own, own, every, FILLED, NO_OPTIONS]))


def replace_heavy_parts(ran: list[Any], put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Runs are noted in `ran` instead of computed; formulas are found to agree; nothing is fetched or timed. `put` sets an
    attribute."""
    from gatefield import lab, ledger, show
    from gatefield.cli.check import helpers
    from gatefield.data.images import fetch
    from gatefield.lab.sweeps.planner import planned
    from gatefield.speed import Contest, Contestant, entries

    def run(experiment: Any, parameters: Any, store: Any, **_: Any) -> None:
        ran.append(parameters)

    def examine(formula: Any) -> Any:
        words = {
            name: getattr(formula, name) for name in ledger.Finding.model_fields if isinstance(getattr(formula, name, 0), str)
        }
        return ledger.Finding(**words, value=1.0, estimate=1.0, error=0.0, standard_errors=3.0, result="agrees", seconds=0.0)

    def swept(sweep: Any, store: Any, *_: Any, **__: Any) -> Any:
        return lab.Swept(planned(store, sweep)[0], {}, 0)

    def contests(case: str, quick: bool) -> Any:
        yield Contest("none", "call", Contestant("ours", int), [Contestant("theirs", int)])

    parts = [
        (lab, lab.run, run),
        (lab, lab.run_sweep, swept),
        (lab, lab.run_on_cluster, swept),
        (show, show.show_outcome, lambda *_: None),
        (sys.modules[ledger.check.__module__], ledger.examine, examine),
        (helpers, helpers.helping, lambda: contextlib.nullcontext(())),
        (fetch, fetch._fetch, lambda collection, path, *_: path),
        (entries, entries.entries, contests),
    ]
    for module, part, new in parts:
        put(module, part.__name__, new)


def prepare(folder: Path) -> None:
    """A scratch folder with the paths that command lines name, to work in."""
    os.chdir(folder)
    os.environ["HOME"] = str(folder)
    Path("file").write_text("in the way")
    Path("folder").mkdir()
    Path("folder.py").mkdir()
    Path("loop").symlink_to("loop")
    files = {
        "empty.py": "",
        "broken.py": "1/",
        "study.py": STUDY,
        "good.toml": SWEEP,
        "empty.toml": "",
        "measured.json": MEASURED,
    }
    for name, text in files.items():
        Path(name).write_text(text)


def called(words: list[str]) -> tuple[int | None, str, str]:
    """Exit code, standard error, and the traceback where there is one; both outputs are as a terminal's."""
    from gatefield.cli import main as gatefield

    out = io.TextIOWrapper(io.BytesIO(), "utf-8", "strict")
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace")
    code, trace = None, ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = gatefield(words)
        except Exception:
            trace = traceback.format_exc()
    err.flush()
    return code, err.buffer.getvalue().decode("utf-8"), trace  # type: ignore[attr-defined]


def repeats(word: str, said: str) -> bool:
    """Whether a message repeats more of a word than it may."""
    size = MOST_REPEATED + 1
    return len(said) > size and any(word[i : i + size] in said for i in range(len(word) - size + 1))


def most_sentences(words: list[str]) -> int:
    """One for each word after the command; with --all each experiment may have its own."""
    from gatefield import experiments

    return max(1, len(words) - 1) + ("--all" in words) * len(experiments.names())


def wrong_message(words: list[str], said: str) -> str:
    """What is wrong with what was said on standard error, if anything."""
    lines = [line for line in said.splitlines() if line.strip() and not NOTES.fullmatch(line)]
    sentences = [line for line in lines if line.startswith("gatefield: ")]
    if len(lines) > len(sentences) or len(sentences) > most_sentences(words):
        return "more than one line"
    if any(repeats(part, said) for word in words for part in {word, word.partition("=")[2]}):
        return f"repeats more than {MOST_REPEATED} characters of a word"
    return f"more than {MOST_SAID} characters" if any(len(line) > MOST_SAID for line in sentences) else ""


def misread(words: list[str], ran: list[Any]) -> str:
    """A setting that was taken as something that it does not say, if there is one."""
    given = {word.split("=", 1)[0]: word.split("=", 1)[1] for word in words if "=" in word}  # the last one of a name counts
    for name, text in given.items():
        taken = getattr(ran[-1], name.strip().replace("-", "_"), None) if ran else None
        if isinstance(taken, str) or taken is None:
            continue
        if "\n" in text.strip() and not text.strip().startswith("["):
            return "a value is read up to a line break"
        if text.strip().lower() in BOOLEANS and not isinstance(taken, bool):
            return "a truth value is read as a number"
        if isinstance(taken, float) and math.isnan(taken):
            return "not a number is taken as one"
        number = isinstance(taken, int | float) and re.fullmatch(r"-?\d+(\.\d+)?", text)
        if number and taken != (float(text) if isinstance(taken, float) else Fraction(text)):
            return "a number is read as another one"
    return ""


def judged(words: list[str], limit: float, ran: list[Any]) -> tuple[str, str]:
    """The outcome of a command line, and what failed."""
    ran.clear()
    try:
        with at_most(limit):
            code, said, trace = called(words)
    except TooLong:
        return "hang", f"longer than {limit:g} s"
    except BaseException as error:
        return "traceback", f"{type(error).__name__} leaves main"
    if trace:
        frames = [line.strip() for line in trace.splitlines() if line.strip().startswith("File ")]
        inside = next((line for line in reversed(frames) if "/gatefield/" in line), frames[-1])
        place = re.sub(r'File ".*/(\w+/\w+\.py)", line \d+', r"\1", inside)
        return "traceback", f"{trace.strip().splitlines()[-1].split(':')[0]} from {place}"
    if code not in (0, 2):
        return "other exit code", f"exit code {code}"
    if wrong := wrong_message(words, said):
        return "bad message", wrong
    if wrong := misread(words, ran):
        return "read wrongly", wrong
    return ("one sentence" if code else "ran" if ran else "exit code 0"), ""


def start(scratch: Path, limit: float) -> Case:
    """The function that tries one command line."""
    commands, ran = Commands(), list[Any]()
    replace_heavy_parts(ran)
    prepare(scratch)

    def attempt(rng: random.Random, _: int) -> Finding:
        kind, words = commands(rng)
        outcome, what = judged(words, limit, ran)
        return Finding(
            outcome, bool(what), what and f"{kind}: {what}", shortened(f"gatefield {shlex.join(words)}") if what else "", kind
        )

    return attempt


if __name__ == "__main__":
    main(__file__, __doc__ or "", start, count=10_000)
