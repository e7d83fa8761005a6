"""What is learned in the contests of trainings: two classes of squashed Gaussian fields, told apart by a committee."""

from typing import NamedTuple

import numpy as np

from gatefield.data.numerics import field_factor, gain_deviation


class Problem(NamedTuple):
    """The law of the data, the sizes, and where weights start. Half of a batch is of each class, labels are 1 and 0."""

    start: np.ndarray
    """Weights (runs, units, n), float32."""
    batch: int
    gain: float = 3.0
    xi: tuple[float, float] = (2.0, 1.0)
    rate: float = 0.05

    @property
    def runs(self) -> int:
        return self.start.shape[0]

    @property
    def n(self) -> int:
        return self.start.shape[-1]

    @property
    def factors(self) -> np.ndarray:
        """Covariance roots of both classes (2, n, n)."""
        return np.stack([field_factor(self.n, xi, "ring") for xi in self.xi]).astype(np.float32)

    @property
    def scale(self) -> float:
        """The standard deviation of erf(gain z), by which inputs are divided."""
        return float(gain_deviation(self.gain))
