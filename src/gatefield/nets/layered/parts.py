"""What a deep gated network is made of: shapes, kind, share of open gates, weights and gates, from what the user hands in."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.core.runs import run_count
from gatefield.nets.layered.init import Layers, Shapes, drawn_gates, drawn_layers, each_key, given_layers
from gatefield.nets.layered.kinds import KINDS


def layer_shapes(n: Any, widths: Any, outputs: Any) -> list[tuple[int, int]]:
    """The shape of each layer's weights."""
    if np.ndim(widths) != 1 or not len(widths):
        raise UserError(
            f"widths must be a list of one or more widths, such as [100, 100], but is {widths!r}; give such a list."
        )
    sizes = [checks.count("n", n), *(checks.count("widths", w) for w in widths), checks.count("outputs", outputs)]
    return list(itertools.pairwise(sizes))


def kind_name(owner: type, gating: Any, gates_from: Any) -> str:
    """The kind asked for; gates that are taken over are frozen, unless that says otherwise. `owner`: the network's class."""
    if gates_from is not None and not isinstance(gates_from, owner):
        name = type(gates_from).__name__
        raise UserError(f"gates_from must be a {owner.__name__} network, but is a {name}; give such a network.")
    if gating is None:
        if gates_from is None:
            raise UserError(f"{owner.__name__} needs a gating: give one of {', '.join(KINDS)}, or a network by gates_from.")
        return gates_from.gating if gates_from.gating in ("linear", "free") else "galu"
    gating = checks.choice("gating", gating, KINDS)
    if gates_from is not None and KINDS[gating].gates in ("open", "own"):
        raise UserError(f"Gating '{gating}' takes no gates from another network; leave gates_from out, or use 'galu'.")
    return gating


def check_same_layout(here: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    """An error that names what differs between a network and the one that its gates are taken from."""
    apart = [f"{name} = {here[name]} (there {there[name]})" for name in here if here[name] != there[name]]
    if apart:
        raise UserError(
            f"gates_from must be a network of the same layout, but this one has {', '.join(apart)}; make both alike."
        )


def check_inputs(net: Any, x: Any, rule: str, *, fits: bool) -> None:
    """An error for a network of several runs, which is called for one at a time, and for inputs that do not fit."""
    runs = run_count(net)
    if runs is not None:
        raise UserError(
            f"This network stands for {runs} runs and cannot be called as one; train it as it is, or take run 0 by "
            f"gatefield.one_run(net, 0)."
        )
    if not fits:
        raise UserError(f"Inputs must have {rule}, but have shape {np.shape(x)}; give such inputs.")


def open_share(mu: Any, gating: str) -> float:
    """The share of open gates."""
    if mu is None:
        return 1.0 if gating == "linear" else 0.5
    return checks.scalar("mu", checks.real("mu", mu, "above 0 and at most 1", lambda m: (m > 0) & (m <= 1)))


def three_keys(key: Any) -> Sequence[PRNGKeyArray | None]:
    """Keys for weights, gating network and free gates, each with the run axis of the key."""
    if key is None:
        return (None, None, None)
    return [each_key(lambda k, i=i: jax.random.split(k, 3)[i], as_key(key)) for i in range(3)]


def initial_layers(
    name: str, init: Any, sigma: Any, mu: float, shapes: Shapes, key: PRNGKeyArray | None, layers: int | None = None
) -> Layers:
    """Drawn or given weights; only the first `layers` of them, if so asked."""
    if not isinstance(init, str):
        return given_layers(name, init, shapes[:layers])
    if key is None:
        raise UserError(f"Weights by the law '{init}' need a key; give one, such as key=jax.random.key(0).")
    return drawn_layers(init, sigma, mu, shapes, key)[:layers]


class Start(NamedTuple):
    """How a network begins: laws of its weights and of those that decide the gates, their scale, and given gates."""

    init: Any
    gating_init: Any
    sigma: Any
    mu: Any
    bias: bool
    gates_from: Any
    samples: Any
    free_gates: Any


class Parts(NamedTuple):
    """The arrays of a network, and what decides its gates beside itself: weights and biases, or free gates."""

    weights: Layers
    biases: tuple[Array, ...] | None
    gating_weights: Layers | None = None
    gating_biases: tuple[Array, ...] | None = None
    free_gates: Layers | None = None


def initial_parts(gating: str, shapes: Shapes, units: Sequence[int], key: PRNGKeyArray | None, start: Start) -> Parts:
    """What a network begins with; `units` are the numbers of gates in each layer that has some.

    What decides the gates is taken from the network `gates_from`, if there is one.
    """
    share, keys, source = open_share(start.mu, gating), three_keys(key), start.gates_from
    weights = initial_layers("init", start.init, start.sigma, share, shapes, keys[0])
    own = Parts(weights, zero_biases(weights) if start.bias else None)
    kind = KINDS[gating].gates
    if kind != "free" and (start.samples is not None or start.free_gates is not None):
        raise UserError(f"samples and free_gates belong to gating='free', but gating is '{gating}'; leave them out.")
    if kind == "free":
        given = start.free_gates if source is None else source.free_gates
        free = initial_gates(given, start.samples, share, [(0, n) for n in (*units, 1)], keys[2])
        return own._replace(free_gates=free)
    if kind != "network":
        return own
    law = start.init if start.gating_init is None else start.gating_init
    law = law if source is None else source.gating_layers
    deciding = initial_layers("gating_init", law, start.sigma, share, shapes, keys[1], len(units))
    taken = None if source is None else source.gating_offsets
    return own._replace(gating_weights=deciding, gating_biases=taken or (zero_biases(deciding) if start.bias else None))


def initial_gates(gates: Any, samples: Any, mu: float, shapes: Shapes, key: PRNGKeyArray | None) -> Layers:
    """Given free gates, or drawn ones."""
    widths = tuple(width for _, width in shapes[:-1])
    if gates is not None:
        rows = np.shape(gates[0])[-2] if np.ndim(gates[0]) > 1 else 0
        return given_layers("free_gates", gates, [(rows, width) for width in widths])
    if samples is None or key is None:
        raise UserError("Gating 'free' needs the number of training samples and a key, or free_gates; give samples=200, say.")
    return drawn_gates(mu, checks.count("samples", samples), widths, key)


def check_makes_gates(gating: str) -> None:
    """An error if no weights decide the gates of this kind."""
    if KINDS[gating].gates not in ("own", "network"):
        raise UserError(f"A network with gating '{gating}' has no weights that make gates; use another kind of gating.")


def trained_parts(net: Any) -> Any:
    """A tree of the network's shape, True for the arrays that its kind of gating trains."""
    parts = {"strengths": ("weights", "biases"), "gating": ("gating_weights", "gating_biases")}
    names = [name for part in KINDS[net.gating].trains for name in parts[part] if getattr(net, name) is not None]
    nothing = jax.tree.map(lambda _: False, net)
    moved = [jax.tree.map(lambda _: True, getattr(net, name)) for name in names]
    return eqx.tree_at(lambda net: [getattr(net, name) for name in names], nothing, moved)


def norms(net: Any) -> dict[str, tuple[tuple[str, ...], Array]]:
    """What a training records of all weights: the norm of each layer's, and of the gating network's."""
    found: dict[str, tuple[tuple[str, ...], Array]] = {"weight_norm": (("layer",), _norms(net.weights))}
    if net.gating_weights is not None:
        found["gating_norm"] = (("gated_layer",), _norms(net.gating_weights))
    return found


def _norms(layers: Layers) -> Array:
    return jnp.stack([jnp.sqrt(jnp.sum(layer**2)) for layer in layers])


def zero_biases(layers: Layers) -> tuple[Array, ...]:
    """A bias of zero for each unit."""
    return tuple(jnp.zeros((*layer.shape[:-2], layer.shape[-1])) for layer in layers)
