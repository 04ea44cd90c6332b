"""Another project called minigrad, on PyPI: it is installed into the folder of this one."""

from __future__ import annotations

import warnings
from pathlib import Path


def warn_of_namesake(folder: Path = Path(__file__).parents[2]) -> None:
    """Warn, in one line, if the other minigrad is installed in the folder of this one."""
    for other in folder.glob("minigrad-*.dist-info"):
        warnings.warn(
            f"another project, {other.stem}, is installed over minitransformer, which brings this one: "
            f"pip uninstall minigrad, then install minitransformer again",
            stacklevel=3,
        )
