"""One right call of each public callable of minigrad: what mistaken calls are made from."""

# ruff: noqa: E501 (a row each)

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
from minigrad import functional as F
from minigrad import nn, optim, workers
from minigrad.views import plots
from minigrad.views.page import Extras
from minigrad.views.plots.axes import new_axes


class Call(NamedTuple):
    """A function, and what it is called with."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Call:
    return Call(function, args, kwargs)


def x(*shape: int) -> mg.Tensor:
    values = np.random.default_rng(0).uniform(0.1, 1, shape).astype("f4")
    return mg.Tensor(values, requires_grad=True)


def loss() -> mg.Tensor:
    with mg.record():
        return np.sum(np.tanh(x(2, 3)))


def square(a: Any) -> Any:
    return np.sum(np.square(a))


def ids(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 3, shape)


def moving(kind: Any = optim.Adam) -> optim.Optimizer:
    w = nn.Parameter([1.0, 2.0])
    w.grad = mg.Tensor([1.0, 1.0])
    return kind([w])


def with_gradients() -> list[mg.Tensor]:
    return moving().parameters


def saved(folder: Path) -> Path:
    mg.save(folder / "weights", {"w": np.ones(2)})
    return folder / "weights"


def axes(count: int) -> Any:
    return new_axes(1, count, 4, 3)[0]


def learned() -> nn.Linear:
    model = nn.Linear(2, 3)
    square(model(np.ones((1, 2)))).backward()
    return model


def moved(kind: Any) -> Call:
    """`update` with a parameter, its gradient, and as many arrays as the optimiser keeps."""
    optimizer = moving(kind)
    return call(optimizer.update, 1, *(np.ones(2) for _ in range(2 + len(kind.slots))))


RNG = np.random.default_rng(0)
MASK = np.array([True, False, True, True])

# Each makes its call again, so that none is given what another one has changed. The path is of a folder.
RIGHT: dict[str, Callable[[Path], Call]] = {
    # tensors and their graph
    "Tensor": lambda _: call(mg.Tensor, [1.0, 2.0], requires_grad=True, dtype="f8", name="x"),
    "Tensor.requires_grad_": lambda _: call(mg.Tensor([1.0]).requires_grad_, True),
    "Tensor.retain_grad": lambda _: call(loss().retain_grad),
    "Tensor.detach": lambda _: call(x(2).detach),
    "Tensor.numpy": lambda _: call(mg.Tensor([1.0]).numpy),
    "Tensor.item": lambda _: call(x(1).item),
    "Tensor.tolist": lambda _: call(x(2).tolist),
    "Tensor.copy_": lambda _: call(x(2, 3).copy_, np.ones((2, 3)), dtype="f8"),
    "Tensor.zero_": lambda _: call(x(2).zero_),
    "Tensor.backward": lambda _: call(x(2, 3).sum(axis=0).backward, np.ones(3, "f4"), retain_graph=True, create_graph=True),
    "Tensor.clip": lambda _: call(x(2).clip, 0.0, 1.0),
    "Tensor.reshape": lambda _: call(x(2, 3).reshape, 3, 2, order="C"),
    "Tensor.transpose": lambda _: call(x(2, 3).transpose, 1, 0),
    "backward": lambda _: call(mg.backward, x(2, 3).sum(axis=0), np.ones(3, "f4"), retain_graph=True),
    "Parameter": lambda _: call(mg.Parameter, [1.0], requires_grad=True, dtype="f8", name="w"),
    "rule": lambda _: call(mg.rule, lambda a: a * a, lambda g, y, a: 2 * g * a),
    "definition": lambda _: call(mg.definition, lambda a: a * a),
    "set_default_dtype": lambda _: call(mg.set_default_dtype, "f4"),
    "get_default_dtype": lambda _: call(mg.get_default_dtype),
    # switches
    "no_grad": lambda _: call(mg.no_grad, square),
    "enable_grad": lambda _: call(mg.enable_grad, square),
    "record": lambda _: call(mg.record, square),
    "detect_anomaly": lambda _: call(mg.detect_anomaly, square),
    # random numbers, files
    "manual_seed": lambda _: call(mg.manual_seed, 0),
    "generator": lambda _: call(mg.generator, RNG),
    "save": lambda folder: call(mg.save, folder / "new", {"w": np.ones(2)}, {"step": 1}),
    "load": lambda folder: call(mg.load, saved(folder)),
    # functions of functions
    "compile": lambda _: call(mg.compile, square, exact=False),
    "vjp": lambda _: call(mg.vjp, square, x(3)),
    "jvp": lambda _: call(mg.jvp, square, (x(3),), (x(3),)),
    "grad": lambda _: call(mg.grad, square, 0),
    "value_and_grad": lambda _: call(mg.value_and_grad, square, (0, 1)),
    "jacobian": lambda _: call(mg.jacobian, square, 0),
    "hessian": lambda _: call(mg.hessian, square, 0),
    "hvp": lambda _: call(mg.hvp, square, (x(3),), (x(3),)),
    "gradcheck": lambda _: call(mg.gradcheck, square, x(3), order=1, eps=1e-6, rtol=1e-4, atol=1e-5, parameters={}),
    # views
    "graph": lambda _: call(mg.graph, loss()),
    "diagnose": lambda _: call(mg.diagnose, loss()),
    "steps": lambda _: call(mg.steps, x(2, 3).sum(axis=0), np.ones(3, "f4")),
    "explore": lambda folder: call(
        mg.explore, lambda a: square(a * x(3)), folder / "page.html", inputs=[np.ones(3)], title="a page", letters={"T": 3},
        labels={"T": ["a", "b", "c"]}, extras=Extras({"More": "<p>more"}, {"06": ("a title", "a.html")}),
    ),
    "Graph.table": lambda _: call(mg.graph(loss()).table, 5),
    "Graph.summary": lambda _: call(mg.graph(loss()).summary),
    "Graph.draw": lambda _: call(mg.graph(loss()).draw, backward=True, direction="right"),
    "Graph.program": lambda _: call(mg.graph(loss()).program),
    "Graph.to_dot": lambda _: call(mg.graph(loss()).to_dot, direction="right"),
    "Graph.render": lambda folder: call(mg.graph(loss()).render, folder / "graph.dot", direction="right"),
    # functions of arrays
    "functional.relu": lambda _: call(F.relu, x(2, 4)),
    "functional.leaky_relu": lambda _: call(F.leaky_relu, x(2, 4), 0.01),
    "functional.elu": lambda _: call(F.elu, x(2, 4), 1.0),
    "functional.softplus": lambda _: call(F.softplus, x(2, 4)),
    "functional.sigmoid": lambda _: call(F.sigmoid, x(2, 4)),
    "functional.silu": lambda _: call(F.silu, x(2, 4)),
    "functional.erf": lambda _: call(F.erf, x(2, 4)),
    "functional.gelu": lambda _: call(F.gelu, x(2, 4), "tanh"),
    "functional.linear": lambda _: call(F.linear, x(2, 4), x(4, 3), x(3)),
    "functional.embedding": lambda _: call(F.embedding, x(3, 4), ids(2, 5)),
    "functional.one_hot": lambda _: call(F.one_hot, ids(2, 5), 3),
    "functional.softmax": lambda _: call(F.softmax, x(2, 4), 1),
    "functional.masked_softmax": lambda _: call(F.masked_softmax, x(2, 4), MASK, 1),
    "functional.log_softmax": lambda _: call(F.log_softmax, x(2, 4), 1),
    "functional.logsumexp": lambda _: call(F.logsumexp, x(2, 4), 1, True),
    "functional.not_zero": lambda _: call(F.not_zero, x(2, 4)),
    "functional.masked_fill": lambda _: call(F.masked_fill, x(2, 4), MASK, 0.0),
    "functional.standardize": lambda _: call(F.standardize, x(2, 4), -1, 1e-5),
    "functional.layer_norm": lambda _: call(F.layer_norm, x(2, 4), x(4), x(4), 1e-5),
    "functional.dropout": lambda _: call(F.dropout, x(2, 4), 0.5, True, RNG),
    "functional.cross_entropy": lambda _: call(
        F.cross_entropy, x(2, 5, 3), ids(2, 5), ignore_index=0, label_smoothing=0.1, reduction="mean"
    ),
    "functional.nll_loss": lambda _: call(F.nll_loss, -x(2, 5, 3), ids(2, 5), ignore_index=0, reduction="mean"),
    "functional.mse_loss": lambda _: call(F.mse_loss, x(2, 4), x(2, 4), reduction="sum"),
    "functional.binary_cross_entropy_with_logits": lambda _: call(
        F.binary_cross_entropy_with_logits, x(2, 4), np.ones((2, 4)), reduction="sum"
    ),
    # layers
    "nn.Parameter": lambda _: call(nn.Parameter, [1.0]),
    "nn.Module": lambda _: call(nn.Module),
    "nn.Module.forward": lambda _: call(nn.Linear(4, 3), x(2, 4)),
    "nn.Module.named_children": lambda _: call(nn.Linear(4, 3).named_children),
    "nn.Module.named_modules": lambda _: call(nn.Linear(4, 3).named_modules),
    "nn.Module.named_parameters": lambda _: call(nn.Linear(4, 3).named_parameters),
    "nn.Module.parameters": lambda _: call(nn.Linear(4, 3).parameters),
    "nn.Module.zero_grad": lambda _: call(nn.Linear(4, 3).zero_grad),
    "nn.Module.train": lambda _: call(nn.Linear(4, 3).train, True),
    "nn.Module.eval": lambda _: call(nn.Linear(4, 3).eval),
    "nn.Module.state_dict": lambda _: call(nn.Linear(4, 3).state_dict),
    "nn.Module.load_state_dict": lambda _: call(nn.Linear(4, 3).load_state_dict, nn.Linear(4, 3).state_dict()),
    "nn.Module.astype": lambda _: call(nn.Linear(4, 3).astype, "f8"),
    "nn.Module.describe": lambda _: call(nn.Linear(4, 3).describe),
    "nn.ModuleList": lambda _: call(nn.ModuleList, [nn.Linear(4, 3)]),
    "nn.ModuleList.append": lambda _: call(nn.ModuleList().append, nn.Linear(4, 3)),
    "nn.ReLU": lambda _: call(nn.ReLU),
    "nn.GELU": lambda _: call(nn.GELU),
    "nn.Sigmoid": lambda _: call(nn.Sigmoid),
    "nn.CrossEntropyLoss": lambda _: call(nn.CrossEntropyLoss),
    "nn.MSELoss": lambda _: call(nn.MSELoss),
    "nn.Loss": lambda _: call(nn.Loss, F.mse_loss),
    "nn.Loss.forward": lambda _: call(nn.MSELoss(), x(2, 4), x(2, 4)),
    "nn.Function": lambda _: call(nn.Function, np.tanh),
    "nn.Function.forward": lambda _: call(nn.Function(np.tanh), x(2)),
    "nn.Function.describe": lambda _: call(nn.Function(np.tanh).describe),
    "nn.Sequential": lambda _: call(nn.Sequential, nn.Linear(4, 3), np.tanh),
    "nn.Sequential.append": lambda _: call(nn.Sequential().append, np.tanh),
    "nn.Sequential.forward": lambda _: call(nn.Sequential(nn.Linear(4, 3), np.tanh), x(2, 4)),
    "nn.Linear": lambda _: call(nn.Linear, 4, 3, True, rng=RNG),
    "nn.Linear.forward": lambda _: call(nn.Linear(4, 3), x(2, 4)),
    "nn.Linear.describe": lambda _: call(nn.Linear(4, 3).describe),
    "nn.Embedding": lambda _: call(nn.Embedding, 3, 4, 1.0, rng=RNG),
    "nn.Embedding.forward": lambda _: call(nn.Embedding(3, 4), ids(2, 5)),
    "nn.Embedding.describe": lambda _: call(nn.Embedding(3, 4).describe),
    "nn.Dropout": lambda _: call(nn.Dropout, 0.5, rng=RNG),
    "nn.Dropout.forward": lambda _: call(nn.Dropout(0.5), x(2, 4)),
    "nn.Dropout.describe": lambda _: call(nn.Dropout(0.5).describe),
    "nn.uniform": lambda _: call(nn.uniform, (2, 3), 0.5, RNG),
    "nn.xavier_uniform": lambda _: call(nn.xavier_uniform, (2, 3), RNG, part_of=(2, 6)),
    # optimisers
    "optim.Optimizer": lambda _: call(optim.Optimizer, [x(2)], 0.1, 0.0),
    "optim.Optimizer.zero_grad": lambda _: call(moving().zero_grad),
    "optim.Optimizer.step": lambda _: call(moving().step),
    "optim.Optimizer.state_dict": lambda _: call(moving().state_dict),
    "optim.Optimizer.load_state_dict": lambda _: call(moving().load_state_dict, moving().state_dict()),
    "optim.SGD": lambda _: call(optim.SGD, [x(2)], 0.1, 0.9, True, 0.1),
    "optim.Adam": lambda _: call(optim.Adam, [x(2)], 0.1, (0.9, 0.99), 1e-8, 0.1),
    "optim.AdamW": lambda _: call(optim.AdamW, [x(2)], 0.1, (0.9, 0.99), 1e-8, 0.1),
    "optim.warmup_inverse_sqrt": lambda _: call(optim.warmup_inverse_sqrt, 0.1, 5),
    "optim.warmup_cosine": lambda _: call(optim.warmup_cosine, 0.1, 5, 10, 0.01),
    "optim.stepwise": lambda _: call(optim.stepwise, 0.1, 5, 0.5),
    "optim.clip_grad_norm": lambda _: call(optim.clip_grad_norm, with_gradients(), 1.0),
    "optim.clip_grad_value": lambda _: call(optim.clip_grad_value, with_gradients(), 1.0),
    # workers
    "workers.Gradients": lambda _: call(workers.Gradients, square, [x(2)]),
    "workers.Threads": lambda _: call(workers.Threads, 1),
    "workers.Threads.total": lambda _: call(
        workers.Threads(1).total, workers.Gradients(lambda part: square(part * w), [w := x(2)]), [np.ones(2)]
    ),
    # plots
    "plots.heat_map": lambda _: call(
        plots.heat_map, x(2, 3), rows=["a", "b"], columns=["c", "d", "e"], sides=("from", "to"), title="a title",
        quantity="m", limits=(0.0, 1.0), numbers=".2f", ax=axes(1)[0],
    ),
    "plots.vectors": lambda _: call(
        plots.vectors, x(2, 2), ["a", "b"], starts=np.zeros(2), colour=["red", "blue"], width=1.0, names=("x", "y"),
        title="a title", ax=axes(1)[0],
    ),
    "plots.histograms": lambda _: call(
        plots.histograms, {"w": x(2, 3), "none": None}, quantity="m", sizes=True, bins=5, colour="red", title="a title",
        ax=axes(1)[0],
    ),
    "plots.weights_and_gradients": lambda _: call(plots.weights_and_gradients, learned(), ax=axes(2)),
    "plots.gradient_size": lambda _: call(plots.gradient_size, learned()),
    "plots.gradient_sizes": lambda _: call(
        plots.gradient_sizes, {"a model": [1.0, 0.1]}, layers="layer", title="a title", ax=axes(1)[0]
    ),
}  # fmt: skip
