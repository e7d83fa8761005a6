"""Note 000, sections 3.4 and 3.5: exclusive gates (equations 19 to 26) and two units with the same gate (27 to 32)."""

from functools import partial

from gatefield.core.estimate import Estimate
from gatefield.ledger.notes.note_000 import corrected
from gatefield.ledger.notes.note_000.flow import FACTOR, by_differences, by_fit, by_ode, limit, path, velocity
from gatefield.ledger.routes import gated
from gatefield.theory import gated_linear as gl

EXCLUSIVE_FLOW = r"K\tau\frac{dw_1}{dt} = b_1 - \frac{1}{K} A_{11} w_1"
PRINTED_EXCLUSIVE_FLOW = r"K\tau\frac{dw_1}{dt} = b_1 - A_{11} w_1"
EXCLUSIVE_LIMIT = r"w_1(\infty) = K A_{11}^{+} b_1"
PRINTED_EXCLUSIVE_LIMIT = r"w_1(\infty) = A_{11}^{-1}\left(P e^{-\frac{t}{K\tau}\Lambda + C}\mathbf{1} + b_1\right)"

SUM = r"s(t) = K A_{11}^{+} b_1 + e^{-\frac{2t}{K^2\tau}A_{11}}\left(s(0) - K A_{11}^{+} b_1\right)"
"""The sum of two units with the same gate."""


def redundant(unit: int) -> float:
    A, b, _ = gated.REDUNDANT.first
    return float(gl.solve_redundant(A, b, gated.REDUNDANT.rows, gated.T, 2)[unit, 0])


def by_differences_of_sum() -> Estimate:
    slope = gated.slope("redundant", 0) + gated.slope("redundant", 3)
    return Estimate(slope, 2e-8, "central differences of the loss of a set of samples")


FORMULAS = {
    "000-eq19": corrected(
        place="equations 19 and 20",
        says="the flow behind exclusive gates",
        implements="theory.gated_linear.velocity",
        value=partial(velocity, "exclusive"),
        estimate=partial(by_differences, "exclusive"),
        printed=partial(gated.printed_velocity, "exclusive"),
        right=EXCLUSIVE_FLOW,
        printed_equation=PRINTED_EXCLUSIVE_FLOW,
        note=FACTOR,
    ),
    "000-eq25": corrected(
        place="equations 21 to 25",
        says="its solution",
        implements="theory.gated_linear.solve",
        value=partial(path, "exclusive"),
        estimate=partial(by_ode, "exclusive"),
        printed=partial(gated.printed_path, "exclusive"),
        printed_equation=r"w_1(t) = A_{11}^{-1}\left(P e^{-\frac{t}{K\tau}\Lambda + C}\mathbf{1} + b_1\right)",
        note=FACTOR + "; a constant exp(C) could not be negative",
    ),
    "000-eq26": corrected(
        place="equation 26",
        says="its limit",
        implements="theory.gated_linear.limit",
        value=partial(limit, "exclusive"),
        estimate=partial(by_fit, "exclusive"),
        printed=partial(gated.printed_path, "exclusive"),
        right=EXCLUSIVE_LIMIT,
        printed_equation=PRINTED_EXCLUSIVE_LIMIT,
        note=f"K A11^+ b1; the printed form keeps an exponential, here at t = {gated.T:g}",
    ),
    "000-eq29": corrected(
        place="equations 27 to 30",
        says="two units with the same gate: the flow of each, and of their sum",
        implements="theory.gated_linear.velocity",
        value=lambda: gl.velocity(gated.REDUNDANT.rows, gated.REDUNDANT.A, gated.REDUNDANT.b)[:, 0].sum(),
        estimate=by_differences_of_sum,
        printed=gated.printed_velocity_of_sum,
        right=r"\frac{K\tau}{2}\frac{d}{dt}(w_1 + w_2) = b_1 - \frac{1}{K} A_{11}(w_1 + w_2)",
        printed_equation=r"\frac{K\tau}{2}\frac{d}{dt}(w_1 + w_2) = b_1 - A_{11}(w_1 + w_2)",
        note=FACTOR + "; and no other unit enters only if K = 2, or if the other gates are shut where these two are open",
    ),
    "000-eq31": corrected(
        place="equation 31",
        says="two units with the same gate: the first",
        implements="theory.gated_linear.solve_redundant",
        value=partial(redundant, 0),
        estimate=partial(by_ode, "redundant", 0),
        printed=lambda: gated.printed_redundant()[0],
        right=r"w_1(t) = \frac{s(t)}{2} + \frac{w_1(0) - w_2(0)}{2},\quad " + SUM,
        printed_equation=r"w_1(t) = \frac{1}{2} A_{11}^{-1}\left(P e^{-\frac{t}{K\tau}\Lambda + C}\mathbf{1} + b_1\right)",
        note="half the difference must be added, and the exponent doubled",
    ),
    "000-eq32": corrected(
        place="equation 32",
        says="two units with the same gate: the second",
        implements="theory.gated_linear.solve_redundant",
        value=partial(redundant, 1),
        estimate=partial(by_ode, "redundant", 3),
        printed=lambda: gated.printed_redundant()[1],
        right=r"w_2(t) = \frac{s(t)}{2} - \frac{w_1(0) - w_2(0)}{2},\quad " + SUM,
        printed_equation=r"w_2(t) = \frac{1}{2} A_{11}^{-1}\left(P e^{-\frac{t}{K\tau}\Lambda + C}\mathbf{1} + b_1\right)"
        r" - (w_1(0) - w_2(0))",
        note="half the difference, not all of it, must be taken off",
    ),
}
