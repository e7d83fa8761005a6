"""gatefield: a laboratory for gated networks and the receptive fields they learn.

The names below are loaded when first used, so that `import gatefield` and the command line's `--help` are quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

from gatefield.core.errors import Diverged as Diverged
from gatefield.core.errors import StoreError as StoreError
from gatefield.core.errors import UserError as UserError
from gatefield.core.lazy import lazy_names
from gatefield.core.version import __version__ as __version__

if TYPE_CHECKING:
    from gatefield.core.estimate import Estimate as Estimate
    from gatefield.core.grid import Grid as Grid
    from gatefield.core.runs import leaf as leaf
    from gatefield.core.runs import one_run as one_run
    from gatefield.core.tracing.programs import forget_programs as forget_programs
    from gatefield.data import Dataset as Dataset
    from gatefield.data import Task as Task
    from gatefield.dynamics import Interrupted as Interrupted
    from gatefield.dynamics import flow as flow
    from gatefield.dynamics import train as train
    from gatefield.lab import Experiment as Experiment
    from gatefield.lab import Parameters as Parameters
    from gatefield.lab import Store as Store
    from gatefield.lab import Verdict as Verdict
    from gatefield.lab import open_record as open_record
    from gatefield.lab import sweep as sweep
    from gatefield.nets import Committee as Committee
    from gatefield.nets import ConvGated as ConvGated
    from gatefield.nets import DeepGated as DeepGated
    from gatefield.nets import GatedLinear as GatedLinear
    from gatefield.nets import Network as Network

_ROOMS = {
    *("core", "data", "gates", "theory", "kernels", "nets", "dynamics", "measures", "plot"),
    *("lab", "ledger", "experiments", "speed", "show", "cli"),
}
_names, _get, _ = lazy_names(
    __name__,
    {
        "core.estimate": ["Estimate"],
        "core.grid": ["Grid"],
        "core.tracing.programs": ["forget_programs"],
        "core.runs": ["leaf", "one_run"],
        "data": ["Dataset", "Task"],
        "dynamics": ["Interrupted", "flow", "train"],
        "lab": ["Experiment", "Parameters", "Store", "Verdict", "open_record", "sweep"],
        "nets": ["Committee", "ConvGated", "DeepGated", "GatedLinear", "Network"],
    },
)
__all__ = ["Diverged", "StoreError", "UserError", "__version__", *_names]


def __getattr__(name: str) -> Any:
    return importlib.import_module(f"gatefield.{name}") if name in _ROOMS else _get(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOMS})
