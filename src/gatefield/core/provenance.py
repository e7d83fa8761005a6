"""How a result came to be: versions and device."""

import functools
import hashlib
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jax

from gatefield.core.version import __version__


def provenance() -> dict[str, Any]:
    """What is common to all records made by this process."""
    return {
        "gatefield_version": __version__,
        "jax_version": jax.__version__,
        "python_version": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "device": device(),
        "packages": packages(),
        **({"commit": commit()} if commit() else {}),
    }


@functools.cache
def packages() -> str:
    """A hash of all installed packages and their versions: equal for equal environments, as a lock file makes them.

    Folders of packages are named by both, which is read in no time; what stands in their files takes seconds.
    """
    places = {str(Path(place).resolve()) for place in sys.path if place}
    found = sorted({one.name.lower() for place in places for one in Path(place).glob("*.dist-info")})
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:12]


@functools.cache
def commit() -> str:
    """The commit of the clone that this code runs from, with a + if files were changed since; empty where there is none."""
    folder = Path(__file__).parent
    try:
        found = _git(folder, "log", "-1", "--format=%h", "--abbrev=12")
        inside = _git(folder, "ls-files", "--error-unmatch", Path(__file__).name)  # a clone around the environment is not ours
        return found + "+" * bool(_git(folder.parent, "status", "--porcelain", "--", ".")) if inside else ""
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, timeout=5, check=True)
    return done.stdout.strip()


def device() -> str:
    """The device in words, without the machine's name."""
    first = jax.devices()[0]
    kind = f"{os.cpu_count()} cores" if first.platform == "cpu" else first.device_kind
    return f"{first.platform} ({kind})"


def now() -> str:
    """The time, in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
