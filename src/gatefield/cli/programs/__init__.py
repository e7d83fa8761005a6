"""Compiled programs, kept from one command to the next.

Compiling takes up to half of the time of a short command, and gives the same programs each time. Only a command in a process of
its own keeps them, never a program that imports gatefield: what JAX keeps is a setting of the whole process.
"""

from gatefield.cli.programs.cache import FOLDER as FOLDER
from gatefield.cli.programs.cache import offer_cache as offer_cache
from gatefield.cli.programs.cache import use_cache as use_cache

__all__ = ["FOLDER", "offer_cache", "use_cache"]
