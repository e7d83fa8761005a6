"""Gates frozen from trained ReLU units."""

from typing import Any

import numpy as np
import xarray as xr

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.gates.constant import Open, Shut
from gatefield.gates.gate import Gate
from gatefield.gates.gate_set import GateSet, per_gate
from gatefield.gates.half_space import HalfSpace


def learned(fields: Any, bias: Any = 0.0) -> GateSet:
    r"""The gates that ReLU units have with these fields: $g_k(x) = 1(\langle w_k,x\rangle + b_k > 0)$.

    **Arguments**

    - `fields`: (K, n), such as `committee.fields` or `record.fields[run, step]`.
    - `bias`: hidden biases (K,).

    **Returns** a set of K gates. A unit whose field is zero is always open if its bias is positive, else always shut.

    >>> learned([[1.0, 0.0], [0.0, 0.0]]).gates[1].value
    array(0.)

    **Source:** note 000, equation 2.
    """
    rows = np.asarray(checks.finite("fields", fields), float)
    if rows.ndim != 2 or not rows.size:
        raise UserError(f"fields must have shape (K, n), but have {rows.shape}; take those of one run at one step.")
    shifts = per_gate("bias", bias, len(rows))
    return GateSet([_unit_gate(row, b) for row, b in zip(rows, shifts, strict=True)])


def _unit_gate(field: np.ndarray, bias: float) -> Gate:
    if field.any():
        return HalfSpace(field, -bias)
    return Open() if bias > 0 else Shut()


def learned_from(record: xr.Dataset, *, step: int = -1, run: int = 0) -> GateSet:
    """The gates of the ReLU units of a training record, as they stood at one step.

    **Arguments**

    - `record`: what `gatefield.train` or `gatefield.flow` gave.
    - `step`: number of the record, not of the step of training; -1 is the last.
    - `run`: number of the run.

    **Returns** a set of K gates, as from `learned`.

    >>> fields = np.array([[[[1.0, 0.0]], [[0.0, 1.0]]]])
    >>> record = xr.Dataset({"fields": (("run", "step", "unit", "position"), fields)})
    >>> learned_from(record, step=0).gates[0].direction.tolist()
    [1.0, 0.0]
    """
    if not isinstance(record, xr.Dataset) or "fields" not in record:
        raise UserError(f"record must be a record of training, with fields, but is {quoted(record)}; see gatefield.train.")
    axes = {"run": run, "step" if "step" in record.dims else "time": step}
    for name, index in axes.items():
        checks.count(name, index, least=-checks.MOST)
        if not -record.sizes[name] <= index < record.sizes[name]:
            raise UserError(f"The record has no {name} number {index}; it has {record.sizes[name]}, counted from 0.")
    one = record.isel(axes)
    return learned(one.fields.values, one.bias.values if "bias" in one else 0.0)
