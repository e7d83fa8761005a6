"""Note 002, section 5.1: which gates win the race, early (5.1.1) and in the limit (5.1.2, equations 59 to 65)."""

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.data import Hypercube, Task
from gatefield.gates import HalfSpace, delta
from gatefield.ledger.notes.note_000 import limiting_loss
from gatefield.ledger.notes.note_000.flow import ODE
from gatefield.ledger.notes.note_002 import holds, holds_if, refuted
from gatefield.ledger.routes import cube, gated
from gatefield.theory import gated_linear as gl

SCALES = 1.5, 0.7
"""Length scales of both classes of signs on three sites."""


def smallest_eigenvalue() -> float:
    """Of A behind a pair of opposite half-spaces that one site decides."""
    A, _, _ = gl.statistics([delta(3, 0), HalfSpace([-1.0, 0.0, 0.0])], Task(Hypercube(3, SCALES[0]), Hypercube(3, SCALES[1])))
    return np.linalg.eigvalsh(A)[0]


def smallest_by_enumeration() -> Estimate:
    law = np.mean([cube.three_signs(xi) for xi in SCALES], axis=0)
    return Estimate(gated.smallest_eigenvalue(cube.corners(3), law), 1e-9, "all 8 corners of the cube")


FORMULAS = {
    "002-race": refuted(
        place="section 5.1",
        says="in a gated linear network the modes of smallest eigenvalue are learned first",
        implements="theory.gated_linear.loss_path",
        value=lambda: np.divide(*np.linalg.eigvalsh(gated.REGULAR.A)[[0, -1]]),
        estimate=lambda: Estimate(gated.mode_rate(0) / gated.mode_rate(-1), 1e-7, ODE),
        number="decay rate of the mode of smallest eigenvalue over that of the largest; two units on three inputs",
        right=r"u_i(t) - u_i(\infty) \propto e^{-\lambda_i t/(K^2\tau)}",
        note="the claim is that gates of small eigenvalues win the race; modes of large eigenvalues are the fast ones",
    ),
    "002-race-gates": refuted(
        place="section 5.1",
        says="the eigenvalues of A tell which gates are learned fastest",
        implements="theory.gated_linear.statistics",
        value=smallest_eigenvalue,
        estimate=smallest_by_enumeration,
        number="smallest eigenvalue of A behind opposite gates that one site decides; estimated behind gates that three "
        "sites decide",
        right=r"A_{kk} = \frac{1}{4}(C_0 + C_1),\quad A_{12} = 0",
        note="on data symmetric under x -> -x, A does not depend on such gates at all, and b sets their speed; signs of "
        "Gaussian rings of three sites",
    ),
    "002-eq63": holds_if(
        place="equations 60 to 63",
        says="limiting loss of a gated linear network, labels (1, 0)",
        implements="theory.gated_linear.limiting_loss",
        value=limiting_loss.twice_limiting_loss,
        estimate=limiting_loss.by_residual,
        number="mean squared error in the limit; two units on three inputs, crossing gates",
        right=limiting_loss.LIMITING_LOSS,
        note="for the error without one half; with the pseudo-inverse where A is singular",
    ),
    "002-eq65": holds(
        place="equation 65",
        says="the quantity that the best gates maximise, by second moments of each class",
        implements="theory.gated_linear.explained",
        value=limiting_loss.means_form,
        estimate=limiting_loss.by_means_residual,
        number="twice the explained part of the label power; two units on three inputs, crossing gates",
        right=limiting_loss.BY_MEANS,
    ),
}
