"""A file that a learner has written: its functions, and what is wrong with it."""

from __future__ import annotations

import ast
import codecs
import contextlib
import difflib
import functools
import marshal
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from ...system.disk import other_kind
from ..folders import EXERCISES
from .readable_parts import DEFINITIONS, readable_parts, why_unreadable

# Packages that a function may use; `Exercise.without` takes some of them away.
KNOWN = frozenset(sys.stdlib_module_names) | {"numpy", "minigrad", "minitransformer", "__main__"}
# What leads a function to files, networks, processes and threads, or to code that nobody reads.
FAR_PACKAGES = frozenset((
    "_thread", "asyncio", "concurrent", "ctypes", "ftplib", "gc", "glob", "http", "importlib", "inspect",
    "io", "multiprocessing", "os", "pathlib", "pickle", "pty", "runpy", "shutil", "signal", "smtplib",
    "socket", "socketserver", "subprocess", "tempfile", "threading", "urllib",
))  # fmt: skip
FAR_FUNCTIONS = frozenset(("__import__", "breakpoint", "compile", "eval", "exec", "open"))
LONGEST = 1 << 20  # bytes of a learner's file


@dataclass(frozen=True, eq=False)
class LearnerFile:
    """A learner's file: its functions by name, as written there; and what is wrong with it.

    Attributes:
        tree: of all that Python can read.
        problem: why the file cannot be read at all, or "".
        unread: for each function that Python cannot read, why.
        codes: of what defines something, statement by statement.
        data: its content, as UTF-8; None if there is no such file.
    """

    path: Path
    tree: ast.Module
    problem: str = ""
    unread: Mapping[str, str] = field(default_factory=dict)
    codes: Sequence[CodeType] = ()
    data: bytes | None = b""

    def is_stub(self, name: str) -> bool:
        """Tell whether a function is there and only says that it is not written yet; or is a program
        to be repaired, as it was handed out."""
        one = self.definition(name)
        return isinstance(one, ast.FunctionDef) and (_empty(one) or _dump(one) in self._handed_out)

    @property
    def _handed_out(self) -> set[str]:
        """The functions of the sheet with this file's name, as they are handed out."""
        name = self.path.name
        return (self if self.path == EXERCISES / name else handed_out(name))._dumps

    @functools.cached_property
    def _dumps(self) -> set[str]:
        return {_dump(one) for one in self.tree.body if isinstance(one, ast.FunctionDef)}

    def has(self, name: str) -> bool:
        """Tell whether the file defines this name."""
        return self.definition(name) is not None

    def nearest(self, name: str) -> str:
        """A function that the learner has added, whose name is nearly this one; "" if there is none."""
        stubs = handed_out(self.path.name)
        functions = [one.name for one in self.tree.body if isinstance(one, ast.FunctionDef)]
        own = {one.lower(): one for one in functions if not stubs.has(one)}
        near = difflib.get_close_matches(name, own, 1, 0.75)
        return own[near[0]] if near else ""

    def definition(self, name: str) -> ast.stmt | None:
        """The definition that counts: the last one; None if there is none."""
        return self._definitions.get(name)

    @functools.cached_property
    def _definitions(self) -> dict[str, ast.stmt]:
        """By each name, the last definition of it."""
        last: dict[str, ast.stmt] = {}
        for statement in self.tree.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                last[statement.name] = statement
            elif isinstance(statement, DEFINITIONS):
                for part in ast.walk(statement):
                    if isinstance(part, ast.alias):
                        last[part.asname or part.name] = statement
                    elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                        last[part.id] = statement
        return last

    @functools.cached_property
    def _packages(self) -> dict[str, str]:
        """By each name that is imported anywhere in the file, the package that it comes from."""
        return {
            alias.asname or alias.name.partition(".")[0]: package
            for alias, package in _imports(self.tree)
        }

    def functions(self) -> dict[str, Any]:
        """Run what defines something, statement by statement, and return what is defined.

        All else at the top of the file is left out: experiments, which may print or never end. A
        statement that fails costs only what needs it.
        """
        space: dict[str, Any] = vars(ModuleType("exercises_of_a_learner"))
        space["__file__"] = str(self.path)
        for code in self.codes:
            with contextlib.suppress(Exception, SystemExit), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(code, space)
        return space

    @functools.cached_property
    def compiled(self) -> bytes:
        """The bytes that `functions` needs in another process; of use to the same Python alone."""
        return MAGIC_NUMBER + marshal.dumps((dict(self.unread), list(self.codes)))

    def foreign_package(self, name: str) -> str:
        """A package other than NumPy that a function uses, by itself or by others of the file; or ""."""
        packages = (self._packages.get(used, "numpy") for used in self._names_used(name))
        return next((package for package in packages if package not in KNOWN), "")

    def far_reaching(self, name: str) -> list[str]:
        """The packages and functions that lead a function out of the exercise, to be looked at."""
        used = set(self._names_used(name))
        packages = {self._packages[one] for one in used if one in self._packages}
        return sorted(packages & FAR_PACKAGES | used & FAR_FUNCTIONS - self._bound)

    @functools.cached_property
    def _bound(self) -> set[str]:
        """The names that the file gives to values and arguments."""
        nodes = list(ast.walk(self.tree))
        stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return stored | {n.arg for n in nodes if isinstance(n, ast.arg)}

    def _names_used(self, name: str) -> Iterator[str]:
        """The name of a function, and those that it uses, by itself or by others of the file."""
        seen, waiting = {name}, [name]
        while waiting:
            yield (used := waiting.pop())
            defined = self.definition(used)
            parts = ast.walk(defined) if defined is not None else ()
            names = {part.id for part in parts if isinstance(part, ast.Name)} - seen
            seen |= names
            waiting += names


def _empty(definition: ast.FunctionDef) -> bool:
    """Tell whether a function only raises NotImplementedError, or does nothing at all."""
    for statement in definition.body:
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            raised = statement.exc
            raised = raised.func if isinstance(raised, ast.Call) else raised
            return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not (text or isinstance(statement, ast.Pass)):
            return False
    return True


def _dump(definition: ast.FunctionDef) -> str:
    """The code of a function, without its docstring."""
    body = definition.body[ast.get_docstring(definition) is not None :]
    return ast.dump(definition.args) + ast.dump(ast.Module(body, []))


def _imports(tree: ast.AST) -> Iterator[tuple[ast.alias, str]]:
    """Every imported name, with the package that it comes from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias, (node.module or "").partition(".")[0]) for alias in node.names)


# --- from a path, or from bytes ---------------------------------------------------------------------


def read_learner_file(path: Path) -> LearnerFile:
    """Read a learner's file; one that cannot be read has a `problem`, and no functions."""
    try:
        return parse_learner_file(path, content_of(path))
    except FileNotFoundError:
        return LearnerFile(path, ast.Module([], []), f"there is no file {path.name}", data=None)
    except (OSError, ValueError) as problem:
        return LearnerFile(path, ast.Module([], []), f"{path.name} cannot be read: {problem}")


@functools.cache
def handed_out(file: str) -> LearnerFile:
    """A file of exercises as learners get it."""
    return read_learner_file(EXERCISES / file)


def content_of(path: Path) -> bytes:
    """The content of a file, as UTF-8 if it is UTF-16.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is no regular file, or is too long.
    """
    if kind := other_kind(path):
        raise ValueError(f"it is {kind}")
    with open(path, "rb") as file:
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise ValueError(f"it has more than {LONGEST >> 20} MB")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16").encode()
    return data


@functools.lru_cache(maxsize=64)
def parse_learner_file(path: Path, data: bytes, compiled: bytes = b"") -> LearnerFile:
    """A learner's file with this content.

    Args:
        compiled: what another process has made of it; then there is no tree, if that was this Python.
    """
    nothing = ast.Module([], [])
    if compiled.startswith(MAGIC_NUMBER):
        unread, codes = marshal.loads(compiled[len(MAGIC_NUMBER) :])
        return LearnerFile(path, nothing, unread=unread, codes=codes)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in the learner's strings
            parts = readable_parts(path, data)
            return LearnerFile(path, parts.tree, "", parts.unread, parts.codes, data)
    except SyntaxError as problem:
        return LearnerFile(path, nothing, why_unreadable(path, problem))
    except (ValueError, RecursionError, MemoryError) as problem:
        return LearnerFile(path, nothing, f"{path.name} cannot be read: {problem}")
