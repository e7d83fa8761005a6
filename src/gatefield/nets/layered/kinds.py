"""The kinds of gating of a deep network: whose sums decide the gates, and what gradient descent moves."""

import math
from typing import Any, NamedTuple

import numpy as np

from gatefield.core import checks
from gatefield.core.errors import UserError


class Kind(NamedTuple):
    """One kind of gating."""

    gates: str
    """Where gates come from: "open" (all are), "free" (given for each sample), "own" (the network's sums) or "network"."""
    trains: tuple[str, ...]
    """What is trained: "strengths", "gating"."""
    soft: bool
    """Whether gradients reach the gates, which needs a finite beta."""
    hard_twin: str = ""
    """The kind that has hard gates instead."""


KINDS = {
    "linear": Kind("open", ("strengths",), False),
    "free": Kind("free", ("strengths",), False),
    "galu": Kind("network", ("strengths",), False),
    "relu": Kind("own", ("strengths",), False),
    "soft-relu": Kind("own", ("strengths",), True, "relu"),
    "soft-galu": Kind("network", ("strengths", "gating"), True, "galu"),
    "gates-only": Kind("network", ("gating",), True, "galu"),
}


def soft_gate(gating: str, beta: Any, eps: Any, gates_from: Any = None) -> tuple[float, float]:
    """beta and eps of a kind: as given, else those of the network that gives the gates, else the default of the kind."""
    if beta is None and gates_from is not None and KINDS[gating].gates == "network" and _can(gating, gates_from.beta):
        beta, eps = gates_from.beta, gates_from.eps if eps is None else eps
    beta = (4.0 if KINDS[gating].soft else math.inf) if beta is None else beta
    beta = checks.scalar("beta", checks.real("beta", beta, "positive", lambda b: b > 0))
    eps = (0.1 if math.isfinite(beta) else 0.0) if eps is None else eps
    eps = checks.scalar("eps", checks.real("eps", eps, "zero or more and finite", lambda e: (e >= 0) & np.isfinite(e)))
    _check_hardness(gating, beta, eps)
    return beta, eps


def _can(gating: str, beta: float) -> bool:
    """Whether gates of this steepness can be of this kind."""
    return math.isfinite(beta) or not KINDS[gating].soft


def _check_hardness(gating: str, beta: float, eps: float) -> None:
    if not _can(gating, beta):
        raise UserError(
            f"Gating '{gating}' with beta=inf trains no gates, because hard gates have no gradient; "
            f"give a finite beta, or use gating='{KINDS[gating].hard_twin}'."
        )
    if gating != "galu" and not KINDS[gating].soft and math.isfinite(beta):
        raise UserError(f"Gating '{gating}' takes no beta, but beta is {beta:g}; leave it out, or use a soft kind of gating.")
    if math.isinf(beta) and eps:
        raise UserError(f"eps must be 0 for hard gates (beta=inf), which are 0 or 1, but is {eps:g}; leave it out.")
