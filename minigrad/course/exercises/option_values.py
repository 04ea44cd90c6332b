"""The values of options, read from what was typed: a share, a time, numbers of lines."""

from __future__ import annotations

import argparse
from datetime import datetime

from .classroom.times import read_due


def seconds_of(text: str) -> float:
    """A limit to the time, in seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError(f"seconds are a number above 0, not {text!r}")
    return seconds


def share_of(text: str) -> float:
    """A share, from 0 to 1."""
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"a share is a number from 0 to 1, not {text!r}")
    return share


def steps_of(text: str) -> int:
    """A number of steps to learn from."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"steps are a whole number from 1, not {text!r}")
    return int(text)


def numbers_of_lines(text: str) -> list[int]:
    """Numbers of lines, "4" or "4,2"."""
    numbers = [number.strip() for number in text.split(",") if number.strip()]
    if not all(map(str.isdecimal, numbers)):
        raise argparse.ArgumentTypeError(f"lines have whole numbers, such as 4 2, not {text!r}")
    return [int(number) for number in numbers]


def time_of(text: str) -> datetime:
    """A time of hand-in."""
    try:
        return read_due(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a time is like 2026-11-20T18:00 or 20.11.2026 18:00, not {text!r}"
        ) from None
