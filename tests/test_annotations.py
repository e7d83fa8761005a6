"""Annotations are executed: without the option `--jaxtyping-packages` of pyproject.toml these fail."""

import jaxtyping
import numpy as np
import pytest

from gatefield.data import Gaussian
from gatefield.gates import bump
from gatefield.theory.classes import gate_signs


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda: gate_signs(np.ones((2, 3)), np.ones((1, 4))), "w"),
        (lambda: bump("4", 1, 0.5), "n"),
        (lambda: Gaussian(4, 1.0).sample("key", 3), "key"),
    ],
    ids=["shape", "plain type", "method"],
)
def test_what_an_annotation_excludes_is_a_type_error(call, parameter):
    with pytest.raises(jaxtyping.TypeCheckError, match=f"typechecking parameter '{parameter}'"):
        call()
