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
        says="single pulses are a translation-invariant data set on corners of the cube {0, 1}^n",
        implements="data.SinglePulse",
        value=lambda: SinglePulse(8, (2, 4)).covariance()[0, 1],
        estimate=pulses,
        number="covariance of neighbouring sites on a ring of 8, widths 2 to 4",
        note="incomplete: never defined there. Here: a run of ones, its place uniform on a ring, its width uniform "
        "between two bounds",
    ),
    "000-eq2": corrected(
        place="equation 2",
        says="a gate is open where <w, x> >= 0, its edge included",
        implements="gates.HalfSpace",
        value=lambda: np.mean(np.asarray(HalfSpace(np.ones(4))(CORNERS)) * CORNERS[:, 0] * CORNERS[:, 1]),
        estimate=lambda: Estimate(0.0, 1e-12, "half of the covariance, by x -> -x"),
        printed=lambda: np.mean((CORNERS.sum(-1) >= 0) * CORNERS[:, 0] * CORNERS[:, 1]),
        number="E[g x_1 x_2] behind the gate of w = (1, 1, 1, 1), on the corners of the cube {-1, 1}^4",
        right=r"g(x) = \mathbb{1}(\langle w, x\rangle > 0) + \frac{1}{2}\mathbb{1}(\langle w, x\rangle = 0)",
        printed_equation=r"g(x) = \mathbb{1}(\langle w, x\rangle \geq 0)",
        note="on its edge a gate must count one half, or the symmetry under x -> -x is lost",
    ),
    "000-eq5": corrected(
        place="equations 5 and 8",
        says="gradient flow of a gated linear network",
        implements="theory.gated_linear.velocity",
        value=velocity,
        estimate=by_differences,
        printed=gated.printed_velocity,
        number="velocity of the first weight; two units on three inputs, crossing gates",
        right=FLOW,
        printed_equation=PRINTED_FLOW,
        note=FACTOR,
    ),
    "000-eq6": holds(
        place="equations 6 and 7",
        says="the moments A and b of a gated linear network are averages over gates, inputs and labels",
        implements="theory.gated_linear.statistics",
        value=behind_random_gates,
        estimate=lambda: Estimate(gated.random_gates()[0, 0], 2e-3, "all inputs, with all ways in which the gates can fall"),
        number="first diagonal entry of A; four inputs, two gates that open at random",
        right=r"A_{jk} = \mathbb{E}\left[\mathbb{E}[g_j g_k|x]\,x x^\top\right],\quad "
        r"A_{kk} = \mathbb{E}\left[\mathbb{E}[g_k|x]\,x x^\top\right]",
        note="with gates that are random given the input. Taken as open by its mean, a gate would count as its square "
        "with itself and give 0.147. The allowed error is that of the library's samples",
    ),
    "000-eq11": corrected(
        place="equations 9 to 11",
        says="solution w(t) of the flow of a gated linear network",
        implements="theory.gated_linear.solve",
        value=partial(path, "regular"),
        estimate=partial(by_ode, "regular"),
        printed=gated.printed_path,
        number="first weight at t = 2; two units on three inputs, crossing gates",
        right=PATH,
        printed_equation=PRINTED_PATH,
        note=FACTOR + "; a constant exp(C) could not be negative, and no inverse is needed",
    ),
    "000-singular": holds_if(
        place="equations 9 to 11",
        says="solution w(t) of the flow of a gated linear network whose matrix A is singular",
        implements="theory.gated_linear.solve",
        value=partial(path, "redundant"),
        estimate=partial(by_ode, "redundant"),
        number="first weight at t = 2; two units with the same gate on three inputs",
        right=PATH,
        note="with phi_1 in place of the inverse of A, which does not exist",
    ),
    "000-limit": corrected(
        place="after equation 11",
        says="limit w(inf) of the weights of a gated linear network",
        implements="theory.gated_linear.limit",
        value=partial(limit, "regular"),
        estimate=partial(by_fit, "regular"),
        printed=lambda: np.linalg.solve(gated.REGULAR.A, gated.REGULAR.b)[0],
        number="first weight in the limit; two units on three inputs, crossing gates",
        right=r"w(\infty) = K A^{+} b + (I - A^{+}A)\,w(0)",
        printed_equation=r"w(\infty) = A^{-1} b",
        note="a factor K is missing, A may be singular, and the part of w(0) on which A is zero stays",
    ),
    "000-moving-gates": holds(
        place="section 5, idea 1",
        says="gated linear networks whose gates change in time can still be solved",
        implements="theory.gated_linear.solve_pieces",
        value=two_pieces,
        estimate=lambda: Estimate(gated.integrated("exclusive", before="regular")[0], 1e-9, ODE),
        number="first weight at t = 4; two crossing gates, replaced by opposite ones at t = 2",
        note="exactly for gates that change in steps; by `flow` for others",
    ),
    "000-one-basis": holds_if(
        place="section 5, idea 1",
        says="while gates move, one basis, that of Fourier, keeps the matrix A diagonal",
        implements="theory.gated_linear.solve_pieces",
        value=turning_pair,
        estimate=lambda: Estimate(gated.mode_by_mode(), 1e-9, "a path for each Fourier mode, b by quadrature"),
        number="first weight at the end, behind an opposite pair of gates that turns twice; Gaussian rings of 6 sites",
        right=ONE_BASIS,
        note="for one gate, or exclusive ones, that are half-spaces through 0, on data symmetric about 0 on a ring: "
        "half of each covariance passes whichever way the gate points, so A never changes and only b moves",
    ),
    "000-one-basis-overlapping": refuted(
        place="section 5, idea 1",
        says="while gates that overlap move, one basis keeps the matrix A diagonal",
        implements="theory.gated_linear.statistics",
        value=commutator,
        estimate=lambda: Estimate(gated.commutator(), 1e-9, "quadrature over the angles where both gates are open"),
        printed=lambda: 0.0,
        number="size of the commutator, |A A' - A' A| / |A||A'|, of A before and after one of two gates has turned",
        right=r"A(t)\,A(t') \neq A(t')\,A(t)",
        note="a basis in which both are diagonal would make the commutator zero",
    ),
}
