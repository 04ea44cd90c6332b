"""The options of `train`, as tables."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any

from minigrad.terminal import Parser

from ..model.sizes import Sizes
from ..training.loop import Settings

# Tasks that are learned completely in fewer steps than `Settings.steps`, or need more.
STEPS = {"dates": 1200, "copy": 600, "reverse": 1000, "addition": 6000}
HELP = {
    "steps": f"how many batches to learn from (default: {Settings.steps}; "
    + "; ".join(f"{task} {steps}" for task, steps in STEPS.items())
    + ")",
    "batch": "examples in a batch",
    "learning_rate": "the highest, reached at the end of the warm-up",
    "warmup": "steps until then",
    "label_smoothing": "share of each target that is spread over all symbols",
    "clip": "largest norm that the gradient may have",
    "seed": "of the data, the first weights and dropout; on one machine, it decides all weights",
    "width": "numbers that stand for a symbol (D)",
    "heads": "attentions side by side (H); they must divide the width",
    "feed_forward": "width inside the feed-forward layers (F)",
    "encoder_layers": "layers that read",
    "decoder_layers": "layers that write",
    "dropout": "probability that a number is left out while learning",
    "schedule": "of the learning rate after the warm-up: cosine, inverse_sqrt or constant",
    "accumulate": "parts in which a batch is read at least, to need less memory",
    "norm": "post, after each part of a layer, or pre, before it (a decoder alone: pre; else post)",
    "activation": "relu, gelu, silu or gated (a decoder alone: gelu; else relu)",
    "positions": "sinusoidal, learned, rotary or none (a decoder alone: learned; else sinusoidal)",
    "tied": "matrices that are one: none, target (embedding and output) or all",
}
# Their defaults are not fixed: the steps depend on the task, the others on the model's paper.
NOT_FIXED = ("steps", "norm", "activation", "positions")
WHO = ("workers", "engine", "scheduler")  # computes a run: they change no bit of it
# Options of a task, besides its file: type, placeholder, help text.
DATA = {
    "digits": (int, "N", "of the numbers to be added, for addition"),
    "level": (str, "character|word", "what a model of pairs reads and writes"),
    "longest": (int, "N", "characters or words on either side of a pair"),
    "window": (int, "N", "characters of a text that are read at once"),
    "encoding": (str, "NAME", "of the file"),
}


def training_options() -> Parser:
    parser = Parser(add_help=False)
    for kind, title in ((Settings, "training"), (Sizes, "the model")):
        group = parser.add_argument_group(title)
        for field in fields(kind):
            if field.name in HELP:
                group.add_argument(
                    "--" + field.name.replace("_", "-"),
                    type=type(field.default),
                    metavar={int: "N", float: "X"}.get(type(field.default), "NAME"),
                    default=argparse.SUPPRESS if field.name in NOT_FIXED else field.default,
                    help=HELP[field.name],
                )
    group.add_argument(
        "--model",
        choices=["encoder-decoder", "decoder"],
        default="encoder-decoder",
        help="what learns the task; a decoder alone has --decoder-layers layers",
    )
    group = parser.add_argument_group("the data")
    for name, (kind_of, metavar, told) in DATA.items():
        group.add_argument(
            f"--{name}", type=kind_of, metavar=metavar, default=argparse.SUPPRESS, help=told
        )
    group.add_argument(
        "--skip-bad", action="store_true", help="use what can be used of a file with faults"
    )
    group = parser.add_argument_group("the run")
    group.add_argument(
        "--resume",
        type=Path,
        metavar="RUN",
        default=argparse.SUPPRESS,
        help="go on with the run in this folder, by its own settings",
    )
    group.add_argument(
        "--stop-at",
        type=float,
        metavar="X",
        default=argparse.SUPPRESS,
        help="stop early, once this share of the held-out examples looked at is read exactly",
    )
    group.add_argument(
        "--every",
        type=int,
        metavar="N",
        default=250,
        help="steps between two looks at held-out examples; the checkpoint is saved then too",
    )
    group.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        default=argparse.SUPPRESS,
        help="where the checkpoint, the curve and the report go (default: runs/TASK)",
    )
    group.add_argument(
        "--workers",
        type=int,
        metavar="N",
        default=argparse.SUPPRESS,
        help="how many parts of a batch are computed at a time; the weights are the same bits for any "
        "number (default: 2 for large models where there are 2 cores, else 1)",
    )
    group.add_argument(
        "--engine",
        choices=["threads", "dask"],
        default="threads",
        help="what workers are: threads, or processes that Dask starts here",
    )
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        default=argparse.SUPPRESS,
        help="of a scheduler of Dask's, whose workers compute, such as tcp://host:8786",
    )
    group.add_argument(
        "--replace", action="store_true", help="put this run in the place of one that is there"
    )
    return parser


def chosen(kind: type, options: argparse.Namespace, **others: Any) -> Any:
    """The settings or sizes that the options ask for."""
    names = [f.name for f in fields(kind) if f.name in HELP and hasattr(options, f.name)]
    return kind(**{name: getattr(options, name) for name in names} | others)
