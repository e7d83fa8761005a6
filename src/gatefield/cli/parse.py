"""From words to a command: dataclasses whose fields are arguments, and the order of words."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Union, get_args, get_type_hints

import tyro
from tyro.conf import Positional


def parse(argv: Sequence[str], commands: Mapping[str, type], about: str) -> Any:
    """The command that `argv` asks for, not yet run."""
    args = words_first(argv, commands) or ["--help"]
    return tyro.cli(any_of(commands), prog="gatefield", description=about, args=args)


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
    alone = {"-h", "--help", *(flag for command in commands.values() for flag in _flags(command))}
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


def _takes_words(command: type) -> bool:
    hints = get_type_hints(command, include_extras=True)
    return any(Positional in get_args(hint)[1:] for hint in hints.values())
