"""Independent estimates for the ledger of the ReLU units: quadrature, differences, Runge-Kutta steps. NumPy and SciPy only."""

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import quad, solve_ivp

Vector = np.ndarray
Matrix = np.ndarray

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


def plane_mean(function: Callable[[Vector, Vector], Vector], w: Vector, v: Vector, cov: Matrix, degree: int) -> float:
    """E[function(w.x, v.x)] for x ~ N(0, cov) and a function of that degree, smooth where neither argument changes sign.

    With (w.x, v.x) = r * root @ (cos t, sin t), r the length of a plane normal vector: Gauss-Legendre quadrature in t.
    """
    root = np.linalg.cholesky(np.array([[w @ cov @ w, w @ cov @ v], [w @ cov @ v, v @ cov @ v]]))
    kinks = [(math.atan2(row[1], row[0]) + turn) % (2 * np.pi) for row in root for turn in (np.pi / 2, -np.pi / 2)]
    total = 0.0
    for low, high in itertools.pairwise(sorted([*kinks, min(kinks) + 2 * np.pi])):
        t = low + (high - low) * (1 + _NODES) / 2
        total += (high - low) / 2 * float(_WEIGHTS @ function(*(root @ np.stack([np.cos(t), np.sin(t)]))))
    return 2 ** (degree / 2) * math.gamma(1 + degree / 2) * total / (2 * np.pi)


def relu(h: Vector) -> Vector:
    return np.maximum(h, 0.0)


def open_mean(w: Vector, along: Vector, cov: Matrix) -> float:
    """E[1(w.x>0) along.x]."""
    return plane_mean(lambda a, b: (a > 0) * b, w, along, cov, 1)


def pair_parts(w: Vector, v: Vector, cov: Matrix) -> Vector:
    """E[1(w.x>0) relu(v.x) x] = first * cov w + second * cov v: both coefficients, from its parts along w and v."""
    gram = np.array([[w @ cov @ w, w @ cov @ v], [w @ cov @ v, v @ cov @ v]])
    parts = [plane_mean(lambda a, b, i=i: (a > 0) * relu(b) * (a, b)[i], w, v, cov, 2) for i in (0, 1)]
    return np.linalg.solve(gram, parts)


def both_open(w: Vector, v: Vector, cov: Matrix, first: Vector, second: Vector) -> float:
    """E[1(w.x>0) 1(v.x>0) first.x second.x]: the regression of both on (w.x, v.x), and what it leaves over."""
    pair = np.stack([w, v])
    gram = pair @ cov @ pair.T
    slopes = [np.linalg.solve(gram, pair @ cov @ u) for u in (first, second)]
    left = first @ cov @ second - slopes[0] @ gram @ slopes[1]

    def product(a: Vector, b: Vector) -> Vector:
        return (a > 0) * (b > 0) * (slopes[0][0] * a + slopes[0][1] * b) * (slopes[1][0] * a + slopes[1][1] * b)

    return plane_mean(product, w, v, cov, 2) + float(left) * plane_mean(lambda a, b: (a > 0) * (b > 0) * 1.0, w, v, cov, 0)


def half_moment(degree: int) -> float:
    """E[relu(z)^degree] of a standard normal z."""
    return quad(lambda z: z**degree * math.exp(-z * z / 2) / math.sqrt(2 * math.pi), 0, 12, epsabs=1e-14)[0]


def loss(
    fields: Matrix,
    covs: Sequence[Matrix],
    labels: Sequence[float] = (1.0, 0.0),
    readout: Vector | None = None,
    bias: float = 0.0,
) -> float:
    """Half of the mean squared error of a ReLU committee, every mean by quadrature."""
    weights = np.full(len(fields), 1 / len(fields)) if readout is None else readout
    total = 0.0
    for cov, label in zip(covs, labels, strict=True):
        lengths = np.sqrt([w @ cov @ w for w in fields])
        gram = np.diag(half_moment(2) * lengths**2)
        for j, k in itertools.combinations(range(len(fields)), 2):
            gram[j, k] = gram[k, j] = plane_mean(lambda a, b: relu(a) * relu(b), fields[j], fields[k], cov, 2)
        mean = weights @ lengths * half_moment(1) + bias - label
        total += 0.25 * float(weights @ gram @ weights - (weights @ lengths * half_moment(1)) ** 2 + mean**2)
    return total


def derivative(function: Callable[[float], float], step: float = 1e-2) -> float:
    """At zero, by central differences of sixth order."""
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    return sum(c * (function(m * step) - function(-m * step)) for m, c in weights.items()) / step


def slope(w: Vector, cov1: Matrix, cov0: Matrix) -> Vector:
    """dw/dt of a single neuron for labels (1, 0), as note 002 prints it in equation 20."""
    return -0.25 * (cov0 @ w + (1 - math.sqrt(2 / math.pi / (w @ cov1 @ w))) * (cov1 @ w))


def follow(w0: Vector, cov1: Matrix, cov0: Matrix, time: float) -> Vector:
    """The field at that time, by implicit Runge-Kutta steps."""
    steps = {"method": "Radau" if time > 100 else "DOP853", "rtol": 1e-10, "atol": 1e-12}
    return solve_ivp(lambda t, w: slope(w, cov1, cov0), (0.0, time), w0, **steps).y[:, -1]


def jacobian(w: Vector, cov1: Matrix, cov0: Matrix) -> Matrix:
    """Of `slope`, by central differences."""
    step = 1e-5 * np.linalg.norm(w)
    columns = [slope(w + step * e, cov1, cov0) - slope(w - step * e, cov1, cov0) for e in np.eye(len(w))]
    return np.stack(columns, axis=1) / (2 * step)


def unstable(w: Vector, cov1: Matrix, cov0: Matrix) -> int:
    """How many directions grow at a rest."""
    matrix = jacobian(w, cov1, cov0)
    return int(np.sum(np.linalg.eigvalsh((matrix + matrix.T) / 2) > 1e-7))


def off_diagonal(matrix: Matrix) -> float:
    """Relative norm of what lies off the diagonal."""
    return float(np.linalg.norm(matrix - np.diag(np.diag(matrix))) / np.linalg.norm(matrix))
