"""Below all rooms: what each of them needs. Its modules are its face: `from gatefield.core.errors import UserError`."""

__all__ = ["checks", "errors", "keys", "precision", "provenance", "runs", "scaling", "version"]
