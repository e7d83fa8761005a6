"""Teachers and students of `stability`, and how they are matched."""

import itertools

import numpy as np
import pytest

from gatefield.experiments.gates.stability.settings import Settings
from gatefield.experiments.gates.stability.students import TEACHERS, match, teacher_fields

RANDOM = np.random.default_rng(0)


def test_match_is_the_best_of_all_pairings():
    teacher, student = RANDOM.normal(size=(2, 6)), RANDOM.normal(size=(3, 6))
    cosine = [[t @ s / np.sqrt(t @ t * (s @ s)) for s in student] for t in teacher]
    best = max(itertools.permutations(range(3), 2), key=lambda own: sum(cosine[i][j] for i, j in enumerate(own)))
    own, found = match(teacher, student)
    assert tuple(own) == best
    np.testing.assert_allclose(found, [cosine[i][j] for i, j in enumerate(best)])


@pytest.mark.parametrize("kind", TEACHERS)
def test_teachers_have_unit_length_and_a_seed(kind):
    fields = teacher_fields(kind, 40, 4, seed=1)
    np.testing.assert_allclose((fields**2).sum(1), 1.0)
    np.testing.assert_array_equal(fields, teacher_fields(kind, 40, 4, seed=1))
    assert abs(fields - teacher_fields(kind, 40, 4, seed=2)).max() > 0.01


def test_students_smaller_than_the_teacher():
    with pytest.raises(
        ValueError,
        match=r"students must have at least as many units as the teacher, 4, but one has 2; write for instance students=4,8",
    ):
        Settings(students=(2, 8))
