"""Where inputs come from: sources on a ring or a line, and tasks made of two of them."""

from gatefield.data._any_task import AnyTask
from gatefield.data._arcsine import arcsine_covariance, gain_deviation, gain_variance
from gatefield.data._cifar import cifar10
from gatefield.data._collections import COLLECTIONS
from gatefield.data._correlation import fourier_basis, line_correlation, ring_correlation, ring_spectrum
from gatefield.data._dataset import Dataset
from gatefield.data._elliptical import Elliptical
from gatefield.data._fetch import locate
from gatefield.data._gaussian import Gaussian
from gatefield.data._gaussian_clone import GaussianClone
from gatefield.data._hypercube import Hypercube
from gatefield.data._images import Images
from gatefield.data._ising import Ising
from gatefield.data._marginal import Marginal
from gatefield.data._mnist import binary_mnist, mnist
from gatefield.data._nonlinear_gp import NonlinearGP
from gatefield.data._quantiles import Algebraic, Laplace, Quantile, QuantileFunction, Uniform
from gatefield.data._radial import GaussianRadial, LaplaceRadial, Radial, Shell, Sphere, StudentT
from gatefield.data._single_pulse import SinglePulse
from gatefield.data._source import Source
from gatefield.data._task import Task
from gatefield.data._taught import Taught

__all__ = [
    "COLLECTIONS",
    "Algebraic",
    "AnyTask",
    "Dataset",
    "Elliptical",
    "Gaussian",
    "GaussianClone",
    "GaussianRadial",
    "Hypercube",
    "Images",
    "Ising",
    "Laplace",
    "LaplaceRadial",
    "Marginal",
    "NonlinearGP",
    "Quantile",
    "QuantileFunction",
    "Radial",
    "Shell",
    "SinglePulse",
    "Source",
    "Sphere",
    "StudentT",
    "Task",
    "Taught",
    "Uniform",
    "arcsine_covariance",
    "binary_mnist",
    "cifar10",
    "fourier_basis",
    "gain_deviation",
    "gain_variance",
    "line_correlation",
    "locate",
    "mnist",
    "ring_correlation",
    "ring_spectrum",
]
