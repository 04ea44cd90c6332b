"""A learner's function where it runs: it answers requests, and tells what it did beside."""

from __future__ import annotations

import ast
import dis
import gc
import inspect
import itertools
import linecache
import operator
import sys
import textwrap
import tokenize
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..likeness import alike
from ..messages import MessageError, Other, packed, unpacked
from ..values_as_text import kind_of, shown
from .borrowing import borrowing_noted, code_of
from .function_state import FunctionState
from .raised_error import as_data


class Callee:
    """A learner's function where it runs: it is asked in bytes, and answers in bytes.

    A request has one name; the reply is a dictionary:

        "call": arguments     its "value", or the error that it "raised"; the argument that it "changed";
                              the line that "borrowed"; the name in "numpy" that is no longer NumPy's
        "value": arguments    its "value", or the error that it "raised": for a property
        "about"               whether it is "callable", "reads" its arguments, and returns in the first
                              round of a loop ("one_round"); "numpy", as above
        "changed"             a sentence on a "value" outside it that its calls have changed
        "forget"              nothing: such values are put back as they were

    Args:
        function: of the learner's.
        without: what may not do the work; None: nobody looks.
        alone: whether it has a process of its own, in which no key raises KeyboardInterrupt.
        numpy: NumPy's names as they were before the learner's file was loaded.
    """

    def __init__(
        self,
        function: Any,
        without: Sequence[str] | None = None,
        alone: bool = False,
        numpy: Mapping[str, object] | None = None,
    ):
        self.function = function
        self.alone = alone
        self.numpy = numpy or {}
        self.borrowed: list[str] = []
        self.hook = None if without is None else borrowing_noted(without, function, self.borrowed)
        self.state = FunctionState(function)

    def __call__(self, request: bytes) -> bytes:
        """Answer a request; what cannot go across is described."""
        ((name, arguments),) = unpacked(request, make=True).items()
        if name == "call":
            again = unpacked(request, make=True)["call"]  # equal to the arguments before the call
            reply = self._called(arguments, self.hook, again)
            reply["borrowed"] = "".join(self.borrowed[:1])
            reply["numpy"] = changed_name(self.numpy)
        elif name == "value":
            reply = self._called(arguments)
        else:
            reply = {"about": self._about, "changed": self._changed, "forget": self._forget}[name]()
        try:
            return packed(reply, _other)
        except (MessageError, RecursionError):  # all of it is too long
            return packed({**reply, "value": _other(reply.get("value"))})

    def _called(self, arguments: tuple, hook: Any = None, before: tuple = ()) -> dict[str, Any]:
        """The answer to the arguments, or the error; and the first of them that is not as `before`."""
        reply: dict[str, Any] = {}
        try:
            reply["value"] = self._run(arguments, hook)
            pairs = enumerate(zip(arguments, before))
            reply["changed"] = next((k for k, pair in pairs if not alike(*pair, 0, 0)), None)
        except BaseException as problem:  # sys.exit too costs this exercise only
            if isinstance(problem, KeyboardInterrupt) and not self.alone:
                raise
            reply["raised"] = tuple(as_data(problem, self.function))
        return reply

    def _run(self, arguments: tuple, hook: Any) -> Any:
        watching, collecting = sys.getprofile(), gc.isenabled()
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gc.disable()  # what libraries have it call is not called by the function
            sys.setprofile(hook or watching)
            try:
                return self.function(*arguments)
            finally:
                sys.setprofile(watching)
                if collecting:
                    gc.enable()

    def _about(self) -> dict[str, Any]:
        return {
            "callable": callable(self.function),
            "reads": callable(self.function) and _reads(self.function),
            "one_round": callable(self.function) and _ends_in_first_round(self.function),
            "numpy": changed_name(self.numpy),
        }

    def _changed(self) -> dict[str, Any]:
        return {"value": self.state.changed()}

    def _forget(self) -> dict[str, Any]:
        self.state.forget()
        return {}


def _other(value: object) -> Other:
    try:
        return Other(kind_of(value), shown(value))
    except Exception:  # lists in lists without end, or an object that cannot say what it is
        return Other(f"a {type(value).__name__}", "...")


def changed_name(numpy: Mapping[str, object]) -> str:
    """The first name in NumPy that stands for something else than it did; "" if none does."""
    now = map(vars(np).get, numpy)
    return next(itertools.compress(numpy, map(operator.is_not, now, numpy.values())), "")


def _reads(function: Callable) -> bool:
    """Tell whether a function reads its arguments."""
    code = code_of(function)
    if code is None:
        return True
    own = code.co_varnames[: code.co_argcount]
    steps = dis.get_instructions(code)
    loaded = {step.argval for step in steps if step.opname.startswith("LOAD_FAST")}
    names = {name for one in loaded for name in (one if isinstance(one, tuple) else (one,))}
    return bool({*own} & {*names, *code.co_cellvars})


def _ends_in_first_round(function: Callable) -> bool:
    """Tell whether the last `return` of a function stands in the body of a loop, under no condition."""
    code = code_of(function)
    # `inspect.getsource` of code looks for its module in all that are loaded, which takes long.
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :] if code else []
    try:
        tree = ast.parse(textwrap.dedent("".join(inspect.getblock(lines))))
    except (SyntaxError, tokenize.TokenError):  # of what was not written as a function in a file
        return False
    nodes = list(ast.walk(tree))
    returns = [n for n in nodes if isinstance(n, ast.Return)]
    last = max(returns, key=lambda n: n.lineno, default=None)
    loops = [n for n in nodes if isinstance(n, (ast.For, ast.While)) and last in n.body]
    skips = [n for loop in loops for n in ast.walk(loop) if isinstance(n, ast.Continue)]
    return bool(loops) and not skips
