"""Tangent kernels of networks with soft gates: the part of the strengths, the part of the gates, and both together."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float

from gatefield.core.errors import UserError
from gatefield.kernels.arrays import Arrays, check_layers, float_arrays, full_precision, is_traced
from gatefield.kernels.features import Features, features, kernel
from gatefield.kernels.soft_pass import Pass, check_soft, gating_pass

Kernel = Float[Array, "samples samples"]
Inputs = Float[ArrayLike, "samples inputs"]


@full_precision
def strength_and_gate_ntk(
    params_w: Arrays, params_g: Arrays, x: Inputs, beta: float = 4.0, eps: float = 0.1
) -> tuple[Kernel, Kernel]:
    r"""Tangent kernels of a soft-GaLU network: K^w by its strengths, K^a by its gating network; the whole kernel is their sum.

    The gating network makes $q^g_l=\Theta^{g\top}_l z^g_{l-1}$, $G_l=(1+\epsilon)\,\mathrm{sigmoid}(\beta q^g_l)$ and
    $z^g_l=q^g_l\circ G_l$; the other uses its gates, $z^w_l = G_l\circ\Theta^{w\top}_l z^w_{l-1}$. K^w is `ntk`
    with these gates, and

    $$K^a(s,s')=\sum_{l<d}\langle z^g_{l-1},z^{g\prime}_{l-1}\rangle\langle h_l,h_l'\rangle,\qquad
    h_l=(q^w_l\circ c_l+q^g_l\circ u_l)\circ G'_l+G_l\circ u_l$$

    with $c_l=\Theta^w_{l+1}b^w_{l+1}$, $u_l=\Theta^g_{l+1}h_{l+1}$ and $u_{d-1}=0$. The last layer of the gating network gets
    no gradient.

    **Arguments:** `params_w`: d arrays (fan-in, width), the last (width,) or (width, 1). `params_g`: the same for the gating
    network, or without its last layer. `x`: inputs. `beta`: steepness of the gates, finite. `eps`: how far gates reach above 1.

    **Returns:** (K^w, K^a), of the types that `ntk` gives.

    >>> import numpy as np
    >>> weights = [np.eye(2), np.ones(2)]
    >>> strength, gate = strength_and_gate_ntk(weights, weights, [[1.0, 0.0]], beta=4.0, eps=0.0)
    >>> strength.round(4), gate.round(4)
    (array([[2.1787]]), array([[0.005]]))

    **Source:** paper 004, section 3, which leaves the transposes out of K = K^w + K^a.
    """
    strengths, gating, inputs, beta, eps = _checked(params_w, params_g, x, beta, eps)
    one = gating_pass(gating, inputs, beta, eps)
    parts = features(strengths, one.gates, inputs)
    gate = Features([*one.entering[:-1], inputs[:, :0]], _gate_backward(strengths, gating, one, parts), 1)
    return kernel(parts, parts), kernel(gate, gate)


class SoftReluKernels(NamedTuple):
    """Parts of the tangent kernel of a soft-ReLU network; the kernel is the sum of all three."""

    strength: Any
    """K^w: the weights as strengths of paths, gates held."""
    gate: Any
    """K^a: the weights as they move the gates."""
    cross: Any
    """Both products between the two, one the transpose of the other."""


@full_precision
def soft_relu_ntk(params: Arrays, x: Inputs, beta: float = 4.0, eps: float = 0.1) -> SoftReluKernels:
    r"""Parts of the tangent kernel of a soft-ReLU network, in which the same weights make sums and gates.

    $$K = K^w + K^a + \Psi^{w\top}\Psi^a + \Psi^{a\top}\Psi^w$$

    **Arguments:** as for `strength_and_gate_ntk`, with one set of weights.

    **Returns:** the three parts, whose sum is K.

    >>> import numpy as np
    >>> parts = soft_relu_ntk([np.eye(2), np.ones(2)], [[1.0, 0.0]], beta=4.0, eps=0.0)
    >>> float(sum(parts)[0, 0].round(4)), float(parts.cross[0, 0].round(4))
    (2.3225, 0.1388)

    **Source:** paper 004, section 3, which leaves the transposes out.
    """
    strengths, gating, inputs, beta, eps = _checked(params, params, x, beta, eps)
    one = gating_pass(gating, inputs, beta, eps)
    parts = features(strengths, one.gates, inputs)
    gate = Features([*one.entering[:-1], inputs[:, :0]], _gate_backward(strengths, gating, one, parts), 1)
    mixed = kernel(parts._replace(forward=gate.forward), gate)
    return SoftReluKernels(kernel(parts, parts), kernel(gate, gate), mixed + mixed.T)


def _gate_backward(strengths: list[Any], gating: list[Any], one: Pass, parts: Features) -> list[Any]:
    """How the output answers to the sums of the gating network, through its gates: h_1 to h_{d-1}."""
    found: list[Any] = []
    for at in range(len(gating) - 1, -1, -1):
        below = parts.backward[at + 1] @ strengths[at + 1].T if at + 1 < len(gating) else strengths[-1][:, 0]
        push = (parts.forward[at] @ strengths[at]) * below
        if found:
            up = found[-1] @ gating[at + 1].T
            found.append((push + one.sums[at] * up) * one.slopes[at] + one.gates[at] * up)
        else:
            found.append(push * one.slopes[at])
    return found[::-1]


def _checked(params_w: Arrays, params_g: Arrays, x: Inputs, beta: Any, eps: Any) -> tuple[list[Any], list[Any], Any, Any, Any]:
    beta, eps = check_soft(beta, eps)
    strengths, gating, (x,) = float_arrays(list(params_w), list(params_g), [x])
    strengths = check_layers("params_w", strengths, x)
    if strengths[-1].shape[1] != 1:
        outputs = strengths[-1].shape[1]
        raise UserError(f"params_w must have one output, but has {outputs}; pass one column of its last layer.")
    depth = len(strengths)
    if len(gating) not in (depth - 1, depth):
        raise UserError(f"params_g must have {depth} layers, or {depth - 1} without the last, not {len(gating)}; give as many.")
    shapes = [g.shape for g in gating[: depth - 1]]
    if shapes != [w.shape for w in strengths[:-1]]:
        raise UserError(f"params_g must have the shapes of params_w, but has {shapes}; give both networks the same widths.")
    gating = gating[: depth - 1]
    if is_traced(beta, eps):
        strengths, gating, x = jax.tree.map(jnp.asarray, (strengths, gating, x))
    kind = x.dtype.type if isinstance(x, np.ndarray) else None
    return strengths, gating, x, *((kind(beta), kind(eps)) if kind else (beta, eps))
