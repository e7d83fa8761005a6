"""Ledger of gated linear networks: sections 5 and 5.1 of note 002, and what no source prints."""

from functools import partial

import numpy as np

from gatefield.data import Gaussian, Task, ring_spectrum
from gatefield.gates import fourier_mode, half_spaces
from gatefield.theory import _gated_linear_checks as checks
from gatefield.theory import gated_linear as gl
from gatefield.theory._entry import Entry, Estimate
from gatefield.theory._gated_linear_checks import T, case
from gatefield.theory._ledger_gated_linear import (
    FACTOR,
    ODE,
    by_differences,
    by_fit,
    by_means_residual,
    by_ode,
    by_residual,
    limit,
    means_form,
    path,
    printed_velocity,
    twice_limiting_loss,
    velocity,
)


def rate_ratio() -> float:
    """Decay rate of the mode of smallest eigenvalue over that of the largest."""
    rates = np.linalg.eigvalsh(case().A)
    return float(rates[0] / rates[-1])


def measured_rate_ratio() -> Estimate:
    return Estimate(checks.mode_rate(0) / checks.mode_rate(-1), 1e-7, ODE)


def loss_on_the_way() -> float:
    c = case()
    return float(gl.loss_path(c.A, c.b, c.w0, T, c.K, np.mean(c.y**2)))


def loss_by_ode() -> Estimate:
    return Estimate(checks.half_loss(case(), checks.integrated("regular")), 1e-10, ODE)


def early_fall() -> Estimate:
    c = case()
    step = 1e-6
    fall = 0.5 * np.mean(c.y**2) - checks.half_loss(c, step * c.b / c.K)
    return Estimate(float(fall / step), 1e-5, "the sample loss after one small step from weights zero")


def flat_gate() -> float:
    A, b, _ = gl.statistics(fourier_mode(40, 0), Task(Gaussian(40, 2.0), Gaussian(40, 1.0)))
    return float(gl.explained(A, b))


def flat_by_spectrum() -> Estimate:
    l1, l0 = ring_spectrum(40, 2.0), ring_spectrum(40, 1.0)
    return Estimate(float(np.max(l1 / (l0 + l1)) / (2 * np.pi)), 1e-10, "the largest l1/(l0 + l1) over all Fourier modes")


def half_time_of_flat_pair() -> float:
    v = np.ones(40)
    A, b, _ = gl.statistics(half_spaces([v, -v]), Task(Gaussian(40, 2.0), Gaussian(40, 1.0)))
    return float(gl.half_time(A, b, 2))


def half_time_by_mode() -> Estimate:
    rate = (ring_spectrum(40, 2.0)[0] + ring_spectrum(40, 1.0)[0]) / 4
    return Estimate(float(np.log(2) * 4 / (2 * rate)), 1e-9, "one mode alone: ln 2 K^2 / (2 l)")


second = partial(Entry, source="002")
ENTRIES = (
    second(
        "002-eq48",
        place="equations 48 and 51",
        says="the flow of a gated linear network",
        status="corrected",
        implements="theory.gated_linear.velocity",
        value=velocity,
        estimate=by_differences,
        printed=printed_velocity,
        note=FACTOR,
    ),
    second(
        "002-eq56",
        place="equations 54 to 56",
        says="its solution",
        status="corrected",
        implements="theory.gated_linear.solve",
        value=partial(path, "regular"),
        estimate=partial(by_ode, "regular"),
        printed=lambda: float(checks.printed_path("regular")[0]),
        note=FACTOR,
    ),
    second(
        "002-eq57",
        place="equation 57",
        says="the flow behind exclusive gates",
        status="corrected",
        implements="theory.gated_linear.solve",
        value=partial(path, "exclusive"),
        estimate=partial(by_ode, "exclusive"),
        printed=lambda: float(checks.printed_path("exclusive")[0]),
        note=FACTOR,
    ),
    second(
        "002-eq58",
        place="equation 58",
        says="its limit",
        status="corrected",
        implements="theory.gated_linear.limit",
        value=partial(limit, "exclusive"),
        estimate=partial(by_fit, "exclusive"),
        printed=checks.printed_exclusive_limit,
        note=f"the printed form keeps an exponential, here at t = {T:g}",
    ),
    second(
        "002-race",
        place="section 5.1",
        says="the gates of smallest eigenvalues win the race",
        status="refuted",
        implements="theory.gated_linear.loss_path",
        value=rate_ratio,
        estimate=measured_rate_ratio,
        note="decay rate of the mode of smallest eigenvalue over that of the largest: large eigenvalues are fast",
    ),
    second(
        "002-eq63",
        place="equations 60 to 63",
        says="the limiting loss",
        status="holds with a condition",
        implements="theory.gated_linear.limiting_loss",
        value=twice_limiting_loss,
        estimate=by_residual,
        note="labels (1, 0), the error without one half, the pseudo-inverse",
    ),
    second(
        "002-eq65",
        place="equation 65",
        says="what the best gates maximise",
        status="holds",
        implements="theory.gated_linear.explained",
        value=means_form,
        estimate=by_means_residual,
    ),
    Entry(
        "sheet-gated-loss",
        "sheet",
        "gated linear networks",
        "the loss along the exact path",
        "holds",
        "theory.gated_linear.loss_path",
        loss_on_the_way,
        loss_by_ode,
    ),
    Entry(
        "sheet-initial-rate",
        "sheet",
        "gated linear networks",
        "the loss falls at first by |b|^2/K^2",
        "holds",
        "theory.gated_linear.initial_rate",
        lambda: float(gl.initial_rate(case().b, 2)),
        early_fall,
    ),
    Entry(
        "sheet-best-half-space",
        "sheet",
        "gated linear networks",
        "the best half-space gate on Gaussian data is the mode that attracts a ReLU neuron",
        "holds",
        "theory.gated_linear.explained",
        flat_gate,
        flat_by_spectrum,
        note="explains max l1/(l0 + l1) / (2 pi)",
    ),
    Entry(
        "sheet-half-time",
        "sheet",
        "gated linear networks",
        "when half is learned",
        "holds",
        "theory.gated_linear.half_time",
        half_time_of_flat_pair,
        half_time_by_mode,
    ),
)
