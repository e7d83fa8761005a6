"""Paper 004, section 4: circular convolutions with pooling. Equation 7, path sharing, figure 9, lemma 4.1; lemma 8.2."""

import functools
from collections import Counter

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import conv_gap_moment, conv_moment, path_bundles, rotation_terms
from gatefield.ledger.notes.paper_004 import holds, holds_if, refuted
from gatefield.ledger.routes import convolution as routes
from gatefield.ledger.routes.paths import all_signs

N, SIZE, LAYERS, SIGMA = 3, 2, 3, 0.8
MOMENT = (SIGMA, SIZE)
GATING = np.array([[0.12573022, -0.13210486], [0.64042265, 0.10490012], [-0.53566937, 0.36159505]])[:, :, None, None]
X = np.array([[0.5, -1.0, 0.8], [1.3, 0.2, -0.4]])
TURNED = np.array([X[0], np.roll(X[1], -1)])
SOFT = [np.random.default_rng(layer).random(X.shape) for layer in range(LAYERS)]
SIGNS = "all signs of the six weights"
PATHS = "list of all paths"
PAIRS = r"\frac{\sigma^{2(d-1)}}{d_{in}^2}\sum_k\sum_{p_1, p_2 \in b_k} x(p_1(0), s)\,A(s, p_1)\,x(p_2(0), s')\,A(s', p_2)"


def gates_of(x: np.ndarray) -> list[np.ndarray]:
    return [gate[:, :, 0] for gate in routes.conv_gates(GATING, x)]


GATES, TURNED_GATES = gates_of(X), gates_of(TURNED)


@functools.cache
def outputs(case: str) -> np.ndarray:
    """Outputs (signs, samples, positions) for every choice of signs."""
    gates, x = {"hard": (GATES, X), "soft": (SOFT, X), "frozen": (GATES, TURNED)}[case]
    return np.array([routes.conv_output(one, gates, x)[:, :, 0] for one in all_signs([(SIZE, 1, 1)] * LAYERS, SIGMA)])


def pooled_moment(case: str) -> float:
    """E[y y'] of the two samples with pooling, over all signs."""
    y = outputs(case).mean(-1)
    return (y[:, 0] * y[:, 1]).mean()


def by_pairs(gates: list[np.ndarray], x: np.ndarray = X, rotation: int | None = None) -> float:
    """The sum over pairs of paths in the same bundle, all of them or those that end `rotation` positions apart."""
    return routes.path_pairs(gates, x, SIZE, rotation=rotation)[0, 1]


def strengths() -> Counter[tuple[int, ...]]:
    """How many paths use each choice of one weight from each kernel."""
    return Counter(routes.steps(path, N) for path in routes.conv_paths(N, SIZE, LAYERS))


def term(gates: list[np.ndarray], x: np.ndarray) -> float:
    """The sum over one pair of paths each, at rotation 0, without sigma^(2c)/n^2."""
    return float(rotation_terms(gates, x, 1.0, SIZE)[0, 0, 1] * N**2)


def over_rotations() -> Estimate:
    """The remark's sum, every rotation of the second input with gates of its own."""
    turned = [np.array([X[0], np.roll(X[1], -rotation)]) for rotation in range(N)]
    total = sum(by_pairs(gates_of(x), x, rotation=0) for x in turned)
    return Estimate(total * SIGMA ** (2 * LAYERS) / N**2, 1e-12, PATHS + ", each input rotated")


FORMULAS = {
    "004-section4-paths": holds_if(
        place="section 4, path sharing 1, figure 9",
        says="there are d_in w^(d-1) paths",
        implements="kernels.path_bundles",
        value=lambda: path_bundles(N, SIZE, LAYERS).positions[..., 0].size,
        estimate=lambda: Estimate(len(routes.conv_paths(N, SIZE, LAYERS)), 1e-9, PATHS),
        printed=lambda: N * SIZE ** ((LAYERS + 1) - 1),
        right=r"\hat P = d_{in}\,\hat w^{d-1}",
        note="if all d - 1 layers below the pooling are convolutions (L = d then counts the pooling); for L convolutions it is "
        "d_in w^L. Figure 9: 3 convolutions, 24 paths",
    ),
    "004-section4-bundles": holds_if(
        place="section 4, path sharing 2 and 3, figure 9",
        says="there are w^(d-1) path strengths: 8 in figure 9",
        implements="kernels.path_bundles",
        value=lambda: len(path_bundles(N, SIZE, LAYERS).weights),
        estimate=lambda: Estimate(len(strengths()), 1e-9, PATHS),
        printed=lambda: 8.0,  # the number that the paper prints
        right=r"\hat B = \hat w^{d-1}",
        note="d - 1 is the number of convolutions, as for the paths",
    ),
    "004-figure9-strength": holds_if(
        place="section 4, path sharing 2",
        says="in figure 9 the path strength theta^1(1) theta^1(2) theta^1(3)/d_in repeats 3 times",
        implements="kernels.path_bundles",
        value=lambda: path_bundles(N, SIZE, LAYERS).positions.shape[1],
        estimate=lambda: Estimate(strengths()[0, 0, 0], 1e-9, PATHS),
        printed=lambda: 3.0,  # the number that the paper prints
        note="if the bracket counts the layers: one weight of each. In the text theta^(l)(i) is weight i of layer l, and a "
        "kernel of width 2 has no theta^1(3)",
    ),
    "004-eq7-pooling": refuted(
        place="equation 7 and the sentence after it",
        says="instead of E<x_s(L), x_s'(L)> it is enough to study global average pooling",
        implements="kernels.conv_moment",
        value=lambda: conv_moment(GATES, X, *MOMENT)[0, 1],
        estimate=lambda: Estimate((outputs("hard")[:, 0] * outputs("hard")[:, 1]).sum(-1).mean(), 1e-12, SIGNS),
        printed=lambda: pooled_moment("hard"),
        note="the two are different functions of the inputs: 0.2359, 0.7288, 0 without pooling when one input is rotated, "
        "always 0.1072 with it",
    ),
    "004-lemma4.1": holds(
        place="lemma 4.1",
        says="E[y y'] with pooling is sigma^(2(d-1))/d_in^2 times a sum over pairs of paths in the same bundle",
        implements="kernels.conv_gap_moment",
        value=lambda: conv_gap_moment(GATES, X, *MOMENT)[0, 1],
        estimate=lambda: Estimate(pooled_moment("hard"), 1e-12, SIGNS),
        printed=lambda: SIGMA ** (2 * LAYERS) / N**2 * by_pairs(GATES),
        right=r"\mathbb{E}[y_s y_{s'}] = " + PAIRS,
        note="with d - 1 convolutions; for any independent weights of mean zero",
    ),
    "004-lemma8.2": holds(
        place="lemma 8.2",
        says="the same, from E[w w'] = sigma^(2(d-1))/d_in^2 within a bundle and 0 between bundles",
        implements="kernels.conv_gap_moment",
        value=lambda: conv_gap_moment(SOFT, X, *MOMENT)[0, 1],
        estimate=lambda: Estimate(pooled_moment("soft"), 1e-12, SIGNS),
        printed=lambda: SIGMA ** (2 * LAYERS) / N**2 * by_pairs(SOFT),
        right=r"\mathbb{E}[y_s y_{s'}] = " + PAIRS,
        note="soft gates as well as hard ones, if they do not depend on the weights",
    ),
    "004-lemma4.1-invariance": holds_if(
        place="lemma 4.1 and remark, translation invariance",
        says="rotating one input does not change E[y y']",
        implements="kernels.conv_gap_moment",
        value=lambda: conv_gap_moment(TURNED_GATES, TURNED, *MOMENT)[0, 1],
        estimate=lambda: Estimate(pooled_moment("hard"), 1e-12, SIGNS + ", input not rotated"),
        printed=lambda: pooled_moment("frozen"),
        note="the gates must rotate with the input, as those of a convolutional gating network do; kept in place "
        "they make it -0.0169",
    ),
    "004-remark4.1-sum": holds_if(
        place="remark after lemma 4.1",
        says="E[y y'] is a sum over rotations of the second input",
        implements="kernels.rotation_terms",
        value=lambda: rotation_terms(GATES, X, *MOMENT).sum(0)[0, 1],
        estimate=over_rotations,
        note="with gates that rotate with the input",
    ),
    "004-remark4.1-term": refuted(
        place="remark after lemma 4.1, last sentence",
        says="the term of one rotation is translation invariant",
        implements="kernels.rotation_terms",
        value=lambda: term(TURNED_GATES, TURNED) - term(GATES, X),
        estimate=lambda: Estimate(
            by_pairs(TURNED_GATES, TURNED, 0) - by_pairs(GATES, X, 0), 1e-12, PATHS + ", before and after one rotation"
        ),
        printed=lambda: by_pairs(GATES, X, 0) - by_pairs(GATES, X, 0),  # invariant: after the rotation as before it
        note="the terms are 0.9, 2.78 and 0, summed over bundles; a rotation permutes them, and only their sum stays",
    ),
}
