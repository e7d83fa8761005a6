"""Ledger of a single ReLU neuron mode by mode, and of the Fourier basis. Section 2 of note 002, second half."""

import math

import numpy as np
from scipy.fft import dct
from scipy.linalg import circulant, eigh

from gatefield.data import line_correlation, ring_correlation, ring_spectrum
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.routes import relu_estimates as estimates
from gatefield.ledger.routes.relu_cases import STEPS, basis, frequency, modes, participation, path, rest, start, wrapped
from gatefield.theory import relu

LAM1, LAM0 = (np.fft.fft(wrapped(8, xi)[0]).real[(np.arange(8) + 1) // 2] for xi in (1.5, 0.7))
COS1, SIN1 = (wave(2 * np.pi * np.arange(8) / 8) / 2 for wave in (np.cos, np.sin))
DFT = np.exp(-2j * np.pi * np.outer(np.arange(40), np.arange(40)) / 40) / math.sqrt(40)
COUNTED = "eigenvalues of the Jacobian of equation 20, by central differences"


COSINE = np.cos(2 * np.pi * np.arange(40) / 40) * math.sqrt(2 / 40)
UNIT = "length of an eigenvector's image over its eigenvalue"


def _line(n: int, xi: float) -> np.ndarray:
    return np.exp(-(np.subtract.outer(np.arange(n), np.arange(n)) ** 2) / xi**2)


LINE1, LINE0 = _line(5, 2.0), _line(5, 1.0)


def _dct(n: int) -> np.ndarray:
    return np.asarray(dct(np.eye(n), norm="ortho", axis=0))


def _flat_rate() -> float:
    """How fast a flat addition grows at the rest on a cosine."""
    w, flat = (rest(0.3 * COS1, 1.5, 0.7, 80.0) @ COS1) * COS1, basis(8)[:, 0]
    return float(flat @ estimates.jacobian(w, wrapped(8, 1.5), wrapped(8, 0.7)) @ flat)


def _fourth_rest() -> np.ndarray:
    """A rest on a line of five sites, by the generalised eigenvectors of SciPy."""
    D, vectors = eigh(LINE0, LINE1)
    v = vectors[:, np.argsort(D)[3]]
    return math.sqrt(2 / math.pi) / (1 + np.sort(D)[3]) * v / math.sqrt(v @ LINE1 @ v)


def stepped(value: float, error: float = 1e-6) -> Estimate:
    return Estimate(float(value), error, STEPS)


def counted(w: np.ndarray, cov1: np.ndarray, cov0: np.ndarray) -> Estimate:
    return Estimate(estimates.unstable(w, cov1, cov0), 0.0, COUNTED)


def on_line() -> float:
    """sqrt(2/pi)/|w| where a neuron comes to rest on a line of five sites."""
    w = estimates.follow(start(5), LINE1, LINE0, 1000.0)
    return math.sqrt(2 / math.pi / (w @ LINE1 @ w))


def on_ring(column: int) -> np.ndarray:
    """The rest on one mode of a ring of 40 sites, found by steps along it."""
    w = basis(40)[:, column]
    return (rest(0.2 * w, 2.0, 1.0, 100.0) @ w) * w


def stability(k: int) -> Entry:
    """How many directions grow at the rest of frequency k."""
    column = max(2 * k - 1, 0)
    return Entry(
        name=f"sheet-unstable-{k}",
        source="sheet",
        place="single ReLU neuron",
        says=f"unstable directions of the rest of frequency {k} on a ring of 40 sites, xi = (2, 1)",
        status="holds",
        implements="theory.relu.growth_rates",
        value=lambda: float(np.sum(relu.growth_rates(column, modes(40, 2.0), modes(40, 1.0)) > 1e-12)),
        estimate=lambda: counted(on_ring(column), wrapped(40, 2.0), wrapped(40, 1.0)),
        note="one for each mode of smaller D = 1 + l0/l1",
    )


ENTRIES = (
    Entry(
        name="002-eq21",
        source="002",
        place="equation 21",
        says="gradient flow of a single neuron in the Fourier basis",
        status="holds",
        implements="theory.relu.mode_velocity",
        value=lambda: float(relu.mode_velocity(basis(8).T @ start(8), LAM1, LAM0)[1]),
        estimate=lambda: Estimate(
            -estimates.derivative(lambda e: estimates.loss((start(8) + e * COS1)[None], (wrapped(8, 1.5), wrapped(8, 0.7)))),
            1e-9,
            "central differences of a loss found by quadrature",
        ),
    ),
    Entry(
        name="002-no-solution",
        source="002",
        place="section 'Finding u_1'",
        says="the single-neuron equation cannot be solved exactly",
        status="holds with a condition",
        implements="theory.relu.single_path",
        value=lambda: float(path(40, 2.0, 1.0, 20.0)[0]),
        estimate=lambda: stepped(rest(start(40), 2.0, 1.0, 20.0)[0], 1e-8),
        note="it has no closed form, but reduces exactly to one equation for one number; shown is a weight at time 20",
    ),
    Entry(
        name="002-eq24",
        source="002",
        place="equations 22 to 24",
        says="at rest on mode k, l0/l1 + 1 = sqrt(2/pi)/|u|",
        status="holds",
        implements="theory.relu.steady_amplitude",
        value=lambda: float(math.sqrt(2 / math.pi / LAM1[1]) / relu.steady_amplitude(LAM1[1], LAM0[1])),
        estimate=lambda: stepped(
            math.sqrt(2 / math.pi) / math.sqrt(LAM1[1] * np.sum(rest(0.3 * COS1 + 0.1 * SIN1, 1.5, 0.7, 80.0) ** 2))
        ),
        printed=lambda: float(LAM0[1] / LAM1[1] + 1),
    ),
    Entry(
        name="002-eq25",
        source="002",
        place="equation 25",
        says="amplitude at rest on one mode",
        status="corrected",
        implements="theory.relu.steady_amplitude",
        value=lambda: float(relu.steady_amplitude(LAM1[0], LAM0[0])),
        estimate=lambda: stepped(float(np.linalg.norm(rest(np.full(8, 0.1), 1.5, 0.7)))),
        printed=lambda: math.sqrt(math.sqrt(2 / math.pi) / (LAM0[0] + LAM1[0])),
        note="the norm stands in equation 24, not its square: sqrt(2/pi) sqrt(l1)/(l0 + l1)",
    ),
    Entry(
        name="002-eq29",
        source="002",
        place="equations 26 to 31",
        says="l1-weighted square of the amplitudes at rest on a cosine and a sine",
        status="corrected",
        implements="theory.relu.steady_amplitude",
        value=lambda: float(LAM1[1] * relu.steady_amplitude(LAM1[1], LAM0[1]) ** 2),
        estimate=lambda: stepped(LAM1[1] * np.sum(rest(0.3 * COS1 + 0.1 * SIN1, 1.5, 0.7, 80.0) ** 2)),
        printed=lambda: math.sqrt(2 / math.pi) / (1 + LAM0[1] / LAM1[1]),
        note="2/(pi D^2) with D = 1 + l0/l1, not sqrt(2/pi)/D: the same slip as in equation 25",
    ),
    Entry(
        name="002-one-or-two-modes",
        source="002",
        place="section 'Finding u_1'",
        says="only one or two modes of a single neuron are nonzero",
        status="holds with a condition",
        implements="theory.relu.single_path",
        value=lambda: participation(path(40, 0.5, 1.0, 2e4)),
        estimate=lambda: stepped(participation(rest(start(40), 0.5, 1.0, 2e4)), 1e-3),
        note="in the limit of long times, for one neuron on Gaussian (or elliptical) data on a ring; the number of frequencies",
    ),
    Entry(
        name="002-one-or-two-modes-in-figure-1",
        source="002",
        place="section 'Finding u_1', at the end of figure 1",
        says="one frequency carries a single neuron at time 20",
        status="refuted",
        implements="theory.relu.single_path",
        value=lambda: participation(path(40, 2.0, 1.0, 20.0)),
        estimate=lambda: stepped(participation(rest(start(40), 2.0, 1.0, 20.0)), 1e-5),
        printed=lambda: 1.0,
        note="learning rate 0.01 times 2,000 steps is time 20, far from the limit; the number of frequencies",
    ),
    Entry(
        name="002-smallest-inverse-sum",
        source="002",
        place="section 'Finding u_1'",
        says="the mode of smallest 1/(l0 + l1) wins",
        status="refuted",
        implements="theory.relu.winning_mode",
        value=lambda: float(relu.winning_mode(ring_spectrum(8, 0.5), ring_spectrum(8, 1.0))),
        estimate=lambda: Estimate(frequency(rest(start(8), 0.5, 1.0)), 0.0, STEPS),
        printed=lambda: float(np.argmax(ring_spectrum(8, 0.5) + ring_spectrum(8, 1.0))),
        note="only the ratio l0/l1 decides, and its smallest value wins; frequencies for xi = (0.5, 1)",
    ),
    Entry(
        name="002-flat-limit",
        source="002",
        place="section 'Finding u_1'",
        says="in the very long limit the field is flat",
        status="holds with a condition",
        implements="theory.relu.winning_mode",
        value=lambda: float(relu.winning_mode(ring_spectrum(8, 2.0), ring_spectrum(8, 1.0))),
        estimate=lambda: Estimate(frequency(rest(start(8), 2.0, 1.0)), 0.0, STEPS),
        note="if the positive class has the longer range; the winning frequency for xi = (2, 1)",
    ),
    Entry(
        name="002-flat-limit-short-range",
        source="002",
        place="section 'Finding u_1'",
        says="the same if the positive class has the shorter range",
        status="refuted",
        implements="theory.relu.winning_mode",
        value=lambda: float(relu.winning_mode(ring_spectrum(8, 1.0), ring_spectrum(8, 2.0))),
        estimate=lambda: Estimate(frequency(rest(start(8), 1.0, 2.0, 4000.0)), 0.0, STEPS),
        printed=lambda: 0.0,
        note="the highest frequency wins, slowly: on a ring of 40 sites within some 1e4 tau; here 8 sites, xi = (1, 2)",
    ),
    Entry(
        name="002-eq32",
        source="002",
        place="equation 32",
        says="a circulant matrix acts as a convolution",
        status="holds",
        implements="data.ring_correlation",
        value=lambda: float((circulant(ring_correlation(12, 1.5)) @ start(12))[3]),
        estimate=lambda: Estimate(
            float(np.fft.irfft(np.fft.rfft(wrapped(12, 1.5)[0]) * np.fft.rfft(start(12)), 12)[3]), 1e-12, "convolution by FFT"
        ),
    ),
    Entry(
        name="002-circulant-kernel",
        source="002",
        place="after equation 20",
        says="exp(-(i-j)^2/xi^2) is circulant",
        status="refuted",
        implements="data.line_correlation",
        value=lambda: estimates.off_diagonal(DFT.conj().T @ line_correlation(40, 2.0) @ DFT),
        estimate=lambda: Estimate(
            estimates.off_diagonal(np.fft.ifft(np.fft.fft(_line(40, 2.0), axis=1), axis=0)), 1e-10, "FFT of rows and columns"
        ),
        printed=lambda: 0.0,
        note="it is Toeplitz; wrapped around the ring it is circulant. The relative norm off the diagonal in the Fourier basis",
    ),
    Entry(
        name="002-eq33",
        source="002",
        place="equation 33",
        says="a circulant matrix is diagonal in the Fourier basis",
        status="holds",
        implements="data.ring_spectrum",
        value=lambda: float(ring_spectrum(40, 2.0)[3]),
        estimate=lambda: Estimate(float((DFT[:, 3].conj() @ wrapped(40, 2.0) @ DFT[:, 3]).real), 1e-12, "quadratic form"),
        note="the eigenvalue of frequency 3",
    ),
    Entry(
        name="002-eq33-coefficients",
        source="002",
        place="after equation 33",
        says="multiplying a vector by F gives its coefficients in the columns of F",
        status="corrected",
        implements="data.fourier_basis",
        value=lambda: float((basis(12).T @ start(12))[1]),
        estimate=lambda: Estimate(float(math.sqrt(2 / 12) * np.fft.rfft(start(12))[1].real), 1e-12, "FFT"),
        printed=lambda: float((basis(12) @ start(12))[1]),
        note="the transpose of F does, as the note has it elsewhere; for the complex basis the conjugate transpose",
    ),
    Entry(
        name="002-eq35",
        source="002",
        place="equations 34 and 35",
        says="real and imaginary parts of the Fourier columns make an orthogonal matrix",
        status="corrected",
        implements="data.fourier_basis",
        value=lambda: float(np.sum(basis(40)[:, 1] ** 2)),
        estimate=lambda: Estimate(float(np.linalg.norm(wrapped(40, 2.0) @ COSINE) / modes(40, 2.0)[1]), 1e-12, UNIT),
        printed=lambda: float(np.sum(DFT[:, 1].real ** 2)),
        note="they are eigenvectors, but of squared length 1/2 for 0 < k < n/2: multiply by sqrt 2",
    ),
    Entry(
        name="002-sine-cosine-transform",
        source="002",
        place="after equation 20",
        says="circulant covariances are diagonal in the discrete sine/cosine transform",
        status="corrected",
        implements="data.fourier_basis",
        value=lambda: estimates.off_diagonal(basis(40).T @ wrapped(40, 2.0) @ basis(40)),
        estimate=lambda: Estimate(0.0, 1e-12, "a symmetric circulant matrix has the cosines and sines as eigenvectors"),
        printed=lambda: estimates.off_diagonal(_dct(40) @ wrapped(40, 2.0) @ _dct(40).T),
        note="the right name is the real Fourier basis; the printed number is that of the cosine transform (DCT-II)",
    ),
    Entry(
        name="sheet-steady-loss",
        source="sheet",
        place="single ReLU neuron",
        says="loss at rest on one mode",
        status="holds",
        implements="theory.relu.steady_loss",
        value=lambda: float(relu.steady_loss(LAM1[0], LAM0[0])),
        estimate=lambda: stepped(
            estimates.loss(rest(start(8), 1.5, 0.7)[None], (wrapped(8, 1.5), wrapped(8, 0.7))), error=1e-8
        ),
    ),
    Entry(
        name="sheet-growth-rates",
        source="sheet",
        place="single ReLU neuron",
        says="rate at which frequency 0 grows at the rest of frequency 1",
        status="holds",
        implements="theory.relu.growth_rates",
        value=lambda: float(relu.growth_rates(1, LAM1, LAM0)[0]),
        estimate=lambda: Estimate(_flat_rate(), 1e-7, COUNTED),
    ),
    *(stability(k) for k in (0, 1, 2, 20)),
    Entry(
        name="sheet-generalised-modes",
        source="sheet",
        place="single ReLU neuron",
        says="on covariances that are not circulant the neuron rests where S0 v = (D - 1) S1 v, at the smallest D",
        status="holds",
        implements="theory.relu.generalised_modes",
        value=lambda: float(relu.generalised_modes(LINE1, LINE0)[0][0]),
        estimate=lambda: stepped(on_line()),
        note="D on a line of five sites; the modes there do not move independently of each other",
    ),
    Entry(
        name="sheet-generalised-stability",
        source="sheet",
        place="single ReLU neuron",
        says="as many directions of such a rest are unstable as there are modes of smaller D",
        status="holds",
        implements="theory.relu.generalised_modes",
        value=lambda: float(np.sum(relu.generalised_modes(LINE1, LINE0)[0] < relu.generalised_modes(LINE1, LINE0)[0][3])),
        estimate=lambda: counted(_fourth_rest(), LINE1, LINE0),
        note="the fourth mode of a line of five sites",
    ),
)
