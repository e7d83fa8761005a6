"""The kinds of gating: where gates come from, what gradient descent moves, and how steep gates are."""

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from gatefield.core import checks
from gatefield.core.arrays import Numbers
from gatefield.core.errors import UserError

Gating = Literal["linear", "free", "galu", "relu", "soft-relu", "soft-galu", "gates-only"]


class Kind(NamedTuple):
    """One kind of gating."""

    gates: str
    """Where gates come from: "open" (all are), "free" (given for each sample), "own" (the network's sums) or "network"."""
    trains: tuple[str, ...]
    """The arrays that are trained, if the network has them."""
    soft: bool
    """Whether gradients reach the gates, which needs a finite beta."""
    hard_twin: str = ""
    """The kind that has hard gates instead."""


STRENGTHS, GATING = ("weights", "biases"), ("gating_weights", "gating_biases")
KINDS: dict[Gating, Kind] = {
    "linear": Kind("open", STRENGTHS, soft=False),
    "free": Kind("free", STRENGTHS, soft=False),
    "galu": Kind("network", STRENGTHS, soft=False),
    "relu": Kind("own", STRENGTHS, soft=False),
    "soft-relu": Kind("own", STRENGTHS, soft=True, hard_twin="relu"),
    "soft-galu": Kind("network", (*STRENGTHS, *GATING), soft=True, hard_twin="galu"),
    "gates-only": Kind("network", GATING, soft=True, hard_twin="galu"),
}


def kind_name(owner: type, gating: Gating | None, gates_from: Any) -> Gating:
    """The kind asked for; gates that are taken over are frozen, unless that says otherwise. `owner`: the network's class."""
    if gates_from is not None and not isinstance(gates_from, owner):
        raise UserError(
            f"gates_from must be a {owner.__name__} network, but is a {type(gates_from).__name__}; make it by "
            f"{owner.__name__}(...) with the same layers."
        )
    if gating is None:
        if gates_from is None:
            raise UserError(f"{owner.__name__} needs a gating: give one of {', '.join(KINDS)}, or a network by gates_from.")
        return gates_from.gating if gates_from.gating in ("linear", "free") else "galu"
    gating = checks.choice("gating", gating, KINDS)
    if gates_from is not None and KINDS[gating].gates in ("open", "own"):
        raise UserError(f"Gating '{gating}' takes no gates from another network; leave gates_from out, or use 'galu'.")
    return gating


def check_same_layout(net: Any, gates_from: Any) -> None:
    """An error that names what differs between a network and the one that its gates are taken from."""
    here, there = net.layout(), gates_from.layout()
    apart = [f"{name} = {here[name]} (there {there[name]})" for name in here if here[name] != there[name]]
    if apart:
        raise UserError(
            f"gates_from must be a network of the same layout, but this one has {', '.join(apart)}; make both alike."
        )


def check_makes_gates(gating: Gating) -> None:
    """An error if no weights decide the gates of this kind."""
    if KINDS[gating].gates not in ("own", "network"):
        raise UserError(f"A network with gating '{gating}' has no weights that make gates; use another kind of gating.")


def soft_gates(gating: Gating, beta: Numbers | None, eps: Numbers | None, gates_from: Any = None) -> tuple[Any, Any, bool]:
    """beta, eps, both one number or one for each run, and whether gates are hard.

    They are as given, else those of the network that gives the gates, else the default of the kind.
    """
    if beta is None and gates_from is not None and not (gates_from.hard and KINDS[gating].soft):
        beta, eps = np.asarray(gates_from.beta), np.asarray(gates_from.eps) if eps is None else eps
    shapes = [() if v is None else np.shape(v) for v in (beta, eps)]
    if len({s[0] for s in shapes if len(s) == 1} - {1}) > 1:
        raise UserError(
            f"beta and eps must have one value for each run, but have shapes {shapes[0]} and {shapes[1]}; give as many of both."
        )
    shape = max(shapes, key=lambda s: (len(s), s))
    if len(shape) > 1 or 0 in shape:
        raise UserError(f"beta and eps must be numbers, or one for each run, but have shape {shape}; write beta=[1.0, 4.0].")
    many = [np.ravel(np.broadcast_to(np.asarray(v, object), shape)) for v in (beta, eps)]
    pairs = [_soft_gate(gating, b, e) for b, e in zip(*many, strict=True)]
    hard = [math.isinf(b) for b, _ in pairs]
    if any(hard) and not all(hard):
        raise UserError("beta must be finite for all runs, or inf for all; train hard and soft gates apart.")
    betas, epsilons = np.array(pairs).T if shape else pairs[0]
    return betas, epsilons, all(hard)


def _soft_gate(gating: Gating, beta: Any, eps: Any) -> tuple[float, float]:
    """beta and eps of one run."""
    kind = KINDS[gating]
    beta = (4.0 if kind.soft else math.inf) if beta is None else beta
    beta = checks.scalar("beta", checks.real("beta", beta, "positive", lambda b: b > 0))
    eps = (0.1 if math.isfinite(beta) else 0.0) if eps is None else eps
    eps = checks.scalar("eps", checks.real("eps", eps, "zero or more and finite", lambda e: (e >= 0) & np.isfinite(e)))
    if kind.soft and math.isinf(beta):
        raise UserError(
            f"Gating '{gating}' with beta=inf trains no gates, because hard gates have no gradient; "
            f"give a finite beta, or use gating='{kind.hard_twin}'."
        )
    if gating != "galu" and not kind.soft and math.isfinite(beta):
        raise UserError(f"Gating '{gating}' takes no beta, but beta is {beta:g}; leave it out, or use a soft kind of gating.")
    if math.isinf(beta) and eps:
        raise UserError(f"eps must be 0 for hard gates (beta=inf), which are 0 or 1, but is {eps:g}; leave it out.")
    return beta, eps
