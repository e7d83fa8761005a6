"""Ledger of the ReLU units on Gaussian data: expectations, flow and loss of a committee. Section 2 of note 002, first half."""

import numpy as np
from scipy.stats import multivariate_normal

from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.routes import relu_cases as cases
from gatefield.ledger.routes import relu_estimates as estimates
from gatefield.ledger.routes.relu_cases import COV0, COV1, COVS, CUBE, OUTWARD, PM1, READOUT, W, descent, quadrature
from gatefield.theory import relu

ENTRIES = (
    Entry(
        name="002-eq5",
        source="002",
        place="equations 4 and 5",
        says="gradient flow of one of K neurons",
        status="corrected",
        implements="theory.relu.velocity",
        value=lambda: float(relu.velocity(W, COV1, COV0)[0] @ OUTWARD),
        estimate=lambda: descent(0),
        printed=lambda: cases.equation_5(0),
        note="the left side must be K tau dw/dt; the number is the velocity along a fixed direction, K = 3",
    ),
    Entry(
        name="002-eq12",
        source="002",
        place="equations 6 and 10 to 12",
        says="mean Gaussian input where a gate is open",
        status="holds",
        implements="theory.relu.gate_mean",
        value=lambda: float(relu.gate_mean(W[0], COV1) @ OUTWARD),
        estimate=lambda: quadrature(estimates.open_mean(W[0], OUTWARD, COV1)),
    ),
    Entry(
        name="002-eq13",
        source="002",
        place="equation 13",
        says="mean of output times input of one unit",
        status="corrected",
        implements="theory.relu.pair_mean",
        value=lambda: float(relu.pair_mean(W[0], W[0], COV1) @ OUTWARD),
        estimate=lambda: quadrature(estimates.plane_mean(lambda a, b: (a > 0) * a * b, W[0], OUTWARD, COV1, 2)),
        printed=lambda: float(OUTWARD @ COV1 @ W[0] / 4),
        note="read literally, the middle expression has the factor P(S > 0) twice; the result, equation 14, is right",
    ),
    Entry(
        name="002-eq14",
        source="002",
        place="equation 14",
        says="for every law symmetric about zero the mean of output times input of one unit is Cw/2",
        status="holds",
        implements="theory.relu.pair_mean",
        value=lambda: float(relu.pair_mean(W[0], W[0], cases.cube_cov(cases.cube_law(0.6))) @ OUTWARD),
        estimate=lambda: Estimate(
            float(cases.cube_law(0.6) @ (np.maximum(CUBE @ W[0], 0) * (CUBE @ OUTWARD))), 1e-12, "enumeration of a cube"
        ),
        note="more general than printed: neither Gaussian data nor a linear regression is needed",
    ),
    Entry(
        name="002-eq18",
        source="002",
        place="equations 16 to 18",
        says="coefficient of the gate's field in the mean of one unit's gate times another unit's output times input",
        status="corrected",
        implements="theory.relu.pair_mean",
        value=lambda: float(np.linalg.lstsq((W[:2] @ COV1).T, relu.pair_mean(W[0], W[1], COV1))[0][0]),
        estimate=lambda: quadrature(estimates.pair_parts(W[0], W[1], COV1)[0]),
        printed=lambda: cases.equation_18(W[0], W[1], COV1),
        note="it is |v| sin(theta)/(2 pi |w|), that of the other field (pi - theta)/(2 pi)",
    ),
    Entry(
        name="002-full-update",
        source="002",
        place="unnumbered, after equation 18",
        says="the full update of one of K neurons",
        status="corrected",
        implements="theory.relu.velocity",
        value=lambda: float(relu.velocity(W, COV1, COV0)[1] @ OUTWARD),
        estimate=lambda: descent(1),
        printed=lambda: 0.5,
        note="the printed line breaks off after 1/2; the library has all of it",
    ),
    Entry(
        name="002-eq20",
        source="002",
        place="equations 19 and 20",
        says="gradient flow of a single neuron, labels (1, 0)",
        status="holds",
        implements="theory.relu.velocity",
        value=lambda: float(relu.velocity(W[:1], COV1, COV0)[0] @ OUTWARD),
        estimate=lambda: descent(0, fields=W[:1]),
        printed=lambda: float(estimates.slope(W[0], COV1, COV0) @ OUTWARD),
    ),
    Entry(
        name="002-eq45",
        source="002",
        place="equation 45",
        says="how often a gate agrees with itself a little later",
        status="holds",
        implements="theory.relu.gate_agreement",
        value=lambda: float(relu.gate_agreement(W[0], W[0] + 0.2 * W[1], COV1)),
        estimate=lambda: _orthants(W[0], W[0] + 0.2 * W[1]),
        note="for Gaussian data the closed form is 1 - theta/pi, averaged over the classes",
    ),
    Entry(
        name="sheet-relu-kernel",
        source="sheet",
        place="ReLU expectations",
        says="mean product of two units",
        status="holds",
        implements="theory.relu.kernel",
        value=lambda: float(relu.kernel(W[0], W[2], COV1)),
        estimate=lambda: quadrature(
            estimates.plane_mean(lambda a, b: estimates.relu(a) * estimates.relu(b), W[0], W[2], COV1, 2)
        ),
    ),
    Entry(
        name="sheet-gate-second-moment",
        source="sheet",
        place="ReLU expectations",
        says="second moment of the input where two gates are open",
        status="holds",
        implements="theory.relu.gate_second_moment",
        value=lambda: float(OUTWARD @ relu.gate_second_moment(W[0], W[1], COV1) @ W[2]),
        estimate=lambda: quadrature(estimates.both_open(W[0], W[1], COV1, OUTWARD, W[2])),
        note="between two fixed directions",
    ),
    Entry(
        name="sheet-relu-flow",
        source="sheet",
        place="ReLU committee",
        says="velocity of one of K neurons, labels (1, -1)",
        status="holds",
        implements="theory.relu.velocity",
        value=lambda: float(relu.velocity(W, COV1, COV0, PM1)[2] @ OUTWARD),
        estimate=lambda: descent(2, PM1),
    ),
    Entry(
        name="sheet-relu-loss",
        source="sheet",
        place="ReLU committee",
        says="loss of K neurons, labels (1, -1)",
        status="holds",
        implements="theory.relu.loss",
        value=lambda: float(relu.loss(W, COV1, COV0, PM1)),
        estimate=cases.sampled_loss,
    ),
    Entry(
        name="sheet-relu-readout",
        source="sheet",
        place="ReLU committee",
        says="velocity with output weights and an output bias",
        status="holds",
        implements="theory.relu.velocity",
        value=lambda: float(relu.velocity(W, COV1, COV0, PM1, readout=READOUT, output_bias=0.3)[1] @ OUTWARD),
        estimate=lambda: descent(1, PM1, readout=READOUT, bias=0.3),
    ),
    Entry(
        name="sheet-relu-readout-loss",
        source="sheet",
        place="ReLU committee",
        says="loss with output weights and an output bias",
        status="holds",
        implements="theory.relu.loss",
        value=lambda: float(relu.loss(W, COV1, COV0, PM1, readout=READOUT, output_bias=0.3)),
        estimate=lambda: quadrature(estimates.loss(W, COVS, PM1, READOUT, 0.3)),
    ),
    Entry(
        name="sheet-single-neuron",
        source="sheet",
        place="single ReLU neuron",
        says="on any two laws symmetric about zero the drift of each class and its covariance give the velocity",
        status="holds",
        implements="theory.neuron.velocity",
        value=cases.cube_velocity,
        estimate=cases.cube_descent,
        note="two laws on a cube of four sites, labels (1, -1)",
    ),
)


def _orthants(w: np.ndarray, v: np.ndarray) -> Estimate:
    """Both gates open or both shut, by the bivariate normal distribution function."""
    pair = np.stack([w, v])
    both = multivariate_normal.cdf(np.zeros(2), cov=pair @ COV1 @ pair.T)  # pyright: ignore[reportArgumentType]
    return Estimate(2 * float(both), 1e-8, "bivariate normal distribution function")
