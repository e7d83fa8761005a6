"""Kernels on an accelerator: half of the products, and the precision that was asked for."""

import jax
import jax.extend
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee
from gatefield.core.errors import UserError
from gatefield.kernels import ntk, symmetric, tangent_kernel
from gatefield.kernels.features import features


def network(samples, rng):
    weights = [rng.normal(size=shape) for shape in [(5, 7), (7, 6), (6, 2)]]
    gates = [rng.integers(0, 2, size=(samples, width)).astype(float) for width in (7, 6)]
    return weights, gates, rng.normal(size=(samples, 5))


@pytest.mark.parametrize(("samples", "height"), [(23, 3), (16, 8), (9, 9)])
def test_half_of_the_products_make_the_whole_kernel(samples, height):
    weights, gates, x = network(samples, np.random.default_rng(0))
    parts = jax.tree.map(jnp.asarray, features(weights, gates, x))
    np.testing.assert_allclose(symmetric.by_halves(height, parts), ntk(weights, gates, x), rtol=1e-4, atol=1e-4)


def asked_for(call):
    """The precisions of all products that a call traces."""
    found = []

    def visit(jaxpr):
        for equation in jaxpr.eqns:
            if equation.primitive.name == "dot_general":
                found.append(equation.params["precision"])
            for inner in jax.extend.core.jaxprs_in_params(equation.params):
                visit(inner)

    visit(call.jaxpr)
    return {str(one[0] if isinstance(one, tuple) else one).rsplit(".", 1)[-1] for one in found}


def test_the_precision_holds_for_all_products_of_a_call_and_not_beyond(monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    weights, gates, x = jax.tree.map(jnp.asarray, network(6, np.random.default_rng(0)))
    net = Committee(5, 3, key=jax.random.key(0))
    for name, precision in [(None, "HIGHEST"), ("tf32", "HIGH"), ("float32", "HIGHEST"), (None, "HIGHEST")]:
        assert asked_for(jax.make_jaxpr(lambda x, n=name: ntk(weights, gates, x, precision=n))(x)) == {precision}
        assert asked_for(jax.make_jaxpr(lambda x, n=name: tangent_kernel(net, x, precision=n))(x)) == {precision}


def test_a_precision_is_one_of_two():
    with pytest.raises(UserError, match="float16"):
        ntk(*network(3, np.random.default_rng(0)), precision="float16")
