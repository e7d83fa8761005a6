"""Note 002, sections 4 and 5: ReLU units as gated linear ones.

Gates (equations 44, 45); network, flow and solution (46 to 56), exclusive gates (57, 58); the same as in note 000.
"""

from functools import partial

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.gates import HalfSpace, half_spaces
from gatefield.ledger.notes.note_000 import flow, special_gates
from gatefield.ledger.notes.note_000.flow import FACTOR, by_differences, by_fit, by_ode, limit, path, velocity
from gatefield.ledger.notes.note_002 import corrected, holds
from gatefield.ledger.notes.note_002.relu_flow import COV1, W
from gatefield.ledger.routes import cube, gated, gaussian
from gatefield.theory import gated_linear as gl
from gatefield.theory import relu

CORNERS, FIELD = cube.corners(4), np.array([1.0, 1.0, 1.0, -1.0])
"""Some corners lie on the edge of this field's gate."""
LATER = W[0] + 0.2 * W[1]


def inputs_and_directions() -> tuple[np.ndarray, np.ndarray]:
    """Forty samples of three inputs, and two gates."""
    rng = np.random.default_rng(4)
    return rng.normal(size=(40, 3)), rng.normal(size=(2, 3))


def loss_by_kronecker() -> float:
    c, (x, directions) = gated.REGULAR, inputs_and_directions()
    product = np.einsum("sk,sn->skn", np.asarray(half_spaces(directions)(x), float), x).reshape(40, 6)
    return float(gl.loss(product.T @ product / 40, product.T @ c.y / 40, c.w0, 2, c.power))


FORMULAS = {
    "002-eq44": holds(
        place="equation 44",
        says="a ReLU unit is a linear unit behind a gate",
        implements="gates.HalfSpace",
        value=lambda: np.mean(np.asarray(HalfSpace(FIELD)(CORNERS)) * (CORNERS @ FIELD)),
        estimate=lambda: Estimate((4 * 1 + 2 * 4 + 0 * 6) / 16, 1e-7, "counting corners by max(<w, x>, 0)"),
        number="mean output of the unit w = (1, 1, 1, -1) on the corners of the cube {-1, 1}^4",
        right=r"\mathrm{ReLU}(\langle w, x\rangle) = g(x)\,\langle w, x\rangle,\; g = \mathbb{1}(\langle w, x\rangle \geq 0)",
        note="where <w, x> = 0 both are zero, whatever the gate",
    ),
    "002-eq45": holds(
        place="equation 45",
        says="how often a gate agrees with itself a little later in training",
        implements="theory.relu.gate_agreement",
        value=lambda: relu.gate_agreement(W[0], LATER, COV1),
        estimate=lambda: Estimate(gaussian.agreement(W[0], LATER, COV1), 1e-8, "bivariate normal distribution function"),
        number="probability that the gates of w and of w moved by a fifth of another field agree; Gaussian data on four sites",
        right=r"\mathbb{P}(g(t, x) = g(t + \delta t, x)) = 1 - \frac{\theta}{\pi}",
        note="the closed form, 1 - theta/pi for each class, is that of Gaussian data",
    ),
    "002-eq53": holds(
        place="equations 46, 47, 49, 50, 52, 53, 59 and 64",
        says="A and b, moments of the Kronecker product of gates and input, give the loss of a gated linear network",
        implements="theory.gated_linear.loss",
        value=loss_by_kronecker,
        estimate=lambda: Estimate(
            gated.unit_by_unit(*inputs_and_directions()), 1e-10, "the output unit by unit, on 40 samples"
        ),
        number="half the mean squared error of given weights; two units, 40 samples of three inputs",
        right=r"A = \mathbb{E}[(\tilde g\otimes x)(\tilde g\otimes x)^\top],\quad b = \mathbb{E}[y\,(\tilde g\otimes x)]",
    ),
    "002-eq48": corrected(
        place="equations 48 and 51",
        says="gradient flow of a gated linear network",
        implements="theory.gated_linear.velocity",
        value=velocity,
        estimate=by_differences,
        printed=gated.printed_velocity,
        number="velocity of the first weight; two units on three inputs, crossing gates",
        right=flow.FLOW,
        printed_equation=flow.PRINTED_FLOW,
        note=FACTOR,
    ),
    "002-eq56": corrected(
        place="equations 54 to 56",
        says="solution w(t) of the flow of a gated linear network",
        implements="theory.gated_linear.solve",
        value=partial(path, "regular"),
        estimate=partial(by_ode, "regular"),
        printed=gated.printed_path,
        number="first weight at t = 2; two units on three inputs, crossing gates",
        right=flow.PATH,
        printed_equation=flow.PRINTED_PATH,
        note=FACTOR,
    ),
    "002-eq57": corrected(
        place="equation 57",
        says="gradient flow of a gated linear network behind exclusive gates",
        implements="theory.gated_linear.velocity",
        value=partial(velocity, "exclusive"),
        estimate=partial(by_differences, "exclusive"),
        printed=partial(gated.printed_velocity, "exclusive"),
        number="velocity of the first weight; two units on three inputs, opposite gates",
        right=special_gates.EXCLUSIVE_FLOW,
        printed_equation=special_gates.PRINTED_EXCLUSIVE_FLOW,
        note=FACTOR,
    ),
    "002-eq58": corrected(
        place="equation 58",
        says="limit w(inf) of the weights behind exclusive gates",
        implements="theory.gated_linear.limit",
        value=partial(limit, "exclusive"),
        estimate=partial(by_fit, "exclusive"),
        printed=partial(gated.printed_path, "exclusive"),
        number="first weight in the limit; two units on three inputs, opposite gates",
        right=special_gates.EXCLUSIVE_LIMIT,
        printed_equation=special_gates.PRINTED_EXCLUSIVE_LIMIT,
        note=f"the printed form keeps an exponential, here at t = {gated.T:g}, and lacks a factor K",
    ),
}
