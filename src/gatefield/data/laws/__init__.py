"""Laws of one number, of which sources are made: radii of elliptical sources, quantile functions of marginals."""

from gatefield.data.laws.quantiles import Algebraic, Laplace, Quantile, QuantileFunction, Uniform, as_quantile
from gatefield.data.laws.radial import GaussianRadial, LaplaceRadial, Radial, Shell, Sphere, StudentT, as_radial

__all__ = [
    "Algebraic",
    "GaussianRadial",
    "Laplace",
    "LaplaceRadial",
    "Quantile",
    "QuantileFunction",
    "Radial",
    "Shell",
    "Sphere",
    "StudentT",
    "Uniform",
    "as_quantile",
    "as_radial",
]
