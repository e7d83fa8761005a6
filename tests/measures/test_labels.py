"""Every measure takes labelled arrays and labels what it gives; plain arrays and lists give plain arrays."""

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from gatefield import UserError, measures

RNG = np.random.default_rng(0)
FIELDS = xr.DataArray(
    RNG.normal(size=(2, 3, 8)),
    dims=("gain", "unit", "position"),
    coords={
        "gain": [1.0, 3.0],
        "time": ("gain", [5.0, 6.0]),
        "position": ("position", np.arange(8), {"units": "site"}),
        "step": 40,
    },
    attrs={"long_name": "weights", "units": "mV"},
)
HALF = RNG.normal(size=(2, 5, 9))
KERNELS = xr.DataArray(HALF @ HALF.swapaxes(1, 2), dims=("gain", "sample", "other"), coords={"gain": [1.0, 3.0]})

OF_FIELDS = {
    "ipr": (measures.ipr, [None]),
    "entropies": (measures.entropies, ["nat", "nat"]),
    "position_resultant": (measures.position_resultant, [None]),
    "localized": (measures.localized, [None]),
    "peak_position": (measures.peak_position, ["site"]),
    "frequency_resultant": (measures.frequency_resultant, [None]),
    "spreads": (measures.spreads, ["site", "cycles per ring"]),
    "harper_slack": (measures.harper_slack, [None]),
}


def parts(found):
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", OF_FIELDS)
def test_labels_in_labels_out(name):
    measure, units = OF_FIELDS[name]
    plain = parts(measure(FIELDS.values))
    for fields in (FIELDS, FIELDS.transpose("position", "gain", "unit")):  # the order of dimensions does not matter
        found = parts(measure(fields))
        assert len(found) == len(units)
        for array, values, unit in zip(found, plain, units, strict=True):
            assert array.dims == ("gain", "unit")
            assert set(array.coords) == {"gain", "time", "step"}
            assert array.attrs.get("units") == unit
            assert array.attrs["long_name"] not in ("", "weights")
            assert isinstance(array.data, np.ndarray)
            np.testing.assert_array_equal(array, values)


@pytest.mark.parametrize("name", OF_FIELDS)
def test_another_dimension_can_be_read(name):
    measure, _ = OF_FIELDS[name]
    renamed, plain = parts(measure(FIELDS.rename(position="site"), dim="site")), parts(measure(FIELDS))
    for one, other in zip(renamed, plain, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(
        UserError, match=r"reads along the dimension 'position', but the array has the dimensions .gain, unit.;"
    ):
        measure(FIELDS.isel(position=0))


@pytest.mark.costly
@pytest.mark.parametrize("name", OF_FIELDS)
def test_arrays_and_lists_give_arrays(name):
    measure, _ = OF_FIELDS[name]
    field = FIELDS.values[0, 0]
    plain, listed = parts(measure(field)), parts(measure(field.tolist()))
    traced = parts(jax.jit(measure)(jnp.asarray(field)))
    for one, two, three in zip(plain, listed, traced, strict=True):
        assert isinstance(one, np.ndarray)
        assert isinstance(two, np.ndarray)
        assert isinstance(three, jax.Array)
        assert one.dtype in (np.float64, np.int64, np.bool_)
        np.testing.assert_array_equal(one, two)
        np.testing.assert_allclose(three, one, rtol=1e-4, atol=1e-5)


def test_dimensions_that_stay_keep_their_place_and_coordinates():
    turned = FIELDS.transpose("unit", "position", "gain")
    signal = measures.analytic_signal(turned)
    assert signal.dims == turned.dims
    np.testing.assert_array_equal(signal.position, FIELDS.position)
    np.testing.assert_allclose(signal.real, turned, atol=1e-12)


def test_a_second_labelled_argument_is_matched_by_its_coordinates():
    alpha = xr.DataArray([0.2, 0.9], dims="gain", coords={"gain": [1.0, 3.0]})
    found = measures.harper_slack(FIELDS, alpha)
    np.testing.assert_array_equal(found[1], measures.harper_slack(FIELDS.values[1], 0.9))
    np.testing.assert_array_equal(measures.harper_slack(w=FIELDS, alpha=alpha), found)
    with pytest.raises(UserError, match="w and alpha do not fit each other; select the same from both"):
        measures.harper_slack(FIELDS, alpha.assign_coords(gain=[1.0, 2.0]))


def test_samples_are_read_along_their_own_dimension():
    samples = xr.DataArray(RNG.exponential(size=(50, 4)), dims=("sample", "site"), coords={"site": [3, 4, 5, 6]})
    found = measures.excess_kurtosis(samples)
    assert found.dims == ("site",)
    np.testing.assert_array_equal(found, measures.excess_kurtosis(samples.values))
    np.testing.assert_array_equal(measures.excess_kurtosis(samples.T, dim="sample"), found)


def test_distances_are_elementwise():
    i = xr.DataArray([1, 7], dims="unit", coords={"unit": [4, 5]})
    found = measures.circular_distance(i, 0, 8)
    assert found.values.tolist() == [1, 1]
    assert found.unit.values.tolist() == [4, 5]
    assert found.attrs["units"] == "site"
    assert measures.circular_distance([1, 5], [7, 1], 8).tolist() == [2, 4]


def test_kernels_are_read_along_their_last_two_dimensions():
    sums = measures.cumulative_spectrum(KERNELS)
    assert sums.dims == ("gain", "mode")
    np.testing.assert_array_equal(sums, measures.cumulative_spectrum(KERNELS.values))
    y = np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    nu = measures.label_alignment(KERNELS, y, 1e-3)
    assert nu.dims == ("gain",)
    np.testing.assert_array_equal(nu, measures.label_alignment(KERNELS.values, y, 1e-3))
    labels = xr.DataArray(y, dims="sample")
    np.testing.assert_array_equal(measures.label_alignment(KERNELS, labels, 1e-3), nu)
    turned = KERNELS.transpose("sample", "other", "gain")
    np.testing.assert_array_equal(measures.label_alignment(turned, labels, 1e-3, dim=("sample", "other")), nu)


def test_a_gabor_fit_of_labelled_fields_is_a_dataset():
    fields = xr.DataArray(
        measures.gabor(12, [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]], 1.5, 2.0),
        dims=("seed", "unit", "position"),
        coords={"seed": [10, 11]},
    )
    fit, plain = measures.gabor_fit(fields), measures.gabor_fit(fields.values)
    assert isinstance(fit, xr.Dataset)
    assert set(fit.data_vars) == set(plain._fields)
    for name, values in plain._asdict().items():
        assert fit[name].dims == ("seed", "unit")
        np.testing.assert_array_equal(fit[name], values)
    assert (fit.s.attrs["units"], fit.f.attrs["units"], fit.phi.attrs["units"]) == ("site", "cycles per ring", "rad")
    one = measures.gabor_fit(fields.isel(seed=0, unit=1))
    assert one.mu.dims == ()
    assert float(one.mu) == pytest.approx(4.0, abs=1e-6)


def test_the_added_argument_stands_in_the_signature():
    assert list(inspect.signature(measures.harper_slack).parameters) == ["w", "alpha", "dim"]
    assert inspect.signature(measures.ipr).parameters["dim"].default == "position"


def test_a_result_fits_into_its_record():
    record = FIELDS.to_dataset(name="fields")
    record["ipr"] = measures.ipr(record.fields)
    assert record.ipr.sel(gain=3.0, unit=2).item() == pytest.approx(float(measures.ipr(FIELDS.values[1, 2])))
