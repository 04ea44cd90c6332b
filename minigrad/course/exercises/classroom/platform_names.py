"""Names of folders and files, as Moodle and Canvas make them of a student's name and number."""

from __future__ import annotations

import re
import unicodedata

MOODLE = re.compile(r"(.+?)_(\d+)_assignsubmission_")
CANVAS = re.compile(r"([^_]+)_(?:LATE_)?(\d+)_\d+_")
PREFIX = re.compile(rf"^(?:{MOODLE.pattern}[a-z]+_|{CANVAS.pattern})")  # in front of a file


def student_of(name: str) -> tuple[str, str]:
    """The name and number of a student, of the name of a folder or file.

    Canvas numbers each file, after the student, and Moodle has a folder for each kind of hand-in, or
    puts the folder's name in front of each file.
    """
    name = unicodedata.normalize("NFC", name)  # macOS has letters and accents apart
    match = MOODLE.match(name) or CANVAS.match(name)
    return (match[1], match[2]) if match else (name, "")
