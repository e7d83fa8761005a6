"""Objects in one line, as they were made: what their `repr` shows."""

import inspect
import math
from typing import Any

import numpy as np

MOST = 8
"""Arrays of more numbers are shown by type and shape: eight still fit on a line."""


def shown(thing: Any, **settings: Any) -> str:
    """An object in one line, as it was made: its class and the arguments that differ from their defaults.

    **Arguments**

    - `thing`: an object that keeps the arguments of its `__init__` as attributes of the same names.
    - `settings`: values that stand in the place of attributes, and whatever else is to be shown, such as `runs=3`.

    **Returns** the line: numbers to six digits, arrays of up to eight numbers by value, larger and traced ones by their shape,
    functions by name.

    >>> class Source:
    ...     def __init__(self, n, xi, boundary="ring"):
    ...         self.n, self.xi, self.boundary = n, np.asarray(xi), boundary
    >>> shown(Source(40, 2.0)), shown(Source(40, np.ones(40), "line"), runs=3)
    ('Source(n=40, xi=2.0)', "Source(n=40, xi=f64[40], boundary='line', runs=3)")
    """
    parameters = inspect.signature(type(thing).__init__).parameters
    values = {name: getattr(thing, name) for name in parameters if hasattr(thing, name)}
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    ordered = {name: (values | settings)[name] for name in [*parameters, *settings] if name in values or name in settings}
    texts = {name: _value(value) for name, value in ordered.items()}
    kept = [f"{name}={text}" for name, text in texts.items() if name not in defaults or text != _value(defaults[name])]
    return f"{type(thing).__name__}({', '.join(kept)})"


def _value(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return repr(float(f"{value:.6g}"))
    if isinstance(value, list | tuple):
        texts = [_value(part) for part in value]
        return f"[{', '.join(texts)}]" if isinstance(value, list) else f"({', '.join(texts)}{',' * (len(texts) == 1)})"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return _array(value)
    return getattr(value, "__name__", None) or repr(value)


def _array(array: Any) -> str:
    kind = array.dtype
    if math.prod(array.shape) <= MOST and isinstance(kind, np.dtype):
        try:
            return _value(np.asarray(array).tolist())
        except TypeError:  # under jit the numbers are not known yet
            pass
    short = f"{kind.kind}{8 * kind.itemsize}" if isinstance(kind, np.dtype) else str(kind)
    return f"{short}[{','.join(map(str, array.shape))}]"
