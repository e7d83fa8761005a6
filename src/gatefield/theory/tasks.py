"""What formulas for two classes need of a task: covariances or spectra, labels and class shares.

Every such formula takes either two covariances (balanced classes) or a `Task` in their place. Formulas for Gaussian inputs
refuse a task of other sources; those of its `GaussianClone`s they take.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.runs import run_count
from gatefield.data import AbstractTask, Source, Task, ring_correlation, ring_spectrum
from gatefield.theory.inputs import label_pair

_RESOLVED = 1e-10
"""A Fourier coefficient of a covariance is known to about 1e-16 of the largest: below this share of it, to no six digits."""
_SAME = 1e-12
"""Two correlations of the same kernel differ by no more than rounding."""


class TwoClasses(NamedTuple):
    """Two matrices or spectra, positive class first; the labels (y1, y0); the shares of the classes."""

    positive: Float[Array, "..."]
    negative: Float[Array, "..."]
    labels: tuple[Any, Any]
    shares: tuple[float, float]

    def stacked(self) -> tuple[Array, Array, Array]:
        """The same as arrays with the class in front: both matrices, labels, shares."""
        labels = jnp.stack([real(y) for y in self.labels])
        return jnp.stack([self.positive, self.negative]), labels, real(self.shares)


def two_classes(cov1: Any, cov0: Any, labels: Any, *, any_law: bool = False) -> TwoClasses:
    """Both covariances with labels and shares, from a task or as they are given; labels are (1, 0) unless said.

    `any_law` says that the formula is not one for Gaussian inputs alone.
    """
    if isinstance(cov1, AbstractTask):
        task = _whole(cov1, cov0, labels, any_law)
        positive, negative = (_covariance(source) for source in (task.positive, task.negative))
        return TwoClasses(positive, negative, label_pair(task.labels), (task.proportion, 1 - task.proportion))
    if cov1 is None or cov0 is None:
        raise UserError("Only one covariance is given; write cov1, cov0 for both classes, or one Task in their place.")
    return TwoClasses(real(cov1), real(cov0), label_pair((1.0, 0.0) if labels is None else labels), (0.5, 0.5))


def two_spectra(lam1: Any, lam0: Any, labels: Any = None, *, any_law: bool = False) -> TwoClasses:
    """The same for the variances of both classes in each mode; those of a task are in the order of the frequency, 0 to n-1."""
    if isinstance(lam1, AbstractTask):
        task = _whole(lam1, lam0, labels, any_law)
        positive, negative = (_ring_variances(source) for source in (task.positive, task.negative))
        return TwoClasses(positive, negative, label_pair(task.labels), (task.proportion, 1 - task.proportion))
    if lam0 is None:
        raise UserError("Only one spectrum is given; write lam1, lam0 for both classes, or one Task in their place.")
    return TwoClasses(lam1, lam0, label_pair((1.0, 0.0) if labels is None else labels), (0.5, 0.5))


def plain_labels(classes: TwoClasses) -> TwoClasses:
    """The same classes, if their labels are (1, 0) in equal shares, for formulas that hold only then."""
    known = [float(y) for y in classes.labels if not isinstance(y, Tracer)]
    if len(known) == 2 and known != [1.0, 0.0]:
        raise UserError(
            f"This formula is for labels (1, 0), but the task has labels ({known[0]:g}, {known[1]:g}); "
            "write Task(positive, negative, labels=(1.0, 0.0))."
        )
    if classes.shares != (0.5, 0.5):
        raise UserError(
            f"This formula is for classes of equal shares, but the positive one has the share {classes.shares[0]:g}; "
            "write Task(positive, negative) without proportion."
        )
    return classes


def _whole(task: Any, other: Any, labels: Any, any_law: bool) -> Task:
    """The task, if it is one of two sources of mean zero, of one run, and nothing is given that it has already."""
    if not isinstance(task, Task):
        raise UserError(
            f"Theory needs a Task of two sources, but this is a {type(task).__name__}; write Task(positive, negative)."
        )
    if other is not None or labels is not None:
        raise UserError("A task gives both classes and their labels; leave out the second class and the labels beside it.")
    if run_count(task) is not None:
        raise UserError("Theory takes a task of one run; take gatefield.one_run(task, 0), or use jax.vmap over its parameters.")
    for source in (task.positive, task.negative):
        mean = _at_once(source, source.mean)
        if not isinstance(mean, Tracer) and np.any(np.asarray(mean)):
            raise UserError(
                f"These formulas are for inputs of mean zero, but {type(source).__name__} inputs have means up to "
                f"{np.abs(mean).max():.3g}; sample instead, as gated_linear.statistics does."
            )
        if not any_law and not source.gaussian:
            name = type(source).__name__
            neuron = f", and for one neuron on the {name} inputs take theory.neuron.velocity(w, task, key=jax.random.key(0))"
            raise UserError(
                f"This formula is for Gaussian inputs, but the task has {name} inputs; for those of equal covariance write "
                f"GaussianClone({name}(...)) in the task" + neuron * (task.positive.symmetric and task.negative.symmetric) + "."
            )
    return task


def _covariance(source: Source) -> Array:
    cov = _at_once(source, source.covariance)
    return real(checks.covariance(f"the covariance of {type(source).__name__} inputs", cov))


def _ring_variances(source: Source) -> Array:
    """The eigenvalues of a covariance on a ring, in the order of the frequency.

    Where the correlation is the kernel of the source's length scale, they are known to full precision; else they are Fourier
    coefficients of the covariance, which tell nothing of modes far below the largest.
    """
    cov = _covariance(source)
    if isinstance(cov, Tracer):
        return jnp.fft.fft(cov[0]).real
    matrix, n = np.asarray(cov, np.float64), len(cov)
    if not np.allclose(matrix, [np.roll(matrix[0], i) for i in range(n)], rtol=0, atol=1e-6 * matrix.max()):
        raise UserError(
            f"The covariance of these {type(source).__name__} inputs is not that of a ring, so that its modes are not Fourier "
            "modes; give boundary='ring', or see relu.generalised_modes(task)."
        )
    xi = getattr(source, "xi", None)
    if xi is not None and np.allclose(matrix[0], ring_correlation(n, xi), rtol=0, atol=_SAME):
        return real(_at_once(source, lambda: ring_spectrum(n, xi)))
    values = np.fft.fft(matrix[0]).real
    if values.min() < _RESOLVED * values.max():
        raise UserError(
            f"The least variance of a mode, {values.min():.2g}, is lost in the rounding of the largest, {values.max():.2g}; "
            "give both spectra as lam1 and lam0."
        )
    return real(values)


def _at_once(source: Source, function: Any) -> Any:
    """Evaluate a function of the source now, even where the caller is traced, unless the source itself is."""
    if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(source)):
        return function()
    with jax.ensure_compile_time_eval():
        return function()
