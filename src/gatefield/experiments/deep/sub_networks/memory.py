"""What a network knows with some of its gates alone, and which of its gates stay and which move during training."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from gatefield.experiments.deep.networks import Arrays
from gatefield.experiments.deep.sub_networks.gates import Gates
from gatefield.kernels import gated_pass

KEPT = ("all", "active", "rest", "random")
"""All gates; those above tau_A alone; the others alone; as many as are active, but chosen at random in each layer."""
KINDS = ("active", "between", "shut")
SETS = KINDS[:2]


def remembered(net: Gates, y: np.ndarray, taus: Sequence[float], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Accuracy with the gates of `KEPT` alone and the others at 0; and the correlation of the output with the whole one."""
    whole = _output(net, None)
    outputs = [[whole if masks is None else _output(net, masks) for masks in _kept(net, tau, rng)] for tau in taus]
    right = [[_accuracy(output, y) for output in row] for row in outputs]
    return np.array(right), np.array([[_correlation(output, whole) for output in row] for row in outputs])


def _kept(net: Gates, tau: float, rng: np.random.Generator) -> list[Arrays | None]:
    on = net.active(tau)
    drawn = [_as_many(mask, rng) for mask in on]
    return [None, on, [~mask for mask in on], drawn]


def _as_many(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each sample as many gates as it has in the mask, at random."""
    places = rng.random(mask.shape).argsort(1).argsort(1)
    return places < mask.sum(1)[:, None]


def _output(net: Gates, masks: Arrays | None) -> np.ndarray:
    gates = net.gates if masks is None else [g * m for g, m in zip(net.gates, masks, strict=True)]
    layers = [lambda z, w=w: z @ w for w in net.weights[:-1]]
    *_, (_, _, z) = gated_pass(layers, net.x, lambda at, q: gates[at])
    return (z @ net.weights[-1])[:, 0]


def _accuracy(output: np.ndarray, y: np.ndarray) -> float:
    """A sample without any open path counts as half right."""
    return float((1 + np.sign(output) * np.sign(y)).mean() / 2)


def _correlation(output: np.ndarray, whole: np.ndarray) -> float:
    return float(np.corrcoef(output, whole)[0, 1]) if output.std() > 0 else 0.0


def overlaps(over_time: Sequence[Gates], tau: float) -> np.ndarray:
    """(time, set, 2): common gates over all gates of the set now or in the end; and by chance, with as many in each layer."""
    ends = [over_time[-1].active(tau), over_time[-1].between(tau)]
    return np.array([[_overlap(a, b) for a, b in zip((n.active(tau), n.between(tau)), ends, strict=True)] for n in over_time])


def _overlap(now: Arrays, end: Arrays) -> tuple[float, float]:
    common = sum(int((a & b).sum()) for a, b in zip(now, end, strict=True))
    sizes = sum(int(a.sum() + b.sum()) for a, b in zip(now, end, strict=True))
    by_chance = sum(a.mean() * b.mean() * a.size for a, b in zip(now, end, strict=True))
    return (common / (sizes - common), by_chance / (sizes - by_chance)) if sizes else (np.nan, np.nan)


def movement(over_time: Sequence[Gates], tau: float) -> np.ndarray:
    """(kind, 2): shares of all squared changes of gates between records, by what gates were before; and shares of gates."""
    moved, count = np.zeros(len(KINDS)), np.zeros(len(KINDS))
    for before, after in pairwise(over_time):
        for on, middle, a, b in zip(before.active(tau), before.between(tau), before.gates, after.gates, strict=True):
            for at, mask in enumerate((on, middle, ~on & ~middle)):
                moved[at] += ((b - a)[mask] ** 2).sum()
                count[at] += mask.sum()
    return np.stack([moved / moved.sum(), count / count.sum()], 1)
