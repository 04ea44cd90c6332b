"""The functions that a program needs beside NumPy's, with their sources, and the names in a program."""

from __future__ import annotations

import ast
import builtins
import copy
import keyword
import re
import sys
import types
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine import errors
from ...engine.names import is_numpys, name_of
from ...ran.rules_as_text import tree_of
from ...script.bodies import body_of
from .literals import number_as_code


class FreshNames:
    """Names that are given once."""

    def __init__(self, *names: str) -> None:
        self.names = {"np", *names, *dir(builtins), *keyword.kwlist, *keyword.softkwlist}
        self.times: Counter[str] = Counter()  # how often a name was wanted again

    def new(self, wanted: str) -> str:
        """`wanted`, as near to it as Python allows and as no other has it."""
        name = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", wanted)).rstrip("_") or "x"
        if not name.isidentifier():
            name = f"layer_{name}" if f"x_{name}".isidentifier() else "x"
        name = f"x{name}" if name.startswith("__") else name
        unique = name
        while unique in self.names:
            self.times[name] += 1
            unique = f"{name}_{self.times[name] + 1}"
        self.names.add(unique)
        return unique


class Functions:
    """The functions that a program needs beside NumPy's, with their sources.

    Attributes:
        sources: of the functions, each after those that it needs.
        modules: what is imported: the name that each module has in the program.
        unchecked: by their names there, those whose sources lack the checks that they have.
    """

    def __init__(self, names: FreshNames):
        self.names = names
        self.named: dict[tuple, str] = {}  # by code, and what it holds
        self.modules: dict[str, str] = {}
        self.sources: list[str] = []
        self.unchecked: dict[str, Callable] = {}

    def imports(self) -> list[str]:
        """The lines that import what the sources need, NumPy last."""
        own = [f"import {m}" + (f" as {n}" if n != m else "") for m, n in self.modules.items()]
        return [*sorted(own), "", "import numpy as np"] if own else ["import numpy as np"]

    def name(self, function: Callable) -> str:
        """The name of a function in the program; its source, and what that needs, is put there.

        Raises:
            GraphError: if there is no source, or it needs what cannot be written.
        """
        function = body_of(function)
        held = tuple(
            [id(cell.cell_contents) for cell in getattr(function, "__closure__", None) or ()]
        )
        key = getattr(function, "__code__", function), held  # one code can hold other numbers
        if key in self.named:
            return self.named[key]
        tree = copy.deepcopy(tree_of(function))
        if tree is None:
            return self._imported(function)
        name = self.named[key] = self.names.new(function.__name__.replace("<lambda>", "function"))
        if isinstance(tree, ast.Lambda):
            body: list[ast.stmt] = [ast.Return(tree.body)]
            tree = ast.FunctionDef(name, tree.args, body, [], lineno=1)
        tree.name, tree.decorator_list, tree.returns = name, [], None
        cleaner = _Cleaner(function)
        tree = cleaner.visit(tree)
        if cleaner.dropped:
            self.unchecked[name] = function
        tree = _Renamer(self._globals(function, tree)).visit(tree)
        self.sources.append(ast.unparse(ast.fix_missing_locations(tree)))
        return name

    def _globals(self, function: Callable, tree: ast.AST) -> dict[str, str]:
        """Map each name from outside the function to what stands for it in the program."""
        nodes = list(ast.walk(tree))
        own = {n.arg for n in nodes if isinstance(n, ast.arg)}
        own |= {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        own |= {
            n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.alias)) and n is not tree
        }
        free = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        codes: dict[str, str] = {}
        for n in nodes:
            if isinstance(n, ast.Name) and n.id not in own and n.id not in codes:
                if n.id in free:
                    codes[n.id] = self._code(n.id, free[n.id].cell_contents, function)
                elif n.id in function.__globals__:
                    codes[n.id] = self._code(n.id, function.__globals__[n.id], function)
        for name in own & set(codes.values()):  # it would be taken for the local one
            original = next(k for k, v in codes.items() if v == name)
            codes[original] = self.names.new(name)
            self.sources.append(f"{codes[original]} = {name}")
        return codes

    def _code(self, name: str, value: Any, function: Callable) -> str:
        """The code for a value that a function knows from outside, there by this name.

        Raises:
            GraphError: if there is none.
        """
        if isinstance(value, types.ModuleType):
            return "np" if value is np else self._module(value.__name__, name)
        if is_numpys(value):
            return name_of(value)
        if callable(value):
            return self.name(value)
        if isinstance(value, (int, float, str, tuple, type(None))):
            return repr(value) if not isinstance(value, float) else number_as_code(value)
        if isinstance(value, np.ndarray):
            return f"np.array({value.tolist()}, np.{value.dtype})"
        raise _unwritable(function, f"it uses {name}, {type(value).__name__}")

    def _module(self, module: str, name: str) -> str:
        """The name of a module in the program, like the wanted one."""
        if module not in self.modules:
            self.modules[module] = self.names.new(name)
        return self.modules[module]

    def _imported(self, function: Callable) -> str:
        """A function without a source, such as one in C, by the module that has it.

        Raises:
            GraphError: if none has.
        """
        name = getattr(function, "__name__", "")
        if getattr(builtins, name, None) is function:
            return name
        # vars(), since a module may warn when an old name is asked for
        known = ((m, vars(home)) for m, home in sys.modules.items() if hasattr(home, "__dict__"))
        homes = (m for m, names in known if names.get(name) is function)
        module = next((m for m in sorted(homes) if m != "__main__"), None)
        if module is None:
            raise _unwritable(function, "its source cannot be found")
        return f"{self._module(module, module.replace('.', '_'))}.{name}"


def _unwritable(function: Callable, why: str) -> errors.GraphError:
    return errors.GraphError(
        f"{name_of(function)} cannot be written into a program: {why}. Write it in a file, with "
        f"functions, numbers and arrays alone"
    )


class _Cleaner(ast.NodeTransformer):
    """Leaves out annotations, and what only checks arguments: these have passed."""

    def __init__(self, function: Callable):
        self.inside = getattr(function, "__module__", "").startswith("minigrad.")
        self.dropped = False  # whether a check was left out

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if self.inside and all(isinstance(s, ast.Raise) for s in node.body):
            self.dropped = True
            return node.orelse or None
        return node

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        return node if node.body else None


class _Renamer(ast.NodeTransformer):
    """Puts what names stand for in the program in place of them."""

    def __init__(self, names: dict[str, str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self.names.get(node.id, node.id), mode="eval").body
