"""Experiments at a size that takes seconds, and what two stores of the same run have to agree in."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

SMALL = {
    "linear-depth": "width=10 depths=2,4 runs=20 steps=10",
    "bumps": "n=9 xis=0.5,1.5 grid=10 samples=2000",
    "gated-linear": "n=6 steps=60 batch_size=20 seeds=1 samples=2000 record_every=10",
    "localization": "n=8 gains=3.0 batch_size=20 steps=200 record_every=10 seeds=2",
}
"""Experiment -> its settings: two that compute at once, two that train in parts."""

OWN = {"seconds", "resumed", "created", "finished", "host", "device", "complete", "commit"}
"""Attributes that differ from run to run."""


def command(name: str, store: Path) -> list[str]:
    """The words after `gatefield` that run an experiment at its small size."""
    return ["run", name, *SMALL[name].split(), "--store", str(store)]


def said_by(words: list[str]) -> tuple[int, str]:
    """Exit code and standard error of a command in this process."""
    from gatefield.cli import main

    err = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        code = main(words)
    return code, err.getvalue()


def sentence(said: str) -> str:
    """What is wrong, out of all that was said."""
    return "\n".join(line for line in said.splitlines() if line.startswith("gatefield: "))


def run_folder(store: Path, name: str) -> Path:
    """The folder of the one run of an experiment in a store."""
    (folder,) = (path for path in (store / name).iterdir() if len(path.name) == 12)
    return folder


def content(record: Any) -> dict[str, Any]:
    """A record as things to compare: bytes of every variable and coordinate, and the attributes that every run shares."""
    variables = {str(name): (v.dims, str(v.dtype), v.values.tobytes(), str(v.attrs)) for name, v in record.variables.items()}
    return {"variables": variables, "attributes": {key: str(value) for key, value in record.attrs.items() if key not in OWN}}


def outcome_of(folder: Path) -> dict[str, Any]:
    """All that a finished run holds: record, verdicts, parameters and figure."""
    from gatefield import open_record

    return {
        **content(open_record(folder)),
        "verdicts": _read(folder / "verdicts.json"),
        "parameters": (_read(folder / "about.json") or {}).get("parameters"),
        "figure": (folder / "figure.svg").read_bytes(),
    }


def _read(path: Path) -> Any:
    """What a JSON file says; None where it is missing or damaged."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """The first thing in which two runs differ, or nothing."""
    for part in one:
        if one[part] == other[part]:
            continue
        if part not in ("variables", "attributes"):
            return part
        names = sorted(set(one[part]) | set(other[part]))
        return f"{part}: {', '.join(name for name in names if one[part].get(name) != other[part].get(name))}"
    return ""
