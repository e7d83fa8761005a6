"""Checks of what users hand in. Each returns the value in the form the package keeps it, or raises a `UserError`.

Under `jit` and `vmap` a value is not known yet; of such values only shape and type are checked.

**NaN**, by one rule. Sources, gates, theory and kernels refuse it, and infinities that have no meaning, in a sentence. Where
the numbers are not known (under `jit`, `vmap`, `grad`) NaN goes through: what depends on a NaN is NaN. Measures are read off
records, in which a run may have diverged: they are NaN where the field, the gate or the kernel has a NaN; those whose result
is a position, a count or a choice, which has no NaN, refuse it. Under `jit` a position is then -1, and no gate of NaN is
active.
"""

import functools
import hashlib
import inspect
import operator
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any, ParamSpec, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.quoted import quoted

P = ParamSpec("P")
R = TypeVar("R")
Name = TypeVar("Name", bound=str)
Rule = Callable[[str, Any], Any]
"""A check of a named value."""

MOST = 2**31 - 1
"""The largest count: sizes and steps are 32-bit whole numbers on the device."""
SINGLE = 1e-6
"""How far, relative to its size, a matrix may be from symmetric and positive: rounding in single precision."""
KERNEL = 1e-4
"""What float32 may make of a symmetric kernel of many layers, over its largest entry."""
_EXAMPLES = {"learning_rate": 0.01, "rtol": 1e-6, "atol": 1e-9, "steady_tol": 1e-8, "tolerance": 1e-9}
_EXAMPLES |= {"share": 0.5, "mu": 0.5, "active": 1.0}  # of which `finite` alone does not know where they have to lie
_EXAMPLES |= {"n": 40, "steps": 1000, "batch_size": 100, "size": 100}
"""What a message proposes where the usual size is known."""
_PLAIN = (2.0, 0.5, 3.0, 1.0, 0.0, *(sign * 10.0**power for power in range(-6, 7) for sign in (1, -1)))
"""What a message proposes for other numbers: the first of these that keeps the rule."""
_COVARIANCES: set[bytes] = set()
"""Digests of covariances that were found right: loops hand in the same ones at every step, and eigenvalues take long."""
_MOST_COVARIANCES = 4096


def given(**rules: Rule) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check the arguments of a function, each by its rule, before the function sees them; what may be None may be None.

    >>> @given(times=positive)
    ... def longest(times=None):
    ...     return max(times)
    >>> longest([1.0, -2.0])
    Traceback (most recent call last):
    gatefield.core.errors.UserError: times must be positive and finite, but is -2; change its value at [1].
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        optional = {name for name, parameter in parameters.items() if parameter.default is None}
        names = tuple(parameters)

        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            for name, value in (*zip(names, args, strict=False), *kwargs.items()):
                if name in rules and not (value is None and name in optional):
                    rules[name](name, value)
            return function(*args, **kwargs)

        return wrapper

    return wrap


def real(name: str, value: Any, rule: str, holds: Callable[[np.ndarray], Any]) -> Any:
    """A number or an array of numbers for which `holds` is true everywhere; NaN never passes.

    Kept as float64 NumPy array, so that no precision is lost before it meets a device; JAX arrays are kept as they are.
    """
    if isinstance(value, Tracer):
        return traced(name, value)
    array = np.asarray(numbers(name, value, f"{name} must be {rule}"), dtype=np.float64)
    wrong = np.asarray(np.isnan(array) | ~np.asarray(holds(array)))
    if wrong.any():
        raise UserError(f"{name} must be {rule}, but is {array[wrong].flat[0]:g}; {_way_out(name, wrong, holds)}.")
    return value if isinstance(value, jax.Array) else array


def numbers(name: str, value: Any, rule: str | None = None) -> np.ndarray:
    """Real numbers of any shape as a NumPy array: no text, None, complex numbers, dates, truth values, rows of unequal length,
    objects, masked entries, sites elsewhere than last.

    Which numbers they are is not looked at, NaN passes. Rows of zeros and ones may be truth values, one number may not. One
    number may be a fraction or beyond 64 bits; an array of such is one of objects, which no device holds.
    """
    unlost(name, value)
    try:
        # A view: what a program compiled in float64 has closed over, JAX keeps converting to float64 (by the object).
        array = np.asarray(value).view()
        if array.dtype.kind == "O" and not array.ndim:
            array = np.asarray(_number(array.item()))
        real_type = array.dtype.kind in "iuf" or jnp.issubdtype(array.dtype, np.floating)  # bfloat16 is of kind V
        if real_type or (array.dtype.kind == "b" and array.ndim):
            return array
    except (TypeError, ValueError, OverflowError):
        pass
    raise UserError(f"{rule or f'{name} must be numbers'}, but is {quoted(value)}, which is not a number or an array of them.")


def unlost(name: str, value: Any) -> None:
    """Nothing is masked, and a dimension `position` is the last one: an array would lose masks and names without a word."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        masked = int(np.ma.getmaskarray(value).sum())
        raise UserError(
            f"{name} must be numbers, but {masked} of {value.size} are masked; fill them, as in np.ma.filled({name}, 0.0), or "
            "leave those samples out."
        )
    if isinstance(value, list | tuple):
        for part in (part for part in value if isinstance(part, np.ma.MaskedArray)):
            unlost(name, part)
    dims = getattr(value, "dims", ())
    if isinstance(dims, tuple) and "position" in dims[:-1]:
        raise UserError(
            f"{name} must have the dimension position last, but has {quoted(dims)}; write .transpose(..., 'position')."
        )


def nameless(value: Any) -> Any:
    """A `DataArray` without names, where its sites may stand first."""
    return value.values if hasattr(value, "dims") else value


def traced(name: str, value: Tracer) -> Tracer:
    """A value that is not known yet, but is not complex."""
    if jnp.issubdtype(value.dtype, np.complexfloating):
        raise UserError(f"{name} must be real numbers, but has type {value.dtype}; take its real part, jnp.real({name}).")
    return value


def _number(entry: Any) -> float:
    if not isinstance(entry, Real):
        raise TypeError
    return float(entry)


def flag(name: str, value: Any) -> bool:
    """True or False, and nothing that Python would take for one of them."""
    if not isinstance(value, bool | np.bool_):
        raise UserError(f"{name} must be True or False, but is {quoted(value)}; write {name}=True.")
    return bool(value)


def function(name: str, value: Any) -> Any:
    """Something that can be called."""
    if not callable(value):
        raise UserError(f"{name} must be a function, but is {quoted(value)}; write for instance {name}=lambda w: -w.")
    return value


def shape(name: str, value: Any, rule: str | None = None) -> tuple[int, ...]:
    """The shape of real numbers."""
    return traced(name, value).shape if isinstance(value, Tracer) else numbers(name, value, rule).shape


def matrix(name: str, value: Any) -> Any:
    """A square matrix (n, n) of finite numbers, symmetric up to rounding in single precision."""
    value = nameless(value)  # whose rows and columns are the same sites
    sizes = shape(name, value, f"{name} must be a square matrix (n, n)")
    if len(sizes) != 2 or sizes[0] != sizes[1] or not sizes[0]:
        raise UserError(f"{name} must be a square matrix (n, n), but has shape {sizes}; give one row and one column per site.")
    if isinstance(value, Tracer):
        return value
    entries = np.asarray(finite(name, value), dtype=np.float64)
    skew = np.abs(entries - entries.T).max()
    if skew > SINGLE * np.abs(entries).max():
        raise UserError(
            f"{name} must be symmetric, but two mirrored entries differ by {skew:g}; write ({name} + {name}.T) / 2."
        )
    return value


def symmetric(name: str, value: Any) -> Any:
    """Kernels (..., samples, samples), symmetric up to rounding in single precision where they are finite."""
    sizes = shape(name, value, f"{name} must be a square kernel")
    if len(sizes) < 2 or sizes[-1] != sizes[-2] or 0 in sizes:
        raise UserError(f"{name} must have the shape (samples, samples), not {sizes}; write for instance x @ x.T.")
    if isinstance(value, Tracer):
        return value
    entries = np.asarray(value, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        apart, largest = np.abs(entries - entries.swapaxes(-1, -2)).max((-2, -1)), np.abs(entries).max((-2, -1))
    if (apart > KERNEL * largest).any():
        raise UserError(
            f"{name} must be symmetric, but entries differ from those across the diagonal by up to {np.nanmax(apart):.3g}; "
            "give the kernel of one set of samples with itself."
        )
    return value


def kernel(name: str, value: Any) -> Any:
    """Symmetric kernels (..., samples, samples) without negative eigenvalues, up to rounding, where they are finite."""
    if isinstance(symmetric(name, value), Tracer):
        return value
    entries = np.asarray(value, dtype=np.float64)
    whole = np.where(np.isfinite(entries).all((-2, -1), keepdims=True), entries, np.eye(entries.shape[-1]))
    slack = KERNEL * np.abs(whole).sum(-1).max(-1)[..., None, None]  # no eigenvalue is larger than the largest row
    try:  # it takes a small part of the time that eigenvalues take
        np.linalg.cholesky(whole + np.where(slack > 0, slack, 1.0) * np.eye(entries.shape[-1]))
    except np.linalg.LinAlgError:
        least = np.linalg.eigvalsh(whole).min()
        raise UserError(
            f"{name} must have no negative eigenvalue, but has {least:.3g}; give the kernel of one set of samples with itself, "
            "such as x @ x.T."
        ) from None
    return value


def covariance(name: str, value: Any) -> Any:
    """A symmetric matrix (n, n) without negative eigenvalues, up to rounding in single precision."""
    known = not isinstance(value, Tracer | np.ma.MaskedArray) and hasattr(value, "dtype")
    if known and jnp.issubdtype(value.dtype, np.number):
        content = np.asarray(value)
        digest = hashlib.blake2b(content.tobytes(), digest_size=16).digest() + repr((content.shape, content.dtype)).encode()
        if digest in _COVARIANCES:
            return value
        _positive(name, value)
        if len(_COVARIANCES) >= _MOST_COVARIANCES:
            _COVARIANCES.clear()
        _COVARIANCES.add(digest)
        return value
    return _positive(name, value)


def _positive(name: str, value: Any) -> Any:
    if isinstance(matrix(name, value), Tracer):
        return value
    least, *_, largest = 2 * list(np.linalg.eigvalsh(np.asarray(value, dtype=np.float64)))
    if least < -SINGLE * max(largest, 0.0):
        raise UserError(f"{name} must have no negative eigenvalue, but has {least:g}; compute it as x.T @ x / len(x).")
    return value


def vector(name: str, value: Any) -> Any:
    """Finite numbers (n,), at least one."""
    sizes = shape(name, value, f"{name} must be a list of numbers")
    if len(sizes) != 1 or not sizes[0]:
        raise UserError(f"{name} must have shape (n,), but has shape {sizes}; {_listed(name, sizes)}.")
    return finite(name, value)


def _listed(name: str, sizes: tuple[int, ...]) -> str:
    """How to make a list of numbers of an array; of an empty one, nothing can be made."""
    return f"write for instance {name}=[1.0, 0.5]" if 0 in sizes else f"write np.ravel({name})"


def number(name: str, value: Any) -> Any:
    """One finite number, which may be traced."""
    sizes = shape(name, value, f"{name} must be one number")
    if sizes:
        raise UserError(f"{name} must be one number, but has shape {sizes}; use jax.vmap for several.")
    return finite(name, value)


def _way_out(name: str, wrong: np.ndarray, holds: Callable[[np.ndarray], Any]) -> str:
    """What to write instead of one number, or where in an array the first wrong one is."""
    if wrong.ndim:
        place = np.argwhere(wrong)[0].tolist()
        return f"change its value at {place}" + f" and {wrong.sum() - 1} more" * bool(wrong.sum() > 1)
    example = next((x for x in (_EXAMPLES.get(name, _PLAIN[0]), *_PLAIN) if np.all(holds(np.asarray(x)))), None)
    return "see help() of what was called" if example is None else _write(name, example)


def _write(name: str, example: int | float) -> str:
    text = str(example) if isinstance(example, int) else f"{example:g}"  # whole numbers in full, as they are typed
    return f"write for instance {name}={text}" if name.isidentifier() else f"{text} would do"


def length_scale(value: Any, name: str = "xi") -> Any:
    return real(name, value, "a positive, finite length scale in sites", lambda x: (x > 0) & np.isfinite(x))


def gain(value: Any, name: str = "gain") -> Any:
    return real(name, value, "zero or more ('inf' is the hypercube)", lambda x: x >= 0)


def correlation(name: str, value: Any) -> Any:
    """Correlations in [-1, 1]; what rounding puts beyond counts as -1 or 1."""
    if isinstance(value, Tracer):
        return traced(name, value)
    slack = 1e-6 if getattr(value, "dtype", None) == np.float32 else 5e-7
    real(name, value, "a correlation between -1 and 1", lambda x: np.abs(x) <= 1 + slack)
    return np.clip(np.asarray(value, dtype=np.float64), -1.0, 1.0)


def finite(name: str, value: Any) -> Any:
    known = isinstance(value, jax.Array | np.ndarray) and not isinstance(value, Tracer | np.ma.MaskedArray)
    if known and jnp.issubdtype(value.dtype, np.floating):
        with np.errstate(all="ignore"):  # a sum is quick, and finite only if all entries are
            if np.isfinite(np.asarray(value).sum()):
                return value if isinstance(value, jax.Array) else np.asarray(value, dtype=np.float64)
    return real(name, value, "finite", np.isfinite)


def positive(name: str, value: Any) -> Any:
    return real(name, value, "positive and finite", lambda x: (x > 0) & np.isfinite(x))


def proportion(value: Any, name: str = "proportion") -> float:
    """The share of the positive class."""
    return scalar(name, real(name, value, "strictly between 0 and 1", lambda x: (x > 0) & (x < 1)))


def scalar(name: str, value: Any) -> float:
    """One number, not an array of them."""
    if np.ndim(value):
        raise UserError(f"{name} must be one number, but has shape {np.shape(value)}; give one for all runs.")
    return float(value)


def count(name: str, value: Any, *, least: int = 1, most: int = MOST) -> int:
    """A whole number from `least` to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least:
        way_out = _write(name, _counted(name, least, most))
        raise UserError(f"{name} must be a whole number of at least {least}, but is {quoted(value)}; {way_out}.")
    if number > most:
        way_out = _write(name, _counted(name, least, most))
        raise UserError(f"{name} must be at most {most:,}, but is {quoted(value)}; {way_out}.")
    return number


def _counted(name: str, least: int, most: int) -> int:
    """A count to propose: the usual one if that may be, else the smallest that makes sense."""
    usual = _EXAMPLES.get(name, least)
    return int(usual) if max(least, 0) <= usual <= most else max(least, min(most, 0))


def choice(kind: str, value: Any, options: Iterable[Name]) -> Name:
    """One of the names in `options`."""
    options = list(options)
    if not isinstance(value, str) or value not in options:
        raise unknown_name(kind, value, options)
    return cast(Name, value)
