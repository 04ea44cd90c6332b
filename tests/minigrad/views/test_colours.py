"""Colours of numbers above and below zero are far apart for every kind of colour vision."""

import numpy as np
import pytest

from minigrad.views import colours

# Machado, Oliveira and Fernandes (2009), "A physiologically-based model for simulation of color vision
# deficiency", table 1, severity 1.0: of linear RGB.
SEEN = {
    "normal": np.eye(3),
    "protanope": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranope": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanope": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
]
GROUNDS = {"light": "#ffffff", "dark": "#1b1e23"}  # of the page's cells


def linear(colour):
    s = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE 1976 L*a*b* of linear RGB, for D65."""
    x = TO_XYZ @ np.clip(rgb, 0, 1) / [0.95047, 1, 1.08883]
    f = np.where(x > 216 / 24389, np.cbrt(x), (24389 / 27 * x + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def apart(a, b, vision):
    """CIE76's distance of two colours, as somebody sees them."""
    return np.linalg.norm(lab(SEEN[vision] @ linear(a)) - lab(SEEN[vision] @ linear(b)))


def mixed(colour, ground, share):
    parts = [(int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in parts)


@pytest.mark.parametrize("vision", SEEN)
@pytest.mark.parametrize("pair", [colours.VALUES, colours.GRADIENTS], ids=["values", "gradients"])
def test_above_zero_and_below_it_can_be_told_apart(pair, vision):
    """A difference of 2.3 can just be noticed; teal and pink, which were here, had 0.9 to 4.3."""
    assert apart(*pair, vision) > 45
    for ground in GROUNDS.values():
        assert apart(*(mixed(c, ground, 0.35) for c in pair), vision) > 10
        assert min(apart(c, ground, vision) for c in pair) > 30


def test_values_and_gradients_have_colours_of_their_own():
    for a in colours.VALUES:
        for b in colours.GRADIENTS:
            assert apart(a, b, "normal") > 35


def test_a_distance_is_that_of_the_books():
    """Red and green, whose distances for normal vision are in every text book."""
    assert apart("#ff0000", "#00ff00", "normal") == pytest.approx(170.58, abs=0.1)
    assert apart("#ffffff", "#000000", "normal") == pytest.approx(100, abs=0.01)
    assert apart("#ff0000", "#00ff00", "deuteranope") < 100


def test_the_page_and_the_plots_use_them(tmp_path):
    import minigrad as mg
    from minigrad.views.plots import shades

    x = mg.Tensor([1.0, -2.0], requires_grad=True)
    with pytest.warns(UserWarning, match="record"):
        page = mg.explore(np.sum(x * x), tmp_path / "page.html").read_text("utf-8")
    assert "--value-plus:47,127,216;" in page
    assert page.count("--value-plus:") == 1
    rgb = lambda colour: tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    assert shades(-1, 1)(1.0)[:3] == pytest.approx(rgb(colours.VALUES.plus))
    assert shades(-1, 1, colours.GRADIENTS)(0.0)[:3] == pytest.approx(rgb(colours.GRADIENTS.minus))
