"""Equal work: students whose functions are the same, up to names of variables, comments and layout.

Few functions can be written in many ways, so that two who have never met write the same. A pair is
told if most of what both have begun is equal, and what is equal tells something: it is long, or its
variables have the same names. What the handout gives, and the solution, tells nothing.

What is the same word for word, or byte for byte, is listed beside that, as a fact.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...folders import EXERCISES
from ..catalogue import sheets
from ..learner_file import content_of, read_learner_file

MOST = 0.75  # of what both have begun is equal, or of the code of a function
SHORT = 60  # words of a function's tree: in so few nothing is told
LONG = 30  # so many more are a point
AGAINST = 5  # points that other names take off, at most
LEAST = 8  # points that are told; measured on made-up classes, whose students have not met
WHOLE = 150  # words; what is longer, and the same with its names, is seldom so by chance
ALL = 400  # words; of 1900 made-up pairs that have not met, one or two have so many without their names
COMPARED = (  # the lines on the teacher's page
    "Compared is the code of each function, with what it calls, without names of variables, comments, "
    "docstrings and imports. Short functions, and what the course itself says, count for nothing. Equal "
    "work is a reason to ask, and no proof."
)
SAME = (
    "A fact, and no more: short files, and what has one usual form, are the same by chance. Word for "
    "word is the code with its names, without comments, docstrings and imports; what is short is left "
    "out, unless a whole file is the same byte for byte. All that somebody has begun, if it is long, is "
    "compared without names too."
)


class CodePart(NamedTuple):
    """A definition, as it is compared: how long it is, and the names of its variables in order."""

    size: int
    names: tuple[str, ...]


Code = Mapping[str, CodePart]  # of an exercise: its definitions, by what they say without names
Work = Mapping[str, Code]  # by the names of exercises


def equal_work(works: Mapping[str, Work]) -> dict[str, list[str]]:
    """For each student the others, and the files of the course, that most functions are equal to which
    both have, as "Ada (5 of 6 equal)"; those alone who have some.

    Args:
        works: what `work_in` gives for each.
    """
    equal: dict[str, list[str]] = {one: [] for one in works}
    for one, other in itertools.combinations(works, 2):
        if part := _equal(works[one], works[other], courses_code):
            equal[one].append(f"{other} ({part})")
            equal[other].append(f"{one} ({part})")
    for one, (file, work) in itertools.product(works, of_the_course().items()):
        if part := _equal(works[one], work, lambda name: {}):
            equal[one].append(f"{file} ({part})")
    return {one: others for one, others in equal.items() if others}


def the_same(
    works: Mapping[str, Work], contents: Mapping[str, Mapping[str, bytes]]
) -> dict[tuple[str, ...], list[str]]:
    """By those who have them, the functions and files that are the same word for word, or byte for byte;
    who has the course's own has them with "the solutions".

    Args:
        works: what `work_in` gives for each.
        contents: of the files in which something is begun, for each.
    """
    course = {name: code for work in of_the_course().values() for name, code in work.items()}
    whose: dict[tuple[str, object], list[str]] = {}
    own: set[tuple[str, object]] = set()
    for who, work in works.items():
        for file, content in contents[who].items():
            whose.setdefault((f"{file}, byte for byte", content), []).append(who)
        if sum(part.size for code in work.values() for part in code.values()) > ALL:
            forms = repr(sorted((name, sorted(code)) for name, code in work.items()))
            whose.setdefault(("all that is begun, but for names", forms), []).append(who)
        for what, names in _things(work).items():
            code_of_names = [(name, work[name]) for name in names]
            key: tuple[str, object]
            if sum(part.size for _, code in code_of_names for part in code.values()) > WHOLE:
                key = what, repr([(name, sorted(code.items())) for name, code in code_of_names])
                whose.setdefault(key, []).append(who)
                own |= {key} if all(course[name] == code for name, code in code_of_names) else set()
    same: dict[tuple[str, ...], list[str]] = {}
    for key, some_students in whose.items():
        if len(every := (*some_students, *["the solutions"] * (key in own))) > 1:
            same.setdefault(every, []).append(key[0])
    return same


def _things(work: Work) -> dict[str, list[str]]:
    """The parts that are compared word for word: each function, and all of a file that is begun."""
    of_files = {s.file: [name for name in s.exercises if name in work] for s in sheets()}
    return {file: names for file, names in of_files.items() if len(names) > 1} | {
        name: [name] for name in work
    }


def _equal(one: Work, other: Work, expected_of: Callable[[str], Code]) -> str:
    """Say how many of the functions are equal that two have; "" if that is few, or tells too little."""
    both = one.keys() & other.keys()
    same = [name for name in both if _same(one[name], other[name])]
    if len(same) < MOST * len(both):
        return ""
    points, names = 0.0, set()
    for name in same:
        common = one[name].keys() & other[name].keys()
        size = sum(one[name][form].size for form in common - expected_of(name).keys())
        points += max(size - SHORT, 0) / LONG
        pairs = {pair for f in common for pair in zip(one[name][f].names, other[name][f].names)}
        courses_names = handed_out_names(name).union(
            *(part.names for part in expected_of(name).values())
        )
        names |= {pair for pair in pairs if not courses_names.issuperset(pair)}
    alike = sum(a == b for a, b in names)
    points += max(alike - (len(names) - alike), -AGAINST)
    return f"{len(same)} of {len(both)} equal" if points >= LEAST else ""


def _same(one: Code, other: Code) -> bool:
    if one.keys() == other.keys() or one.keys().isdisjoint(other):
        return one.keys() == other.keys()
    size = lambda code: sum(part.size for part in code.values())
    common = sum(part.size for form, part in one.items() if form in other)
    return common >= MOST * max(size(one), size(other))


# --- what is compared -----------------------------------------------------------------------------


def work_in(folder: Path) -> Work:
    """The code of each function in a folder that is begun, by its name; programs that were handed out to
    be repaired are left out."""
    work: dict[str, Code] = {}
    for sheet in sheets():
        file = read_learner_file(folder / sheet.file)
        begun = [
            name
            for name, exercise in sheet.exercises.items()
            if not exercise.story and file.has(name) and not file.is_stub(name)
        ]
        with contextlib.suppress(RecursionError):  # of an expression that is nested without end
            work |= codes_of(file.tree, begun)
    return work


@functools.cache
def of_the_course() -> Mapping[str, Work]:
    """The solutions of the course, and its engine, by the names that are shown for them."""
    files: dict[str, dict[str, Code]] = {"own_engine.py": {}, "the solutions": {}}
    for sheet in sheets():
        answers = read_learner_file(EXERCISES / "answers" / sheet.file).tree.body
        beside = [one for one in answers if not getattr(one, "decorator_list", [])]
        for name, exercise in sheet.exercises.items():
            if not exercise.story:
                work = files["own_engine.py" if exercise.whole else "the solutions"]
                own = ast.parse(exercise.text()).body
                work |= codes_of(ast.Module([*beside, *own], []), [name])
    return files


@functools.cache
def courses_code(name: str) -> Code:
    """The course's own code for an exercise."""
    return next((work[name] for work in of_the_course().values() if name in work), {})


@functools.cache
def handed_out_names(name: str) -> frozenset[str]:
    """The words of the file in which an exercise is handed out."""
    file = next(sheet.file for sheet in sheets() if name in sheet.exercises)
    return frozenset(re.findall(r"\w+", content_of(EXERCISES / file).decode()))


def codes_of(tree: ast.Module, names: Sequence[str]) -> dict[str, Code]:
    """By the names of exercises, each function with all of its file that it uses, in parts."""
    modules = dict(_modules(tree))
    homes: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        for one in _defined(statement):
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                homes[one] = []  # the last one counts
            homes.setdefault(one, []).append(statement)
    own = {*homes} - {*names}

    @functools.cache
    def parts(statement: ast.stmt) -> tuple[dict[str, CodePart], set[str]]:
        """The definitions in a statement, and the names that it uses."""
        statements = statement.body if isinstance(statement, ast.ClassDef) else [statement]
        used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        return dict(_part(one, modules, own) for one in statements if not _is_text(one)), used

    def code(name: str) -> Code:
        parts_used: dict[str, CodePart] = {}
        waiting, seen = [name], {name}
        while waiting:
            for statement in homes.get(waiting.pop(), ()):
                its_parts, used = parts(statement)
                parts_used |= its_parts
                waiting += used - seen
                seen |= used
        return parts_used

    return {name: code(name) for name in names}


def _modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """By each imported name, what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            home = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            yield from ((alias.asname or alias.name, home + alias.name) for alias in node.names)


def _defined(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement defines, or whose value it changes: of `RULES[np.exp] = f`, RULES."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield next((part.id for part in ast.walk(target) if isinstance(part, ast.Name)), "")


def _part(statement: ast.stmt, modules: Mapping[str, str], top: set[str]) -> tuple[str, CodePart]:
    """A statement as text, with numbers for the names that are a learner's own; and these."""
    own: dict[str, int] = {}
    words = list(_words(statement, modules, own, top | set(_bound(statement))))
    return " ".join(words), CodePart(len(words), tuple(own))


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement gives to something within it."""
    for node in ast.walk(statement):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node is not statement:
            yield node.name


def _words(
    node: Any, modules: Mapping[str, str], own: dict[str, int], names: set[str]
) -> Iterator[str]:
    """A tree as text: the kinds of its nodes, and what else they hold."""
    if isinstance(node, ast.AST):
        if isinstance(node, (ast.expr_context, ast.Import, ast.ImportFrom)) or _is_text(node):
            return
        if isinstance(node, ast.Name) and node.id in modules and node.id not in names:
            yield modules[node.id]
            return
        yield type(node).__name__
        for field, value in ast.iter_fields(node):
            if field not in ("annotation", "returns", "type_comment", "kind"):
                yield from _words(value, modules, own, names)
    elif isinstance(node, list):
        yield "("
        for one in _without_needless(node):
            yield from _words(one, modules, own, names)
        yield ")"
    elif isinstance(node, str) and node in names:
        yield str(own.setdefault(node, len(own)))
    elif node is not None:
        yield repr(node)


def _without_needless(body: list[Any]) -> list[Any]:
    """Statements without a name that is returned at once: `y = x + 1; return y` is `return x + 1`."""
    match body:
        case [*first, ast.Assign([ast.Name(a)], value), ast.Return(ast.Name(b))] if a == b:
            return [*first, ast.Return(value)]
    return body


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
