"""Gradients checked against finite differences; where they differ, what the mistake looks like.

The slope of f along one element of an input is, up to an error of the order of h squared,
(f(x + h) - f(x - h)) / 2h. `gradcheck` compares every element of every input's gradient with it.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import errors
from ..arrays.trees import leaves, rebuilt
from ..engine.errors import described
from ..engine.names import name_of
from ..engine.tensor import Tensor
from ..settings import flag, function, real, whole
from ..transforms import gradients
from ..with_blocks import enable_grad
from .causes import Finding, findings
from .differences import slopes


@dataclass(frozen=True, eq=False)
class Checked:
    """One input, compared.

    Attributes:
        name: the parameter of f that it was given as, or the path of a module's parameter.
        position: which argument of f it is in; None for a module's parameter.
        order: of the derivative: 1 for the gradient, 2 for the gradient's own.
        analytic: what minigrad computed; zeros where no gradient arrived.
        numeric: the finite differences.
        error: how far they are apart, as a fraction of what is tolerated: above 1 is wrong.
        reached: whether a gradient arrived at all.
    """

    name: str
    position: int | None
    order: int
    analytic: np.ndarray
    numeric: np.ndarray
    error: np.ndarray
    reached: bool

    @property
    def ok(self) -> bool:
        return not self.wrong

    @property
    def wrong(self) -> int:
        """The number of elements whose gradient is wrong."""
        return int(np.sum(~(self.error <= 1)))

    @property
    def worst(self) -> tuple[int, ...]:
        """The index of the element that is furthest off."""
        flat = np.argmax(np.where(np.isnan(self.error), np.inf, self.error))
        return tuple(int(i) for i in np.unravel_index(flat, self.error.shape))

    def __str__(self) -> str:
        place = "" if self.position is None else f" (argument {self.position})"
        head = f"{self.name}{place}, {self.numeric.shape}"
        if self.numeric.size == 0:
            return f"{head}: no elements"
        head += "" if self.reached else ", which no gradient reaches (counted as zeros)"
        at = f" at {list(self.worst)}" if self.worst else ""
        times = f"{self.error[self.worst]:.2g} times what is tolerated"
        wrong = f"{self.wrong} of {self.numeric.size} wrong, worst" if self.wrong else "worst"
        return (
            f"{head}: {wrong}{at}: analytic {_at(self.analytic, self.worst):.9g}, "
            f"finite differences {_at(self.numeric, self.worst):.9g}, {times}"
        )


@dataclass(frozen=True, eq=False)
class Report:
    """The result of `gradcheck`; true if every gradient is right.

    Attributes:
        function: the name of what was checked.
        inputs: one `Checked` for each input and order.
        findings: what the mistakes look like, if there are any.
    """

    function: str
    inputs: tuple[Checked, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        return all(checked.ok for checked in self.inputs)

    def __bool__(self) -> bool:
        return self.ok

    @property
    def worst(self) -> Checked | None:
        """The input whose worst element is furthest off; None if no input has an element."""
        return max(
            (c for c in self.inputs if c.numeric.size),
            key=lambda c: np.nan_to_num(c.error[c.worst], nan=np.inf),
            default=None,
        )

    def __str__(self) -> str:
        lines = [f"gradcheck of {self.function}: {'right' if self.ok else 'WRONG'}"]
        for order in sorted({c.order for c in self.inputs}):
            lines.append(f"  derivatives of order {order}")
            lines += [f"    {c}" for c in self.inputs if c.order == order]
        for finding in self.findings:
            lines += ["  it looks like this:"] if finding is self.findings[0] else []
            lines += ["    " + line for line in str(finding).splitlines()]
        return "\n".join(lines)


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
    floats and Python floats are checked, alone or in lists, tuples and dicts; all else is constant:
    other Tensors, integers, masks. If `f` is a module, its parameters are checked too.

    Args:
        f: returns a Tensor of any shape, or a list, tuple or dict of them. Of more than one number,
            a sum with fixed random weights is checked.
        order: 2 to check the gradient's own gradient as well, and so on.
        eps: the step, for elements of up to 1 in size; larger ones take a step larger by as much.
        rtol, atol: differences of up to atol + rtol |slope| are rounding and truncation.
        raise_on_failure: False to have the report of a failure returned.
        parameters: leaves, by name, that `f` uses beside its arguments, to be checked too. They are
            float64 meanwhile, and afterwards what they were.

    Raises:
        GradcheckError: if a gradient is wrong: it names the input, the element, both numbers, and
            what the mistake looks like. In any case if `f` cannot be checked: where nothing that it
            was given has a gradient, or none reaches it, two calls give different results, or it
            returns float32.
        ConfigError: if `order` is not a whole number from 1, `eps` or a tolerance makes no sense, `f`
            is no function, or `parameters` are not leaves by name.
    """
    function("what gradcheck checks", f)
    flag("raise_on_failure", raise_on_failure)
    order, eps = whole("order", order, least=1), real("eps", eps, above=0)
    rtol, atol = real("rtol", rtol), real("atol", atol)
    name = name_of(f) if hasattr(f, "__name__") else type(f).__name__
    parameters = _parameters(f, parameters)
    arguments, named = _float64_copies(f, inputs)
    named += [(path, None, p) for path, p in parameters.items() if p.requires_grad]
    if not named:
        raise errors.GradcheckError(
            f"{name} was given nothing whose gradient could be checked: give it floats, such as 3.0 "
            f"for 3, or Tensors with requires_grad=True; {OTHERS}"
        )
    tensors = [tensor for _, _, tensor in named]
    checked: list[Checked] = []
    reasons: tuple[Finding, ...] = ()
    with _as_float64(parameters.values()), enable_grad(), np.errstate(all="ignore"):
        compute = lambda: _tensors(name, f(*arguments))
        for degree in range(1, order + 1):
            outputs = _outputs(name, compute, inputs)
            _refuse_unfit(name, outputs, compute(), eps)
            weights = _weights(outputs)
            analytic = _analytic(name, outputs, weights, tensors)
            values = lambda: [output._array for output in compute()]
            numeric = [slopes(values, weights, t._array, eps) for t in tensors]
            checked += [
                _compared(path, position, degree, a, n, rtol, atol)
                for (path, position, _), a, n in zip(named, analytic, numeric)
            ]
            wrong = [
                (tensor, c.analytic, c.numeric)
                for tensor, c in zip(tensors, checked[-len(tensors) :])
                if not c.ok
            ]
            if not wrong and not any(c.reached for c in checked):
                raise errors.GradcheckError(
                    f"no gradient reaches {' or '.join(c.name for c in checked)}: {name} gives the same "
                    f"for other numbers, so nothing was checked; {OTHERS}"
                )
            if wrong:
                reasons = findings(compute, weights, tensors, wrong, eps, degree)
                break
            compute = _gradient_of(compute, weights, tensors)
    report = Report(name, tuple(checked), reasons)
    if raise_on_failure and not report.ok:
        raise errors.GradcheckError(str(report))
    return report


# --- the function and its inputs ------------------------------------------------------------------


def _parameters(f: Callable, given: Mapping[str, Tensor] | None) -> Mapping[str, Tensor]:
    """The leaves that f uses beside its arguments: those given, or a module's own.

    Raises:
        ConfigError: if they are not leaves by name.
    """
    if given is None:
        return dict(f.named_parameters()) if hasattr(f, "named_parameters") else {}
    if isinstance(given, Mapping) and all(isinstance(p, Tensor) for p in given.values()):
        return given
    raise errors.ConfigError(
        f"parameters are leaves by name, as {{'w': w}}, not {described(given)}"
    )


def _outputs(name: str, compute: Callable[[], list[Tensor]], inputs: tuple) -> list[Tensor]:
    """Compute the outputs of f.

    Raises:
        GradcheckError: if that fails, and f was given one list of what may be several arguments.
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


def _float64_copies(f: Callable, inputs: tuple) -> tuple[list, list[tuple[str, Any, Tensor]]]:
    """The arguments to call f with, and what of them is checked: (name, position, leaf)."""
    arguments: list[Any] = []
    checked: list[tuple[str, Any, Tensor]] = []
    for position, (name, argument) in enumerate(zip(_names(f, inputs), inputs)):
        copies = []
        for path, value in leaves(argument):
            copy = _copy(value)
            copies.append(copy)
            if isinstance(copy, Tensor) and copy.requires_grad:
                path = f"{name}{path}" if path.startswith("[") or not path else f"{name}[{path!r}]"
                checked.append((path, position, copy))
        arguments.append(rebuilt(argument, copies))
    return arguments, checked


def _copy(value: object) -> Any:
    """Floats as a float64 leaf, to be checked unless it is a Tensor that requires no gradient."""
    array = value._array if isinstance(value, Tensor) else value
    if not isinstance(array, (np.ndarray, np.generic, float)):
        return value
    if np.asarray(array).dtype.kind != "f":
        return Tensor(value) if isinstance(value, Tensor) else value
    required = value.requires_grad if isinstance(value, Tensor) else True
    return Tensor(array, requires_grad=required, dtype=np.float64)


def _names(f: Callable, inputs: tuple) -> list[str]:
    """List the names that f has for its arguments."""
    with contextlib.suppress(TypeError, ValueError):
        bound = inspect.signature(getattr(f, "forward", f)).bind(*inputs)
        names: list[str] = []
        for name, value in bound.arguments.items():
            kind = bound.signature.parameters[name].kind
            several = kind is inspect.Parameter.VAR_POSITIONAL
            names += [f"{name}[{i}]" for i in range(len(value))] if several else [name]
        return names
    return [f"input {i}" for i in range(len(inputs))]


@contextlib.contextmanager
def _as_float64(parameters: Iterable[Tensor]) -> Iterator[None]:
    """Within it, the parameters hold float64 copies of their values."""
    before = [(p, p._array) for p in parameters]
    try:
        for p, array in before:
            p.copy_(array, dtype=np.float64)
        yield
    finally:
        for p, array in before:
            p.copy_(array, dtype=array.dtype)


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
    try:
        return gradients(outputs, weights, tensors)
    except errors.ShapeError as problem:
        raise errors.GradcheckError(f"the backward pass of {name} fails: {problem}") from problem


def _gradient_of(compute: Callable, weights: list, tensors: list[Tensor]) -> Callable:
    """The gradient as a function to be checked in its turn."""

    def gradient() -> list[Tensor]:
        seeds = [Tensor(w) for w in weights]
        slopes = gradients(compute(), seeds, tensors, create_graph=True)
        return [Tensor(np.zeros(t.shape)) if g is None else g for g, t in zip(slopes, tensors)]

    return gradient


def _compared(name, position, order, analytic, numeric, rtol, atol) -> Checked:
    reached = analytic is not None
    analytic = np.array(analytic) if reached else np.zeros(numeric.shape)
    if analytic.shape == numeric.shape:
        error = np.abs(analytic - numeric) / (atol + rtol * np.abs(numeric))
    else:
        error = np.full(numeric.shape, np.inf)
    return Checked(name, position, order, analytic, numeric, error, reached)


def _at(array: np.ndarray, index: tuple[int, ...]) -> Any:
    """An element; NaN of an array that has the wrong shape."""
    return array[index] if array.ndim == len(index) else np.nan
