"""Files of examples: their lines by number, and what is wrong with them.

No fault is ignored silently. A file is refused with a list of its faults, by line; after that,
the user can ask for the rest of the file, with `skip_bad`.
"""

import codecs
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from minigrad.errors import ConfigError, DataError

MARKS = {  # longest first: that of utf-16 begins one of utf-32
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
SHOWN = 5  # faults in a message: it stays one line


class Fault(NamedTuple):
    """A fault in a line; lines are counted from 1."""

    line: int
    what: str


class Lines(NamedTuple):
    """The contents of a file: `texts`, the readable lines by number, and the faults of the others."""

    texts: dict[int, str]
    faults: list[Fault]
    sha256: str


def read_lines(file: str | os.PathLike[str], encoding: str, sha256: str | None = None) -> Lines:
    r"""Read all lines of a file, whether they end with \n, \r\n or \r.

    A byte order mark at the beginning says which encoding it is, and is no part of the text.

    Args:
        sha256: the hash that the file's contents must have, as in `Lines.sha256`.

    Raises:
        DataError: the file cannot be opened, is empty, or its contents are not those of `sha256`.
        ConfigError: `encoding` is unknown.
    """
    try:
        data = Path(file).read_bytes()
    except OSError as problem:
        raise DataError(f"{file}: {problem.strerror}; give a text file that can be read") from None
    try:
        codec = codecs.lookup(encoding).name
        codec = next((name for mark, name in MARKS.items() if data.startswith(mark)), codec)
        text = data.decode(codec, errors="replace")
    except (LookupError, UnicodeError):  # no such encoding, or none of text
        raise ConfigError(f"unknown encoding {encoding!r}; expected one such as 'utf-8'") from None
    found = hashlib.sha256(data).hexdigest()
    if sha256 not in (None, found):
        raise DataError(
            f"{file} has changed: sha256 is {found}, expected {sha256}; "
            "put the old contents back, or begin anew with these"
        )
    faults = []
    # Not splitlines: it ends a line where an editor does not, at U+2028 or a form feed.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
    if lines == [""]:
        raise DataError(f"{file} is empty; give a file with examples")
    texts = {}
    for number, line in enumerate(lines, start=1):
        if "\ufffd" in line:  # which stands for what could not be decoded
            column = line.index("\ufffd") + 1
            faults.append(Fault(number, f"not {codec.removesuffix('-sig')} at character {column}"))
        elif "\0" in line:
            faults.append(Fault(number, "a NUL character, as in utf-16 without byte order mark"))
        else:
            texts[number] = line
    return Lines(texts, faults, found)


def check(file: str | os.PathLike[str], faults: Sequence[Fault], usable: int, skip: bool) -> None:
    """Refuse a file with faults, or with no usable line; `skip` allows faults.

    Raises:
        DataError: it lists the first faults and says how many there are.
    """
    if usable and (skip or not faults):
        return
    shown = [f"line {line}: {what}" for line, what in faults[:SHOWN]]
    if len(faults) > len(shown):
        shown.append(f"and {len(faults) - len(shown)} more")
    remedy = "or give skip_bad=True to use the {} left".format(_several(usable, "line"))
    raise DataError(
        f"{file} has {_several(len(faults), 'fault')}: {'; '.join(shown)}. "
        f"Correct {'it' if len(faults) == 1 else 'them'}" + (f", {remedy}" if usable else "")
    )


def _several(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
