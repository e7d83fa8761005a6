"""Small gated networks, JAX's Jacobians of them, means over the plane of two Gaussian sums, and stored values."""

import itertools
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

REFERENCE = json.loads((Path(__file__).parent.parent / "reference" / "values.json").read_text())["values"]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(300)
NODES, MASS = 9 * NODES, 9 * WEIGHTS * np.exp(-((9 * NODES) ** 2) / 2) / np.sqrt(2 * np.pi)


def reference(name):
    return next(value for value in REFERENCE if value["name"] == name)


def make(dims, samples, seed=0, soft=False):
    """Weights, gates and inputs; dims = (inputs, widths..., outputs)."""
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=shape) for shape in itertools.pairwise(dims)]
    gates = [rng.random((samples, w)) if soft else (rng.random((samples, w)) < 0.6).astype(float) for w in dims[1:-1]]
    return weights, gates, rng.normal(size=(samples, dims[0]))


def jacobians(function, params):
    """Derivatives of `function(params)` (samples, ...) by all parameters, (samples, ..., parameters), in float64."""
    with jax.enable_x64(True):
        params = [jnp.asarray(p) for p in params]
        shape = jax.eval_shape(function, params).shape
        leaves = jax.jit(jax.jacrev(function))(params)
    return np.concatenate([np.asarray(leaf).reshape(*shape, -1) for leaf in leaves], -1)


def jacobian_kernel(function, params):
    """Products of the derivatives of one output."""
    rows = jacobians(function, params)
    return rows @ rows.T


def plane(cov, first, second):
    """E[first(q) second(q')] for all pairs of sums, on a grid of two independent normal variables."""
    out = np.zeros_like(cov)
    for s, t in itertools.product(range(len(cov)), repeat=2):
        a, b = np.sqrt(cov[s, s]), np.sqrt(cov[t, t])
        along = cov[s, t] / a
        across = np.sqrt(max(b**2 - along**2, 0.0))
        out[s, t] = MASS @ (first(a * NODES)[:, None] * second(along * NODES[:, None] + across * NODES)) @ MASS
    return out
