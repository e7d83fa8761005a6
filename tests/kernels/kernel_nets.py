"""Small gated networks, JAX's Jacobians of them, and stored values."""

import itertools
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

REFERENCE = json.loads((Path(__file__).parent.parent / "reference" / "values.json").read_text())["values"]


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
