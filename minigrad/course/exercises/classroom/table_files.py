"""A table in a file: rows of cells, as spreadsheets and learning platforms write them."""

from __future__ import annotations

import csv
import unicodedata
from pathlib import Path

from .... import errors


def rows_of(path: Path, what: str) -> list[list[str]]:
    """The cells of a table, divided by commas; or by semicolons or tabs, as spreadsheets write them.

    Raises:
        ConfigError: if it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        lines = unicodedata.normalize("NFC", text).splitlines(keepends=True)
    except UnicodeError:
        raise errors.ConfigError(
            f"cannot read {what} {path}: it is not UTF-8; in a spreadsheet, save it as CSV UTF-8"
        ) from None
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise errors.ConfigError(f"cannot read {what} {path}: {why}") from None
    lines = [line for line in lines if line.strip()]
    divided = ([*csv.reader(lines, delimiter=divider)] for divider in ";\t")
    rows = next((rows for rows in divided if all(len(row) > 1 for row in rows)), csv.reader(lines))
    return [[cell.strip() for cell in row] for row in rows if any(row)]
