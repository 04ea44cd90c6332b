"""Functions that turn a function into its derivative, of any order.

    grad(f)(x)                          the gradient of a function that returns one number
    value_and_grad(f)(x)                the value and the gradient
    vjp(f, x), jvp(f, (x,), (v,))       products of the Jacobian with a vector, from either side
    jacobian(f)(x), hessian(f)(x)       all first, all second derivatives
    hvp(f, (x,), (v,))                  the Hessian times a vector

The names are those of JAX and HIPS autograd. Arguments may be Tensors, arrays and floats, in lists,
tuples and dicts nested in any way; gradients come in the same form. Nobody's `.grad` is touched.
A derivative is a function like any other: `grad(grad(f))` is the second derivative.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np

from . import errors
from .arrays.trees import Tree, leaves, rebuilt
from .engine.base import AnyArray
from .engine.errors import described
from .engine.kinds import named
from .engine.modes import mode
from .engine.names import name_of
from .engine.node import Node
from .engine.tensor import Tensor, tensor_of
from .engine.walk import walk
from .settings import function
from .with_blocks import enable_grad

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

R = TypeVar("R")


@overload
def grad(f: Callable, argnums: int = 0) -> Callable[..., Tensor]: ...


@overload
def grad(f: Callable, argnums: tuple[int, ...]) -> Callable[..., tuple[Tensor, ...]]: ...


@named
def grad(f: Callable, argnums: int | tuple[int, ...] = 0) -> Callable:
    """Return the gradient of `f`, as a function of the same arguments.

    Args:
        f: returns a Tensor with one element.
        argnums: the argument to differentiate by; or a tuple, for a tuple of gradients.

    The function returned raises:
        ShapeError: if `f` returns more than one number; if it is called without an argument that
            `argnums` names, or this names one twice.
        GraphError: if `f` returns something other than a Tensor: it was taken out of the graph.
        DTypeError: if an argument to differentiate by is not floating.

    Raises:
        ConfigError: if `f` is no function.
        DTypeError: if `argnums` is no integer and no tuple of them, as in grad(f, x): it is grad(f)(x).
        ShapeError: if `argnums` is empty.
    """
    both = value_and_grad(f, argnums)

    @functools.wraps(f)
    def gradient(*args: Tree, **kwargs: object) -> Tree:
        return both(*args, **kwargs)[1]

    return gradient


@overload
def value_and_grad(f: Callable[..., R], argnums: int = 0) -> Callable[..., tuple[R, Tensor]]: ...


@overload
def value_and_grad(
    f: Callable[..., R], argnums: tuple[int, ...]
) -> Callable[..., tuple[R, tuple[Tensor, ...]]]: ...


@named
def value_and_grad(f: Callable, argnums: int | tuple[int, ...] = 0) -> Callable:
    """Return a function that gives what `f` returns and its gradient; see `grad`."""
    _positions(_function(f), argnums)

    @functools.wraps(f)
    def value_and_gradient(*args: object, **kwargs: object) -> tuple[Tree, Tree]:
        run = _Run(f, args, kwargs, argnums)
        if len(run.results) != 1 or run.results[0].size != 1:
            shapes = ", ".join(str(result.shape) for result in run.results)
            raise errors.ShapeError(
                f"grad needs a function that returns one number, and {name_of(f)} returns {shapes}: "
                f"reduce it first, or use jacobian"
            )
        ones = np.ones_like(run.results[0]._array)
        return run.value(), run.pull([ones], retain_graph=False)

    return value_and_gradient


def vjp(f: Callable[..., R], *primals: Tree) -> tuple[R, Callable[..., tuple[Tensor, ...]]]:
    """`f(*primals)`, and the function that takes a gradient with respect to it back to the primals.

    That function takes a tree like the result, and returns a tuple, one gradient for each primal.
    For one vector and a vector-valued f with the Jacobian J, it computes v -> J^T v.
    """
    run = _Run(f, primals, {}, tuple(range(len(primals))))

    def pull(cotangent: object) -> tuple:
        return run.pull(_matching(cotangent, run.tree, run.results))

    return run.value(), pull


def jvp(f: Callable[..., R], primals: Tree, tangents: Tree) -> tuple[R, R]:
    """`f(*primals)`, and how fast it changes as the primals move along the tangents: J v.

    The first walk back gives J^T u for some u. This is linear in u, so its derivative with respect to u,
    multiplied by v in a second walk back, is J v. Any u will do but zeros, which no rule refuses.

    Args:
        primals: the tuple of f's arguments; anything but a tuple is the only one.
        tangents: of the same form.
    """
    primals, tangents = _arguments(primals), _arguments(tangents)
    run = _Run(f, primals, {}, tuple(range(len(primals))))
    along = _matching(tangents, primals, run.inputs)
    normal = np.random.default_rng(0).standard_normal
    with enable_grad():
        dummies = [Tensor(normal(y.shape), requires_grad=True, dtype=y.dtype) for y in run.results]
    back = gradients(run.results, dummies, run.inputs, create_graph=True)
    pairs = [(b, v) for b, v in zip(back, along) if b is not None]
    products = _gradients(
        [b for b, _ in pairs], [v for _, v in pairs], dummies, False, run.needs_graph(along)
    )
    return run.value(), rebuilt(run.tree, products)


@overload
def jacobian(f: Callable, argnums: int = 0) -> Callable[..., Tensor]: ...


@overload
def jacobian(f: Callable, argnums: tuple[int, ...]) -> Callable[..., tuple[Tensor, ...]]: ...


def jacobian(f: Callable, argnums: int | tuple[int, ...] = 0) -> Callable:
    """Return a function that gives every derivative of every number that `f` returns.

    For a result of shape S and an argument of shape A, its shape is S + A. For trees, it is a tree
    like the result, each leaf of which is a tree like the argument.
    """
    _positions(_function(f), argnums)

    @functools.wraps(f)
    def all_derivatives(*args: Tree, **kwargs: object) -> Tree:
        run = _Run(f, args, kwargs, argnums)
        blocks = []
        for k, result in enumerate(run.results):
            rows = []
            for index in np.ndindex(result.shape):
                unit = [np.zeros_like(y._array) for y in run.results]
                unit[k][index] = 1
                rows.append(run.gradients(unit))
            columns = []
            for i, x in enumerate(run.inputs):
                column = (
                    np.stack([row[i] for row in rows]) if rows else Tensor(np.empty(0, x.dtype))
                )
                columns.append(np.reshape(column, result.shape + x.shape))
            blocks.append(run.like_arguments(columns))
        return rebuilt(run.tree, blocks)

    return all_derivatives


@overload
def hessian(f: Callable, argnums: int = 0) -> Callable[..., Tensor]: ...


@overload
def hessian(
    f: Callable, argnums: tuple[int, ...]
) -> Callable[..., tuple[tuple[Tensor, ...], ...]]: ...


def hessian(f: Callable, argnums: int | tuple[int, ...] = 0) -> Callable:
    """Return a function that gives every second derivative of `f`: the Jacobian of its gradient."""
    return jacobian(grad(f, argnums), argnums)


@overload
def hvp(f: Callable, primals: tuple, tangents: tuple) -> tuple[Tensor, ...]: ...


@overload
def hvp(f: Callable, primals: Tree, tangents: Tree) -> Tensor: ...


def hvp(f: Callable, primals: Tree, tangents: Tree) -> Tree:
    """The Hessian of `f` at the primals times the tangents, without ever making the Hessian.

    The Hessian is symmetric, so H v is v^T H: the gradient taken back along v.

    Args:
        primals: the tuple of f's arguments; anything but a tuple is the only one.
        tangents: of the same form; so is the result.
    """
    several = isinstance(primals, tuple)
    primals, tangents = _arguments(primals), _arguments(tangents)
    _, pull = vjp(grad(f, tuple(range(len(primals)))), *primals)
    products = pull(tangents)
    return products if several else products[0]


# --- gradients that are returned ------------------------------------------------------------------


def gradients(
    roots: Sequence[Tensor],
    seeds: Sequence[object],
    inputs: Sequence[Tensor],
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
) -> list[AnyArray]:
    """Return the gradients with respect to `inputs`; no `.grad` is touched.

    `seeds` are the gradients with respect to the roots, one for each. An input that no root depends on
    gets None. Only nodes that depend on an input are walked.
    """
    goals = {x._node for x in inputs if x._node is not None}
    starts: dict[Node, AnyArray] = {}
    arrived: dict[Node, AnyArray] = {}
    with enable_grad():
        for root, g in zip(roots, seeds):
            node = root._node
            if node is not None and node.requires_grad:
                starts[node] = starts[node] + g if node in starts else g
        for visit in walk(starts, goals, frees=not (retain_graph or create_graph)):
            if visit.node in goals:
                arrived[visit.node] = visit.gradient
            del visit  # frees its memory for the next rule
    return [arrived.get(x._node) for x in inputs]


# --- one call of the function ---------------------------------------------------------------------

# grad(grad(np.square))(3.0) has two runs, one inside the other. Its nodes, in order of creation:
#
#   #1  leaf              the argument that the outer run gives to grad(np.square)
#   #2  np.positive(#1)   the argument that the inner run gives to np.square: a stand-in for #1
#   #3  np.square(#2)     its result. #2 has an edge to #1, which is older than all inputs of the inner
#                         run: code outside may differentiate by #1, so the gradient gets a graph
#   #4  2 * g * #2        the gradient. The inner walk visits #3 and #2, and stops before #1
#       The outer walk visits #4, #2 and #1. No node is older than #1: so it computes plain arrays


def _function(f: Callable) -> Callable:
    """Return the function that is differentiated, once it is checked.

    Raises:
        ConfigError: if it is no function; the message says how to differentiate a tensor.
    """
    if isinstance(f, Tensor):
        raise errors.ConfigError(
            f"what is differentiated is a function, not {described(f)}: from a tensor y go back with "
            f"y.backward(create_graph=True), after which x.grad has a graph of its own"
        )
    return function("what is differentiated", f)


class _Run:
    """One call of f, on tensors that stand for its arguments and for nothing else.

    Attributes:
        inputs: the stand-ins for the arguments to differentiate by.
        tree: the result of f; `results`: the Tensors in it.
        reaches_outside: whether f used another tensor that needs a gradient: one from outside, or a
            leaf that f made and may have kept. Then code outside may differentiate again, and gradients
            get a graph; otherwise they are plain arrays.
    """

    def __init__(self, f: Callable, args: tuple, kwargs: dict, argnums: int | tuple[int, ...]):
        _function(f)
        self.single = not isinstance(argnums, (tuple, list))
        positions = _positions(f, argnums)
        _check_in_call(positions, f, len(args))
        self.arguments = tuple(args[i] for i in positions)
        by_position = dict(zip(positions, self.arguments))
        self.inputs = [_stand_in(x, f"argument {path}") for path, x in leaves(by_position)]
        replaced = dict(zip(positions, rebuilt(self.arguments, self.inputs)))
        args = tuple(replaced.get(i, replaced.get(i - len(args), a)) for i, a in enumerate(args))
        with enable_grad():
            self.tree = f(*args, **kwargs)
        self.results = [_checked(f, y) for _, y in leaves(self.tree)]
        self.reaches_outside = mode.get().grad and self._has_edge_outside()

    def _has_edge_outside(self) -> bool:
        """Tell whether the results lead to a node older than the inputs, or to another leaf."""
        inputs = {x.node for x in self.inputs}
        oldest = min((node.number for node in inputs), default=0)
        nodes = [y.node for y in self.results if y.requires_grad]
        reached = set(nodes)
        for node in nodes:  # which grows
            if node.number < oldest or (node.operation is None and node not in inputs):
                return True
            for edge in node.edges:
                if edge.to not in reached:
                    reached.add(edge.to)
                    nodes.append(edge.to)
        return False

    def value(self) -> Tree:
        """The result of f, detached from the graph unless it reaches outside."""
        if self.reaches_outside:
            return self.tree
        return rebuilt(self.tree, [y.detach() for y in self.results])

    def gradients(self, vectors: Sequence[object], retain_graph: bool = True) -> list[Tensor]:
        return _gradients(
            self.results, vectors, self.inputs, retain_graph, self.needs_graph(vectors)
        )

    def needs_graph(self, vectors: Iterable[object]) -> bool:
        """Tell whether products with these vectors need a graph: because of f, or of a vector."""
        outside = any(isinstance(v, Tensor) and v.requires_grad for v in vectors)
        return mode.get().grad and (self.reaches_outside or outside)

    def pull(self, vectors: Sequence[object], retain_graph: bool = True) -> Tree:
        """Gradients with respect to the results, taken back to the arguments."""
        return self.like_arguments(self.gradients(vectors, retain_graph))

    def like_arguments(self, values: Iterable[object]) -> Tree:
        tree = rebuilt(self.arguments, values)
        return tree[0] if self.single else tree


def _gradients(
    roots: Sequence[Tensor], vectors: Sequence[object], inputs: Sequence[Tensor], retain_graph: bool,
    create_graph: bool,
) -> list[Tensor]:  # fmt: skip
    """Compute `gradients`, as Tensors, with zeros for an input that no root depends on."""
    if create_graph:
        vectors = [g if isinstance(g, Tensor) else tensor_of(g) for g in vectors]
    else:
        vectors = [g._array if isinstance(g, Tensor) else g for g in vectors]
    or_none = gradients(
        roots, vectors, inputs, retain_graph=retain_graph, create_graph=create_graph
    )
    zeros = (np.zeros_like(x._array) for x in inputs)
    arrived = [zero if g is None else g for g, zero in zip(or_none, zeros)]
    return [g if isinstance(g, Tensor) else tensor_of(g) for g in arrived]


def _positions(f: Callable, argnums: object) -> tuple[int, ...]:
    numbers = argnums if isinstance(argnums, (tuple, list)) else [argnums]
    try:
        if any(isinstance(i, (Tensor, np.ndarray)) for i in numbers):
            raise TypeError
        positions = tuple(map(operator.index, numbers))
    except TypeError:
        raise errors.DTypeError(
            f"argnums is an integer, or a tuple of integers, not {described(argnums)}. To differentiate "
            f"at x, write grad({name_of(f)})(x), and so with value_and_grad, jacobian and hessian"
        ) from None
    if not positions:
        raise errors.ShapeError("there is no argument to differentiate by: argnums is empty")
    return positions


def _check_in_call(positions: tuple[int, ...], f: Callable, count: int) -> None:
    """Check that a call of `f` with `count` arguments by position has one at each of `positions`."""
    for i in positions:
        if not -count <= i < count:
            raise errors.ShapeError(
                f"argnums names argument {i}, and {name_of(f)} was called with {count} by "
                f"position: one given by name cannot be differentiated by"
            )
    if len({i % count for i in positions}) < len(positions):
        raise errors.ShapeError(f"argnums names an argument twice: {positions}")


def _stand_in(x: ArrayLike, name: str) -> Tensor:
    """A stand-in for an argument, of the same value: it shows where the graph of f begins.

    If code outside may differentiate by `x`, the stand-in is np.positive(x), which changes nothing and
    keeps the way back to `x`. Otherwise it is a new leaf.
    """
    try:
        tensor = x if isinstance(x, Tensor) else Tensor(x)
    except errors.DTypeError:
        raise errors.DTypeError(
            f"{name} is {described(x)}: differentiate by numbers, arrays and Tensors, in lists, "
            f"tuples and dicts"
        ) from None
    if not np.issubdtype(tensor.dtype, np.floating):
        raise errors.DTypeError(
            f"{name} is of {tensor.dtype}, and only what is floating can be differentiated by: "
            f"write 2.0 for 2, convert the array, or name other arguments in argnums"
        )
    if mode.get().grad and tensor.requires_grad:
        return Tensor.apply(np.positive, (tensor,), {})
    return Tensor(tensor._array, requires_grad=True, name=tensor.name)


def _checked(f: Callable, y: object) -> Tensor:
    if not isinstance(y, Tensor):
        raise errors.GraphError(
            f"{name_of(f)} returns a {type(y).__name__}, not a Tensor, so its derivative is lost: "
            f"compute with NumPy's functions on the Tensors it is given, without item() or data"
        )
    if not np.issubdtype(y.dtype, np.floating):
        raise errors.DTypeError(f"{name_of(f)} returns {y.dtype}, which has no derivative")
    return y


def _arguments(primals: object) -> tuple:
    return primals if isinstance(primals, tuple) else (primals,)


def _matching(vectors: object, tree: object, tensors: Sequence[Tensor]) -> list[Tensor]:
    """The leaves of `vectors`, a tree of the same form as `tree`, as Tensors of the right dtype."""
    paths = [p for p, _ in leaves(tree)]
    with_paths = list(leaves(vectors))
    if [p for p, _ in with_paths] != paths:
        raise errors.ShapeError(
            f"expected a tree with the leaves {', '.join(p or 'x' for p in paths)}, and got one "
            f"with {', '.join(p or 'x' for p, _ in with_paths)}"
        )
    matched = []
    for (path, value), tensor in zip(with_paths, tensors):
        vector = value if isinstance(value, Tensor) else Tensor(value, dtype=tensor.dtype)
        if vector.shape != tensor.shape:
            raise errors.ShapeError(
                f"expected the shape {tensor.shape}{f' for {path}' if path else ''}, "
                f"and got {vector.shape}"
            )
        matched.append(vector if vector.dtype == tensor.dtype else vector.astype(tensor.dtype))
    return matched
