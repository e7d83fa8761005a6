"""Verdicts and figure of `gaussian-neuron`, on made-up records."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_all_drawn, assert_drawn, panel
from field_records import assert_only, figure, judge
from judging import scrambled

STEPS = np.array([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100])
DIMS = ("run", "step", "unit", "position")


def made(distance=0.05, noise=0.1, loss=0.2, scatter=0.003):
    """The largest distance is that of one run on the way; the means of SGD's last losses lie `scatter` about their own mean."""
    distances, walks = np.full((3, 12), 0.01), np.tile(np.linspace(0, 1, 12), (3, 1)) * [[2 * noise], [noise], [2 * noise]]
    distances[1, 7] = distance
    wave = np.append(-0.9, np.full(9, 0.1))  # the mean of the last ten records counts, not the last nor their median
    off = np.append([9.0, 9.0], loss - 0.2 + scatter * np.tile([1.0, -1.0], 5))
    flow_loss = np.append([0.9, 0.8], 0.2 + 0.1 * wave)
    data = {
        "distance": (DIMS[:2], distances),
        "noise_distance": (DIMS[:2], walks),
        "flow_loss": (DIMS[:2], np.tile(flow_loss, (3, 1))),
        "loss": (DIMS[:2], np.tile(flow_loss + off, (3, 1))),
        "fields": (DIMS, np.ones((3, 12, 1, 9))),
        "flow_fields": (DIMS, np.ones((3, 12, 1, 9))),
    }
    return xr.Dataset(data, {"step": STEPS, "time": ("step", 0.01 * STEPS)}, {"length_scales": [2.0, 1.0], "batch_size": 50})


ERROR = 0.003 * np.sqrt(30 / 29) / np.sqrt(30)  # of the mean of 30 numbers 0.003 above and below it


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"distance": 0.1650}, True),
        (0, {"distance": 0.1652}, False),
        (0, {"distance": 0.1652, "noise": 0.2}, True),
        (1, {"loss": 0.2 + 2.99 * ERROR}, True),
        (1, {"loss": 0.2 - 2.99 * ERROR}, True),
        (1, {"loss": 0.2 + 3.01 * ERROR}, False),
        (1, {"loss": 0.2 - 3.01 * ERROR}, False),
        (1, {"loss": 0.2 - 3.01 * ERROR, "scatter": 0.004}, True),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("gaussian-neuron", made(**change), place, expected)


def test_numbers():
    verdicts = judge("gaussian-neuron", made(loss=0.201))
    assert [v.measured for v in verdicts] == pytest.approx([0.5, 0.201])
    assert [v.predicted for v in verdicts] == [None, pytest.approx(0.2)]
    assert verdicts[0].found.startswith("after 11 τ one neuron on Gaussian data is 1 % (median) away")


def test_the_error_of_the_loss_beside_what_is_explained():
    """A neuron that has only begun explains nothing: no share of it is told."""
    record = made()
    assert judge("gaussian-neuron", record)[1].note.endswith(
        f", {100 * 3 * ERROR / 0.05:.2g} % of what the neuron explains of 1/4"
    )
    early = record.assign(flow_loss=record.flow_loss + 0.06, loss=record.loss + 0.06)
    assert judge("gaussian-neuron", early)[1].note.endswith("3 standard errors are allowed")


def test_a_record_without_the_noise_of_batches_says_so():
    follows, _ = judge("gaussian-neuron", made().drop_vars("noise_distance"))
    assert follows.why == "needs the noise of the batches, has none; run with --set seeds=3 --fresh"


def test_figure():
    record = scrambled(made())
    drawn = figure("gaussian-neuron", record)
    trained, flow = record.fields.values[0, :, 0].T, record.flow_fields.values[0, :, 0].T
    for start, values in [("(a)", trained), ("(b)", trained - flow)]:
        (image,) = panel(drawn, start).images
        np.testing.assert_allclose(image.get_array(), values)
        assert image.get_clim()[1] == -image.get_clim()[0] == pytest.approx(abs(values).max())
    assert_drawn(panel(drawn, "(c)"), trained[:, -1], label="SGD")
    assert_drawn(panel(drawn, "(c)"), flow[:, -1], label="(c, d) exact flow")
    assert_all_drawn(panel(drawn, "(e)"), 100 * record.distance.values[:, 1:], marker="o")
    assert_drawn(panel(drawn, "(e)"), 100 * np.median(record.noise_distance.values, axis=0), color="black")
    (allowed,) = panel(drawn, "(e)").collections
    top = allowed.get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx(165.1 * np.median(record.noise_distance.values, axis=0).max(), rel=1e-3)  # for three seeds
    middle = float(np.median(record.distance.values[:, -1]))
    assert panel(drawn, "(e)").texts[0].get_text() == f"median\n{100 * middle:.2g} %"
    assert panel(drawn, "(b)").get_title(loc="left") == f"(b) SGD minus exact flow: up to {abs(trained - flow).max():.2g}"
    cosine = trained[:, -1] @ flow[:, -1] / np.linalg.norm(trained[:, -1]) / np.linalg.norm(flow[:, -1])
    assert panel(drawn, "(c)").get_title(loc="left") == f"(c) at the end: cosine {cosine:.3f}"
    heads = [
        panel(figure("gaussian-neuron", one), "(e)").get_title(loc="left")
        for one in (made(distance=0.165), made(distance=0.166), record.drop_vars("noise_distance"))
    ]
    assert heads == ["(e) all seeds within chance", *["(e) distance beside noise"] * 2]


def test_amplitudes_are_those_of_known_waves():
    # a wave A sqrt(2/n) cos(2 pi k j/n + phase) has the amplitude A at frequency k, whatever its phase; here n = 9
    record, j = made(), np.arange(9)
    for name, k, A in [("fields", 2, 0.7), ("flow_fields", 3, 1.9)]:
        record[name][0, -1, 0] = A * np.sqrt(2 / 9) * np.cos(2 * np.pi * k * j / 9 + 1.0)
    spectra = panel(figure("gaussian-neuron", record), "(d)")
    assert_drawn(spectra, np.array([0, 0, 0.7, 0, 0]), marker="o", atol=1e-12)
    assert_drawn(spectra, np.array([0, 0, 0, 1.9, 0]), color="black", atol=1e-12)
