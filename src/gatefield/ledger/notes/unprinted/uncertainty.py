"""Position and frequency of fields on a ring: bounds on spreads, resultants, entropies and supports; the ring Gabor."""

from functools import partial

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.data import fourier_basis
from gatefield.ledger.notes import unprinted
from gatefield.ledger.notes.note_002.uncertainty import PLACE, line_product
from gatefield.ledger.routes import uncertainty
from gatefield.measures import ONE_SIDED_BOUND, entropies, gabor, gabor_fit, harper_bound, harper_slack

holds, holds_if = (partial(make, place=PLACE) for make in (unprinted.holds, unprinted.holds_if))
NOISE = 0.05 * np.cos(5.0 * np.arange(16) ** 2)


def sum_of(field: np.ndarray) -> float:
    return float(np.add(*entropies(field)))


def real_basis_sum(n: int) -> float:
    """Entropy of a single site over the real Fourier basis."""
    p = np.asarray(fourier_basis(n))[0] ** 2
    return -np.sum(p * np.log(p + 1e-300))


FORMULAS = {
    "sheet-one-sided-bound": holds(
        says="least product of the spreads of a real field in position and in one-sided frequency",
        implements="measures.ONE_SIDED_BOUND",
        value=lambda: ONE_SIDED_BOUND,
        estimate=lambda: Estimate(uncertainty.one_sided_bound(), 1e-7, "half of the lowest eigenvalue, by finite differences"),
        number="the least product, half of de Gennes' constant",
    ),
    "sheet-one-sided-gaussian": holds(
        says="with the one-sided spread of frequencies a Gaussian does not have the least product",
        implements="measures.spreads",
        value=lambda: line_product(0.0, one_sided=True),
        estimate=lambda: Estimate(np.sqrt(1 - 2 / np.pi) / 2, 1e-4, "standard deviation of the half-normal law"),
        number="product of the spreads of a Gaussian on a line",
        right=r"\sigma_x\,\sigma_k^{+} = \frac{1}{2}\sqrt{1 - \frac{2}{\pi}}",
    ),
    "sheet-harper-bound": holds(
        says="bound on the circular means U of position and V of frequency: the largest eigenvalue of the Harper matrix",
        implements="measures.harper_bound",
        value=lambda: harper_bound(6, 0.4),
        estimate=lambda: Estimate(uncertainty.largest_sum(6, 0.4), 1e-6, "climbing over all complex fields"),
        number="the bound for n = 6, alpha = 0.4",
        right=r"\alpha U + (1 - \alpha)V \leq \lambda_{\max}[\alpha\cos\hat x + (1 - \alpha)\cos\hat p]",
        note="U and V are the lengths of the circular means; complex fields are allowed",
    ),
    "sheet-harper-gabor": holds_if(
        says="slack of a Gabor with a fast carrier to the Harper bound, beyond that of the bump of the same width",
        implements="measures.harper_slack",
        value=lambda: harper_slack(gabor(40, 20.0, 2.5, 8.0)) - harper_slack(gabor(40, 20.0, 2.5)),
        estimate=lambda: Estimate(uncertainty.carrier_slack(40, 2.5, 8.0), 1e-9, "sums over sites of sums over images"),
        number="difference of the slacks; n = 40, width 2.5, carrier f = 8",
        right=r"\frac{1}{2}\left(1 - \cos\frac{2\pi f}{n}\right)",
        note="the two frequency bands must lie apart; alpha = 1/2",
    ),
    "sheet-entropic-bound": holds(
        says="least sum of the entropies of position and frequency on a ring",
        implements="measures.entropies",
        value=lambda: sum_of(np.tile([1.0, 0.0, 0.0, 0.0], 2)),
        estimate=lambda: Estimate(
            uncertainty.least_over_signs(uncertainty.entropy_sum), 1e-9, "least over all fields of 8 sites -1, 0 or 1"
        ),
        number="the sum for a comb on 8 sites, ln 8",
        right=r"H_x + H_k \geq \ln n",
        note="single sites, flat fields and combs attain it",
    ),
    "sheet-entropic-gaussian": holds_if(
        says="sum of the entropies of position and frequency of a Gaussian bump",
        implements="measures.entropies",
        value=lambda: sum_of(gabor(100, 50.3, 4.0)),
        estimate=lambda: Estimate(np.log(100) + 1 - np.log(2), 1e-9, "entropies of two normal laws"),
        number="the sum; n = 100, width 4",
        right=r"H_x + H_k = \ln n + 1 - \ln 2",
        note="for a width of several sites that is small against the ring; the bound ln n is not attained",
    ),
    "sheet-entropic-gabor": holds_if(
        says="sum of the entropies of position and frequency of a real Gabor",
        implements="measures.entropies",
        value=lambda: sum_of(gabor(400, 200.3, 12.0, 73.3)),
        estimate=lambda: Estimate(np.log(400) + np.log(2), 1e-3, "two bands, and a carrier averaged over its phases"),
        number="the sum; n = 400, width 12",
        right=r"H_x + H_k = \ln n + \ln 2",
        note="for a carrier that is fast against the envelope and slow against the sites; the bound ln n is not attained",
    ),
    "sheet-entropic-real-basis": holds(
        says="least sum of the entropies of position and frequency over the real Fourier basis",
        implements="data.fourier_basis",
        value=lambda: real_basis_sum(12),
        estimate=lambda: Estimate((1 - 2 / 12) * np.log(6) + 2 / 12 * np.log(12), 1e-9, "energies 1/n, 1/n and 2/n, by hand"),
        number="the sum for a single site; n = 12",
        right=r"H_x + H_k \geq \ln\frac{n}{2}",
        note="a single site goes below ln n = 2.48; the bound is ln(n/2) = 1.79",
    ),
    "sheet-donoho-stark": holds(
        says="least product of the supports of a field in position and frequency",
        implements="measures.entropies",
        value=lambda: np.exp(sum_of(np.tile([1.0, 0.0], 4))),
        estimate=lambda: Estimate(
            uncertainty.least_over_signs(uncertainty.support_product), 1e-9, "counted over all fields of 8 sites -1, 0 or 1"
        ),
        number="the product for a comb on 8 sites",
        right=r"N_x N_k \geq n",
        note="combs attain it; their energies are equal, so that the exponentials of their entropies count their supports",
    ),
    "sheet-gabor-atom": holds(
        says="the ring Gabor as a sum over frequencies equals that over images",
        implements="measures.gabor",
        value=lambda: gabor(12, 3.3, 2.5, 2.2, 0.4)[5],
        estimate=lambda: Estimate(uncertainty.by_images(12, 3.3, 2.5, 2.2, 0.4)[5], 1e-12, "sum over 121 images"),
        number="its sixth entry; 12 sites",
    ),
    "sheet-gabor-bic": holds(
        says="the BIC prefers a plain bump to a Gabor for a noisy bump",
        implements="measures.gabor_fit",
        value=lambda: gabor_fit(gabor(16, 7.2, 1.6) + NOISE).bic_gain,
        estimate=lambda: Estimate(
            uncertainty.bic_gain(uncertainty.by_images(16, 7.2, 1.6, 0.0) + NOISE), 1e-3, "least squares on sums over images"
        ),
        number="BIC of the bump less that of the Gabor; 16 sites",
    ),
}
