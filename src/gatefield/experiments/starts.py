"""How the networks of experiments on images start: the law of their weights, and the keys of each seed."""

from typing import Annotated, Any

import jax
from pydantic import AfterValidator

from gatefield.core import checks


def _law(value: str, info: Any) -> str:
    """`info` is pydantic's `ValidationInfo`, a protocol that cannot be checked at run time."""
    return checks.choice(str(info.field_name), value, ["gaussian", "uniform", "bernoulli"])


Law = Annotated[str, AfterValidator(_law)]


def seed_keys(p: Any) -> tuple[Any, Any]:
    """For each seed a key for its networks, which all start from the same weights, and one for their batches."""
    first, second = jax.random.split(jax.random.key(p.seed))
    return jax.random.split(first, p.seeds), jax.random.split(second, p.seeds)
