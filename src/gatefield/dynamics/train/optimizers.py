"""Optimisers by name. Any function from a learning rate to an optax transformation will do."""

from collections.abc import Callable, Mapping

import optax

from gatefield.core import checks
from gatefield.core.errors import UserError

Optimizer = Callable[..., optax.GradientTransformation]

OPTIMIZERS: Mapping[str, Optimizer] = {
    "sgd": optax.sgd,
    "momentum": lambda rate: optax.sgd(rate, momentum=0.9),
    "adam": optax.adam,
    "adamw": optax.adamw,
    "rmsprop": optax.rmsprop,
}


def get_optimizer(optimizer: str | Optimizer) -> Optimizer:
    """The named optimiser, or the given function itself."""
    if isinstance(optimizer, optax.GradientTransformation):
        raise UserError(
            "optimizer must be made from a learning rate; pass a name or a function like optax.adam, without calling it."
        )
    return optimizer if callable(optimizer) else OPTIMIZERS[checks.choice("optimizer", optimizer, OPTIMIZERS)]
