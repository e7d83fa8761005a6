"""What `gatefield bench` prints: ratios first."""

import io

from findings_by_hand import spread, standing
from rich.console import Console

from gatefield.show import show_finding
from gatefield.speed import Growth

GROWTH = Growth(
    name="kernel, samples",
    along="n",
    unit="kernel",
    sizes=[500, 1000],
    ms=[spread(1.0), spread(3.9)],
    exponent=1.963,
    error=0.02,
    expected=2.0,
    why="pairs of samples",
    load=0.5,
)


def said(finding, terminal):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100, color_system=None)
    show_finding("training", finding, console)
    return console.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]


def test_a_terminal_has_a_table_whose_first_column_is_the_ratio():
    title, head, scan, torch, ours = filter(None, map(str.strip, said(standing(scan=2.21, torch=None), True).splitlines()))
    assert title == "training: small"
    assert head.split()[:4] == ["ratio", "from", "–", "to"]
    assert scan.split() == ["2.21", "1.105–4.42", "scan", "4.42", "4.42–4.42", "2e-07"]
    assert torch == "–              torch: not installed: torch"
    assert ours.split() == ["train", "(gatefield)", "2", "1.5–2.5"]


def test_a_pipe_has_lines():
    assert said(standing(scan=2.21, torch=None), False).splitlines() == [
        "training, small, ms per step, load 0.5",
        "  2.21 times (1.105–4.42) against scan: 4.42 (4.42–4.42), error 2e-07",
        "  torch: not installed: torch",
        "  train: 2 (1.5–2.5)",
    ]


def test_a_growth_says_both_exponents():
    assert said(GROWTH, False).splitlines() == [
        "training, kernel, samples: exponent 1.96 ± 0.02, expected 2 (pairs of samples), load 0.5",
        "  ms per kernel at n = 500: 1, 1,000: 3.9",
    ]
