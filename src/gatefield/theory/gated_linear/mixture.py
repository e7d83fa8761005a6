"""Two classes with their shares and labels: what half-space gates can explain of the labels, and the loss behind them."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.core.precision import exact, real
from gatefield.data import Task
from gatefield.theory.classes import Directions, EmpiricalClass, GaussianClass, SymmetricClass, Width
from gatefield.theory.inputs import labels as a_pair
from gatefield.theory.inputs import one_key, symmetric_class

RIDGE = 1e-9
"""Added to A, times its mean diagonal, so that redundant gates can be searched through; what is explained only falls by it."""


def _share(name: str, value: Any) -> None:
    checks.proportion(value, name)


class Mixture(eqx.Module):
    """Two classes of inputs, each symmetric about 0, with their shares and labels.

    **Arguments**

    - `positive`, `negative`: the classes, a `GaussianClass` or an `EmpiricalClass` each.
    - `labels`: the pair (y1, y0).
    - `proportion`: the share of the positive class.
    """

    classes: tuple[SymmetricClass, SymmetricClass]
    shares: Float[Any, "2"]
    labels: Float[Any, "2"]

    @given(positive=symmetric_class, negative=symmetric_class, labels=a_pair, proportion=_share)
    def __init__(self, positive: SymmetricClass, negative: SymmetricClass, labels: Any = (1.0, 0.0), proportion: float = 0.5):
        self.classes = (positive, negative)
        self.shares = np.array([proportion, 1 - proportion])
        self.labels = labels if isinstance(labels, jax.Array) else np.asarray(labels, float)

    def covariance(self) -> Float[Array, "n n"]:
        """The covariance of both classes together."""
        p, q = real(self.shares)
        return p * real(self.classes[0].covariance()) + q * real(self.classes[1].covariance())

    def mean_product(self, V: Directions) -> Float[Array, " m"]:
        r"""The mean product of label and gated input, $b = E[y\tilde x]$, for hard gates."""
        first, second = (one.drift(V).ravel() for one in self.classes)
        p, q = real(self.shares) * real(self.labels)
        return p * first + q * second

    def moments(self, V: Directions, width: Width = None) -> tuple[Float[Array, "m m"], Float[Array, " m"]]:
        """A and b, as `statistics` has them."""
        (m1, M1), (m0, M0) = (one.moments(V, width) for one in self.classes)
        (p, q), (y1, y0) = real(self.shares), real(self.labels)
        return p * M1 + q * M0, p * y1 * m1 + q * y0 * m0

    def hard_moments(self, V: Directions) -> tuple[Float[Array, "m m"], Float[Array, " m"]]:
        """A and b for hard gates; A of a single one is half the covariance, which is exact also where a sample is not."""
        return (self.covariance() / 2, self.mean_product(V)) if len(V) == 1 else self.moments(V)

    def fit(self, V: Directions, width: Width = None) -> tuple[Array, Directions]:
        r"""What the gates explain, $b^\top(A+\epsilon)^{-1}b$, and the solution $u = (A+\epsilon)^{-1}b$ as (K, n)."""
        A, b = self.moments(V, width)
        ridge = RIDGE * jnp.trace(A) / len(b)
        u = jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(A + ridge * jnp.eye(len(b))), b)
        return b @ u, u.reshape(V.shape)

    def gain(self, V: Directions, u: Directions, width: Width = None) -> Float[Array, ""]:
        r"""$2 b^\top u - u^\top A u$: what these gates explain with the solution u held fixed.

        Its gradient by V is that of $b^\top A^{-1} b$ where u solves A u = b, because the best u cannot be bettered.
        """
        (m1, M1), (m0, M0) = (one.forms(V, u, width) for one in self.classes)
        (p, q), (y1, y0) = real(self.shares), real(self.labels)
        return p * (2 * y1 * m1 - M1) + q * (2 * y0 * m0 - M0)

    def loss(self, V: Directions, w: Directions) -> Float[Array, ""]:
        r"""Half of the mean squared error of $\tfrac1K\sum_k g_k\langle w_k,x\rangle$; with w = V that of ReLU units."""
        power = jnp.sum(real(self.shares) * real(self.labels) ** 2)
        return 0.5 * (power - self.gain(V, w / len(w)))


@given(key=one_key, samples=checks.count)
@exact
def mixture(task: Task, *, key: PRNGKeyArray | None = None, samples: int = 20_000) -> Mixture:
    """A task as gates see it: closed forms if both classes are Gaussian, else a fixed sample of each.

    **Arguments**

    - `task`: two sources, each symmetric about 0.
    - `key`, `samples`: for the sample of each class, used with both signs; not needed on Gaussian data.

    **Returns** a `Mixture`, in float64.

    >>> import numpy as np
    >>> from gatefield.data import Gaussian
    >>> both = mixture(Task(Gaussian(6, 1.5), Gaussian(6, 0.7)))
    >>> type(both.classes[0]).__name__
    'GaussianClass'
    """
    if not isinstance(task, Task):
        raise UserError(f"task must be a Task of two sources, but is {type(task).__name__}; write Task(positive, negative).")
    sources = (task.positive, task.negative)
    for source in sources:
        if not source.symmetric:
            name = type(source).__name__
            raise UserError(
                f"The search needs data symmetric about 0, which {name} data are not known to be; "
                "take for instance Task(Gaussian(40, xi=2.0), Gaussian(40, xi=1.0))."
            )
    if all(source.gaussian for source in sources):
        classes = [GaussianClass(real(source.covariance())) for source in sources]
    elif key is None:
        raise UserError("These classes are sampled; give a key, such as key=jax.random.key(0).")
    else:
        count = checks.count("samples", samples)
        keys = zip(sources, jax.random.split(as_key(key)), strict=True)
        classes = [EmpiricalClass(real(source.sample(k, count))) for source, k in keys]
    return Mixture(*classes, labels=jnp.stack([real(y) for y in task.labels]), proportion=task.proportion)
