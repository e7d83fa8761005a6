"""Note 002, section 2, 'A single neuron' and 'Finding u_1': one ReLU neuron mode by mode. Equations 21 to 31."""

import math

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.data import fourier_basis, ring_spectrum
from gatefield.ledger.notes.note_002 import corrected, holds, holds_if, refuted
from gatefield.ledger.routes import calculus, gaussian, rings
from gatefield.ledger.routes.neuron import on_ring, start
from gatefield.theory import relu

LAM1, LAM0 = rings.variances(8, 1.5), rings.variances(8, 0.7)
COVS = rings.ring(8, 1.5), rings.ring(8, 0.7)
FLAT, COS1, SIN1 = rings.basis(8)[:, :3].T
STEPS = "Runge-Kutta steps of equation 20"


def modes(n: int, xi: float) -> np.ndarray:
    """The library's variances on a ring, in the order of `fourier_basis`."""
    return np.asarray(ring_spectrum(n, xi))[(np.arange(n) + 1) // 2]


def path(n: int, xi1: float, xi0: float, time: float) -> np.ndarray:
    """The library's exact path of a neuron from `start`, as a field."""
    basis = np.asarray(fourier_basis(n))
    return basis @ np.asarray(relu.single_path(basis.T @ start(n), modes(n, xi1), modes(n, xi0), time))


def stepped(value: float, error: float = 1e-6) -> Estimate:
    return Estimate(value, error, STEPS)


def power_on_pair() -> float:
    """l1 times the squared amplitudes in the steady state of a neuron that begins as a cosine and a sine."""
    return LAM1[1] * np.sum(on_ring(0.3 * COS1 + 0.1 * SIN1, 1.5, 0.7, 80.0) ** 2)


def slope_of_loss() -> Estimate:
    slope = calculus.derivative(lambda e: gaussian.relu_loss((start(8) + e * COS1)[None], COVS))
    return Estimate(-slope, 1e-9, "central differences of a loss found by quadrature")


FORMULAS = {
    "002-eq21": holds(
        place="equation 21",
        says="gradient flow of a single ReLU neuron on Gaussian data, in the Fourier basis",
        implements="theory.relu.mode_velocity",
        value=lambda: relu.mode_velocity(np.asarray(fourier_basis(8)).T @ start(8), LAM1, LAM0)[1],
        estimate=slope_of_loss,
        number="velocity of the first cosine; ring of 8 sites, xi = (1.5, 0.7)",
        right=r"\tau\dot u = -\frac{1}{4}\left(\Lambda_0 + \Lambda_1 - \sqrt{\frac{2/\pi}{u^\top\Lambda_1 u}}\Lambda_1\right)u",
    ),
    "002-no-solution": holds_if(
        place="section 'Finding u_1'",
        says="the flow of a single ReLU neuron on Gaussian data cannot be solved exactly",
        implements="theory.relu.single_path",
        value=lambda: path(40, 2.0, 1.0, 20.0)[0],
        estimate=lambda: stepped(on_ring(start(40), 2.0, 1.0, 20.0)[0], 1e-8),
        number="first weight at t = 20; ring of 40 sites, xi = (2, 1)",
        note="it has no closed form, but reduces exactly to one equation for one number",
    ),
    "002-eq24": holds(
        place="equations 22 to 24",
        says="condition for a steady state of a single ReLU neuron on one Fourier mode",
        implements="theory.relu.steady_amplitude",
        value=lambda: math.sqrt(2 / math.pi / LAM1[1]) / relu.steady_amplitude(LAM1[1], LAM0[1]),
        estimate=lambda: stepped(math.sqrt(2 / math.pi / power_on_pair())),
        printed=lambda: LAM0[1] / LAM1[1] + 1,
        number="sqrt(2/pi) over the norm of u; frequency 1, ring of 8 sites, xi = (1.5, 0.7)",
        right=r"\frac{\lambda_0}{\lambda_1} + 1 = \sqrt{\frac{2}{\pi}}\frac{1}{\|u\|_{\Lambda_1}}",
    ),
    "002-eq25": corrected(
        place="equation 25",
        says="amplitude of the steady state of a single ReLU neuron on one Fourier mode",
        implements="theory.relu.steady_amplitude",
        value=lambda: relu.steady_amplitude(LAM1[0], LAM0[0]),
        estimate=lambda: stepped(float(np.linalg.norm(on_ring(np.full(8, 0.1), 1.5, 0.7)))),
        printed=lambda: math.sqrt(math.sqrt(2 / math.pi) / (LAM0[0] + LAM1[0])),
        number="amplitude u on the flat mode; ring of 8 sites, xi = (1.5, 0.7)",
        right=r"u = \sqrt{\frac{2}{\pi}}\frac{\sqrt{\lambda_1}}{\lambda_0 + \lambda_1}",
        printed_equation=r"u^2 = \sqrt{\frac{2}{\pi}}\frac{1}{\lambda_0 + \lambda_1}",
        note="equation 24 has the norm of u, not its square",
    ),
    "002-eq29": corrected(
        place="equations 26 to 31",
        says="amplitudes of the steady state of a single ReLU neuron on a cosine and a sine",
        implements="theory.relu.steady_amplitude",
        value=lambda: LAM1[1] * relu.steady_amplitude(LAM1[1], LAM0[1]) ** 2,
        estimate=lambda: stepped(power_on_pair()),
        printed=lambda: math.sqrt(2 / math.pi) / (1 + LAM0[1] / LAM1[1]),
        number="lambda_1 (u_k1^2 + u_k2^2) of frequency 1; ring of 8 sites, xi = (1.5, 0.7)",
        right=r"\lambda_1(u_{k_1}^2 + u_{k_2}^2) = \frac{2}{\pi D^2},\quad D = 1 + \frac{\lambda_0}{\lambda_1}",
        printed_equation=r"\lambda_1(u_{k_1}^2 + u_{k_2}^2) = \sqrt{\frac{2}{\pi}}\frac{1}{D}",
        note="the same slip as in equation 25: a norm where its square belongs",
    ),
    "002-one-or-two-modes": holds_if(
        place="section 'Finding u_1'",
        says="a single ReLU neuron ends with only one or two Fourier modes",
        implements="theory.relu.single_path",
        value=lambda: rings.frequencies(path(40, 0.5, 1.0, 2e4)),
        estimate=lambda: stepped(rings.frequencies(on_ring(start(40), 0.5, 1.0, 2e4)), 1e-3),
        number="number of frequencies in the field at t = 20,000; ring of 40 sites, xi = (0.5, 1)",
        note="in the limit of long times, for one neuron on Gaussian (or elliptical) data on a ring",
    ),
    "002-one-or-two-modes-in-figure-1": refuted(
        place="section 'Finding u_1', at the end of figure 1",
        says="at the end of figure 1 a single ReLU neuron has only one frequency",
        implements="theory.relu.single_path",
        value=lambda: rings.frequencies(path(40, 2.0, 1.0, 20.0)),
        estimate=lambda: stepped(rings.frequencies(on_ring(start(40), 2.0, 1.0, 20.0)), 1e-5),
        printed=lambda: rings.frequencies(COS1 + SIN1),
        number="number of frequencies in the field at t = 20; ring of 40 sites, xi = (2, 1)",
        note="learning rate 0.01 times 2,000 steps is time 20, far from the limit",
    ),
    "002-smallest-inverse-sum": refuted(
        place="section 'Finding u_1'",
        says="a single ReLU neuron ends on the mode of smallest 1/(lambda_0 + lambda_1)",
        implements="theory.relu.winning_mode",
        value=lambda: relu.winning_mode(ring_spectrum(8, 0.5), ring_spectrum(8, 1.0)),
        estimate=lambda: Estimate(rings.frequency(on_ring(start(8), 0.5, 1.0)), 0.0, STEPS),
        printed=lambda: np.argmax(rings.spectrum(8, 0.5) + rings.spectrum(8, 1.0)),
        number="frequency on which it ends; ring of 8 sites, xi = (0.5, 1)",
        right=r"k = \operatorname{argmin} \frac{\lambda_0}{\lambda_1}",
        printed_equation=r"k = \operatorname{argmin} \frac{1}{\lambda_0 + \lambda_1}",
        note="only the ratio of both eigenvalues decides, and its smallest value wins",
    ),
    "002-flat-limit": holds_if(
        place="section 'Finding u_1'",
        says="the field of a single ReLU neuron is flat in the limit, if the positive class has the longer range",
        implements="theory.relu.winning_mode",
        value=lambda: relu.winning_mode(ring_spectrum(8, 2.0), ring_spectrum(8, 1.0)),
        estimate=lambda: Estimate(rings.frequency(on_ring(start(8), 2.0, 1.0)), 0.0, STEPS),
        number="frequency on which it ends; ring of 8 sites, xi = (2, 1)",
        note="the note states it without the condition; 002-flat-limit-short-range has the other case",
    ),
    "002-flat-limit-short-range": refuted(
        place="section 'Finding u_1'",
        says="the field of a single ReLU neuron is flat in the limit, also if the positive class has the shorter range",
        implements="theory.relu.winning_mode",
        value=lambda: relu.winning_mode(ring_spectrum(8, 1.0), ring_spectrum(8, 2.0)),
        estimate=lambda: Estimate(rings.frequency(on_ring(start(8), 1.0, 2.0, 4000.0)), 0.0, STEPS),
        printed=lambda: rings.frequency(FLAT),
        number="frequency on which it ends; ring of 8 sites, xi = (1, 2)",
        note="the highest frequency wins, slowly: on a ring of 40 sites within some 1e4 tau",
    ),
}
