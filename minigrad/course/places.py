"""The place of the course: in a clone beside the packages, in a wheel inside `minigrad`."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]  # the folder that holds both packages
EXAMPLES = next(
    (folder for folder in (ROOT / "minigrad" / "examples", ROOT / "examples") if folder.is_dir()),
    ROOT / "examples",
)
