"""How the table is kept: what a rule reads, how it is written, what a user's own function may be."""

import functools
import gc
import inspect
import os
import weakref

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors
from minigrad.engine import table
from minigrad.engine.names import name_of
from minigrad.ran.rules_as_text import source_of

# --- what a rule reads ----------------------------------------------------------------------------


def helper(a):
    return a


def two_statements(g, y, x):
    scaled = g * x
    return scaled / y.size


def counting(*names):
    """A rule that names its parameters so, and notes which of them it is given the values of."""
    given = {}

    def note(**arguments):
        given.update({k: isinstance(v, np.ndarray) for k, v in arguments.items()})
        return arguments["g"] * 1.0

    pairs = ", ".join(f"{name}={name}" for name in names)
    return eval(f"lambda {', '.join(names)}: note({pairs})", {"note": note}), given


@pytest.mark.parametrize("names", ["g y a b", "g _y a _b", "g _y _a _b", "g y _a b"])
def test_a_rule_is_given_the_values_of_what_it_names_without_an_underscore(names):
    names = names.split()
    rule, given = counting(*names)
    product = mg.rule(lambda a, b: a * b, rule, None)
    x = mg.Tensor(np.ones(3), requires_grad=True)
    product(x, mg.Tensor(np.ones(3))).sum().backward()
    assert given == {name: not name.startswith("_") for name in names}


def test_what_any_of_several_rules_reads_is_kept_for_all():
    reads, given = counting("g", "_y", "_a", "b")
    other, given_other = counting("g", "_y", "a", "_b")
    product = mg.rule(lambda a, b: a * b, reads, other)
    x, z = (mg.Tensor(np.ones(3), requires_grad=True) for _ in range(2))
    product(x, z).sum().backward()
    assert (given["b"], given_other["a"], given["_y"]) == (True, True, False)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(
    "rule",
    [lambda g, _y, _x: g * _x, lambda g, _y, _x: np.sum(_x) * g, lambda g, _y, _x: g + _x[0],
     lambda g, _y, _x: g * -_x, lambda g, _y, _x: g * 2**_x, lambda g, _y, _x: g * _x.sum(),
     lambda g, _y, _x: np.where(_x == 0, g, 0), lambda g, _y, _x: g * np.asarray(_x),
     lambda g, _y, _x: g if _x else -g],
)  # fmt: skip
def test_a_rule_that_reads_what_it_names_with_an_underscore_is_an_error(rule, create_graph):
    f = mg.rule(lambda x: x * 1, rule)
    x = mg.Tensor(np.ones(3), requires_grad=True)
    with pytest.raises(errors.UnsupportedError, match="without the underscore"):
        f(x).sum().backward(create_graph=create_graph)


@pytest.mark.parametrize(
    "rule",
    [
        lambda g, y, *xs: g * xs[0],
        lambda *everything: everything[0] * everything[2],
        functools.partial(lambda k, g, y, x: g * x, 2),
    ],
)
def test_a_rule_without_names_is_given_everything(rule):
    x = mg.Tensor(np.full(3, 2.0), requires_grad=True)
    mg.rule(lambda x: x * 1, rule)(x).sum().backward()
    np.testing.assert_array_equal(x.grad.data, 2)


def test_what_no_needed_rule_reads_is_let_go():
    """Of a product with a constant, the constant is kept, and not what it is multiplied with."""
    leaf = mg.Tensor(np.ones(1000), requires_grad=True)
    x = leaf * 2.0
    array = weakref.ref(x._array)
    y = x * np.arange(1000.0)
    z = x + y
    del x, y
    gc.collect()
    assert array() is None
    z.sum().backward()
    np.testing.assert_array_equal(leaf.grad.data, 2 + 2 * np.arange(1000.0))


# --- how it is written ----------------------------------------------------------------------------

# fmt: off
one_line = lambda g, y, x: g *  x
many_lines = lambda g, y, x: (
    g  # the incoming gradient
    * x
)
pair = (lambda g, y, x: g * x,   lambda g, y, x: g * x + 0)
triple = [lambda g, y, x: g * 2, lambda g, y, x: g * 3, lambda g, y, x: -g]
with_inner = (lambda g, y, x: [g * n for n in (1, 2)], lambda g, y, x: [g * n for n in (1, 3)])
with_calls = (lambda g, y, x: np.cos(g), lambda g, y, x: np.cos(y), lambda g, y, x: np.sin(g))
outer_and_inner = lambda g, y, x: (lambda: g * x)
# fmt: on


def closed_over(factor, other):
    return (lambda g, y, x: factor * g, lambda g, y, x: other * g)  # fmt: skip


def only_returns(g, y, x):
    """A docstring, which is no part of the rule."""
    return g * np.cos(x)


def several_lines(g, y, x):
    half = g / 2
    return half + half


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (one_line, "g *  x"),
        (many_lines, "g * x"),
        (pair[0], "g * x"),
        (pair[1], "g * x + 0"),
        *zip(triple, ["g * 2", "g * 3", "-g"]),
        *zip(with_inner, ["[g * n for n in (1, 2)]", "[g * n for n in (1, 3)]"]),
        (outer_and_inner, "lambda: g * x"),
        (outer_and_inner(1, 2, 3), "g * x"),
        *zip(with_calls, ["np.cos(g)", "np.cos(y)", "np.sin(g)"]),
        *zip(closed_over(2, 3), ["factor * g", "other * g"]),
        (only_returns, "g * np.cos(x)"),
        (two_statements, "scaled = g * x\nreturn scaled / y.size"),
        (several_lines, "half = g / 2\nreturn half + half"),
        (table.TABLE[np.exp].rules[0], "g * y"),
        (table.TABLE[np.divide].rules[1], "-g * y / b"),
        (table.TABLE[np.matmul].rules[1], "transposed(a) @ g"),
        (table.TABLE[np.reshape].rules[0], "reshaped(g, a.shape, order)"),
        (eval("lambda g, y, x: g"), "<lambda>"),
        (np.multiply, "multiply"),
    ],
)
def test_a_rule_reads_as_in_its_file(rule, text):
    assert source_of(rule) == text


def test_the_rules_of_the_table_read_as_they_are():
    """So none is mistaken for another one on its line: compiled again, the texts name the same."""
    rules = [r for e in table.TABLE.values() for r in getattr(e, "rules", ()) if r is not None]
    here = os.path.dirname(mg.__file__)
    ours = [r for r in rules if hasattr(r, "__code__") and r.__code__.co_filename.startswith(here)]
    assert len(ours) > 100
    for rule in ours:
        rule = inspect.unwrap(rule)
        if "\n" in source_of(rule):
            continue
        again = compile(f"({source_of(rule)})", "", "eval")
        code = rule.__code__
        names = {*code.co_names, *code.co_cellvars, *code.co_freevars}
        names |= {name.lstrip("_") for name in rule.__code__.co_varnames}
        assert set(rule.__code__.co_names) <= set(again.co_names) <= names


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (np.exp, "np.exp"), (np.linalg.inv, "np.linalg.inv"), (np.max, "np.max"), (np.amax, "np.amax"),
        (np.mod, "np.remainder"), (np.fft.fft, "np.fft.fft"), (np.matmul, "np.matmul"),
        (np.linalg.matrix_transpose, "np.linalg.matrix_transpose"), (mg.functional.relu, "relu"),
        (helper, "helper"),
    ],
)  # fmt: skip
def test_functions_are_called_as_readers_know_them(function, name):
    assert name_of(function) == name


# --- a user's own functions ------------------------------------------------------------------------


def test_a_rule_in_one_statement():
    cube = mg.rule(lambda x: x * x * x, lambda g, y, x: g * 3 * x * x)
    x = mg.Tensor([2.0, -1.0], requires_grad=True)
    y = cube(x)
    y.sum().backward(create_graph=True)
    np.testing.assert_array_equal(y.data, [8, -1])
    np.testing.assert_array_equal(x.grad.data, [12, 3])
    first, x.grad = x.grad, None
    first.sum().backward()
    np.testing.assert_array_equal(x.grad.data, [12, -6])
    np.testing.assert_array_equal(cube(np.array([2.0])), [8])


def test_a_rule_is_found_for_tensors_by_keyword_and_in_lists():
    """Not only the functions that it is written with, whose slopes here are zero."""
    rounded = mg.rule(
        lambda x, factor=1: np.round(x) * factor, lambda g, y, x, factor=1: g * factor
    )
    joined = mg.rule(lambda xs, factor: np.round(xs[0] + xs[1]) * factor,
                     lambda g, y, xs, factor: [g * factor, g * factor], None)  # fmt: skip
    x = mg.Tensor([1.2, 2.7], requires_grad=True)
    total = (
        rounded(x=x)
        + rounded(factor=5, x=x)
        + joined([x, np.ones(2)], 3)
        + joined([np.ones(2), x], 2)
    )
    total.sum().backward()
    np.testing.assert_array_equal(x.grad.data, [11, 11])


def test_rules_with_any_number_of_arguments():
    total = lambda *xs: functools.reduce(np.add, xs)
    weighted = mg.rule(lambda *xs: total(*xs) * xs[0], *(
        [lambda g, y, *xs: g * (total(*xs) + xs[0])] + 2 * [lambda g, y, *xs: g * xs[0]]))  # fmt: skip
    leaves = [mg.Tensor([v], requires_grad=True) for v in (2.0, 3.0, 5.0)]
    weighted(*leaves).backward()
    assert [leaf.grad.item() for leaf in leaves] == [12, 2, 2]


def test_rules_that_are_not_python_functions():
    f = mg.rule(
        lambda a, b: a * b, functools.partial(lambda g, y, a, b: g * b), lambda g, y, a, b: g * a
    )
    x, y = mg.Tensor(2.0, requires_grad=True), mg.Tensor(3.0, requires_grad=True)
    f(x, y).backward()
    assert (x.grad.item(), y.grad.item()) == (3, 2)


def test_rules_that_are_methods():
    """What they read is not shifted by `self`, by which each is called."""

    class Scaled:
        factor = 3.0

        def __call__(self, a, b):
            return a * b * self.factor

        def by_a(self, g, y, _a, b):
            return g * b * self.factor

        def by_b(self, g, _y, a, _b):
            return g * a * self.factor

    scaled = Scaled()
    f = mg.rule(scaled.__call__, scaled.by_a, scaled.by_b)
    for needs_a, needs_b in ((True, False), (False, True), (True, True)):
        a, b = mg.Tensor(2.0, requires_grad=needs_a), mg.Tensor(5.0, requires_grad=needs_b)
        f(a, b).backward()
        assert not needs_a or a.grad.item() == 15
        assert not needs_b or b.grad.item() == 6


def test_variables_of_a_function_are_not_its_parameters():
    def double(x):
        kept = x
        return kept + kept

    x = mg.Tensor([3.0], requires_grad=True)
    mg.rule(double, lambda g, y, x: g + g)(x).backward()
    assert x.grad.item() == 2


def test_options_are_those_of_the_rule():
    f = mg.rule(lambda x, power=2: x**power, lambda g, y, x, power=2: g * power * x ** (power - 1))
    x = mg.Tensor(3.0, requires_grad=True)
    f(x, power=3).backward()
    assert x.grad.item() == 27
    with pytest.raises(errors.UnsupportedError, match="takes no exponent=; it takes x, power"):
        f(x, exponent=3)


@pytest.mark.parametrize("several", [lambda x: (x, x), lambda x: [x, x], lambda x: None])
def test_a_rule_is_for_a_function_that_gives_one_array(several):
    """Arrays in a tuple would be outside the graph."""
    f = mg.rule(several, lambda g, y, x: g)
    with pytest.raises(errors.UnsupportedError, match="a function that gives one array; write one"):
        f(mg.Tensor([1.0], requires_grad=True))


def test_a_rule_may_be_for_a_function_that_gives_a_number():
    total = mg.rule(lambda x: float(np.sum(x)), lambda g, y, x: np.broadcast_to(g, x.shape))
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    total(x).backward()
    np.testing.assert_array_equal(x.grad.data, [1, 1])


@pytest.mark.parametrize("rules", [
    [lambda g, _y, a, b: g * b],  # else the gradient of b would be missing without a word
    [lambda g, _y, a, b: g * b, None, None],
    [lambda g, a, b: g * b, lambda g, a, b: g * a],  # y was forgotten
    [lambda g, _y, *args: g * args[1]],
], ids=["one too few", "one too many", "without y", "one too few, of any arguments"])  # fmt: skip
def test_there_is_a_rule_for_each_argument_or_none(rules):
    with pytest.raises(
        errors.UnsupportedError, match=r"has \d rules?.* the result y, and all .* give one for each"
    ):
        mg.rule(lambda a, b: a * b, *rules)


def test_a_missing_rule_names_the_function_and_the_way_to_add_one():
    with pytest.raises(errors.UnsupportedError, match=r"minigrad\.rule\(np\.spacing, lambda g, y"):
        np.spacing(mg.Tensor([1.0]))


def test_a_function_of_ones_own_may_return_a_tensor():
    double = mg.rule(lambda x: mg.Tensor(2 * x), lambda g, _y, _x: 2 * g)
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    y = double(x)
    assert type(y._array) is np.ndarray
    y.sum().backward()
    assert x.grad.tolist() == [2, 2]
