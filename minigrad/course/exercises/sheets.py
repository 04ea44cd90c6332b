"""The files: what there is to do, and what a learner has written of it."""

from __future__ import annotations

import ast
import codecs
import contextlib
import difflib
import doctest
import functools
import importlib.util
import inspect
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from ... import errors
from ...disk import other_kind
from ..places import EXAMPLES
from .calls import KNOWN
from .exercise import Exercise, Limited, maker

RUN = "python -m minigrad exercises"
HOME = EXAMPLES / "exercises"
BESIDE = ("draws", "engines")  # files there that functions get inputs from, or are asked through
END = re.compile(r"\r\n|\r|\n")  # of a line, as Python counts them; str.splitlines counts more
BEGINS = re.compile(r"(?:(?:async )?def (\w+)|class |import |from |@)")  # a part of a file
LONGEST = 1 << 20  # bytes of a learner's file
DEFINITIONS = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.AugAssign,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Sheet:
    """The exercises of a lesson.

    Attributes:
        file: the name of their file, such as "08_scaled_dot_product_attention.py".
        title: what the lesson is about.
        exercises: by name, in their order.
    """

    file: str
    title: str
    exercises: dict[str, Exercise]

    @property
    def number(self) -> str:
        return self.file[:2]


@functools.cache
def sheets() -> tuple[Sheet, ...]:
    """Every sheet, in order.

    Raises:
        ConfigError: if there are none.
    """
    paths = sorted((HOME / "answers").glob("[0-9][0-9]_*.py"))
    if not paths:
        raise errors.ConfigError(
            f"there are no exercises in {HOME}: they come with a clone of the repository, in the "
            f"folder examples/exercises"
        )
    return tuple(map(sheet_of, paths))


def module_of(path: Path) -> ModuleType:
    """A file of the exercises' folder, as a module."""
    spec = importlib.util.spec_from_file_location(f"exercises_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sheet_of(path: Path) -> Sheet:
    """The sheet whose answers are in this file."""
    module = module_of(path)
    exercises = [value for value in vars(module).values() if isinstance(value, Exercise)]
    title = str(module.__doc__).partition("\n")[0].partition(": ")[2].rstrip(".")
    return Sheet(path.name, title[:1].upper() + title[1:], {one.name: one for one in exercises})


def chosen(wanted: Sequence[str]) -> list[tuple[Sheet, list[Exercise]]]:
    """The exercises of lessons, such as "6" or "06", and of names, such as "softmax"; all if none.

    Raises:
        ConfigError: if there is no such lesson or exercise.
    """
    picked: dict[Exercise, Sheet] = {}
    for one in wanted or [sheet.number for sheet in sheets()]:
        fits = [
            (sheet, exercise)
            for sheet in sheets()
            for exercise in sheet.exercises.values()
            if one in (exercise.name, f"{sheet.number}.{exercise.name}", sheet.file)
            or one.zfill(2) == sheet.number
        ]
        if not fits:
            numbers = ", ".join(sheet.number for sheet in sheets())
            names = [name for sheet in sheets() for name in sheet.exercises]
            near = difflib.get_close_matches(one, names, 1)
            raise errors.ConfigError(
                f"there is no exercise {one}"
                + (f", did you mean {near[0]}" if near else "")
                + f"; there are those of the lessons {numbers}, and "
                f"`python -m minigrad exercises` lists their names"
            )
        picked.update({exercise: sheet for sheet, exercise in fits})
    return [
        (sheet, [exercise for exercise, its in picked.items() if its is sheet])
        for sheet in sheets()
        if sheet in picked.values()
    ]


def folder_of(named: Path | None) -> Path:
    """Return the learner's folder: the one named, or this one if it has exercises, or the clone's.

    Raises:
        ConfigError: if the folder named has none.
    """
    if named is None:
        return Path() if has_any(Path()) else HOME
    if not has_any(named):
        if not named.exists() and any(str(named).zfill(2) == sheet.number for sheet in sheets()):
            raise errors.ConfigError(
                f"{named} is a lesson, and a folder is asked for; `{RUN} check {named}` checks a lesson"
            )
        raise errors.ConfigError(
            f"there are no exercises in {named}: `{RUN} start {named}` puts them there"
        )
    return named


def has_any(folder: Path) -> bool:
    """Tell whether there are exercises in a folder."""
    return any((folder / sheet.file).is_file() for sheet in sheets())


# --- what a learner has written -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LearnerFile:
    """A learner's file: its functions by name, as written there; and what is wrong with it.

    Attributes:
        tree: of all that Python can read.
        problem: why the file cannot be read at all, or "".
        unread: for each function that Python cannot read, why.
    """

    path: Path
    tree: ast.Module
    problem: str = ""
    unread: Mapping[str, str] = field(default_factory=dict)

    def is_stub(self, name: str) -> bool:
        """Tell whether a function is there and only says that it is not written yet; or is a program
        to be repaired, as it was handed out."""
        return any(
            isinstance(d, ast.FunctionDef) and (_empty(d) or _dump(d) in self._given)
            for d in self.definition(name)
        )

    @functools.cached_property
    def _given(self) -> set[str]:
        """The functions of the sheet with this file's name, as they are handed out."""
        path = HOME / self.path.name
        if not path.is_file():
            return set()
        tree = self.tree if path == self.path else handed_out(self.path.name).tree
        return {_dump(one) for one in tree.body if isinstance(one, ast.FunctionDef)}

    def has(self, name: str) -> bool:
        return bool(self.definition(name))

    def definition(self, name: str) -> list[ast.stmt]:
        """The definition that counts: the last one."""
        return [self._definitions[name]] if name in self._definitions else []

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

    def functions(self) -> dict[str, Any]:
        """Run what defines something, statement by statement, and return what is defined.

        All else at the top of the file is left out: experiments, which may print or never end. A
        statement that fails costs only what needs it.
        """
        space: dict[str, Any] = vars(ModuleType("exercises_of_a_learner"))
        space["__file__"] = str(self.path)
        for statement in self.tree.body:
            if isinstance(statement, DEFINITIONS):
                code = compile(ast.Module([statement], []), str(self.path), "exec")
                with contextlib.suppress(Exception, SystemExit), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    exec(code, space)
        return space

    def foreign(self, name: str) -> str:
        """A package other than NumPy that a function uses, directly or by others of the file."""
        imports = {
            alias.asname or alias.name.partition(".")[0]: module
            for alias, module in _imports(self.tree)
        }
        seen, waiting = set(), [name]
        while waiting:
            one = waiting.pop()
            seen.add(one)
            if imports.get(one, "") not in KNOWN | {""}:
                return imports[one]
            parts = [part for d in self.definition(one) for part in ast.walk(d)]
            names = {part.id for part in parts if isinstance(part, ast.Name)}
            waiting += names - seen
        return ""


def written(path: Path) -> LearnerFile:
    """Read a learner's file; one that cannot be read has a `problem`, and no functions."""
    try:
        return parsed(path, content(path))
    except FileNotFoundError:
        return LearnerFile(path, ast.Module([], []), f"there is no file {path.name}")
    except (OSError, ValueError) as problem:
        return LearnerFile(path, ast.Module([], []), f"{path.name} cannot be read: {problem}")


def content(path: Path) -> bytes:
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
def parsed(path: Path, data: bytes) -> LearnerFile:
    """A learner's file with this content."""
    nothing = ast.Module([], [])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in the learner's strings
            return _read(path, data, {})
    except SyntaxError as problem:
        return LearnerFile(path, nothing, _unreadable(path, problem))
    except (ValueError, RecursionError, MemoryError) as problem:
        return LearnerFile(path, nothing, f"{path.name} cannot be read: {problem}")


def _read(path: Path, data: bytes, unread: Mapping[str, str]) -> LearnerFile:
    """Read a file; what holds a syntax error, from one function or import to the next, is left out.

    Raises:
        SyntaxError: for one that is in no such part.
    """
    try:
        return _compiled(path, ast.parse(data, str(path)), unread)
    except SyntaxError as problem:
        lines = END.split(data.decode(errors="replace"))
        starts = [n for n, line in enumerate(lines) if BEGINS.match(line)]
        before = [n for n in starts if n < (problem.lineno or 0)][-2:]
        # Python may find the error only in the part after it: leave out what leads further.
        parts = [(n, min(end for end in [*starts, len(lines)] if end > n)) for n in before[::-1]]
        if not parts:
            raise
        start, end = max(parts, key=lambda part: _reach(_without(lines, *part)))
        begin = BEGINS.match(lines[start])
        names = [begin[1]] if begin and begin[1] else []
        why = dict.fromkeys(names, _unreadable(path, problem))
        return _read(path, _without(lines, start, end), {**unread, **why})


def _compiled(path: Path, tree: ast.Module, unread: Mapping[str, str]) -> LearnerFile:
    """A file without the definitions that Python parses but cannot compile: a `break` in no loop."""
    refused = {statement: _refused(path, statement) for statement in tree.body}
    body = [statement for statement, problem in refused.items() if problem is None]
    why = {
        getattr(s, "name", ""): _unreadable(path, p) for s, p in refused.items() if p is not None
    }
    return LearnerFile(path, ast.Module(body, []), unread={**unread, **why})


def _refused(path: Path, statement: ast.stmt) -> SyntaxError | None:
    """Return why Python cannot compile a definition."""
    try:
        if isinstance(statement, DEFINITIONS):
            compile(ast.Module([statement], []), str(path), "exec")
    except SyntaxError as problem:
        return problem
    return None


def _without(lines: Sequence[str], start: int, end: int) -> bytes:
    """The lines, some of them blank."""
    return "\n".join([*lines[:start], *[""] * (end - start), *lines[end:]]).encode()


def _reach(data: bytes) -> float:
    """The line up to which Python can read."""
    try:
        ast.parse(data)
    except SyntaxError as problem:
        return problem.lineno or 0
    return math.inf


def _unreadable(path: Path, problem: SyntaxError) -> str:
    line = f", in line {problem.lineno}" if problem.lineno else ""
    text = f": {problem.text.strip()}" if problem.text and problem.text.strip() else ""
    return f"Python cannot read {path.name}{line}: {problem.msg}{text}"


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


def examples(sheet: Sheet, exercise: Exercise) -> list[tuple]:
    """The arguments of the calls in an exercise's docstring, as it was handed out."""
    return [
        tuple(
            example(sheet.file, exercise.name, k, place) if inspect.isfunction(one) else one
            for place, one in enumerate(arguments)
        )
        for k, arguments in enumerate(_calls(sheet.file, exercise.name))
    ]


@maker
def example(file: str, name: str, k: int, place: int) -> Limited:
    """A function among the arguments of the docstring's examples; it can be called 1000 times."""
    function = _calls(file, name)[k][place]
    return Limited(function, 1000, function.__name__.replace("<lambda>", "f"))


@functools.cache
def _calls(file: str, name: str) -> list[tuple]:
    calls: list[tuple] = []
    space = handed_out(file).functions()
    text = getattr(space.get(name), "__doc__", None) or ""
    record: Callable[..., Any] = lambda *arguments: calls.append(arguments)
    space = {**space, name: record}
    for one in doctest.DocTestParser().get_examples(text):
        with contextlib.suppress(Exception):  # what is done with an answer that is not there
            exec(one.source, space)
    return calls


@functools.cache
def handed_out(file: str) -> LearnerFile:
    """A file of exercises as learners get it."""
    return written(HOME / file)


def shipped(file: str, exercise: Exercise, says: str) -> None:
    """Write down the program that was handed out as the first mistake of an exercise of the museum.

    Args:
        file: of the exercise, or of its answer.
        says: what comes of the bug, and not what it is.
    """
    exercise.mistake(f"As it shipped: {says}")(
        handed_out(Path(file).name).functions()[exercise.name]
    )


@functools.cache
def beside(name: str) -> ModuleType:
    """A file beside the exercises, of what the answers and a learner's side have in common."""
    return module_of(HOME / f"{name}.py")


def draws() -> ModuleType:
    """The functions among the inputs."""
    return beside("draws")


def asked(function: Any, through: str) -> Any:
    """Return what is asked in place of a function, if that is made of it (`Exercise.through`)."""
    if not through or not callable(function):
        return function
    file, _, name = through.partition(".")
    return getattr(beside(file), name)(function)
