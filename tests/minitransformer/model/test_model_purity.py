"""The model computes with the engine alone: nothing leaves the graph, and everything reaches it."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from model_checks import randomized

from minigrad.engine.modes import Watcher, setting
from minigrad.engine.walk import order
from minigrad.functional import cross_entropy
from minitransformer import (
    DecoderOnly,
    DecoderSizes,
    EncoderOnly,
    EncoderSizes,
    Sizes,
    Transformer,
)
from minitransformer import model as room

FILES = {path.stem: path for path in Path(room.__file__).parent.glob("*.py")}
VIEW = "weights"  # shows what attention found; it may look at numbers
MODEL = sorted(FILES.keys() - {VIEW, "__init__"})
TAKEN_OUT = {
    "data", "numpy", "detach", "item", "tolist", "no_grad", "asarray", "asanyarray",
    "ascontiguousarray", "copyto", "__array__", "_array", "grad",
}  # fmt: skip
ALLOWED = {
    "__future__", "collections", "dataclasses", "functools", "itertools", "math", "typing", "numpy",
}  # fmt: skip
OTHER_MATTERS = re.compile(
    r"\b(kernels?|fast|record\w*|speed|quick|slow|Tensors?)\b", re.IGNORECASE
)


def tree_of(name):
    return ast.parse(FILES[name].read_text(encoding="utf-8"))


def taken_out(tree):
    """Whatever in a file would take an array out of a Tensor."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in TAKEN_OUT:
            yield f"line {node.lineno}: .{node.attr}"
        if isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "np.array",
            "float",
            "memoryview",
        ):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


@pytest.mark.parametrize("name", MODEL)
def test_no_file_takes_an_array_out_of_a_tensor(name):
    assert list(taken_out(tree_of(name))) == []


@pytest.mark.parametrize("name", MODEL)
def test_files_import_the_engine_numpy_and_each_other(name):
    for module in imported(tree_of(name)):
        top = module.split(".")[0]
        if module.startswith("."):
            assert module == "." or module[1:] in FILES, module
        else:
            assert top in ALLOWED | {"minigrad"}, module
            assert top != "minigrad" or module in (
                "minigrad", "minigrad.errors", "minigrad.functional", "minigrad.nn",
                "minigrad.settings",
            ), module  # fmt: skip


@pytest.mark.parametrize("name", MODEL)
def test_files_speak_of_the_model_alone(name):
    """They ask for no kernel, no recording and no kind of array."""
    assert OTHER_MATTERS.findall(FILES[name].read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "y = x.data",
        "x.numpy()",
        "x.detach()",
        "np.asarray(x)",
        "np.array(x)",
        "x.item()",
        "float(x)",
    ],
)
def test_the_check_sees_what_it_looks_for(line):
    assert list(taken_out(ast.parse(line)))


ENGINE = [["minigrad", room] for room in ("engine", "definitions", "functional")]
TOKENS = np.array([[3, 4, 2, 6], [5, 8, 7, 2]])


def sizes(**style):
    return {"width": 6, "heads": 3, "feed_forward": 9, **style}


@pytest.mark.parametrize(
    ("make", "inputs"),
    [
        (lambda: Transformer(Sizes(9, 9, **sizes())), 2),
        (lambda: Transformer(Sizes(9, 9, **sizes(norm="pre", activation="gated"))), 2),
        (lambda: Transformer(Sizes(9, 9, **sizes(positions="learned", score="concat"))), 2),
        (lambda: Transformer(Sizes(9, 9, **sizes(tied="all", score="general"))), 2),
        (lambda: EncoderOnly(EncoderSizes(9, **sizes())), 1),
        (lambda: DecoderOnly(DecoderSizes(9, **sizes(positions="none", score="additive"))), 1),
        (lambda: DecoderOnly(DecoderSizes(9, **sizes(positions="rotary", heads=1))), 1),
    ],
    ids=["post-norm", "pre-norm, gated", "learned, concat", "tied, general", "encoder-only",
         "decoder-only, additive", "decoder-only, rotary"],
)  # fmt: skip
def test_every_parameter_and_intermediate_reaches_the_loss(make, inputs):
    """Each result with a gradient to ask for, of all that the forward pass made, is in its graph, and
    every operation in that is one of the engine's."""
    made = []

    class Seen(Watcher):
        def operation(self, node, args, y):
            made.append(node)

    m = randomized(make())
    with setting(watchers=(Seen(),)):
        loss = cross_entropy(m(*[TOKENS] * inputs), TOKENS)
    reached = set(order([loss._node]))
    assert len(made) > 20
    for node in made:
        assert node in reached or not node.requires_grad, f"{node} does not reach the loss"
        for rule in node.operation.rules:
            assert rule is None or rule.__module__.split(".")[:2] in ENGINE, node
    assert reached.issuperset(p._node for p in m.parameters())
    loss.backward()
    for name, parameter in m.named_parameters():
        # One number added to all keys changes no weight: the gradient of a key's bias is rounding.
        if not name.endswith("key.bias"):
            assert np.abs(parameter.grad.data).max() > 1e-6, f"no gradient reaches {name}"
