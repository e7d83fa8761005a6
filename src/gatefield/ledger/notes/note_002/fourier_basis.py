"""Note 002, section 2, 'Fourier transforms', and what follows equation 20: circulant covariances. Equations 32 to 35."""

import math

import numpy as np
from scipy.fft import dct
from scipy.linalg import circulant

from gatefield.core.estimate import Estimate
from gatefield.data import fourier_basis, line_correlation, ring_correlation, ring_spectrum
from gatefield.ledger.notes.note_002 import corrected, holds, refuted
from gatefield.ledger.routes import rings
from gatefield.ledger.routes.neuron import start

DFT = rings.dft(40)
RING, LINE = rings.ring(40, 2.0), rings.line(40, 2.0)
COSINE = np.cos(2 * np.pi * np.arange(40) / 40) * math.sqrt(2 / 40)
DCT = np.asarray(dct(np.eye(40), norm="ortho", axis=0))


FORMULAS = {
    "002-eq32": holds(
        place="equation 32",
        says="a circulant matrix acts as a convolution",
        implements="data.ring_correlation",
        value=lambda: (circulant(ring_correlation(12, 1.5)) @ start(12))[3],
        estimate=lambda: Estimate(
            np.fft.irfft(np.fft.rfft(rings.wrapped(12, 1.5)) * np.fft.rfft(start(12)), 12)[3], 1e-12, "convolution by FFT"
        ),
        number="fourth entry of Sigma x; ring of 12 sites, xi = 1.5",
        right=r"(\Sigma x)_i = \sum_j c_{i - j}\,x_j",
    ),
    "002-circulant-kernel": refuted(
        place="after equation 20",
        says="the covariance exp(-(i-j)^2/xi^2) is circulant",
        implements="data.line_correlation",
        value=lambda: rings.off_diagonal(DFT.conj().T @ line_correlation(40, 2.0) @ DFT),
        estimate=lambda: Estimate(rings.off_diagonal(rings.in_fourier(LINE)), 1e-10, "FFT of rows and columns"),
        printed=lambda: rings.off_diagonal(rings.in_fourier(circulant(LINE[0]))),
        number="norm off the diagonal in the Fourier basis, relative to the whole; 40 sites, xi = 2",
        right=r"\Sigma_{ij} \propto \sum_p e^{-(i - j + pn)^2/\xi^2}",
        printed_equation=r"\Sigma_{ij} = e^{-(i - j)^2/\xi^2}",
        note="it is Toeplitz; wrapped around the ring it is circulant",
    ),
    "002-eq33": holds(
        place="equation 33",
        says="a circulant matrix is diagonal in the Fourier basis",
        implements="data.ring_spectrum",
        value=lambda: ring_spectrum(40, 2.0)[3],
        estimate=lambda: Estimate(np.real(DFT[:, 3].conj() @ RING @ DFT[:, 3]), 1e-12, "quadratic form"),
        number="eigenvalue of frequency 3; ring of 40 sites, xi = 2",
        right=r"F_{mj} = \frac{1}{\sqrt{n}}\,\omega^{mj},\quad \omega = e^{-2\pi i/n}",
    ),
    "002-eq33-coefficients": corrected(
        place="after equation 33",
        says="multiplying a vector by the Fourier matrix F gives its coefficients in the columns of F",
        implements="data.fourier_basis",
        value=lambda: (np.asarray(fourier_basis(12)).T @ start(12))[1],
        estimate=lambda: Estimate(math.sqrt(2 / 12) * np.fft.rfft(start(12))[1].real, 1e-12, "FFT"),
        printed=lambda: (rings.basis(12) @ start(12))[1],
        number="coefficient of the first cosine; 12 sites",
        right=r"u = F^\top w",
        printed_equation=r"u = F w",
        note="the transpose of F does, as the note has it elsewhere; for the complex basis the conjugate transpose",
    ),
    "002-eq35": corrected(
        place="equations 34 and 35",
        says="real and imaginary parts of the complex Fourier columns make an orthogonal matrix",
        implements="data.fourier_basis",
        value=lambda: np.sum(np.asarray(fourier_basis(40))[:, 1] ** 2),
        estimate=lambda: Estimate(
            np.linalg.norm(RING @ COSINE) / rings.spectrum(40, 2.0)[1],
            1e-12,
            "length of an eigenvector's image over its eigenvalue",
        ),
        printed=lambda: np.sum(np.real(DFT[:, 1]) ** 2),
        number="squared length of the column of the first cosine; 40 sites",
        right=r"\sqrt{2}\,\mathrm{Re}\,v_j,\quad \sqrt{2}\,\mathrm{Im}\,v_j \quad (0 < j < \frac{n}{2})",
        printed_equation=r"\mathrm{Re}\,v_j,\quad \mathrm{Im}\,v_j",
        note="they are eigenvectors, but of squared length 1/2 for 0 < j < n/2: multiply by sqrt 2",
    ),
    "002-sine-cosine-transform": corrected(
        place="after equation 20",
        says="circulant covariances are diagonal in the discrete sine or cosine transform",
        implements="data.fourier_basis",
        value=lambda: rings.off_diagonal(np.asarray(fourier_basis(40)).T @ RING @ np.asarray(fourier_basis(40))),
        estimate=lambda: Estimate(0.0, 1e-12, "a symmetric circulant matrix has the cosines and sines as eigenvectors"),
        printed=lambda: rings.off_diagonal(DCT @ RING @ DCT.T),
        number="norm off the diagonal in the real Fourier basis, relative to the whole; printed: in the cosine transform "
        "(DCT-II)",
        right=r"\Lambda = F^\top\Sigma F,\quad F_{jk} \propto \cos\frac{2\pi jk}{n},\ \sin\frac{2\pi jk}{n}",
        note="the right name is the real Fourier basis; ring of 40 sites, xi = 2",
    ),
}
