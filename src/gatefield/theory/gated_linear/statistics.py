"""The moments that a gated linear network learns from: A, b and the power of the labels."""

from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.estimate import Estimate
from gatefield.core.keys import as_key
from gatefield.core.runs import run_count
from gatefield.data import AbstractTask, Task
from gatefield.gates import GateSet, Scheduled
from gatefield.theory.gated_linear.closed import (
    closed_moments,
    half_closed_moments,
    why_not_closed,
    why_second_not_closed,
)
from gatefield.theory.gated_linear.sampled import sampled_moments, sampled_task_moments
from gatefield.theory.inputs import one_key

METHODS = ("auto", "closed", "sampled")
STANDARD_ERRORS = 5.0
"""Within which a right moment lies, but for one entry in some 6,000: the error itself is known from 16 groups only."""


class Statistics(NamedTuple):
    """What a gated linear network learns from; each a float64 array or number, or an `Estimate` if errors are asked for."""

    A: Any
    """The second moment of the gated inputs (Kn, Kn)."""
    b: Any
    """Their mean product with the label (Kn,)."""
    label_power: Any
    """The mean square of the label."""


@given(key=one_key, with_error=checks.flag)
def statistics(
    gates: Any,
    task: AbstractTask,
    *,
    method: str = "auto",
    key: PRNGKeyArray | None = None,
    samples: int = 1_000_000,
    with_error: bool = False,
) -> Statistics:
    r"""What a gated linear network learns from: $A = E[\tilde x\tilde x^\top]$, $b = E[y\,\tilde x]$ and $E y^2$.

    Here $\tilde x = (g_1(x) x, \dots, g_K(x) x)$. With class shares p and 1-p, $A = p M_1 + (1-p) M_0$ and
    $b = p\,y_1 m_1 + (1-p)\,y_0 m_0$, where $m_c$ and $M_c$ are the first and second moments of $\tilde x$ in class c.

    | method | for |
    |---|---|
    | "closed" | half-spaces through 0 and constant gates, random ones too: any set of them on Gaussian and elliptical data; |
    | | on squashed Gaussian data and the hypercube, parallel and opposite gates that one site decides |
    | "sampled" | any gates and task, in float64; A and b come from the same samples, so that b lies in the range of A |
    | "auto" | "closed" where it applies, else "sampled"; parallel and opposite half-spaces on symmetric data without ties |
    | | have A in closed form all the same, and only b is sampled |

    Random gates (`Bernoulli`) are averaged over, too: $b = E[y\,E[g_k|x]\,x]$ and
    $A_{jk} = E[E[g_jg_k|x]\,xx^\top]$. Given x, gates are independent unless they share a coin, so that $A_{kk}$ has
    $E[g_k|x]$ in place of its square: chance adds $E[p_k(1-p_k)\,xx^\top]$ to it, as a ridge does.

    Gates that change with time are taken as they stand: give `gates.at(t)`, or see `pieces`.

    **Arguments**

    - `gates`: a `GateSet`, or a list of gates.
    - `task`: any task, of one run.
    - `method`: as above.
    - `key`: needed for sampling.
    - `samples`: at least this many are drawn of each class.
    - `with_error`: give each as an `Estimate`, with a standard error where it is sampled and 0 where it is not.

    **Returns** `Statistics`: A (Kn, Kn), b (Kn,), and the label power, in float64.

    >>> from gatefield.data import Gaussian, Task
    >>> from gatefield.gates import half_spaces
    >>> A, b, power = statistics(half_spaces([[1.0, 0.0]]), Task(Gaussian(2, xi=0.5), Gaussian(2, xi=0.5)))
    >>> A.round(4).tolist(), b.round(4).tolist(), power
    ([[0.5, 0.0183], [0.0183, 0.5]], [0.1995, 0.0073], 0.5)
    >>> import jax
    >>> from gatefield.data import Hypercube
    >>> task, gates = Task(Hypercube(4, xi=2.0), Hypercube(4, xi=1.0)), half_spaces([[1.0, 2.0, 1.5, 0.1]])
    >>> b = statistics(gates, task, key=jax.random.key(0), samples=10_000, with_error=True).b
    >>> b.method, bool(b.error.max() < 0.01)
    ('sampled', True)

    **Source:** note 000, equations 6, 7 and 12; note 002, equation 65; labels and class shares as given.
    """
    found = _found(GateSet(gates).frozen(), task, method, key, samples)
    if with_error:
        return found
    return Statistics(found.A.value, found.b.value, found.label_power.value)


def _found(gates: GateSet, task: Any, method: str, key: PRNGKeyArray | None, samples: int) -> Any:
    """The statistics as estimates, by the best route that the method allows."""
    _check(gates, task)
    checks.choice("method", method, METHODS)
    obstacle = why_not_closed(gates, task) if isinstance(task, Task) else f"a {type(task).__name__} task is not two sources"
    if method == "closed" and obstacle:
        raise UserError(f"There is no closed form here: {obstacle}; use method='sampled' with a key.")
    if not obstacle and method != "sampled":
        assert isinstance(task, Task)
        return _mix([closed_moments(gates, source) for source in (task.positive, task.negative)], task, "closed", "closed")
    if key is None:
        raise UserError(f"These moments are sampled, because {obstacle or 'you asked for it'}; give key=jax.random.key(0).")
    return _sampled(gates, task, method, as_key(key), checks.count("samples", samples, least=2))


def _sampled(gates: GateSet, task: AbstractTask, method: str, key: PRNGKeyArray, samples: int) -> Statistics:
    if not isinstance(task, Task):
        (b, A, power), errors = jax.tree.map(np.asarray, sampled_task_moments(gates, task, key, samples))
        b_error, A_error, power_error = errors
        return Statistics(_drawn(A, A_error), _drawn(b, b_error), _drawn(float(power), float(power_error)))
    half = method == "auto" and not why_second_not_closed(gates, task)
    route = half_closed_moments if half else sampled_moments
    sources = zip((task.positive, task.negative), jax.random.split(key), strict=True)
    return _mix([route(gates, source, k, samples) for source, k in sources], task, "closed" if half else "sampled", "sampled")


def pieces(
    gates: Any, task: AbstractTask, *, method: str = "auto", key: PRNGKeyArray | None = None, samples: int = 1_000_000
) -> list[tuple[float, Float[np.ndarray, "m m"], Float[np.ndarray, " m"]]]:
    """The moments under `Scheduled` gates, piece by piece, for `solve_pieces`.

    **Arguments**

    - `gates`: a `GateSet`, or a list of gates, of which some are scheduled.
    - `task`, `method`, `key`, `samples`: as for `statistics`.

    **Returns** (start time, A, b) for each piece between two times at which a gate changes.

    >>> from gatefield.data import Gaussian
    >>> from gatefield.gates import Open, Scheduled, Shut
    >>> found = pieces([Scheduled([0.0, 5.0], [Shut(), Open()])], Task(Gaussian(1, 1.0), Gaussian(1, 1.0)))
    >>> [(start, A.item()) for start, A, b in found]
    [(0.0, 0.0), (5.0, 1.0)]

    **Source:** note 000, section 5, first idea.
    """
    gates = GateSet(gates)
    times = sorted({0.0, *(float(t) for gate in gates.gates if isinstance(gate, Scheduled) for t in np.asarray(gate.times))})
    return [(t, *statistics(gates.at(t), task, method=method, key=key, samples=samples)[:2]) for t in times]


def _mix(parts: list, task: Task, method_A: str, method_b: str) -> Statistics:
    """Both classes together."""
    p, (y1, y0) = task.proportion, (float(np.asarray(y)) for y in task.labels)
    (m1, M1, e1, E1), (m0, M0, e0, E0) = (map(np.asarray, part) for part in parts)
    A, b = p * M1 + (1 - p) * M0, p * y1 * m1 + (1 - p) * y0 * m0
    A_error, b_error = np.hypot(p * E1, (1 - p) * E0), np.hypot(p * y1 * e1, (1 - p) * y0 * e0)
    return Statistics(
        _drawn(A, A_error) if method_A == "sampled" else Estimate(A, A_error, method_A),
        _drawn(b, b_error) if method_b == "sampled" else Estimate(b, b_error, method_b),
        Estimate(p * y1**2 + (1 - p) * y0**2, 0.0, "closed"),
    )


def _drawn(value: Any, error: Any) -> Estimate:
    return Estimate(value, error, "sampled", STANDARD_ERRORS)


def _check(gates: GateSet, task: Any) -> None:
    if not isinstance(task, AbstractTask):
        raise UserError(f"task must be a task, such as Task(positive, negative), but is {type(task).__name__}.")
    if run_count((gates, task)) is not None:
        raise UserError("Gates and task must be of one run each; take the moments of each run by itself.")
    gates.check_sites(task.n)
