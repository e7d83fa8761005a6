"""`gatefield completion`: scripts that complete commands, options, names of experiments and data sets in a shell."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import tyro
from tyro.conf import Positional

from gatefield.cli.data import DATA_SETS
from gatefield.cli.store import REMOVE
from gatefield.cli.sweep import STATUS
from gatefield.cli.words.parse import any_of


@dataclasses.dataclass(frozen=True)
class Completion:
    """Print a completion script for a shell, for instance: eval "$(gatefield completion bash)"."""

    shell: Annotated[Literal["bash", "zsh", "tcsh"], Positional]
    """Which shell."""

    def __call__(self) -> int:
        from gatefield.cli.command_line import COMMANDS

        print_script(COMMANDS, self.shell)
        return 0


def print_script(commands: Mapping[str, type], shell: str) -> None:
    """Print what tyro makes for these commands.

    Its newer parser completes options only, so that it is asked to use the one on argparse (by shtab, which it needs for that),
    which completes words, too.
    """
    tyro._experimental_options["backend"] = "argparse"
    offering = {name: _offering(command, words) for name, command in commands.items() if (words := _words().get(name))}
    try:
        tyro.cli(any_of({**commands, **offering}), prog="gatefield", args=["--tyro-print-completion", shell])
    except SystemExit as end:  # tyro ends with the script
        if end.code:
            raise
    finally:
        tyro._experimental_options["backend"] = "tyro"


def _words() -> dict[str, dict[str, Sequence[str]]]:
    """Command -> field -> what is offered for it; the commands themselves take more, such as files."""
    from gatefield import experiments
    from gatefield.speed import CASES

    presets = dict.fromkeys(preset for item in experiments.listed() for preset in item.durations)
    names = experiments.names()
    runs: dict[str, Sequence[str]] = {"names": names, "preset": tuple(presets)}
    return {
        "list": {"names": names},
        "sweep": {"words": (STATUS,)},
        "run": runs,
        "figure": runs,
        "store": {"words": (REMOVE, *names)},
        "bench": {"names": tuple(CASES)},
        "data": {"names": DATA_SETS},
    }


def _offering(command: type, words: Mapping[str, Sequence[str]]) -> type:
    """The command with these words as the only values of its fields, which is what tyro completes."""
    fields = []
    for field in dataclasses.fields(command):
        if field.name in words:
            choice = Literal[*words[field.name]]
            kind = Annotated[tuple[choice, ...], Positional] if field.default == () else choice
            fields.append((field.name, kind, field.default))
    return dataclasses.make_dataclass(
        command.__name__, fields, bases=(command,), frozen=True, namespace={"__doc__": command.__doc__}
    )
