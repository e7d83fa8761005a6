"""Threshold functions on the cube: margins, heads, Chow parameters and steady states, against enumeration and solvers."""

import functools
import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import jax
import numpy as np
import pytest
from scipy import optimize

from gatefield import UserError
from gatefield.data import ring_correlation
from gatefield.theory import hypercube

VALUES = {v["name"]: v for v in json.loads((Path(__file__).parents[1] / "reference/values.json").read_text())["values"]}
CORNERS = np.array(list(itertools.product([1, -1], repeat=8)))
RNG = np.random.default_rng(0)


def sign_covariance(n, xi):
    corr = np.array([np.roll(ring_correlation(n, xi), k) for k in range(n)])
    return 2 / np.pi * np.arcsin(np.minimum(corr, 1))


def primes(count):
    found = []
    while len(found) < count:
        found.append(next(k for k in itertools.count(found[-1] + 1 if found else 2) if all(k % p for p in found)))
    return found


@pytest.mark.parametrize(
    ("n", "expected"), [(10, 23527770771), (16, None), (20, 53843538), (30, 35620), (36, None), (40, None)]
)
def test_margin_of_square_roots(n, expected):
    w = [math.isqrt(10**24 * p) for p in primes(n)]
    expected = expected or VALUES[f"delta_sqrtprimes_n{n}"]["expected"]
    found = hypercube.margin(w, with_error=True)
    assert (found.value, found.error) == (expected, 0)
    assert abs(sum(a * b for a, b in zip(w, found.signs.tolist(), strict=True))) == expected


@pytest.mark.slow
def test_margin_of_fifty():
    w = [math.isqrt(10**24 * p) for p in primes(50)]
    found = hypercube.margin(w, with_error=True)
    assert abs(sum(a * b for a, b in zip(w, found.signs.tolist(), strict=True))) == found.value == 1
    assert sum(w) % 2 == 1  # so that no sum is nearer


def brute_margin(w):
    exact = [Fraction(value) for value in w.tolist()]
    return min(abs(sum(a * int(s) for a, s in zip(exact, x, strict=True))) for x in CORNERS[:128])


@pytest.mark.parametrize("spread", [0, 12])
def test_margin_of_floats_is_exact(spread):
    """Also where the exponents are too far apart for 64 bits."""
    for _ in range(4):
        w = RNG.normal(size=8) * 10.0 ** RNG.integers(-spread, 1, size=8)
        found = hypercube.margin(w, with_error=True)
        assert (found.value, found.error) == (float(brute_margin(w)), 0)
        assert abs(sum(Fraction(a) * int(s) for a, s in zip(w.tolist(), found.signs, strict=True))) == brute_margin(w)


def test_margin_of_small_integers_and_ties():
    for _ in range(20):
        w = RNG.integers(-9, 10, size=8)
        found = hypercube.margin(w, with_error=True)
        assert found.value == abs(CORNERS @ w).min() == abs(found.signs @ w)
    assert hypercube.margin([1] * 1001) == 1
    assert hypercube.margin([0.1, 0.2, 0.3]) != 0 == hypercube.margin([1, 2, 3])
    assert hypercube.margin([10**30, 10**30 + 3, 5]) == 2
    assert hypercube.margin([0.5, 0.0, 0.25]) == 0.25


def test_many_near_ties_keep_a_stated_error():
    """Rounded to 61 bits, far more than 4096 sums can be the smallest."""
    w = [3**50 + 1] * 16 + [2**100 + k for k in range(16)]
    found = hypercube.margin(w, with_error=True)
    assert found.value == abs(sum(int(a) * int(s) for a, s in zip(w, found.signs, strict=True)))
    assert 0 <= found.value <= found.error < 2**50


def relaxed(w):
    """The semidefinite relaxation, by unit vectors in four dimensions."""
    w = np.asarray(w, dtype=float)

    def chain(flat):
        v = flat.reshape(len(w), 4)
        size = np.linalg.norm(v, axis=1, keepdims=True)
        unit = v / size
        slope = 2 * np.outer(w, w @ unit)
        return np.sum((w @ unit) ** 2), ((slope - (slope * unit).sum(1, keepdims=True) * unit) / size).ravel()

    starts = np.random.default_rng(0).normal(size=(3, 4 * len(w)))
    return -min(optimize.minimize(chain, start, jac=True, options={"gtol": 1e-10}).fun for start in starts)


@pytest.mark.parametrize("w", [(1, 1, 1), (3, 2, 1.5), (5, 2, 1, 1), (4, -2, 1, 0.5), (1, 0.9, 0.8, 0.7, 0.6)])
def test_relaxation_against_a_solver(w):
    value = hypercube.sdp_margin(w)
    assert value == pytest.approx(relaxed(w), abs=1e-7)
    assert value >= -(hypercube.margin(w) ** 2)


def test_reference_relaxation_and_heads():
    expected = VALUES["delta_sdp_1_1_1"]["expected"]
    assert hypercube.margin([1, 1, 1]) == expected["delta"]
    assert hypercube.sdp_margin([1, 1, 1]) == expected["sdp_value"]
    for name in ("smallest_k_ex1", "smallest_k_ex3"):
        assert hypercube.head_size(VALUES[name]["inputs"]["w"]) == VALUES[name]["expected"]


def test_head_is_what_the_gate_depends_on():
    sizes = set()
    for _ in range(30):
        w = RNG.normal(size=8) * 2.0 ** -RNG.integers(0, 7, size=8)
        gate = np.sign(CORNERS @ w)
        depends = [np.any(np.sign((CORNERS * np.where(np.arange(8) == j, -1, 1)) @ w) != gate) for j in range(8)]
        sizes.add(hypercube.head_size(w))
        assert hypercube.head_size(w) == sum(depends)
    assert len(sizes) > 3
    assert hypercube.head_size([0.5**k for k in range(40)]) == 1
    assert hypercube.head_size([2, 1, 1, 0]) == 3


def test_heads_in_probability():
    w, law = np.array([1.1, 0.7, -0.45, 0.3, 0.2]), hypercube.pattern_law(np.eye(5))
    corners = hypercube.corners(5)
    errors = hypercube.head_errors(w, corners, law)
    full = np.sign((corners @ w).round(9))
    for k in range(1, 6):
        head = np.where(np.arange(5) < k, w, 0)
        assert errors[k - 1] == pytest.approx(np.mean(abs(np.sign((corners @ head).round(9)) - full)) / 2)
        assert abs(hypercube.chow(w) - hypercube.chow(head)).max() <= errors[k - 1] + 1e-12
    assert hypercube.probable_head(w, corners, 0.0, law) == hypercube.head_size(w)
    assert hypercube.probable_head(w, corners, 1.0, law) == 1


def brute_chow(w):
    signs = np.sign((CORNERS @ w).round(9))
    return 0.5 * (signs[:, None] * CORNERS).mean(0)


def test_chow_by_all_routes():
    w = RNG.normal(size=8)
    np.testing.assert_allclose(hypercube.chow(w), brute_chow(w), atol=1e-15)
    np.testing.assert_allclose(jax.jit(hypercube.chow)(w), brute_chow(w), atol=1e-6)
    small = np.array([5, 4, 3, 3, -2, 1, 0, 2])
    np.testing.assert_allclose(hypercube.chow(small), brute_chow(small), atol=1e-15)
    wide = w * 10.0 ** np.array([0, -20, 0, 0, 0, -20, 0, 0])
    np.testing.assert_allclose(hypercube.chow(wide), brute_chow(wide), atol=1e-15)
    np.testing.assert_allclose(hypercube.walsh(w)[2 ** np.arange(8)], brute_chow(w), atol=1e-15)
    for name in ("uniform_chow_n5", "uniform_chow_n40_ones"):
        given = VALUES[name]["inputs"]["w"]
        value = hypercube.chow([1] * 40 if given == "ones(40)" else given)
        np.testing.assert_allclose(value, VALUES[name]["expected"], atol=VALUES[name]["atol"])


def test_chow_decides_ties_exactly():
    """0.1 + 0.2 exceeds 0.3 in float64; sums wider than 61, 100 and 150 bits are compared in words."""
    assert hypercube.chow([0.1, 0.2, 0.3]).tolist() == [0.25, 0.25, 0.25]
    assert (
        hypercube.chow([1, 2, 3]).tolist() == hypercube.chow([10**40, 2 * 10**40, 3 * 10**40]).tolist() == [0.125, 0.125, 0.375]
    )
    np.testing.assert_allclose(jax.jit(hypercube.chow)(np.array([0.1, 0.2, 0.3])), [0.125, 0.125, 0.375])
    for bits in (58, 62, 99, 101, 151):
        w = [(1 << bits) + 1, -(1 << bits) + 3, (1 << bits - 2) - 7, 12, -5, 1 << 51, 7, 1 << 49]
        sums = [sum(a * int(b) for a, b in zip(w, x, strict=True)) for x in CORNERS]
        np.testing.assert_array_equal(hypercube.chow(w), [(0.5 * (np.sign(sums) @ CORNERS[:, j]) / 256) for j in range(8)])


def test_large_weights():
    assert hypercube.margin([10**400, 1]) == 10**400 - 1
    assert math.copysign(1, hypercube.sdp_margin([1, 1, 1])) == 1
    assert hypercube.sdp_margin([Fraction(10**400), 10**400 - 3]) == -9
    for w in ([1e200, 1.0], [10**400, 1]):
        with pytest.raises(ValueError, match=r"^The result exceeds the largest float64, 1.8e308; divide the weights"):
            hypercube.sdp_margin(w)


def test_drift_by_walsh_expansion():
    """Sum of c_S E[x^S x_j], moments from the law; the single sites alone are not enough."""
    w, n = np.array([1.1, 0.7, -0.45, 0.3, 0.2]), 5
    corr = np.exp(-(np.subtract.outer(np.arange(n), np.arange(n)) ** 2) / 2.25)
    corners, law, coefficients = hypercube.corners(n), hypercube.pattern_law(corr), hypercube.walsh(w)
    products = np.array([corners[:, (s >> np.arange(n)) & 1 == 1].prod(1) for s in range(2**n)])
    np.testing.assert_allclose(coefficients @ (products * law) @ corners, VALUES["eq20_true_f"]["expected"], atol=1e-9)
    assert np.sum(coefficients**2) == pytest.approx(0.5)
    linear = np.linalg.norm(hypercube.chow(w) @ (corners.T * law) @ corners - VALUES["eq20_true_f"]["expected"])
    assert linear / np.linalg.norm(VALUES["eq20_true_f"]["expected"]) == pytest.approx(0.206, abs=1e-3)


def test_localized_and_other_states():
    n = 5
    corr = np.array([np.roll(ring_correlation(n, 0.8), k) for k in range(n)])
    law, corners = hypercube.pattern_law(corr), hypercube.corners(n)
    cov1, cov0 = sign_covariance(n, 0.8), sign_covariance(n, 1.6)
    starts = np.concatenate([np.eye(n)[:1], RNG.normal(size=(29, n))])
    flow, jump = (hypercube.steady_states(corners, cov1, cov0, starts, chances=law, time=time) for time in (40.0, 0.0))
    for states in (flow, jump):
        assert states.settled.all()
        assert len(hypercube.levels(states.losses)[0]) > 1
        for w, loss in zip(states.fields, states.losses, strict=True):
            output = np.maximum(corners @ w, 0)
            f = law @ ((corners @ w > 0)[:, None] * corners)
            np.testing.assert_allclose(f / 2 - (cov1 + cov0) @ w / 4, 0, atol=1e-10)
            assert loss == pytest.approx(0.25 * law @ (output - 1) ** 2 + w @ cov0 @ w / 8, abs=1e-10)
    local = hypercube.localized_state(cov1, cov0)
    np.testing.assert_allclose(flow.fields[0], local.field, atol=1e-10)
    assert (bool(local.exists), hypercube.is_localized(flow.fields)[0]) == (True, True)
    assert float(local.loss) == pytest.approx(flow.losses.min(), abs=1e-10)


def test_where_the_localized_state_exists():
    """Seven sites: printed field and loss at (0.8, 1.6); none where the positive class is much smoother."""
    cov1 = np.array([sign_covariance(7, xi) for xi in (0.8, 6.0)])
    states = jax.vmap(hypercube.localized_state, in_axes=(0, None))(cov1, sign_covariance(7, 1.6))
    assert states.exists.tolist() == [True, False]
    np.testing.assert_allclose(states.field[0][:4], [0.557872, -0.093302, -0.009318, 0.003920], atol=2e-6)
    assert float(states.loss[0]) == pytest.approx(0.183405, abs=1e-6)


def test_drift_of_a_head_is_that_of_all_corners_and_of_samples():
    """Two gates on three of five sites, one of them with a tie that rounding hides; one site is correlated with nothing."""
    corr, sites, size = np.eye(5), [3, 1, 2], 100_000
    corr[:4, :4] = [[np.exp(-((i - j) ** 2) / 4) for j in range(4)] for i in range(4)]
    w = np.array([[1.5, -1.2, 1.0], 0.1 * np.array([2, 7, 9])])
    whole = np.zeros((2, 5))
    whole[:, sites] = w
    found = hypercube.head_drift(w, sites, corr)
    np.testing.assert_allclose(found, hypercube.drift(whole, corr), atol=1e-9)
    x = np.where(np.random.default_rng(0).multivariate_normal(np.zeros(5), corr, size) < 0, -1, 1)
    gates = (1 + np.sign(x[:, sites] @ np.array([[15, -12, 10], [2, 7, 9]]).T)) / 2
    np.testing.assert_allclose(found, gates.T @ x / size, atol=4 / np.sqrt(size))


@pytest.mark.wrong_types
@pytest.mark.parametrize("sites", [[0, 0], [0, 3], [0.5, 1], [-1, 1], range(12)])
def test_sites_of_a_head_are_different_numbers(sites):
    with pytest.raises(UserError, match=r"^sites must be from 1 to 11 different numbers from 0 to 2"):
        hypercube.head_drift(np.ones(2), sites, np.eye(3))


@functools.cache
def law_of_eight(xi):
    return hypercube.pattern_law(np.array([np.roll(ring_correlation(8, xi), k) for k in range(8)]))


@pytest.mark.parametrize(("xi1", "xi0", "signs", "exists"), [
    (0.8, 1.6, [-1, 1, -1], True),
    (0.8, 1.6, [1], True),
    (2.0, 0.8, [1, -1, 1], False),
    (0.8, 1.6, [1, -1, 1, -1, 1], True),
    (0.8, 1.6, [3, 1, 1], True),  # the largest of the three decides alone
])  # fmt: skip
def test_states_of_a_few_sites_against_all_corners(xi1, xi0, signs, exists):
    """Eight sites: the drift of the gate by all corners; a state exists if every corner is on the same side of both."""
    corr = np.array([np.roll(ring_correlation(8, xi1), k) for k in range(8)])
    law, corners, cov0 = law_of_eight(xi1), hypercube.corners(8), sign_covariance(8, xi0)
    head = np.zeros(8)
    head[1 : 1 + len(signs)] = signs
    state = hypercube.head_state(corr, cov0, head)
    f = law @ ((corners @ head > 0)[:, None] * corners)
    w = 2 * np.linalg.solve(sign_covariance(8, xi1) + cov0, f)
    np.testing.assert_allclose(state.field, w, atol=1e-9)
    own = (corners @ w) * np.sign(corners @ head)
    assert bool(state.exists) == exists == bool((own > 0).all())
    assert float(state.lead) == pytest.approx(own.min(), abs=1e-9)
    if exists:
        output = np.maximum(corners @ w, 0)
        assert float(state.loss) == pytest.approx(0.25 * law @ (output - 1) ** 2 + w @ cov0 @ w / 8, abs=1e-9)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"head": [1.0, 1.0, 0.0]}, "head must give no tie on any corner"),
        ({"head": np.ones((2, 3))}, r"head must have shape \(n,\), but has shape \(2, 3\)"),
        ({"head": [0.0, 0.0, 0.0]}, "w must not be zero"),
        ({"cov0": np.eye(2)}, r"cov0 must be a covariance \(3, 3\), but has shape \(2, 2\)"),
        ({"corr1": 2 * np.eye(3)}, "corr1 must have ones on its diagonal"),
        ({"corr1": np.eye(14), "cov0": np.eye(14), "head": np.arange(1.0, 15.0)}, "head must have at most 11 weights"),
    ],
)
def test_states_of_a_few_sites_refuse(given, message):
    with pytest.raises(UserError, match=message):
        hypercube.head_state(**{"corr1": np.eye(3), "cov0": np.eye(3), "head": [1.0, 0.0, 0.0]} | given)


@pytest.mark.wrong_types
def test_errors():
    with pytest.raises(
        ValueError, match=r"^The margin is searched among at most 60 weights that are not zero, but there are 61"
    ):
        hypercube.margin(RNG.normal(size=61))
    with pytest.raises(ValueError, match=r"^w must be finite, but is nan"):
        hypercube.margin([1.0, np.nan])
    with pytest.raises(ValueError, match=r"^w must not be zero everywhere"):
        hypercube.head_size([0, 0])
    with pytest.raises(ValueError, match=r"^The Chow parameters of 45 weights are not counted; give at most 44"):
        hypercube.chow(RNG.normal(size=45))
    with pytest.raises(ValueError, match=r"^The Walsh expansion is summed up to 20 sites, but w has 21"):
        hypercube.walsh(np.ones(21))
    with pytest.raises(ValueError, match=r"^share must be from 0 to 1, but is 2"):
        hypercube.probable_head(np.array([1.0, 2.0]), np.ones((4, 2)), 2)
    with pytest.raises(ValueError, match=r"^x must have one row of 2 sites per point, but has shape \(4, 3\)"):
        hypercube.head_errors(np.array([1.0, 2.0]), np.ones((4, 3)))
    with pytest.raises(
        ValueError, match=r"^Under a transformation the Chow parameters are summed up to 20 sites, but w has 30"
    ):
        jax.vmap(hypercube.chow)(np.ones((2, 30)))
    with pytest.raises(ValueError, match=r"^w must be a vector, but has shape \(2, 2\); give one weight for each site"):
        hypercube.chow(np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"^w must be an array of real numbers, but its rows differ in length"):
        hypercube.chow([[1.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match=r"^w must be finite, but is nan"):
        hypercube.margin([10**400, math.nan])


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"site": 9}, r"site must be from 0 to 2, but is 9"),
        ({"site": -1}, r"site must be a whole number of at least 0, but is -1"),
        ({"cov1": np.full((3, 3), np.nan)}, r"cov1 must be finite, but is nan"),
        ({"cov0": np.eye(2)}, r"cov0 must be a covariance \(3, 3\), but has shape \(2, 2\)"),
    ],
)
def test_localized_states_refuse(given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        hypercube.localized_state(**{"cov1": np.eye(3), "cov0": np.eye(3)} | given)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"starts": [[1.0, np.nan, 0]]}, r"starts must be finite, but is nan"),
        ({"starts": [[1.0, 0, 0], [0, 0, 0]]}, r"starts must have no row of zeros"),
        ({"starts": np.ones((2, 4))}, r"starts must have one row of 3 sites per field, but has shape \(2, 4\)"),
        ({"chances": np.ones(7) / 7}, r"chances must have one entry for each of the 8 points, but has shape \(7,\)"),
        ({"cov1": np.eye(4)}, r"cov1 must be a covariance \(3, 3\), but has shape \(4, 4\)"),
        ({"time_step": -1.0}, r"time_step must be positive and finite, but is -1"),
        ({"time": 1e308}, r"time / time_step must be at most 2,147,483,647"),
    ],
)
def test_steady_states_refuse(given, message):
    plain = {"points": hypercube.corners(3), "cov1": np.eye(3), "cov0": np.eye(3), "starts": np.eye(3)}
    with pytest.raises(ValueError, match=f"^{message}"):
        hypercube.steady_states(**plain | given)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("x", "chances", "message"),
    [
        (np.full((4, 2), np.nan), None, r"x must be finite, but is nan"),
        (np.ones((4, 2)), np.ones(3), r"chances must have one entry for each of the 4 points, but has shape \(3,\)"),
        (np.ones((4, 2)), np.array([1, np.nan, 0, 0]), r"chances must be zero or more and finite, but is nan"),
    ],
)
def test_heads_refuse(x, chances, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        hypercube.head_errors(np.array([1.0, 2.0]), x, chances)


def test_a_tie_of_head_and_tail_decides_nothing():
    """The first five differ by 6 at least, which is the sixth: it turns the gate from open to a tie."""
    w = [28, 26, 19, 15, 14, 6]
    sums = hypercube.corners(5) @ w[:5]
    assert np.abs(sums).min() == 6
    assert hypercube.head_size(w) == 6
    assert hypercube.head_size([*w[:5], 5]) == 5


def test_integers_beyond_64_bits_are_not_rounded():
    wide = [2**63 + 1, 2**63 - 1]
    assert hypercube.margin(wide) == 2
    assert hypercube.margin([2**63 + 1, 2**62 + 1, 2**62 - 1]) == 1
    assert hypercube.head_size([*wide, 1]) == 1
    assert hypercube.sdp_margin(wide) == -4
    assert hypercube.chow(wide).tolist() == [0.5, 0.0]
    mixed = [np.int64(3), np.float32(2.5), jax.numpy.float32(0.25), Fraction(1, 8)]
    assert hypercube.margin(mixed) == 0.125


@pytest.mark.parametrize("large", [10**19, 10**30])
def test_margin_where_thousands_of_sums_nearly_tie(large):
    rng = np.random.default_rng(0)
    for count in (9, 12):
        small = rng.integers(1, 40, 4).tolist()
        w = [large] * count + small
        ways = itertools.product([1, -1], repeat=4)
        rest = [abs(sum(s * v for s, v in zip(signs, small, strict=True))) for signs in ways]
        found = hypercube.margin(w, with_error=True)
        expected = min(rest) if count % 2 == 0 else large - max(rest)
        assert (found.value, found.error) == (expected, 0)
        assert abs(sum(a * int(s) for a, s in zip(w, found.signs, strict=True))) == expected
    assert hypercube.margin([large] * 14 + [5, 2]) == 3
    assert hypercube.head_size([large] * 14 + [8, 7, 6, 5, 4, 1]) == 20


@pytest.mark.slow
def test_a_margin_that_cannot_be_told_is_refused():
    w = [10**30 + int(v) for v in np.random.default_rng(1).integers(0, 10**9, 46)]
    with pytest.raises(UserError, match="too many of their sums nearly tie"):
        hypercube.margin(w)


def test_chow_of_a_thousand_equal_weights():
    expected = math.comb(1000, 500) / 2**1001
    np.testing.assert_allclose(hypercube.chow([1] * 1001), expected, rtol=1e-14)
    uneven = np.array([3, 0, -2, 2, 7, 1, 1, 5])
    np.testing.assert_allclose(hypercube.chow(uneven), brute_chow(uneven), atol=1e-15)
