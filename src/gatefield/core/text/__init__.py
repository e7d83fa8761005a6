"""Numbers, objects and values as text: in words, in one line, in types that JSON and netCDF know."""

__all__ = ["plain", "portable", "quoted", "shown", "words"]
