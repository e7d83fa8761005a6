"""Position and frequency of fields: spreads, entropies and bounds by quadrature and search, and Gabors as sums over images."""

import itertools
from collections.abc import Callable

import numpy as np
from scipy.integrate import quad
from scipy.linalg import eigh_tridiagonal
from scipy.optimize import least_squares, minimize, minimize_scalar


def spread_product(carrier: float) -> float:
    """Product of the spreads of a real Gabor of width 1 on the line, from integrals of the field, its square and its slope."""

    def slope(t: float) -> float:
        return -np.exp(-(t**2) / 2) * (t * np.cos(carrier * t) + carrier * np.sin(carrier * t))

    def square(t: float) -> float:
        return (np.exp(-(t**2) / 2) * np.cos(carrier * t)) ** 2

    parts = [quad(f, -12, 12, limit=200)[0] for f in (square, lambda t: t**2 * square(t), lambda t: slope(t) ** 2)]
    return np.sqrt(parts[1] * parts[2]) / parts[0]


def de_gennes(cells: int) -> float:
    """Least over xi of the lowest eigenvalue of -d^2/dk^2 + (k - xi)^2 on k > 0 with zero slope at 0, by finite differences."""
    h = 8.0 / cells
    k = h * (np.arange(cells) + 0.5)
    kinetic = np.full(cells, 2.0)
    kinetic[0] = 1.0

    def lowest(xi: float) -> float:
        bands = kinetic / h**2 + (k - xi) ** 2, np.full(cells - 1, -1 / h**2)
        return float(np.ravel(eigh_tridiagonal(*bands, eigvals_only=True, select="i", select_range=(0, 0)))[0])

    return float(minimize_scalar(lowest, bounds=(0.6, 0.9), method="bounded", options={"xatol": 1e-7}).fun)  # pyright: ignore


def one_sided_bound() -> float:
    """Half of de Gennes' constant, extrapolated from two grids."""
    coarse, fine = de_gennes(1000), de_gennes(2000)
    return (fine + (fine - coarse) / 3) / 2


def energies(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the energy in each position and in each frequency, for each row."""
    p, q = w**2, np.abs(np.fft.fft(w)) ** 2
    return p / p.sum(1, keepdims=True), q / q.sum(1, keepdims=True)


def entropy_sum(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return -np.sum(p * np.log(p + 1e-300) + q * np.log(q + 1e-300), axis=1)


def support_product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.sum(p > 1e-12, axis=1) * np.sum(q > 1e-12, axis=1)


def rise(values: np.ndarray) -> float:
    """The largest rise above an earlier value."""
    return float(np.max(values - np.minimum.accumulate(values)))


def least_over_signs(score: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> float:
    """Least score of energies in position and frequency over all fields of 8 sites with entries -1, 0 and 1."""
    w = np.array([x for x in itertools.product((-1, 0, 1), repeat=8) if any(x)], float)
    return float(score(*energies(w)).min())


def largest_sum(n: int, alpha: float, starts: int = 4) -> float:
    """Largest alpha |U| + (1 - alpha) |V| over complex fields, by climbing from random starts."""
    turn = np.exp(2j * np.pi * np.arange(n) / n)

    def less(x: np.ndarray) -> float:
        p = np.abs(x[:n] + 1j * x[n:]) ** 2
        q = np.abs(np.fft.fft(x[:n] + 1j * x[n:])) ** 2
        return -alpha * abs(p @ turn) / p.sum() - (1 - alpha) * abs(q @ turn) / q.sum()

    return -float(min(minimize(less, x, tol=1e-9).fun for x in np.random.default_rng(0).normal(size=(starts, 2 * n))))


def carrier_slack(n: int, s: float, f: float) -> float:
    """Half of the difference in lag-one correlation, plus half of that in position, between a bump and a Gabor."""
    turn, fields = np.exp(2j * np.pi * np.arange(n) / n), [by_images(n, 20.0, s, x) for x in (0.0, f)]
    reached = [(abs(w**2 @ turn) + w @ np.roll(w, 1)) / (2 * w @ w) for w in fields]
    return float(reached[0] - reached[1])


def by_images(n: int, mu: float, s: float, f: float, phi: float = 0.0) -> np.ndarray:
    """The ring Gabor as a sum over images, not over frequencies."""
    at_centre = n * np.arange(-60, 61)
    d = np.arange(n) - mu + at_centre[:, None]
    images, centre = (np.exp(-(x**2) / (2 * s**2) + 2j * np.pi * f * x / n).sum(0) for x in (d, at_centre))
    return np.real(np.exp(1j * phi) * images / centre)


def left_over(field: np.ndarray, low: float, high: float, starts: list[tuple[float, float]]) -> float:
    """What the best sum over images leaves over, from several starts (s, f); the centre starts at the peak."""
    n, peak = len(field), float(np.abs(field).argmax())
    lowest, highest = [-n, 0.15, low - 1e-9, -9, -9], [2 * n, 2 * n, high, 9, 9]

    def difference(x: np.ndarray) -> np.ndarray:
        mu, s, f, even, odd = x
        return even * by_images(n, mu, s, f) + odd * by_images(n, mu, s, f, np.pi / 2) - field

    return 2 * min(least_squares(difference, [peak + 0.1, s, f, 1.0, 0.1], bounds=(lowest, highest)).cost for s, f in starts)


def best_gabor(field: np.ndarray) -> float:
    """R2 of the best Gabor with a fast carrier, on 24 sites."""
    starts = [(s, f) for s in (1.5, 4.0) for f in (8.0, 10.0, 11.5)]
    return 1 - left_over(field / np.linalg.norm(field), 0.5, 12.0, starts)


def bic_gain(field: np.ndarray) -> float:
    """BIC of the plain bump less that of the Gabor, on 16 sites."""
    bump = left_over(field, 0.0, 1e-9, [(1.5, 0.0)])
    wave = left_over(field, 0.5, 8.0, [(1.5, 0.6), (1.8, 1.5), (4.0, 1.0)])
    return 16 * np.log(bump / wave) - 2 * np.log(16)
