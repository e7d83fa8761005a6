"""What theory says of every setting: the closure flow of many runs at once, and the losses of one site and of a wave."""

from collections.abc import Sequence

import jax
import numpy as np

from gatefield.data import NonlinearGP
from gatefield.dynamics import flow
from gatefield.theory import closure, nlgp


def closure_fields(
    starts: np.ndarray, classes: tuple[NonlinearGP, NonlinearGP], gain: np.ndarray, times: Sequence[float]
) -> np.ndarray:
    """Where the closure flow dw/dt = f(w)/2 - (C0 + C1) w/4 is at these times, all runs as one system.

    **Arguments**

    - `starts`: fields (runs, position).
    - `classes`: the positive and the negative source, each with one law for each run.
    - `gain`: of each run.
    - `times`: in tau, rising or all the same.

    **Returns** fields (times, runs, position).
    """
    cov1, cov0 = (source.covariance() for source in classes)
    gains, which = np.unique(gain, return_inverse=True)
    # off by 1e-7 at most, below the tolerance of the flow: thousands of runs take seconds in place of hours
    tables = closure.Table(closure.tabulate(gains).values[which])
    velocity = jax.vmap(closure.velocity)
    grid, places = np.unique([0.0, *times], return_inverse=True)
    path = flow(lambda w: velocity(w, cov1, cov0, tables), starts, grid, rtol=1e-6, atol=1e-9)
    return path.fields.values[0][places[1:]]


def site_loss(positive: NonlinearGP, negative: NonlinearGP) -> float:
    r"""The least loss of a linear unit behind the gate of one site, $\tfrac14 - \tfrac12 f^\top(C_0+C_1)^{-1}f$.

    f is the drift of that gate. A ReLU neuron with the same field has this loss or less, because among all gates its own opens
    where the output gains most; on the cube, where the state exists, it has this loss.

    **Arguments**

    - `positive`, `negative`: sources of one run each, as for `wave_loss`.
    """
    f = np.ravel(nlgp.half_gate_mean(np.asarray(positive.squashed.correlation)[0, 0], positive.gain))
    total = np.asarray(positive.covariance()[0] + negative.covariance()[0])
    return 0.25 - float(f @ np.linalg.solve(total, f)) / 2


def wave_loss(positive: NonlinearGP, negative: NonlinearGP) -> float:
    r"""The least loss of a wave over the whole ring, $\tfrac14 - \tfrac1{4\pi}\max_k \lambda_1/(\lambda_0+\lambda_1)$.

    $\lambda_c$ are the eigenvalues of the covariances; the input of such a gate is a sum over many sites and taken to be
    Gaussian, of sharpness $2/\pi$.
    """
    power = [np.fft.rfft(np.asarray(source.covariance())[0, 0]).real for source in (positive, negative)]
    return 0.25 - float((power[0] / (power[0] + power[1])).max()) / (4 * np.pi)
