"""What the smallest records of the field experiments can tell already: theory and training start alike and stay together."""

import numpy as np
import pytest
from test_experiments import simulated


def case(name):
    """In the group of the contract tests of that experiment, so that one worker simulates it once."""
    return pytest.param(name, marks=pytest.mark.xdist_group(name))


@pytest.fixture
def record(request):
    return simulated(request.param)[2]


def of(name):
    return pytest.mark.parametrize("record", [case(name)], indirect=True)


@of("gaussian-neuron")
def test_one_neuron_begins_and_stays_on_its_flow(record):
    np.testing.assert_allclose(record.distance.isel(step=0), 0.0, atol=1e-6)
    assert record.distance.isel(step=-1).max() < 0.03
    assert (record.distance.isel(step=-1) < 2 * record.noise_distance.isel(step=-1)).all()


@of("gaussian-committee")
def test_committees_stay_on_the_flow_and_leave_the_printed_one(record):
    end = record.isel(step=-1)
    assert end.step_distance.max() < 1e-3
    assert (end.distance.sel(batch_size=80) < 0.5 * end.printed_distance).all()
    assert (end.distance < 2 * end.noise_distance).all()


@of("localization")
def test_runs_of_a_seed_start_alike_and_one_site_gates_give_known_fields(record):
    starts = record.fields.isel(step=0)
    assert (starts == starts.isel(order=0, gain=0)).all()
    assert not (starts.isel(seed=0) == starts.isel(seed=1)).any()
    # known for 40 sites, at gains 0.01 and 3; 12 sites give nearly the same
    np.testing.assert_allclose(record.bump_ipr.sel(order="long"), [0.41, 0.76], atol=0.01)


@of("steady-modes")
def test_slow_modes_and_fast_ones_survive(record):
    assert record.survivor.values.tolist() == [0, 6]
    np.testing.assert_allclose(record.time_scale_measured / record.time_scale, 1.0, atol=1e-3)


@of("gate-shaped-solution")
def test_gates_of_the_tiny_ring_agree_as_on_forty_sites(record):
    found = record.agreement.sel(gate="bump", label="positive")
    np.testing.assert_allclose(found, [0.937, 0.980], atol=0.01)


@of("elliptical")
def test_elliptical_fields_begin_on_their_flow(record):
    np.testing.assert_allclose(record.cosine.isel(step=0), 1.0, atol=1e-6)
    np.testing.assert_allclose(record["size"].isel(step=0), record.flow_size.isel(step=0), rtol=1e-5)
    np.testing.assert_allclose(record.constant, 2**-1.5, rtol=1e-6)  # of the Laplace law in any dimension


@of("erf-populations")
def test_erf_units_stay_on_the_flow_of_gaussian_data(record):
    assert record.flow_cosine.min() > 0.99
