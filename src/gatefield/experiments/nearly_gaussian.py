"""One class of squashed inputs, as experiments on gates see it: Gaussian in closed form at small gain, else a fixed sample."""

from jaxtyping import PRNGKeyArray

from gatefield.data import NonlinearGP
from gatefield.theory.classes import EmpiricalClass, GaussianClass

GAUSSIAN = 0.05
"""Up to this gain data count as Gaussian with their own covariance: at gain 0.01 their excess kurtosis is below 0.001."""


def class_at(n: int, xi: float, gain: float, key: PRNGKeyArray, samples: int) -> GaussianClass | EmpiricalClass:
    """The class of a length scale and gain, with a sample of the given size unless it counts as Gaussian."""
    source = NonlinearGP(n, xi, gain)
    return GaussianClass(source.covariance()) if gain <= GAUSSIAN else EmpiricalClass.draw(source, key, samples)
