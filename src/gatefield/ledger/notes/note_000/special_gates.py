"""Note 000, sections 3.4 and 3.5: exclusive gates (equations 19 to 26) and two units with the same gate (27 to 32)."""

from functools import partial

from gatefield.core.estimate import Estimate
from gatefield.ledger.notes.note_000 import corrected
from gatefield.ledger.notes.note_000.flow import FACTOR, by_differences, by_fit, by_ode, limit, path, velocity
from gatefield.ledger.routes import gated
from gatefield.theory import gated_linear as gl

EXCLUSIVE_FLOW = r"K\tau\frac{dw_1}{dt} = b_1 - \frac{1}{K} A_{11} w_1"
PRINTED_EXCLUSIVE_FLOW = r"K\tau\frac{dw_1}{dt} = b_1 - A_{11} w_1"
EXCLUSIVE_PATH = (
    r"w_1(t) = e^{z} w_1(0) + \frac{t}{K\tau}\varphi_1(z)\,b_1,\quad z = -\frac{t}{K^2\tau}A_{11},\quad "
    r"\varphi_1(x) = \frac{e^x - 1}{x}"
)
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
        says="gradient flow of a gated linear network behind exclusive gates",
        implements="theory.gated_linear.velocity",
        value=partial(velocity, "exclusive"),
        estimate=partial(by_differences, "exclusive"),
        printed=partial(gated.printed_velocity, "exclusive"),
        number="velocity of the first weight; two units on three inputs, opposite gates",
        right=EXCLUSIVE_FLOW,
        printed_equation=PRINTED_EXCLUSIVE_FLOW,
        note=FACTOR,
    ),
    "000-eq25": corrected(
        place="equations 21 to 25",
        says="solution w(t) of the flow behind exclusive gates",
        implements="theory.gated_linear.solve",
        value=partial(path, "exclusive"),
        estimate=partial(by_ode, "exclusive"),
        printed=partial(gated.printed_path, "exclusive"),
        number="first weight at t = 2; two units on three inputs, opposite gates",
        right=EXCLUSIVE_PATH,
        printed_equation=r"w_1(t) = A_{11}^{-1}\left(P e^{-\frac{t}{K\tau}\Lambda + C}\mathbf{1} + b_1\right)",
        note=FACTOR + "; a constant exp(C) could not be negative",
    ),
    "000-eq26": corrected(
        place="equation 26",
        says="limit w(inf) of the weights behind exclusive gates",
        implements="theory.gated_linear.limit",
        value=partial(limit, "exclusive"),
        estimate=partial(by_fit, "exclusive"),
        printed=partial(gated.printed_path, "exclusive"),
        number="first weight in the limit; two units on three inputs, opposite gates",
        right=EXCLUSIVE_LIMIT,
        printed_equation=PRINTED_EXCLUSIVE_LIMIT,
        note=f"the printed form keeps an exponential, here at t = {gated.T:g}, and lacks a factor K",
    ),
    "000-eq29": corrected(
        place="equations 27 to 30",
        says="gradient flow of the sum of two units with the same gate",
        implements="theory.gated_linear.velocity",
        value=lambda: gl.velocity(gated.REDUNDANT.rows, gated.REDUNDANT.A, gated.REDUNDANT.b)[:, 0].sum(),
        estimate=by_differences_of_sum,
        printed=gated.printed_velocity_of_sum,
        number="velocity of the sum of their first weights; three inputs",
        right=r"\frac{K\tau}{2}\frac{d}{dt}(w_1 + w_2) = b_1 - \frac{1}{K} A_{11}(w_1 + w_2)",
        printed_equation=r"\frac{K\tau}{2}\frac{d}{dt}(w_1 + w_2) = b_1 - A_{11}(w_1 + w_2)",
        note=FACTOR + "; and no other unit enters only if K = 2, or if the other gates are shut where these two are open",
    ),
    "000-eq31": corrected(
        place="equation 31",
        says="path w_1(t) of the first of two units with the same gate",
        implements="theory.gated_linear.solve_redundant",
        value=partial(redundant, 0),
        estimate=partial(by_ode, "redundant", 0),
        printed=lambda: gated.printed_redundant()[0],
        number="first weight of the first unit at t = 2; three inputs",
        right=r"w_1(t) = \frac{s(t)}{2} + \frac{w_1(0) - w_2(0)}{2},\quad " + SUM,
        printed_equation=r"w_1(t) = \frac{1}{2} A_{11}^{-1}\left(P e^{-\frac{t}{K\tau}\Lambda + C}\mathbf{1} + b_1\right)",
        note="half the difference of the initial weights must be added, and the exponent doubled",
    ),
    "000-eq32": corrected(
        place="equation 32",
        says="path w_2(t) of the second of two units with the same gate",
        implements="theory.gated_linear.solve_redundant",
        value=partial(redundant, 1),
        estimate=partial(by_ode, "redundant", 3),
        printed=lambda: gated.printed_redundant()[1],
        number="first weight of the second unit at t = 2; three inputs",
        right=r"w_2(t) = \frac{s(t)}{2} - \frac{w_1(0) - w_2(0)}{2},\quad " + SUM,
        printed_equation=r"w_2(t) = \frac{1}{2} A_{11}^{-1}\left(P e^{-\frac{t}{K\tau}\Lambda + C}\mathbf{1} + b_1\right)"
        r" - (w_1(0) - w_2(0))",
        note="half the difference of the initial weights, not all of it, must be taken off",
    ),
}
