"""Formulas in running text, as names and notes write them: Greek letters, indices and powers for readers of a page."""

import re

from markupsafe import Markup

_NAMES = "alpha|beta|delta|eps|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|chi|Sigma|Lambda|Phi"
_GREEK: dict[str, str] = dict(zip(_NAMES.split("|"), "αβδεηθκλμνξπρστφχΣΛΦ", strict=True))
_SIGNS = {"->": "→", ">=": "≥", "<=": "≤", "+-": "±", "infinity": "∞", "(inf)": "(∞)"}
_ALONE = r"(?<![\w.])(?<!\w-)"
"""Not inside a name such as `relu.tau_max` or `002-eta`."""
_WORDS = re.compile(_ALONE + f"({_NAMES})" + r"(?=_|\b)(?![.-]\w)")
_INDEX = re.compile(_ALONE + rf"([A-Za-z]?[A-Za-z{''.join(_GREEK.values())}])_(max|min|in|\+|[A-Za-z0-9]{{1,2}})(?!\w)")
_ROOT = re.compile(r"\bsqrt ?(?=[\d(])")
_POWER = re.compile(r"\^(\([^()]*(?:\([^()]*\)[^()]*)*\)|-?\w+|\+)")


def plain_math(text: str) -> Markup:
    """Words such as `lambda_1` and `e^(-2)` as letters with indices and powers; names with dots or dashes stay as they are.

    >>> plain_math("rate (lambda_0 + lambda_1)/4, w^(d-1) >= 0; see relu.tau_max")
    Markup('rate (λ<sub>0</sub> + λ<sub>1</sub>)/4, w<sup>d−1</sup> ≥ 0; see relu.tau_max')
    """
    shown = _ROOT.sub("√", _WORDS.sub(lambda found: _GREEK[found[1]], text))
    for written, sign in _SIGNS.items():
        shown = shown.replace(written, sign)
    shown = str(Markup.escape(shown))
    shown = _INDEX.sub(r"\1<sub>\2</sub>", shown)
    return Markup(_POWER.sub(_power, shown))  # escaped above


def sentence(text: str) -> Markup:
    """The same with a capital in front, where a word and no symbol stands there.

    >>> sentence("gradient flow"), sentence("tau db/dt"), sentence("f(w) on a ring"), sentence("a gate")
    (Markup('Gradient flow'), Markup('τ db/dt'), Markup('f(w) on a ring'), Markup('A gate'))
    """
    first = re.match(r"(a|[a-z]{2,})(?=[ ,:;-]|$)", text)
    return plain_math(text[:1].upper() + text[1:] if first and first[0] not in _GREEK else text)


def _power(found: re.Match[str]) -> str:
    power = found[1][1:-1] if found[1].startswith("(") else found[1]
    return f"<sup>{power.replace('-', '−')}</sup>"
