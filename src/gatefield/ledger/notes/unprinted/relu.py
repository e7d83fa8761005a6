"""ReLU units: expectations and the committee on Gaussian data; a single neuron on any symmetric law, its steady states."""

import math
from functools import partial

import numpy as np
from scipy import optimize
from scipy.linalg import eigh

from gatefield.core.estimate import Estimate
from gatefield.data import Finite, Task
from gatefield.ledger.formula import Formula, sampled
from gatefield.ledger.notes.note_002.relu_flow import COV0, COV1, COVS, OUTWARD, PLANE, POINTS, W, descent
from gatefield.ledger.notes.note_002.relu_modes import COS1, FLAT, LAM0, LAM1, modes, stepped
from gatefield.ledger.notes.note_002.relu_modes import COVS as RINGS
from gatefield.ledger.notes.unprinted import holds
from gatefield.ledger.routes import calculus, cube, gaussian, neuron, rings
from gatefield.theory import neuron as one_neuron
from gatefield.theory import relu

READOUT, PM1 = np.array([0.7, -0.4, 1.3]), (1.0, -1.0)
ROOT1 = np.linalg.cholesky(COV1)
LAWS = cube.ring_law(4, 0.6), cube.ring_law(4, -0.2)
SKEWED = LAWS[0] * np.exp(0.3 * POINTS[:, 0]) / np.sum(LAWS[0] * np.exp(0.3 * POINTS[:, 0]))
LINE1, LINE0 = rings.line(5, 2.0), rings.line(5, 1.0)
RING40 = rings.ring(40, 2.0), rings.ring(40, 1.0)
of_neuron, of_committee = (partial(holds, place=place) for place in ("single ReLU neuron", "ReLU committee"))
JACOBIAN = "eigenvalues of the Jacobian of equation 20, by central differences"


def cube_velocity() -> float:
    """The velocity of one neuron for labels (1, -1), from the drifts of two laws on the cube."""
    drift1, drift0 = (lambda w, law=law: cube.opened(np.asarray(w), law, POINTS) for law in LAWS)
    cov1, cov0 = (cube.covariance(law, POINTS) for law in LAWS)
    return float(one_neuron.velocity(W[0], drift1, cov1, cov0, PM1, drift0) @ OUTWARD)


def cube_descent() -> Estimate:
    slope = calculus.derivative(lambda e: cube.loss(W[0] + e * OUTWARD, LAWS, POINTS, PM1))
    return Estimate(-slope, 1e-10, "central differences of a loss found by enumeration")


def lopsided() -> Task:
    """Two laws on the cube, the first without any symmetry."""
    return Task(Finite(POINTS, SKEWED), Finite(POINTS, LAWS[1]))


def best_size() -> Estimate:
    found = optimize.minimize_scalar(
        lambda s: cube.loss(s * W[0], (SKEWED, LAWS[1]), POINTS), bounds=(0.0, 9.0), method="bounded"
    )
    return Estimate(found.fun, 1e-9, "a search over sizes, each loss found by enumeration")


def lopsided_descent() -> Estimate:
    slope = calculus.derivative(lambda e: cube.loss(W[0] + e * OUTWARD, (SKEWED, LAWS[1]), POINTS))
    return Estimate(-slope, 1e-10, "central differences of a loss found by enumeration")


def flat_rate() -> float:
    """How fast a flat addition grows at the steady state on a cosine."""
    w = (neuron.on_ring(0.3 * COS1, 1.5, 0.7, 80.0) @ COS1) * COS1
    return FLAT @ neuron.growth(w, *RINGS) @ FLAT


def at_rest_on_mode(column: int) -> np.ndarray:
    """On a ring of 40 sites, found by steps along that mode."""
    w = rings.basis(40)[:, column]
    return (neuron.on_ring(0.2 * w, 2.0, 1.0, 100.0) @ w) * w


def stability(k: int) -> Formula:
    """How many directions grow at the steady state of frequency k."""
    column = max(2 * k - 1, 0)
    return of_neuron(
        says=f"unstable directions of the steady state of a single ReLU neuron on frequency {k}",
        implements="theory.relu.growth_rates",
        value=lambda: np.sum(relu.growth_rates(column, modes(40, 2.0), modes(40, 1.0)) > 1e-12),
        estimate=lambda: Estimate(neuron.unstable(at_rest_on_mode(column), *RING40), 0.0, JACOBIAN),
        number="how many directions grow there; ring of 40 sites, xi = (2, 1)",
        note="one for each mode of smaller D = 1 + lambda_0/lambda_1",
    )


def line_ratio() -> float:
    """sqrt(2/pi)/|w| in the steady state of a neuron on a line of five sites."""
    w = neuron.follow(neuron.start(5), LINE1, LINE0, 1000.0)
    return math.sqrt(2 / math.pi / (w @ LINE1 @ w))


def fourth_on_line() -> np.ndarray:
    """A steady state on a line of five sites, by the generalised eigenvectors of SciPy."""
    D, vectors = eigh(LINE0, LINE1)
    v = vectors[:, np.argsort(D)[3]]
    return math.sqrt(2 / math.pi) / (1 + np.sort(D)[3]) * v / math.sqrt(v @ LINE1 @ v)


FORMULAS = {
    "sheet-relu-kernel": holds(
        place="ReLU expectations",
        says="mean product of two ReLU units on Gaussian data",
        implements="theory.relu.kernel",
        value=lambda: relu.kernel(W[0], W[2], COV1),
        estimate=lambda: Estimate(gaussian.Wedge(W[0], W[2], ROOT1).kernel(), 1e-10, PLANE),
        number="E[relu(h_1) relu(h_3)]; four sites",
        right=r"\frac{1}{2\pi}|w||v|\left(\sin\theta + (\pi - \theta)\cos\theta\right)",
    ),
    "sheet-gate-second-moment": holds(
        place="ReLU expectations",
        says="second moment of Gaussian inputs where two gates are open",
        implements="theory.relu.gate_second_moment",
        value=lambda: OUTWARD @ relu.gate_second_moment(W[0], W[1], COV1) @ W[2],
        estimate=lambda: Estimate(OUTWARD @ gaussian.Wedge(W[0], W[1], ROOT1).second_moment() @ W[2], 1e-10, PLANE),
        number="the moment between two fixed directions; four sites",
    ),
    "sheet-relu-flow": of_committee(
        says="velocity of one of K ReLU neurons on Gaussian data, labels (1, -1)",
        implements="theory.relu.velocity",
        value=lambda: relu.velocity(W, COV1, COV0, PM1)[2] @ OUTWARD,
        estimate=lambda: descent(2, PM1),
        number="velocity of the third of three fields along a fixed direction; four sites",
    ),
    "sheet-relu-loss": of_committee(
        says="loss of K ReLU neurons on Gaussian data, labels (1, -1)",
        implements="theory.relu.loss",
        value=lambda: relu.loss(W, COV1, COV0, PM1),
        estimate=lambda: sampled(gaussian.sampled_relu_loss(W, COVS, PM1), "400000 samples"),
        number="half the mean squared error; three neurons on four sites",
    ),
    "sheet-relu-readout": of_committee(
        says="velocity of one of K ReLU neurons with output weights and an output bias",
        implements="theory.relu.velocity",
        value=lambda: relu.velocity(W, COV1, COV0, PM1, readout=READOUT, output_bias=0.3)[1] @ OUTWARD,
        estimate=lambda: descent(1, PM1, readout=READOUT, bias=0.3),
        number="velocity of a field along a fixed direction; three neurons on four sites",
    ),
    "sheet-relu-readout-loss": of_committee(
        says="loss of K ReLU neurons with output weights and an output bias",
        implements="theory.relu.loss",
        value=lambda: relu.loss(W, COV1, COV0, PM1, readout=READOUT, output_bias=0.3),
        estimate=lambda: Estimate(gaussian.relu_loss(W, COVS, PM1, READOUT, 0.3), 1e-10, PLANE),
        number="half the mean squared error; three neurons on four sites",
    ),
    "sheet-single-neuron": of_neuron(
        says="velocity of one ReLU neuron on any two laws symmetric about zero, from the drift and covariance of each class",
        implements="theory.neuron.velocity",
        value=cube_velocity,
        estimate=cube_descent,
        number="velocity along a fixed direction; two Ising rings of four sites, labels (1, -1)",
        right=r"\tau\frac{dw}{dt} = \sum_c \frac{1}{2}\left[y_c f_c(w) - \frac{1}{2} C_c w\right]",
    ),
    "sheet-best-size": of_neuron(
        says="loss of one ReLU neuron at the best size of its field, from its sharpness c^2 and rivalry D",
        implements="theory.neuron.contrast",
        value=lambda: one_neuron.contrast(W[0], lopsided()).loss,
        estimate=best_size,
        number="that loss; two laws on a cube of four sites, the first lopsided",
        right=r"\min_s L(sw) = \frac{1}{4} - \frac{c^2}{8D},\quad c^2 = \frac{2(E_1 h_+)^2}{E_1 h_+^2},\quad "
        r"D = 1 + \frac{E_0 h_+^2}{E_1 h_+^2}",
        note="on any two laws; h_+ is the positive part of the neuron's input",
    ),
    "sheet-few-points": of_neuron(
        says="velocity of one ReLU neuron on laws of few points, symmetric or not, as a sum over all inputs",
        implements="theory.neuron.finite_velocity",
        value=lambda: one_neuron.finite_velocity(W[0], lopsided()) @ OUTWARD,
        estimate=lopsided_descent,
        number="velocity along a fixed direction; two laws on a cube of four sites, the first lopsided",
    ),
    "sheet-steady-loss": of_neuron(
        says="loss of the steady state of a single ReLU neuron on one Fourier mode",
        implements="theory.relu.steady_loss",
        value=lambda: relu.steady_loss(LAM1[0], LAM0[0]),
        estimate=lambda: stepped(gaussian.relu_loss(neuron.on_ring(neuron.start(8), 1.5, 0.7)[None], RINGS), error=1e-8),
        number="that loss; ring of 8 sites, xi = (1.5, 0.7)",
    ),
    "sheet-growth-rates": of_neuron(
        says="rate at which another mode grows at the steady state of a single ReLU neuron on one Fourier mode",
        implements="theory.relu.growth_rates",
        value=lambda: relu.growth_rates(1, LAM1, LAM0)[0],
        estimate=lambda: Estimate(flat_rate(), 1e-7, JACOBIAN),
        number="rate of frequency 0 at the steady state of frequency 1; ring of 8 sites, xi = (1.5, 0.7)",
        right=r"-\frac{1}{4}\lambda_{1m}(D_m - D_k),\quad D = 1 + \frac{\lambda_0}{\lambda_1}",
    ),
    **{f"sheet-unstable-{k}": stability(k) for k in (0, 1, 2, 20)},
    "sheet-generalised-modes": of_neuron(
        says="where a single ReLU neuron ends on covariances that are not circulant: at the smallest D",
        implements="theory.relu.generalised_modes",
        value=lambda: relu.generalised_modes(LINE1, LINE0)[0][0],
        estimate=lambda: stepped(line_ratio()),
        number="the smallest D; line of five sites, xi = (2, 1)",
        right=r"\Sigma_0 v = (D - 1)\Sigma_1 v",
        note="these modes do not move independently of each other",
    ),
    "sheet-generalised-stability": of_neuron(
        says="a steady state of a single ReLU neuron on a line has as many unstable directions as there are modes of smaller D",
        implements="theory.relu.generalised_modes",
        value=lambda: np.sum(relu.generalised_modes(LINE1, LINE0)[0] < relu.generalised_modes(LINE1, LINE0)[0][3]),
        estimate=lambda: Estimate(neuron.unstable(fourth_on_line(), LINE1, LINE0), 0.0, JACOBIAN),
        number="number of unstable directions of the fourth mode; line of five sites, xi = (2, 1)",
    ),
}
