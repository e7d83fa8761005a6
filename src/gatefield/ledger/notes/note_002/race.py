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
        says="the gates of smallest eigenvalues win the race",
        implements="theory.gated_linear.loss_path",
        value=lambda: np.divide(*np.linalg.eigvalsh(gated.REGULAR.A)[[0, -1]]),
        estimate=lambda: Estimate(gated.mode_rate(0) / gated.mode_rate(-1), 1e-7, ODE),
        note="decay rate of the mode of smallest eigenvalue over that of the largest: large eigenvalues are fast",
    ),
    "002-race-gates": refuted(
        place="section 5.1",
        says="the eigenvalues of A tell which gates win",
        implements="theory.gated_linear.statistics",
        value=smallest_eigenvalue,
        estimate=smallest_by_enumeration,
        note="the smallest eigenvalue for opposite half-spaces that one site decides, and by enumeration for two that three "
        "sites decide: on data symmetric under x -> -x, A does not depend on such gates at all, and b sets their speed",
    ),
    "002-eq63": holds_if(
        place="equations 60 to 63",
        says="the limiting loss",
        implements="theory.gated_linear.limiting_loss",
        value=limiting_loss.twice_limiting_loss,
        estimate=limiting_loss.by_residual,
        right=limiting_loss.LIMITING_LOSS,
        note="labels (1, 0), the error without one half, the pseudo-inverse",
    ),
    "002-eq65": holds(
        place="equation 65",
        says="what the best gates maximise",
        implements="theory.gated_linear.explained",
        value=limiting_loss.means_form,
        estimate=limiting_loss.by_means_residual,
    ),
}
