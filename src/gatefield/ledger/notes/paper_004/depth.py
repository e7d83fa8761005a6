"""Ledger of what depth does: paper 004, experiments 1, 2 and 8, and its hard dataset."""

import math
from functools import partial

import numpy as np

from gatefield.kernels.normalise import cosine_normalised
from gatefield.kernels.paths import expected_ntk
from gatefield.kernels.tangent import ntk
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.routes import deep_cases as cases
from gatefield.ledger.routes import descent as slow

paper = partial(Entry, source="004")
sheet = partial(Entry, source="sheet")

ENTRIES = (
    paper(
        name="004-hard-pair",
        place="section 1, a hard dataset",
        says="no ReLU network without biases fits (x, 1) and (2x, -1)",
        status="holds",
        implements="kernels.path_kernel",
        value=lambda: cases.unfitted(slow.hard_gates(slow.normals(np.random.default_rng(11), (2, 3, 1)), cases.HARD_X)),
        estimate=lambda: cases.trained_on_pair(own=False),
        note="the least sum of squares is 9/5, with -1/5 at x; the same for GaLU whose gating network has no biases",
    ),
    sheet(
        name="sheet-hard-pair",
        place="kernels, paths and labels",
        says="gates that differ between x and 2x let both be fitted",
        status="holds",
        implements="kernels.path_kernel",
        value=lambda: cases.unfitted(cases.OWN),
        estimate=lambda: cases.trained_on_pair(own=True),
    ),
    paper(
        name="004-depth-hurts",
        place="section 2, why increasing depth beyond a point hurts",
        says="with depth the entries of K deviate from their means, and eigenvalues get smaller",
        status="holds with a condition",
        implements="kernels.cosine_normalised",
        value=lambda: (
            cases.conditions(cosine_normalised(ntk(*cases.random_gates(*cases.DEEP))))
            / cases.conditions(ntk(*cases.random_gates(*cases.DEEP)))
        ),
        estimate=cases.spread_by_derivatives,
        note="it is the diagonal that spreads: with unit diagonal the condition number falls to this share of itself; "
        "random gates, d = 20, w = 40, n = 24",
    ),
    paper(
        name="004-figure3",
        place="section 2, role of depth, figure 3",
        says="the convergence rate gets better with depth",
        status="holds with a condition",
        implements="kernels.ntk",
        value=lambda: cases.random_ratio((20, 25), (8, 25), slowly=False),
        estimate=lambda: Estimate(cases.random_ratio((20, 25), (8, 25), slowly=True), 1e-8, cases.JACOBIAN),
        note="up to an optimum; error after 100 steps at d = 20 over that at d = 8, w = 25, n = 60, 2 runs",
    ),
    paper(
        name="004-figure3-width",
        place="section 2, role of depth, figures 1 and 3",
        says="the text fits networks of width 100, the figure shows 25 and 500",
        status="open",
        implements="kernels.ntk",
        value=lambda: cases.random_ratio((6, 25), (6, 100), slowly=False),
        estimate=lambda: Estimate(cases.random_ratio((6, 25), (6, 100), slowly=True), 1e-8, cases.JACOBIAN),
        note="which one was meant matters: error after 100 steps at w = 25 over that at w = 100, d = 6; the experiment "
        "depth-spectrum runs all three. The text also calls the first plot of figure 1 the middle one",
    ),
    paper(
        name="004-step-size",
        place="section 2, role of depth",
        says="steps of 0.1/rho_max leave 0.9 of the error along the top eigenvector, rho being eigenvalues of E[K]/d",
        status="holds with a condition",
        implements="kernels.ntk",
        value=cases.top_share,
        estimate=lambda: Estimate(cases.top_share(slowly=True), 1e-9, cases.JACOBIAN),
        printed=lambda: cases.top_share(scale=20.0, slowly=True),
        note="rho_max must be that of the sampled K with its factor d; of K/d the step is d times too long, here at d = 20",
    ),
    paper(
        name="004-experiment2-galu",
        place="section 2, experiment 2",
        says="GaLU networks optimise better than ReLU networks",
        status="holds with a condition",
        implements="kernels.ntk",
        value=lambda: cases.plane_ratio((8, True), (8, False), slowly=False),
        estimate=lambda: Estimate(cases.plane_ratio((8, True), (8, False), slowly=True), 1e-8, cases.JACOBIAN),
        note="from d = 4 on; error of GaLU over that of ReLU after 300 steps, d = 8, w = n = 50, 2 runs, normal weights",
    ),
    paper(
        name="004-experiment2-depth",
        place="section 2, experiment 2",
        says="GaLU networks converge better with increasing depth",
        status="holds",
        implements="kernels.ntk",
        value=lambda: cases.plane_ratio((8, True), (2, True), slowly=False),
        estimate=lambda: Estimate(cases.plane_ratio((8, True), (2, True), slowly=True), 1e-8, cases.JACOBIAN),
        note="error at d = 8 over that at d = 2, as before",
    ),
    sheet(
        name="sheet-sign-rank",
        place="kernels, experiment 2 of paper 004",
        says="with weights +-sigma and two inputs the kernel of depth 2 has the rank 6, whatever the width",
        status="holds",
        implements="kernels.ntk",
        value=lambda: cases.rank(ntk(*cases.plane(2, frozen=False, run=0, signs=True))),
        estimate=cases.sign_rank,
        note="there are only four different first-layer units; w = n = 50",
    ),
    paper(
        name="004-experiment8-first",
        place="experiment 8",
        says="a step of 0.1/d leaves 0.81 of the squared error",
        status="holds with a condition",
        implements="kernels.expected_ntk",
        value=lambda: (1 - 0.1 * float(expected_ntk([np.ones((1, 100))], np.ones((1, 1)), 0.1)[0, 0]) / 2) ** 2,
        estimate=cases.first_step,
        printed=lambda: (1 - 0.2 * float(expected_ntk([np.ones((1, 100))], np.ones((1, 1)), 0.1)[0, 0]) / 2) ** 2,
        note="with half the squared error as loss; the loss of section 1, without the half, gives 0.64",
    ),
    paper(
        name="004-experiment8-growth",
        place="experiment 8",
        says="the error falls faster than 0.81 because K grows",
        status="holds",
        implements="kernels.ntk",
        value=lambda: cases.linear_end()[0],
        estimate=lambda: Estimate(
            math.sqrt(2 - cases.linear_end()[1] ** 2), 1e-3, "K^2 - 4 y^2, which small steps conserve at d = 2"
        ),
        note="K/2 at the end, d = 2, w = 100; it begins at 1",
    ),
    paper(
        name="004-experiment8-depths",
        place="experiment 8",
        says="irrespective of the depth the error dynamics is similar",
        status="refuted",
        implements="kernels.ntk",
        value=lambda: cases.growth(10) / cases.growth(2),
        estimate=lambda: Estimate(cases.growth(10, slowly=True) / cases.growth(2, slowly=True), 1e-9, cases.JACOBIAN),
        printed=lambda: 1.0,
        note="only the first step is; K/d grows the faster the deeper, here after ten steps at d = 10 over d = 2, 10 runs",
    ),
)
