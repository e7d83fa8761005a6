"""The real Fourier basis, and what it diagonalises."""

from collections.abc import Sequence
from typing import Annotated, Any, cast

import jax
import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from pydantic import Field
from scipy.fft import dct

from gatefield.data import Gaussian, fourier_basis
from gatefield.experiments.matrices import off_diagonal
from gatefield.lab import Bench, Experiment, Parameters, Verdict
from gatefield.lab.kinds import Count, LengthScale, Seed
from gatefield.lab.needs import Need, lacking
from gatefield.plot import WIDTH, legend_below, letter, say_setting, shades
from gatefield.theory import relu

BOUNDARIES = ("ring", "line")
BASES = ("fourier", "dct")
SHOWN = (("fourier", "ring"), ("fourier", "line"), ("dct", "ring"))
"""Basis and boundary of the covariances that are drawn."""
LOOKS = {
    ("fourier", "ring"): ("C0", "o-"),
    ("dct", "ring"): ("C0", "^--"),
    ("fourier", "line"): ("C1", "s-"),
    ("dct", "line"): ("C1", "v--"),
}
NAMES = {"fourier": "Fourier", "dct": "DCT", "ring": "ring", "line": "line"}
ROUNDING = 1e-9
"""What rounding may leave off the diagonal: closed forms behind gates take some steps."""
SMALLEST = 1e-2
"""Entries below this part of the largest one stay white: a thousand of them would have a third of its norm."""
SHARE = "norm of what is off the diagonal over that of the whole"
BASIS = "note 002, section on the Fourier basis"
MOVING = "note 000, section 5, idea 1"


class Settings(Parameters):
    """As in figure 2 of note 002; `xis` are the length scales of the covariances, `gates` the number of random gates."""

    n: Count = 40
    xis: Annotated[tuple[LengthScale, ...], Field(min_length=1)] = (1.0, 2.0, 5.0)
    gates: Count = 8
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    bases = np.stack([fourier_basis(p.n), np.transpose(cast(Any, dct(np.eye(p.n), axis=0, norm="ortho")))])
    covariances = np.stack([Gaussian(p.n, p.xis, boundary=boundary).covariance() for boundary in BOUNDARIES])
    rotated = np.einsum("bim,oxij,bjn->boxmn", bases, covariances, bases)
    data = {
        "basis": (("transform", "position", "mode"), bases),
        "covariance": (("boundary", "xi", "position", "position_"), covariances),
        "rotated": (("transform", "boundary", "xi", "mode", "mode_"), rotated, {"long_name": "covariance in the basis"}),
        "off_diagonal": (("transform", "boundary", "xi"), off_diagonal(rotated), {"long_name": "share off the diagonal"}),
    }
    data |= _behind_gates(p, bases[0], covariances[0])
    coords = {
        "distance": ("distance", np.arange(1, p.n // 2 + 1), {"units": "site"}),
        "transform": list(BASES),
        "boundary": list(BOUNDARIES),
        "xi": ("xi", list(p.xis), {"units": "site"}),
        "position": ("position", np.arange(p.n), {"units": "site"}),
        "frequency": ("mode", (np.arange(p.n) + 1) // 2, {"units": "cycles per ring", "long_name": "of the Fourier basis"}),
    }
    return xr.Dataset(data, coords, {"kind": "theory"})


def _behind_gates(p: Settings, basis: np.ndarray, rings: np.ndarray) -> dict[str, Any]:
    """What is left off the diagonal in the Fourier basis: behind single gates, and between two gates of one site each."""
    drawn = np.asarray(jax.random.normal(jax.random.key(p.seed), (p.gates, p.n)), float)
    sites = np.eye(p.n)[: p.n // 2 + 1]
    alone = [[_left_off(basis, v, v, cov) for v in drawn] for cov in rings]
    pairs = [[_left_off(basis, sites[0], v, cov) for v in sites[1:]] for cov in rings]
    return {
        "behind_one": (("xi", "gate"), alone, {"long_name": "share off the diagonal of A_kk, random half-space gates"}),
        "behind_two": (("xi", "distance"), pairs, {"long_name": "share off the diagonal of A_jk, gates on two sites"}),
    }


def _left_off(basis: np.ndarray, w: np.ndarray, v: np.ndarray, cov: np.ndarray) -> float:
    """Of E[1(<w, x> > 0) 1(<v, x> > 0) x x'] in the basis."""
    return float(off_diagonal(basis.T @ np.asarray(relu.gate_second_moment(w, v, cov)) @ basis))


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    return [_line(record.off_diagonal), _transform(record.off_diagonal), *_moving(record)]


def _line(left: xr.DataArray) -> Verdict:
    line, ring = (left.sel(transform="fourier", boundary=name) for name in ("line", "ring"))
    others = f"{_part(ring)} of a ring's"
    return Verdict.each(
        "the real Fourier basis diagonalises the covariance exp(-(i-j)²/ξ²) of a line",
        _rows(line),
        kind="claim",
        source=BASIS,
        note="the note calls this matrix circulant; it is Toeplitz, and circulant on a ring only",
        found=f"the Fourier basis leaves nothing of a line's covariance off the diagonal, {others}",
        otherwise=f"the Fourier basis leaves {_part(line)} of a line's covariance off the diagonal, {others}",
    )


def _transform(left: xr.DataArray) -> Verdict:
    return Verdict.each(
        "the discrete cosine transform (DCT-II) diagonalises the covariance of a ring",
        _rows(left.sel(transform="dct", boundary="ring")),
        kind="claim",
        source=BASIS,
        note="the note calls its basis the discrete sine/cosine transform; it is the real Fourier basis",
    )


def _rows(left: xr.DataArray) -> dict[str, Verdict]:
    """By length scale: the share off the diagonal, which only rounding may leave."""
    values = zip(left.xi.values, left.values, strict=True)
    return {f"length scale {xi:g}": Verdict.below("", ROUNDING, value, predicted=0.0, of=SHARE) for xi, value in values}


def _part(left: xr.DataArray) -> str:
    """The largest share off the diagonal in words, over length scales."""
    high = float(left.max())
    if high < ROUNDING:
        return "nothing"
    return f"up to {100 * high:.0f} %" if left.size > 1 else f"{100 * high:.0f} %"


def _moving(record: xr.Dataset) -> list[Verdict]:
    """Whether one basis serves at all times while gates move: it does if it serves behind every gate."""
    claims = (
        "on a ring the real Fourier basis diagonalises A behind every single half-space gate, so that it serves at all times",
        "on a ring the real Fourier basis diagonalises what couples two half-space gates that overlap",
    )
    words: Any = {"kind": "claim", "source": MOVING}
    checked: Any = {**words, "kind": "control"}
    if "behind_one" not in record:
        why = lacking(Need("moments behind gates", "none", {"gates": Settings().gates}))
        return [Verdict.not_judged(claim, why, **said) for claim, said in zip(claims, (checked, words), strict=True)]
    one, two = record.behind_one, record.behind_two.max("distance")
    return [
        Verdict.below(
            claims[0],
            ROUNDING,
            one.max(),
            predicted=0.0,
            of=SHARE,
            note=f"the largest over {one.size} random gates and length scales; an identity, which checks the closed form: for "
            "symmetric data A_kk is (S0 + S1)/4 behind any half-space through 0",
            **checked,
        ),
        Verdict.each(
            claims[1],
            _rows(two),
            note="gates on two sites, the largest over their distances; ledger: 000-one-basis-overlapping",
            found="two gates couple no modes",
            otherwise=f"two gates couple modes, by up to {100 * float(two.max()):.0f} %",
            **words,
        ),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 5.9))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.15, 1.0]))
    parts = top.subfigures(1, 2)
    upper, lower = [part.subplots() for part in parts], bottom.subplots(1, 3)
    _share_panel(upper[0], record)
    _gates_panel(upper[1], record)
    for part, axes in zip(parts, upper, strict=True):
        legend_below(part, axes, ncols=2)
    xi = min(record.xi.values, key=lambda value: abs(value - 2.0))
    shown = [record.sel(transform=transform, boundary=boundary, xi=xi) for transform, boundary in SHOWN]
    image = None
    for axes, one in zip(lower, shown, strict=True):
        size = abs(one.rotated) / float(abs(one.rotated).max())
        image = axes.imshow(size, norm=LogNorm(SMALLEST, 1), cmap=_map(), aspect="equal", interpolation="nearest")
        axes.set_xlabel("mode")
    lower[0].set_ylabel("mode")
    label = f"|entry| / largest,\nwhite below {SMALLEST:g}"
    bar = bottom.colorbar(image, ax=lower, label=label, shrink=0.9, pad=0.02)
    bar.set_ticks([SMALLEST, 0.1, 1], labels=[f"{SMALLEST:g}", "0.1", "1"])
    titles = [_basis_text(record), "between two gates modes are coupled"]
    letter([*upper, *lower], [*titles, *map(_rotated_text, shown)])
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        "off the diagonal: norm there over norm of the matrix",
        "Fourier modes: constant, cos 1, sin 1, cos 2, ...",
        "DCT: discrete cosine transform, modes of rising frequency",
        "(b) E[x\u00a0x'] of inputs that open both gates",
        f"(c) to (e): length scale {xi:g} sites",
        "closed forms, no training",
    )
    return figure


def _map() -> Any:
    """From white on, so that the eye takes little for little."""
    return colormaps["Blues"].with_extremes(under="white", bad="white")


def _share_panel(axes: Any, record: xr.Dataset) -> None:
    for (transform, boundary), (colour, look) in LOOKS.items():
        share = 100 * record.off_diagonal.sel(transform=transform, boundary=boundary)
        axes.plot(record.xi, share, look, color=colour, markersize=4, label=f"{boundary}, {NAMES[transform]}")
    line = 100 * record.off_diagonal.sel(transform="fourier", boundary="line")
    _say_largest(axes, record.xi.values, line.values, "C1", left=record.sizes["xi"] > 1)
    axes.set(xlabel="length scale ξ (sites)", ylabel="norm off the diagonal (%)")
    axes.margins(x=0.09)
    axes.set_ylim(-1, 110 * float(record.off_diagonal.max()))


def _gates_panel(axes: Any, record: xr.Dataset) -> None:
    """What is left off the diagonal behind one gate, and between two gates on single sites."""
    if "behind_two" not in record:
        axes.text(0.5, 0.5, "not in this record", ha="center", transform=axes.transAxes)
        return
    for i, (xi, colour) in enumerate(zip(record.xi.values, shades(record.sizes["xi"]), strict=True)):
        values = 100 * record.behind_two.sel(xi=xi)
        axes.plot(record.distance, values, "os^Dv"[i % 5] + "-", color=colour, markersize=3, linewidth=1.0, label=f"ξ = {xi:g}")
    most = record.behind_two.sel(xi=record.xi[int(record.behind_two.max("distance").values.argmax())])
    _say_largest(axes, record.distance.values, 100 * most.values, "k", left=False)
    one = 100 * float(record.behind_one.max())
    axes.plot([0], [one], "*", color="k", markersize=9, clip_on=False, zorder=5, label="one gate alone")
    axes.set(xlabel="distance of the two gates (sites)", ylabel="norm off the diagonal (%)")
    axes.set(ylim=(-0.5, 115 * float(record.behind_two.max())), xlim=(-0.5, None))


def _say_largest(axes: Any, places: np.ndarray, values: np.ndarray, colour: str, *, left: bool) -> None:
    """The largest value of a line in numbers: on its left, or above it."""
    at = int(values.argmax())
    look: Any = {"textcoords": "offset points", "color": colour, "fontsize": 8}
    where: Any = {"xytext": (-7, 1), "ha": "right"} if left else {"xytext": (0, 6), "ha": "center"}
    axes.annotate(f"{values[at]:.0f} %", (places[at], values[at]), **where, **look)


def _basis_text(record: xr.Dataset) -> str:
    """What the Fourier basis leaves off the diagonal of a ring and of a line."""
    parts = []
    for boundary in BOUNDARIES:
        share = 100 * record.off_diagonal.sel(transform="fourier", boundary=boundary)
        ends = [f"{value:.0f}" for value in (float(share.min()), float(share.max()))]
        parts.append(f"{boundary} {' to '.join(dict.fromkeys(ends))}")
    return f"Fourier basis: {', '.join(parts)} % off"


def _rotated_text(one: xr.Dataset) -> str:
    share = float(one.off_diagonal)
    words = "diagonal" if share < ROUNDING else f"{100 * share:.0f} % off"
    return f"{NAMES[str(one.boundary.values)]}, {NAMES[str(one.transform.values)]}: {words}"


experiment = Experiment(
    name="fourier-basis",
    title="What does the real Fourier basis diagonalise: the ring, the line, what gates let through?",
    source="note 002, figure 2 and equations 32 to 35; note 000, section 5, idea 1",
    text="The theory of a single neuron follows the field in a basis in which both covariances are diagonal. On a ring that "
    "is the real Fourier basis: the flat vector, a cosine and a sine of each frequency, and for even n the alternating "
    "vector. Does it serve on a line, does the discrete cosine transform (DCT) serve on a ring? And note 000 asks whether "
    "one basis could serve at all times while the gates of a gated linear network move. Nothing is trained.",
    caption="(a) How much of a covariance is off the diagonal, by length scale, for ring and line, in both bases. (b) The "
    "same of what passes gates, on a ring in the Fourier basis: nothing behind any single half-space gate (star), since "
    "symmetric data keep half of their covariance; but two gates of one site each that overlap are coupled by a matrix that "
    "is not diagonal. (c) to (e) Covariances themselves, sizes of their entries over the largest one, on a logarithmic scale: "
    "(c) a ring in the Fourier basis, (d) a line, (e) a ring in the DCT.",
    Parameters=Settings,
    presets={"full": {}, "quick": {}},
    durations={"quick": "3 s", "full": "3 s"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
