"""The closure flow of `amplifier` where it is exact."""

import numpy as np
import xarray as xr

from gatefield import flow
from gatefield.data import NonlinearGP
from gatefield.experiments.fields.amplifier.simulate import _closure_ends
from gatefield.theory import relu


def test_closure_flow_is_the_gaussian_flow_at_small_gain():
    n, gain = 8, np.array([1e-3, 3.0])
    starts = np.random.default_rng(0).normal(size=(1, 2, 1, 1, 1, n))
    dims = ("order", "gain", "seed", "step", "unit", "position")
    record = xr.Dataset({"fields": (dims, np.repeat(starts, 2, 3))}, {"time": ("step", [0.0, 5.0])})
    sources = NonlinearGP(n, 2.0, gain), NonlinearGP(n, 1.0, gain)
    ends = _closure_ends(record, sources, gain)
    cov1, cov0 = (source.covariance()[0] for source in sources)
    exact = flow(lambda w: relu.velocity(w, cov1, cov0), starts[0, 0, 0, 0], [0.0, 5.0]).fields.values[0, -1, 0]
    np.testing.assert_allclose(ends[0, 0, 0], exact, atol=1e-5)
    assert np.abs(ends[0, 1, 0] - exact).max() > 1e-3
