"""Ledger of gated linear networks: note 000, and equation 4 of note 001."""

from functools import partial

import numpy as np
from scipy.integrate import solve_ivp

from gatefield.data import Gaussian, SinglePulse, Task, ring_spectrum
from gatefield.gates import HalfSpace, delta, half_spaces
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.routes import gated_linear_checks as checks
from gatefield.ledger.routes.gated_linear_checks import T, case
from gatefield.theory import gated_linear as gl

DIFFERENCES = "central differences of the loss of a set of samples"
ODE = "gradient descent on a set of samples, integrated by a Runge-Kutta method"
FIT = "least squares on a set of samples"
FACTOR = "the printed form lacks a factor 1/K before A"


def by_differences(kind: str = "regular") -> Estimate:
    return Estimate(checks.slope(case(kind)), 1e-8, DIFFERENCES)


def by_ode(kind: str, i: int = 0) -> Estimate:
    return Estimate(float(checks.integrated(kind)[i]), 1e-9, ODE)


def by_fit(kind: str) -> Estimate:
    return Estimate(float(checks.fitted(kind)[0]), 1e-9, FIT)


def velocity(kind: str = "regular") -> float:
    c = case(kind)
    return float(gl.velocity(checks.rows(c), c.A, c.b)[0, 0])


def printed_velocity(kind: str = "regular") -> float:
    c = case(kind)
    return float(((c.b - c.A @ c.w0) / c.K)[0])


def velocity_of_sum() -> float:
    """Of w1 + w2, two units with the same gate."""
    c = case("redundant")
    return float(gl.velocity(checks.rows(c), c.A, c.b)[:, 0].sum())


def sum_by_differences() -> Estimate:
    c = case("redundant")
    return Estimate(checks.slope(c, 0) + checks.slope(c, 3), 2e-8, DIFFERENCES)


def printed_velocity_of_sum() -> float:
    """Equation 29."""
    c = case("redundant")
    return float((2 / c.K * (c.b[:3] - c.A[:3, :3] @ (c.w0[:3] + c.w0[3:])))[0])


def pulse_covariance() -> float:
    return float(SinglePulse(8, (2, 4)).covariance()[0, 1])


def pulse_by_enumeration() -> Estimate:
    x = checks.pulses(8, 2, 4)
    return Estimate(float(np.mean(x[:, 0] * x[:, 1]) - x[:, 0].mean() * x[:, 1].mean()), 1e-12, "all 24 pulses")


def path(kind: str) -> float:
    c = case(kind)
    return float(gl.solve(c.A, c.b, c.w0, T, c.K)[0])


def limit(kind: str) -> float:
    c = case(kind)
    return float(gl.limit(c.A, c.b, c.w0, c.K)[0])


def inverse_times_b(kind: str) -> float:
    c = case(kind)
    return float(np.linalg.solve(c.A, c.b)[0])


def redundant(unit: int) -> float:
    c = case("redundant")
    return float(gl.solve_redundant(c.A[:3, :3], c.b[:3], c.w0.reshape(2, 3), T, c.K)[unit, 0])


def twice_limiting_loss() -> float:
    c = case()
    return float(2 * gl.limiting_loss(c.A, c.b, np.mean(c.y**2)))


def means_form() -> float:
    """E[x~|1]' (E[x~x~'|1] + E[x~x~'|0])^+ E[x~|1], which is twice what is explained."""
    c = case()
    return float(2 * gl.explained(c.A, c.b))


def by_residual() -> Estimate:
    return Estimate(checks.residual("regular"), 1e-10, FIT)


def by_means_residual() -> Estimate:
    return Estimate(2 * (0.5 - checks.residual("regular")), 1e-10, FIT)


def tie_moment() -> float:
    """E[g x1 x2] for a flat gate on the corners of a cube, where six of sixteen corners lie on the gate's edge."""
    corners = checks.signs(4)
    return float(np.mean(np.asarray(HalfSpace(np.ones(4))(corners)) * corners[:, 0] * corners[:, 1]))


def printed_tie_moment() -> float:
    corners = checks.signs(4)
    return float(np.mean((corners.sum(-1) >= 0) * corners[:, 0] * corners[:, 1]))


def share(labels: tuple[float, float]) -> float:
    """What a one-site gate explains, as a share of the label power."""
    A, b, power = gl.statistics(delta(40, 0), Task(Gaussian(40, 2.0), Gaussian(40, 1.0), labels=labels))
    return float(gl.explained(A, b) / power)


PAIR = np.array([[-0.281, 0.505] * 3, [-0.505, 0.281] * 3])
"""Two gates that overlap, found by `best_half_spaces`."""


def overlapping_pair() -> float:
    return float(gl.explained(*gl.statistics(half_spaces(PAIR), Task(Gaussian(6, 1.5), Gaussian(6, 0.7)))[:2]))


def overlapping_pair_by_fit() -> Estimate:
    return Estimate(*checks.fitted_pair(PAIR), "least squares on 800,000 samples", standard_errors=4)


def best_tiling_pair() -> float:
    """The best pair of opposite half-spaces: twice the best single one."""
    l1, l0 = ring_spectrum(6, 1.5), ring_spectrum(6, 0.7)
    return float(np.max(l1 / (l0 + l1)) / np.pi)


def two_pieces() -> float:
    """Gates that change from crossing to opposite at time T, at twice that time."""
    first, second = case("regular"), case("exclusive")
    pieces = [(0.0, first.A, first.b), (T, second.A, second.b)]
    return float(gl.solve_pieces(pieces, first.w0, [2 * T], 2)[0, 0])


def two_pieces_by_ode() -> Estimate:
    c, start = case("exclusive"), checks.integrated("regular")
    end = solve_ivp(lambda t, w: (c.b - c.A @ w / c.K) / c.K, (0, T), start, "DOP853", rtol=1e-12, atol=1e-14).y[0, -1]
    return Estimate(float(end), 1e-9, ODE)


first = partial(Entry, source="000")
ENTRIES = (
    first(
        "000-single-pulse",
        place="section 1, after equation 1",
        says="the single pulse is a translation-invariant data set on corners of {0, 1}^n",
        status="holds with a condition",
        implements="data.SinglePulse",
        value=pulse_covariance,
        estimate=pulse_by_enumeration,
        note="incomplete: never defined there. Here: a run of ones, its place uniform on a ring, its width uniform between two "
        "bounds; the number is the covariance of neighbours on 8 sites, widths 2 to 4",
    ),
    first(
        "000-eq2",
        place="equation 2",
        says="the gate is open where <w,x> >= 0",
        status="corrected",
        implements="gates.HalfSpace",
        value=tie_moment,
        estimate=lambda: Estimate(0.0, 1e-12, "half of the covariance, by x -> -x"),
        printed=printed_tie_moment,
        note="E[g x1 x2] on a cube: on an edge a gate must count one half, or symmetry is lost",
    ),
    first(
        "000-eq5",
        place="equations 5 and 8",
        says="the flow of a gated linear network",
        status="corrected",
        implements="theory.gated_linear.velocity",
        value=velocity,
        estimate=by_differences,
        printed=printed_velocity,
        note=FACTOR,
    ),
    first(
        "000-eq11",
        place="equations 9 to 11",
        says="its solution",
        status="corrected",
        implements="theory.gated_linear.solve",
        value=partial(path, "regular"),
        estimate=partial(by_ode, "regular"),
        printed=lambda: float(checks.printed_path("regular")[0]),
        note=FACTOR + "; a constant exp(C) could not be negative, and no inverse is needed",
    ),
    first(
        "000-singular",
        place="equations 9 to 11",
        says="its solution, for singular A",
        status="holds with a condition",
        implements="theory.gated_linear.solve",
        value=partial(path, "redundant"),
        estimate=partial(by_ode, "redundant"),
        note="with phi_1(z) = (exp(z) - 1)/z in place of the inverse of A",
    ),
    first(
        "000-limit",
        place="after equation 11",
        says="w(inf) = A^-1 b",
        status="corrected",
        implements="theory.gated_linear.limit",
        value=partial(limit, "regular"),
        estimate=partial(by_fit, "regular"),
        printed=partial(inverse_times_b, "regular"),
        note="K A^+ b, and the part of w(0) on which A is zero stays",
    ),
    first(
        "000-eq15",
        place="equations 13 to 15",
        says="the limiting loss is E y^2 - b'A^-1 b",
        status="holds with a condition",
        implements="theory.gated_linear.limiting_loss",
        value=twice_limiting_loss,
        estimate=by_residual,
        note="for the mean squared error without one half, and with the pseudo-inverse",
    ),
    first(
        "000-eq16",
        place="equation 16",
        says="the same by class moments, labels (1, 0)",
        status="holds",
        implements="theory.gated_linear.explained",
        value=means_form,
        estimate=by_means_residual,
    ),
    first(
        "000-wlog",
        place="equation 16",
        says="labels (1, 0) are no loss of generality",
        status="refuted",
        implements="theory.gated_linear.statistics",
        value=partial(share, (1.0, -1.0)),
        estimate=lambda: Estimate(checks.site_share((1.0, -1.0)), 1e-9, "plain algebra on the ring"),
        printed=partial(share, (1.0, 0.0)),
        note="share explained by a one-site gate: other labels, another share",
    ),
    first(
        "000-eq18",
        place="equation 18",
        says="what the best gates maximise",
        status="corrected",
        implements="theory.gated_linear.explained",
        value=means_form,
        estimate=by_means_residual,
        printed=checks.printed_products_of_means,
        note="second moments in place of products of means, which have rank two",
    ),
    first(
        "000-tiling",
        place="section 3.3",
        says="the best gates tile the inputs without overlap",
        status="refuted",
        implements="theory.gated_linear.best_half_spaces",
        value=overlapping_pair,
        estimate=overlapping_pair_by_fit,
        printed=best_tiling_pair,
        note="what two overlapping half-space gates explain, against the best pair that tiles; other gates are not excluded",
    ),
    first(
        "000-eq19",
        place="equations 19 and 20",
        says="the flow behind exclusive gates",
        status="corrected",
        implements="theory.gated_linear.velocity",
        value=partial(velocity, "exclusive"),
        estimate=partial(by_differences, "exclusive"),
        printed=partial(printed_velocity, "exclusive"),
        note=FACTOR,
    ),
    first(
        "000-eq25",
        place="equations 21 to 25",
        says="its solution",
        status="corrected",
        implements="theory.gated_linear.solve",
        value=partial(path, "exclusive"),
        estimate=partial(by_ode, "exclusive"),
        printed=lambda: float(checks.printed_path("exclusive")[0]),
        note=FACTOR + "; a constant exp(C) could not be negative",
    ),
    first(
        "000-eq26",
        place="equation 26",
        says="its limit",
        status="corrected",
        implements="theory.gated_linear.limit",
        value=partial(limit, "exclusive"),
        estimate=partial(by_fit, "exclusive"),
        printed=checks.printed_exclusive_limit,
        note=f"K A11^+ b1; the printed form keeps an exponential, here at t = {T:g}",
    ),
    first(
        "000-eq29",
        place="equations 27 to 30",
        says="two units with the same gate: the flow of each, and of their sum",
        status="corrected",
        implements="theory.gated_linear.velocity",
        value=velocity_of_sum,
        estimate=sum_by_differences,
        printed=printed_velocity_of_sum,
        note=FACTOR + "; and no other unit enters only if K = 2, or if the other gates are shut where these two are open",
    ),
    first(
        "000-eq31",
        place="equation 31",
        says="two units with the same gate: the first",
        status="corrected",
        implements="theory.gated_linear.solve_redundant",
        value=partial(redundant, 0),
        estimate=partial(by_ode, "redundant", 0),
        printed=lambda: float(checks.printed_redundant()[0, 0]),
        note="half the difference must be added, and the exponent doubled",
    ),
    first(
        "000-eq32",
        place="equation 32",
        says="two units with the same gate: the second",
        status="corrected",
        implements="theory.gated_linear.solve_redundant",
        value=partial(redundant, 1),
        estimate=partial(by_ode, "redundant", 3),
        printed=lambda: float(checks.printed_redundant()[1, 0]),
        note="half the difference, not all of it, must be taken off",
    ),
    first(
        "000-moving-gates",
        place="section 5, idea 1",
        says="gates that change in time can still be solved",
        status="holds",
        implements="theory.gated_linear.solve_pieces",
        value=two_pieces,
        estimate=two_pieces_by_ode,
        note="exactly for gates that change in steps; by `flow` for others",
    ),
    Entry(
        "001-eq4",
        "001",
        "equation 4",
        "the flow of two units behind the gates of one site",
        "corrected",
        "theory.gated_linear.velocity",
        partial(velocity, "site"),
        partial(by_differences, "site"),
        partial(printed_velocity, "site"),
        FACTOR,
    ),
)
