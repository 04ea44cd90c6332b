"""The errors for names of other libraries: each says what to write here, or where the name is."""

from __future__ import annotations

import dis
import re
import sys
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from .engine.advice import instead
from .engine.source import pass_over, source_text
from .engine.table import TABLE
from .idioms import SET

PUBLIC: dict[str, Sequence[str]] = {}  # the names of modules for users, which enter them here
ANYWHERE = r"(?:torch|jax|tf|keras|nn|optim|F|model)(?:\.\w+)*"  # before a name in the first column
IMPORT_FROM = dis.opmap["IMPORT_FROM"]


def missing(module: str, name: str, *homes: str) -> AttributeError | ImportError:
    """The error for a name that a module has not, with what to write; its `__getattr__` raises it.

    Args:
        homes: as for `instead`.
    """
    path = _dotted_name(name)
    remedy = ""
    for looked_up, begins in ((path, homes), (path.rpartition(".")[2], [ANYWHERE]), (name, homes)):
        remedy = remedy or instead(looked_up, source_text, *begins) or _elsewhere(module, looked_up)
    if module == "minigrad" and re.search(r"(?<![\w.])(nn|optim)\.", remedy.partition(" write")[2]):
        remedy += "  # from minigrad import nn, optim"
    caller = sys._getframe(2)
    # Of an AttributeError, the statement `from MODULE import NAME` keeps no word.
    if remedy and caller.f_code.co_code[caller.f_lasti] == IMPORT_FROM:
        return ImportError(f"cannot import name {name!r} from {module!r}{remedy}", name=module)
    return AttributeError(f"module {module!r} has no attribute {name!r}{remedy}")


def answer_imports(*modules: ModuleType) -> None:
    """Have an import of what is not in this package, or in one of its modules, say what to write too,
    as for minigrad.layers or minigrad.nn.functional."""
    pass_over("<frozen importlib")  # a reader's line asks for it
    for module in modules:
        module.__path__ = []  # else nobody would be asked for what is in it
    sys.meta_path.append(SimpleNamespace(find_spec=refuse_import))  # type: ignore[arg-type]  # the last to be asked


def refuse_import(name: str, _path: object = None, _target: object = None) -> None:
    """Raise the error for a module that no finder of Python's has found, if there is something to say.

    Raises:
        ModuleNotFoundError: with what the `__getattr__` of the module around it says.
    """
    around, _, inner = name.rpartition(".")
    if around in (*PUBLIC, __package__):
        try:
            getattr(sys.modules[around], inner)
            remedy = f"write from {around} import {inner}"
        except (AttributeError, ImportError) as problem:
            remedy = str(problem).partition("; ")[2]
        if remedy:
            raise ModuleNotFoundError(f"No module named {name!r}; {remedy}", name=name) from None


class AnswersOtherNames:
    """The base of modules and optimisers: says what to write for a name that another library has.

    A setting of another library's, as in `layer.trainable = False` of Keras, is refused: nothing would
    heed it here. In classes that are not minigrad's, only `trainable` is: others may be theirs.
    """

    _home: ClassVar[str]  # what stands for such an object in the table of names, such as "model"

    @staticmethod
    def _refusal(wrong: str) -> Exception:
        """The error for a setting."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}"
            f"{instead(name, source_text, self._home)}"
        )

    def __setattr__(self, name: str, value: object) -> None:
        own = type(self).__module__ in PUBLIC and not hasattr(type(self), name)
        is_refused = own or (name == "trainable" and isinstance(value, bool))
        if is_refused and f"{self._home}.{name}" in SET:
            raise self._refusal(
                f"{type(self).__name__} has no setting {name!r}"
                f"{instead(name, source_text, self._home)}"
            )
        super().__setattr__(name, value)


def _dotted_name(name: str) -> str:
    """The name with what follows it in the running line. Its last part says what is meant.

    mg.keras.layers.LSTM(3), where `keras` is missing       keras.layers.LSTM
    from minigrad.keras.layers import LSTM                  keras.layers.LSTM
    """
    match = re.search(rf"\.({re.escape(name)}(?:\.\w+)*)\b(?: import \(?(\w+))?", source_text())
    return ".".join(filter(None, match.groups())) if match else name


def _spelled_alike(name: str) -> str:
    """Drop capitals and underscores of a name: ReLU, Relu and re_lu become the same."""
    return name.lower().replace("_", "")


def _elsewhere(module: str, name: str) -> str:
    """Say where a name is that a module has not, if another one has it, or NumPy."""
    for spelling in (str, _spelled_alike):
        for other in dict.fromkeys((module, *PUBLIC)):
            for public in PUBLIC.get(other, ()):
                if spelling(public) == spelling(name):
                    if other.startswith("minigrad"):
                        return f"; write {other.replace('minigrad', 'mg')}.{public}"
                    return f"; write from {other} import {public}"
    numpys = vars(np).get(name)
    is_here = isinstance(numpys, float) or (callable(numpys) and numpys in TABLE)  # np.pi, np.exp
    if module in ("minigrad", "minigrad.functional") and is_here:
        return f"; write np.{name}"
    return ""
