"""The lines that a long run prints where there is no terminal."""

import re

from minitransformer.training.progress import progress, rough


def test_a_figure_is_shown_once(capsys):
    with progress(6, every=2) as lines:
        for step in range(6):
            seen = {"held-out": "44%"} if step == 2 else {}
            lines.advance(loss=f"{step}.0", **seen)
    first, second, third = capsys.readouterr().err.splitlines()
    assert first.startswith("step 2 of 6  loss 1.0  ")
    assert second.startswith("step 4 of 6  loss 3.0  held-out 44%  ")
    assert "held-out" not in third


def test_each_line_but_the_last_says_roughly_how_long_it_will_take(capsys):
    with progress(4, every=2) as lines:
        for _ in range(4):
            lines.advance(loss="1.0")
    first, last = capsys.readouterr().err.splitlines()
    assert re.search(r" steps/s, about 1 s left$", first)
    assert last.endswith(" steps/s")
    assert [rough(s) for s in (0, 41, 181, 9000)] == [
        "about 1 s", "about 41 s", "about 3 min", "about 2 h",
    ]  # fmt: skip
