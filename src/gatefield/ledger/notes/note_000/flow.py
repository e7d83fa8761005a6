"""Note 000, sections 1 to 3.3 and 5: data, gates, the flow of a gated linear network and its solution.

The single pulse (after equation 1); the gate (2); flow (3 to 8), solution (9 to 11) and limit; gates that move (section 5).
"""

from functools import partial

import jax
import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.data import Finite, Gaussian, SinglePulse, Task
from gatefield.gates import Bernoulli, HalfSpace, half_spaces
from gatefield.ledger.notes.note_000 import corrected, holds, holds_if, refuted
from gatefield.ledger.routes import cube, gated, rings
from gatefield.theory import gated_linear as gl

FACTOR = "the printed form lacks a factor 1/K before A"
FLOW = r"K\tau\frac{dw}{dt} = b - \frac{1}{K} A w"
PRINTED_FLOW = r"K\tau\frac{dw}{dt} = b - A w"
PATH = (
    r"w(t) = e^{z} w(0) + \frac{t}{K\tau}\varphi_1(z)\,b,\quad z = -\frac{t}{K^2\tau}A,\quad \varphi_1(x) = \frac{e^x - 1}{x}"
)
PRINTED_PATH = r"w(t) = A^{-1} P e^{-\frac{t}{K\tau}\Lambda + C}\mathbf{1} + A^{-1} b"
ONE_BASIS = (
    r"A_{kk}(t) = \tfrac14(\Sigma_0 + \Sigma_1),\quad "
    r"K\tau\frac{du_k}{dt} = F^\top b_k(t) - \frac{1}{4K}(\Lambda_0 + \Lambda_1)\,u_k"
)
ODE = "gradient descent on a set of samples, integrated by a Runge-Kutta method"
CORNERS = cube.corners(4)
RINGS = Task(Gaussian(6, 1.5), Gaussian(6, 0.7))


def by_differences(kind: str = "regular") -> Estimate:
    return Estimate(gated.slope(kind), 1e-8, "central differences of the loss of a set of samples")


def by_ode(kind: str, i: int = 0) -> Estimate:
    return Estimate(gated.integrated(kind)[i], 1e-9, ODE)


def by_fit(kind: str) -> Estimate:
    return Estimate(gated.fitted(kind)[0], 1e-9, "least squares on a set of samples")


def velocity(kind: str = "regular") -> float:
    return float(gl.velocity(gated.case(kind).rows, gated.case(kind).A, gated.case(kind).b)[0, 0])


def path(kind: str) -> float:
    c = gated.case(kind)
    return float(gl.solve(c.A, c.b, c.w0, gated.T, c.K)[0])


def limit(kind: str) -> float:
    c = gated.case(kind)
    return float(gl.limit(c.A, c.b, c.w0, c.K)[0])


def two_pieces() -> float:
    """Gates that change from crossing to opposite at time T, at twice that time."""
    first, second = gated.case("regular"), gated.case("exclusive")
    return gl.solve_pieces([(0.0, first.A, first.b), (gated.T, second.A, second.b)], first.w0, [2 * gated.T], 2)[0, 0]


def turning_pair() -> float:
    """An opposite pair of gates that turns twice: the first weight at the end."""
    pieces = [(i * gated.T, *gl.statistics(half_spaces([v, -v]), RINGS)[:2]) for i, v in enumerate(gated.DIRECTIONS)]
    return gl.solve_pieces(pieces, gated.START, [len(pieces) * gated.T], 2)[0, 0]


def commutator() -> float:
    """Of A behind two overlapping gates, before and after the second one has turned."""
    u, *others = gated.DIRECTIONS
    first, second = (gl.statistics(half_spaces([u, v]), RINGS).A for v in others)
    return float(np.linalg.norm(first @ second - second @ first) / np.linalg.norm(first) / np.linalg.norm(second))


def behind_random_gates() -> float:
    """How much of a unit's own input passes a gate that is open at random."""
    task = Task(Finite(gated.CLOUD[:2]), Finite(gated.CLOUD[2:]))
    gates = [Bernoulli(HalfSpace(v, width=1.0)) for v in gated.TILTS]
    return float(gl.statistics(gates, task, key=jax.random.key(0), samples=400_000).A[0, 0])


def pulses() -> Estimate:
    x = rings.pulses(8, 2, 4)
    return Estimate(np.mean(x[:, 0] * x[:, 1]) - x[:, 0].mean() * x[:, 1].mean(), 1e-12, "all 24 pulses")


FORMULAS = {
    "000-single-pulse": holds_if(
        place="section 1, after equation 1",
        says="the single pulse is a translation-invariant data set on corners of {0, 1}^n",
        implements="data.SinglePulse",
        value=lambda: SinglePulse(8, (2, 4)).covariance()[0, 1],
        estimate=pulses,
        note="incomplete: never defined there. Here: a run of ones, its place uniform on a ring, its width uniform between two "
        "bounds; the number is the covariance of neighbours on 8 sites, widths 2 to 4",
    ),
    "000-eq2": corrected(
        place="equation 2",
        says="the gate is open where <w,x> >= 0",
        implements="gates.HalfSpace",
        value=lambda: np.mean(np.asarray(HalfSpace(np.ones(4))(CORNERS)) * CORNERS[:, 0] * CORNERS[:, 1]),
        estimate=lambda: Estimate(0.0, 1e-12, "half of the covariance, by x -> -x"),
        printed=lambda: np.mean((CORNERS.sum(-1) >= 0) * CORNERS[:, 0] * CORNERS[:, 1]),
        printed_equation=r"g(x) = \mathbb{1}(\langle w, x\rangle \geq 0)",
        note="E[g x1 x2] on a cube: on an edge a gate must count one half, or symmetry is lost",
    ),
    "000-eq5": corrected(
        place="equations 5 and 8",
        says="the flow of a gated linear network",
        implements="theory.gated_linear.velocity",
        value=velocity,
        estimate=by_differences,
        printed=gated.printed_velocity,
        right=FLOW,
        printed_equation=PRINTED_FLOW,
        note=FACTOR,
    ),
    "000-eq6": holds(
        place="equations 6 and 7",
        says="covariances of gated inputs are averages over gates, inputs and labels",
        implements="theory.gated_linear.statistics",
        value=behind_random_gates,
        estimate=lambda: Estimate(gated.random_gates()[0, 0], 2e-3, "all inputs, with all ways in which the gates can fall"),
        right=r"A_{jk} = \mathbb{E}\left[\mathbb{E}[g_j g_k|x]\,x x^\top\right],\quad "
        r"A_{kk} = \mathbb{E}\left[\mathbb{E}[g_k|x]\,x x^\top\right]",
        note="here gates that are random given the input: taken as open by its mean, the first would count as its square "
        "with itself and give 0.147. The allowed error is that of the library's samples",
    ),
    "000-eq11": corrected(
        place="equations 9 to 11",
        says="its solution",
        implements="theory.gated_linear.solve",
        value=partial(path, "regular"),
        estimate=partial(by_ode, "regular"),
        printed=gated.printed_path,
        right=PATH,
        printed_equation=PRINTED_PATH,
        note=FACTOR + "; a constant exp(C) could not be negative, and no inverse is needed",
    ),
    "000-singular": holds_if(
        place="equations 9 to 11",
        says="its solution, for singular A",
        implements="theory.gated_linear.solve",
        value=partial(path, "redundant"),
        estimate=partial(by_ode, "redundant"),
        right=PATH,
        note="with phi_1(z) = (exp(z) - 1)/z in place of the inverse of A",
    ),
    "000-limit": corrected(
        place="after equation 11",
        says="w(inf) = A^-1 b",
        implements="theory.gated_linear.limit",
        value=partial(limit, "regular"),
        estimate=partial(by_fit, "regular"),
        printed=lambda: np.linalg.solve(gated.REGULAR.A, gated.REGULAR.b)[0],
        right=r"w(\infty) = K A^{+} b + (I - A^{+}A)\,w(0)",
        printed_equation=r"w(\infty) = A^{-1} b",
        note="K A^+ b, and the part of w(0) on which A is zero stays",
    ),
    "000-moving-gates": holds(
        place="section 5, idea 1",
        says="gates that change in time can still be solved",
        implements="theory.gated_linear.solve_pieces",
        value=two_pieces,
        estimate=lambda: Estimate(gated.integrated("exclusive", before="regular")[0], 1e-9, ODE),
        note="exactly for gates that change in steps; by `flow` for others",
    ),
    "000-one-basis": holds_if(
        place="section 5, idea 1",
        says="one basis diagonalises A at all times while gates move: that of Fourier",
        implements="theory.gated_linear.solve_pieces",
        value=turning_pair,
        estimate=lambda: Estimate(gated.mode_by_mode(), 1e-9, "a path for each Fourier mode, b by quadrature"),
        right=ONE_BASIS,
        note="for one gate, or exclusive ones, that are half-spaces through 0, on data symmetric about 0 on a ring: half of "
        "each covariance passes whichever way the gate points, so A never changes and only b moves. The number is a weight "
        "behind an opposite pair of gates that turns twice",
    ),
    "000-one-basis-overlapping": refuted(
        place="section 5, idea 1",
        says="one basis diagonalises A at all times, for gates that overlap too",
        implements="theory.gated_linear.statistics",
        value=commutator,
        estimate=lambda: Estimate(gated.commutator(), 1e-9, "quadrature over the angles where both gates are open"),
        printed=lambda: 0.0,
        note="|A(t)A(t') - A(t')A(t)| / |A(t)||A(t')| before and after one of two gates has turned: any basis that made both "
        "diagonal would make it zero",
    ),
}
