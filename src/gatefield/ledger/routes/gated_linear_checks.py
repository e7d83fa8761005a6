"""Independent routes to what gated linear networks do, and the printed equations as they stand: for the ledger.

All on small sets of samples, whose averages are exact expectations under the law that gives each sample the same weight.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

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
    gates = np.stack([x @ one > 0, x @ two > 0], axis=-1)
    gated = (gates[:, :, None] * x[:, None]).reshape(40, 6)
    return Case(gated, y, gated.T @ gated / 40, gated.T @ y / 40, rng.normal(size=6), 2)


def rows(c: Case) -> Any:
    """The initial weights, one row for each unit."""
    return c.w0.reshape(c.K, -1)


def half_loss(c: Case, w: np.ndarray) -> float:
    """One half of the mean squared error over the samples."""
    return 0.5 * float(np.mean((c.gated @ w / c.K - c.y) ** 2))


def slope(c: Case, i: int = 0) -> float:
    """Minus the derivative of the sample loss by weight i, by central differences."""
    step = 1e-5 * np.eye(len(c.w0))[i]
    return -(half_loss(c, c.w0 + step) - half_loss(c, c.w0 - step)) / 2e-5


@functools.cache
def integrated(kind: str, time: float = T) -> np.ndarray:
    """The weights at a time, by integrating gradient descent on the samples."""
    c = case(kind)
    move = lambda t, w: -c.gated.T @ (c.gated @ w / c.K - c.y) / (c.K * len(c.y))  # noqa: E731
    return solve_ivp(move, (0, time), c.w0, "DOP853", rtol=1e-12, atol=1e-14).y[:, -1]


@functools.cache
def fitted(kind: str) -> np.ndarray:
    """The least-squares fit to the samples that lies nearest to the initial weights."""
    c = case(kind)
    return c.w0 + np.linalg.lstsq(c.gated / c.K, c.y - c.gated @ c.w0 / c.K, rcond=None)[0]


def residual(kind: str) -> float:
    """The smallest mean squared error that the gates allow."""
    c = case(kind)
    return 2 * half_loss(c, fitted(kind))


def printed_path(kind: str, time: float = T) -> np.ndarray:
    """Equations 9 to 11 of note 000 with the constant that gives the initial weights: no 1/K before A."""
    c = case(kind)
    rates, basis = np.linalg.eigh(c.A)
    pull, start = basis.T @ c.b, basis.T @ c.w0
    return basis @ ((np.exp(-time * rates / c.K) * (rates * start - pull) + pull) / rates)


def printed_exclusive_limit() -> float:
    """Equation 26 of note 000 at time T: the exponential is left over."""
    c = case("exclusive")
    A, b, w = c.A[:3, :3], c.b[:3], c.w0[:3]
    rates, basis = np.linalg.eigh(A)
    left = basis @ (np.exp(-T * rates / c.K) * (basis.T @ (A @ w - b)))
    return float(np.linalg.solve(A, left + b)[0])


def printed_redundant() -> np.ndarray:
    """Equations 31 and 32 of note 000 at time T, with the constant that gives w1 at time 0: both units."""
    c = case("redundant")
    A, b, w1, w2 = c.A[:3, :3], c.b[:3], c.w0[:3], c.w0[3:]
    rates, basis = np.linalg.eigh(A)
    first = 0.5 * np.linalg.solve(A, basis @ (np.exp(-T * rates / c.K) * (basis.T @ (2 * A @ w1 - b))) + b)
    return np.stack([first, first - (w1 - w2)])


def printed_products_of_means() -> float:
    """Equation 18 of note 000: products of class means in place of second moments, whose inverse is a pseudo-inverse."""
    c = case("regular")
    m1, m0 = (c.gated[c.y == label].mean(0) for label in (1.0, 0.0))
    return float(m1 @ np.linalg.pinv(np.outer(m1, m1) + np.outer(m0, m0)) @ m1)


def mode_rate(which: int) -> float:
    """How fast the error of one eigenmode of A falls, from the integrated path: -d log|error| / dt."""
    c = case("regular")
    direction = np.linalg.eigh(c.A)[1][:, which]
    errors = [direction @ (w - fitted("regular")) for w in (c.w0, integrated("regular"))]
    return float(np.log(errors[0] / errors[1]) / T)


def site_share(labels: tuple[float, float], n: int = 40) -> float:
    """Share of the label power that a one-site gate explains on Gaussian data of length scales 2 and 1, by plain algebra."""
    away = np.minimum(np.arange(n), n - np.arange(n))
    rows = [np.exp(-((away / xi) ** 2)) for xi in (2.0, 1.0)]
    S1, S0 = (row[np.abs(np.subtract.outer(np.arange(n), np.arange(n)))] for row in rows)
    b = (labels[0] * rows[0] + labels[1] * rows[1]) / 2 / np.sqrt(2 * np.pi)
    return float(b @ np.linalg.solve((S1 + S0) / 4, b) / np.mean(np.square(labels)))


def fitted_pair(directions: np.ndarray, groups: int = 8, size: int = 50_000) -> tuple[float, float]:
    """What two gates explain on Gaussian data of length scales 1.5 and 0.7 on 6 sites, labels (1, 0): by least squares.

    The mean over groups of samples, and its standard error.
    """
    rng, away = np.random.default_rng(5), np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    found = []
    for _ in range(groups):
        parts = []
        for xi in (1.5, 0.7):
            lags = np.arange(6)[:, None] + 6 * np.arange(-9, 10)
            row = np.exp(-((lags / xi) ** 2)).sum(1)
            parts.append(rng.normal(size=(size, 6)) @ np.linalg.cholesky(row[away] / row[0]).T)
        x, y = np.concatenate(parts), np.repeat([1.0, 0.0], size)
        gated = ((x @ directions.T > 0)[:, :, None] * x[:, None]).reshape(len(x), -1)
        b = gated.T @ y / len(x)
        found.append(b @ np.linalg.solve(gated.T @ gated / len(x), b))
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(groups))


def signs(n: int) -> Any:
    """All corners of a cube."""
    return np.array(np.meshgrid(*[[-1.0, 1.0]] * n)).reshape(n, -1).T


def three_signs(xi: float) -> np.ndarray:
    """Probabilities of the signs of a Gaussian field on a ring of three sites: (1 + sum of s_i s_j c_ij) / 8."""
    row = np.exp(-(((np.arange(2)[:, None] + 3 * np.arange(-20, 21)) / xi) ** 2)).sum(1)
    c = 2 / np.pi * np.arcsin(row[1] / row[0])
    x = signs(3)
    return (1 + c * (x[:, 0] * x[:, 1] + x[:, 1] * x[:, 2] + x[:, 2] * x[:, 0])) / 8


def pulses(n: int, low: int, high: int) -> np.ndarray:
    """All single pulses of ones on a ring of n sites, each equally likely."""
    return np.array([np.roll([1.0] * width + [0.0] * (n - width), s) for width in range(low, high + 1) for s in range(n)])
