"""How a result came to be: versions and device."""

import os
import platform
from datetime import UTC, datetime
from typing import Any

import jax

from gatefield.core.version import __version__


def provenance() -> dict[str, Any]:
    """What is common to all records made by this process."""
    return {
        "gatefield_version": __version__,
        "jax_version": jax.__version__,
        "python_version": platform.python_version(),
        "device": device(),
    }


def device() -> str:
    """The device in words, without the machine's name."""
    first = jax.devices()[0]
    kind = f"{os.cpu_count()} cores" if first.platform == "cpu" else first.device_kind
    return f"{first.platform} ({kind})"


def now() -> str:
    """The time, in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
