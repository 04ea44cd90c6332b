"""Files of examples, read a block of lines at a time: they may be larger than memory.

No fault is ignored silently. A file is refused with a list of its faults, by line; after that,
the user can ask for the rest of the file, with `skip_bad`.
"""

import bisect
import codecs
import hashlib
import os
import sys
from array import array
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from minigrad.errors import ConfigError, DataError
from minigrad.system.disk import other_kind
from minigrad.system.working import working

MARKS = {  # longest first: the mark of utf-32-le begins with the mark of utf-16-le
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
BAD = "\udfff"  # replaces bytes that cannot be decoded: half of a character, which no text has
codecs.register_error("minitransformer", lambda error: (BAD, codecs.replace_errors(error)[1]))
BLOCK = 1 << 12  # bytes that are read to find one line
LONG = 1 << 20  # bytes: a longer line is read in pieces
SHOWN = 5  # faults in a message: it stays one line
KEPT = 1000  # faults that are remembered
OTHER_ENCODING = "or name the file's encoding, such as encoding='cp1252' for one of Windows"


class Fault(NamedTuple):
    """A fault in a line; lines are counted from 1.

    Attributes:
        remedy: what to do about it, beside correcting the line; or "".
        length: of a text that is too long, in characters or words; or 0.
    """

    line: int
    what: str
    remedy: str = ""
    length: int = 0


class LineBlock(NamedTuple):
    """Lines of a file, `first` to `last`: the readable ones by number, and the faults of the others.

    A very long line is in several blocks: it `goes_on` where one ends, and the next begins `inside` it.
    """

    texts: dict[int, str]
    faults: list[Fault]
    first: int
    last: int
    inside: bool
    goes_on: bool


class File:
    r"""A file of text whose lines end with \n, \r\n or \r.

    A byte order mark at the beginning gives the encoding, and is no part of the text.

    Args:
        file: the path.
        encoding: of a file without such a mark, as Python names it.

    Attributes:
        sha256: of the contents, once all `blocks()` have been read.

    Raises:
        DataError: the file cannot be opened.
        ConfigError: `encoding` is unknown.
    """

    def __init__(self, file: str | os.PathLike[str], encoding: str) -> None:
        self.path = file
        with self._opened() as opened:
            start = opened.read(4)
            self.state = _state(opened)
        try:
            codec = codecs.lookup(encoding).name
            start.decode(codec, errors="minitransformer")
        except (LookupError, UnicodeError):  # no such encoding, or none of text
            raise ConfigError(
                f"unknown encoding {encoding!r}; expected one such as 'utf-8'"
            ) from None
        mark, self.codec = next(
            ((mark, name) for mark, name in MARKS.items() if start.startswith(mark)), (b"", codec)
        )
        if not mark and self.codec in ("utf-16", "utf-32"):  # which look for a mark in every block
            self.codec += "-le" if sys.byteorder == "little" else "-be"
        self.end = "\n".encode(self.codec.removesuffix("-sig"))
        self.starts = array("q", [len(mark)])  # where blocks begin, in bytes
        self.first = array("q", [1])  # and the numbers of their first lines
        self.inside: set[int] = set()  # the blocks that begin inside a line

    def blocks(self) -> Iterator[LineBlock]:
        """Read the whole file once, block by block. A line on standard error tells the progress."""
        digest, size = hashlib.sha256(), self.state[0]
        with self._opened() as opened, working(f"reading {self.path}") as begins:
            digest.update(opened.read(self.starts[0]))
            while self.starts[-1] < size or len(self.starts) == 1:
                data = self._next(opened)
                if not data and size > self.starts[-1]:
                    raise self._has_changed()
                digest.update(data)
                block = self._block(data, len(self.starts) - 1)
                ends = self.starts[-1] + len(data) == size
                if block.texts == {1: ""} and ends and not block.inside:
                    raise DataError(f"{self.path} is empty; give a file with examples")
                if block.goes_on:
                    self.inside.add(len(self.starts))
                self.starts.append(self.starts[-1] + len(data))
                self.first.append(block.last + (not block.goes_on))
                yield block
                begins(f"{self.starts[-1] / size:.0%}")
        self.sha256 = digest.hexdigest()

    def block(self, i: int) -> LineBlock:
        """Read block `i` again.

        Raises:
            DataError: the file has changed since it was read as a whole.
        """
        with self._opened() as opened:
            if _state(opened) != self.state:
                raise self._has_changed()
            opened.seek(self.starts[i])
            return self._block(opened.read(self.starts[i + 1] - self.starts[i]), i)

    def holding(self, place: int, firsts: Sequence[int]) -> int:
        """The block that holds `place`; `firsts` has the place where each begins, and the last end."""
        return bisect.bisect_right(firsts, place, 0, len(self.starts) - 1) - 1

    def _opened(self) -> BinaryIO:
        try:
            if kind := other_kind(self.path):
                raise DataError(
                    f"{self.path} is {kind}, not a regular file: give a text file, which is read "
                    "more than once"
                )
            return open(self.path, "rb")
        except OSError as problem:
            raise DataError(
                f"{self.path}: {problem.strerror}; give a text file that can be read"
            ) from None

    def _has_changed(self) -> DataError:
        return DataError(f"{self.path} has changed while it was in use: start again with it")

    def _next(self, opened: BinaryIO) -> bytes:
        """The bytes of the next block: up to the end of a line, if there is one near."""
        start, width, data = self.starts[-1], len(self.end), b""
        while len(data) < LONG:
            more = opened.read(BLOCK)
            data += more
            for end in (self.end, self.end.replace(b"\n", b"\r")):
                at = data.rfind(end)
                while at >= 0 and at % width:  # half of one character and half of the next
                    at = data.rfind(end, 0, at + width - 1)
                # Of a \r\n at the end, the second character may be missing, or half of it.
                if at >= 0 and (end == self.end or at + 2 * width <= len(data) or not more):
                    opened.seek(start + at + width)
                    return data[: at + width]
            if not more:
                return data
        decoder = codecs.getincrementaldecoder(self.codec)("replace")
        decoder.decode(data)
        whole = len(data) - len(decoder.getstate()[0])  # whole characters
        opened.seek(start + whole)
        return data[:whole]

    def _block(self, data: bytes, i: int) -> LineBlock:
        # Not splitlines: it ends a line where an editor does not, at U+2028 or a form feed.
        text = data.decode(self.codec, errors="minitransformer")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.removesuffix("\n").split("\n")
        faults, texts = [], {}
        for number, line in enumerate(lines, start=self.first[i]):
            if BAD in line:
                column = line.index(BAD) + 1
                codec = self.codec.removesuffix("-sig")
                what = f"not {codec} at character {column}"
                faults.append(Fault(number, what, OTHER_ENCODING))
            elif "\0" in line:
                what = "a NUL character, as in utf-16 without byte order mark"
                faults.append(Fault(number, what))
            else:
                texts[number] = line
        first, last = self.first[i], self.first[i] + len(lines) - 1
        goes_on = self.starts[i] + len(data) < self.state[0] and not text.endswith("\n")
        return LineBlock(texts, faults, first, last, i in self.inside, goes_on)


def _state(opened: BinaryIO) -> tuple[int, int]:
    state = os.fstat(opened.fileno())
    return state.st_size, state.st_mtime_ns


def unchanged(file: File, sha256: str | None) -> None:
    """Check the hash of a file that has been read against its hash of before, if that is known.

    Raises:
        DataError: they differ.
    """
    if sha256 not in (None, file.sha256):
        raise DataError(
            f"{file.path} has changed: sha256 is {file.sha256}, expected {sha256}; "
            "put the old contents back, or start again with these"
        )


class Faults:
    """The faults of a file: the first of them, and how many there are."""

    def __init__(self) -> None:
        self.first: list[Fault] = []
        self.count = 0

    def __str__(self) -> str:
        """The first few, and how many more there are, in a line."""
        shown = [f"line {fault.line}: {fault.what}" for fault in self.first[:SHOWN]]
        if self.count > len(shown):
            shown.append(f"and {self.count - len(shown):,} more")
        return "; ".join(shown)

    def left_out(self) -> str:
        """A message for a file whose faults are skipped; "" without faults."""
        return f"left out {several(self.count, 'line')}: {self}" if self.count else ""

    def add(self, faults: Sequence[Fault]) -> None:
        self.count += len(faults)
        self.first += sorted(faults)[: KEPT - len(self.first)]


def check(file: str | os.PathLike[str], faults: Faults, usable: int, skip: bool) -> None:
    """Refuse a file with faults, or with no usable line; `skip` allows faults.

    Raises:
        DataError: it lists the first faults and says how many there are.
    """
    if usable and (skip or not faults.count):
        return
    remedies = [f"Correct {'it' if faults.count == 1 else 'them'}"]
    remedies += dict.fromkeys(fault.remedy for fault in faults.first if fault.remedy)
    if longest := max((fault.length for fault in faults.first), default=0):
        remedies.append(f"or give longest={longest}, which takes memory by its square")
    if usable:
        remedies.append(f"or give skip_bad=True to use the {several(usable, 'line')} left")
    what = several(faults.count, "fault")
    raise DataError(f"{file} has {what}: {faults}. {', '.join(remedies)}")


def several(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
