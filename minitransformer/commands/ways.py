"""The way to write that the options ask for: greedy, drawn, or a beam search."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from minigrad import errors
from minigrad.settings import real, whole

from ..training.beam import BEAMS, beam_search
from ..training.decoding import greedy, sample
from ..training.line_reader import Way
from .options import flag

DRAWN = ("temperature", "top_k", "top_p", "seed")


def way(options: Mapping[str, Any], temperature: float) -> Way:
    """The way to write: `greedy`, `sample` or `beam_search` with its options.

    Args:
        options: those of the command line that were given.
        temperature: the default.

    Raises:
        ConfigError: for options that make no sense, alone or together.
    """
    drawn = [name for name in DRAWN if name in options]
    if "beams" in options:
        if drawn:
            raise errors.ConfigError(
                f"--beams searches for the likeliest line, and draws nothing: leave out {flag(drawn[0])}"
            )
        return partial(_best, beams=whole("beams", options["beams"], least=1, most=BEAMS))
    few = {name: options[name] for name in ("top_k", "top_p") if name in options}
    temperature = real("temperature", options.get("temperature", 1.0 if few else temperature))
    if temperature > 0:
        rng = np.random.default_rng(whole("seed", options.get("seed", 0)))
        return partial(sample, temperature=temperature, rng=rng, **few)
    unused = [name for name in drawn if name != "temperature"]
    if unused:
        raise errors.ConfigError(
            f"at a temperature of 0 nothing is drawn: leave out {flag(unused[0])}, or give a "
            f"--temperature above 0"
        )
    return greedy


def _best(model: Any, ids: np.ndarray, longest: int, **options: Any) -> np.ndarray:
    """The ids (B, T) of the best line that a beam search finds for each row."""
    return beam_search(model, ids, longest, **options)[0][:, 0]
