"""Runs a lesson as a script, and evaluates code in its names:

python after_run.py LESSON FOLDER CODE RESULTS

CODE is a file of JSON, a list of texts; the value of each is that of its last line. RESULTS gets a list
of their values as text: numbers as Python lists.
"""

import ast
import json
import runpy
import sys
import textwrap
from pathlib import Path

import numpy as np

import minigrad as mg


def value(code, names):
    *before, last = ast.parse(textwrap.dedent(code)).body
    names = dict(names)
    exec(compile(ast.Module(before, []), "<code>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<code>", "eval"), names)


def as_text(found):
    if isinstance(found, mg.Tensor):
        found = found.detach()
    if isinstance(found, (str, bool, np.bool_)):
        return str(found)
    return str(np.asarray(found, float).tolist())


def tried(code, names):
    try:
        return as_text(value(code, names))
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"


if __name__ == "__main__":
    lesson, folder, code, results = sys.argv[1:]
    sys.argv = [lesson, folder]
    names = runpy.run_path(lesson, run_name="__main__")
    values = [tried(each, names) for each in json.loads(Path(code).read_text())]
    Path(results).write_text(json.dumps(values))
