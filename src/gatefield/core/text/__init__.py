"""Numbers, objects and values as text: in words, in one line, in types that JSON knows."""

__all__ = ["plain", "quoted", "shown", "words"]
