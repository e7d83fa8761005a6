"""gatefield: a laboratory for gated networks and the receptive fields they learn.

The names below are loaded when first used, so that `import gatefield` and the command line's `--help` are quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

from gatefield.core.errors import StoreError as StoreError
from gatefield.core.errors import UserError as UserError
from gatefield.core.version import __version__ as __version__

if TYPE_CHECKING:
    from gatefield.core.runs import one_run as one_run
    from gatefield.data import Task as Task
    from gatefield.dynamics import Interrupted as Interrupted
    from gatefield.dynamics import flow as flow
    from gatefield.dynamics import train as train
    from gatefield.lab import Store as Store
    from gatefield.lab import open_record as open_record
    from gatefield.nets import Committee as Committee
    from gatefield.nets import ConvGated as ConvGated
    from gatefield.nets import DeepGated as DeepGated
    from gatefield.nets import GatedLinear as GatedLinear

_ROOMS = (
    "core",
    "data",
    "dynamics",
    "experiments",
    "gates",
    "kernels",
    "lab",
    "ledger",
    "measures",
    "nets",
    "plot",
    "show",
    "theory",
)
_HOMES = {
    "Committee": "nets",
    "ConvGated": "nets",
    "DeepGated": "nets",
    "GatedLinear": "nets",
    "Interrupted": "dynamics",
    "Store": "lab",
    "Task": "data",
    "flow": "dynamics",
    "one_run": "core.runs",
    "open_record": "lab",
    "train": "dynamics",
}

__all__ = [
    "Committee",
    "ConvGated",
    "DeepGated",
    "GatedLinear",
    "Interrupted",
    "Store",
    "StoreError",
    "Task",
    "UserError",
    "__version__",
    "flow",
    "one_run",
    "open_record",
    "train",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"gatefield.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(f"gatefield.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'gatefield' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS, *_HOMES})
