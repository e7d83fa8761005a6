"""The array types hold at run time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from beartype import beartype
from jaxtyping import TypeCheckError, jaxtyped

from gatefield.core import arrays
from gatefield.core.precision import exact, real


@jaxtyped(typechecker=beartype)
@exact
def image(w: arrays.FieldLike, cov: arrays.MatrixLike, scale: arrays.ScalarLike = 1) -> arrays.Field:
    return real(scale) * real(cov) @ real(w)


@pytest.mark.parametrize("w", [[1, 2.0], (1.0, 2.0), np.array([1, 2]), np.array([1.0, 2.0], np.float32), jnp.array([1.0, 2.0])])
def test_users_may_hand_in_lists_and_any_array(w):
    assert image(w, [[2, 0], [0, 1]], scale=np.float32(0.5)).tolist() == [1.0, 1.0]


def test_results_are_of_the_type_plain_or_traced():
    assert isinstance(image([1.0, 2.0], np.eye(2)), np.ndarray)
    assert isinstance(jax.jit(lambda w: image(w, np.eye(2)))(jnp.ones(2)), jax.Array)
    assert jax.grad(lambda w: image(w, np.eye(2)).sum())(jnp.ones(2)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("arguments", [(np.ones(3), np.eye(2)), (np.ones((1, 2)), np.eye(2)), (np.ones(2), np.eye(2), "1")])
def test_other_shapes_and_types_are_refused(arguments):
    with pytest.raises(TypeCheckError):
        image(*arguments)
