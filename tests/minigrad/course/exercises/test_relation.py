"""The sentence about how the rows of a wrong answer lie to the right ones."""

import numpy as np
import pytest

from minigrad.course.exercises.marking.relation import relation
from minigrad.course.exercises.marking.unknown_mistake import not_finite

RIGHT = np.array([1.0, 2.0, 4.0, 9.0])


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ([2, 4, 9], "The first is missing: all others are right."),
        ([1, 2, 4], "The last is missing: all others are right."),
        ([7, 1, 2, 4, 9], "There is one more in front; all others are right."),
        ([1, 2, 4, 9, 7], "There is one more at the end; all others are right."),
        ([9, 4, 2, 1], "It is back to front."),
        ([1, 5, 6, 7], "Only the first is right."),
        ([0, 2, 4, 9], "All but the first are right."),
        ([1, 2, 4, 8], "All but the last are right."),
        ([1, 2, 5, 9], ""),
    ],
)
def test_rows(answer, says):
    assert relation([(np.array(answer, float), RIGHT)]) == says


def test_of_a_mask_that_is_to_be_added_nothing_was_divided_by_0():
    answer = np.array([0.0, -np.inf])
    assert "inf in the answer" in not_finite(answer, np.array([0.0, 1.0]))
    assert not_finite(answer, np.array([True, False])) == ""
