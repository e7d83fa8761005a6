"""Gated linear networks on small sets of samples, and the equations of note 000 as printed.

Averages over a set are exact expectations under the law that gives each of its samples the same weight.
"""

import functools
import itertools
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from gatefield.ledger.routes import cube, gaussian, rings
from gatefield.ledger.routes.calculus import derivative

T = 2.0
"""The time at which paths are compared."""


class Case(NamedTuple):
    """Gated inputs (samples, Kn), labels, moments, initial weights and the number of units."""

    gated: np.ndarray
    y: np.ndarray
    A: np.ndarray
    b: np.ndarray
    w0: np.ndarray
    K: int

    @property
    def rows(self) -> np.ndarray:
        """The initial weights, one row for each unit."""
        return self.w0.reshape(self.K, -1)

    @property
    def first(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A_11, b_1 and the initial weights of the first unit."""
        n = len(self.b) // self.K
        return self.A[:n, :n], self.b[:n], self.w0[:n]

    @property
    def power(self) -> float:
        return float(np.mean(self.y**2))


@functools.cache
def case(kind: str = "regular") -> Case:
    """Two units on three inputs, behind crossing ("regular"), opposite ("exclusive") or equal ("redundant") gates.

    "site" has the opposite gates of note 001, open where the first input is positive, and where it is negative.
    """
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(40, 3)), (np.arange(40) % 2).astype(float)
    v, u = rng.normal(size=(2, 3))
    site = np.eye(3)[0]
    one, two = {"regular": (v, u), "exclusive": (v, -v), "redundant": (v, v), "site": (site, -site)}[kind]
    gated = _gated(x, np.stack([one, two]))
    return Case(gated, y, gated.T @ gated / 40, gated.T @ y / 40, rng.normal(size=6), 2)


def _gated(x: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """The inputs behind each gate, side by side."""
    return ((x @ directions.T > 0)[:, :, None] * x[:, None]).reshape(len(x), -1)


REGULAR, REDUNDANT = case("regular"), case("redundant")


def half_loss(c: Case, w: np.ndarray) -> float:
    """One half of the mean squared error over the samples."""
    return 0.5 * float(np.mean((c.gated @ w / c.K - c.y) ** 2))


def slope(kind: str = "regular", i: int = 0) -> float:
    """Minus the derivative of the sample loss by weight i, by central differences."""
    c = case(kind)
    return -derivative(lambda e: half_loss(c, c.w0 + e * np.eye(len(c.w0))[i]), 1e-5, order=2)


@functools.cache
def integrated(kind: str, before: str = "") -> np.ndarray:
    """The weights after time T of gradient descent on the samples; from the start, or from the end of another kind."""
    c, start = case(kind), integrated(before) if before else case(kind).w0
    move = lambda t, w: -c.gated.T @ (c.gated @ w / c.K - c.y) / (c.K * len(c.y))  # noqa: E731
    return solve_ivp(move, (0, T), start, "DOP853", rtol=1e-12, atol=1e-14).y[:, -1]


@functools.cache
def fitted(kind: str) -> np.ndarray:
    """The least-squares fit to the samples that lies nearest to the initial weights."""
    c = case(kind)
    return c.w0 + np.linalg.lstsq(c.gated / c.K, c.y - c.gated @ c.w0 / c.K, rcond=None)[0]


def residual(kind: str = "regular") -> float:
    """The smallest mean squared error that the gates allow."""
    return 2 * half_loss(case(kind), fitted(kind))


def mode_rate(which: int) -> float:
    """How fast the error of one eigenmode of A falls, from the integrated path: -d log|error| / dt."""
    direction = np.linalg.eigh(REGULAR.A)[1][:, which]
    errors = [direction @ (w - fitted("regular")) for w in (REGULAR.w0, integrated("regular"))]
    return float(np.log(errors[0] / errors[1]) / T)


def early_fall(step: float = 1e-6) -> float:
    """How fast the sample loss falls in one small step from weights zero."""
    return float((0.5 * REGULAR.power - half_loss(REGULAR, step * REGULAR.b / REGULAR.K)) / step)


def unit_by_unit(x: np.ndarray, directions: np.ndarray) -> float:
    """The loss of the first case's weights on other inputs and gates, its outputs one by one as equation 46 has them."""
    c = REGULAR
    outputs = [sum((v @ one > 0) * (w @ one) for v, w in zip(directions, c.rows, strict=True)) / c.K for one in x]
    return float(np.mean((np.array(outputs) - c.y) ** 2) / 2)


def smallest_eigenvalue(points: np.ndarray, law: np.ndarray) -> float:
    """Of A behind the two gates that a majority of sites decides, the law given by its points."""
    h = points.sum(axis=1, keepdims=True)
    gated = np.concatenate([(h > 0) * points, (h < 0) * points], axis=1)
    return float(np.linalg.eigvalsh((gated * law[:, None]).T @ gated)[0])


def site_share(labels: tuple[float, float], n: int = 40) -> float:
    """Share of the label power that a one-site gate explains on Gaussian rings of length scales 2 and 1, by plain algebra."""
    S1, S0 = rings.ring(n, 2.0), rings.ring(n, 1.0)
    b = (labels[0] * S1[0] + labels[1] * S0[0]) / 2 / np.sqrt(2 * np.pi)
    return float(b @ np.linalg.solve((S1 + S0) / 4, b) / np.mean(np.square(labels)))


def best_mode(n: int, xi1: float, xi0: float) -> float:
    """The largest l1/(l0 + l1) over all Fourier modes."""
    l1, l0 = rings.spectrum(n, xi1), rings.spectrum(n, xi0)
    return float(np.max(l1 / (l0 + l1)))


def fitted_pair(directions: np.ndarray, groups: int = 8, size: int = 50_000) -> tuple[float, float]:
    """What two gates explain on Gaussian data of length scales 1.5 and 0.7 on 6 sites, labels (1, 0): by least squares.

    The mean over groups of samples, and its standard error.
    """
    rng, found = np.random.default_rng(5), []
    for _ in range(groups):
        parts = [rng.normal(size=(size, 6)) @ np.linalg.cholesky(rings.ring(6, xi)).T for xi in (1.5, 0.7)]
        gated, y = _gated(np.concatenate(parts), directions), np.repeat([1.0, 0.0], size)
        b = gated.T @ y / len(y)
        found.append(b @ np.linalg.solve(gated.T @ gated / len(y), b))
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(groups))


def best_pair(tiling: bool) -> float:
    """What the best two of all gates explain on signs of Gaussian rings of three sites, or the best two that tile.

    Length scales 1.5 and 0.7, labels (1, 0): every pair of functions of the eight corners, each by a singular value
    decomposition.
    """
    x, laws = cube.corners(3), np.array([cube.three_signs(1.5), cube.three_signs(0.7)])
    root, wanted = np.sqrt(laws.mean(0)), laws[0] / 2 / np.sqrt(laws.mean(0))
    every = (np.arange(256)[:, None] >> np.arange(8)) & 1
    best = 0.0
    for i, one in enumerate(every):
        others = 1 - one[None] if tiling else every[i:]
        design = root[:, None] * np.concatenate(
            [np.broadcast_to(one[:, None] * x, (len(others), 8, 3)), others[..., None] * x], -1
        )
        left, sizes, _ = np.linalg.svd(design, full_matrices=False)
        along = np.einsum("sxp,x->sp", left, wanted) * (sizes > 1e-9)
        best = max(best, float((along**2).sum(1).max()))
    return best


DIRECTIONS = np.array([[1.0, 0.5, -0.2, 0.0, 0.3, -1.0], [-0.3, 1.0, 0.8, 0.1, -0.6, 0.2], [0.4, -0.7, 0.1, 1.0, 0.9, -0.1]])
"""Of gates on a ring of 6 sites, one after another."""
START = np.array([0.3, -0.2, 0.1, 0.5, -0.4, 0.2, -0.1, 0.6, 0.2, -0.3, 0.4, 0.1])
"""Weights of two units on that ring."""


def mode_by_mode() -> float:
    """The first weight behind an opposite pair of gates that turns twice, T long in each direction: in one fixed basis.

    Gaussian rings of length scales 1.5 and 0.7. The rate of each Fourier mode never changes; b is by quadrature.
    """
    basis, S1 = rings.basis(6), rings.ring(6, 1.5)
    rates = (rings.variances(6, 1.5) + rings.variances(6, 0.7)) / 4
    u = basis.T @ START[:6]
    for v in DIRECTIONS:
        end = 2 * basis.T @ (gaussian.open_mean(v, S1) / 2) / rates
        u = end + np.exp(-T * rates / 4) * (u - end)
    return float((basis @ u)[0])


def commutator() -> float:
    """Of A behind two overlapping gates on those rings, with A after the second has turned: norm over both norms."""
    covs = [rings.ring(6, xi) for xi in (1.5, 0.7)]
    first, second = (_crossing(DIRECTIONS[0], v, covs) for v in DIRECTIONS[1:])
    apart = first @ second - second @ first
    return float(np.linalg.norm(apart) / np.linalg.norm(first) / np.linalg.norm(second))


def _crossing(w: np.ndarray, v: np.ndarray, covs: list[np.ndarray]) -> np.ndarray:
    """A behind two gates, by quadrature over the wedge in which both are open."""
    alone = np.mean(covs, axis=0) / 2
    both = np.mean([gaussian.Wedge(w, v, np.linalg.cholesky(cov)).second_moment() for cov in covs], axis=0)
    return np.block([[alone, both], [both.T, alone]])


CLOUD = np.array([[1.0, 0.4], [-0.3, 0.9], [0.2, -1.1], [-0.8, -0.5]])
"""Inputs of both classes, the first two of one and the last two of the other."""
TILTS = np.array([[1.0, -0.5], [0.3, 1.0]])
"""Directions of two gates that open with the logistic probability of the field along them."""


def random_gates() -> np.ndarray:
    """The second moment of inputs behind two random gates, each input with each way in which both can fall."""
    A = np.zeros((4, 4))
    for x in CLOUD:
        chances = 1 / (1 + np.exp(-TILTS @ x))
        for way in itertools.product([0.0, 1.0], repeat=2):
            gated = np.outer(way, x).ravel()
            A += np.prod(np.where(way, chances, 1 - chances)) * np.outer(gated, gated) / len(CLOUD)
    return A


def printed_velocity(kind: str = "regular") -> float:
    """Equation 8: no 1/K before A."""
    c = case(kind)
    return float(((c.b - c.A @ c.w0) / c.K)[0])


def printed_velocity_of_sum() -> float:
    """Equation 29 for w1 + w2, K = 2."""
    A, b, _ = REDUNDANT.first
    return float((b - A @ REDUNDANT.rows.sum(0))[0])


def _decay(A: np.ndarray, start: np.ndarray) -> np.ndarray:
    """exp(-A T/K) applied to a vector, by eigenvectors."""
    rates, basis = np.linalg.eigh(A)
    return basis @ (np.exp(-T * rates / 2) * (basis.T @ start))


def printed_path(kind: str = "regular") -> float:
    """Equations 9 to 11 at time T, with the constant that gives the initial weights: no 1/K before A.

    Behind exclusive gates this is equation 25, and equation 26 too: the limit is printed with the exponential left over.
    """
    c = case(kind)
    return float(np.linalg.solve(c.A, _decay(c.A, c.A @ c.w0 - c.b) + c.b)[0])


def printed_redundant() -> np.ndarray:
    """Equations 31 and 32 at time T, with the constant that gives w1 at time 0: the first weight of both units."""
    (A, b, w1), w2 = REDUNDANT.first, REDUNDANT.rows[1]
    first = 0.5 * np.linalg.solve(A, _decay(A, 2 * A @ w1 - b) + b)
    return np.array([first[0], (first - (w1 - w2))[0]])


def printed_products_of_means() -> float:
    """Equation 18: products of class means in place of second moments, whose inverse is a pseudo-inverse."""
    c = REGULAR
    m1, m0 = (c.gated[c.y == label].mean(0) for label in (1.0, 0.0))
    return float(m1 @ np.linalg.pinv(np.outer(m1, m1) + np.outer(m0, m0)) @ m1)
