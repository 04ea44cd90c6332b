"""A kernel gives what its definition gives, for every class of input that it accepts.

A test file says in `kernels` how each is called, and inherits the tests of `Alike`. They go through
the classes: the shapes, the orders in memory of what is given and of the gradients that come back, the
sizes of the numbers, NaN and infinities, dtypes, lists, and nothing at all. Kernels run inside
`mg.fast()` alone.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from layouts import ARRIVING, LAYOUTS, laid_out, tensor

import minigrad as mg
from minigrad.engine.table import TABLE
from minigrad.engine.walk import order

SIZES = {"T": 3, "S": 4, "K": 5, "D": 4, "E": 6, "H": 2, "V": 3, "N": 4, "W": 17}
SOME = np.array([[True, False, True, True], [False] * 4, [True] * 4])  # (T, S)


class Kernel(NamedTuple):
    """A way to call a function that has a kernel.

    Attributes:
        function: the function.
        call: the call, of tensors or arrays.
        shapes: of its arguments, a letter of `SIZES` an axis; the dots are any leading axes.
    """

    function: Callable
    call: Callable
    shapes: tuple[str, ...]

    def arrays(self, lead: tuple[int, ...] = (2,), **sizes: int) -> list[np.ndarray]:
        """Random numbers for the arguments, the same ones every time."""
        rng = np.random.default_rng(7)
        sizes = SIZES | sizes
        sizes |= {"J": sizes["H"] * sizes["V"], "P": sizes["H"] * sizes["K"]}
        shapes = [(*lead * ("..." in s), *(sizes[c] for c in s.strip("."))) for s in self.shapes]
        return [rng.standard_normal(shape) for shape in shapes]


# --- what is compared -----------------------------------------------------------------------------


@contextlib.contextmanager
def case(*names: Any) -> Iterator[None]:
    """Name the case in what fails in it."""
    try:
        yield
    except Exception as problem:
        raise AssertionError(f"the case {', '.join(map(str, names))}: {problem}") from problem


def projected(y, wave):
    """One number in which every element has a weight of its own."""
    return (y * wave(np.arange(y.size, dtype=y.dtype) + 0.5).reshape(y.shape)).sum()


def derivatives(f, inputs, *, defined, arriving="in C order", orders=2):
    """The value, the gradients, and the gradients of the gradients' projection on fixed numbers."""
    with contextlib.nullcontext() if defined else mg.fast():
        y = f(*inputs)
        found = [y]
        loss = projected(ARRIVING[arriving](y), np.cos)
        for _ in range(orders):
            loss.backward(create_graph=True)
            gradients = [x.grad for x in inputs]
            for x in inputs:
                x.grad = None
            found += gradients
            tied = [g for g in gradients if g is not None and g.requires_grad]
            if not tied:  # the gradients are constants
                break
            loss = sum(projected(g, np.sin) for g in tied)
    return [None if t is None else t.data for t in found]


def same(found, expected, tolerance=1e-11):
    """Of one shape and dtype, and equal, beside the largest number in each."""
    for a, b in zip(found, expected, strict=True):
        a, b = (np.zeros(1) if x is None else x for x in (a, b))  # of what nothing depends on
        scale = 1 + np.max(np.abs(b), where=np.isfinite(b), initial=0)
        np.testing.assert_allclose(a / scale, b / scale, rtol=tolerance, atol=tolerance)
        assert a.dtype == b.dtype


def check(call, arrays, tolerance=1e-11, orders=2):
    """The kernel against the definition on tensors in C order."""
    runs = [
        derivatives(call, [mg.Tensor(a, requires_grad=True) for a in arrays],
                    defined=defined, orders=orders)
        for defined in (False, True)
    ]  # fmt: skip
    same(*runs, tolerance)
    return runs[0]


def outcome(call, *args):
    """The value, or what is raised."""
    try:
        return np.asarray(getattr(y := call(*args), "data", y))
    except Exception as problem:
        return type(problem)


def with_argument(arrays, i, new):
    return [*arrays[:i], new, *arrays[i + 1 :]]


def with_kernels(call, *args):
    """The call inside `mg.fast()`."""
    with mg.fast():
        return call(*args)


def rooms(y):
    """The modules in which the operations behind `y` are."""
    functions = [n.operation.function for n in order([y._node]) if n.operation is not None]
    return {getattr(f, "__module__", "numpy") for f in functions}  # NumPy 2.0's ufuncs have none


# --- the classes of input -------------------------------------------------------------------------

LEADS = [(), (2,), (3, 2), (2, 1, 3)]
NUMBERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "far apart": lambda a: a * 300,
    "far from zero": lambda a: a + 1e3,
    "one row far": lambda a: a * np.linspace(1, 300, a.shape[0]).reshape(-1, *[1] * (a.ndim - 1)),
    "tiny": lambda a: a * 1e-30,
    "zeros": np.zeros_like,
    "equal": lambda a: np.full_like(a, 3.0),
}
T, S = SOME.shape
MASKS = {
    "hides nothing": np.ones((T, S), bool),
    "hides everything": np.zeros((T, S), bool),
    "hides some": SOME,
    "hides columns": SOME[0],
    "hides rows": SOME[:, 1:2],
    "one for each batch": np.stack([SOME, ~SOME, SOME])[:, None],
    "wider than the scores": np.stack([[SOME], [~SOME], [SOME]])[:, None],
    "a number": True,
    "the number that hides all": False,
    "a list": SOME.tolist(),
    "a tensor": mg.Tensor(SOME),
    "of ones and zeros": SOME.astype(int),
    "of floats": SOME * 0.5,
    **{f"{layout}, 4-d": laid_out(np.stack([[SOME, ~SOME]] * 3), layout) for layout in LAYOUTS},
}
SCORES = {
    "mild": lambda a: a,
    "far apart": NUMBERS["far apart"],
    "NaN and infinities": lambda a: np.where(np.arange(a.size).reshape(a.shape) % 3, a, np.nan),
}
SOME_LAYOUTS = "in C order", "leading axes swapped", "every second element"

plain_back = mg.rule(
    lambda x: 1 * x, lambda g, y, x: np.cos(np.arange(1.0 * x.size)).reshape(x.shape)
)


class Alike:
    """Every kernel of a room gives what its definition gives."""

    room: ClassVar[str]
    kernels: ClassVar[dict[str, Kernel]]
    masked: ClassVar[dict[str, Kernel]]  # whose calls take a mask before the arrays
    broadcasting: ClassVar[list[tuple[Callable, list[tuple[int, ...]]]]]

    def pytest_generate_tests(self, metafunc: Any) -> None:
        if "name" in metafunc.fixturenames:
            metafunc.parametrize("name", self.kernels)
        if "masked" in metafunc.fixturenames:
            metafunc.parametrize("masked", self.masked)
        if "broadcast" in metafunc.fixturenames:
            name = lambda case: f"{getattr(case[0], '__name__', 'masked')} of {case[1]}"
            metafunc.parametrize("broadcast", self.broadcasting, ids=name)

    def definition(self, name, lead, arriving, constant=None, orders=2):
        """The definition, given arrays in C order."""
        key = type(self), name, lead, arriving, constant, orders
        if key not in DEFINED:
            arrays = self.kernels[name].arrays(lead)
            if constant is not None:
                arrays = [np.array(laid_out(a, constant), order="C") for a in arrays]
            DEFINED[key] = derivatives(
                self.kernels[name].call, list(map(tensor, arrays)), defined=True,
                arriving=arriving, orders=orders,
            )  # fmt: skip
        return DEFINED[key]

    def check_layout(self, name, lead, layout, arriving, orders=2):
        kernel = self.kernels[name]
        inputs = [tensor(a, layout) for a in kernel.arrays(lead)]
        found = derivatives(kernel.call, inputs, defined=False, arriving=arriving, orders=orders)
        constant = layout if layout.startswith("one") else None
        tolerance = 1e-9 if constant else 1e-11  # of equal numbers the deviation is next to nothing
        same(found, self.definition(name, lead, arriving, constant, orders), tolerance)

    # What runs

    def test_every_kernel_is_in_the_table(self):
        with mg.fast():  # which imports the room
            fused = {
                f for f, e in TABLE.items() if e.kernel and e.kernel.__module__ in self.modules()
            }
        assert fused  # the search finds them at all
        assert {kernel.function for kernel in self.kernels.values()} == fused

    def modules(self):
        return {e.kernel.__module__ for e in TABLE.values() if e.kernel
                and e.kernel.__module__.startswith(self.room)}  # fmt: skip

    def test_the_kernel_runs_in_every_order_and_inside_fast_alone(self, name):
        """What is compared below is not one definition with itself."""
        kernel = self.kernels[name]
        for layout in LAYOUTS:
            inputs = [tensor(a, layout) for a in kernel.arrays((3, 2))]
            with case(layout):
                fused = rooms(with_kernels(kernel.call, *inputs))
                assert any(m.startswith(self.room) for m in fused)
                assert not any(".fast" in m for m in rooms(kernel.call(*inputs)))

    # Shapes, and orders in memory

    @pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-11), (np.float32, 2e-4)])
    def test_in_every_number_of_dimensions(self, name, dtype, tolerance):
        for lead in LEADS:
            arrays = [a.astype(dtype) for a in self.kernels[name].arrays(lead)]
            with case(lead):
                for a in check(self.kernels[name].call, arrays, tolerance):
                    assert a is None or (a.dtype == dtype and np.all(np.isfinite(a)))

    def test_the_order_in_memory_does_not_matter(self, name):
        """In four dimensions no two orders are alike."""
        for layout in LAYOUTS:
            with case(layout):
                self.check_layout(name, (3, 2), layout, "in C order")

    def test_the_order_of_incoming_gradients_does_not_matter(self, name):
        for arriving in ARRIVING:
            with case(arriving):
                self.check_layout(name, (3, 2), "in C order", arriving)

    @pytest.mark.slow
    @pytest.mark.parametrize("lead", LEADS, ids=str)
    def test_no_pair_of_orders_matters(self, name, lead):
        for layout, arriving in itertools.product(LAYOUTS, ARRIVING):
            with case(layout, arriving):
                self.check_layout(name, lead, layout, arriving)

    def test_plain_arrays_in_any_order(self, name):
        """They are not changed, and nothing of them is in the memory of the result."""
        kernel = self.kernels[name]
        for layout in LAYOUTS:
            arrays = [laid_out(a, layout) for a in kernel.arrays((3, 2))]
            before = [a.copy() for a in arrays]
            with case(layout):
                y = with_kernels(kernel.call, *arrays)
                same([y], [kernel.call(*before)])
                for a, b in zip(arrays, before):
                    np.testing.assert_array_equal(a, b)
                    assert not np.shares_memory(y, a)

    # The sizes of axes

    @pytest.mark.parametrize("size", [1, 2, 70])
    def test_axes_of_other_sizes(self, name, size):
        """Short rows are computed in another way than long ones; of width one all is constant."""
        kernel = self.kernels[name]
        for letter in SIZES:
            if not any(letter in s for s in kernel.shapes) or (letter == "H" and "of" not in name):
                continue
            if "mask" in name and size > SIZES[letter]:
                continue
            with case(letter):
                try:
                    check(kernel.call, kernel.arrays((2,), **{letter: size}), tolerance=1e-10)
                except mg.errors.ShapeError:
                    assert "masked" in name  # the mask does not fit either of them

    @pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
    def test_empty_axes(self, name):
        """What cannot be is refused alike."""
        kernel = self.kernels[name]
        cases = [((0,), {}), ((2, 0), {}), *(((2,), {letter: 0}) for letter in SIZES)]
        for lead, sizes in cases:
            arrays = kernel.arrays(lead, **sizes)
            found = outcome(with_kernels, kernel.call, *map(mg.Tensor, arrays))
            defined = outcome(kernel.call, *map(mg.Tensor, arrays))
            if isinstance(defined, type):
                assert found is defined
            else:
                check(kernel.call, arrays)

    # The numbers

    def test_numbers_of_other_sizes(self, name):
        """Of the first argument, where the others are parameters; of all, where all are data."""
        kernel = self.kernels[name]
        for numbers, change in NUMBERS.items():
            arrays = [
                change(a) if s.startswith("...") else a
                for a, s in zip(kernel.arrays(), kernel.shapes)
            ]
            with case(numbers):
                check(kernel.call, arrays, tolerance=1e-7 if name == "layer_norm" else 1e-9)

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_large_numbers_lose_no_digits_that_the_definition_keeps(self, name):
        """In float32, of data of one size and of data far from zero, against float64."""
        kernel = self.kernels[name]
        for size in (1e5, 1e8, 1e15, 1e18, 1e30, 1e37):
            for far in (False, True):
                arrays = [
                    (a * np.float32(size) if not far else size + a * np.spacing(np.float32(size)))
                    if s.startswith("...") else a
                    for a, s in zip(kernel.arrays(), kernel.shapes)
                ]  # fmt: skip
                arrays = [a.astype(np.float32) for a in arrays]
                wide = kernel.call(*(a.astype(np.float64) for a in arrays))
                scale = 1 + np.abs(wide)
                defined = np.max(np.abs(kernel.call(*arrays) - wide) / scale)
                found = np.max(np.abs(with_kernels(kernel.call, *arrays) - wide) / scale)
                with case(size, far):
                    assert not np.isfinite(defined) or found <= 10 * defined + 1e-5

    def test_numbers_far_apart_in_every_order(self, name):
        """Where each row needs a shift of its own."""
        kernel = self.kernels[name]
        for lead, layout in itertools.product([(3,), (3, 2)], LAYOUTS):
            arrays = [laid_out(NUMBERS["far apart"](a), layout) for a in kernel.arrays(lead)]
            with case(lead, layout):
                y = with_kernels(kernel.call, *arrays)
                same([y], [kernel.call(*(np.array(a, order="C") for a in arrays))], 1e-9)

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_one_element_that_is_no_usual_number(self, name):
        """In each argument in turn: the value has it, or NaN, or neither, where the definition has."""
        kernel = self.kernels[name]
        specials = np.nan, np.inf, -np.inf, 1e300, -1e300
        for special, i in itertools.product(specials, range(len(kernel.shapes))):
            arrays = kernel.arrays()
            arrays[i].flat[-2] = special
            with case(special, i):
                same([with_kernels(kernel.call, *arrays)], [kernel.call(*arrays)])

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_nan_stays_in_its_row_of_gradients_too(self, name):
        kernel = self.kernels[name]
        for i, shape in enumerate(kernel.shapes):
            if shape.startswith("..."):
                arrays = kernel.arrays()
                arrays[i].flat[-2] = np.nan
                check(kernel.call, arrays, orders=1)

    # Other dtypes, and other kinds of argument

    def test_float32_and_float64_mixed(self, name):
        """The wider one decides, and each gradient has the dtype of its own argument."""
        kernel = self.kernels[name]
        arrays = kernel.arrays()
        for dtypes in itertools.product([np.float32, np.float64], repeat=len(arrays)):
            given = [a.astype(dtype) for a, dtype in zip(arrays, dtypes)]
            y, *gradients = check(kernel.call, given, tolerance=1e-4, orders=1)
            assert y.dtype == np.result_type(*dtypes)
            assert [g.dtype for g in gradients] == list(dtypes)

    def test_arrays_of_dtypes_that_no_kernel_is_made_for(self, name):
        """They are left to the definition, and what that gives is in the machine's byte order."""
        kernel = self.kernels[name]
        dtypes = "float16", "longdouble", "int64", "int8", ">f8", ">f4"
        for dtype, i in itertools.product(dtypes, range(len(kernel.shapes))):
            arrays = kernel.arrays()
            arrays[i] = arrays[i].astype(dtype)
            with case(dtype, i):
                y = with_kernels(kernel.call, *arrays)
                same([y], [kernel.call(*arrays)], 1e-3 if y.dtype == np.float16 else 1e-6)

    def test_a_list_in_place_of_one_argument(self, name):
        """It is taken where the definition takes it, and gives the same."""
        kernel = self.kernels[name]
        arrays = kernel.arrays()
        for i in range(len(arrays)):
            tensors = [mg.Tensor(a, requires_grad=True) for a in arrays]
            given = with_argument(tensors, i, arrays[i].tolist())
            found, defined = (
                outcome(with_kernels, kernel.call, *given),
                outcome(kernel.call, *given),
            )
            if isinstance(defined, type):
                assert found is defined
            else:
                same([found], [defined])

    def test_shapes_that_broadcast_do_so_as_in_the_definition(self, broadcast):
        call, shapes = broadcast
        rng = np.random.default_rng(3)
        check(call, [rng.standard_normal(shape) for shape in shapes])

    # Masks

    @pytest.mark.parametrize("mask", MASKS)
    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_masks(self, masked, mask):
        """What cannot be one is refused alike. The scores come of the last argument."""
        call = functools.partial(self.masked[masked].call, MASKS[mask])
        *others, last = self.masked[masked].arrays((3, 2))
        defined = outcome(call, *others, last)
        if isinstance(defined, type):
            assert outcome(with_kernels, call, *others, last) is defined
            return
        for scores, change in SCORES.items():
            orders = 1 if scores.startswith("NaN") else 2
            arrays = [*others, change(last)]
            defined = derivatives(call, list(map(tensor, arrays)), defined=True, orders=orders)
            for layout in SOME_LAYOUTS:
                inputs = [tensor(a, layout) for a in arrays]
                with case(scores, layout):
                    found = derivatives(call, inputs, defined=False, orders=orders)
                    same(found, defined, 1e-9)
                    assert mask != "hides everything" or not np.any(found[0])

    # The way back

    def test_a_gradient_that_is_a_plain_array_beside_arguments_that_are_tensors(self, name):
        """With a graph of their own gradients are tensors, but for those that depend on nothing."""
        kernel = self.kernels[name]
        arrays = kernel.arrays()
        for i, a in enumerate(arrays):
            check(lambda x: plain_back(kernel.call(*with_argument(arrays, i, x))), [a])
        check(lambda *xs: plain_back(kernel.call(*xs)), arrays)

    def test_a_hessian_times_a_vector_through_a_function_without_slope(self, name):
        kernel = self.kernels[name]
        arrays = kernel.arrays()
        for i, a in enumerate(arrays):
            call = lambda x: np.round(kernel.call(*with_argument(arrays, i, x))).sum()
            np.testing.assert_array_equal(with_kernels(mg.hvp, call, a, a), np.zeros_like(a))

    def test_the_gradients_are_the_same_with_a_graph_of_their_own(self, name):
        """Without one the rules use what the kernel kept, and compute it again where they must not."""
        kernel = self.kernels[name]
        for arriving in ARRIVING:
            inputs = [mg.Tensor(a, requires_grad=True) for a in kernel.arrays((3, 2))]
            loss = projected(ARRIVING[arriving](with_kernels(kernel.call, *inputs)), np.cos)
            loss.backward(retain_graph=True)
            loss.backward()  # and what is kept is not used up
            given = [x.grad.data / 2 for x in inputs]
            same(given, self.definition(name, (3, 2), arriving)[1 : 1 + len(inputs)])

    def test_it_does_not_matter_which_arguments_require_a_gradient(self, name):
        kernel = self.kernels[name]
        arrays = kernel.arrays((3, 2))
        gradients = self.definition(name, (3, 2), "in C order")[1:]
        for i, layout in itertools.product(range(len(arrays)), LAYOUTS):
            if layout.startswith("one"):
                continue
            leaf = tensor(arrays[i], layout)
            others = [laid_out(a, layout) for a in arrays]
            y = with_kernels(kernel.call, *with_argument(others, i, leaf))
            projected(y, np.cos).backward()
            same([leaf.grad.data], [gradients[i]])


DEFINED: dict[Any, Any] = {}  # what definitions give, for `Alike.definition`
