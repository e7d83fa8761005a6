"""Note 003, section 2, Gaussian and elliptical data: f in closed form, equation 6 and its steady states."""

from functools import partial

from gatefield.core.estimate import Estimate
from gatefield.data import Gaussian, ring_spectrum
from gatefield.ledger.notes.note_003 import holds, holds_if
from gatefield.ledger.notes.note_003.drift import FIELD, POLAR, RING, SITE
from gatefield.ledger.routes import calculus, gaussian, neuron, rings
from gatefield.theory import drift, elliptical

RING0 = rings.ring(6, 0.8)
elliptic = partial(
    holds_if,
    place="section 2, elliptical data",
    says="the drift is g(w'Cw) Cw with g of order x^(-1/2)",
    implements="theory.elliptical.constant",
    right=r"f(w) = c\,(w^\top\Sigma w)^{-\frac{1}{2}}\,\Sigma w,\quad c = \frac{1}{2}\mathbb{E}|T|",
)


def size(pair: tuple[float, float]) -> Estimate:
    return Estimate(*pair, "quadrature over the marginal density")


def laplace_descent() -> float:
    """Minus the slope of half the mean squared error on Laplace data, with E relu = |w| E|T|/2."""
    constant = neuron.laplace_size()[0]
    return -calculus.derivative(lambda e: neuron.loss(FIELD + e * SITE, RING, RING0, constant), 1e-4, order=2)


def length_at_rest(xi1: float, xi0: float, constant: float) -> Estimate:
    """From a random start on a ring of 11 sites, after so long a time that only one frequency is left."""
    end = neuron.on_ring(neuron.start(11), xi1, xi0, 6000.0, constant)
    return Estimate(float((end @ end) ** 0.5), 1e-6, "Runge-Kutta steps to time 6000 from a random start")


FORMULAS = {
    "003-gaussian": holds(
        place="section 2, Gaussian data",
        says="f(w) = Cw/sqrt(2 pi w'Cw)",
        implements="theory.drift",
        value=lambda: drift(Gaussian(6, 1.5), FIELD)[2],
        estimate=lambda: Estimate(gaussian.open_mean(FIELD, RING)[2], 1e-12, POLAR),
        right=r"f(w) = \frac{1}{\sqrt{2\pi}}(w^\top\Sigma w)^{-\frac{1}{2}}\,\Sigma w",
    ),
    "003-elliptical-gaussian": elliptic(
        value=lambda: elliptical.constant("gaussian", 5),
        estimate=lambda: size(neuron.normal_size()),
        note="exactly c x^(-1/2) with c = E|T|/2, T a marginal of unit variance; Gaussian: 1/sqrt(2 pi)",
    ),
    "003-elliptical-laplace": elliptic(
        value=lambda: elliptical.constant("laplace", 5),
        estimate=lambda: size(neuron.laplace_size()),
        note="exactly c x^(-1/2); Laplace: c = 1/(2 sqrt 2)",
    ),
    "003-elliptical-student-3": elliptic(
        value=lambda: elliptical.constant("student:3", 5),
        estimate=lambda: size(neuron.student_size(3.0)),
        note="exactly c x^(-1/2); Student t with 3 degrees of freedom: c = 1/pi",
    ),
    "003-elliptical-student-5": elliptic(
        value=lambda: elliptical.constant("student:5", 5),
        estimate=lambda: size(neuron.student_size(5.0)),
        note="exactly c x^(-1/2); Student t with 5 degrees of freedom: c = 0.367553",
    ),
    "003-elliptical-sphere": elliptic(
        value=lambda: elliptical.constant("sphere", 5),
        estimate=lambda: size(neuron.sphere_size()),
        note="exactly c x^(-1/2); on a sphere in 5 dimensions: c = 0.419263",
    ),
    "003-eq6": holds_if(
        place="equation 6",
        says="velocity of one neuron on elliptical data, mode by mode",
        implements="theory.elliptical.velocity",
        value=lambda: elliptical.velocity(FIELD, RING, RING0, "laplace")[0],
        estimate=lambda: Estimate(laplace_descent(), 1e-7, "central differences of the loss, its mean output by quadrature"),
        printed=lambda: 2 * laplace_descent(),
        right=r"\tau\frac{du}{dt} = \frac{1}{2} g(u^\top\Lambda_1 u)\,\Lambda_1 u - \frac{1}{4}(\Lambda_0 + \Lambda_1)u",
        printed_equation=r"\tau\frac{du}{dt} = g(u^\top\Lambda_1 u)\,\Lambda_1 u - \frac{1}{2}(\Lambda_0 + \Lambda_1)u",
        note="for a loss without the half; for half the mean squared error, as in equation 4, both terms are half as large",
    ),
    "003-one-mode": holds(
        place="section 2, after equation 6",
        says="the limit is one mode or a pair of modes",
        implements="theory.elliptical.steady_amplitude",
        value=lambda: elliptical.steady_amplitude(ring_spectrum(11, 1.0)[0], ring_spectrum(11, 0.6)[0], "laplace", 11),
        estimate=lambda: length_at_rest(1.0, 0.6, neuron.laplace_size()[0]),
        right=r"|u| = \frac{2c\sqrt{\lambda_1}}{\lambda_0 + \lambda_1}",
        note="that of largest lambda_1/(lambda_0 + lambda_1), here flat; its length is 2c sqrt(lambda_1)/(lambda_0 + lambda_1)",
    ),
    "003-two-modes": holds(
        place="section 2, after equation 6",
        says="the limit is one mode or a pair of modes",
        implements="theory.elliptical.steady_amplitude",
        value=lambda: elliptical.steady_amplitude(ring_spectrum(11, 0.6)[5], ring_spectrum(11, 1.0)[5], "student:5", 11),
        estimate=lambda: length_at_rest(0.6, 1.0, neuron.student_size(5.0)[0]),
        right=r"|u| = \frac{2c\sqrt{\lambda_1}}{\lambda_0 + \lambda_1}",
        note="if the positive class has the shorter range, the highest frequency, a pair of modes on a ring of odd length",
    ),
}
