"""Paper 004, section 4: convolutions with pooling. Equation 7, path sharing, figure 9, lemma 4.1, footnote 5; lemma 8.2."""

import functools
from collections import Counter

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import conv_gap_moment, conv_moment, path_bundles, rotation_terms
from gatefield.ledger.notes.paper_004 import holds, holds_if, refuted
from gatefield.ledger.routes import convolution as routes
from gatefield.ledger.routes.paths import all_signs
from gatefield.nets import ConvGated

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


def chosen(x: np.ndarray) -> np.ndarray:
    """1 where the gating network has its largest sum, else 0: (samples, positions)."""
    return np.eye(N)[routes.conv_sums(GATING, x)[:, :, 0].argmax(1)]


def chosen_moment(gates: list[np.ndarray], x: np.ndarray) -> float:
    """E[y y'] of the outputs at the chosen positions: their mean over all positions, if the last gates are n there, else 0."""
    return float(conv_gap_moment([*gates[:-1], N * chosen(x) * gates[-1]], x, *MOMENT)[0, 1])


def chosen_by_signs() -> Estimate:
    """The same from all outputs."""
    y = (outputs("hard") * chosen(X)).sum(-1)
    return Estimate((y[:, 0] * y[:, 1]).mean(), 1e-12, f"{SIGNS}, outputs at the chosen positions")


def own_maxima() -> float:
    """E[y y'] of the largest output of each sample."""
    y = outputs("hard").max(-1)
    return (y[:, 0] * y[:, 1]).mean()


PAIR = np.array([[0.5, -1.0], [0.2, 1.3]])
"""Two positions: their block is the whole ring, so that max pooling over blocks is over all positions."""
PAIR_GATES = [gate[:, :2] for gate in SOFT[:2]]
FOUR, FOUR_KERNELS = np.array([[0.5, -1.0, 0.8, 1.3]]), 0.7 * GATING[:2]


def pair_outputs() -> np.ndarray:
    """Outputs (signs, samples, positions) of two convolutions on the ring of two."""
    every = all_signs([(SIZE, 1, 1)] * 2, SIGMA)
    return np.array([routes.conv_output(one, PAIR_GATES, PAIR)[:, :, 0] for one in every])


def library_maxima() -> float:
    """E[y y'] of the library's network with max pooling on the ring of two, over all signs."""
    layout = {"kernel_size": SIZE, "padding": "circular", "pool": [None, "max"], "gating": "free"}
    gates, total = [gate[:, :, None] for gate in PAIR_GATES], []
    for kernels in all_signs([(SIZE, 1, 1)] * 2, SIGMA):
        net = ConvGated((2, 1), [1, 1], init=[k.reshape(SIZE, 1) for k in kernels], free_gates=gates, **layout)
        total.append(np.prod(np.asarray(net(PAIR.astype(np.float32)), float)))
    return float(np.mean(total))


def block_change(turn: int) -> float:
    """How much the output of the library's ReLU network with maxima of blocks and their mean changes with a rotation."""
    init = [k.reshape(SIZE, 1) for k in FOUR_KERNELS]
    layout = {"kernel_size": SIZE, "padding": "circular", "pool": [None, "max"], "head": "mean", "gating": "relu"}
    net = ConvGated((4, 1), [1, 1], init=init, **layout)
    before, after = (float(net(np.float32(x)).item()) for x in (FOUR, np.roll(FOUR, turn, 1)))
    return after - before


def slow_block_change(turn: int) -> float:
    both = [np.maximum(routes.conv_sums(FOUR_KERNELS, x), 0.0) for x in (FOUR, np.roll(FOUR, turn, 1))]
    before, after = (float(routes.block_maxima(z).mean()) for z in both)
    return after - before


FORMULAS = {
    "004-section4-paths": holds_if(
        place="section 4, path sharing 1, figure 9",
        says="number of paths of a convolutional network: d_in w^(d-1)",
        implements="kernels.path_bundles",
        value=lambda: path_bundles(N, SIZE, LAYERS).positions[..., 0].size,
        estimate=lambda: Estimate(len(routes.conv_paths(N, SIZE, LAYERS)), 1e-9, PATHS),
        printed=lambda: N * SIZE ** ((LAYERS + 1) - 1),
        number="number of paths in figure 9: 3 inputs, 3 convolutions of width 2",
        right=r"\hat P = d_{in}\,\hat w^{d-1}",
        note="if all d - 1 layers below the pooling are convolutions (L = d then counts the pooling); for L convolutions it is "
        "d_in w^L. Figure 9: 3 convolutions, 24 paths",
    ),
    "004-section4-bundles": holds_if(
        place="section 4, path sharing 2 and 3, figure 9",
        says="number of path strengths of a convolutional network: w^(d-1)",
        implements="kernels.path_bundles",
        value=lambda: len(path_bundles(N, SIZE, LAYERS).weights),
        estimate=lambda: Estimate(len(strengths()), 1e-9, PATHS),
        printed=lambda: 8.0,  # the number that the paper prints
        number="number of different strengths in figure 9: 3 convolutions of width 2",
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
        number="number of paths that use the first weight of each kernel; 3 inputs, 3 convolutions of width 2",
        note="if the bracket counts the layers: one weight of each. In the text theta^(l)(i) is weight i of layer l, and a "
        "kernel of width 2 has no theta^1(3)",
    ),
    "004-eq7-pooling": refuted(
        place="equation 7 and the sentence after it",
        says="instead of the product E<x_s(L), x_s'(L)> of last layers it is enough to study global average pooling",
        implements="kernels.conv_moment",
        value=lambda: conv_moment(GATES, X, *MOMENT)[0, 1],
        estimate=lambda: Estimate((outputs("hard")[:, 0] * outputs("hard")[:, 1]).sum(-1).mean(), 1e-12, SIGNS),
        printed=lambda: pooled_moment("hard"),
        number="E<x_s(L), x_s'(L)> without pooling; printed: E[y y'] with pooling; two inputs of 3 sites, 3 convolutions "
        "of width 2, sigma = 0.8",
        note="the two are different functions of the inputs: when one input is rotated, the first is 0.2359, 0.7288 and "
        "0, the second always 0.1072",
    ),
    "004-lemma4.1": holds(
        place="lemma 4.1",
        says="mean product E[y y'] of two outputs of a convolutional network with pooling, as a sum over path bundles",
        implements="kernels.conv_gap_moment",
        value=lambda: conv_gap_moment(GATES, X, *MOMENT)[0, 1],
        estimate=lambda: Estimate(pooled_moment("hard"), 1e-12, SIGNS),
        printed=lambda: SIGMA ** (2 * LAYERS) / N**2 * by_pairs(GATES),
        number="E[y y']; two inputs of 3 sites, 3 convolutions of width 2, sigma = 0.8, hard gates",
        right=r"\mathbb{E}[y_s y_{s'}] = " + PAIRS,
        note="with d - 1 convolutions; for any independent weights of mean zero",
    ),
    "004-lemma8.2": holds(
        place="lemma 8.2",
        says="mean product E[y y'] of two outputs of a convolutional network with pooling, from moments of path strengths",
        implements="kernels.conv_gap_moment",
        value=lambda: conv_gap_moment(SOFT, X, *MOMENT)[0, 1],
        estimate=lambda: Estimate(pooled_moment("soft"), 1e-12, SIGNS),
        printed=lambda: SIGMA ** (2 * LAYERS) / N**2 * by_pairs(SOFT),
        number="E[y y']; two inputs of 3 sites, 3 convolutions of width 2, sigma = 0.8, soft gates",
        right=r"\mathbb{E}[y_s y_{s'}] = " + PAIRS,
        note="soft gates as well as hard ones, if they do not depend on the weights",
    ),
    "004-lemma4.1-invariance": holds_if(
        place="lemma 4.1 and remark, translation invariance",
        says="with global average pooling, rotating one input does not change the mean product E[y y'] of two outputs",
        implements="kernels.conv_gap_moment",
        value=lambda: conv_gap_moment(TURNED_GATES, TURNED, *MOMENT)[0, 1],
        estimate=lambda: Estimate(pooled_moment("hard"), 1e-12, SIGNS + ", input not rotated"),
        printed=lambda: pooled_moment("frozen"),
        number="E[y y'] after one input is rotated; printed: gates kept in place; two inputs of 3 sites, 3 convolutions "
        "of width 2, sigma = 0.8",
        note="the gates must rotate with the input, as those of a convolutional gating network do; kept in place they "
        "make it -0.0169",
    ),
    "004-remark4.1-sum": holds_if(
        place="remark after lemma 4.1",
        says="with pooling, the mean product E[y y'] of two outputs is a sum over rotations of the second input",
        implements="kernels.rotation_terms",
        value=lambda: rotation_terms(GATES, X, *MOMENT).sum(0)[0, 1],
        estimate=over_rotations,
        number="that sum; two inputs of 3 sites, 3 convolutions of width 2, sigma = 0.8",
        note="with gates that rotate with the input",
    ),
    "004-remark4.1-term": refuted(
        place="remark after lemma 4.1, last sentence",
        says="with pooling, the term of each single rotation in E[y y'] is translation invariant",
        implements="kernels.rotation_terms",
        value=lambda: term(TURNED_GATES, TURNED) - term(GATES, X),
        estimate=lambda: Estimate(
            by_pairs(TURNED_GATES, TURNED, 0) - by_pairs(GATES, X, 0), 1e-12, PATHS + ", before and after one rotation"
        ),
        printed=lambda: by_pairs(GATES, X, 0) - by_pairs(GATES, X, 0),  # invariant: after the rotation as before it
        number="change of the term of rotation 0 when one input is rotated; two inputs of 3 sites, 3 convolutions of width 2",
        note="the terms are 0.9, 2.78 and 0, summed over bundles; a rotation permutes them, and only their sum stays",
    ),
    "004-footnote5-paths": holds_if(
        place="section 4, footnote 5",
        says="lemma 4.1, the mean product of outputs as a sum over path bundles, extends to max pooling",
        implements="kernels.conv_gap_moment",
        value=lambda: chosen_moment(GATES, X),
        estimate=chosen_by_signs,
        printed=own_maxima,
        number="E[y y'] with positions that the gating network chooses; printed: each output's own maximum; two inputs of "
        "3 sites, 3 convolutions of width 2, sigma = 0.8",
        right=r"\mathbb{E}[y_s y_{s'}] = \sigma^{2(d-1)}\sum_k\sum_{p_1, p_2 \in b_k} x(p_1(0), s)\,A(s, p_1)\,m_s(p_1)\,"
        r"x(p_2(0), s')\,A(s', p_2)\,m_{s'}(p_2)",
        note="if the gating network chooses the position, m = 1 there and 0 elsewhere, as assumption 2 asks of gates; "
        "the position of each output's own maximum depends on the weights",
    ),
    "004-footnote5-invariance": holds_if(
        place="section 4, footnote 5",
        says="max pooling, too, makes the outputs of a convolutional network invariant under translations",
        implements="kernels.conv_gap_moment",
        value=lambda: chosen_moment(TURNED_GATES, TURNED),
        estimate=chosen_by_signs,
        number="E[y y'] after one input is rotated, positions chosen by the gating network; two inputs of 3 sites, 3 "
        "convolutions of width 2, sigma = 0.8",
        note="gates must rotate with the input. What leaves the convolutions then rotates too, and its largest entry stays: "
        "every single network is invariant, and so are all its means and kernels, whoever chooses the position",
    ),
    "004-footnote5-own": refuted(
        place="section 4, footnote 5",
        says="with max pooling over the outputs themselves, the chosen positions may be taken as independent of the weights",
        implements="nets.ConvGated",
        value=library_maxima,
        estimate=lambda: Estimate(
            (pair_outputs().max(-1)[:, 0] * pair_outputs().max(-1)[:, 1]).mean(), 1e-6, "all signs of four weights"
        ),
        printed=lambda: routes.independent_maxima(pair_outputs()),
        number="E[y y'] of maxima; printed: the chance of each pair of positions times E[z z'] there; two convolutions on "
        "a ring of two",
        note="the means of maxima are not zero; soft gates",
    ),
    "004-footnote5-blocks": refuted(
        place="section 4, footnote 5",
        says="with maxima of blocks of two and then the mean, rotating an input by one position changes nothing",
        implements="nets.ConvGated",
        value=lambda: block_change(1),
        estimate=lambda: Estimate(slow_block_change(1), 1e-6, "convolutions written out"),
        printed=lambda: slow_block_change(0),
        number="change of the output of a ReLU network on 4 sites when its input is rotated by one",
        note="blocks of two see rotations by an odd number of positions; by an even number nothing changes",
    ),
}
