"""A graph as one straight-line NumPy program: the forward pass, and the backward pass by hand.

    with mg.record():
        loss = np.sum(np.tanh(x @ w))
    print(mg.graph(loss).program())

The rules of the table are plain NumPy. Called on arrays they compute; `script` calls them on
`Symbol`s, which note what is done to them: so they write down the very operations that a backward pass
is made of. Here these lines are folded into text. They are written as a person would write them, where
that gives the same bits. What cannot be traced in this way, such as a function that fills an array in
place, stays a function, and its source stands at the head of the program.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np

from ... import errors
from ...engine.kinds import checked
from ...ran import words
from ...ran.data import GraphData
from ...system.disk import write_whole
from .program_lines import NAME, ProgramLines


@dataclasses.dataclass(frozen=True, eq=False)
class Program:
    """A forward and a backward pass, written out: its text, and the arrays it is to be run on.

    Attributes:
        source: the program. It defines the function `forward_and_backward`, and needs NumPy alone.
        inputs: the arguments of that function, by name: parameters, data, drawn dropout masks.
        title: the name of what it computes.
    """

    source: str
    inputs: dict[str, np.ndarray]
    title: str = ""

    def __str__(self) -> str:
        return self.source

    __repr__ = __str__

    def run(self, **inputs: Any) -> tuple[Any, dict[str, np.ndarray]]:
        """The result, and the gradients by the names of the inputs; `inputs` replaces some of these.

        Raises:
            ConfigError: for a name that is not among the inputs.
        """
        unknown = sorted(inputs.keys() - self.inputs.keys())
        if unknown:
            raise errors.ConfigError(
                f"the program has no input {', '.join(unknown)}; it has {', '.join(self.inputs)}"
            )
        space: dict[str, Any] = {}
        exec(compile(self.source, f"<program of {self.title}>", "exec"), space)
        return space[NAME](**{**self.inputs, **inputs})

    @checked
    def write(self, path: str | os.PathLike) -> Path:
        """Write the text to the file `path`, and return that."""
        path = Path(path)
        write_whole(path, lambda file: file.write(self.source.encode()))
        return path


def program(graph: GraphData) -> Program:
    """The computation of `graph` and its gradients, as a program.

    Raises:
        GraphError: if the graph has several roots or one without a gradient, if values were not kept,
            or if a leaf was given new values in between.
    """
    root = _only_root(graph)
    with np.errstate(all="ignore"):
        lines = ProgramLines(graph)
        lines.write_forward()
        gradients = lines.write_backward()
    title = words.visible(graph[root].label) or "the result"
    return Program(
        _assembled(lines, title, lines.names_of_nodes[root], gradients), lines.inputs, title
    )


def _only_root(graph: GraphData) -> int:
    """The one root of a graph that a gradient reaches."""
    if len(graph.roots) != 1:
        raise errors.GraphError(
            f"a program goes back from one result, and this graph has {len(graph.roots)}"
        )
    (root,) = graph.roots
    if graph[root].state == "needs none":
        raise errors.GraphError(
            f"no gradient reaches {words.visible(graph[root].label) or 'the result'}, so there is no "
            f"backward pass to write: compute it from a tensor with requires_grad=True"
        )
    return root


def _assembled(lines: ProgramLines, title: str, result: str, gradients: dict[str, str]) -> str:
    """The text of a program: what it imports and the functions it needs, and then the one that it is.

    `result` and `gradients` are names in it; these are by the names of the inputs.
    """
    parts = [
        f'"""Computes {_docstring(title)} and its gradients: forward, and then back by hand.',
        "",
        "d_x stands for the gradient of the result with respect to x, and t5 for node #5 of the",
        'graph. The shapes are those of the run that this was written from.\n"""',
        "",
        *lines.functions.imports(),
        *(f"\n\n{source}" for source in lines.functions.sources),
        f"\n\ndef {NAME}(",
        *(f"    {name},  # {note}".rstrip(" #") for name, note in lines.arguments() if name),
        "):",
        *lines.rendered(),
        "",
        f"    return {result}, {{",
        *(f'        "{name}": {gradient},' for name, gradient in gradients.items()),
        "    }",
    ]
    return "\n".join(parts) + "\n"


def _docstring(title: str) -> str:
    return title.replace("\\", "\\\\").replace('"', "'")
