"""Formulas on a page: LaTeX as MathML, which browsers set without a script."""

import re
from functools import cache
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markupsafe import Markup

_PARTS = {"mfrac": 2, "mover": 2, "msub": 2, "msubsup": 3, "msup": 2, "munder": 2, "munderover": 3}
"""How many children these elements must have."""
_KNOWN = {"math", "mi", "mn", "mo", "mrow", "mspace", "msqrt", "mstyle", "mtable", "mtd", "mtext", "mtr", *_PARTS}
"""What may come out of a conversion. Anything else is text that was taken for markup."""
_DIGITS = {"double-struck": 0x1D7D8, "bold": 0x1D7CE}
"""Where their digits begin among the characters: browsers do not read `mathvariant` on numbers."""


def equations(latex: str) -> list[Markup]:
    r"""Several equations in one line, with `\quad` between them, each by itself: so that they can stand below each other.

    >>> len(equations(r"a = b,\quad b = \left(c,\quad d\right)"))
    2
    """
    parts = [""]
    for piece in re.split(r"(\\quad|\\;)", latex):
        whole = parts[-1].count("{") == parts[-1].count("}") and parts[-1].count(r"\left") == parts[-1].count(r"\right")
        if piece in (r"\quad", r"\;") and whole and parts[-1].endswith(","):
            parts.append("")
        else:
            parts[-1] += piece
    return [mathml(part.strip()) for part in parts if part.strip()]


@cache
def mathml(latex: str) -> Markup:
    r"""An equation in LaTeX as a `math` element; what cannot be typeset is shown as it is written.

    >>> mathml(r"\frac{1}{2}")
    Markup('<math display="block"><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mrow></math>')
    >>> mathml(r"\nosuchcommand")
    Markup('<code>\\nosuchcommand</code>')
    """
    try:
        return typeset(latex)
    except ValueError:
        return Markup("<code>{}</code>").format(latex)


def typeset(latex: str) -> Markup:
    """The same, with a `ValueError` for what cannot be typeset."""
    try:
        root = ElementTree.fromstring(convert(latex, display="block").replace(' xmlns="', ' data-xmlns="', 1))
    except Exception as error:  # the converter has errors of many kinds, one for each slip in LaTeX
        raise ValueError(f"{latex} cannot be typeset: {type(error).__name__}.") from error
    del root.attrib["data-xmlns"]  # HTML knows what a math element is
    for element in root.iter():
        _check(element, latex)
        _join_letters(element)
        _replace_digits(element)
    return Markup(ElementTree.tostring(root, encoding="unicode", short_empty_elements=False))


def _check(element: ElementTree.Element, latex: str) -> None:
    if element.tag not in _KNOWN or len(element) != _PARTS.get(element.tag, len(element)):
        raise ValueError(f"{latex} cannot be typeset: something is missing, or there is markup in it.")
    if any(character in (element.text or "") + (element.tail or "") for character in "\\$&"):
        raise ValueError(f"{latex} cannot be typeset: {element.text} is left over.")


def _join_letters(row: ElementTree.Element) -> None:
    """A word of upright letters is one name, as for readers who listen."""
    if len(row) > 1 and all(part.tag == "mi" and part.get("mathvariant") == "normal" for part in row):
        word = "".join(part.text or "" for part in row)
        row[:] = []
        ElementTree.SubElement(row, "mi").text = word


def _replace_digits(element: ElementTree.Element) -> None:
    first, text = _DIGITS.get(element.get("mathvariant", "")), element.text or ""
    if first and text.isdecimal():
        element.text = "".join(chr(first + int(digit)) for digit in text)
        del element.attrib["mathvariant"]
