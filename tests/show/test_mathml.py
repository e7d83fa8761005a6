"""Formulas on pages: typeset, or shown as they are written."""

from xml.etree import ElementTree

import pytest

from gatefield import ledger
from gatefield.show.mathml import equations, mathml, typeset
from gatefield.show.plain_math import plain_math, sentence


def test_every_equation_of_the_ledger_is_typeset():
    found = {f"{item.name} {kind}": getattr(item, kind) for item in ledger.formulas() for kind in ("right", "printed_equation")}
    written = {name: latex for name, latex in found.items() if latex}
    assert len(written) > 250
    for name, latex in written.items():
        shown = "".join(ElementTree.fromstring(typeset(latex)).itertext())
        assert shown, name
        assert not set(shown) & set("\\$&_"), name
        assert all(part.startswith("<math") for part in equations(latex)), name


@pytest.mark.parametrize(
    "latex",
    [r"\nosuchcommand{x}", r"\frac{1", r"\left( x", "a & b", "<b>", r"\text{<script>alert(1)</script>}", "</math><img>", "x^"],
)
def test_what_cannot_be_typeset_is_shown_as_it_is_written(latex):
    shown = mathml(latex)
    root = ElementTree.fromstring(shown)
    if root.tag == "code":
        assert (root.text, len(root)) == (latex, 0)
    assert {element.tag for element in root.iter()} <= {"code", "math", "mrow", "mi", "mo", "mn"}


def test_equations_in_one_line_are_taken_apart_outside_of_brackets():
    assert equations(r"a = b,\quad c = \left(d,\quad e\right),\; \frac{f,\quad g}{2}") == [
        mathml("a = b,"),
        mathml(r"c = \left(d,\quad e\right),"),
        mathml(r"\frac{f,\quad g}{2}"),
    ]


def test_digits_and_words_are_characters_that_browsers_draw():
    assert "𝟙" in mathml(r"\mathbb{1}(x)")
    assert "𝟏" in mathml(r"\mathbf{1}")
    assert "<mi>erf</mi>" in mathml(r"\mathrm{erf}(x)")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("d_in w^(d-1) paths", "d<sub>in</sub> w<sup>d−1</sup> paths"),
        ("-sqrt(delta), 1/(2 sqrt 2)", "-√(δ), 1/(2 √2)"),
        ("tau_A^(2(d-2)) <= rho_max", "τ<sub>A</sub><sup>2(d−2)</sup> ≤ ρ<sub>max</sub>"),
        ("weights +-sigma, beta = infinity", "weights ±σ, β = ∞"),
        ("see 000-tau, relu.tau_max and wide_relu_ntk", "see 000-tau, relu.tau_max and wide_relu_ntk"),
        ("<b> & x -> -x", "&lt;b&gt; &amp; x → -x"),
    ],
)
def test_formulas_in_running_text(text, shown):
    assert plain_math(text) == shown


def test_only_words_get_a_capital():
    assert [sentence(text)[0] for text in ("loss of", "a gate", "nu of I/n", "g_j(x) counts", "erf(x) has", "E[x]")] == list(
        "LAνgeE"
    )
