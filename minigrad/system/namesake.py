"""The other project called minigrad, which PyPI has: its files land in the folder of ours."""

from __future__ import annotations

import warnings
from pathlib import Path


def warn_of_namesake(folder: Path = Path(__file__).parents[2]) -> None:
    """Warn, in one line, if the other minigrad is installed in the folder that this one lies in."""
    for other in folder.glob("minigrad-*.dist-info"):
        warnings.warn(
            f"another project, {other.stem}, is installed over minitransformer, which brings this one: "
            f"pip uninstall minigrad, then install minitransformer again",
            stacklevel=3,
        )
