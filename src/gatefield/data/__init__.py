"""Where inputs come from: sources on a ring or a line, and tasks made of two of them, of a teacher or of given samples.

What sources are made of is in `laws` (of radii and of single sites) and `numerics`; files of published images in `images`.
"""

from gatefield.data import images, laws, numerics
from gatefield.data.abstract_task import AbstractTask
from gatefield.data.check_source import check_source
from gatefield.data.dataset import Dataset
from gatefield.data.images.cifar10 import cifar10
from gatefield.data.images.images import Images
from gatefield.data.images.mnist import binary_mnist, mnist
from gatefield.data.numerics.correlation import fourier_basis, line_correlation, ring_correlation, ring_spectrum
from gatefield.data.source import Source, Squashed, Support, per_run
from gatefield.data.sources.elliptical import Elliptical
from gatefield.data.sources.finite import Finite
from gatefield.data.sources.gaussian import Gaussian
from gatefield.data.sources.gaussian_clone import GaussianClone
from gatefield.data.sources.hypercube import Hypercube
from gatefield.data.sources.ising import Ising
from gatefield.data.sources.marginal import Marginal
from gatefield.data.sources.nonlinear_gp import NonlinearGP
from gatefield.data.sources.single_pulse import SinglePulse
from gatefield.data.task import Task
from gatefield.data.taught import Taught

__all__ = [
    "AbstractTask",
    "Dataset",
    "Elliptical",
    "Finite",
    "Gaussian",
    "GaussianClone",
    "Hypercube",
    "Images",
    "Ising",
    "Marginal",
    "NonlinearGP",
    "SinglePulse",
    "Source",
    "Squashed",
    "Support",
    "Task",
    "Taught",
    "binary_mnist",
    "check_source",
    "cifar10",
    "fourier_basis",
    "images",
    "laws",
    "line_correlation",
    "mnist",
    "numerics",
    "per_run",
    "ring_correlation",
    "ring_spectrum",
]
