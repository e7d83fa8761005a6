"""The verdicts of `elliptical` on made-up records, and its flow against the Gaussian one."""

import numpy as np
import pydantic
import pytest
import xarray as xr

from gatefield import experiments, flow
from gatefield.data import Gaussian
from gatefield.experiments.fields.elliptical import Settings, _flows
from gatefield.theory import relu


def made_up(cosine, size):
    laws, seeds = ["student:3", "student:4.5", "sphere"], 3
    each = {"cosine": cosine, "size": size, "flow_size": [1.0, 1.0, 1.0], "ipr": [0.05, 0.06, 0.04], "flow_ipr": [0.03] * 3}
    data = {
        name: (("law", "seed", "step", "unit"), np.broadcast_to(np.array(values)[:, None, None, None], (3, seeds, 1, 1)))
        for name, values in each.items()
    }
    data["control_ipr"] = (("seed", "step", "unit"), np.full((seeds, 1, 1), 0.6))
    data["tame"] = ("law", [False, True, True])
    return xr.Dataset(data, {"law": laws}, {"control_gain": 3.0})


def test_laws_without_fourth_moments_are_judged_apart():
    verdicts = experiments.get("elliptical").verdicts(made_up([0.3, 0.99, 0.98], [1.5, 1.0, 0.97]))
    assert [v.holds for v in verdicts] == [True, True, True, True, False, False]
    assert [v.measured for v in verdicts] == pytest.approx([0.06, 0.6, 0.98, 0.97, 0.3, 1.5])
    assert "Student t, 3 d.f." in verdicts[-1].note
    assert "Sphere" in verdicts[2].note


def test_one_seed_that_is_thrown_off_counts_where_fourth_moments_are_infinite():
    record = made_up([0.99, 0.99, 0.99], [1.0, 1.0, 1.0])
    record["size"] = record["size"].where(xr.DataArray([True, False, True], dims="seed"), 1.4)
    verdicts = experiments.get("elliptical").verdicts(record)
    assert [v.holds for v in verdicts] == [True, True, True, True, True, False]
    assert verdicts[-1].measured == pytest.approx(1.4)


def test_flow_of_each_law_is_its_own():
    # a field scales with the law's constant, so the Gaussian law's path is the exact Gaussian flow, whatever stands beside it
    p = Settings(n=8, laws=("sphere", "gaussian"), seeds=2)
    starts = np.random.default_rng(0).normal(size=(2, 2, 1, 1, 8))
    dims = ("law", "seed", "step", "unit", "position")
    record = xr.Dataset({"fields": (dims, np.repeat(starts, 2, 2))}, {"time": ("step", [0.0, 5.0])})
    found = _flows(record, p)
    cov1, cov0 = (Gaussian(8, xi).covariance() for xi in (p.xi1, p.xi0))
    exact = flow(lambda w: relu.velocity(w, cov1, cov0), starts[1, :, 0], [0.0, 5.0]).fields.values
    np.testing.assert_allclose(found[1, :, :, 0], exact[:, :, 0], atol=1e-8)
    assert np.abs(found[0] - found[1]).max() > 0.01


def test_a_wrong_law_is_refused_before_anything_runs():
    with pytest.raises(pydantic.ValidationError, match="Unknown radial law 'studnet'"):
        Settings(laws=("studnet:3",))
