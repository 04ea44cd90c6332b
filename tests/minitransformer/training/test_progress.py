"""The lines that a long run prints where there is no terminal."""

from minitransformer.training.progress import progress


def test_a_figure_is_shown_once(capsys):
    with progress(6, every=2) as lines:
        for step in range(6):
            seen = {"held-out": "44%"} if step == 2 else {}
            lines.advance(loss=f"{step}.0", **seen)
    first, second, third = capsys.readouterr().err.splitlines()
    assert first.startswith("step 2 of 6  loss 1.0  ")
    assert second.startswith("step 4 of 6  loss 3.0  held-out 44%  ")
    assert "held-out" not in third
