"""Losses by name: each takes outputs and labels of a batch and gives one number."""

from collections.abc import Callable, Mapping

import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float

from gatefield import _checks
from gatefield._errors import UserError

Loss = Callable[[Array, Array], Array]


def half_mse(output: Float[Array, " batch"], label: Float[Array, " batch"]) -> Float[Array, ""]:
    """One half of the mean squared error."""
    return 0.5 * jnp.mean((output - label) ** 2)


def cross_entropy(output: Float[Array, " batch"], label: Float[Array, " batch"]) -> Float[Array, ""]:
    """Binary cross-entropy in nats; the output is the logit, the label the probability of class 1."""
    return jnp.mean(optax.sigmoid_binary_cross_entropy(output, label))


LOSSES: Mapping[str, Loss] = {"mse": half_mse, "cross-entropy": cross_entropy}


def get_loss(name: str, labels: tuple | None) -> Loss:
    """The named loss, if it can read these labels."""
    loss = LOSSES[_checks.choice("loss", name, LOSSES)]
    values = [np.asarray(y) for y in labels or ()]
    if loss is cross_entropy and any(np.any((y < 0) | (y > 1)) for y in values):
        pair = ", ".join(f"{np.ravel(y)[0]:g}" for y in values)
        raise UserError(f"Cross-entropy reads labels as probabilities, but they are ({pair}); use labels=(1, 0) in the task.")
    return loss
