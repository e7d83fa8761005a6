"""The command line."""

from gatefield.cli.command_line import main as main

__all__ = ["main"]
