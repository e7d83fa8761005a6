"""The real Fourier basis, and what it diagonalises."""

from collections.abc import Sequence
from typing import Annotated, Any, cast

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field
from scipy.fft import dct

from gatefield.data import Gaussian, fourier_basis
from gatefield.experiments.matrices import off_diagonal
from gatefield.experiments.needs import Need, exactly, holding, lacking
from gatefield.lab import Bench, Experiment, Parameters, Verdict
from gatefield.lab.kinds import Count, LengthScale, Seed
from gatefield.plot import signed_matrix
from gatefield.theory import relu

BOUNDARIES = ("ring", "line")
BASES = ("fourier", "dct")
NAMES = {"fourier": "Fourier basis", "dct": "DCT-II basis", "ring": "ring", "line": "line"}
LINE_LEFT = {1.0: 0.07, 2.0: 0.13, 5.0: 0.21}
"""What the Fourier basis leaves off the diagonal on a line of 40 sites, by length scale."""
DCT_LEFT = 0.177
"""What the discrete cosine transform leaves off the diagonal on a ring of 40 sites, at length scale 2."""


GATED = 1e-9
"""What rounding may leave off the diagonal of a moment behind gates, whose closed form takes some more steps."""
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
        "orthonormality": (("transform",), [abs(b.T @ b - np.eye(p.n)).max() for b in bases]),
        "printed_norm": ((), _printed_norm(p.n), {"long_name": "squared norm of Re v_1 as printed"}),
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
    out = [
        Verdict.below(
            "the real Fourier basis diagonalises the ring's covariance",
            1e-12,
            float(record.off_diagonal.sel(transform="fourier", boundary="ring").max()),
            predicted=0.0,
            of="off-diagonal norm over the whole",
            kind="claim",
            source="note 002, equation 33",
            note="the largest over length scales",
        ),
        Verdict.below(
            "the columns of the real Fourier basis are orthonormal",
            1e-12,
            float(record.orthonormality.sel(transform="fourier")),
            predicted=0.0,
            of="largest error of a product of columns",
            kind="prediction",
            source="note 002, equations 34 and 35, with the factor √2 that they leave out",
            note=f"as printed the squared norm of a cosine or sine is {float(record.printed_norm):.4f}",
        ),
    ]
    return [*out, *_known(record.off_diagonal, record.sizes["position"]), *_moving(record)]


def _known(left: xr.DataArray, n: int) -> list[Verdict]:
    """What is known to be left off the diagonal on 40 sites."""
    line, ring = left.sel(transform="fourier", boundary="line"), left.sel(transform="dct", boundary="ring")
    claim, note = "the Fourier basis does not diagonalise the covariance of a line", "the note calls exp(-(i-j)²/ξ²) circulant"
    out = [_left(claim, xi, expected, line, n, f"{note}; it is Toeplitz") for xi, expected in LINE_LEFT.items()]
    claim = "the discrete cosine transform does not diagonalise the covariance of the ring"
    note = "the note calls its basis the discrete sine/cosine transform; it is the real Fourier basis"
    return [*out, _left(claim, 2.0, DCT_LEFT, ring, n, note)]


def _left(claim: str, xi: float, expected: float, left: xr.DataArray, n: int, note: str) -> Verdict:
    claim, source = f"{claim}, at length scale {xi:g}", "note 002, section on the Fourier basis, corrected"
    words: Any = {"kind": "reproduction", "source": source, "note": note}
    if why := lacking(exactly("n", 40, n), holding("xis", [xi], left.xi.values)):
        return Verdict.not_judged(claim, why, **words)
    of = "off-diagonal norm over the whole"
    return Verdict.within(claim, expected, float(left.sel(xi=xi)), atol=0.005, of=of, **words)


def _moving(record: xr.Dataset) -> list[Verdict]:
    """Whether one basis serves at all times while gates move: it does if it serves behind every gate."""
    claims = (
        "the real Fourier basis diagonalises A behind every single half-space gate, so that it serves at all times",
        "the real Fourier basis diagonalises what couples two gates that overlap",
    )
    words: Any = {"kind": "claim", "source": MOVING}
    if "behind_one" not in record:
        why = lacking(Need("moments behind gates", "none", {"gates": Settings().gates}))
        return [Verdict.not_judged(claim, why, **words) for claim in claims]
    one, two = record.behind_one, record.behind_two
    each = ", ".join(
        f"{float(two.sel(xi=xi).min()):.2f} to {float(two.sel(xi=xi).max()):.2f} at ξ = {xi:g}" for xi in two.xi.values
    )
    words |= {"expected": 0.0, "of": "off-diagonal norm over the whole"}
    return [
        Verdict.below(
            claims[0],
            GATED,
            one.max(),
            note=f"the largest over {one.size} random gates and length scales. Half of the covariance passes a half-space "
            "through 0, whichever it is, if the data are symmetric: A_kk = (S0 + S1)/4. Exclusive gates have no other blocks",
            **words,
        ),
        Verdict.below(
            claims[1],
            GATED,
            two.max(),
            note=f"gates on two sites, over their distance: {each}. The couplings A_jk of moving gates that overlap have no "
            "one basis: ledger, 000-one-basis-overlapping",
            **words,
        ),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.0, 6.8))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.05]))
    upper, lower = top.subplots(1, 3, width_ratios=[1.1, 1.1, 1.0]), bottom.subplots(1, 3)
    _gates_panel(upper[0], record)
    _column_panel(upper[1], record)
    _share_panel(upper[2], record)
    xi = min(record.xi.values, key=lambda value: abs(value - 2.0))
    shown = [("fourier", "ring"), ("fourier", "line"), ("dct", "ring")]
    image = None
    for axes, letter, (transform, boundary) in zip(lower, "def", shown, strict=True):
        image = _rotated_panel(axes, record.sel(transform=transform, boundary=boundary, xi=xi))
        share = _share_text(float(record.off_diagonal.sel(transform=transform, boundary=boundary, xi=xi)))
        axes.set_title(f"({letter}) {NAMES[boundary]} in the {NAMES[transform]}\n{share}", fontsize=10)
    bottom.colorbar(image, ax=lower, label="fourth root of the entry, with its sign", shrink=0.9)
    bottom.suptitle(f"covariance of length scale {xi:g} sites, in each basis", fontsize="medium")
    return figure


def _printed_norm(n: int) -> float:
    """Squared norm of the real part of a DFT column of frequency 1, without further normalisation."""
    return float(np.sum(np.cos(2 * np.pi * np.arange(n) / n) ** 2) / n)


def _gates_panel(axes: Any, record: xr.Dataset) -> None:
    """What is left off the diagonal behind one gate, and between two gates on single sites."""
    axes.set(title="(a) behind gates, Fourier basis")
    if "behind_two" not in record:
        axes.text(0.5, 0.5, "not in this record", ha="center", transform=axes.transAxes)
        return
    for i, xi in enumerate(record.xi.values):
        axes.plot(record.distance, record.behind_two.sel(xi=xi), "os^Dv"[i % 5] + "-", markersize=3.5, label=f"two, ξ = {xi:g}")
    axes.plot([0], [float(record.behind_one.max())], "*", color="k", markersize=12, clip_on=False, label="one gate, any")
    axes.set(xlabel="distance of two one-site gates (sites)", ylabel="off-diagonal norm / norm")
    axes.set(ylim=(-0.01, 1.5 * float(record.behind_two.max())))
    axes.legend(loc="upper right", ncols=2, fontsize=8)


def _column_panel(axes: Any, record: xr.Dataset) -> None:
    basis = record.basis.sel(transform="fourier")
    for mode, style, label in [(0, "-", "k = 0"), (5, "o-", "k = 3, cosine"), (6, "s--", "k = 3, sine")]:
        axes.plot(record.position, basis.isel(mode=mode), style, markersize=3, label=label)
    limit = float(abs(basis).max())
    axes.set(
        xlabel="position (site)", ylabel="entry", title="(b) three columns of that basis", ylim=(-1.15 * limit, 2.3 * limit)
    )
    axes.legend(loc="upper left")


def _share_panel(axes: Any, record: xr.Dataset) -> None:
    styles = {("dct", "ring"): "^--", ("fourier", "line"): "s-", ("dct", "line"): "v--", ("fourier", "ring"): "o-"}
    for i, ((transform, boundary), style) in enumerate(styles.items()):
        share = record.off_diagonal.sel(transform=transform, boundary=boundary)
        axes.plot(record.xi, share, style, color=f"C{i}", label=f"{boundary}, {'DCT-II' if transform == 'dct' else 'Fourier'}")
    axes.set(xlabel="length scale ξ (sites)", ylabel="off-diagonal norm / norm", title="(c) off the diagonal")
    axes.set_ylim(-0.01, 1.65 * float(record.off_diagonal.max()))
    axes.legend(loc="upper left")


def _rotated_panel(axes: Any, one: xr.Dataset) -> Any:
    """The covariance in a basis; the fourth root makes small entries visible."""
    root = np.sign(one.rotated) * abs(one.rotated) ** 0.25
    image = signed_matrix(axes, root, limit=float(abs(root).max()))
    axes.set(xlabel="mode", ylabel="mode")
    return image


def _share_text(share: float) -> str:
    return f"off-diagonal norm {share:.1g}" if share < 1e-9 else f"{share:.0%} off the diagonal"


experiment = Experiment(
    name="fourier-basis",
    title="What does the real Fourier basis diagonalise: the ring, the line, what gates let through?",
    source="note 002, figure 2 and equations 32 to 35; note 000, section 5, idea 1",
    text="The theory of a single neuron follows the field in a basis in which both covariances are diagonal. On a ring that is "
    "the real Fourier basis: the flat vector, a cosine and a sine of each frequency, and for even n the alternating "
    "vector. It is not the discrete cosine transform. It does not diagonalise exp(-(i-j)²/ξ²) on a line, which is a "
    "Toeplitz matrix and not a circulant one. Note 000 asks whether one basis could serve at all times while the gates of a "
    "gated linear network move. Symmetric data keep half of their covariance behind a half-space gate through the origin, "
    "whichever way it points: A stays what it is, and only b moves. So on a ring the Fourier basis serves at all times for "
    "one gate, or for gates that exclude each other. For gates that overlap it would also have to diagonalise what couples "
    "them, A_jk; panel (a) shows how much of it is off the diagonal for two gates of one site each. The lower row shows a "
    "covariance in each basis, where all that is off the diagonal couples the modes. Nothing is trained.",
    Parameters=Settings,
    presets={"full": {}, "quick": {}},
    durations={"quick": "3 s", "full": "3 s"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
