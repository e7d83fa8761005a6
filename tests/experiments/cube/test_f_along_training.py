"""What is read off a field along training, against direct sums; verdicts and figure on records made by hand."""

import functools

import jax
import judging
import numpy as np
import pytest
import xarray as xr

from gatefield.data import Hypercube, NonlinearGP
from gatefield.experiments.cube.f_along_training import experiment
from gatefield.experiments.cube.f_along_training.figure import dropped
from gatefield.experiments.cube.f_along_training.simulate import head_sizes, site_drifts
from gatefield.experiments.cube.f_along_training.verdicts import takeover
from gatefield.experiments.many_drifts import sampled_drifts


def test_head_sizes_take_the_first_small_error_though_later_ones_rise():
    errors = np.array([[0.2, 0.04, 0.06, 0.0], [0.005, 0.3, 0.3, 0.0]])
    assert head_sizes(errors, (0.01, 0.05)).tolist() == [[4, 2], [1, 1]]


def test_a_head_may_err_on_exactly_the_share_of_samples():
    """25 of 500 samples, as a sum in float32 has it: 0.0500000045."""
    errors = np.nextafter(np.float32(25 / 500), np.float32(1)) * np.array([[4.0, 1.0, 1.0, 0.0]], np.float32)
    assert head_sizes(errors, (0.01, 0.05)).tolist() == [[4, 2]]


def test_takeover_is_the_time_from_which_on_one_form_stays_ahead():
    one = xr.Dataset(
        {
            "gaussian_distance": (("seed", "step"), np.full((3, 4), 0.5)),
            "site_distance": (("seed", "step"), np.array([[1, 0.1, 0.6, 0.2], [1, 0.1, 0.2, 0.1], [0.1, 0.1, 0.1, 0.9]])),
        },
        {"time": ("step", [0.0, 1.0, 2.0, 4.0])},
    )
    assert takeover(one).values.tolist() == [4.0, 1.0, np.inf]


def test_drift_of_the_largest_entry_alone_is_half_a_column_of_the_covariance_on_the_cube():
    fields = np.array([[0.1, -0.2, 0.9, 0.3, 0.0, 0.1], [0.1, -0.8, 0.4, 0.3, 0.0, 0.1]])
    cov = np.asarray(Hypercube(6, 1.5).covariance(), float)
    np.testing.assert_allclose(site_drifts(fields, 1.5, np.inf), [cov[2] / 2, -cov[1] / 2], atol=1e-6)


@pytest.mark.slow
def test_sampled_drifts_agree_with_plain_means():
    source = NonlinearGP(6, np.array([1.0, 2.0]), np.array([1.0, np.inf]))
    fields = np.array([[1.0, 1, 1, 1, 1, 1], [0.9, -0.4, 0.3, 0.2, 0.7, -0.1]])
    found = sampled_drifts(source, fields, jax.random.key(0), 20_000)
    x = np.asarray(source.sample(jax.random.key(1), 30_000), float)
    for r in range(2):
        for f, w in enumerate(fields):
            terms = 0.5 * x[r] * np.sign((x[r] @ w).round(5))[:, None]
            spread = np.hypot(found.error[r, f], terms.std(0) / np.sqrt(len(terms)))
            assert np.all(np.abs(found.value[r, f] - terms.mean(0)) < 4.5 * spread)
            assert np.all(found.error[r, f] < terms.std(0) / np.sqrt(20_000))


def test_head_has_dropped_when_half_way_in_its_logarithm_and_else_the_middle_is_shown():
    assert dropped(np.array([32, 20, 9, 8, 2])) == 3
    assert dropped(np.array([5, 7, 9, 8, 6])) == 2


GAINS, XI, SEEDS, TIMES, N = (1.0, 3.0, np.inf), ("2, 1", "1, 2"), 10, (0.0, 1.0, 3.0, 9.0), 40


def seeds(middle):
    """Ten values whose median is `middle`; their mean, least and largest are not."""
    return np.array([0.0, 9.0, middle, 0.0, 9.0, 8.0, 0.0, middle, 7.0, 0.0])


def made():
    """A record in which f leaves the Gaussian form at the last time, and heads drop to 2, or 3 but for one percent."""
    rng = np.random.default_rng(0)
    shape = (2, 3, SEEDS, 4)
    axes, forms = ("pair", "gain", "seed", "step"), ("pair", "gain", "step", "position")
    site = np.broadcast_to([0.9, 0.8, 0.7, 0.05], shape).copy()
    heads = np.broadcast_to([[30, 25], [20, 12], [12, 6], [3, 2]], (*shape, 2)).copy()
    return xr.Dataset(
        {
            "gaussian_distance": (axes, np.broadcast_to([0.01, 0.3, 0.5, 0.2], shape).copy()),
            "site_distance": (axes, site),
            "pull": (axes, rng.uniform(0.5, 1.0, shape)),
            "head_size": ((*axes, "share"), heads),
            **{name: (forms, rng.normal(size=(2, 3, 4, N))) for name in ("drift", "gaussian_form", "site_form")},
            "end": (("pair", "gain", "seed", "position"), rng.normal(size=(2, 3, SEEDS, N))),
        },
        {
            "pair": list(XI),
            "gain": list(GAINS),
            "seed": range(SEEDS),
            "share": [0.01, 0.05],
            "time": ("step", list(TIMES)),
            "xi1": ("pair", [2.0, 1.0]),
            "xi0": ("pair", [1.0, 2.0]),
            "position": np.arange(N),
        },
        {"steps": 2400, "learning_rate": 0.05},
    )


judged = functools.partial(judging.judged, experiment)


def test_all_hold_in_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert [v.holds for v in found] == [True] * 7
    assert [v.kind for v in found] == ["claim"] * 6 + ["prediction"]
    assert [v.source for v in found[:3]] == ["note 003, section 2"] * 2 + ["note 003, section 3"]
    assert [(v.predicted, v.measured) for v in found] == [(0, 0.01)] * 2 + [(1, 2), (1, 1)] * 2 + [(2, 2)]


@pytest.mark.parametrize("pair", XI)
@pytest.mark.parametrize("gain", range(3))
def test_the_start_is_judged_by_the_largest_median_over_gains(pair, gain):
    for off, holds in ((0.099, True), (0.101, False)):
        record = made()
        record.gaussian_distance[{"pair": XI.index(pair), "gain": gain, "step": 0}] = seeds(off)
        found = judged(record, f"ξ = ({pair}): at the start of training f has the Gaussian form")
        assert found.holds is holds
        assert found.measured == pytest.approx(off)
        assert f"gain {('1', '3', '∞')[gain]}: {off:.3g}" in found.note
        assert f"|f/2| is there {float(record.pull.sel(pair=pair)[:, :, 0].median()):.2f} of" in found.note


@pytest.mark.parametrize("pair", XI)
def test_the_head_is_judged_by_its_median_at_the_end_and_the_highest_gain(pair):
    """A tenth of forty entries are few. At all other gains, times and shares heads are large."""
    for middle, holds in ((4.0, True), (4.5, False)):
        record = made()
        record.head_size[{"gain": slice(0, 2)}] = 40
        record.head_size[{"share": 0}] = 39
        record.head_size[{"gain": 2, "step": 0, "share": 1}] = [1, 39, 25, 1, 39, 38, 1, 25, 37, 1]
        record.head_size[{"pair": XI.index(pair), "gain": 2, "step": 3, "share": 1}] = [
            1,
            9,
            4,
            1,
            9,
            8,
            1,
            2 * middle - 4,
            7,
            1,
        ]
        found = judged(record, f"ξ = ({pair}), gain ∞: at the end of training few entries decide")
        assert found.holds is holds
        assert found.measured == middle
        assert found.note.startswith("of 40 entries; 25 at the start. At the end, but for 1% of inputs, gain 1: 39, ")
        assert found.note.endswith(f"but for 5% of inputs, gain 1: 40, gain 3: 40, gain ∞: {middle:g}")


@pytest.mark.parametrize("pair", XI)
def test_one_site_must_be_nearer_in_nine_of_ten_seeds_at_the_highest_gain(pair):
    for late, holds in ((1, True), (2, False)):
        record = made()
        record.site_distance[{"gain": slice(0, 2)}] = 0.9
        record.site_distance[{"pair": XI.index(pair), "gain": 2, "seed": slice(0, late), "step": 3}] = 0.21
        record.site_distance[{"pair": XI.index(pair), "gain": 2, "seed": slice(5, 10), "step": 2}] = 0.1
        found = judged(record, f"ξ = ({pair}), gain ∞: at the end of training f is nearer")
        assert found.holds is holds
        assert found.measured == pytest.approx(1 - late / 10)
        texts = ["gain 1: 0.00, never, 0.200 and 0.900", "gain 3: 0.00, never, 0.200 and 0.900"]
        assert found.note.endswith("; ".join([*texts, f"gain ∞: {1 - late / 10:.2f}, from 3 τ on, 0.200 and 0.050"]))


def test_heads_must_not_grow_with_the_gain_for_any_pair():
    record = made()
    record.head_size[{"pair": 1, "gain": 0, "step": 3, "share": 1}] = [1, 9, 3, 1, 9, 8, 1, 3, 7, 1]
    record.head_size[{"pair": 1, "gain": 1, "step": 3}] = 1
    same = judged(record, "the higher the gain")
    assert same.holds
    assert same.note.endswith("(1, 2) [3.0, 1.0, 2.0]")
    record.head_size[{"pair": 1, "gain": 2, "step": 3, "share": 1}] = 4
    grown = judged(record, "the higher the gain")
    assert (grown.holds, grown.predicted, grown.measured) == (False, 2, 1)


def test_figure_shows_medians_and_quartiles_over_seeds():
    record = made()
    rng = np.random.default_rng(5)
    for name in ("gaussian_distance", "site_distance", "head_size"):
        record[name] = (record[name].dims, rng.integers(1, 40, record[name].shape))
    panels = np.array(experiment.figure(record).axes[:8]).reshape(4, 2)
    for column, (pair, title) in enumerate(
        zip(XI, ("$\\xi_1$ = 2 (+), $\\xi_0$ = 1", "$\\xi_1$ = 1 (+), $\\xi_0$ = 2"), strict=True)
    ):
        one = record.sel(pair=pair)
        assert panels[0, column].get_title() == title
        rows = one.head_size.sel(share=0.05), one.gaussian_distance, one.site_distance
        for axes, values in zip(panels[:3, column], rows, strict=True):
            for g in range(3):
                np.testing.assert_array_equal(axes.lines[g].get_xdata(), TIMES)
                np.testing.assert_allclose(axes.lines[g].get_ydata(), np.median(values[g], axis=0))
                band = axes.collections[g].get_paths()[0].vertices
                at = band[band[:, 0] == 3.0][:, 1]
                np.testing.assert_allclose([at.min(), at.max()], np.percentile(values[g, :, 2], [25, 75]))
        for g in range(3):
            thin = panels[0, column].lines[3 + g]
            np.testing.assert_allclose(thin.get_ydata(), np.median(one.head_size.sel(share=0.01)[g], axis=0))
        _, low, high = panels[3, column].lines
        for line, gain in ((low, 0), (high, 2)):
            field = one.end.values[gain, 0]
            peak = np.argmax(np.abs(field))
            np.testing.assert_array_equal(line.get_xdata(), np.arange(-20, 20))
            np.testing.assert_allclose(line.get_ydata(), [field[(peak + k) % N] / field[peak] for k in range(-20, 20)])


def test_figure_shows_f_and_its_forms_at_three_times():
    """The head of the first seed falls from 25 to 2: it is below their geometric mean, 7.1, at the third time."""
    record = made()
    record.head_size[{"seed": slice(1, None)}] = 1
    panels = experiment.figure(record).axes[8:]
    assert [axes.get_title() for axes in panels] == ["start: 0 τ, head 25", "the head drops: 3 τ, head 6", "end: 9 τ, head 2"]
    for axes, step in zip(panels, (0, 2, 3), strict=True):
        _, gaussian, site, drift = axes.lines
        for line, name in ((gaussian, "gaussian_form"), (site, "site_form"), (drift, "drift")):
            np.testing.assert_array_equal(line.get_ydata(), record[name][0, 2, step])
