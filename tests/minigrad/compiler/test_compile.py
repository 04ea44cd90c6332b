"""A compiled function against the function itself: values, gradients, and what it refuses."""

import itertools
import re
import threading

import numpy as np
import pytest
from compiling import CALLS, both_ways, compiled, inputs_of
from leaves import gradients, leaf
from random_operations import OPERATIONS
from random_programs import loss_of, program_of, random_program

import minigrad as mg
from minigrad import errors
from minigrad import functional as F
from minigrad.compiler import step as compiler_step
from minigrad.compiler.plan import Plan
from minigrad.random import drawn
from minitransformer import DecoderOnly, DecoderSizes, EncoderOnly, EncoderSizes, Sizes, Transformer


def assert_same_bits(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


# --- the same numbers -------------------------------------------------------------------------------


def check(program):
    function = lambda *inputs: loss_of(program, inputs)
    step = mg.compile(function, exact=True)
    for k in range(CALLS):
        found = both_ways(step, list(inputs_of(program, k)))
        assert_same_bits(found, both_ways(function, list(inputs_of(program, k))))
    if any(not one.plain for one in program.leaves):
        assert step.source


@pytest.mark.parametrize("seed", range(25))
def test_a_program_gives_the_same_bits(seed):
    check(random_program(seed))


@pytest.mark.slow
@pytest.mark.parametrize("first", [25, 75, 125])
def test_fifty_programs_more(first):
    for seed in range(first, first + 50):
        check(random_program(seed))


@pytest.mark.slow
def test_each_operation_gives_the_same_bits():
    for operation in OPERATIONS:
        check(program_of(operation, 0))


SIZES = {"width": 8, "heads": 2, "feed_forward": 12}
LAYERS = {
    **SIZES,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "source_symbols": 9,
    "target_symbols": 9,
}
MODELS = {
    "small": lambda: Transformer(Sizes(**LAYERS)),
    "dropout": lambda: Transformer(Sizes(**LAYERS, dropout=0.25)),
    "pre": lambda: Transformer(Sizes(**LAYERS, norm="pre", positions="rotary")),
    "tied": lambda: Transformer(Sizes(**LAYERS, positions="learned", tied="all")),
    "decoder": lambda: DecoderOnly(DecoderSizes(**SIZES, symbols=9, layers=1, dropout=0.1)),
    "encoder": lambda: EncoderOnly(EncoderSizes(**SIZES, symbols=9, layers=1)),
}


def batch(k):
    """Ids to read and to write, of other lengths in each call, filled up with zeros."""
    ids = np.random.default_rng(k).integers(1, 9, (2, 3, 5))
    ids[:, 0, 4 - k % 3 :] = 0
    return ids


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, id=name, marks=() if name == "dropout" else pytest.mark.slow)
        for name, make in MODELS.items()
    ],
)
def test_training_a_model_gives_the_same_weights_to_the_bit(make):
    weights = []
    for how in (lambda f: f, lambda f: mg.compile(f, exact=True)):
        mg.manual_seed(3)
        model = make()
        optimizer = mg.optim.Adam(model.parameters(), 0.01)

        @how
        def step(read, write):
            reads = (read, write) if isinstance(model, Transformer) else (read,)
            return F.cross_entropy(model(*reads), write, ignore_index=0, label_smoothing=0.1)

        for k in range(CALLS + 2):
            optimizer.zero_grad()
            step(*batch(k)).backward()
            optimizer.step()
        weights.append([p.detach().numpy() for p in model.parameters()])
    assert_same_bits(*weights)
    assert step.source


def test_draws_are_those_of_the_plain_run():
    f = lambda x: np.sum(F.dropout(x, 0.5) * drawn(lambda rng: rng.standard_normal(x.shape)))
    x = leaf(np.linspace(1, 2, 20))
    results = []
    for step in (f, mg.compile(f)):
        mg.manual_seed(1)
        results.append([step(x).item() for _ in range(CALLS)])
    assert results[0] == results[1]
    assert len(set(results[0])) == CALLS


# --- one operation among others -------------------------------------------------------------------


def cubes(x):
    return np.sum(x * x * x)


def test_a_call_is_one_operation_among_others():
    x = leaf([1.0, 2.0])
    step = compiled(cubes, x)
    y = np.exp(x)
    loss = 2 * step(y) + np.sum(x)
    loss.backward()
    np.testing.assert_allclose(x.grad.numpy(), 6 * np.exp(3 * x.data) + 1, rtol=1e-6)


def test_gradients_accumulate_and_share_no_memory_with_the_next_call():
    x = leaf([1.0, 2.0])
    step = compiled(cubes, x)
    first = step(x)
    first.backward()
    grad, kept = x.grad, x.grad.numpy()
    value = first.item()
    second = step(leaf([5.0, 7.0]))
    second.backward()
    np.testing.assert_array_equal(grad.numpy(), kept)
    assert first.item() == value
    step(x).backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * kept)


def test_under_no_grad_it_runs_forward_alone():
    x = leaf([1.0, 2.0])
    with mg.no_grad():
        step = compiled(cubes, x)
        y = step(x)
    assert not y.requires_grad
    assert y.item() == 9
    assert "back" not in step.source.partition("def ")[2]


def test_outputs_of_any_shape_and_any_seed():
    f = lambda x, w: np.tanh(x @ w)
    x, w = np.linspace(-1, 1, 12).reshape(4, 3), leaf(np.linspace(0, 1, 6).reshape(3, 2))
    step = compiled(f, x, w)
    assert_same_bits(both_ways(step, [2 * x, w]), both_ways(f, [2 * x, w]))


@pytest.mark.parametrize("row", [(), (3,), (64,), (8, 8)], ids=str)
def test_rows_that_an_index_selects_twice_get_both_gradients_with_the_same_bits(row):
    part = row = np.random.default_rng(0).normal(size=(200, *row)).astype(np.float32)
    ids = np.array([[3, 0, 3], [199, 3, 0]])
    f = lambda x: np.tanh(row[ids] * x[ids]) + part[ids]
    x = leaf(row)
    for found, wanted in zip(both_ways(compiled(f, x), [x]), both_ways(f, [x])):
        assert_same_bits(found, wanted)


def test_a_caller_may_change_his_array_before_going_back():
    x, w = np.ones((2, 3)), leaf(np.ones((3, 2)))
    y = compiled(lambda x, w: np.sum(x @ w), x, w)(x, w)
    x[:] = 7
    y.backward()
    np.testing.assert_array_equal(w.grad.numpy(), 2)


def test_a_result_from_outside_gets_its_gradient():
    x = leaf([1.0, 2.0])
    y = x * 3
    step = compiled(lambda: np.sum(y * y))
    step().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [18, 36])


def test_modules_that_change_are_seen():
    dropout = mg.nn.Dropout(0.5)
    step = mg.compile(lambda x: np.sum(dropout(x)))
    x = leaf(np.ones(50))
    for _ in range(CALLS):
        step(x)
    dropout.eval()
    assert {step(x).item() for _ in range(CALLS)} == {50}
    dropout.train()
    assert step(x).item() != 50


def test_a_model_that_was_examined_between_steps_keeps_its_program():
    model = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.Dropout(0.5))
    step = compiled(lambda x: np.sum(model(x)), leaf(np.ones((3, 2))))
    made = [*step._plans]
    model.eval()
    model.train()
    for _ in range(CALLS):
        step(leaf(np.ones((3, 2))))
    assert [*step._plans] == made


def test_what_the_function_names_outside_may_change():
    factor = 2.0
    step = mg.compile(lambda x: np.sum(x * factor))
    x = leaf([1.0])
    for factor in (2.0, 3.0, 2.0, 3.0, 2.0, 3.0, 2.0, 3.0):
        assert step(x).item() == factor


def test_under_record_the_function_itself_runs():
    x = leaf([1.0, 2.0])
    step = compiled(cubes, x)
    with mg.record():
        y = step(x)
    assert [n.operation for n in mg.graph(y).nodes if n.operation] == ["np.multiply"] * 2 + [
        "np.sum"
    ]


def test_threads_have_memory_of_their_own():
    x = leaf(np.linspace(0, 1, 1000))
    step = compiled(cubes, x)
    first, others = step(x), []
    thread = threading.Thread(target=lambda: others.append(step(leaf(np.ones(1000)))))
    thread.start()
    thread.join()
    first.backward()
    np.testing.assert_allclose(x.grad.numpy(), 3 * np.square(x.data), rtol=1e-6)
    assert others[0].item() == 1000


def test_an_error_inside_is_that_of_the_function():
    f = lambda x, ids: np.sum(F.embedding(x, ids))
    x = leaf(np.ones((3, 2)))
    step = compiled(f, x, mg.Tensor([0, 2]))
    for wrong in ([0, 3], [-1, 0]):
        with pytest.raises(errors.ShapeError, match="an id is an integer from 0 to 2"):
            step(x, mg.Tensor(wrong))
    assert step(x, mg.Tensor([1, 1])).item() == 4


def test_a_result_whose_shape_depends_on_numbers_is_computed_by_the_function():
    f = lambda x, ids: np.sum(np.exp(x[np.not_equal(ids, 0)]) + np.zeros(3))
    x = leaf(np.arange(4.0))
    step = compiled(f, x, np.array([1, 2, 3, 0]))
    assert step(x, np.array([0, 2, 3, 1])).item() == f(x, np.array([0, 2, 3, 1])).item()
    one = np.array([0, 0, 3, 0])  # one element would fill the place of three
    assert step(x, one).item() == f(x, one).item()


def test_another_dtype_or_a_frozen_parameter_makes_a_new_plan():
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    step = compiled(lambda x: np.sum(x * w), x)
    w.requires_grad = False
    for _ in range(CALLS):
        step(x).backward()
    assert w.grad is None
    w.copy_(w, dtype=np.float32)
    assert {step(x).item() for _ in range(CALLS)} == {11}


def test_eight_plans_are_kept_at_most():
    step = mg.compile(cubes)
    for n in range(1, 12):
        for _ in range(4):
            assert step(leaf(np.ones(n))).item() == n
    assert len(step._plans) == 8


# --- what is refused ------------------------------------------------------------------------------


def test_a_later_call_a_second_walk_and_a_second_derivative_are_refused():
    x = leaf([1.0, 2.0])
    step = compiled(cubes, x)
    older = step(x)
    step(x)
    with pytest.raises(errors.GraphError, match="a later call has overwritten"):
        older.backward()
    with pytest.raises(errors.GraphError, match="create_graph"):
        step(x).backward(create_graph=True)
    twice = step(x)
    twice.backward(retain_graph=True)
    with pytest.raises(errors.GraphError, match="already walked"):
        twice.backward()


def test_two_calls_of_one_loss_are_refused_where_they_share_memory():
    x = leaf([1.0, 2.0])
    step = compiled(cubes, x)
    with pytest.raises(errors.GraphError, match="call backward\\(\\) before the next call"):
        (step(x) + step(x)).backward()


TAKING = {
    "item": (lambda x: np.sum(x) * x.item(), "x.detach()"),
    "if": (lambda x: np.sum(x) if x > 0 else np.sum(-x), "np.where in place of `if`"),
    "float": (lambda x: np.sum(x) * float(x.detach()), "outside of the function"),
}


@pytest.mark.parametrize(("f", "says"), TAKING.values(), ids=TAKING)
def test_numbers_taken_out_are_refused_with_the_line_and_what_to_write_instead(f, says):
    step = mg.compile(f)
    x = leaf([1.0])
    step(x)
    with pytest.raises(
        errors.GraphError,
        match=rf"takes numbers out of the graph, at test_compile.py:.*{re.escape(says)}",
    ):
        step(x)


def test_numbers_from_outside_are_refused_with_the_line():
    step = mg.compile(lambda x, n: np.sum(x * np.array([float(str(n)[1])])))
    for k in range(2):
        step(leaf([1.0]), np.array([k]))
    with pytest.raises(errors.GraphError, match=r"differ from call to call.*test_compile.py:"):
        step(leaf([1.0]), np.array([2]))


def test_what_numpy_makes_of_an_argument_is_computed_anew():
    def masked(x, ids):
        mask = (ids != 0)[..., None] & np.tri(3, dtype=bool)
        count = np.maximum(np.sum(ids != 0), 1)
        return np.sum(np.where(mask, x, -x)) / count

    step = mg.compile(masked)
    for ids in ([1, 2, 0], [0, 0, 0], [3, 1, 1], [0, 5, 0], [2, 0, 0]):
        x, again = leaf(np.arange(9.0).reshape(3, 3)), leaf(np.arange(9.0).reshape(3, 3))
        loss, wanted = step(x, np.array(ids)), masked(again, np.array(ids))
        loss.backward()
        wanted.backward()
        assert loss.item() == wanted.item()
        assert x.grad.tolist() == again.grad.tolist()
    assert "!= 0" in step.source


def test_another_computation_is_refused():
    calls = itertools.count()
    f = lambda x: np.sum(x) if next(calls) % 2 else np.sum(x * x)

    step = mg.compile(f)
    x = leaf([1.0])
    step(x)
    step(x)
    with pytest.raises(errors.GraphError, match="something else in a second call"):
        step(x)


OTHER_EACH_TIME = {
    "a number in an index": lambda k, x, y: np.sum(x[k % 2, :]) + np.sum(y),
    "numbers in a tuple": lambda k, x, y: np.sum(np.roll(x, (k, 0), axis=(0, 1))[0] * y[0]),
    "a tensor made in the call": lambda k, x, y: np.sum(x * mg.Tensor([float(k)]) * y),
    "arguments exchanged": lambda k, x, y: np.sum(x - y if k % 2 else y - x),
    "arguments exchanged in a list": lambda k, x, y: np.sum(
        np.stack([x, y] if k % 2 else [y, x])[0]
    ),
    "another of two factors": lambda k, x, y: np.sum(x * y + (x if k % 2 else y)),
}


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("f", OTHER_EACH_TIME.values(), ids=OTHER_EACH_TIME)
def test_a_choice_that_no_argument_makes_is_refused(f, at_once):
    calls = itertools.count()
    step = mg.compile(lambda x, y: f(next(calls), x, y), at_once=at_once)
    x, y = leaf([[1.0, 2.0], [3.0, 5.0]]), leaf([[7.0, 11.0], [13.0, 17.0]])
    call_often = lambda: [step(x, y) for _ in range(4)]
    with pytest.raises(errors.GraphError, match=r"something else in a second|differ from call to"):
        call_often()


def test_what_is_no_tensor_and_what_cannot_be_told_apart_are_refused():
    step = mg.compile(lambda x: [x])
    with pytest.raises(errors.GraphError, match="returns list"):
        step(leaf([1.0]))
    with pytest.raises(errors.ArgumentError, match=r"not \{1\}"):
        mg.compile(cubes)({1})
    with pytest.raises(errors.ConfigError):
        mg.compile(3)
    with pytest.raises(
        errors.ArgumentError,
        match=r"no argument 'optimizer'; mg\.compile takes a function, not a model",
    ):
        mg.compile(optimizer="adam")  # as a model of Keras


def test_without_a_plan_there_is_no_program():
    with pytest.raises(errors.GraphError, match="no program yet"):
        mg.compile(cubes).source


# --- what it shows ----------------------------------------------------------------------------------


def ran(source, *arrays):
    """The result of a printed program, and its gradients."""
    space = {}
    exec(source, space)
    run = space["program"](*arrays)
    return [next(run), *run.send(np.float64(1))]


@pytest.mark.parametrize("buffers", [False, True])
def test_the_printed_program_runs_and_names_lines(buffers):
    x, w = leaf(np.linspace(0, 1, 6).reshape(2, 3)), leaf(np.linspace(1, 2, 6).reshape(3, 2))
    f = lambda x, w: np.sum(np.tanh(x @ w))
    source = compiled(f, x, w).program(buffers=buffers)
    loss = f(x, w)
    loss.backward()
    assert_same_bits(ran(source, x.data, w.data), [loss.detach().numpy(), *gradients([x, w])])
    assert "# test_compile.py:" in source
    assert ("out=" in source) == buffers


def test_the_graph_is_the_recorded_one():
    mg.manual_seed(0)
    step = compiled(lambda x: np.sum(F.dropout(x, 0.5)), leaf(np.ones(9)))
    before = mg.generator().bit_generator.state
    assert step.graph.recorded
    assert {n.operation for n in step.graph.nodes} >= {"np.multiply", "np.sum"}
    assert mg.generator().bit_generator.state == before


def test_memory_is_what_the_way_back_reads():
    x, w = leaf(np.ones((4, 3))), leaf(np.ones((3, 2)))
    memory = compiled(lambda x, w: np.sum(np.exp(np.tanh(x @ w) * 2)), x, w).memory()
    assert [(k.shape, k.nbytes) for k in memory.kept] == [((4, 2), 64)] * 2  # tanh, exp
    assert all(k.line.text.startswith("memory = ") for k in memory.kept)
    assert 2 * 64 <= memory.peak < memory.alone
    assert "test_compile.py:" in str(memory)


def test_memory_rises_until_the_way_back_and_falls_on_it():
    x = leaf(np.ones((20, 5)))

    def function(x):
        for _ in range(4):
            x = np.tanh(x)
        return np.sum(x)

    memory = compiled(function, x).memory()
    ahead, back = memory.in_use[: memory.forward], memory.in_use[memory.forward :]
    assert sorted(ahead) == [*ahead]
    assert sorted(back[1:], reverse=True) == [*back[1:]]
    assert max(ahead) >= sum(k.nbytes for k in memory.kept) == 4 * x.data.nbytes
    pytest.importorskip("matplotlib")
    (ax,) = memory.draw().axes
    assert ax.get_xlim()[1] >= len(memory.in_use)


def test_at_once_the_first_call_has_the_bits_and_the_draws_of_later_ones():
    def function(x):
        return np.sum(np.mean(x * drawn(lambda rng: rng.normal(size=x.shape)), axis=-1))

    steps = [mg.compile(function, at_once=True) for _ in range(2)]
    x = leaf(np.random.default_rng(0).normal(size=(70, 9)).astype(np.float32))
    for _ in range(3):  # the second has run a program before
        steps[1](x)
    results = []
    for step in (*steps, function):
        mg.manual_seed(3)
        results.append(both_ways(step, [x]))
    for a, b, plain in zip(*results):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, plain, rtol=1e-5)


def test_a_full_number_of_programs_is_kept_until_a_shape_has_come_often(monkeypatch):
    monkeypatch.setattr(compiler_step, "PATIENCE", 5)
    made = []
    monkeypatch.setattr(compiler_step, "Plan", lambda *args: made.append(1) or Plan(*args))
    step = mg.compile(lambda x: np.sum(np.exp(x)), plans=2)
    shapes = [leaf(np.ones(n)) for n in (2, 3, 4)]
    counts = []
    for _ in range(10):
        for x in shapes:
            assert step(x).item() == pytest.approx(np.e * x.size)
        counts.append(len(made))
    assert counts[:5] == [0, 0, 2, 2, 2]
    assert counts[-1] == 3  # the third has come more than five times
