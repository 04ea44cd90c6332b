"""It is said that a model learns by heart where that is sure, and not where it is not."""

import math

import pytest

from minitransformer.training.examination import overfitting
from minitransformer.training.loop import Point


def curve(looks, learning=lambda step: 2.0 / step):
    """A curve of 100 steps, with looks at some of them: the loss held out, and the accuracy."""
    points = [Point(step, learning(step)) for step in range(1, 101)]
    for step, (held_out_loss, accuracy) in looks.items():
        points[step - 1].held_out_loss, points[step - 1].accuracy = held_out_loss, accuracy
    return points


def test_a_growing_loss_on_held_out_examples_is_told_with_the_best_step():
    said = overfitting(curve({20: (1.0, 0.3), 40: (0.5, 0.4), 60: (0.7, 0.4), 80: (0.9, 0.3)}))
    assert (
        "grows since step 40: it was 0.5 (40.0% right), and is 0.9 (30.0% right) at step 80" in said
    )
    assert "\n" not in said


def test_small_losses_of_learning_are_told_apart():
    looks = {20: (0.1, 0.9), 40: (0.2, 0.9), 60: (0.3, 0.9)}
    said = overfitting(curve(looks, lambda step: 1e-6 if step <= 20 else 2e-7))
    assert "that of learning fell from 1e-06 to " in said
    assert "0.0000" not in said


@pytest.mark.parametrize(
    ("looks", "learning"),
    [
        pytest.param({}, None, id="no look"),
        pytest.param({20: (0.5, 0.0), 40: (0.9, 0.0)}, None, id="one look since"),
        pytest.param({20: (0.9, 0.0), 40: (0.5, 0.5), 60: (0.4, 0.6)}, None, id="it learns"),
        pytest.param({20: (0.5, 0.0), 40: (0.52, 0.0), 60: (0.53, 0.0)}, None, id="hardly worse"),
        pytest.param({20: (0.5, 0.0), 40: (0.9, 0.0), 60: (0.5, 0.0)}, None, id="a dip"),
        pytest.param({20: (0.5, 0.2), 40: (0.7, 0.3), 60: (0.9, 0.4)}, None, id="more are right"),
        pytest.param(
            {20: (0.5, 0.0), 40: (0.7, 0.0), 60: (0.9, 0.0)}, lambda _step: 1.0, id="learns nothing"
        ),
        pytest.param({20: (0.5, 0.0), 40: (math.nan, 0.0), 60: (math.nan, 0.0)}, None, id="NaN"),
    ],
)
def test_nothing_is_told_where_it_is_not_sure(looks, learning):
    assert overfitting(curve(looks, *filter(None, [learning]))) == ""
