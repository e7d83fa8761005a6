"""Tangent kernels of networks with soft gates: the part of the strengths, the part of the gates, and both together."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gatefield.core.arrays import ScalarLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.kernels.arrays import (
    Arrays,
    Kernel,
    Samples,
    arrays,
    check_biases,
    check_layers,
    float_arrays,
    full_precision,
    is_traced,
    numbers,
)
from gatefield.kernels.features import Features, back, features, kernel, with_biases
from gatefield.kernels.passes import dense
from gatefield.kernels.soft.passes import Pass, check_soft, gating_pass


@given(weights=arrays, gating_weights=arrays, x=numbers, biases=arrays, gating_biases=arrays)
@full_precision
def strength_and_gate_ntk(
    weights: Arrays,
    gating_weights: Arrays,
    x: Samples,
    beta: ScalarLike = 4.0,
    eps: ScalarLike = 0.1,
    *,
    biases: Arrays | None = None,
    gating_biases: Arrays | None = None,
) -> tuple[Kernel, Kernel]:
    r"""Tangent kernels of a soft-GaLU network: K^w by its strengths, K^a by its gating network; the whole kernel is their sum.

    The gating network makes $q^g_l=\Theta^{g\top}_l z^g_{l-1}$, $G_l=(1+\epsilon)\,\mathrm{sigmoid}(\beta q^g_l)$ and
    $z^g_l=q^g_l\circ G_l$; the other uses its gates, $z^w_l = G_l\circ\Theta^{w\top}_l z^w_{l-1}$. K^w is `ntk`
    with these gates, and

    $$K^a(s,s')=\sum_{l<d}\langle z^g_{l-1},z^{g\prime}_{l-1}\rangle\langle h_l,h_l'\rangle,\qquad
    h_l=(q^w_l\circ c_l+q^g_l\circ u_l)\circ G'_l+G_l\circ u_l$$

    with $c_l=\Theta^w_{l+1}b^w_{l+1}$, $u_l=\Theta^g_{l+1}h_{l+1}$ and $u_{d-1}=0$. The last layer of the gating network gets
    no gradient. Biases add to the sums, and one to the products of what enters. Kernels of several outputs are added.

    **Arguments**

    - `weights`: d arrays (fan-in, width), the last (width,) or (width, outputs).
    - `gating_weights`: the same for the gating network, or without its last layer.
    - `x`: inputs (samples, fan-in).
    - `beta`: steepness of the gates, finite.
    - `eps`: how far gates reach above 1.
    - `biases`, `gating_biases`: an array (width,) for each layer of weights, and for each that makes gates; none by default.

    **Returns** (K^w, K^a), of the types that `ntk` gives.

    >>> import numpy as np
    >>> weights = [np.eye(2), np.ones(2)]
    >>> strength, gate = strength_and_gate_ntk(weights, weights, [[1.0, 0.0]], beta=4.0, eps=0.0)
    >>> strength.round(4), gate.round(4)
    (array([[2.1787]]), array([[0.005]]))

    **Source:** paper 004, section 3, which leaves the transposes out of K = K^w + K^a. Biases are derived here.
    """
    strength, gate = _features(soft_network(weights, gating_weights, x, beta, eps, biases, gating_biases))
    return kernel(strength, strength), kernel(gate, gate)


class SoftReluKernels(NamedTuple):
    """Parts of the tangent kernel of a soft-ReLU network; the kernel is the sum of all three."""

    strength: Kernel
    """K^w: the weights as strengths of paths, gates held."""
    gate: Kernel
    """K^a: the weights as they move the gates."""
    cross: Kernel
    """Both products between the two, one the transpose of the other."""


@given(weights=arrays, x=numbers, biases=arrays)
@full_precision
def soft_relu_ntk(
    weights: Arrays, x: Samples, beta: ScalarLike = 4.0, eps: ScalarLike = 0.1, *, biases: Arrays | None = None
) -> SoftReluKernels:
    r"""Parts of the tangent kernel of a soft-ReLU network, in which the same weights make sums and gates.

    $$K = K^w + K^a + \Psi^{w\top}\Psi^a + \Psi^{a\top}\Psi^w$$

    with the derivatives $\Psi^w$ of the output by the weights at fixed gates, and $\Psi^a$ by the weights through the gates.

    **Arguments**

    - `weights`, `x`, `beta`, `eps`, `biases`: as for `strength_and_gate_ntk`, with one set of weights.

    **Returns** the three parts, whose sum is K.

    >>> import numpy as np
    >>> parts = soft_relu_ntk([np.eye(2), np.ones(2)], [[1.0, 0.0]], beta=4.0, eps=0.0)
    >>> float(sum(parts)[0, 0].round(4)), float(parts.cross[0, 0].round(4))
    (2.3225, 0.1388)

    **Source:** paper 004, section 3, which leaves the transposes out. Biases are derived here.
    """
    offsets = None if biases is None else list(biases)[:-1]
    strength, gate = _features(soft_network(weights, weights, x, beta, eps, biases, offsets))
    mixed = kernel(strength._replace(forward=gate.forward), gate)
    return SoftReluKernels(kernel(strength, strength), kernel(gate, gate), mixed + mixed.T)


class SoftNetwork(NamedTuple):
    """A soft-gated network, checked."""

    weights: list[Any]
    gating: list[Any]
    x: Any
    beta: Any
    eps: Any
    biases: list[Any] | None
    gating_biases: list[Any] | None


def _features(net: SoftNetwork) -> tuple[Features, Features]:
    """What the kernels of the strengths and of the gates are made of."""
    one = gating_pass(net.gating, net.x, net.beta, net.eps, net.gating_biases)
    parts = features(net.weights, one.gates, net.x, net.biases)
    gate = Features(one.entering[:-1], gate_backward(net, one, pushes(net, parts)), parts.outputs)
    return with_biases(parts, net.biases), with_biases(gate, net.gating_biases)


def pushes(net: SoftNetwork, parts: Features) -> list[Any]:
    """How the output answers to each gate with all others held, (samples, outputs, width); `parts`: of the strengths."""
    found, layers, top = [], dense(net.weights, net.biases), len(net.gating) - 1
    for at in range(top + 1):
        below = back(parts.backward[at + 1], net.weights[at + 1], parts.outputs) if at < top else net.weights[-1].T
        found.append(layers[at](parts.forward[at])[:, None] * below)
    return found


def gate_backward(net: SoftNetwork, one: Pass, pushed: list[Any]) -> list[Any]:
    """How the output answers to the sums of the gating network, through its gates: h_1 to h_{d-1}."""
    found: list[Any] = []
    for at in range(len(net.gating) - 1, -1, -1):
        q, gate, slope = (values[at][:, None] for values in (one.sums, one.gates, one.slopes))
        if found:
            up = back(found[-1], net.gating[at + 1], pushed[at].shape[1])
            answer = (pushed[at] + q * up) * slope + gate * up
        else:
            answer = pushed[at] * slope
        found.append(answer.reshape(len(net.x), -1))
    return found[::-1]


def soft_network(
    weights: Arrays, gating_weights: Arrays, x: Samples, beta: Any, eps: Any, biases: Any = None, gating_biases: Any = None
) -> SoftNetwork:
    """A soft-gated network whose shapes fit each other."""
    beta, eps = check_soft(beta, eps)
    given = [[] if part is None else list(part) for part in (weights, gating_weights, biases, gating_biases)]
    strengths, gating, offsets, gating_offsets, (x,) = float_arrays(*given, [x])
    strengths = check_layers("weights", strengths, x)
    depth = len(strengths)
    if len(gating) not in (depth - 1, depth):
        raise UserError(
            f"gating_weights must have {depth} layers, or {depth - 1} without the last, not {len(gating)}; give as many."
        )
    gating, shapes = gating[: depth - 1], [g.shape for g in gating[: depth - 1]]
    if shapes != [w.shape for w in strengths[:-1]]:
        raise UserError(
            f"gating_weights must have the shapes of weights, but have {shapes}; give both networks the same widths."
        )
    first = None if biases is None else check_biases("biases", offsets, strengths)
    second = None if gating_biases is None else check_biases("gating_biases", gating_offsets, gating)
    net = SoftNetwork(strengths, gating, x, beta, eps, first, second)
    if is_traced(beta, eps):
        return jax.tree.map(jnp.asarray, net)
    kind = x.dtype.type if isinstance(x, np.ndarray) else None
    return net._replace(beta=kind(beta), eps=kind(eps)) if kind else net
