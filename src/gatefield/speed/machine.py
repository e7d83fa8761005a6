"""What was measured on, and with which versions; never the machine's name."""

import importlib.metadata
import platform
from pathlib import Path
from typing import Any

from gatefield.core.machine import cores, memory
from gatefield.core.provenance import commit, device
from gatefield.core.version import __version__

PACKAGES = ("jax", "jaxlib", "numpy", "scipy", "diffrax", "equinox", "torch", "nngeometry", "neural-tangents")
"""Whose versions matter, as far as they are installed."""


def machine() -> dict[str, Any]:
    """System, processor, cores that this process may use, memory, and JAX's device."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "cores": cores(),
        "memory_gb": round(memory() / 1e9, 1),
        "device": device(),
    }


def versions() -> dict[str, str]:
    """Of gatefield, Python and the packages that take part."""
    found = {"gatefield": __version__, "commit": commit(), "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {name: version for name, version in found.items() if version}


def processor(told: Path = Path("/proc/cpuinfo")) -> str:
    """The kind of processor in words, as far as the system tells."""
    lines = told.read_text().splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
