"""The chapters of a page: parts of a computation in the order in which it runs, each with its reason.

They are made from the graph alone. A part is the computation of one module, or one line of code outside
of all modules. Parts that are too large are opened, down to the modules in them. Then the smallest
neighbours are joined, until there are few enough to go through. The reason for a part is the first
sentence of a docstring: of its module, or of the function that was called.
"""

from __future__ import annotations

import ast
import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from types import FunctionType
from typing import Any, NamedTuple

from ...engine.source import SourceLine
from ...ran import words
from ...ran.data import GraphData, GraphNode
from ...ran.rules_as_text import function_at

FORWARD, BACK = 8, 4  # how many chapters there are at most
LONGEST = 60  # letters of a title


class Purpose(NamedTuple):
    """The purpose of a part: a `title` for a chapter, such as a question, and sentences `about` it.

    A purpose that is `aside` gives its title only to a chapter that has no other purpose.
    """

    title: str
    about: str
    aside: bool = False


Purposes = Mapping[str, Purpose]  # by patterns of paths, such as "encoder.*.norm"; the first counts


@dataclasses.dataclass
class StepGroup:
    """Steps in a row, and what they have in common.

    Attributes:
        nodes: of the steps.
        box: the number of the box that they make up, or None.
        around: the number of the box in which they lie, or None.
        line: the line of code that asked for them, if they are no box.
        joined: the groups that this one was joined from.
    """

    nodes: list[GraphNode]
    box: int | None
    around: int | None
    line: SourceLine | None
    joined: tuple[StepGroup, ...] = ()

    def __len__(self) -> int:
        return len(self.nodes)

    def parts(self) -> Iterator[StepGroup]:
        """The parts that it was joined from, or itself."""
        if not self.joined:
            yield self
        for part in self.joined:
            yield from part.parts()


def chapters(
    graph: GraphData, lessons: Mapping[str, Sequence[str]], purposes: Purposes
) -> list[dict[str, Any]]:
    """The chapters of `graph`, forward and back, as data.

    A chapter has these keys:

        title, about: texts
        part: the name of the part, if the title is one of `purposes`
        lesson: the title and the address of the lesson that a docstring names, from `lessons`
        box: the number of the main box
        steps: how many steps it takes
        back: whether these are on the way back
        code: whether the title is a line of code
    """
    operations = [n for n in graph.nodes if n.kind == "operation"]
    forward = [
        _chapter(graph, part, lessons, purposes) | {"back": False}
        for part in _parts(graph, operations, FORWARD)
    ]
    return [*forward, *(chapter | {"back": True} for chapter in _chapters_back(graph))]


def _chapters_back(graph: GraphData) -> Iterator[dict[str, Any]]:
    """The chapters of the way back; the last has the leaves that are visited after all operations."""
    visited = [n for n, _ in graph.way_back]
    operations = [n for n in visited if n.kind == "operation"]
    places = {n.number: i for i, n in enumerate(visited, 1)}
    start = 0
    for part in _parts(graph, operations, BACK - 1):
        end = places[part.nodes[-1].number]  # with the leaves that are visited on the way
        title = f"Back through {_titles(graph, part)}"
        yield _as_data(title, GOES_ON if start else STARTS, end - start)
        start = end
    if start < len(visited):
        yield _as_data("What is learned", STAYS, len(visited) - start)


STARTS = (
    "The gradient of the loss by itself is 1; each operation gives its arguments their parts of it."
)
GOES_ON = "What arrives is multiplied by each operation's derivative, and goes on to its arguments."
STAYS = "All parts have arrived: each says what the loss changes by if this number grows a little."


def _parts(graph: GraphData, nodes: list[GraphNode], most: int) -> list[StepGroup]:
    """The steps of these nodes in groups; at most `most`, if neighbours can be joined."""
    parts = list(_by_box_and_line(graph, nodes, None))
    while True:  # open what is too large
        large = [p for p in parts if len(p) > 2 * len(nodes) / most and _can_open(graph, p)]
        if not large:
            break
        part = max(large, key=len)
        place = parts.index(part)
        parts[place : place + 1] = _by_box_and_line(graph, part.nodes, part.box)
    while len(parts) > most:  # join the smallest neighbours that lie in one box
        pairs = [
            (len(a) + len(b), -i)
            for i, (a, b) in enumerate(itertools.pairwise(parts))
            if _within(graph, a) == _within(graph, b)
        ]
        if not pairs:
            break
        place = -min(pairs)[1]
        a, b = parts[place : place + 2]
        parts[place : place + 2] = [StepGroup(a.nodes + b.nodes, None, a.around, a.line, (a, b))]
    return parts


def _within(graph: GraphData, part: StepGroup) -> int | None:
    """The box in which a part lies; None, if it lies in no box, or in an outermost one."""
    outermost = part.around is not None and graph.box(part.around).parent is None
    return None if outermost else part.around


def _by_box_and_line(
    graph: GraphData, nodes: list[GraphNode], box: int | None
) -> Iterator[StepGroup]:
    """The steps inside a box, in groups: one for each box in it, and for each line outside of these.

    A script without modules is cut by its lines alone.
    """
    part: StepGroup | None = None
    script = all(b.kind != "module" for b in graph.boxes)
    for node in nodes:
        inner = _child(graph, node.box, box)
        if script and node.line is not None:
            inner = None
        line = node.line if inner is None else None
        if part is None or (inner, line) != (part.box, part.line):
            if part is not None:
                yield part
            part = StepGroup([], inner, box, line)
        part.nodes.append(node)
    if part is not None:
        yield part


def _child(graph: GraphData, inner: int | None, box: int | None) -> int | None:
    """The box directly inside `box` in which `inner` lies, or which it is."""
    return next((b.number for b in graph.outward(inner) if b.parent == box), None)


def _can_open(graph: GraphData, part: StepGroup) -> bool:
    """Tell whether a part is a module with modules inside."""
    return part.box is not None and any(
        b.parent == part.box and b.kind == "module" for b in graph.boxes
    )


# --- the texts of a chapter -----------------------------------------------------------------------


def _chapter(
    graph: GraphData, part: StepGroup, lessons: Mapping[str, Sequence[str]], purposes: Purposes
) -> dict[str, Any]:
    """A part as a chapter, about its purposes; or, if none is known, about its main part."""
    title = _titles(graph, part)
    main = max(part.parts(), key=lambda p: (p.box is not None, len(p)))
    about, lesson = _reason(graph, main)
    link = dict(zip(("title", "address"), lessons[lesson])) if lesson in lessons else None
    of_purpose = list(
        dict.fromkeys(p for one in part.parts() for p in _purpose(graph, one, purposes))
    )
    if not of_purpose:
        code = part.box is None and part.around is None and part.line is not None
        return _as_data(title, about, len(part), link, main.box) | {"code": code}
    of_purpose.sort(key=lambda purpose: purpose.aside)
    question = " ".join([p.title for p in of_purpose if not p.aside] or [of_purpose[0].title])
    about = " ".join(p.about for p in of_purpose)
    return _as_data(question, about, len(part), link, main.box) | {"code": False, "part": title}


def _purpose(graph: GraphData, part: StepGroup, purposes: Purposes) -> Iterator[Purpose]:
    """The purpose of a part that is a box, if it is known."""
    if part.box is None:
        return
    box = graph.box(part.box)
    for pattern, purpose in purposes.items():
        if fnmatchcase(box.path or box.name, pattern):
            yield purpose
            return


def _as_data(
    title: str, about: str, steps: int, lesson: Any = None, box: int | None = None
) -> dict[str, Any]:
    return {"title": title, "about": about, "steps": steps, "lesson": lesson, "box": box}


def _titles(graph: GraphData, part: StepGroup) -> str:
    """The title of a part, or the titles of the parts that it was joined from."""
    parts = [p for p in part.parts() if 10 * len(p) >= len(part)]
    named = [p for p in parts if p.box is not None or _function(p) is not None] or parts
    titles = ", ".join(dict.fromkeys(_title(graph, p) for p in named))
    outer = graph.box(part.around) if part.around is not None else None
    inside = f"{outer.path}: " if outer is not None and outer.parent is not None else ""
    return words.shortened(words.visible(f"{inside}{titles}"), LONGEST)


def _title(graph: GraphData, part: StepGroup) -> str:
    """The name of a part: of its module, else of its function, else its line of code."""
    if part.box is not None:
        box = graph.box(part.box)
        name = box.name or box.type
        if box.name.isdecimal() and box.type:  # in a list of modules: "Linear 0" says more than "0"
            name = f"{box.type.split()[0]} {box.name}"
        return words.visible(name.replace("_", " "))
    if part.line is None:
        return words.visible(part.nodes[-1].label or part.nodes[-1].operation)
    function = _function(part)
    if function is not None:
        return function.name.replace("_", " ")
    return words.visible(part.line.text or part.line.place)


def _function(part: StepGroup) -> ast.FunctionDef | None:
    """The function in which the line of a part stands, inside a module; None for its `forward`."""
    if part.around is None or part.line is None:
        return None
    function = function_at(*part.line)
    return function if function is not None and function.name != "forward" else None


def _reason(graph: GraphData, part: StepGroup) -> tuple[str, str]:
    """The reason for a part, and the number of the lesson about it; "" for each that is not known."""
    if part.box is not None:
        box = graph.box(part.box)
        return box.about, box.lesson
    function = _function(part)
    if function is not None:
        doc = ast.get_docstring(function)
        return words.first_sentence(doc), words.lesson_in(doc)
    for node in reversed(part.nodes):
        box_of = _child(graph, node.box, part.around)
        if box_of is not None:
            return graph.box(box_of).about, graph.box(box_of).lesson
        if isinstance(node.function, FunctionType):  # neither NumPy's nor Python's operators
            doc = node.function.__doc__
            return words.first_sentence(doc), words.lesson_in(doc)
    return "", ""
