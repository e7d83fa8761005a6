"""Networks, sources and what they are made of, from tables: `{kind = "NonlinearGP", n = 40, xi = 2.0, gain = 3.0}`."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from gatefield import data, gates, nets
from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.functions import attempted
from gatefield.data import Source, laws
from gatefield.nets import Network

KIND = "kind"
_FROM_ELSEWHERE = ("self", "key")
"""Arguments that no table has: the key of a network follows from the seed of its point."""


def _offered(room: Any, base: type | tuple[type, ...]) -> dict[str, Callable[..., Any]]:
    """The final classes of that base among the public names of a room."""
    values = {name: getattr(room, name) for name in room.__all__}
    return {
        name: value for name, value in values.items() if isinstance(value, type) and issubclass(value, base) and _final(value)
    }


def _final(kind: type) -> bool:
    return not inspect.isabstract(kind) and kind not in (Source, Network, laws.Radial, laws.Quantile)


@functools.cache
def kinds(of: str) -> dict[str, Callable[..., Any]]:
    """What a table of this name can be: name -> what makes it.

    >>> sorted(kinds("network"))
    ['Committee', 'ConvGated', 'DeepGated', 'GatedLinear']
    """
    if of == "network":
        return _offered(nets, Network)
    sources = _offered(data, Source)
    if of in ("positive", "negative"):
        return sources
    made_of = _offered(laws, (laws.Radial, laws.Quantile)) | _offered(gates, gates.Gate)
    functions = ("bump", "delta", "fourier_mode", "half_spaces", "mexican_hat")
    return sources | made_of | {name: getattr(gates, name) for name in functions}


def arguments(table: Mapping[str, Any], where: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    """What makes a table's object, and its arguments, defaults among them; an error if the kind does not take them."""
    if KIND not in table:
        raise UserError(f"{where} must say what it is by 'kind', but is {quoted(dict(table))}: write for instance "
                        f"{{kind = '{next(iter(kinds(where)))}', ...}}.")  # fmt: skip
    if not isinstance(table[KIND], str) or table[KIND] not in kinds(where):
        raise unknown_name(f"kind of {where}", table[KIND], kinds(where))
    make = kinds(where)[table[KIND]]
    taken = {name: one for name, one in _parameters(make).items() if name not in _FROM_ELSEWHERE}
    given = {name: value for name, value in table.items() if name != KIND}
    for name in given:
        if name not in taken:
            raise unknown_name(f"argument of {where}, a {table[KIND]},", name, taken)
    defaults = {name: one.default for name, one in taken.items() if one.default is not inspect.Parameter.empty}
    missing = [name for name in taken if name not in {**defaults, **given} and (where, name) != ("network", "n")]
    if missing:
        raise UserError(f"{where}, a {table[KIND]}, needs '{missing[0]}': write for instance "
                        f"{{kind = '{table[KIND]}', {missing[0]} = ...}}.")  # fmt: skip
    return make, defaults | given


@functools.cache
def _parameters(make: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(make).parameters  # which takes long for a class, and points are many


def complete(table: Any, where: str) -> dict[str, Any]:
    """The table with all arguments that its kind has by default, in the tables in it too."""
    if not isinstance(table, Mapping):
        raise UserError(
            f"{where} must be a table, such as {{kind = '{next(iter(kinds(where)))}', ...}}, but is {quoted(table)}."
        )
    _, given = arguments(table, where)
    return {KIND: table[KIND], **{name: _completed(value, name) for name, value in given.items()}}


def _completed(value: Any, where: str) -> Any:
    if isinstance(value, Mapping):
        return complete(value, where)
    return [_completed(item, where) for item in value] if isinstance(value, list | tuple) else value


def made(table: Mapping[str, Any], where: str, **more: Any) -> Any:
    """The object that a table describes, made with `more` arguments that no table has."""
    make, given = arguments(table, where)
    wanted = _parameters(make)
    values = {name: _made(value, name) for name, value in given.items()} | {k: v for k, v in more.items() if k in wanted}
    return attempted(f"{where} must be a {table[KIND]} that can be made", functools.partial(make, **values))


def _made(value: Any, where: str) -> Any:
    if isinstance(value, Mapping):
        return made(value, where)
    return [_made(item, where) for item in value] if isinstance(value, list) else value
