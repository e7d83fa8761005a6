"""Rings and lines of sites: their covariances, eigenvalues and Fourier modes, and how a field spreads over sites and modes."""

import numpy as np
from scipy.linalg import circulant


def wrapped(n: int, xi: float) -> np.ndarray:
    """The correlation of a ring of n sites with one of them, by its sum over windings."""
    row = np.exp(-(((np.arange(n)[:, None] + n * np.arange(-20, 21)) / xi) ** 2)).sum(axis=1)
    return row / row[0]


def ring(n: int, xi: float) -> np.ndarray:
    return circulant(wrapped(n, xi))


def line(n: int, xi: float) -> np.ndarray:
    return np.exp(-(np.subtract.outer(np.arange(n), np.arange(n)) ** 2) / xi**2)


def spectrum(n: int, xi: float) -> np.ndarray:
    """Eigenvalues of `ring`, one for each frequency from 0 to n/2."""
    return np.fft.rfft(wrapped(n, xi)).real


def variances(n: int, xi: float) -> np.ndarray:
    """Eigenvalues of `ring`, one for each column of `basis`."""
    return spectrum(n, xi)[(np.arange(n) + 1) // 2]


def basis(n: int) -> np.ndarray:
    """The real Fourier basis: flat, cosine, sine, cosine, ..., of rising frequency."""
    angles = 2 * np.pi * np.outer(np.arange(n), (np.arange(n) + 1) // 2) / n
    columns = np.where(np.arange(n) % 2 == 1, np.cos(angles), np.sin(angles))
    columns[:, 0] = 1.0
    return columns / np.linalg.norm(columns, axis=0)


def dft(n: int) -> np.ndarray:
    """The complex Fourier basis, of unit columns."""
    return np.exp(-2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n) / np.sqrt(n)


def in_fourier(matrix: np.ndarray) -> np.ndarray:
    """The matrix in the complex Fourier basis, by FFT of rows and columns."""
    return np.fft.ifft(np.fft.fft(matrix, axis=1), axis=0)


def off_diagonal(matrix: np.ndarray) -> float:
    """Relative norm of what lies off the diagonal."""
    return float(np.linalg.norm(matrix - np.diag(np.diag(matrix))) / np.linalg.norm(matrix))


def distance_to_circulant(matrix: np.ndarray) -> float:
    """Relative distance to the nearest circulant matrix, whose entries are means along wrapped diagonals."""
    n = len(matrix)
    lags = (np.arange(n)[:, None] - np.arange(n)) % n
    means = np.array([matrix[lags == lag].mean() for lag in range(n)])
    return float(np.linalg.norm(matrix - means[lags]) / np.linalg.norm(matrix))


def frequency(w: np.ndarray) -> int:
    """The strongest frequency of a field."""
    return int(np.argmax(np.abs(np.fft.rfft(w))))


def frequencies(w: np.ndarray) -> float:
    """How many frequencies carry a field: (sum p)^2 / sum p^2 of their powers p."""
    powers = np.bincount((np.arange(len(w)) + 1) // 2, (basis(len(w)).T @ w) ** 2)
    return float(powers.sum() ** 2 / (powers**2).sum())


def participation(w: np.ndarray) -> float:
    """The inverse participation ratio over sites."""
    return float(np.sum(w**4) / np.sum(w**2) ** 2)


def pulses(n: int, low: int, high: int) -> np.ndarray:
    """All single pulses of ones on a ring of n sites, each equally likely."""
    return np.array([np.roll([1.0] * width + [0.0] * (n - width), s) for width in range(low, high + 1) for s in range(n)])


def least_eigenvalue(n: int, xi: float) -> float:
    """Smallest eigenvalue of exp(-d^2/xi^2) with d the distance on a ring, in extended precision."""
    lag = np.arange(n, dtype=np.longdouble)
    row = np.exp(-((np.minimum(lag, n - lag) / np.longdouble(xi)) ** 2))
    pi = np.longdouble("3.14159265358979323846264338327950288")
    angles = 2 * pi * (np.outer(np.arange(n), np.arange(n)) % n).astype(np.longdouble) / n
    return float((np.cos(angles) @ row).min())


def psd_threshold(n: int) -> float:
    """The largest length scale at which that kernel is still a covariance, by bisection."""
    low, high = 2.0, 5.0
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (middle, high) if least_eigenvalue(n, middle) >= 0 else (low, middle)
    return low
