"""The graph as a program: it reads as it should, and gives the numbers of the run it came from."""

import ast
import re
import textwrap

import numpy as np
import pytest
from leaves import leaf
from operations import ROWS
from operations.numbers import run

import minigrad as mg
from minigrad import errors, nn
from minigrad import functional as F


def checked(loss, *leaves, gradient=None):
    """The program of `loss`, after making sure that it gives the same numbers to the last bit."""
    loss.backward(gradient)
    program = mg.graph(loss).program()
    modules = {
        name.name.split(".")[0]
        for node in ast.walk(ast.parse(program.source))
        if isinstance(node, ast.Import)
        for name in node.names
    }
    assert "minigrad" not in modules
    value, gradients = program.run()
    assert_same(value, loss.detach().numpy())
    used = [x for x in leaves if x.grad is not None]
    assert len(gradients) == len(used)
    for name, x in zip(gradients, used):
        np.testing.assert_array_equal(program.inputs[name], x.detach().numpy())
        assert_same(gradients[name], x.grad.numpy())
    return program


def assert_same(found, wanted):
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


def body(program):
    """The lines that compute, without comments."""
    lines = program.source.split("def forward_and_backward(")[1].split("):\n", 1)[1].splitlines()
    lines = [re.sub(r"  # .*", "", line).strip() for line in lines]
    return [line for line in lines if line and not line.startswith("#")]


# --- how it reads ---------------------------------------------------------------------------------


def test_the_program_of_a_small_network_reads_as_one_would_write_it():
    model = nn.Sequential(nn.Linear(2, 3), np.tanh)
    x, shift = mg.Tensor([[1.0, 2.0]], name="x"), leaf([0.5])
    with mg.record():
        y = np.sin(model(x)) + shift
        loss = np.mean(y * y)
    program = checked(loss, *model.parameters(), shift)
    text = re.sub(r"test_program.py:\d+", "here", program.source)
    assert text == textwrap.dedent(
        '''\
        """Computes loss and its gradients: forward, and then back by hand.

        d_x stands for the gradient of the result with respect to x, and t5 for node #5 of the
        graph. The shapes are those of the run that this was written from.
        """

        import numpy as np


        def forward_and_backward(
            layer_0_weight,  # (2, 3) 0.weight
            layer_0_bias,  # (3,) 0.bias
            x,  # (1, 2)
            shift,  # (1,)
        ):
            # --- forward ------------------------------------------------------------

            # 0/linear
            # here: y = np.sin(model(x)) + shift
            t4 = x @ layer_0_weight  # (1, 3)
            t5 = t4 + layer_0_bias  # (1, 3)

            # 1: Function np.tanh
            # here: y = np.sin(model(x)) + shift
            t6 = np.tanh(t5)  # (1, 3)

            # here: y = np.sin(model(x)) + shift
            t7 = np.sin(t6)  # (1, 3)
            y = t7 + shift  # (1, 3)

            # here: loss = np.mean(y * y)
            t9 = y * y  # (1, 3)
            loss = np.mean(t9)

            # --- backward -----------------------------------------------------------

            d_loss = np.ones_like(loss)

            d_t9 = np.broadcast_to(d_loss / 3, t9.shape)  # (1, 3)
            d_y = d_t9 * y  # (1, 3)
            d_y = d_y + d_t9 * y  # (1, 3)
            d_t7 = d_y  # (1, 3)
            d_shift = np.reshape(np.sum(d_y, axis=(0, 1)), shift.shape)  # (1,)
            d_t6 = d_t7 * np.cos(t6)  # (1, 3)

            # back through 1: Function np.tanh
            d_t5 = d_t6 * (1 - t6 * t6)  # (1, 3)

            # back through 0/linear
            d_t4 = d_t5  # (1, 3)
            d_layer_0_bias = np.sum(d_t5, axis=0)  # (3,)
            d_layer_0_weight = x.T @ d_t4  # (2, 3)

            return loss, {
                "layer_0_weight": d_layer_0_weight,
                "layer_0_bias": d_layer_0_bias,
                "shift": d_shift,
            }
        '''
    )


@pytest.mark.parametrize(
    ("call", "lines"),
    [
        (lambda x: np.sum(np.sin(x)),
         ["d_t1 = np.broadcast_to(d_loss, t1.shape)", "d_x = d_t1 * np.cos(x)"]),
        (lambda x: np.sum(x[1:, 0]), ["d_x = scatter_add(d_t1, (slice(1, None, None), 0), x.shape)"]),
        (lambda x: np.sum(x, axis=(0, 1)),
         ["d_x = np.broadcast_to(d_loss[None, None], x.shape)"]),
        (lambda x: np.sum(-x / (x * 2.5)), ["d_t2 = -d_t3 * t3 / t2", "d_x = d_x + -d_t1"]),
    ],
)  # fmt: skip
def test_rules_are_written_into_the_lines(call, lines):
    x = leaf(np.arange(1.0, 5).reshape(2, 2))
    with mg.record():
        loss = call(x)
    written = body(checked(loss, x))
    assert set(lines) <= set(written)


@pytest.mark.parametrize(
    ("x", "line"),
    [([1.0, 2.0], "d_w = np.outer(x, d_t2)"),
     ([-1.0, 2.0], "d_w = x[None, :].T @ d_t2[None]")],  # np.outer gives -0.0 for -1 * 0
)  # fmt: skip
def test_vectors_are_multiplied_as_vectors_where_the_bits_are_the_same(x, line):
    x, w = leaf(np.array(x)), leaf(np.array([[0.0, 1.0], [-1.0, 1.0]]))
    x.node.name, w.node.name = "x", "w"
    with mg.record():
        h = mg.functional.relu(x @ w)
        loss = np.sum(h * h)
    written = body(checked(loss, x, w))
    assert "d_x = d_t2 @ w.T" in written
    assert line in written


def test_what_is_used_twice_is_computed_once():
    x, y = leaf([1.0, 0.0]), leaf([0.0, 0.0])
    with mg.record():
        loss = np.sum(np.hypot(x, y))
    lines = body(checked(loss, x, y))
    assert "part = t2 == 0" in lines
    assert "d_x = d_t2 * np.where(part, 0, x / np.where(part, 1, t2))" in lines


def test_a_product_of_matrices_is_told_from_one_of_numbers():
    x, w = leaf([[2.0]]), leaf([[3.0]])
    with mg.record():
        loss = np.sum(np.linalg.inv(x * 2) @ w)
    assert any("(-" in line and "@" in line for line in body(checked(loss, x, w)))


# --- the same numbers -----------------------------------------------------------------------------

CASES = {
    "x + x": lambda x, w: x + x,
    "a diamond": lambda x, w: np.exp(x * w) * np.sin(x * w) + x * w,
    "used five times": lambda x, w: x * x * x + x / w - x,
    "broadcasting": lambda x, w: x[:, None] * w[None, :1] + w.sum() + 2.0,
    "repeated indices": lambda x, w: x[np.array([0, 0, 2, -1])] * x[[1, 1, 1, 1]],
    "an index of a tensor": lambda x, w: x[mg.Tensor([2, 0, 2])] * w,
    "a tensor in a tuple of indices": lambda x, w: np.outer(x, w)[np.arange(2), mg.Tensor([2, 0])],
    "places that are a tensor": lambda x, w: np.take_along_axis(
        np.outer(x, w), mg.Tensor([[2, 2], [0, 1], [1, 0]]), 1
    ),
    "a mask and a slice": lambda x, w: x[np.array([True, False, True])][::-1] * w[:2],
    "new axes": lambda x, w: x[None, ..., None] + w[..., np.newaxis],
    "powers of numbers": lambda x, w: x.sum() ** 2 + w.sum() ** 3 + x[0] ** 0.5 + 2.0 ** w[0],
    "a definition": lambda x, w: np.std(x) + np.var(np.stack([x, w])) + np.linalg.norm(x - w),
    "lists": lambda x, w: np.concatenate([x, w, x, np.ones(2, w.dtype)]),
    "einsum": lambda x, w: np.einsum("i,j,j->i", x, w, w),
    "both of two outputs": lambda x, w: np.split(np.concatenate([x, w]), 2)[1] * 3,
    "where": lambda x, w: np.where(x > 1, x * w, -np.inf * 0 + w),
    "infinity": lambda x, w: np.minimum(x, np.inf) + np.maximum(w, -np.inf),
    "float64 in between": lambda x, w: x * np.ones(3) + np.float32(0.1) * w,
    "transposed": lambda x, w: np.outer(x, w).T @ np.outer(w, x)[:, ::2].astype(np.float64),
    "maximum of numbers": lambda x, w: np.max(x) * np.maximum(np.min(w), x[0]),
    "cumulative": lambda x, w: np.cumprod(x) + np.cumsum(w) + np.sort(x * w),
    "a matrix in Fortran's order": lambda x, w: x @ (np.asarray(np.arange(9.0).reshape(3, 3)).T),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CASES)
def test_running_gives_the_same_numbers_to_the_last_bit(name, dtype):
    x = leaf(np.array([1.3, 0.7, 2.1], dtype))
    w = leaf(np.array([0.9, 1.7, 0.4], dtype))
    with mg.record():
        y = CASES[name](x, w)
        loss = np.sum(y * np.sin(np.arange(y.size).reshape(y.shape) + 1).astype(dtype))
    checked(loss, x, w)


@pytest.mark.slow
def test_every_function_of_the_table():
    """Every tenth row of the table of operations, and every function once at least."""
    seen = set()
    for i, row in enumerate(ROWS):
        if i % 10 and row.function in seen:
            continue
        seen.add(row.function)
        xs = [leaf(a) for a in row.arrays()]
        with np.errstate(all="ignore"), mg.record():
            ys = [y for y in run(row.call, xs) if isinstance(y, mg.Tensor) and y.requires_grad]
            if not ys:
                continue
            loss = sum(np.sum(y * y * 0.7) for y in ys)
        with np.errstate(all="ignore"):
            loss.backward()
            value, gradients = mg.graph(loss).program().run()
        assert_same(value, loss.detach().numpy())
        wanted = [x.grad.numpy() for x in xs if x.grad is not None]
        assert len(gradients) == len(wanted), row
        for found, one in zip(gradients.values(), wanted):
            np.testing.assert_array_equal(found, one, err_msg=str(row))


def test_comparisons_and_row_maxima_are_lines_too():
    x, mask = leaf(np.arange(6.0).reshape(2, 3)), np.array([True, True, False])
    with mg.record():
        large = x > 1
        loss = np.sum(F.masked_softmax(np.where(large, x, 0), mask)[:, 0])
    program = checked(loss, x)
    assert "large = x > 1" in body(program)
    assert "def row_maximum(x, axis):" in program.source
    assert list(program.inputs) == ["x", "mask"]
    other = np.array([[3.0, 0.5, 2.0], [0.0, 1.5, 1.0]])
    with mg.record():
        y = leaf(other)
        again = np.sum(F.masked_softmax(np.where(y > 1, y, 0), mask)[:, 0])
    again.backward()
    value, gradients = program.run(x=other)
    assert_same(value, again.detach().numpy())
    assert_same(gradients["x"], y.grad.numpy())


def test_a_mask_that_dropout_drew_is_an_input():
    mg.manual_seed(0)
    x = leaf(np.ones((4, 5)))
    with mg.record():
        loss = np.sum(F.dropout(x, 0.5) * x)
    program = checked(loss, x)
    assert program.inputs["dropout_mask"].dtype == bool
    nothing, gradients = program.run(dropout_mask=np.zeros((4, 5), bool))
    assert nothing == 0
    assert not gradients["x"].any()


def test_a_gradient_that_was_given_is_an_input():
    x = leaf([1.0, 2.0])
    with mg.record():
        y = x * x
    given = np.array([0.5, -1.0], np.float32)
    program = checked(y, x, gradient=given)
    assert_same(program.inputs["d_loss"], given)


SCALE = 3.0
cubed = mg.rule(lambda x: SCALE * x**3, lambda g, y, x: g * 3 * SCALE * x * x)


def clipped(x, times):
    out = x.copy()
    out[out > times] = times
    return out


clipped = mg.rule(clipped, lambda g, y, x, times: clipped_slope(g, x, times), None)


def clipped_slope(g, x, times):
    slope = np.ones_like(g)
    slope[x > times] = 0
    return g * slope


def test_functions_and_rules_of_ones_own():
    x = leaf([1.0, 2.0, 3.0])
    with mg.record():
        loss = np.sum(clipped(cubed(x), 50.0) * clipped(x, 2.5))
    program = checked(loss, x)
    assert "t1 = 3.0 * x ** 3" in body(program)
    assert "def clipped_slope(g, x, times):" in program.source


def boxed(x):
    return np.sin(x) * 2


def asking(x):
    return np.cos(x) * 2


twice_sine = mg.rule(lambda x: boxed(x), lambda g, y, x: g * asking(x))


def test_a_helper_may_have_any_name():
    """Also those that the engine's own wrappers have."""
    x = leaf([1.0, 2.0])
    with mg.record():
        loss = np.sum(twice_sine(x))
    checked(loss, x)


def counted(x):
    y = x.copy()
    y[0] = 2
    return y


def test_a_function_is_not_taken_for_a_variable_of_the_same_name():
    other = counted

    def outer(x):
        counted = other(x)
        counted[1] = 3
        return counted

    ours = mg.rule(outer, lambda g, y, x: g)
    x = leaf([1.0, 2.0])
    with mg.record():
        loss = np.sum(ours(x))
    checked(loss, x)


def test_a_rule_that_asks_what_it_was_given_is_left_a_function():
    double = mg.rule(lambda x: x + x, lambda g, y, x: g * (2 if type(x) is np.ndarray else 3))
    x = leaf([1.0, 2.0])
    with mg.record():
        loss = np.sum(double(x))
    assert any(line.startswith("d_x = double_rule_x(") for line in body(checked(loss, x)))


def test_sums_are_made_where_the_engine_makes_them():
    x = leaf([1.0, 2.0])
    with mg.record():
        loss = np.sum(x * x * x)
    lines = [line for line in body(checked(loss, x)) if line.startswith("d_x")]
    assert lines == ["d_x = d_t2 * t1", "d_x = d_x + d_t1 * x", "d_x = d_x + d_t1 * x"]


def signed(x):
    return x * 2


@pytest.mark.parametrize("zeros", [[0.0, -0.0], [-0.0, -0.0]])
def test_a_constant_of_a_rule_keeps_the_signs_of_its_zeros(zeros):
    x = leaf([1.0, 2.0])
    double = mg.rule(signed, lambda g, _y, _x: np.copysign(g, np.array(zeros)))
    with mg.record():
        loss = np.sum(double(x))
    checked(loss, x)


def test_one_array_is_one_input():
    x, i = leaf(np.ones((2, 2))), np.array([0, 1, 1])
    with mg.record():
        loss = np.sum(x[i, i]) + np.sum(x[i, i])
    assert list(checked(loss, x).inputs) == ["x", "i"]


def test_a_number_that_a_power_is_taken_of_is_an_array_as_in_the_engine():
    x = leaf([1.0, 2.0])
    with mg.record():
        loss = x.sum() ** 3
    assert "t1 = np.asarray(np.sum(x))" in body(checked(loss, x))


def test_a_part_of_a_graph_is_a_program_too():
    model = nn.Sequential(nn.Linear(2, 3), np.tanh, nn.Linear(3, 1))
    with mg.record():
        loss = np.sum(model(mg.Tensor(np.ones((4, 2)), dtype=np.float32)) ** 2)
    loss.backward()
    program = mg.graph(loss).inside("2").program()
    _, gradients = program.run()
    assert_same(gradients["layer_2_weight"], model[2].weight.grad.numpy())
    assert set(program.inputs) == {"layer_2_weight", "layer_2_bias", "t7", "d_t9"}
    assert "t7" in gradients


def test_a_program_with_other_inputs_computes_with_those():
    x = leaf([1.0, 2.0])
    with mg.record():
        loss = np.sum(x * x)
    program = mg.graph(loss).program()
    value, gradients = program.run(x=np.array([3.0, 4.0]))
    assert (value, gradients["x"].tolist()) == (25.0, [6.0, 8.0])
    with pytest.raises(errors.ConfigError, match="no input z; it has x"):
        program.run(z=1)


def test_a_program_is_written_to_a_file(tmp_path):
    x = leaf([1.0])
    with mg.record():
        loss = np.sum(x * x)
    program = mg.graph(loss).program()
    path = program.write(tmp_path / "step.py")
    assert path.read_text() == str(program) == repr(program)


def product_of_two(arrays):
    a, b = arrays
    return a * b


def slopes_of_two(g, _y, arrays):
    a, b = arrays
    return [g * b, g * a]


product_of_two = mg.rule(product_of_two, slopes_of_two)


def test_a_rule_of_a_list_that_gives_a_list():
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    with mg.record():
        loss = np.sum(product_of_two([x, w]) * product_of_two([w, w]))
    assert "def product_of_two(arrays):" in checked(loss, x, w).source


def test_an_argument_that_no_code_stands_for():
    class Odd:
        made = None

    def filled(x, thing):
        thing.made = x * 2
        return thing.made

    ours = mg.rule(filled, lambda g, _y, _x, thing: g * 2, None)
    with mg.record():
        loss = np.sum(ours(leaf([1.0]), Odd()))
    with pytest.raises(errors.GraphError, match="class Odd cannot be written"):
        mg.graph(loss).program()


# --- names ----------------------------------------------------------------------------------------

HOSTILE = [
    "class", "np", "sum", "d_x", "x.y", "1st", "x\nimport os", '"""', "\\", "", " ", "été", "ﬁ",
    "<script>", "forward_and_backward", "scatter_add", "t2", "__import__", "_", "match", "part",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_can_be_a_variables(name):
    x, other = leaf([1.0, 2.0], name=name), leaf([3.0, 4.0], name="x")
    with mg.record():
        loss = np.sum(np.hypot(x[[0, 0]], other) * x)
    loss = loss * leaf(2.0, name=name)
    leaves = [n for n in mg.graph(loss).nodes if n.kind == "input"]
    loss.backward()
    with mg.record():
        scale = leaf(2.0, name=name)
        loss = np.sum(np.hypot(x[[0, 0]], other) * x) * scale
    x.grad = other.grad = None
    checked(loss, x, other, scale)
    assert len(leaves) == 3


def test_names_of_boxes_and_lines_cannot_break_out_of_their_comments():
    class Odd(nn.Module):
        def describe(self):
            return "\n    raise SystemExit  # "

        def forward(self, x):
            return x * x

    odd, x = Odd(), leaf([1.0])
    with mg.record():
        loss = odd(x)
    checked(loss, x)


# --- errors ---------------------------------------------------------------------------------------


def test_one_root_with_a_gradient_is_needed():
    x = leaf([1.0, 2.0])
    with mg.record():
        y, z = x * 2, mg.Tensor([1.0]) * 3
    with pytest.raises(errors.GraphError, match="one result, and this graph has 2"):
        mg.graph(y, x).program()
    with pytest.raises(errors.GraphError, match="no gradient reaches z"):
        mg.graph(z).program()
    with pytest.raises(errors.GraphError, match="reduce it to one number"):
        mg.graph(y).program()


def test_what_was_not_kept_is_named():
    x = leaf([1.0, 2.0])
    loss = np.sum(x * 2 + np.ones(2))
    with pytest.raises(errors.GraphError, match=r"was not kept.*mg.record"):
        mg.graph(loss).program()
    loss.backward()
    with pytest.raises(errors.GraphError, match=r"was not kept.*mg.record"):
        mg.graph(loss).program()


def test_a_leaf_with_new_values_since_is_an_input_with_the_old_ones():
    x = leaf([1.0, 2.0])
    with mg.record():
        loss = np.sum(x * x)
    loss.backward()
    x.copy_(x.detach() * 2)
    np.testing.assert_array_equal(mg.graph(loss).program().inputs["x"], [1, 2])


def test_a_leaf_with_new_values_in_between_is_noticed():
    x = leaf([1.0, 2.0])
    with mg.record():
        y = x * x
        x.copy_(x.detach() * 2)
        loss = np.sum(x * y)
    with pytest.raises(errors.GraphError, match="new values while"):
        mg.graph(loss).program()


def test_a_mask_that_was_changed_is_an_input():
    x = leaf([1.0, 2.0])
    with mg.record():
        mask = x > 1
        mask[0] = True
        loss = np.sum(np.where(mask, x * x, 0))
    assert list(checked(loss, x).inputs) == ["x", "mask"]
