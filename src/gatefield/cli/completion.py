"""Completion scripts for shells."""

import argparse
import dataclasses
from collections.abc import Mapping
from typing import Any

import shtab

from gatefield import experiments

SHELLS = ("bash", "zsh", "tcsh")
PRESETS = ("quick", "full")
"""Those that experiments have; they are not asked, since loading them takes seconds."""


def script(commands: Mapping[str, type], shell: str) -> str:
    """The script that completes these commands, dataclasses whose fields are their arguments, in a shell."""
    parser = argparse.ArgumentParser("gatefield", description="gatefield")
    parser.add_argument("--version", action="store_true", help="say which version this is")
    subparsers = parser.add_subparsers()
    for name, command in commands.items():
        summary = " ".join((command.__doc__ or "").split()).partition(".")[0]
        subparser = subparsers.add_parser(name, help=summary.partition(":")[0])
        for field in dataclasses.fields(command):
            _add(subparser, field.name)
    return shtab.complete(parser, shell)


def _add(parser: argparse.ArgumentParser, name: str) -> None:
    match name:
        case "names":
            parser.add_argument("names", nargs="*", choices=experiments.names(), help="experiments")
        case "shell":
            parser.add_argument("shell", choices=SHELLS, help="shell")
        case "fresh":
            parser.add_argument("--fresh", action="store_true", help="start over")
        case "json":
            parser.add_argument("--json", action="store_true", help="print JSON")
        case "preset":
            parser.add_argument("--preset", choices=PRESETS, help="named set of parameters")
        case _:
            option: Any = parser.add_argument(f"--{name}", help=name)
            if name in ("store", "output"):
                option.complete = shtab.DIRECTORY if name == "store" else shtab.FILE
