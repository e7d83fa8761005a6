"""Paper 004, section 2, what depth does: equation 5, figures 1 and 3, experiments 1 and 2; and experiment 8."""

import math

import numpy as np

from gatefield.kernels import cosine_normalised, expected_ntk, ntk
from gatefield.ledger.formula import Estimate, sampled
from gatefield.ledger.notes.paper_004 import corrected, holds, holds_if, left_open, refuted
from gatefield.ledger.routes import descent, gaussian, paths
from gatefield.measures import cumulative_spectrum

N, DEPTH, MU = 40, 4, 0.5
IDEAL = np.full((N, N), MU ** (DEPTH - 1)) + (1 - MU ** (DEPTH - 1)) * np.eye(N)
ONE = np.ones((1, 1))
JACOBIAN = "products of all derivatives, by backpropagation"
DEEP = descent.random_gates(20, 40, 24)


def one_layer_of_gates() -> descent.Case:
    """Random gates on fewer units than samples, d = 2, inputs 1, weights +-sqrt(2/w)."""
    rng, width = np.random.default_rng(6), 10
    weights = descent.signs(rng, (1, width, 1), math.sqrt(2 / width))
    return weights, [(rng.random((N, width)) < MU).astype(float)], np.ones((N, 1))


def slow_kernel(case: descent.Case) -> np.ndarray:
    rows = descent.derivatives(*case)
    return rows @ rows.T


def random_cases(depth: int, width: int) -> list[descent.Case]:
    """Experiment 1 with 60 samples, two runs."""
    return [descent.random_gates(depth, width, 60, run) for run in range(2)]


def plane_cases(depth: int, *, frozen: bool) -> list[descent.Case]:
    """Experiment 2, two runs; gates of another network (GaLU) or of the network itself (ReLU)."""
    return [descent.plane(depth, frozen=frozen, run=run) for run in range(2)]


def ratio(top: list[descent.Case], bottom: list[descent.Case], steps: int) -> float:
    """Error after so many steps in some cases over that in others, from the library's kernel."""
    return descent.mean_ratio(lambda case, run: descent.errors_by_spectrum(np.asarray(ntk(*case)), run, steps), top, bottom)


def slow_ratio(top: list[descent.Case], bottom: list[descent.Case], steps: int) -> Estimate:
    value = descent.mean_ratio(lambda case, run: descent.errors_by_steps(slow_kernel(case), run, steps), top, bottom)
    return Estimate(value, 1e-8, JACOBIAN)


def spread_by_derivatives() -> Estimate:
    """Condition number with rows of equal length over that with rows as they are."""
    rows = descent.derivatives(*DEEP)
    equal = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return Estimate(descent.condition(equal @ equal.T) / descent.condition(rows @ rows.T), 1e-9, JACOBIAN)


def top_share() -> float:
    """With rho_max of the library's kernel, what a step leaves of an error along the top eigenvector."""
    case = descent.random_gates(20, 25, 40)
    return 1 - 0.1 / np.linalg.eigvalsh(slow_kernel(case))[-1] * np.linalg.eigvalsh(ntk(*case))[-1]


def growth(depth: int) -> float:
    """Mean of K/d after ten steps of experiment 8."""
    return float(
        np.mean([ntk(run[-1], descent.all_open(depth), ONE).item() for run in descent.linear_runs(depth, 10, 10)]) / depth
    )


def slow_growth(depth: int) -> float:
    ends = [run[-1] for run in descent.linear_runs(depth, 10, 10)]
    return float(np.mean([np.sum(descent.derivatives(w, descent.all_open(depth), ONE) ** 2) for w in ends]) / depth)


def mean_kernel(depth: int) -> float:
    """E[K]/d of a linear network at the start, by corollary 8.1: the same for all depths, and so the dynamics as printed."""
    return (100 * 0.1**2) ** (depth - 1)


FORMULAS = {
    "004-eq5-largest": holds(
        place="equation 5",
        says="largest eigenvalue of the mean kernel E[K]/d behind random gates",
        implements="measures.cumulative_spectrum",
        value=lambda: np.diff(cumulative_spectrum(IDEAL))[-1],
        estimate=lambda: Estimate(1 + (N - 1) * MU ** (DEPTH - 1), 1e-10, "the constant vector is an eigenvector"),
        number="largest eigenvalue; n = 40 samples, d = 4, mu = 1/2",
        right=r"\rho_{\max} = 1 + (n - 1)\mu^{d-1}",
    ),
    "004-eq5-smallest": holds(
        place="equation 5",
        says="the other n - 1 eigenvalues of the mean kernel E[K]/d behind random gates",
        implements="measures.cumulative_spectrum",
        value=lambda: cumulative_spectrum(IDEAL)[-2] / (N - 1),
        estimate=lambda: Estimate((np.trace(IDEAL) - IDEAL.sum() / N) / (N - 1), 1e-10, "trace less the largest"),
        number="smallest eigenvalue; n = 40 samples, d = 4, mu = 1/2",
        right=r"\rho_{\min} = 1 - \mu^{d-1}",
    ),
    "004-ecdf": corrected(
        place="section 2, figure 1",
        says="the e.c.d.f. of eigenvalues in figure 1 is a cumulative distribution, which ends at 1",
        implements="measures.cumulative_spectrum",
        value=lambda: cumulative_spectrum(IDEAL)[-1],
        estimate=lambda: Estimate(np.trace(IDEAL), 1e-10, "the trace"),
        printed=lambda: np.mean(np.linalg.eigvalsh(IDEAL) <= np.trace(IDEAL)),  # what a distribution function ends at
        number="its last value; n = 40 samples, d = 4, mu = 1/2",
        right=r"F(k) = \sum_{i \leq k} \rho_i,\quad F(n) = \mathrm{tr}\,K",
        note="what is plotted is the sum of the ascending eigenvalues",
    ),
    "004-ideal-spectrum": holds_if(
        place="section 2, depth phenomena",
        says="a kernel whose entries are close to their means has the spectrum of the mean kernel",
        implements="kernels.ntk",
        value=lambda: cumulative_spectrum(ntk(*one_layer_of_gates()) / 2)[0],
        estimate=lambda: Estimate(
            0.0 if np.linalg.matrix_rank(one_layer_of_gates()[1][0]) < N else np.nan,
            1e-10,
            "K/2 has the rank of the gates, of which there are fewer than samples",
        ),
        printed=lambda: 1 - MU ** (2 - 1),
        number="smallest eigenvalue of K/d behind random gates; d = 2, w = 10, n = 40",
        note="n times the variance off the diagonal must be small",
    ),
    "004-depth-hurts": holds_if(
        place="section 2, why increasing depth beyond a point hurts",
        says="with depth the entries of the kernel deviate from their means, and its eigenvalues get smaller",
        implements="kernels.cosine_normalised",
        value=lambda: descent.condition(np.asarray(cosine_normalised(ntk(*DEEP)))) / descent.condition(np.asarray(ntk(*DEEP))),
        estimate=spread_by_derivatives,
        number="condition number with unit diagonal over that of K as it is; random gates, d = 20, w = 40, n = 24",
        note="it is the diagonal that spreads: with unit diagonal the condition number is far smaller",
    ),
    "004-figure3": holds_if(
        place="section 2, role of depth, figure 3",
        says="behind fixed random gates training converges faster with depth",
        implements="kernels.ntk",
        value=lambda: ratio(random_cases(20, 25), random_cases(8, 25), 100),
        estimate=lambda: slow_ratio(random_cases(20, 25), random_cases(8, 25), 100),
        number="error after 100 steps at d = 20 over that at d = 8; w = 25, n = 60, 2 runs",
        note="up to an optimal depth only",
    ),
    "004-figure3-width": left_open(
        place="section 2, role of depth, figures 1 and 3",
        says="the text on figures 1 and 3 fits networks of width 100, the figures show widths 25 and 500",
        implements="kernels.ntk",
        value=lambda: ratio(random_cases(6, 25), random_cases(6, 100), 100),
        estimate=lambda: slow_ratio(random_cases(6, 25), random_cases(6, 100), 100),
        number="error after 100 steps at w = 25 over that at w = 100; d = 6, n = 60, 2 runs",
        note="which width was meant matters; the experiment depth-spectrum runs all three. The text also calls the "
        "first plot of figure 1 the middle one",
    ),
    "004-step-size": holds_if(
        place="section 2, role of depth",
        says="steps of 0.1/rho_max leave 0.9 of the error along the top eigenvector of the kernel",
        implements="kernels.ntk",
        value=top_share,
        estimate=lambda: Estimate(descent.top_share(slow_kernel(descent.random_gates(20, 25, 40))), 1e-9, JACOBIAN),
        printed=lambda: descent.top_share(slow_kernel(descent.random_gates(20, 25, 40)), scale=20.0),
        number="share of that error which one step leaves; d = 20, w = 25, n = 40",
        right=r"\alpha = \frac{0.1}{\rho_{\max}(K)}",
        printed_equation=r"\alpha = \frac{0.1}{\rho_{\max}(K/d)}",
        note="rho_max must be that of the sampled K with its factor d; with that of K/d the step is d times too long",
    ),
    "004-experiment2-galu": holds_if(
        place="section 2, experiment 2",
        says="GaLU networks optimise better than ReLU networks",
        implements="kernels.ntk",
        value=lambda: ratio(plane_cases(8, frozen=True), plane_cases(8, frozen=False), 300),
        estimate=lambda: slow_ratio(plane_cases(8, frozen=True), plane_cases(8, frozen=False), 300),
        number="error of GaLU over that of ReLU after 300 steps; d = 8, w = n = 50, 2 runs, normal weights",
        note="from d = 4 on",
    ),
    "004-experiment2-depth": holds(
        place="section 2, experiment 2",
        says="GaLU networks converge better with increasing depth",
        implements="kernels.ntk",
        value=lambda: ratio(plane_cases(8, frozen=True), plane_cases(2, frozen=True), 300),
        estimate=lambda: slow_ratio(plane_cases(8, frozen=True), plane_cases(2, frozen=True), 300),
        number="error after 300 steps at d = 8 over that at d = 2; w = n = 50, 2 runs, normal weights",
    ),
    "004-experiment8-first": holds_if(
        place="experiment 8",
        says="in a deep linear network a first step of size 0.1/d leaves 0.81 of the squared error",
        implements="kernels.expected_ntk",
        value=lambda: (1 - 0.1 * expected_ntk([np.ones((1, 100))], ONE, 0.1)[0, 0] / 2) ** 2,
        estimate=lambda: sampled(gaussian.sampled(descent.first_shares()), "200 trainings, d = 2"),
        printed=lambda: (1 - 0.2 * mean_kernel(2)) ** 2,
        number="share of the squared error after the first step; d = 2, w = 100",
        right=r"\frac{e_{t+1}^2}{e_t^2} = 0.81",
        note="with half the squared error as loss; the loss of section 1, without the half, gives 0.64",
    ),
    "004-experiment8-growth": holds(
        place="experiment 8",
        says="in a deep linear network the error falls faster than by 0.81 each step, because K grows",
        implements="kernels.ntk",
        value=lambda: ntk(descent.slow_run()[-1], descent.all_open(2), ONE).item() / 2,
        estimate=lambda: Estimate(
            math.sqrt(2 - paths.output(descent.slow_run()[0], descent.all_open(2), ONE).item() ** 2),
            1e-3,
            "K^2 - 4 y^2, which small steps conserve at d = 2",
        ),
        number="K/2 at the end of training, 1 at its start; d = 2, w = 100",
    ),
    "004-experiment8-depths": refuted(
        place="experiment 8",
        says="the error of deep linear networks falls in a similar way at all depths",
        implements="kernels.ntk",
        value=lambda: growth(10) / growth(2),
        estimate=lambda: Estimate(slow_growth(10) / slow_growth(2), 1e-9, JACOBIAN),
        printed=lambda: mean_kernel(10) / mean_kernel(2),
        number="K/d after ten steps at d = 10 over that at d = 2; w = 100, 10 runs",
        note="only in the first step; K/d grows the faster the deeper the network",
    ),
}
