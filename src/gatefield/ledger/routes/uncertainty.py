"""The numbers of the ledger of uncertainty, each by a route of its own."""

import itertools
from collections.abc import Callable

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.linalg import eigh_tridiagonal
from scipy.optimize import least_squares, minimize, minimize_scalar

from gatefield.data import Gaussian, fourier_basis, ring_spectrum
from gatefield.ledger.formula import Estimate
from gatefield.measures.gabor.atom import gabor
from gatefield.measures.localization import entropies
from gatefield.measures.uncertainty import spreads
from gatefield.theory import relu

FINE, WIDE = 100_000, 300.0
"""A ring and a width on it, so fine and long as to be a line to 1e-4."""
TIMES = np.arange(80) / 4
NOISY = gabor(16, 7.2, 1.6) + 0.05 * np.cos(5.0 * np.arange(16) ** 2)


def line_product(carrier: float, one_sided: bool = False) -> float:
    """Product of the spreads of a real Gabor of width 1, by the library."""
    position, frequency = spreads(gabor(FINE, FINE / 2, WIDE, carrier * FINE / (2 * np.pi * WIDE)), one_sided=one_sided)
    return float(2 * np.pi / FINE * position * frequency)


def quadrature_product(carrier: float) -> Estimate:
    """The same from integrals of the field, its square times t^2, and its slope."""

    def slope(t: float) -> float:
        return -np.exp(-(t**2) / 2) * (t * np.cos(carrier * t) + carrier * np.sin(carrier * t))

    def square(t: float) -> float:
        return (np.exp(-(t**2) / 2) * np.cos(carrier * t)) ** 2

    parts: list = [quad(f, -12, 12, limit=200)[0] for f in (square, lambda t: t**2 * square(t), lambda t: slope(t) ** 2)]
    return Estimate(np.sqrt(parts[1] * parts[2]) / parts[0], 5e-4, "quadrature on the line")


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


def one_sided() -> Estimate:
    coarse, fine = de_gennes(1000), de_gennes(2000)
    return Estimate((fine + (fine - coarse) / 3) / 2, 1e-7, "half of the lowest eigenvalue, by finite differences")


def start() -> np.ndarray:
    """A start from which the entropy sum rises on the way."""
    return np.random.default_rng(3).normal(size=16) / 4


def rise(entropy: np.ndarray) -> float:
    return float(np.max(entropy - np.minimum.accumulate(entropy)))


def rise_of_flow() -> float:
    """Largest rise of the entropy sum along the flow of `relu.velocity`, by Runge and Kutta's method."""
    cov1, cov0 = Gaussian(16, 2.0).covariance(), Gaussian(16, 1.0).covariance()
    w, h, path = start()[None], TIMES[1], []
    for _ in TIMES:
        path.append(w[0])
        a = relu.velocity(w, cov1, cov0)
        b = relu.velocity(w + h / 2 * a, cov1, cov0)
        c = relu.velocity(w + h / 2 * b, cov1, cov0)
        w = w + h / 6 * (a + 2 * b + 2 * c + relu.velocity(w + h * c, cov1, cov0))
    return rise(np.add(*entropies(np.stack(path))))


def modes(w: np.ndarray, xi1: float, xi0: float, times: np.ndarray) -> np.ndarray:
    """The flow of one neuron on Gaussian data, solved mode by mode, with one scalar equation for ds/dt = 1/r."""
    n = len(w)
    basis, order = fourier_basis(n), (np.arange(n) + 1) // 2
    one, zero = ring_spectrum(n, xi1)[order], ring_spectrum(n, xi0)[order]

    def modes(t: np.ndarray, s: np.ndarray) -> np.ndarray:
        return (basis.T @ w) * np.exp(-(one + zero) * t / 4 + np.sqrt(2 / np.pi) * one * s / 4)

    path = solve_ivp(
        lambda t, s: [(one @ modes(t, s) ** 2) ** -0.5], times[[0, -1]], [0.0], t_eval=times, rtol=1e-10, atol=1e-12
    )
    return modes(times[:, None], path.y[0][:, None]) @ basis.T


def rise_of_modes() -> Estimate:
    path = modes(start(), 2.0, 1.0, TIMES)
    p, q = path**2, np.abs(np.fft.fft(path)) ** 2
    entropy = entropy_sum(p / p.sum(1, keepdims=True), q / q.sum(1, keepdims=True))
    return Estimate(rise(entropy), 1e-4, "closed form of the flow, mode by mode")


def largest_sum(n: int, alpha: float) -> Estimate:
    """Largest alpha |U| + (1 - alpha) |V| over complex fields, by climbing from random starts."""
    turn = np.exp(2j * np.pi * np.arange(n) / n)

    def less(x: np.ndarray) -> float:
        p = np.abs(x[:n] + 1j * x[n:]) ** 2
        q = np.abs(np.fft.fft(x[:n] + 1j * x[n:])) ** 2
        return -alpha * abs(p @ turn) / p.sum() - (1 - alpha) * abs(q @ turn) / q.sum()

    starts = np.random.default_rng(0).normal(size=(4, 2 * n))
    return Estimate(-float(min(minimize(less, x, tol=1e-9).fun for x in starts)), 1e-6, "climbing over all complex fields")


def carrier_slack(n: int, s: float, f: float) -> Estimate:
    """Half of the difference in lag-one correlation, plus half of that in position, by sums over sites."""
    turn, fields = np.exp(2j * np.pi * np.arange(n) / n), [by_images(n, 20.0, s, x, 0.0) for x in (0.0, f)]
    reached = [(abs(w**2 @ turn) + w @ np.roll(w, 1)) / (2 * w @ w) for w in fields]
    return Estimate(float(reached[0] - reached[1]), 1e-9, "sums over sites of sums over images")


def least_over_signs(score: Callable[[np.ndarray, np.ndarray], np.ndarray], how: str) -> Estimate:
    """Least score of energies in position and frequency over all fields of 8 sites with entries -1, 0 and 1."""
    w = np.array([x for x in itertools.product((-1, 0, 1), repeat=8) if any(x)], float)
    dft = np.exp(-2j * np.pi * np.outer(np.arange(8), np.arange(8)) / 8)
    p, q = w**2, np.abs(w @ dft) ** 2
    return Estimate(float(score(p / p.sum(1, keepdims=True), q / q.sum(1, keepdims=True)).min()), 1e-9, how)


def entropy_sum(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return -np.sum(p * np.log(p + 1e-300) + q * np.log(q + 1e-300), axis=1)


def support_product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.sum(p > 1e-12, axis=1) * np.sum(q > 1e-12, axis=1)


def comb(n: int, spacing: int) -> np.ndarray:
    return (np.arange(n) % spacing == 0).astype(float)


def sum_of(field: np.ndarray) -> float:
    return float(np.add(*entropies(field)))


def real_basis_sum(n: int) -> float:
    """Entropy of a single site over the real Fourier basis."""
    p = fourier_basis(n)[0] ** 2
    return float(-np.sum(p * np.log(p + 1e-300)))


def by_images(n: int, mu: float, s: float, f: float, phi: float) -> np.ndarray:
    """The ring Gabor as a sum over images, not over frequencies."""
    d = np.arange(n) - mu + n * np.arange(-40, 41)[:, None]
    at_centre = n * np.arange(-40, 41)
    images, centre = (np.exp(-(x**2) / (2 * s**2) + 2j * np.pi * f * x / n).sum(0) for x in (d, at_centre))
    return np.real(np.exp(1j * phi) * images / centre)


def left_over(field: np.ndarray, low: float, high: float, starts: list[tuple[float, float]]) -> float:
    """What the best sum over images leaves over, from several starts (s, f); the centre starts at the peak."""
    n, peak = len(field), float(np.abs(field).argmax())
    lowest, highest = [-n, 0.15, low - 1e-9, -9, -9], [2 * n, 2 * n, high, 9, 9]

    def difference(x: np.ndarray) -> np.ndarray:
        mu, s, f, even, odd = x
        return even * by_images(n, mu, s, f, 0.0) + odd * by_images(n, mu, s, f, np.pi / 2) - field

    return 2 * min(least_squares(difference, [peak + 0.1, s, f, 1.0, 0.1], bounds=(lowest, highest)).cost for s, f in starts)


def bic_gain() -> Estimate:
    bump = left_over(NOISY, 0.0, 1e-9, [(1.5, 0.0)])
    wave = left_over(NOISY, 0.5, 8.0, [(1.5, 0.6), (1.8, 1.5), (4.0, 1.0)])
    return Estimate(16 * np.log(bump / wave) - 2 * np.log(16), 1e-3, "least squares on sums over images")


def swapped_field() -> np.ndarray:
    """The field of one neuron after 100 tau on Gaussian data whose positive class has the shorter range."""
    return modes(np.random.default_rng(0).normal(size=24) / 4, 1.0, 2.0, np.array([0.0, 100.0]))[-1]


def swapped_R2() -> Estimate:
    field = swapped_field()
    rest = left_over(field / np.linalg.norm(field), 0.5, 12.0, [(s, f) for s in (1.5, 4.0) for f in (8.0, 10.0, 11.5)])
    return Estimate(1 - rest, 1e-5, "least squares on sums over images")
