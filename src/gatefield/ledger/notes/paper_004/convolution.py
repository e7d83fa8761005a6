"""Ledger of circular convolutions with pooling: paper 004, section 4 and lemma 8.2."""

import functools
from collections import Counter
from functools import partial

import numpy as np

from gatefield.kernels.bundles import path_bundles
from gatefield.kernels.convolution import conv_gap_moment, conv_moment, expected_conv_ntk, rotation_terms
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.routes import convolution as routes
from gatefield.ledger.routes.kernels import differences_kernel

N, SIZE, LAYERS, SIGMA = 3, 2, 3, 0.8
GATING = np.array([[0.12573022, -0.13210486], [0.64042265, 0.10490012], [-0.53566937, 0.36159505]])[:, :, None, None]
X = np.array([[0.5, -1.0, 0.8], [1.3, 0.2, -0.4]])
GATES = [gate[:, :, 0] for gate in routes.conv_gates(GATING, X)]
SOFT = [np.random.default_rng(layer).random(X.shape) for layer in range(LAYERS)]
TURNED = np.array([X[0], np.roll(X[1], -1)])
TURNED_GATES = [gate[:, :, 0] for gate in routes.conv_gates(GATING, TURNED)]
SIGNS = "all signs of the six weights"
PATHS = "list of all paths"
MOMENT = (SIGMA, SIZE)


@functools.cache
def outputs(case: str) -> np.ndarray:
    """Outputs (signs, samples, positions) for every choice of signs."""
    gates, x = {"hard": (GATES, X), "soft": (SOFT, X), "turned": (TURNED_GATES, TURNED), "frozen": (GATES, TURNED)}[case]
    kernels = routes.all_kernels([(SIZE, 1, 1)] * LAYERS, [SIGMA] * LAYERS)
    return np.array([routes.conv_output(one, gates, x)[:, :, 0] for one in kernels])


def pooled_moment(case: str) -> float:
    """E[y y'] of the two samples with pooling, over all signs."""
    y = outputs(case).mean(-1)
    return float((y[:, 0] * y[:, 1]).mean())


def mean_kernel(pool: bool) -> Estimate:
    """Tangent kernel of the two samples, summed over the outputs; derivatives by differences, over all signs."""
    found = []
    for kernels in routes.all_kernels([(SIZE, 1, 1)] * LAYERS, [SIGMA] * LAYERS):
        if kernels[0][0, 0, 0] > 0:  # the other half are these with all signs of a layer turned
            found.append(differences_kernel(lambda k: (routes.pooled if pool else routes.conv_output)(k, SOFT, X), kernels))
    return Estimate(float(np.mean(found, 0)[0, 1]), 1e-7, "differences, " + SIGNS)


def strengths() -> Counter[tuple[int, ...]]:
    """How many paths use each choice of one weight from each kernel."""
    return Counter(routes.steps(path, N) for path in routes.conv_paths(N, SIZE, LAYERS))


def term(gates: list[np.ndarray], x: np.ndarray) -> float:
    """The sum over one pair of paths each, at rotation 0, without sigma^(2c)/n^2."""
    return float(rotation_terms(gates, x, 1.0, SIZE)[0, 0, 1]) * N**2


paper = partial(Entry, source="004")
sheet = partial(Entry, source="sheet")

ENTRIES = (
    paper(
        name="004-section4-paths",
        place="section 4, path sharing 1, figure 9",
        says="there are d_in w^(d-1) paths",
        status="holds with a condition",
        implements="kernels.path_bundles",
        value=lambda: float(path_bundles(N, SIZE, LAYERS).positions[..., 0].size),
        estimate=lambda: Estimate(float(len(routes.conv_paths(N, SIZE, LAYERS))), 1e-9, PATHS),
        printed=lambda: float(N * SIZE ** ((LAYERS + 1) - 1)),
        note="if all d - 1 layers below the pooling are convolutions (L = d then counts the pooling); for L convolutions it is "
        "d_in w^L. Figure 9: 3 convolutions, 24 paths",
    ),
    paper(
        name="004-section4-bundles",
        place="section 4, path sharing 2 and 3, figure 9",
        says="there are w^(d-1) path strengths: 8 in figure 9",
        status="holds with a condition",
        implements="kernels.path_bundles",
        value=lambda: float(len(path_bundles(N, SIZE, LAYERS).weights)),
        estimate=lambda: Estimate(float(len(strengths())), 1e-9, PATHS),
        printed=lambda: 8.0,
        note="d - 1 is the number of convolutions, as for the paths",
    ),
    paper(
        name="004-figure9-strength",
        place="section 4, path sharing 2",
        says="in figure 9 the path strength theta^1(1) theta^1(2) theta^1(3)/d_in repeats 3 times",
        status="holds with a condition",
        implements="kernels.path_bundles",
        value=lambda: float(path_bundles(N, SIZE, LAYERS).positions.shape[1]),
        estimate=lambda: Estimate(float(strengths()[0, 0, 0]), 1e-9, PATHS),
        printed=lambda: 3.0,
        note="if the bracket counts the layers: one weight of each. In the text theta^(l)(i) is weight i of layer l, and a "
        "kernel of width 2 has no theta^1(3)",
    ),
    paper(
        name="004-eq7-pooling",
        place="equation 7 and the sentence after it",
        says="instead of E<x_s(L), x_s'(L)> it is enough to study global average pooling",
        status="refuted",
        implements="kernels.conv_moment",
        value=lambda: float(conv_moment(GATES, X, *MOMENT)[0, 1]),
        estimate=lambda: Estimate(float((outputs("hard")[:, 0] * outputs("hard")[:, 1]).sum(-1).mean()), 1e-12, SIGNS),
        printed=lambda: pooled_moment("hard"),
        note="the two are different functions of the inputs: 0.2359, 0.7288, 0 without pooling when one input is rotated, "
        "always 0.1072 with it",
    ),
    paper(
        name="004-lemma4.1",
        place="lemma 4.1",
        says="E[y y'] with pooling is sigma^(2(d-1))/d_in^2 times a sum over pairs of paths in the same bundle",
        status="holds",
        implements="kernels.conv_gap_moment",
        value=lambda: float(conv_gap_moment(GATES, X, *MOMENT)[0, 1]),
        estimate=lambda: Estimate(pooled_moment("hard"), 1e-12, SIGNS),
        printed=lambda: SIGMA ** (2 * LAYERS) / N**2 * float(routes.path_pairs(GATES, X, SIZE)[0, 1]),
        note="with d - 1 convolutions; for any independent weights of mean zero",
    ),
    paper(
        name="004-lemma8.2",
        place="lemma 8.2",
        says="the same, from E[w w'] = sigma^(2(d-1))/d_in^2 within a bundle and 0 between bundles",
        status="holds",
        implements="kernels.conv_gap_moment",
        value=lambda: float(conv_gap_moment(SOFT, X, *MOMENT)[0, 1]),
        estimate=lambda: Estimate(pooled_moment("soft"), 1e-12, SIGNS),
        printed=lambda: SIGMA ** (2 * LAYERS) / N**2 * float(routes.path_pairs(SOFT, X, SIZE)[0, 1]),
        note="soft gates as well as hard ones, if they do not depend on the weights",
    ),
    paper(
        name="004-lemma4.1-invariance",
        place="lemma 4.1 and remark, translation invariance",
        says="rotating one input does not change E[y y']",
        status="holds with a condition",
        implements="kernels.conv_gap_moment",
        value=lambda: float(conv_gap_moment(TURNED_GATES, TURNED, *MOMENT)[0, 1]),
        estimate=lambda: Estimate(pooled_moment("hard"), 1e-12, SIGNS + ", input not rotated"),
        printed=lambda: pooled_moment("frozen"),
        note="the gates must rotate with the input, as those of a convolutional gating network do; kept in place "
        "they make it -0.0169",
    ),
    paper(
        name="004-remark4.1-sum",
        place="remark after lemma 4.1",
        says="E[y y'] is a sum over rotations of the second input",
        status="holds with a condition",
        implements="kernels.rotation_terms",
        value=lambda: float(rotation_terms(GATES, X, *MOMENT).sum(0)[0, 1]),
        estimate=lambda: Estimate(_over_rotations(), 1e-12, PATHS + ", each input rotated"),
        note="with gates that rotate with the input",
    ),
    paper(
        name="004-remark4.1-term",
        place="remark after lemma 4.1, last sentence",
        says="the term of one rotation is translation invariant",
        status="refuted",
        implements="kernels.rotation_terms",
        value=lambda: term(TURNED_GATES, TURNED) - term(GATES, X),
        estimate=lambda: Estimate(
            _one_term(TURNED_GATES, TURNED) - _one_term(GATES, X), 1e-12, PATHS + ", before and after one rotation"
        ),
        printed=lambda: 0.0,
        note="the terms are 0.9, 2.78 and 0, summed over bundles; a rotation permutes them, and only their sum stays",
    ),
    sheet(
        name="sheet-conv-ntk",
        place="kernels, convolutions with pooling",
        says="E[K] = (c/sigma^2) E[y y']",
        status="holds",
        implements="kernels.expected_conv_ntk",
        value=lambda: float(expected_conv_ntk(SOFT, X, *MOMENT)[0, 1]),
        estimate=lambda: mean_kernel(pool=True),
    ),
    sheet(
        name="sheet-conv-ntk-no-pool",
        place="kernels, convolutions without pooling",
        says="summed over the outputs, E[K] = (c/sigma^2) E<z, z'>",
        status="holds",
        implements="kernels.expected_conv_ntk",
        value=lambda: float(expected_conv_ntk(SOFT, X, *MOMENT, pool=False)[0, 1]),
        estimate=lambda: mean_kernel(pool=False),
    ),
)


def _one_term(gates: list[np.ndarray], x: np.ndarray) -> float:
    return float(routes.path_pairs(gates, x, SIZE, rotation=0)[0, 1])


def _over_rotations() -> float:
    """The remark's sum, every rotation of the second input with gates of its own."""
    total = 0.0
    for rotation in range(N):
        x = np.array([X[0], np.roll(X[1], -rotation)])
        total += _one_term([gate[:, :, 0] for gate in routes.conv_gates(GATING, x)], x)
    return total * SIGMA ** (2 * LAYERS) / N**2
