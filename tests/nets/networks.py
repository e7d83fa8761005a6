"""One of every network, for the tests that each of them has to pass; a new network is one line here."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Float

from gatefield import Committee, ConvGated, DeepGated, GatedLinear, Network
from gatefield.core.runs import leaf
from gatefield.gates import half_spaces

N, SAMPLES = 6, 5
X = np.random.default_rng(0).normal(size=(SAMPLES, N))
RING = {"kernel_size": 2, "padding": "circular"}
KINDS = ["linear", "free", "galu", "relu", "soft-relu", "soft-galu", "gates-only"]


class Cubic(Network):
    """A user's own network: fields behind a cube, an offset that is not trained, and two outputs."""

    power: int = eqx.field(static=True)
    fields: Float[Array, "*runs 2 n"] = leaf(2)
    offset: Float[Array, "*runs"] = leaf(0)

    def forward(self, x):
        return (x @ self.fields.T) ** self.power + self.offset

    def observables(self):
        return {"fields": (("unit", "position"), self.fields), "offset": ((), self.offset)}

    @property
    def outputs(self):
        return 2

    def trainable(self):
        return eqx.tree_at(lambda net: net.offset, super().trainable(), False)


def cubic(key):
    fields = jnp.vectorize(lambda k: 0.5 * jax.random.normal(k, (2, N)), signature="()->(o,n)")(key)
    return Cubic(3, fields, jnp.full(fields.shape[:-2], 0.3))


def deep(gating, **settings):
    extra = {"samples": SAMPLES} if gating == "free" else {}
    return lambda key: DeepGated(N, [5, 4], gating=gating, key=key, **extra, **settings)


def ring(gating, **settings):
    extra = {"samples": SAMPLES} if gating == "free" else {}
    return lambda key: ConvGated((3, 2), [4, 3], gating=gating, key=key, **extra, **{**RING, "outputs": 1, **settings})


NETWORKS = {
    "committee": lambda key: Committee(N, N, key=key),
    "committee of all parts": lambda key: Committee(
        N, 3, activation="erf", bias=True, output_bias=True, linear=True, readout="learned", key=key
    ),
    "committee with frozen parts": lambda key: Committee(
        N, 3, activation=jnp.tanh, bias="frozen", bias_init=0.4, output_bias="frozen", linear="frozen", key=key
    ),
    "gated linear": lambda key: GatedLinear(N, half_spaces(np.eye(N)), key=key),
    "a user's own": cubic,
    **{f"deep {kind}": deep(kind) for kind in KINDS},
    **{f"deep {kind} with biases and outputs": deep(kind, bias=True, outputs=3) for kind in KINDS},
    "deep without readout": deep("soft-galu", outputs=None, bias=True),
    "deep in half precision": deep("soft-relu", precision="bfloat16"),
    "deep with soft frozen gates": deep("galu", beta=2.0, eps=0.2, record_weights=True),
    **{f"ring {kind}": ring(kind, bias=kind != "relu") for kind in KINDS},
    "ring with dense layers": ring("soft-galu", dense=[4], outputs=3, bias=True, pool=[None, "max"], record_weights=True),
    "ring with pooling": ring("relu", head="mean", outputs=None),
    "image": lambda key: ConvGated((3, 2, 1), [2], kernel_size=2, gating="soft-relu", outputs=2, key=key),
}

AGAIN = {*(f"deep {kind}" for kind in KINDS if kind != "relu"), "ring free", "ring galu", "ring relu", "ring soft-galu"}
"""Every part of these stands in another one as well."""

every = pytest.mark.parametrize(
    "make", [pytest.param(make, id=name, marks=[pytest.mark.slow] * (name in AGAIN)) for name, make in NETWORKS.items()]
)


def moved(net):
    """The network with biases that are not zero, other ones in its gating network, and a readout that is not the mean."""
    if isinstance(getattr(net, "readout", None), jax.Array):
        net = eqx.tree_at(lambda tree: tree.readout, net, net.readout + 0.1 * jnp.arange(net.readout.shape[-1]))
    for name, size in (("biases", 0.2), ("gating_biases", -0.3)):
        if getattr(net, name, None) is not None:
            shifted = tuple(b + size * jnp.cos(jnp.arange(b.shape[-1])) for b in getattr(net, name))
            net = eqx.tree_at(lambda tree, name=name: getattr(tree, name), net, shifted)
    return net
