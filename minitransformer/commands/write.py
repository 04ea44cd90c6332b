"""The command `write`: go on with a text."""

from __future__ import annotations

import argparse
import dataclasses

from minigrad import errors
from minigrad.settings import whole
from minigrad.system.terminal import complain

from ..training.checkpoints import load_reader
from ..training.readers import TextReader
from . import PROGRAM
from .lines import for_each
from .options import LENGTH, TEMPERATURE
from .ways import way

MOST_CHARACTERS = 1_000_000  # a text is printed when it is complete


def write(options: argparse.Namespace) -> int:
    """Print each beginning, and the model's text after it."""
    given = vars(options)
    length = whole("length", given.get("length", LENGTH), least=1, most=MOST_CHARACTERS)
    how = way(given, TEMPERATURE)
    reader, _ = load_reader(options.checkpoint)
    if not isinstance(reader, TextReader):
        raise errors.ConfigError(
            f"{options.checkpoint} has learned to translate, not to go on with a text: use the command "
            f"translate"
        )
    reader = dataclasses.replace(reader, longest_target=length)

    def results(lines: list[str]) -> list[str]:
        for line in lines:
            if len(line) > reader.longest_source:
                complain(
                    PROGRAM,
                    f"{line[:40]!r}... has {len(line)} characters: of these the model reads the last "
                    f"{reader.longest_source} at most",
                )
        source = reader.encode(lines)
        ids = reader.write(source, how)
        return [line + reader.decode(row) for line, row in zip(lines, ids)]

    return for_each(options.lines, reader, results)
