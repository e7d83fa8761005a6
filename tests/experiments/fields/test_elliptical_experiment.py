"""Verdicts and figure of `elliptical` on made-up records, and its flow against the Gaussian one."""

import numpy as np
import pydantic
import pytest
import xarray as xr
from drawn import assert_drawn, panel
from field_records import assert_only, ending, figure, judge, seeds, unjudged
from judging import scrambled

from gatefield import flow
from gatefield.data import Gaussian
from gatefield.experiments.fields.elliptical import Settings, _flows
from gatefield.theory import relu

LAWS = ["student:3", "student:4.5", "sphere"]
DIMS = ("law", "seed", "step", "unit")


def made(ipr=0.09, flow_ipr=0.03, control=0.6, cosine=0.95, size=1.0, wild_cosine=0.95, wild_size=1.0):
    """Sizes are over those of the flow. The first law is wild: of it the seed that is furthest off is asked for."""
    sizes = np.stack([[1.0, wild_size, 1.0], seeds(1.02), seeds(size)])
    each = {
        "ipr": seeds([0.05, ipr, 0.04]),
        "flow_ipr": seeds([0.02, flow_ipr, 0.02]),
        "cosine": np.stack([[0.97, wild_cosine, 0.99], seeds(0.96), seeds(cosine)]),
        "size": 3 * sizes,
        "flow_size": np.full((3, 3), 3.0),
    }
    data = {name: (DIMS, ending(values)[..., None]) for name, values in each.items()}
    data["control_ipr"] = (DIMS[1:], ending(seeds(control), before=0.1)[..., None])
    data |= {name: ((*DIMS, "position"), np.ones((3, 3, 3, 1, 6))) for name in ("fields", "flow_fields")}
    data["control_fields"] = ((*DIMS[1:], "position"), np.ones((3, 3, 1, 6)))
    data |= {"tame": ("law", [False, True, True]), "constant": ("law", [0.3, 0.1, 0.2])}
    return xr.Dataset(data, {"law": LAWS, "time": ("step", [0.0, 1.0, 30.0])}, {"control_gain": 3.0})


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"ipr": 0.0999}, True),
        (0, {"ipr": 0.1001}, False),
        (1, {"control": 0.3001}, True),
        (1, {"control": 0.2999}, False),
        (2, {"cosine": 0.9}, True),
        (2, {"cosine": 0.8999}, False),
        (3, {"size": 1.0499}, True),
        (3, {"size": 0.9501}, True),
        (3, {"size": 1.0501}, False),
        (3, {"size": 0.9499}, False),
        (4, {"wild_cosine": 0.9}, True),
        (4, {"wild_cosine": 0.8999}, False),
        (5, {"wild_size": 1.0499}, True),
        (5, {"wild_size": 0.9501}, True),
        (5, {"wild_size": 1.0501}, False),
        (5, {"wild_size": 0.9499}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("elliptical", made(**change), place, expected)


def test_laws_without_fourth_moments_are_judged_by_themselves():
    verdicts = judge("elliptical", made(cosine=0.93, size=0.97, wild_cosine=0.3, wild_size=1.5))
    assert [v.holds for v in verdicts] == [True, True, True, True, False, False]
    assert [v.measured for v in verdicts] == pytest.approx([0.09, 0.6, 0.93, 0.97, 0.3, 1.5])
    assert [[b.predicted for b in v.bounds] for v in verdicts] == [
        pytest.approx([0.02, 0.03, 0.02]),
        [None],
        *[[1.0, 1.0]] * 2,
        *[[1.0]] * 2,
    ]
    assert [[b.at for b in v.table] for v in verdicts[3:5]] == [["Student t, 4.5 d.f.", "Sphere"], ["Student t, 3 d.f."]]
    assert [v.claim.endswith(("are finite", "are infinite")) for v in verdicts[2:]] == [True] * 4
    assert [unjudged("elliptical", made().isel(law=laws)) for laws in ([0, 1], [0], [1, 2])] == [[], [2, 3], [4, 5]]


def test_the_law_and_the_control_are_the_headline():
    first, control = judge("elliptical", made())[:2]
    assert first.sentence == "none of 3 elliptical laws localizes the field (median IPR at 30 τ at most 0.09)"
    assert control.sentence == "squashed data localize a field in the same time (IPR 0.60)"
    first, control = judge("elliptical", made(ipr=0.2, control=0.1))[:2]
    assert first.sentence == "elliptical data localize the field within 30 τ: Student t, 4.5 d.f. (median IPR 0.20)"
    alone = judge("elliptical", made().isel(law=[1]))[0]
    assert alone.sentence == "elliptical data do not localize the field (median IPR at 30 τ at most 0.09)"
    assert control.sentence == "squashed data do not localize a field in this time either (IPR 0.10)"
    assert control.outcome == "off"


def test_figure():
    record = scrambled(made())
    drawn = figure("elliptical", record)
    top, sizes = panel(drawn, "(a)"), panel(drawn, "(b)")
    for i, name in enumerate(["Student t, 3 d.f.", "Student t, 4.5 d.f.", "Sphere"]):
        ipr, constant = record.ipr.values[i, :, :, 0], np.full(3, record.constant.values[i])
        assert_drawn(top, np.median(ipr, axis=0), at=[0, 1, 30], color=f"C{i}", label=name)
        band = top.collections[i].get_paths()[0].vertices
        np.testing.assert_allclose([band[:, 1].min(), band[:, 1].max()], [ipr.min(), ipr.max()])
        assert_drawn(sizes, record["size"].values[i, :, -1, 0], at=constant, color=f"C{i}", label=name)
    flows = np.median(np.median(record.flow_ipr.values[..., 0], axis=1), axis=0)
    assert_drawn(top, flows, color="k", label="exact flow")
    assert_drawn(top, np.median(record.control_ipr.values[..., 0], axis=0), color="0.5", style="-")
    least = np.floor(1000 * record.cosine.values[0, :, -1, 0].min()) / 1000
    assert panel(drawn, "(c)").get_title(loc="left").endswith(f"Student t, 3 d.f.:\nno 4th moment, cosine ≥ {least:.3f}")
    tame = np.floor(1000 * record.cosine.values[2, :, -1, 0].min()) / 1000
    assert drawn.axes[4].get_title(loc="left") == f"Sphere: ≥ {tame:.3f}"
    ends, law = (np.median(record[name].values[..., -1, 0], axis=-1) for name in ("control_ipr", "ipr"))
    words = [f"control: squashed, gain 3, {ends:.2f}", f"elliptical laws, at most {law.max():.2f} at 30 τ", "flat field, 1/n",
             "localized above 0.15"]  # fmt: skip
    assert [text.get_text() for text in top.texts] == words
    order = np.argsort(record.constant.values)
    ends = np.median(record.flow_size.values[:, :, -1, 0], axis=1)
    assert_drawn(sizes, ends[order], at=record.constant.values[order], label="exact flow")
    for i, axes in enumerate(drawn.axes[2:5]):
        assert_drawn(axes, record.fields.values[i, 0, -1, 0], color=f"C{i}", marker="osD"[i])
        assert_drawn(axes, record.flow_fields.values[i, 0, -1, 0], color="k", style="-")
    assert_drawn(drawn.axes[5], record.control_fields.values[0, -1, 0], color="0.3", marker="o")


@pytest.mark.slow
def test_flow_of_each_law_is_its_own():
    # a field scales with the law's constant, so the Gaussian law's path is the exact Gaussian flow, whatever stands beside it
    p = Settings(n=8, laws=("sphere", "gaussian"), seeds=2)
    starts = np.random.default_rng(0).normal(size=(2, 2, 1, 1, 8))
    record = xr.Dataset({"fields": ((*DIMS, "position"), np.repeat(starts, 2, 2))}, {"time": ("step", [0.0, 5.0])})
    found = _flows(record, p)
    cov1, cov0 = (Gaussian(8, xi).covariance() for xi in (p.xi1, p.xi0))
    exact = flow(lambda w: relu.velocity(w, cov1, cov0), starts[1, :, 0], [0.0, 5.0]).fields.values
    np.testing.assert_allclose(found[1, :, :, 0], exact[:, :, 0], atol=1e-8)
    assert np.abs(found[0] - found[1]).max() > 0.01


def test_a_wrong_law_is_refused_before_anything_runs():
    with pytest.raises(pydantic.ValidationError, match="Unknown radial law 'studnet'"):
        Settings(laws=("studnet:3",))
