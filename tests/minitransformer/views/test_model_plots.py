"""Plots are tested on what they draw: which numbers, at which labels, in which axes."""

import numpy as np
import pytest

from minigrad import errors
from minitransformer import sinusoidal
from minitransformer.training.loop import Point

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.figure import Figure  # noqa: E402

from minitransformer.views import model_plots as plots  # noqa: E402

WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.0, 1.0, 0.0]])
QUERIES, KEYS = ["1", "<eos>"], ["a", " ", "b"]


def labels(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def axes(count):
    return list(Figure().subplots(1, count, squeeze=False)[0])


def test_rows_are_queries_and_columns_keys():
    figure = plots.attention_map(
        WEIGHTS, queries=QUERIES, keys=KEYS, sides=("written", "read"), title="head 1"
    )
    ax, scale = figure.axes
    image = ax.images[0]
    np.testing.assert_array_equal(image.get_array(), WEIGHTS)
    assert image.get_clim() == (0, 1)  # not stretched: maps can be compared
    assert labels(ax.yaxis) == ["1", "<eos>"]
    assert labels(ax.xaxis) == ["a", "␣", "b"]
    assert ax.get_ylim() == (1.5, -0.5)  # the first query on top
    assert (ax.get_ylabel(), ax.get_xlabel(), ax.get_title()) == ("written", "read", "head 1")
    assert scale.get_ylabel() == "weight"


def test_more_weight_is_more_colour():
    figure = plots.attention_map(WEIGHTS, queries=QUERIES, keys=KEYS)
    image = figure.axes[0].images[0]
    opacity = image.to_rgba(image.get_array())[..., 3]
    np.testing.assert_allclose(opacity, WEIGHTS, atol=0.01)


def test_a_map_is_drawn_where_it_is_asked_to_be():
    (ax,) = axes(1)
    assert plots.attention_map(WEIGHTS, queries=QUERIES, keys=KEYS, ax=ax) is ax.figure
    assert ax.figure.axes == [ax]
    assert len(ax.images) == 1


def test_swapped_labels_are_refused():
    with pytest.raises(errors.ShapeError, match=r"\(2, 3\) do not fit 3 queries.* 2 keys"):
        plots.attention_map(WEIGHTS, queries=KEYS, keys=QUERIES)
    with pytest.raises(errors.ShapeError):
        plots.attention_map(WEIGHTS.T, queries=QUERIES, keys=KEYS)


def test_labels_are_text_and_nothing_else():
    hostile = ["$x^2$", "<script>", "\\frac", "$", "&amp;"]
    figure = plots.attention_map(np.eye(5), queries=hostile, keys=hostile, title="$\\alpha$")
    figure.canvas.draw()  # would raise on broken mathematics
    ax = figure.axes[0]
    assert labels(ax.xaxis) == hostile
    assert not any(text.get_parse_math() for text in (*ax.get_xticklabels(), ax.title))


def maps(layers=2, heads=3):
    rng = np.random.default_rng(0)
    return [rng.random((heads, 2, 3)) for _ in range(layers)]


@pytest.mark.slow
def test_every_head_of_every_layer():
    given = maps()
    figure = plots.attention_maps(given, queries=QUERIES, keys=KEYS, columns=4)
    *places, scale = figure.axes
    titles = [ax.get_title() for ax in places]
    assert titles == [f"layer {i}, head {h}" for i in (1, 2) for h in (1, 2, 3)]
    for ax, weights in zip(places, np.concatenate(given)):
        np.testing.assert_array_equal(ax.images[0].get_array(), weights)
        assert labels(ax.xaxis) == ["a", "␣", "b"]
        assert labels(ax.yaxis) == ["1", "<eos>"]
    assert scale.get_ylabel() == "weight"


@pytest.mark.parametrize("columns", [1, 2, 4, 9])
def test_maps_do_not_overlap(columns):
    figure = plots.attention_maps(
        maps(), queries=["long label"] * 2, keys=["other labels"] * 3, columns=columns
    )
    figure.canvas.draw()
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    for i, box in enumerate(boxes):
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_maps_in_given_axes():
    given = axes(7)
    figure = plots.attention_maps(maps(), queries=QUERIES, keys=KEYS, ax=given)
    assert figure is given[0].figure
    assert given[5].get_title() == "layer 2, head 3"
    with pytest.raises(errors.ShapeError, match="needs 7 axes, not 6"):
        plots.attention_maps(maps(), queries=QUERIES, keys=KEYS, ax=axes(6))


# --- curves ---------------------------------------------------------------------------------------

POINTS = [
    Point(i, 1 / i, i / 200, 2 / i) if i % 50 == 0 else Point(i, 1 / i) for i in range(1, 201)
]


def test_curves():
    figure = plots.curves(POINTS)
    loss, accuracy = figure.axes
    each, mean, held_out = loss.lines
    np.testing.assert_allclose(each.get_xydata(), [(i, 1 / i) for i in range(1, 201)])
    window = 4
    expected = [np.mean([1 / k for k in range(i - window + 1, i + 1)]) for i in range(4, 201)]
    np.testing.assert_allclose(mean.get_xydata(), list(zip(range(4, 201), expected)))
    assert held_out.get_xydata().tolist() == [[50, 0.04], [100, 0.02], [150, 2 / 150], [200, 0.01]]
    assert [t.get_text() for t in loss.get_legend().get_texts()] == [
        "each batch",
        "mean of 4",
        "held out: at last 0.01, perplexity 1.01",
    ]
    assert loss.get_yscale() == "log"
    (line,) = accuracy.lines
    assert line.get_xydata().tolist() == [[50, 25], [100, 50], [150, 75], [200, 100]]
    assert (loss.get_xlabel(), loss.get_ylabel()) == ("step", "loss (nats a symbol)")
    assert (accuracy.get_xlabel(), accuracy.get_ylabel()) == ("step", "held out, right (%)")
    assert accuracy.get_ylim()[0] < 0
    assert accuracy.get_ylim()[1] > 100


def test_curves_in_given_axes():
    given = axes(2)
    assert plots.curves(POINTS, ax=given) is given[0].figure
    assert [len(ax.lines) for ax in given] == [3, 1]


@pytest.mark.parametrize(
    "points",
    [
        [],
        [Point(1, 2.0)],
        [Point(1, float("nan")), Point(2, float("inf"), 0.0, float("inf"))],
        [Point(1, 3.0, 0.5, 1e4), Point(2, 2.0, 0.5, float("nan"))],
        [Point(1, 0.0, 1.0), Point(2, 1.0)],
    ],
)
def test_curves_of_anything(points):
    figure = plots.curves(points)
    figure.canvas.draw()
    drawn = figure.axes[0].lines[0].get_ydata()
    shown = [y for y in drawn if np.isfinite(y)]
    assert shown == [p.loss for p in points if 0 < p.loss < np.inf]


# --- positions ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_positional_encodings():
    table = sinusoidal(5, 8)
    figure = plots.positional_encodings(table, offset=3)
    ax, scale = figure.axes
    image = ax.images[0]
    np.testing.assert_array_equal(image.get_array(), table)
    assert image.get_clim()[0] == -image.get_clim()[1]
    assert image.get_extent() == [-0.5, 7.5, 7.5, 2.5]  # the cell of position 3 on top
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("dimension", "position")
    assert scale.get_ylabel() == "added to the embedding"
    (given,) = axes(1)
    assert plots.positional_encodings(table, ax=given) is given.figure
    assert given.figure.axes == [given]
    with pytest.raises(errors.ShapeError, match=r"not \(8,\)"):
        plots.positional_encodings(table[0])


def test_weights_can_be_written_into_their_cells():
    figure = plots.attention_map(WEIGHTS, queries=QUERIES, keys=KEYS, numbers=".1f")
    written = [text.get_text() for text in figure.axes[0].texts]
    assert written == ["0.7", "0.2", "0.1", "0.0", "1.0", "0.0"]
