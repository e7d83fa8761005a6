"""Gated linear networks: the loss along the exact path, how fast it falls at first, the best half-space, half times."""

from functools import partial

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.data import Gaussian, Task
from gatefield.gates import fourier_mode, half_spaces
from gatefield.ledger.notes import unprinted
from gatefield.ledger.notes.note_000.flow import ODE
from gatefield.ledger.routes import gated, rings
from gatefield.theory import gated_linear as gl

holds = partial(unprinted.holds, place="gated linear networks")


def task() -> Task:
    return Task(Gaussian(40, 2.0), Gaussian(40, 1.0))


def half_time_by_mode() -> Estimate:
    rate = (rings.spectrum(40, 2.0)[0] + rings.spectrum(40, 1.0)[0]) / 4
    return Estimate(np.log(2) * 4 / (2 * rate), 1e-9, "one mode alone: ln 2 K^2 / (2 l)")


FORMULAS = {
    "sheet-gated-loss": holds(
        says="loss of a gated linear network along its exact path",
        implements="theory.gated_linear.loss_path",
        value=lambda: gl.loss_path(gated.REGULAR.A, gated.REGULAR.b, gated.REGULAR.w0, gated.T, 2, gated.REGULAR.power),
        estimate=lambda: Estimate(gated.half_loss(gated.REGULAR, gated.integrated("regular")), 1e-10, ODE),
        number="half the mean squared error at t = 2; two units on three inputs, crossing gates",
        right=r"L(t) = L_\infty + \frac{1}{2K^2}\sum_i \lambda_i\,(u_i(0) - u_i(\infty))^2\,e^{-2\lambda_i t/(K^2\tau)}",
    ),
    "sheet-initial-rate": holds(
        says="how fast the loss of a gated linear network falls at first, from weights zero",
        implements="theory.gated_linear.initial_rate",
        value=lambda: gl.initial_rate(gated.REGULAR.b, 2),
        estimate=lambda: Estimate(gated.early_fall(), 1e-5, "the sample loss after one small step from weights zero"),
        number="-tau dL/dt at t = 0; two units on three inputs, crossing gates",
        right=r"-\tau\frac{dL}{dt} = \frac{|b|^2}{K^2}",
    ),
    "sheet-best-half-space": holds(
        says="the best half-space gate on Gaussian data is the mode that attracts a ReLU neuron",
        implements="theory.gated_linear.explained",
        value=lambda: gl.explained(*gl.statistics(fourier_mode(40, 0), task())[:2]),
        estimate=lambda: Estimate(
            gated.best_mode(40, 2.0, 1.0) / (2 * np.pi), 1e-10, "the largest l1/(l0 + l1) over all Fourier modes"
        ),
        number="what the flat half-space gate explains; Gaussian rings of 40 sites, xi = (2, 1)",
        right=r"\frac{1}{2\pi}\max_k \frac{\lambda_1}{\lambda_0 + \lambda_1}",
    ),
    "sheet-half-time": holds(
        says="time after which a gated linear network has learned half of what it can",
        implements="theory.gated_linear.half_time",
        value=lambda: gl.half_time(*gl.statistics(half_spaces([np.ones(40), -np.ones(40)]), task())[:2], 2),
        estimate=half_time_by_mode,
        number="half time behind opposite flat gates, K = 2; Gaussian rings of 40 sites, xi = (2, 1)",
        right=r"t_{1/2} = \frac{K^2\ln 2}{2\lambda}\,\tau",
    ),
}
