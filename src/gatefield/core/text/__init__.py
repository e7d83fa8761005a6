"""Numbers, objects, values and paths as text: in words, in one line, in types that JSON and netCDF know."""

__all__ = ["expanded", "plain", "portable", "quoted", "shown", "words"]
