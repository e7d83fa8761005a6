"""Scripts of a page: inside it, and allowed by their hashes alone."""

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources

from markupsafe import Markup


def script(name: str) -> Markup:
    """The text of a script in `templates`, as a page holds it."""
    text = resources.files("gatefield.show").joinpath("templates", name).read_text(encoding="utf-8")
    if "</script" in text.lower() or "<!--" in text:
        raise ValueError(f"{name} must not end its own element.")
    return Markup(text)


def script_policy(names: Sequence[str]) -> Markup:
    """The part of a content policy that allows these scripts and no others; empty where there are none."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(script(name).encode()).digest()).decode()}'" for name in names)
    return Markup(f"; script-src {hashes}") if names else Markup("")
