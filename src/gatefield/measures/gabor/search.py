"""Least squares for ring Gabors: a coarse search over places, widths and frequencies, then Levenberg-Marquardt.

The descent is written here rather than taken from optimistix because fields that have converged drop out of it, and narrow
envelopes alone pay for their many aliases: the same fits with `optimistix.LevenbergMarquardt` under `vmap`, with limits by
substitution, leave as little over but take four to seven times as long, besides compiling.
"""

import dataclasses

import numpy as np
from jaxtyping import Bool, Complex, Float

from gatefield.measures.gabor.atom import atom, atom_and_slopes

Fields = Float[np.ndarray, "batch n"]
Row = Float[np.ndarray, " batch"]

_NARROWEST = 0.15
"""Sites; there a centred envelope holds a single site to 1e-9."""
_WIDEST = 2.0
"""Rings; there the envelope is flat to rounding."""
_SCALES = 8
"""Widths to start from. Neighbours differ by a factor of about 1.7, less than the range that a descent comes back from."""
_RIDGE = 1e-10
"""Part of the trace added to the Gram matrix of an atom's real and imaginary parts, which are parallel at f = 0 and n/2."""
_ITERATIONS = 60
"""Half of the starts settle within 5 to 30 steps; on white noise a tenth of them are stopped here, in flat valleys."""
_SETTLED = 1e-8
"""A field is settled when the next step promises to take away no more than this share of what is left over."""
_ROUNDING = 1e-26
"""A promise below this is the square of rounding errors: fields have unit norm."""
_FIRST_DAMPING, _LESS, _MORE, _STUCK = 1e-2, 0.2, 5.0, 1e8
"""Damping relative to the diagonal: at first, its factor after a step that helped and after one that did not, and the limit
beyond which steps are rounding."""


@dataclasses.dataclass(frozen=True)
class Fit:
    """Parameters of the best atom for each field, its complex coefficient, and the square that it leaves over."""

    mu: Row
    s: Row
    f: Row
    coefficient: Complex[np.ndarray, " batch"]
    rest: Row

    def parts(self) -> tuple[np.ndarray, ...]:
        return self.mu, self.s, self.f, self.coefficient, self.rest

    def where(self, take: Bool[np.ndarray, " batch"], other: "Fit") -> "Fit":
        """For each field, the other fit where `take` is true."""
        return Fit(*(np.where(take, b, a) for a, b in zip(self.parts(), other.parts(), strict=True)))


@dataclasses.dataclass(frozen=True)
class Band:
    """Which atoms are allowed: f from `low` to `high`, or f = 0 alone if both are 0; s from 0.15 sites to two rings.

    Points are (mu, log s, f), or (mu, log s) for f = 0.
    """

    n: int
    low: float
    high: float

    @property
    def plain(self) -> bool:
        return self.high == 0

    @property
    def limits(self) -> np.ndarray:
        """Lowest and highest values of the parameters."""
        edges = [[-np.inf, np.inf], np.log([_NARROWEST, _WIDEST * self.n]), [self.low, self.high]]
        return np.array(edges[: 2 if self.plain else 3]).T

    def frequencies(self) -> np.ndarray:
        """Trial frequencies, half a cycle apart."""
        return np.zeros(1) if self.plain else np.arange(self.low, self.high + 0.25, 0.5)

    def point(self, mu: np.ndarray, s: float, f: np.ndarray) -> np.ndarray:
        parts = [mu, np.full(len(mu), np.log(s)), f]
        return np.clip(np.stack(parts[: 2 if self.plain else 3], axis=-1), *self.limits)

    def parameters(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """mu, s and f."""
        return point[:, 0] % self.n, np.exp(point[:, 1]), np.zeros(len(point)) if self.plain else point[:, 2]


def search(w: Fields, band: Band) -> Fit:
    """The best atom with a carrier in the band, for each field."""
    scales = np.geomspace(0.5, band.n / 2, _SCALES)
    best, *others = (_refine(w, band, _start(w, band, s)) for s in scales)
    for fit in others:
        best = best.where(fit.rest < best.rest, fit)
    return best


def _start(w: Fields, band: Band, s: float) -> np.ndarray:
    """For each field, the best of all atoms of width s with a trial frequency and their centre on a site."""
    f = band.frequencies()
    g = atom(band.n, np.zeros(len(f)), np.full(len(f), s), f)
    overlap = np.fft.ifft(np.fft.fft(w)[:, None] * np.fft.fft(g).conj(), axis=-1)
    basis = _basis(g, band)
    target = np.stack([overlap.real, overlap.imag], axis=2)[:, :, : basis.shape[1]]
    explained = np.sum(target * (np.linalg.inv(_gram(basis)) @ target), axis=2)
    which, mu = np.divmod(explained.reshape(len(w), -1).argmax(axis=1), band.n)
    return band.point(mu, s, f[which])


def _refine(w: Fields, band: Band, point: np.ndarray) -> Fit:
    """Levenberg-Marquardt on the parameters that are not linear; rows that have converged drop out."""
    damping, live = np.full(len(w), _FIRST_DAMPING), np.arange(len(w))
    state = _Linear.at(w, band, point)
    for _ in range(_ITERATIONS):
        here = state.take(live)
        trial = np.clip(point[live] + here.step(damping[live], _held(point[live], here.gradient, band)), *band.limits)
        there = _Linear.at(w[live], band, trial)
        promised = np.sum((trial - point[live]) * here.gradient, axis=1)
        better = there.rest < here.rest
        state.put(live[better], there.take(better))
        point[live[better]] = trial[better]
        damping[live] *= np.where(better, _LESS, _MORE)
        live = live[(promised > _SETTLED * here.rest + _ROUNDING) & (damping[live] < _STUCK)]
        if not len(live):
            break
    return Fit(*band.parameters(point), state.coefficient, state.rest)


def _held(point: np.ndarray, gradient: np.ndarray, band: Band) -> Bool[np.ndarray, "batch p"]:
    """Parameters that lie at a limit and would leave it."""
    low, high = band.limits
    return ((point <= low) & (gradient < 0)) | ((point >= high) & (gradient > 0))


@dataclasses.dataclass
class _Linear:
    """The problem around a point, with the coefficient solved for: what is left over, its normal matrix and its gradient."""

    coefficient: Complex[np.ndarray, " batch"]
    rest: Row
    normal: Float[np.ndarray, "batch p p"]
    gradient: Float[np.ndarray, "batch p"]

    @classmethod
    def at(cls, w: Fields, band: Band, point: np.ndarray) -> "_Linear":
        mu, s, f = band.parameters(point)
        g, *slopes = atom_and_slopes(band.n, mu, s, f)
        basis = _basis(g, band)
        inverse = np.linalg.inv(_gram(basis))
        solution = (inverse @ (basis @ w[:, :, None]))[:, :, 0]
        coefficient = solution[:, 0] + 1j * (0 if band.plain else solution[:, 1])
        residual = w - (solution[:, None] @ basis)[:, 0]
        jacobian = np.stack([(coefficient[:, None] * d).real for d in slopes[: point.shape[1]]], axis=1)
        jacobian -= (jacobian @ basis.swapaxes(1, 2)) @ inverse @ basis
        return cls(
            coefficient,
            np.sum(residual**2, axis=1),
            jacobian @ jacobian.swapaxes(1, 2),
            (jacobian @ residual[:, :, None])[:, :, 0],
        )

    def step(self, damping: Row, held: Bool[np.ndarray, "batch p"]) -> np.ndarray:
        """The damped Gauss-Newton step with some parameters held, of at most one site, one e-fold and one cycle."""
        normal = np.where(held[:, :, None] | held[:, None], 0.0, self.normal)
        diagonal = np.einsum("bpp->bp", normal)
        floor = 1e-12 * diagonal.max(axis=1, keepdims=True) + 1e-30  # held parameters leave zeros on the diagonal
        damped = normal + np.eye(diagonal.shape[1]) * (damping[:, None] * diagonal + floor)[:, :, None]
        return np.clip(np.linalg.solve(damped, np.where(held, 0.0, self.gradient)[:, :, None])[:, :, 0], -1.0, 1.0)

    def take(self, rows: np.ndarray) -> "_Linear":
        return _Linear(*(getattr(self, x.name)[rows] for x in dataclasses.fields(self)))

    def put(self, rows: np.ndarray, other: "_Linear") -> None:
        for x in dataclasses.fields(self):
            getattr(self, x.name)[rows] = getattr(other, x.name)


def _basis(g: Complex[np.ndarray, "batch n"], band: Band) -> Float[np.ndarray, "batch basis n"]:
    """Real fields whose combinations are Re(c g): for a plain bump g itself."""
    return np.real(g)[:, None] if band.plain else np.stack([np.real(g), -np.imag(g)], axis=1)


def _gram(basis: Float[np.ndarray, "batch basis n"]) -> Float[np.ndarray, "batch basis basis"]:
    gram = basis @ basis.swapaxes(1, 2)
    return gram + _RIDGE * np.trace(gram, axis1=1, axis2=2)[:, None, None] * np.eye(basis.shape[1])
