"""Below all rooms: what each of them needs. Its modules are its face: `from gatefield.core.errors import UserError`."""

__all__ = [
    "arrays",
    "checks",
    "errors",
    "estimate",
    "grid",
    "intervals",
    "keys",
    "lazy",
    "machine",
    "precision",
    "progress",
    "provenance",
    "runs",
    "text",
    "ties",
    "tracing",
    "version",
]
