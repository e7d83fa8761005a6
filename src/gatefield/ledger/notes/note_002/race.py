"""Ledger of gated linear networks: sections 5 and 5.1 of note 002, and what no source prints."""

from functools import partial
from typing import Any

import numpy as np

from gatefield.data import Gaussian, Hypercube, Task, ring_spectrum
from gatefield.gates import HalfSpace, delta, fourier_mode, half_spaces
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.notes.note_000.gated_linear import (
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
from gatefield.ledger.routes import gated_linear_checks as checks
from gatefield.ledger.routes.gated_linear_checks import T, case
from gatefield.theory import gated_linear as gl

SCALES = 1.5, 0.7
"""Length scales of both classes of signs on three sites."""


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


def smallest_eigenvalue() -> float:
    """Of A behind a pair of opposite half-spaces that one site decides."""
    A, _, _ = gl.statistics([delta(3, 0), HalfSpace([-1.0, 0.0, 0.0])], Task(Hypercube(3, SCALES[0]), Hypercube(3, SCALES[1])))
    return float(np.linalg.eigvalsh(A)[0])


def smallest_by_enumeration() -> Estimate:
    """The same for a pair that three sites decide by majority, unit by unit."""
    x, p = checks.signs(3), np.mean([checks.three_signs(xi) for xi in SCALES], axis=0)
    h = x.sum(axis=1, keepdims=True)
    gated = np.concatenate([(h > 0) * x, (h < 0) * x], axis=1)
    A = (gated * p[:, None]).T @ gated
    return Estimate(float(np.linalg.eigvalsh(A)[0]), 1e-9, "all 8 corners of the cube")


def gated_mean() -> float:
    """Mean of g(x) <w, x> over the corners of a cube, some of which lie on the edge of the gate."""
    x, w = checks.signs(4), np.array([1.0, 1.0, 1.0, -1.0])
    return float(np.mean(np.asarray(HalfSpace(w)(x)) * (x @ w)))


def relu_mean() -> Estimate:
    """A sum of four signs is 4 once, 2 four times and 0 six times in sixteen."""
    return Estimate((4 * 1 + 2 * 4 + 0 * 6) / 16, 1e-7, "counting corners by max(<w, x>, 0)")


def inputs_and_directions() -> tuple[Any, Any]:
    """Forty samples of three inputs, and two gates."""
    rng = np.random.default_rng(4)
    return rng.normal(size=(40, 3)), rng.normal(size=(2, 3))


def loss_by_kronecker() -> float:
    c, x, directions = case(), *inputs_and_directions()
    product = np.einsum("sk,sn->skn", np.asarray(half_spaces(directions)(x), float), x).reshape(40, 6)
    return float(gl.loss(product.T @ product / 40, product.T @ c.y / 40, c.w0, 2, np.mean(c.y**2)))


def loss_unit_by_unit() -> Estimate:
    """One half of the mean squared error, from the output as equation 46 has it."""
    c, x, directions = case(), *inputs_and_directions()
    outputs = [sum((v @ one > 0) * (w @ one) for v, w in zip(directions, checks.rows(c), strict=True)) / 2 for one in x]
    return Estimate(float(np.mean((np.array(outputs) - c.y) ** 2) / 2), 1e-10, "the output unit by unit, on 40 samples")


second = partial(Entry, source="002")
ENTRIES = (
    second(
        "002-eq44",
        place="equation 44",
        says="a ReLU unit is a linear unit behind a gate",
        status="holds",
        implements="gates.HalfSpace",
        value=gated_mean,
        estimate=relu_mean,
        note="the mean output on the corners of a cube; where <w, x> = 0 both are zero, whatever the gate",
    ),
    second(
        "002-eq53",
        place="equations 46, 47, 49, 50, 52, 53, 59 and 64",
        says="A and b are moments of g(x) (x) x, the Kronecker product, and give the loss of the network",
        status="holds",
        implements="theory.gated_linear.loss",
        value=loss_by_kronecker,
        estimate=loss_unit_by_unit,
    ),
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
        implements="theory.gated_linear.velocity",
        value=partial(velocity, "exclusive"),
        estimate=partial(by_differences, "exclusive"),
        printed=partial(printed_velocity, "exclusive"),
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
        "002-race-gates",
        place="section 5.1",
        says="the eigenvalues of A tell which gates win",
        status="refuted",
        implements="theory.gated_linear.statistics",
        value=smallest_eigenvalue,
        estimate=smallest_by_enumeration,
        note="the smallest eigenvalue for opposite half-spaces that one site decides, and by enumeration for two that three "
        "sites decide: on data symmetric under x -> -x, A does not depend on such gates at all, and b sets their speed",
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
