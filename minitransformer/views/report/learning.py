"""The section on the training of the model, with its settings."""

from __future__ import annotations

import numpy as np

from ...training.examination import Result
from ...training.loop import Training, perplexity
from .. import model_plots
from .parts import Figures, escape, section


def how_it_learned(run: Training, result: Result | None, pictures: Figures) -> str:
    """The loss over the steps, and the settings."""
    if not run.curve:
        return section("How it learned", "<p>It has not learned yet: no step was taken.</p>")
    recent = model_plots.window(run.curve)
    first, last = run.curve[0].loss, np.mean([point.loss for point in run.curve[-recent:]])
    paragraph = (
        f"The loss went from {first:.3g} to {last:.3g}, the mean of the last {recent} of "
        f"{len(run.curve):,} batches. It is the cross-entropy: the mean of -log p, "
        f"with p the probability of the right symbol, given those before it. A model that knows nothing "
        f"and picks evenly among the {len(run.reader.writes)} symbols has "
        f"{np.log(len(run.reader.writes)):.3g}."
    )
    if result:
        paragraph += (
            f" On the {len(result.examples):,} held-out examples it is {result.loss:.3g}: a perplexity "
            f"of {perplexity(result.loss):.4g}, for the model is as unsure as if it chose among that "
            f"many symbols, all equally likely."
        )
    picture = pictures.plot(
        "the curve",
        lambda: model_plots.curves(run.curve),
        "Two curves over the steps: the loss, and the accuracy on held-out examples",
        "Left: the loss of each step, and of held-out examples. Right: "
        + (
            "the share of symbols in held-out windows that the model predicts."
            if run.kind == "text"
            else "the share of held-out examples that the model, writing by itself, gets right to the "
            "last symbol."
        ),
    )
    how = f'<p class="soft">{escape(_settings(run))}</p>'
    return section("How it learned", f"<p>{escape(paragraph)}</p>", how, picture)


def _settings(run: Training) -> str:
    """One line on the settings of the training, and on the sizes of the model."""
    s, n = run.settings, run.sizes
    if run.kind == "encoder-decoder":
        layers = f"{n.encoder_layers} + {n.decoder_layers} layers"
    else:
        layers = f"a decoder of {n.layers} layers"
    return (
        f"Seed {s.seed}, batches of {s.batch}, learning rate {s.learning_rate:g} after {s.warmup} "
        f"steps of warm-up; width {n.width}, {n.heads} heads, {layers}"
    )
