"""Losses: each takes outputs and labels of a batch and gives one number. Names are short forms of some."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.functions import shape_of

Loss = Callable[[Array, Array], Array]
LossName = Literal["mse", "sse", "cross-entropy"]


def half_mse(output: Float[Array, " batch"], label: Float[Array, " batch"]) -> Float[Array, ""]:
    """One half of the mean squared error."""
    return 0.5 * jnp.mean((output - label) ** 2)


def cross_entropy(output: Float[Array, " batch"], label: Float[Array, " batch"]) -> Float[Array, ""]:
    """Binary cross-entropy in nats; the output is the logit, the label the probability of class 1."""
    return jnp.mean(optax.sigmoid_binary_cross_entropy(output, label))


def half_sse(output: Float[Array, " batch"], label: Float[Array, " batch"]) -> Float[Array, ""]:
    """One half of the sum of squared errors."""
    return 0.5 * jnp.sum((output - label) ** 2)


def class_half_mse(output: Float[Array, "batch classes"], label: Int[Array, " batch"]) -> Float[Array, ""]:
    """One half of the squared distance from the one-hot label, summed over classes, its mean over samples."""
    return class_half_sse(output, label) / len(output)


def class_half_sse(output: Float[Array, "batch classes"], label: Int[Array, " batch"]) -> Float[Array, ""]:
    """One half of the squared distance from the one-hot label, summed over classes and samples."""
    return 0.5 * jnp.sum((output - jax.nn.one_hot(label, output.shape[-1])) ** 2)


def class_cross_entropy(output: Float[Array, "batch classes"], label: Int[Array, " batch"]) -> Float[Array, ""]:
    """Cross-entropy of the softmax in nats; the outputs are logits, the label is the number of the class."""
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(output, label))


LOSSES: Mapping[LossName, Loss] = {"mse": half_mse, "sse": half_sse, "cross-entropy": cross_entropy}
CLASS_LOSSES: Mapping[LossName, Loss] = {"mse": class_half_mse, "sse": class_half_sse, "cross-entropy": class_cross_entropy}


def get_loss(loss: LossName | Loss, labels: tuple | None, outputs: int = 1) -> Loss:
    """The named loss for this number of outputs, if it can read these labels; or the given function itself."""
    if not isinstance(loss, str):
        if not callable(loss):
            raise UserError(f"loss must be a name, such as 'mse', or a function of outputs and labels, but is {quoted(loss)}.")
        return loss
    loss = (LOSSES if outputs == 1 else CLASS_LOSSES)[checks.choice("loss", loss, LOSSES)]
    values = [np.asarray(y) for y in labels or ()]
    if loss is cross_entropy and any(np.any((y < 0) | (y > 1)) for y in values):
        pair = ", ".join(f"{np.ravel(y)[0]:g}" for y in values)
        raise UserError(
            f"Cross-entropy reads labels as probabilities, but they are ({pair}); give labels 1 and 0: "
            f"labels=(1, 0) in a Task, y of such values in a Dataset."
        )
    return loss


def check_loss(loss: Any, outputs: int, batch: int | None, *, classes: bool) -> None:
    """Whether a function takes the outputs and the labels of a batch and gives an array."""
    if callable(loss):
        shape = (batch or 1,)
        labels = jax.ShapeDtypeStruct(shape, int if classes else float)
        output = jax.ShapeDtypeStruct(shape if outputs == 1 else (*shape, outputs), float)
        shape_of("loss must be a function of outputs and labels that gives one number", loss, output, labels)
