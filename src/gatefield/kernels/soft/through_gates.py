"""Which gates the kernel K^a of a soft-GaLU network goes through: some of its paths alone, and the part of each gate."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from gatefield.core import checks
from gatefield.core.arrays import Exact, Numbers, ScalarLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.kernels.arrays import Arrays, Kernel, Samples, arrays, float_arrays, full_precision, numbers, on_device
from gatefield.kernels.features import Features, features, kernel
from gatefield.kernels.soft.parts import SoftNetwork, gate_backward, pushes, soft_network
from gatefield.kernels.soft.passes import Pass, check_masks, gating_pass


@given(weights=arrays, gating_weights=arrays, x=numbers, moving=arrays, kept=arrays)
@full_precision
def gate_ntk_through(
    weights: Arrays,
    gating_weights: Arrays,
    x: Samples,
    moving: Arrays,
    kept: Arrays | None = None,
    beta: ScalarLike = 4.0,
    eps: ScalarLike = 0.1,
) -> Kernel:
    r"""K^a of a soft-GaLU network, of those paths alone on which one gate moves and the others are kept.

    $$K^S(s,s')=\sum_m\Psi^S_m(s)\Psi^S_m(s'),\qquad \Psi^S_m(s)=\sum_p x_{p(0)}w(p)\sum_l
    M_l\frac{\partial G_l}{\partial\theta^g_m}\prod_{l'\neq l}A_{l'}G_{l'}$$

    where M marks the gates that may move and A those that are kept, each at the unit p(l) and for the sample s. With the
    sensitive gates as M and the active ones as A it is the part of K^a that the sensitive sub-network carries; with all of
    both it is K^a. Terms of different paths may cancel, so that a part can be larger than the whole.

    **Arguments**

    - `weights`, `gating_weights`, `x`, `beta`, `eps`: as for `strength_and_gate_ntk`.
    - `moving`: M, an array (samples, width) of 0 and 1, or of truth values, for each gated layer.
    - `kept`: A, likewise; all gates by default.

    **Returns** the kernel, of the types that `ntk` gives.

    >>> import numpy as np
    >>> weights, all_gates = [np.eye(2), np.ones(2)], [np.array([[True, True]])]
    >>> gate_ntk_through(weights, weights, [[1.0, 0.0]], all_gates, beta=4.0, eps=0.0).round(4)
    array([[0.005]])
    >>> gate_ntk_through(weights, weights, [[1.0, 0.0]], [np.array([[False, True]])], beta=4.0, eps=0.0)
    array([[0.]])

    **Source:** paper 004, section 3.1, equation 6, whose sensitive sub-network this restricts the kernel to.
    """
    net = soft_network(weights, gating_weights, x, beta, eps)
    one = gating_pass(net.gating, net.x, net.beta, net.eps)
    open_gates = one.gates if kept is None else [g * m for g, m in zip(one.gates, _masks("kept", kept, one), strict=True)]
    parts = features(net.weights, open_gates, net.x)
    pushed = [push * mask[:, None] for push, mask in zip(pushes(net, parts), _masks("moving", moving, one), strict=True)]
    gate = Features(one.entering[:-1], gate_backward(net, one, pushed), parts.outputs)
    return kernel(gate, gate)


@given(weights=arrays, gating_weights=arrays, x=numbers, along=checks.vector)
@full_precision
def gate_parts(
    weights: Arrays,
    gating_weights: Arrays,
    x: Samples,
    beta: ScalarLike = 4.0,
    eps: ScalarLike = 0.1,
    *,
    along: Numbers | None = None,
) -> list[Float[Exact, "samples _"]]:
    r"""The part of each gate in the trace of K^a, or in v'K^a v: they add up to it exactly.

    $$c_{li}(s)=\frac{\partial\hat y(s)}{\partial G_{li}}\,G'_{li}(s)\,\dot q_{li}(s),\qquad
    \sum_{l,i}c_{li}(s)=K^a(s,s)$$

    Here $\dot q$ is how the sums of the gating network move if its weights move along the gradient of the sample's own output.
    So the output answers to its own step by K^a(s,s), and c says through which gates. Along v, the weights move along the
    gradient of $\sum_s v_s\hat y(s)$, c carries the factor $v_s$, and all c together are v'K^a v: with the errors as v, the
    rate at which the loss falls by the gates. A part is negative where a gate works against the others.

    **Arguments**

    - `weights`, `gating_weights`, `x`, `beta`, `eps`: as for `strength_and_gate_ntk`.
    - `along`: v, a number for each sample; each sample by itself by default.

    **Returns** one array (samples, width) for each gated layer. Several outputs are added.

    >>> import numpy as np
    >>> weights = [np.eye(2), np.ones(2)]
    >>> gate_parts(weights, weights, [[1.0, 0.0]], beta=4.0, eps=0.0)[0].round(4)
    array([[0.005, 0.   ]])

    **Source:** derived here for paper 004, section 3.1, which names the gates that learn by a threshold.
    """
    net = soft_network(weights, gating_weights, x, beta, eps)
    one = gating_pass(net.gating, net.x, net.beta, net.eps)
    pushed = pushes(net, features(net.weights, one.gates, net.x))
    answer = [h.reshape(push.shape) for h, push in zip(gate_backward(net, one, pushed), pushed, strict=True)]
    v = None if along is None else _along(along, net)
    moved = _moved(net, one, answer, v)
    found = [(push * slope[:, None] * dq).sum(1) for push, slope, dq in zip(pushed, one.slopes, moved, strict=True)]
    return found if v is None else [v[:, None] * part for part in found]


def _moved(net: SoftNetwork, one: Pass, answer: list[Any], v: Any) -> list[Any]:
    """How the sums of each layer move, (samples, outputs, width), as the gating weights move along their gradient."""
    found: list[Any] = []
    for at, (z, h) in enumerate(zip(one.entering, answer, strict=False)):
        if v is None:
            dq = (z**2).sum(1)[:, None, None] * h
        else:
            step = (z * v[:, None]).T @ h.reshape(len(z), -1)
            dq = (z @ step).reshape(h.shape)
        if at:
            through = one.gates[at - 1] + one.sums[at - 1] * one.slopes[at - 1]
            dq = dq + (through[:, None] * found[-1]) @ net.gating[at]
        found.append(dq)
    return found


def _along(v: Any, net: SoftNetwork) -> Any:
    if np.shape(v) != (len(net.x),):
        raise UserError(f"along must have one number for each of the {len(net.x)} samples, not {np.shape(v)[0]}; give as many.")
    return jnp.asarray(v, net.x.dtype) if on_device(v, net.x) else np.asarray(v, net.x.dtype)


def _masks(name: str, masks: Any, one: Pass) -> list[Any]:
    """In the float type of the gates."""
    check_masks(name, masks, one.gates)
    (found,) = float_arrays(list(masks))
    return [m.astype(g.dtype) for m, g in zip(found, one.gates, strict=True)]
