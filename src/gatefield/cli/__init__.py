"""The command line."""

from gatefield.cli.commands import main as main

__all__ = ["main"]
