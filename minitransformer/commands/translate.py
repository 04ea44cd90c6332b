"""The command `translate`: read lines with a trained model, and say how sure the model is."""

from __future__ import annotations

import argparse
import sys

from minigrad import errors
from minigrad.settings import real

from ..tasks import FAULTS
from ..training.checkpoints import load_reader
from ..training.readers import TextReader
from .lines import for_each
from .options import SURE
from .ways import way

UNREAD = "\t\tnot read"  # in place of a result, so that each line has one
SURE_OF = (
    "%: the probability that the model itself gives to what it writes, which may still be wrong"
)
NOT_SURE = 1  # the exit status if something is wrong with a result


def translate(options: argparse.Namespace) -> int:
    """Print for each line the output of the model, its probability, and a note if it is doubtful."""
    given = vars(options)
    least = real("sure", given.get("sure", SURE), most=1)
    how = way(given, temperature=0.0)
    reader, about = load_reader(options.checkpoint)
    if isinstance(reader, TextReader):
        raise errors.ConfigError(
            f"{options.checkpoint} has learned to go on with a text, not to translate: use the command "
            f"write"
        )
    fault = FAULTS.get(str(about["task"]), lambda written: None)
    doubtful: list[str] = []

    def results(lines: list[str]) -> list[str]:
        source = reader.encode(lines)
        ids = reader.write(source, how)
        written = [reader.decode(row) for row in ids]
        sure = reader.probabilities(source, ids)
        remarks = ["not sure" if p < least else fault(text) or "" for text, p in zip(written, sure)]
        doubtful.extend(filter(None, remarks))
        return [
            "\t".join([text, f"{p:.1%}", *filter(None, [what])])
            for text, p, what in zip(written, sure, remarks)
        ]

    if sys.stdout is not None and sys.stdout.isatty():
        print(SURE_OF, file=sys.stderr, flush=True)
    return for_each(options.lines, reader, results, str.strip, UNREAD) or (
        NOT_SURE if doubtful else 0
    )
