"""Optimisers, the schedules of their learning rates, and the clipping of gradients."""

from __future__ import annotations

import math
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from . import errors
from .arrays.blocks import Blocks, squares
from .arrays.pytorchs import is_pytorchs
from .arrays.ranges import extent, shape_and_dtype
from .arrays.state import arrays_for
from .engine.errors import described
from .engine.kinds import has_axes, named
from .engine.modes import effect, mode
from .engine.source import level_outside
from .engine.tensor import Tensor, tensor_of
from .missing import PUBLIC, AnswersOtherNames, missing
from .settings import flag, real, whole

__all__ = [
    "SGD", "Adam", "AdamW", "Optimizer", "Schedule", "clip_grad_norm", "clip_grad_value", "stepwise",
    "warmup_cosine", "warmup_inverse_sqrt",
]  # fmt: skip
PUBLIC[__name__] = __all__


def __dir__() -> list[str]:
    return __all__  # a tab shows what is for users


def __getattr__(name: str) -> Any:
    raise missing(__name__, name, "optim")


Schedule = Callable[[int], float]
ALIVE: weakref.WeakSet[Optimizer] = weakref.WeakSet()  # all that there are, for the diagnosis


class Optimizer(AnswersOtherNames):
    """Moves parameters by their gradients; those without a gradient are left alone.

    A subclass names in `slots` the arrays that are kept for each parameter, all zeros at first, and
    defines `update(t, p, g, *state)`. It changes a parameter `p`, and the arrays kept for it, in place,
    and leaves its gradient `g` as it is; `t` counts the steps of this parameter, this one included. If
    `update` treats each element by itself, the subclass says `elementwise = True`: then it is called
    with some rows of a large parameter, and with small parameters joined, which is faster (`Blocks`).

    Args:
        parameters: the leaves to change, of a floating dtype. One that occurs twice counts once; one
            that requires no gradient never gets one, and stays as it is: a warning says so, but of a
            frozen `nn.Parameter`.
        lr: the learning rate.
        weight_decay: how strongly each step pulls the parameters to zero.

    Raises:
        ConfigError: if there are no parameters, one of them is not a leaf, or a setting makes no
            sense.
    """

    _home = "optimizer"
    slots: tuple[str, ...] = ()
    elementwise = False
    update: Callable[..., None]

    def __init__(self, parameters: Iterable[Tensor], lr: float, weight_decay: float = 0.0):
        self.parameters = parameter_list(parameters)
        if not self.parameters:
            raise errors.ConfigError("an optimiser needs at least one parameter")
        frozen = [p for p in self.parameters if type(p) is Tensor and not p.requires_grad]
        if any(p.node.grad is None for p in frozen):  # a Parameter is frozen on purpose
            warnings.warn(
                f"a tensor of {shape_and_dtype(frozen[0])} among the parameters requires no gradient, "
                f"and will stay as it is: to train it, make it with requires_grad=True",
                stacklevel=level_outside(),
            )
        self.lr = lr
        self.weight_decay = real("weight_decay", weight_decay)
        self.steps = [0] * len(self.parameters)  # that each parameter has taken
        ALIVE.add(self)
        state = [[np.zeros_like(p._array) for _ in self.slots] for p in self.parameters]
        self._blocks = Blocks(self.parameters, state, self.elementwise)

    @staticmethod
    def _refusal(wrong: str) -> Exception:
        return errors.ConfigError(wrong)

    @property
    def lr(self) -> float:
        """The learning rate. It may be set at any time, as in `optimizer.lr = schedule(step)`."""
        return self._lr

    @lr.setter
    def lr(self, lr: float) -> None:
        effect("sets a learning rate")
        self._lr = real("lr", lr)

    @named
    def zero_grad(self) -> None:
        """Forget all gradients: each is None again."""
        effect("calls zero_grad()")
        for p in self.parameters:
            p.node.grad = None

    @named
    def step(self) -> None:
        """Give every parameter that has a gradient a new array.

        A graph that used the array of before keeps that. Warns if none has a gradient.
        """
        effect("calls step() of an optimiser")
        for watcher in mode.get().watchers:
            watcher.on_step(self)
        grads = [p.node.grad for p in self.parameters]
        if all(g is None for g in grads):
            warnings.warn(
                "no parameter has a gradient, so that step() changes none: loss.backward() was not "
                "called, or zero_grad() was called after it, or the loss is of another model than these "
                "parameters (make the optimizer after the model)",
                stacklevel=level_outside(),
            )
        gradients = [None if g is None else np.asarray(g._array) for g in grads]
        for t, p, g, *state in self._blocks.updates(gradients, self.steps):
            self.update(t, p, g, *state)

    @property
    def state(self) -> list[list[np.ndarray]]:
        """For each parameter, the arrays kept for it: one for each of the slots."""
        return self._blocks.state

    def state_dict(self) -> dict[str, Any]:
        """Return all that the next steps depend on, beside the settings of the optimiser.

        `lr` is the learning rate, `steps` has the number of steps of each parameter, and copies of
        the arrays kept are named `mean.0` and so on, by the parameter's position.
        """
        arrays = {
            f"{slot}.{i}": array.copy()
            for i, arrays in enumerate(self.state)
            for slot, array in zip(self.slots, arrays)
        }
        return {"lr": self.lr, "steps": np.array(self.steps), **arrays}

    def load_state_dict(self, state: Mapping[str, object]) -> None:
        """Go on from what `state_dict` returned, of an optimiser made with the same settings.

        Raises:
            StateDictError: if entries are missing, unexpected, of another shape or not of numbers;
                it lists them all, and nothing is changed then.
        """
        arrays = arrays_for(f"this {type(self).__name__}", self.state_dict(), state)
        self.lr = arrays["lr"].item()
        self.steps = arrays["steps"].astype(int).tolist()
        places = range(len(self.parameters))
        by_parameter = [[arrays[f"{slot}.{i}"] for slot in self.slots] for i in places]
        self._blocks = Blocks(self.parameters, by_parameter, self.elementwise)


class SGD(Optimizer):
    """Stochastic gradient descent: p <- p - lr b, where b <- momentum b + g, and b = g without.

    Args:
        parameters, lr: as for every optimiser.
        momentum: how much of the last direction is kept, from 0 to below 1.
        nesterov: look ahead along the new direction: p <- p - lr (g + momentum b), as PyTorch has
            it after Sutskever et al., 2013.
        weight_decay: times p, it is added to the gradient.

    Raises:
        ConfigError: as every optimiser; for a momentum outside 0 to below 1, or nesterov without one.
    """

    elementwise = True
    momentum = 0.0  # of the class: else `AnswersOtherNames` takes it for another library's setting

    @named
    def __init__(
        self, parameters: Iterable[Tensor], lr: float = 1e-2, momentum: float = 0.0,
        nesterov: bool = False, weight_decay: float = 0.0,
    ):  # fmt: skip
        self.momentum = real("momentum", momentum, below=1)
        self.nesterov = flag("nesterov", nesterov)
        if nesterov and not momentum:
            raise errors.ConfigError("nesterov=True needs a momentum above 0")
        if momentum:
            self.slots = ("momentum",)
        super().__init__(parameters, lr, weight_decay)

    def update(self, t, p, g, b=None):
        """p <- p - lr b, as the class says; b is the direction of before, None without momentum."""
        if self.weight_decay:
            g = g + self.weight_decay * p
        if self.momentum:
            if b is None:
                raise errors.ConfigError(
                    "this SGD was made without momentum, and keeps no direction: make another, "
                    "SGD(parameters, lr, momentum=0.9)"
                )
            b *= self.momentum
            b += g
            g = g + self.momentum * b if self.nesterov else b
        p -= self.lr * g


class Adam(Optimizer):
    """Steps whose size does not depend on the gradient's (Kingma & Ba, 2015, algorithm 1).

    Args:
        parameters, lr: as for every optimiser.
        betas: how much of the running means of the gradient and of its square is kept.
        eps: keeps the division finite.
        weight_decay: times p, it is added to the gradient; see `AdamW` for the other way.

    Raises:
        ConfigError: as every optimiser; for betas that are not two numbers from 0 to below 1, or an eps
            below 0.
    """

    elementwise = True
    slots = ("mean", "square")

    @named
    def __init__(
        self, parameters: Iterable[Tensor], lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0.0,
    ):  # fmt: skip
        super().__init__(parameters, lr, weight_decay)
        if not isinstance(betas, (tuple, list)) or len(betas) != 2:
            raise errors.ConfigError(
                f"betas are two numbers, as (0.9, 0.999), not {described(betas)}"
            )
        b1, b2 = betas
        self.betas = real("betas[0]", b1, below=1), real("betas[1]", b2, below=1)
        self.eps = real("eps", eps)

    def update(self, t, p, g, m, v):
        """Add the decay to the gradient, and `move`; m and v are the means of before."""
        if self.weight_decay:
            g = g + self.weight_decay * p
        self.move(t, p, g, m, v)

    def move(self, t: int, p: np.ndarray, g: np.ndarray, m: np.ndarray, v: np.ndarray) -> None:
        """p <- p - lr m' / (sqrt(v') + eps), with m' = m / (1 - b1^t) and v' = v / (1 - b2^t).

        The means start at 0; m' and v' are free of the bias to it. (Here sqrt(1 - b2^t) multiplies
        both sides of the fraction, so that it meets numbers instead of arrays.)
        """
        b1, b2 = self.betas
        m *= b1
        m += (1 - b1) * g
        v *= b2
        v += (1 - b2) * np.square(g)
        root = math.sqrt(1 - b2**t)
        p -= self.lr * root / (1 - b1**t) * m / (np.sqrt(v) + self.eps * root)


class AdamW(Adam):
    """Adam, with the weights decayed beside the gradient's step: p <- p - lr weight_decay p, and then
    Adam's step (Loshchilov & Hutter, 2019, algorithm 2; the factor lr is PyTorch's).

    Args, Raises: as for `Adam`.
    """

    @named
    def __init__(
        self, parameters: Iterable[Tensor], lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 1e-2,
    ):  # fmt: skip
        super().__init__(parameters, lr, betas, eps, weight_decay)

    def update(self, t, p, g, m, v):
        """p <- (1 - lr weight_decay) p, and `move`."""
        p *= 1 - self.lr * self.weight_decay
        self.move(t, p, g, m, v)


# --- schedules: the learning rate as a function of the step, from 1 -------------------------------


def warmup_inverse_sqrt(peak: float, warmup: int) -> Schedule:
    """Up in a line from 0 to `peak` at step `warmup`, then down as 1 / sqrt(step).

    With peak = (D warmup)^-0.5 this is the schedule of Vaswani et al., 2017, equation 3. Without
    warm-up it falls from `peak` at step 1.

    Raises:
        ConfigError: for a peak below 0, or a warm-up that is not a whole number from 0; and the
            schedule, for a step that is none. So do the other schedules.
    """
    peak, warmup = real("peak", peak), max(1, whole("warmup", warmup))
    return _of_steps(
        lambda step: peak * (step / warmup if step < warmup else math.sqrt(warmup / step))
    )


def warmup_cosine(peak: float, warmup: int, steps: int, floor: float = 0.0) -> Schedule:
    """Up in a line from 0 to `peak` at step `warmup`, then down along half a cosine to `floor` at
    `steps`, and `floor` from there on (Loshchilov & Hutter, 2017, equation 5, without restarts).

    A run may be shorter than its warm-up: then it ends before the peak.
    """
    peak, floor = real("peak", peak), real("floor", floor)
    warmup, steps = whole("warmup", warmup), whole("steps", steps)

    def lr(step: int) -> float:
        if step < warmup:
            return peak * step / warmup
        done = min(1.0, (step - warmup) / max(1, steps - warmup))
        return floor + (peak - floor) * (1 + math.cos(math.pi * done)) / 2

    return _of_steps(lr)


def stepwise(start: float, every: int, factor: float = 0.1) -> Schedule:
    """`start` for the first `every` steps, and multiplied by `factor` after each `every` steps."""
    start, factor = real("start", start), real("factor", factor)
    every = whole("every", every, least=1)
    return _of_steps(lambda step: start * factor ** (max(step - 1, 0) // every))


def _of_steps(lr: Schedule) -> Schedule:
    """A schedule that refuses anything but a step with a ConfigError."""
    return lambda step: lr(whole("step", step))


# --- clipping -------------------------------------------------------------------------------------


def clip_grad_norm(parameters: Iterable[Tensor], max_norm: float) -> float:
    """Shrink all gradients together so that their joint norm is at most `max_norm`.

    Returns the norm before. Gradients that are None count for nothing (Pascanu et al., 2013).

    Raises:
        AnomalyError: if a gradient has NaN or infinite elements; none is changed then.
        ConfigError: if `max_norm` is negative or NaN; an infinite one only asks for the norm.
    """
    max_norm = real("max_norm", max_norm, infinite=True)
    pairs = [(p, p.grad._array) for p in parameter_list(parameters) if p.grad is not None]
    norm = math.sqrt(sum(squares(g) for _, g in pairs))
    if not math.isfinite(norm):
        culprits = (
            f"\n  {p.name or 'a parameter'} of shape {p.shape}: {extent(g)}"
            for p, g in pairs
            if not math.isfinite(squares(g))
        )
        raise errors.AnomalyError(
            f"there is no finite norm to clip, for the gradient of{''.join(culprits)}\n"
            f"A lower learning rate may help; detect_anomaly() finds the operation that was first"
        )
    factor = max_norm / (norm + 1e-6)
    if factor < 1:
        for p, g in pairs:
            p.grad = tensor_of(g * factor)
    return norm


def clip_grad_value(parameters: Iterable[Tensor], max_value: float) -> None:
    """Keep each element of each gradient within -max_value and max_value; NaN stays NaN.

    Raises:
        ConfigError: if `max_value` is negative or not finite.
    """
    max_value = real("max_value", max_value)
    for p in parameter_list(parameters):
        if p.grad is not None:
            p.grad = tensor_of(np.clip(p.grad._array, -max_value, max_value))


# --- parameters -----------------------------------------------------------------------------------


def parameter_list(parameters: Iterable[Tensor]) -> list[Tensor]:
    """The parameters as a list, each once.

    Raises:
        ConfigError: unless they are leaves that hold NumPy arrays of floating numbers.
    """
    if isinstance(parameters, (Tensor, str)) or not (
        isinstance(parameters, Iterable) and has_axes(parameters)
    ):
        by_name = f"; a learning rate is given by its name, as lr={parameters}"
        raise errors.ConfigError(
            f"parameters are several tensors, as model.parameters() or [w, b]; "
            f"got {type(parameters).__name__}{by_name if isinstance(parameters, float) else ''}"
        )
    tensors = list(parameters)
    for p in tensors:
        if not isinstance(p, Tensor):
            raise errors.ConfigError(
                f"a parameter is a Tensor, as model.parameters() gives them, not {type(p).__name__}"
                + "; PyTorch's are moved by its own optimizers, torch.optim" * is_pytorchs(p)
            )
        if p._node is not None and p._node.operation is not None:
            raise errors.ConfigError(
                f"only leaves can be given new values, and a tensor of {shape_and_dtype(p)} among the "
                f"parameters is the result of an operation"
            )
        if not isinstance(p._array, np.ndarray) or p._array.dtype.kind != "f":
            raise errors.ConfigError(
                f"parameters are NumPy arrays of floating numbers, and one is "
                f"{type(p._array).__name__} of {shape_and_dtype(p)}"
            )
    return list(dict.fromkeys(tensors))
