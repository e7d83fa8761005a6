"""The check of a user's own source: each mistake is one sentence."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from every_source import one

from gatefield import Task, UserError, leaf
from gatefield.data import Gaussian, Source, Taught, check_source

KEY = jax.random.key(0)
N = 3
RNG = np.random.default_rng(0)


class Own(Source):
    """Standard normal, but for what a test puts in the place of a method's result."""

    n: int = eqx.field(static=True, default=N)
    draw: object = eqx.field(static=True, default=jax.random.normal)
    stated: object = eqx.field(static=True, default=lambda: jnp.eye(N))
    middle: object = eqx.field(static=True, default=lambda: jnp.zeros(N))
    scale: np.ndarray = leaf(1, default_factory=lambda: np.ones(N))

    def sampler(self):
        return self.draw and (lambda key, size: self.draw(key, (size, N)))

    def _covariance(self):
        return self.stated()

    def _mean(self):
        return self.middle()


WRONG = {
    "no sampler": ({"draw": None}, r"sampler\(\) of Own must give a function draw\(key, size\), but gives None"),
    "wide": ({"draw": lambda k, s: jnp.ones((s[0], 4))}, r"must have shape \(1000, 3\), but has \(1000, 4\)"),
    "flat": ({"draw": lambda k, s: jnp.ones(s[0])}, r"must have shape \(1000, 3\), but has \(1000,\)"),
    "text": ({"draw": lambda k, s: "x"}, r"sampler\(\) of Own must be an array of real numbers, but is 'x'"),
    "complex": ({"draw": lambda k, s: 1j * jnp.ones(s)}, "must be an array of real numbers"),
    "nan": ({"draw": lambda k, s: jnp.full(s, jnp.nan)}, "must be finite, but 3000 of its numbers are not"),
    "no key": ({"draw": lambda k, s: jnp.asarray(RNG.normal(size=s))}, "must draw the same numbers for the same key"),
    "vector": ({"stated": lambda: jnp.ones(N)}, r"_covariance\(\) of Own must have shape \(3, 3\), but has \(3,\)"),
    "nothing": ({"stated": lambda: None}, r"_covariance\(\) of Own must be an array of real numbers, but is None"),
    "negative": ({"stated": lambda: -jnp.eye(N)}, "covariance must have no negative eigenvalue, but has -1"),
    "other": ({"stated": lambda: 2 * jnp.eye(N)}, r"_covariance\(\) of Own must be that of the samples, but is \d+ standard"),
    "mean": ({"middle": lambda: jnp.ones(2)}, r"_mean\(\) of Own must have shape \(3,\), but has \(2,\)"),
    "other mean": ({"middle": lambda: jnp.ones(N)}, r"_mean\(\) of Own must be that of the samples"),
    "table": ({"scale": np.ones((2, 2, N))}, r"scale must have 1 dimensions, or 2 with a run axis, .* gatefield.leaf\("),
    "text of numbers": ({"scale": "abc"}, r"scale of Own must be numbers, but is 'abc'; .* eqx.field\(static=True\)"),
    "list": ({"scale": [1.0, 2.0, 3.0]}, r"scale of Own must be one array, but is a list with 1 in it; keep it as np\.asarray"),
    "broken": ({"stated": lambda: jnp.eye(N) + "a"}, r"_covariance\(\) of Own must be computed by jax.numpy, but fails"),
    "no mean": ({"middle": lambda: jnp.nothing}, r"_mean\(\) of Own must be computed by jax.numpy, but fails"),
    "no draw": ({"draw": lambda k, s: 1 / 0}, r"The draw of sampler\(\) of Own must be .* but fails: division by zero"),
    "number": ({"scale": np.ones(())}, r"scale must have 1 dimensions, or 2 with a run axis, but has shape \(\)"),
}


@pytest.mark.wrong_types
@pytest.mark.parametrize("name", WRONG)
def test_each_mistake_is_one_sentence(name):
    changes, words = WRONG[name]
    with pytest.raises(UserError, match=words) as caught:
        check_source(Own(**changes), samples=1000)
    assert "\n" not in str(caught.value)


def test_a_source_of_the_package_passes():
    check_source(one("flipped pulse"), samples=4000)


def test_runs_are_looked_at_one_by_one():
    check_source(Own(scale=np.ones((2, N))), samples=1000)


@pytest.mark.wrong_types
def test_a_wrong_width_is_found_wherever_samples_are_drawn():
    wide = Own(draw=lambda key, shape: jnp.ones((shape[0], 4)))
    for draw in (wide, Task(wide, Gaussian(N, 1.0)), Taught(wide, lambda x: x[:, 0])):
        with pytest.raises(UserError, match=r"The draw of sampler\(\) of Own must have shape \(2, 3\), but has \(2, 4\)"):
            draw.sample(KEY, 4 if isinstance(draw, Task) else 2)
    with pytest.raises(UserError, match="source must be a source"):
        check_source(3)
