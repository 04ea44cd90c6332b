"""The options of all commands: tables of rows, and their parsers.

An option that the user did not give is not among the parsed options: so a command sees what was given.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from ..model.sizes import Sizes
from ..training.settings import Settings

# Tasks that are learned completely in fewer steps than `Settings.steps`, or need more.
STEPS = {"copy": 600, "reverse": 1000, "addition": 6000}
MODELS = ("encoder-decoder", "decoder")
ENGINES = ("threads", "dask")
WHO = ("workers", "engine", "scheduler")  # computes a run: they change no bit of it
EVERY, LENGTH, SURE, TEMPERATURE = 250, 200, 0.9, 0.8  # defaults


class Option(NamedTuple):
    """A row of the table.

    Attributes:
        name: of the option in the library.
        kind: its type.
        value: the name of its value in the help.
        text: of the help.
        default: its default; None, if it has none, or if the text names it.
    """

    name: str
    kind: Any
    value: str
    text: str
    default: Any = None


def setting(name: str, value: str, text: str, default: bool = True) -> Option:
    """The row of a field of `Settings` or `Sizes`, with its type, and with its default if `default`."""
    field = next(f for kind in (Settings, Sizes) for f in fields(kind) if f.name == name)
    return Option(name, type(field.default), value, text, field.default if default else None)


def other_steps() -> str:
    return "; ".join(f"{task} {steps}" for task, steps in STEPS.items())


TRAIN: dict[str, list[Option]] = {
    "the ten options that matter most": [
        setting(
            "steps", "N",
            f"how many batches to learn from (default: {Settings.steps}; {other_steps()})", False,
        ),
        setting("learning_rate", "X", "the highest, reached at the end of the warm-up"),
        setting("width", "N", "numbers that stand for a symbol (D)"),
        setting("heads", "N", "attentions side by side (H); they must divide the width"),
        setting("encoder_layers", "N", "layers that read"),
        setting("decoder_layers", "N", "layers that write"),
        Option(
            "model", str, "|".join(MODELS),
            "what learns the task; a decoder alone has --decoder-layers layers", MODELS[0],
        ),
        setting(
            "seed", "N",
            "of the data, the first weights and dropout; on one machine, it decides all weights",
        ),
        Option(
            "out", Path, "FOLDER",
            "where the checkpoint, the curve and the report go (default: runs/TASK)",
        ),
        Option(
            "resume", Path, "RUN",
            "go on with the run in this folder, by its own settings; with --steps N, to N in all, where "
            "`cosine` takes the learning rate of a run of N",
        ),
    ],
    "more of learning": [
        setting("batch", "N", "examples in a batch"),
        setting("warmup", "N", "steps until the learning rate is reached"),
        setting(
            "schedule", "NAME",
            "of the learning rate after the warm-up: cosine, inverse_sqrt or constant",
        ),
        setting("dropout", "X", "probability that a number is left out while learning"),
        setting("label_smoothing", "X", "share of each target that is spread over all symbols"),
        setting("clip", "X", "largest norm that the gradient may have"),
        setting("accumulate", "N", "parts in which a batch is read, or more, to need less memory"),
        setting("pad", "N", "lengths are filled up to multiples of it, so that there are few shapes"),
        Option(
            "every", int, "N",
            "steps between two looks at held-out examples; the checkpoint is saved then too", EVERY,
        ),
        Option(
            "snapshots", int, "N",
            "keep how one held-out line is read after N steps, for a slider on the page of explain",
        ),
        Option("replace", bool, "", "put this run in the place of one that is there"),
        Option(
            "stop_at", float, "X",
            "stop early, once this share of the held-out examples looked at is read exactly",
        ),
    ],
    "who computes": [
        Option(
            "workers", int, "N",
            "how many parts of a batch are computed at a time; the weights are the same bits for any "
            "number (default: 2 for large models where there are 2 cores, else 1)",
        ),
        Option(
            "engine", str, "|".join(ENGINES),
            "what workers are: threads, or processes that Dask starts here", ENGINES[0],
        ),
        Option(
            "scheduler", str, "ADDRESS",
            "of a scheduler of Dask's, whose workers compute, such as tcp://host:8786",
        ),
    ],
    "more of the model": [
        setting("feed_forward", "N", "width inside the feed-forward layers (F)"),
        setting(
            "norm", "NAME",
            "post, after each part of a layer, or pre, before it (a decoder alone: pre; else post)",
            False,
        ),
        setting(
            "activation", "NAME",
            "relu, gelu, silu or gated (a decoder alone: gelu; else relu)", False,
        ),
        setting(
            "positions", "NAME",
            "sinusoidal, learned, rotary or none (a decoder alone: learned; else sinusoidal)", False,
        ),
        setting("tied", "NAME", "matrices that are one: none, target (embedding and output) or all"),
    ],
    "more of the data": [
        Option("digits", int, "N", "of the numbers to be added, for addition (default: 3)"),
        Option(
            "longest", int, "N",
            "letters of copy, reverse and sort (default: 10); characters or words on either side of "
            "a pair (default: 100)",
        ),
        Option("window", int, "N", "characters of a text that are read at once (default: 64)"),
        Option(
            "level", str, "character|word",
            "what a model of pairs reads and writes (default: character)",
        ),
        Option("encoding", str, "NAME", "of the file of pairs or text (default: utf-8)"),
        Option("header", bool, "", "the first line of a file of pairs names the columns: leave it out"),
        Option("skip_bad", bool, "", "use what can be used of a file with faults"),
    ],
}  # fmt: skip
DATA = [option.name for option in TRAIN["more of the data"]]

DRAWING = [
    Option("top_k", int, "N", "draw only from the N likeliest symbols"),
    Option("top_p", float, "X", "draw only from the likeliest that together have this probability"),
    Option("seed", int, "N", "of what is drawn: the same seed draws the same", 0),
    Option("beams", int, "N", "draw nothing, and search for the likeliest line with N hypotheses"),
]
TRANSLATE = {
    "how to write": [
        Option(
            "temperature", float, "X",
            "draw each symbol: below 1 the likely become likelier; 0 takes the likeliest "
            "(default: 0; with --top-k or --top-p: 1)",
        ),
        *DRAWING,
        Option(
            "sure", float, "X",
            "mark a line as not sure if the model gives it less probability than this", SURE,
        ),
    ],
}  # fmt: skip
WRITE = {
    "how to write": [
        Option("length", int, "N", "characters to write", LENGTH),
        Option(
            "temperature", float, "X",
            "below 1 the likely become likelier; 0 takes the likeliest", TEMPERATURE,
        ),
        *DRAWING,
    ],
}  # fmt: skip
EXPLAIN = {
    "the page": [
        Option("out", Path, "FILE", "the page (default: explain.html in the folder of the run)"),
    ],
}
NAMES = sorted(
    {o.name for t in (TRAIN, TRANSLATE, WRITE) for rows in t.values() for o in rows},
    key=len,
    reverse=True,
)


def add(parser: argparse.ArgumentParser, tables: Mapping[str, Iterable[Option]]) -> None:
    """Add the rows of each table under its heading."""
    for heading, options in tables.items():
        group = parser.add_argument_group(heading)
        for option in options:
            text = option.text
            if option.default is not None:
                text += f" (default: {option.default})"
            if option.kind is bool:
                how: dict[str, Any] = {"action": "store_true"}
            else:
                how = {"type": option.kind, "metavar": option.value}
            group.add_argument(flag(option.name), default=argparse.SUPPRESS, help=text, **how)


def spelled(message: str) -> str:
    """A message of the library, with settings written as options of the command line.

    `skip_bad=True` becomes --skip-bad, `tied='target'` --tied target, and `steps is ...` --steps is ...
    """
    name = "|".join(NAMES)
    message = re.sub(rf"^({name})(?= is )", lambda match: flag(match[1]), message)

    def as_option(match: re.Match) -> str:
        value = match[2].strip("'")
        return flag(match[1]) + ("" if value == "True" else f" {value}")

    return re.sub(rf"\b({name})=('[^']*'|[\w.]+)", as_option, message)


def flag(name: str) -> str:
    """The name of an option on the command line: --skip-bad for `skip_bad`."""
    return "--" + name.replace("_", "-")
