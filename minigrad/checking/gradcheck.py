"""Gradients checked against finite differences; for each that differs, the likely mistake.

The slope of f along one element of an input is, up to an error of the order of h squared,
(f(x + h) - f(x - h)) / 2h. `gradcheck` compares every element of every input's gradient with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .. import errors
from ..arrays.trees import leaves
from ..engine.names import name_of
from ..engine.tensor import Tensor
from ..settings import flag, function, real, whole
from ..transforms import gradients
from ..with_blocks import enable_grad
from .causes import findings
from .differences import slopes
from .inputs import Leaf, float64_copies, in_float64, parameters_of
from .report import Checked, Report

Compute = Callable[[], list[Tensor]]  # calls the function that is checked


class Limits(NamedTuple):
    """The step of the differences, and how far a gradient may be from them: atol + rtol |slope|."""

    eps: float
    rtol: float
    atol: float


TIMES = 1.7  # a factor that no mistake is likely to have
BY_HAND = "gradients written by hand are checked as rules, as help(mg.gradcheck) shows"
OTHERS = "leaves that it uses beside its arguments are given as parameters={'w': w}"


def gradcheck(
    f: Callable,
    *inputs: object,
    order: int = 1,
    eps: float = 1e-6,
    rtol: float = 1e-6,
    atol: float = 1e-7,
    raise_on_failure: bool = True,
    parameters: Mapping[str, Tensor] | None = None,
) -> Report:
    """Compare the gradients of `f(*inputs)` with central differences, element by element.

    The inputs are copied and converted to float64. Tensors that require a gradient, arrays of
    floats and Python floats are checked, alone or in lists, tuples and dicts. Other inputs are
    constants, such as integers and masks. If `f` is a module, its parameters are checked too.

    Gradients that you wrote by hand are checked as the rules of `f`, one for each argument:

        def loss(w, b): ...        # a number, in NumPy
        def grads(w, b): ...       # its gradients: for w, for b
        rule = lambda i: lambda g, y, w, b: g * grads(w, b)[i]
        mine = mg.rule(loss, rule(0), rule(1))
        mg.gradcheck(mine, w, b)

    Args:
        f: returns a Tensor of any shape, or a list, tuple or dict of Tensors. If it returns more than
            one number, their sum with fixed random weights is checked.
        order: 2 to check the gradient's own gradient as well, and so on.
        eps: the step for elements of a size up to 1; for larger ones it is multiplied by their size.
        rtol, atol: differences of up to atol + rtol |slope| are rounding and truncation.
        raise_on_failure: False to return the report of a failure, and not raise it.
        parameters: leaves, by name, that `f` uses beside its arguments, to be checked too. They are
            converted to float64 for the check, and converted back.

    Raises:
        GradcheckError: if a gradient is wrong: it names the input, the element, both numbers, and
            the likely mistake. Also if `f` cannot be checked: no input has a gradient, no gradient
            reaches one, two calls give different results, or the result is float32.
        ConfigError: if `order` is not a whole number from 1, `eps` or a tolerance makes no sense, `f`
            is no function, or `parameters` are not leaves by name.
    """
    function("what gradcheck checks", f)
    flag("raise_on_failure", raise_on_failure)
    order, eps = whole("order", order, least=1), real("eps", eps, above=0)
    rtol, atol = real("rtol", rtol), real("atol", atol)
    name = name_of(f) if hasattr(f, "__name__") else type(f).__name__
    parameters = parameters_of(f, parameters)
    arguments, named = float64_copies(f, inputs)
    named += [Leaf(path, None, p) for path, p in parameters.items() if p.requires_grad]
    if not named:
        raise errors.GradcheckError(
            f"{name} was given nothing whose gradient could be checked: give it floats, such as 3.0 "
            f"for 3, or Tensors with requires_grad=True; {OTHERS}; {BY_HAND}"
        )
    with in_float64(parameters.values()), enable_grad(), np.errstate(all="ignore"):
        compute = lambda: _tensors(name, f(*arguments))
        report = _check(name, compute, inputs, named, order, Limits(eps, rtol, atol))
    if raise_on_failure and not report.ok:
        raise errors.GradcheckError(str(report))
    return report


def _check(
    name: str, compute: Compute, inputs: tuple, named: list[Leaf], order: int, limits: Limits
) -> Report:
    """Check the gradient, the gradient of the gradient, and so on, up to `order` or the first wrong one.

    Raises:
        GradcheckError: if the function cannot be checked.
    """
    tensors = [leaf.tensor for leaf in named]
    checked: list[Checked] = []
    for degree in range(1, order + 1):
        outputs = _outputs(name, compute, inputs)
        _refuse_unfit(name, outputs, compute(), limits.eps)
        weights = _weights(outputs)
        analytic = _analytic(name, outputs, weights, tensors)
        values = lambda: [output._array for output in compute()]
        numeric = [slopes(values, weights, tensor._array, limits.eps) for tensor in tensors]
        compared = [
            _compared(leaf, degree, a, n, limits) for leaf, a, n in zip(named, analytic, numeric)
        ]
        checked += compared
        wrong = [(t, c.analytic, c.numeric) for t, c in zip(tensors, compared) if not c.ok]
        if wrong:
            causes = findings(compute, weights, wrong, limits.eps, degree)
            return Report(name, tuple(checked), causes)
        if not any(c.reached for c in checked):
            raise errors.GradcheckError(
                f"no gradient reaches {' or '.join(c.name for c in checked)}: {name} gives the same "
                f"for other numbers, so nothing was checked; {OTHERS}"
            )
        compute = _gradient_of(compute, weights, tensors)
    return Report(name, tuple(checked))


# --- the function ---------------------------------------------------------------------------------


def _outputs(name: str, compute: Compute, inputs: tuple) -> list[Tensor]:
    """Compute the outputs of f.

    Raises:
        GradcheckError: if the call fails, and f was given one list, perhaps for several arguments.
    """
    try:
        return compute()
    except (TypeError, errors.UnsupportedError) as problem:
        if len(inputs) != 1 or not isinstance(inputs[0], (tuple, list)):
            raise
        kind = type(inputs[0]).__name__
        raise errors.GradcheckError(
            f"{name} was given one {kind}, and fails: {problem}. Arguments of its own are given "
            f"one after the other, without brackets: gradcheck(f, x, y)"
        ) from problem


def _tensors(name: str, result: object) -> list[Tensor]:
    outputs = [leaf for _, leaf in leaves(result)]
    for output in outputs:
        if not isinstance(output, Tensor):
            raise errors.GradcheckError(
                f"{name} returns a {type(output).__name__}, not a Tensor: whatever made it took it "
                f"out of the graph, and no gradient reaches it"
            )
    return outputs


def _refuse_unfit(name: str, outputs: list[Tensor], again: list[Tensor], eps: float) -> None:
    for output, twin in zip(outputs, again):
        if output.dtype != np.float64:
            raise errors.GradcheckError(
                f"{name} returns {output.dtype} although its inputs are float64, so it cannot be "
                f"checked: a step of {eps:g} changes its value by less than {output.dtype} can "
                f"tell apart. Look for astype(), dtype= or an array of another dtype in it; {OTHERS}"
            )
        if not np.array_equal(output._array, twin._array, equal_nan=True):
            gap = np.max(np.abs(output._array - twin._array))
            raise errors.GradcheckError(
                f"{name} is not deterministic: two calls with the same inputs differ by up to "
                f"{gap:.3g}. Is there dropout in it (call .eval()), or a random generator (seed it "
                f"inside)?"
            )


def _weights(outputs: list[Tensor]) -> list[np.ndarray]:
    """Return the weight of each number in the sum that is checked: 1 if it is the only one."""
    if sum(output.size for output in outputs) == 1:
        return [np.ones(output.shape) for output in outputs]
    rng = np.random.default_rng(0)
    return [rng.standard_normal(output.shape) for output in outputs]


# --- both sides of the comparison -----------------------------------------------------------------


def _analytic(name: str, outputs: list[Tensor], weights: list, tensors: list[Tensor]) -> list[Any]:
    """The gradients of the weighted sum.

    The way back starts with `TIMES` times the weights, and its gradients are divided by `TIMES`. So a
    rule without the factor g gives a wrong number even if g would be 1.
    """
    try:
        found = gradients(outputs, [TIMES * w for w in weights], tensors)
        return [None if g is None else g / TIMES for g in found]
    except errors.ShapeError as problem:
        raise errors.GradcheckError(f"the backward pass of {name} fails: {problem}") from problem


def _gradient_of(compute: Compute, weights: list, tensors: list[Tensor]) -> Compute:
    """The gradient as a function to be checked in its turn."""

    def gradient() -> list[Tensor]:
        seeds = [Tensor(w) for w in weights]
        slopes = gradients(compute(), seeds, tensors, create_graph=True)
        return [Tensor(np.zeros(t.shape)) if g is None else g for g, t in zip(slopes, tensors)]

    return gradient


def _compared(
    leaf: Leaf, order: int, analytic: Any, numeric: np.ndarray, limits: Limits
) -> Checked:
    reached = analytic is not None
    analytic = np.array(analytic) if reached else np.zeros(numeric.shape)
    if analytic.shape == numeric.shape:
        error = np.abs(analytic - numeric) / (limits.atol + limits.rtol * np.abs(numeric))
    else:
        error = np.full(numeric.shape, np.inf)
    return Checked(leaf.name, leaf.position, order, analytic, numeric, error, reached)
