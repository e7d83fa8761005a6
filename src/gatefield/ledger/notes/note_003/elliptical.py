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
    implements="theory.elliptical.constant",
    right=r"f(w) = c\,(w^\top\Sigma w)^{-\frac{1}{2}}\,\Sigma w,\quad c = \frac{1}{2}\mathbb{E}|T|",
    note="the note has a function of order x^(-1/2); it is exactly c x^(-1/2), T being a marginal of unit variance",
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
        says="drift f(w) on Gaussian data",
        implements="theory.drift",
        value=lambda: drift(Gaussian(6, 1.5), FIELD)[2],
        estimate=lambda: Estimate(gaussian.open_mean(FIELD, RING)[2], 1e-12, POLAR),
        number="f at the third site; ring of 6 sites, xi = 1.5",
        right=r"f(w) = \frac{1}{\sqrt{2\pi}}(w^\top\Sigma w)^{-\frac{1}{2}}\,\Sigma w",
    ),
    "003-elliptical-gaussian": elliptic(
        says="drift f(w) on elliptical data: the size of f for Gaussian ones",
        value=lambda: elliptical.constant("gaussian", 5),
        estimate=lambda: size(neuron.normal_size()),
        number="c for Gaussian data, 1/sqrt(2 pi)",
    ),
    "003-elliptical-laplace": elliptic(
        says="drift f(w) on elliptical data: the size of f for Laplace ones",
        value=lambda: elliptical.constant("laplace", 5),
        estimate=lambda: size(neuron.laplace_size()),
        number="c for Laplace data, 1/(2 sqrt 2)",
    ),
    "003-elliptical-student-3": elliptic(
        says="drift f(w) on elliptical data: the size of f for Student t with 3 degrees of freedom",
        value=lambda: elliptical.constant("student:3", 5),
        estimate=lambda: size(neuron.student_size(3.0)),
        number="c for Student t with 3 degrees of freedom, 1/pi",
    ),
    "003-elliptical-student-5": elliptic(
        says="drift f(w) on elliptical data: the size of f for Student t with 5 degrees of freedom",
        value=lambda: elliptical.constant("student:5", 5),
        estimate=lambda: size(neuron.student_size(5.0)),
        number="c for Student t with 5 degrees of freedom",
    ),
    "003-elliptical-sphere": elliptic(
        says="drift f(w) on elliptical data: the size of f on a sphere",
        value=lambda: elliptical.constant("sphere", 5),
        estimate=lambda: size(neuron.sphere_size()),
        number="c on a sphere in 5 dimensions",
    ),
    "003-eq6": holds_if(
        place="equation 6",
        says="gradient flow of one ReLU neuron on elliptical data, mode by mode",
        implements="theory.elliptical.velocity",
        value=lambda: elliptical.velocity(FIELD, RING, RING0, "laplace")[0],
        estimate=lambda: Estimate(laplace_descent(), 1e-7, "central differences of the loss, its mean output by quadrature"),
        printed=lambda: 2 * laplace_descent(),
        number="velocity at the first site; Laplace data on rings of 6 sites, xi = (1.5, 0.8)",
        right=r"\tau\frac{du}{dt} = \frac{1}{2} g(u^\top\Lambda_1 u)\,\Lambda_1 u - \frac{1}{4}(\Lambda_0 + \Lambda_1)u",
        printed_equation=r"\tau\frac{du}{dt} = g(u^\top\Lambda_1 u)\,\Lambda_1 u - \frac{1}{2}(\Lambda_0 + \Lambda_1)u",
        note="for a loss without the half; for half the mean squared error, as in equation 4, both terms are half as large",
    ),
    "003-one-mode": holds(
        place="section 2, after equation 6",
        says="on elliptical data a neuron ends on one mode, if the positive class has the longer range",
        implements="theory.elliptical.steady_amplitude",
        value=lambda: elliptical.steady_amplitude(ring_spectrum(11, 1.0)[0], ring_spectrum(11, 0.6)[0], "laplace", 11),
        estimate=lambda: length_at_rest(1.0, 0.6, neuron.laplace_size()[0]),
        number="length of its field; Laplace data on a ring of 11 sites, xi = (1, 0.6)",
        right=r"|u| = \frac{2c\sqrt{\lambda_1}}{\lambda_0 + \lambda_1}",
        note="the mode of largest lambda_1/(lambda_0 + lambda_1), here the flat one",
    ),
    "003-two-modes": holds(
        place="section 2, after equation 6",
        says="on elliptical data a neuron ends on a pair of modes, if the positive class has the shorter range",
        implements="theory.elliptical.steady_amplitude",
        value=lambda: elliptical.steady_amplitude(ring_spectrum(11, 0.6)[5], ring_spectrum(11, 1.0)[5], "student:5", 11),
        estimate=lambda: length_at_rest(0.6, 1.0, neuron.student_size(5.0)[0]),
        number="length of its field; Student t data (5 degrees of freedom) on a ring of 11 sites, xi = (0.6, 1)",
        right=r"|u| = \frac{2c\sqrt{\lambda_1}}{\lambda_0 + \lambda_1}",
        note="those of the highest frequency, of which a ring of odd length has a pair",
    ),
}
