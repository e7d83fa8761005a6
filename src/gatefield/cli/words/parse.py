"""From words to a command: dataclasses whose fields are arguments, and the order of words."""

import contextlib
import dataclasses
import io
import itertools
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import tyro
from tyro.conf import Positional

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.quoted import MOST, quoted

_HELP = ("-h", "--help")


def parse(argv: Sequence[str], commands: Mapping[str, type], about: str) -> Any:
    """The command that `argv` asks for, not yet run."""
    args = words_first(argv, commands) or ["--help"]
    check(args, commands)
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return tyro.cli(any_of(commands), prog="gatefield", description=about, args=args)
    except SystemExit as end:
        if not end.code:
            raise
    except Exception as error:  # whatever a library stumbles over in words that nobody expected
        said.write(str(error))
    what = textwrap.shorten(re.sub(r"[\u2500-\u257f]+", " ", said.getvalue()), MOST, placeholder=" ...")
    raise UserError(f"These words cannot be understood ({what}): `gatefield {args[0]} --help` says what it takes.")


def check(args: Sequence[str], commands: Mapping[str, type]) -> None:
    """See that there is a command, that it has these options, and that each of them has a value where it needs one."""
    name, *rest = args
    if name in _HELP:
        return
    if name.startswith("-"):
        raise UserError(f"No command is named beside {quoted(name)}: start with one of {', '.join(commands)}.")
    if name not in commands:
        raise unknown_name("command", name, commands)
    choices = _choices(commands[name])
    if choices and not {*rest} & {*_HELP, *choices}:
        raise unknown_name(f"word after {name}", " ".join(rest), choices)
    if rest and not rest[0].startswith("-") and not choices and not _takes_words(commands[name]):
        raise UserError(f"`gatefield {name}` takes options only, but {quoted(rest[0])} is none: leave it out, or see --help.")
    flags, valued = _flags(commands[name]), _valued(commands[name])
    for word, following in itertools.pairwise([*rest, "-"]):
        if word.startswith("-") and word not in _HELP:
            _check_option(word, following, flags, valued)


def _check_option(word: str, following: str, flags: Sequence[str], valued: Sequence[str]) -> None:
    option, equals, value = word.partition("=")
    if option not in [*flags, *valued]:
        raise unknown_name("option", option, [*flags, *valued, "--help"])
    if option in flags and equals:
        raise UserError(f"The option {option} takes no value, but is given as {quoted(word)}: write {option} alone.")
    if option in valued and (not value if equals else following.startswith("-") or not following):
        raise UserError(f"The option {option} needs a value after it: write {option} VALUE, or {option}=VALUE.")


def any_of(commands: Mapping[str, type]) -> Any:
    """One of these commands, for tyro."""
    named = (Annotated[command, tyro.conf.subcommand(name)] for name, command in commands.items())
    return Annotated[Union[tuple(named)], tyro.conf.FlagCreatePairsOff]  # noqa: UP007


def words_first(argv: Sequence[str], commands: Mapping[str, type]) -> list[str]:
    """The command and its words before the options, since tyro takes words from one place only.

    An option of a command without words may take several values (`--source 002 003`), which stay where they are.

    >>> from gatefield.cli.run import Run
    >>> words_first(["run", "--set", "gain=3", "xi=2", "a", "--fresh", "b"], {"run": Run})
    ['run', 'xi=2', 'a', 'b', '--set', 'gain=3', '--fresh']
    """
    alone = {*_HELP, *(flag for command in commands.values() for flag in _flags(command))}
    words, options, rest = list[str](), list[str](), iter(argv)
    for word in rest:
        if not word.startswith("-"):
            words.append(word)
            if len(words) == 1 and word in commands and not _takes_words(commands[word]):
                return [word, *options, *rest]
        elif word in alone or "=" in word:
            options.append(word)
        else:
            options += [word, *itertools.islice(rest, 1)]
    return words + options


def _flags(command: type) -> list[str]:
    """The options of a command that take no value."""
    hints = get_type_hints(command)
    return [f"--{field.name.replace('_', '-')}" for field in dataclasses.fields(command) if hints[field.name] is bool]


def _valued(command: type) -> list[str]:
    """The options of a command that take a value."""
    hints = get_type_hints(command, include_extras=True)
    names = [field.name for field in dataclasses.fields(command) if Positional not in get_args(hints[field.name])[1:]]
    return [option for name in names if (option := f"--{name.replace('_', '-')}") not in _flags(command)]


def _choices(command: type) -> list[str]:
    """The words of a command that takes one of a few."""
    hints = [hint for hint in get_type_hints(command).values() if get_origin(hint) is Literal]
    return [word for hint in hints for word in get_args(hint)]


def _takes_words(command: type) -> bool:
    hints = get_type_hints(command, include_extras=True)
    return any(Positional in get_args(hint)[1:] for hint in hints.values())
