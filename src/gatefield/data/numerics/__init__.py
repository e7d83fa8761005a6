"""Numerics behind the sources: the Gaussian field on a ring or a line, the arcsine law, and moments by quadrature."""

from gatefield.data.arrays import Draw
from gatefield.data.numerics.arcsine import arcsine_covariance, gain_deviation, gain_variance
from gatefield.data.numerics.correlation import lag_matrix
from gatefield.data.numerics.cube import corners
from gatefield.data.numerics.field import field_covariance, field_factor, gaussian_draw, lag_correlation
from gatefield.data.numerics.normals import NORMALS, normal
from gatefield.data.numerics.quadrature import normal_moments, pair_moment
from gatefield.data.numerics.symmetric_root import symmetric_root

__all__ = [
    "NORMALS",
    "Draw",
    "arcsine_covariance",
    "corners",
    "field_covariance",
    "field_factor",
    "gain_deviation",
    "gain_variance",
    "gaussian_draw",
    "lag_correlation",
    "lag_matrix",
    "normal",
    "normal_moments",
    "pair_moment",
    "symmetric_root",
]
