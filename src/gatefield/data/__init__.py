"""Where inputs come from: sources on a ring or a line, and tasks made of two of them."""

from gatefield.data.abstract_task import AnyTask
from gatefield.data.dataset import Dataset
from gatefield.data.images.cifar10 import cifar10
from gatefield.data.images.collections import COLLECTIONS
from gatefield.data.images.fetch import locate
from gatefield.data.images.images import Images
from gatefield.data.images.mnist import binary_mnist, mnist
from gatefield.data.numerics.arcsine import arcsine_covariance, gain_deviation, gain_variance
from gatefield.data.numerics.correlation import fourier_basis, line_correlation, ring_correlation, ring_spectrum
from gatefield.data.source import Source
from gatefield.data.sources.elliptical import Elliptical
from gatefield.data.sources.gaussian import Gaussian
from gatefield.data.sources.gaussian_clone import GaussianClone
from gatefield.data.sources.hypercube import Hypercube
from gatefield.data.sources.ising import Ising
from gatefield.data.sources.marginal import Marginal
from gatefield.data.sources.nonlinear_gp import NonlinearGP
from gatefield.data.sources.quantiles import Algebraic, Laplace, Quantile, QuantileFunction, Uniform
from gatefield.data.sources.radial import GaussianRadial, LaplaceRadial, Radial, Shell, Sphere, StudentT
from gatefield.data.sources.single_pulse import SinglePulse
from gatefield.data.task import Task
from gatefield.data.taught import Taught

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
