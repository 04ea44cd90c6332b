"""Plots are tested on what they draw: which numbers, at which labels, in which axes."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors, nn

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.colors import to_rgb  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from minigrad.views import plots  # noqa: E402
from minigrad.views.plots import layers  # noqa: E402

TABLE = np.array([[0.5, -2.0, 0.0], [1.0, 0.25, -0.5]])


def labels(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def axes(count=1, **options):
    return list(Figure().subplots(1, count, squeeze=False, subplot_kw=options)[0])


@pytest.mark.parametrize("colour", [*layers.COLOURS, plots.GREY])
def test_colours_can_be_seen_on_white_and_on_black(colour):
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    luminance = np.dot(linear, [0.2126, 0.7152, 0.0722])
    assert 1.05 / (luminance + 0.05) > 3
    assert (luminance + 0.05) / 0.05 > 3


# --- a table as colours ---------------------------------------------------------------------------


def test_a_heat_map_has_the_rows_and_columns_of_its_table():
    figure = plots.heat_map(
        mg.Tensor(TABLE, requires_grad=True),
        rows=["a", " "], columns=["x", "y", "z"], sides=("from", "to"), title="$t$",
        quantity="metres", numbers=".2f",
    )  # fmt: skip
    ax, scale = figure.axes
    np.testing.assert_array_equal(ax.images[0].get_array(), TABLE)
    assert ax.images[0].get_clim() == (-2, 2)  # zero in the middle
    assert labels(ax.yaxis) == ["a", "␣"]
    assert labels(ax.xaxis) == ["x", "y", "z"]
    assert ax.get_ylim() == (1.5, -0.5)  # the first row on top
    assert (ax.get_ylabel(), ax.get_xlabel(), scale.get_ylabel()) == ("from", "to", "metres")
    written = {(t.get_position()[1], t.get_position()[0]): t.get_text() for t in ax.texts}
    assert written == {(i, j): f"{TABLE[i, j]:.2f}" for i, j in np.ndindex(2, 3)}
    figure.canvas.draw()  # would raise on broken mathematics


def test_colours_are_none_at_zero_and_differ_by_sign():
    figure = plots.heat_map(TABLE)
    picture = figure.axes[0].images[0]
    colours = picture.to_rgba(TABLE)
    np.testing.assert_allclose(colours[..., 3], np.abs(TABLE) / 2, atol=0.01)
    assert to_rgb(plots.BLUE) == pytest.approx(tuple(colours[1, 0, :3]))
    assert to_rgb(plots.ORANGE) == pytest.approx(tuple(colours[0, 1, :3]))


@pytest.mark.parametrize(
    ("values", "limits"),
    [([[1, 3]], (0, 3)), ([[0, 0]], (0, 1)), ([[-1, -4]], (-4, 4)), ([[np.nan, 2]], (0, 2))],
)
def test_limits_of_a_heat_map(values, limits):
    figure = plots.heat_map(np.array(values, dtype=float))
    assert figure.axes[0].images[0].get_clim() == limits
    figure.canvas.draw()
    own = plots.heat_map(np.array(values, dtype=float), limits=(-5, 0))
    assert own.axes[0].images[0].get_clim() == (-5, 0)
    own.canvas.draw()


def test_a_heat_map_that_does_not_fit():
    with pytest.raises(errors.ShapeError, match=r"\(2, 3\) does not fit 3 labels of rows and 3"):
        plots.heat_map(TABLE, rows="abc", columns="abc")
    with pytest.raises(errors.ShapeError, match=r"not \(3,\)"):
        plots.heat_map([1.0, 2.0, 3.0])


# --- vectors --------------------------------------------------------------------------------------


def test_vectors_in_the_plane():
    values = np.array([[3.0, 4.0], [-1.0, 0.0]])
    figure = plots.vectors(
        values, ["a", "b"], starts=[[1, 1], [0, 0]], names=("m", "kg"), colour=["red", "blue"]
    )
    (ax,) = figure.axes
    arrows = ax.collections
    assert [(a.U.item(), a.V.item()) for a in arrows] == [(3, 4), (-1, 0)]
    assert [a.get_offsets().tolist() for a in arrows] == [[[1, 1]], [[0, 0]]]
    assert [tuple(a.get_facecolor()[0]) for a in arrows] == [(1, 0, 0, 1), (0, 0, 1, 1)]
    assert {a.angles for a in arrows} == {"xy"}  # in the units of the axes, not of the screen
    assert {a.scale for a in arrows} == {1}
    assert [(t.get_text(), tuple(t.xy)) for t in ax.texts] == [("a", (4, 5)), ("b", (-1, 0))]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("m", "kg")
    assert ax.get_aspect() == 1
    low, high = ax.get_ylim()
    assert low < 0 < 5 < high


def test_vectors_in_space():
    values = np.array([[1.0, 2.0, 5.0], [0.0, 0.0, 0.0]])
    figure = plots.vectors(mg.Tensor(values), ["a", "$"], starts=[1.0, 0.0, 0.0])
    (ax,) = figure.axes
    tip, start = np.array(ax.collections[0]._segments3d)[0]
    assert (start.tolist(), tip.tolist()) == ([1, 0, 0], [2, 2, 5])
    assert [t.get_text() for t in ax.texts] == ["a", "$"]
    assert ax.get_zlabel() == "third number"
    spans = [np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim()), np.ptp(ax.get_zlim())]
    ratio = np.array(ax._box_aspect) / spans
    np.testing.assert_allclose(ratio, ratio[0])  # one unit is as long on each axis
    figure.canvas.draw()


@pytest.mark.parametrize("d", [2, 3])
def test_more_arrows_in_the_same_axes(d):
    (ax,) = axes(**({"projection": "3d"} if d == 3 else {}))
    plots.vectors(np.concatenate([9 * np.eye(d), -9 * np.eye(d)]), ax=ax)
    assert plots.vectors(np.eye(d), list("abc")[:d], ax=ax) is ax.figure
    assert len(ax.collections) == 3 * d
    low, high = ax.get_xlim()
    assert low < -9 < 9 < high  # the first ones are still in sight


def test_labels_of_near_tips_stand_apart():
    near = np.array([[0.0, 1.0], [0.0, 0.95], [1.0, 0.0]])
    ax = plots.vectors(near, list("abc")).axes[0]
    first, second, third = (np.array(t.get_position()) for t in ax.texts)
    assert np.linalg.norm(first - second) > 6  # points
    np.testing.assert_allclose(third, [5, 0])
    assert [t.get_ha() for t in ax.texts] == ["left", "right", "left"]
    assert [t.get_va() for t in ax.texts] == ["bottom", "bottom", "center"]


def test_vectors_that_cannot_be_drawn():
    with pytest.raises(errors.ShapeError, match=r"\(n, 2\) or \(n, 3\), not \(2, 4\)"):
        plots.vectors(np.ones((2, 4)))
    with pytest.raises(errors.ShapeError, match="1 labels do not fit 2"):
        plots.vectors(np.ones((2, 2)), ["a"])
    with pytest.raises(errors.ShapeError, match='projection="3d"'):
        plots.vectors(np.ones((2, 3)), ax=axes()[0])
    with pytest.raises(errors.ShapeError, match="2 numbers need axes of 2"):
        plots.vectors(np.ones((2, 2)), ax=axes(projection="3d")[0])


# --- histograms -----------------------------------------------------------------------------------


def test_histograms_count_on_one_scale():
    few, many = np.array([0.0, 0.1, 9.9]), np.linspace(0, 10, 101)
    ax = plots.histograms({"few": few, "many": many}, quantity="metres", bins=10).axes[0]
    assert [p.get_label() for p in ax.patches] == ["few", "many"]
    for patch, values, bottom in zip(ax.patches, (few, many), (1, 0)):
        heights, edges, base = patch.get_data()
        counts, _ = np.histogram(values, edges)
        assert counts.sum() == len(values)  # all of them
        np.testing.assert_allclose((heights - bottom) / 0.85, counts / counts.max())
        assert base == bottom
    assert labels(ax.yaxis) == ["few", "many"]
    assert ax.get_xlabel() == "metres"
    assert ax.get_xlim()[0] < 0 < 10 < ax.get_xlim()[1]


def test_histograms_of_sizes():
    given = {"g": np.array([-0.01, 0.0, 1.0, 100.0]), "none": None, "empty": np.empty(0)}
    ax = plots.histograms(given, quantity="gradient", sizes=True, bins=4).axes[0]
    heights, edges, _ = ax.patches[0].get_data()
    np.testing.assert_allclose(np.histogram([0.01, 1, 100], edges)[0] > 0, heights > 2)
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "size of gradient"
    assert [t.get_text() for t in ax.texts] == ["25% zero", "not computed", "empty"]


@pytest.mark.parametrize("values", [[], [np.nan], [2.0, 2.0], [0.0, 0.0], [np.inf, 1.0]])
@pytest.mark.parametrize("sizes", [False, True])
def test_histograms_of_anything(values, sizes):
    figure = plots.histograms({"$x": np.array(values)}, sizes=sizes)
    figure.canvas.draw()
    expected = "50% not finite" if np.inf in values else "100% not finite" if values else "empty"
    if not np.isfinite(values).all() or not values:
        assert figure.axes[0].texts[0].get_text() == expected


def test_weights_and_gradients():
    mg.manual_seed(0)
    model = nn.Linear(3, 2)
    assert [t.get_text() for t in plots.weights_and_gradients(model).axes[1].texts] == [
        "not computed"
    ] * 2
    np.sum(model(np.ones((1, 3)))).backward()
    first, second = plots.weights_and_gradients(model).axes
    assert labels(first.yaxis) == ["weight", "bias"]
    assert (first.get_xlabel(), second.get_xlabel()) == ("weight", "size of gradient")
    _, edges, _ = first.patches[0].get_data()
    assert edges[0] < model.weight.data.min()
    assert len(second.patches) == 2
    given = axes(2)
    assert plots.weights_and_gradients(model, ax=given) is given[0].figure


# --- gradients by layer ---------------------------------------------------------------------------


def test_the_size_of_a_gradient():
    layer = nn.Linear(2, 1)
    np.sum(layer(np.array([[3.0, 4.0]]))).backward()  # the gradients are 3, 4 and 1
    assert plots.gradient_size(layer) == pytest.approx(np.sqrt((9 + 16 + 1) / 3))
    assert plots.gradient_size(layer.bias) == 1
    layer.bias.grad = None
    with pytest.raises(errors.GraphError, match=r"of shape \(1,\)"):
        plots.gradient_size(layer)


def test_gradient_sizes():
    figure = plots.gradient_sizes({"pre": [0.5, 1.0, 2.0], "post": [1e-8, 0.0]}, layers="block")
    (ax,) = figure.axes
    pre, post = ax.lines
    assert pre.get_xydata().tolist() == [[1, 0.5], [2, 1], [3, 2]]
    np.testing.assert_array_equal(post.get_ydata(), [1e-8, np.nan])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["pre", "post"]
    assert pre.get_color() != post.get_color()
    assert pre.get_marker() != post.get_marker()
    assert ax.get_yscale() == "log"
    assert ax.get_xlabel() == "block"
    assert "root mean square" in ax.get_ylabel()
