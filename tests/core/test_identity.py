"""Fingerprints: the same for the same things, in every process and on every version of Python; different for others."""

import functools
import subprocess
import sys
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from gatefield.core.tracing.identity import fingerprint
from gatefield.data import Gaussian


def scaled(x, by=2.0, *, power=1):
    """A function with both kinds of defaults."""
    return by * x**power


def adder(amount):
    return lambda x: x + amount


class Polynomial(eqx.Module):
    factor: float

    def value(self, x):
        return self.factor * x


OTHERS = {
    "numbers": (1.0, 2.0),
    "types": (np.float32(1.0), np.float64(1.0)),
    "shapes": (np.zeros((2, 3)), np.zeros((3, 2))),
    "keys": (jax.random.key(0), jax.random.key(1)),
    "names": ({"a": 1.0}, {"b": 1.0}),
    "settings": (Gaussian(5, 1.0), Gaussian(5, 1.0, boundary="line")),
    "lambdas on one line": ((lambda x: x + 1), (lambda x: x + 2)),
    "lambdas of other names": ((lambda x: jnp.sin(x)), (lambda x: jnp.cos(x))),
    "nested lambdas": ((lambda y: lambda x: x * y), (lambda y: lambda x: x - y)),
    "closures": (adder(1.0), adder(2.0)),
    "arrays in closures": (adder(np.zeros(3)), adder(np.ones(3))),
    "partials": (functools.partial(scaled, by=2.0), functools.partial(scaled, by=3.0)),
    "a partial and its function": (functools.partial(scaled, by=2.0), scaled),
    "methods": (Polynomial(1.0).value, Polynomial(2.0).value),
    "jitted": (jax.jit(adder(1.0)), jax.jit(adder(2.0))),
    "transformations": (optax.adam(1e-3), optax.adam(1e-2)),
    "schedules": (optax.cosine_decay_schedule(0.1, 10), optax.cosine_decay_schedule(0.1, 20)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_things_have_other_fingerprints(name):
    one, other = OTHERS[name]
    assert fingerprint(one) == fingerprint(one)
    assert fingerprint(one) != fingerprint(other)


def test_equal_things_made_twice_are_the_same():
    for make in (
        lambda: adder(3.0),
        lambda: functools.partial(scaled, 1.0, power=2),
        lambda: optax.chain(optax.clip(1.0), optax.adam(1e-3)),
        lambda: Polynomial(2.0).value,
        lambda: {"x": np.arange(3.0), "key": jax.random.key(4)},
    ):
        assert fingerprint(make()) == fingerprint(make())


def test_defaults_count():
    def with_defaults(by, power):
        def function(x, by=by, *, power=power):
            return by * x**power

        return function

    prints = {fingerprint(with_defaults(by, power)) for by in (1.0, 2.0) for power in (1, 2)}
    assert len(prints) == 4
    assert fingerprint(with_defaults(1.0, 1)) in prints


SOURCES = {
    "plain": "def f(x):\n    return 2 * x\n",
    "commented": "def f(x):\n    # twice\n    return 2*x   # as much\n",
    "moved": "import math\n\n\ndef f(x):\n    return (2 * x)\n",
    "changed": "def f(x):\n    return 3 * x\n",
}


def loaded(folder: Path, name: str):
    path = folder / f"{name}.py"
    path.write_text(SOURCES[name])
    space = {"__name__": "study"}
    exec(compile(path.read_text(), path, "exec"), space)
    return space["f"]


def test_comments_and_layout_do_not_count(tmp_path):
    prints = {name: fingerprint(loaded(tmp_path, name)) for name in SOURCES}
    assert prints["plain"] == prints["commented"] == prints["moved"] != prints["changed"]


def test_without_source_the_instructions_count():
    spaces = []
    for text in ("f = lambda x: 2 * x", "f = lambda x: 3 * x", "f = lambda x: 2 * x"):
        spaces.append({"__name__": "study"})
        exec(text, spaces[-1])
    one, other, again = (fingerprint(space["f"]) for space in spaces)
    assert one == again != other


@pytest.mark.slow
def test_another_process_finds_the_same():
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_identity import fingerprint, scaled, adder, optax\n"
        "print(fingerprint(scaled, adder(1.0), optax.adam(1e-3)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert found == fingerprint(scaled, adder(1.0), optax.adam(1e-3))


def test_dictionaries_whose_keys_cannot_be_sorted_count_by_what_they_hold():
    prints = {fingerprint({1: by, "a": [2.0, {None: 1, 3: by}]}) for by in (1.0, 2.0)}
    assert len(prints) == 2
    assert fingerprint({"a": [2.0, {3: 1.0, None: 1}], 1: 1.0}) in prints
