"""Remedies of a trouble, by its kind and the operation that it came from: what people do about it."""

from __future__ import annotations

import numpy as np

from ...ran.data import GraphNode, Ref
from ..graph import Graph
from .reading import is_bad, sources, verb

# What people do about it, by the kind of the trouble and the operation that it came from.
REMEDIES = {
    "not finite": {
        "log": "log of 0, or of less: take F.log_softmax or a cross-entropy of the scores themselves, "
        "or the log of a number that is kept above 0",
        "exp": "exp of a large number: subtract the largest first, as softmax and logsumexp do",
        "expm1": "expm1 of a large number: subtract the largest first",
        "divide": "a division by 0: add a small number to the divisor, or leave those elements out",
        "reciprocal": "a division by 0: add a small number to the divisor",
        "sqrt": "its slope at 0 is infinite: take the root of x plus a small number",
        "power": "its slope at 0 may be infinite, as a power below 0 is: keep the base away from 0",
        "negative root": "the root of a number below 0: keep what comes in above 0, and look at how it "
        "came to be below it, as a variance is not",
        "no element": "0 / 0: no element counts, as where a mask leaves none, or each target is ignored",
        "large power": "a power of a large number overflows: if it has grown while learning, a smaller "
        "learning rate, or clipping of the gradient",
        "root": "its slope at 0 is infinite: add a small number under the root",
        "arccos": "its slope at -1 and 1 is infinite: clip its argument a little inside these",
        "arcsin": "its slope at -1 and 1 is infinite: clip its argument a little inside these",
        "where": "every element of a row is masked: a softmax has nothing to choose from. Leave such "
        "rows out, or let them attend to something",
        "matmul": "the sum of the products overflows: make the weights or the inputs smaller; if they "
        "have grown while learning, a smaller learning rate",
        "astype": "numbers of 16 bits go up to 65,504: scale down what comes in, or take bfloat16 or "
        "float32",
    },
    "zero": {
        "relu": "no element is above 0 (a dead ReLU): a smaller learning rate, another start of the "
        "biases, or leaky_relu or gelu",
        "clamp": "every element lies beyond the bounds, where the slope is 0: clip later, or less",
        "clip": "every element lies beyond the bounds, where the slope is 0: clip later, or less",
        "maximum": "the other argument wins everywhere, and takes the whole gradient",
        "minimum": "the other argument wins everywhere, and takes the whole gradient",
        "sigmoid": "it is saturated: its slope is 0. Scale its argument down, or take a loss of scores",
        "tanh": "it is saturated: its slope is 0. Scale its argument down, or normalize it",
        "where": "the other argument is chosen everywhere, as beyond the bounds of hardtanh or relu6",
        "round": "its slope is 0: a straight-through estimate is x + (round(x) - x).detach()",
        "sign": "its slope is 0: a straight-through estimate is x + (sign(x) - x).detach()",
        "multiply": "what it is multiplied by is 0",
        "matmul": "what it is multiplied by is 0: weights that start at 0, or values that died before",
    },
}
GENERAL = {
    "overflows": "numbers of 16 bits go up to 65,504: scale the loss down, as torch.amp.GradScaler does "
    "after such a step, or take bfloat16 or float32",
    "underflows": "numbers of 16 bits below 6e-8 are 0: scale the loss up, as torch.amp.GradScaler "
    "does, or take bfloat16 or float32",
    "hook": "look at what the hook gives: where that is not meant, as clipping is, leave the hook out, "
    "or let it return None",
    "another": "look for code that changes gradients on their way, or numbers that PyTorch had saved: "
    "print(watched.compare()) says more",
    "carried": "detach what is carried from one step to the next, as the state of an RNN: "
    "h = h.detach(); of two losses of one graph, add them up, and call backward() once",
    "own backward": "if it is not meant, as a straight-through estimate is, its backward() is wrong: "
    "torch.autograd.gradcheck compares it with finite differences",
    "steps": "a smaller learning rate, a tenth at first; a warm-up; clipping of the gradient",
    "uphill": "the step is to be against the gradient: p -= lr * p.grad",
    "outside": "look at the line: what is kept, as a running statistic, has a NaN from now on",
    "pairs": "give both one shape: y[:, None], or .squeeze(-1) of the column",
    "not finite": "look at the numbers that came in: are they as large as they should be?",
    "infinite": "an infinite number times 0: put it in after this operation, as a mask, or take a large "
    "finite number",
    "mask": "an infinite number that was put in, as a mask, reaches the result: a row of which every "
    "element is masked has nothing to choose from. Leave such rows out",
    "parameter": "it was so before: look at the numbers that it started with, or at the steps of "
    "training before, by a block around the whole loop; a smaller learning rate, or clipping of the "
    "gradient",
    "data": "drop or fill such elements before the model sees them: np.isnan, torch.isnan",
    "zero": "look at what it is multiplied by, or chosen against, there",
    "cancelled": "the result does not depend on it: a softmax of one class, or the sum of a softmax, is "
    "always 1; x - x, and the mean of what was normalized, always 0",
    "not computed": "print(watched.compare()) compares the values: look for one that is nearly singular",
    "raised": "torch.autograd.set_detect_anomaly(True) names the line of the operation that it is about",
    "stale": "optimizer.zero_grad(), or .grad = None, before backward()",
    "no gradient": "first loss.backward(), then optimizer.step(), and zero_grad() not between them",
    "little": "a learning rate such as 0.1 for SGD, 0.001 for Adam, and from there by factors of 3",
    "clipped": "clip to a length near that of most gradients, as clip_grad_norm_(parameters, 1.0) does",
    "in a list": "nn.ModuleList, or nn.ModuleDict, in the place of the list",
    "made anew": "make the optimizer when the model is complete; what is replaced later goes to "
    "optimizer.add_param_group",
    "not given": "give them to the optimizer; if they are not to learn, requires_grad_(False) says so, "
    "and saves their gradients",
    "logarithms": "log_softmax of the scores in its place; of cross_entropy, the scores themselves",
    "axis of classes": "log_softmax along the classes, as a rule dim=1",
    "classes moved": "scores.movedim(-1, 1), or transpose(1, 2), in the place of the view, which leaves "
    "the numbers in their order",
    "sigmoid twice": "leave the sigmoid out: this loss takes the scores themselves",
    "targets": "targets of 0 and 1, or shares between them",
    "inverted": "if it is not meant, turn it round, ~mask: in minigrad and scaled_dot_product_attention "
    "True may be attended to; in masked_fill, and the masks of nn.MultiheadAttention, True is hidden",
    "made zero": "before the softmax, scores.masked_fill(mask == 0, -torch.inf), or "
    "np.where(mask, scores, -np.inf)",
    "mixed": "to (B, T, H, K) first, or (B, T, 3, H, K), and then transpose; on the way back transpose "
    "first",
    "alike": "a start with random weights, as of nn.init.xavier_uniform_: zeros are for the biases",
    "dead": "a smaller learning rate, inputs with a mean near 0, another start of the biases; or "
    "leaky_relu or gelu",
    "saturated": "a start with a smaller scale, normalized inputs, or a normalization before it",
    "kept": "optimizer.zero_grad() in each step, before backward()",
    "sampled": "rsample() passes a gradient back, sample() none; of choices, as of a Categorical, "
    "log_prob() of what was chosen has one",
    "cut off": "leave out detach(), item(), no_grad() and NumPy between the parameter and the loss",
    "vanishes": "residual connections, a normalization in each layer, ReLU or GELU, a start with a "
    "larger scale; for long sequences an LSTM, a GRU or attention",
    "explodes": "a start with a smaller scale, a normalization in each layer, clipping of the gradient",
    "explodes later": "it was not so at the first backward(): a smaller learning rate, or clipping of "
    "the gradient",
    "first step": "what is used has seen one input alone, as o[:, 0] has: take the last, o[:, -1]; of "
    "both directions, the last of h_n for each, or a mean over time",
    "axis": "for scores of (queries, keys) take the softmax along the keys: axis=-1, dim=-1",
    "twice": "leave the first one out: a cross-entropy, log_softmax and Categorical(logits=...) take "
    "scores",
}


def _is_sum_of_none(graph: Graph, argument: object) -> bool:
    """Tell whether an argument is a sum that is 0, or 0 itself."""
    if not isinstance(argument, Ref):
        return argument == 0
    node = graph[argument.number]
    return verb(node) == "sum" and not np.any(node.value)


def remedy_for(graph: Graph, node: GraphNode, kind: str = "not finite") -> str:
    """The remedy of a trouble of this kind that comes from an operation."""
    name = verb(node)
    if name in ("power", "sqrt") and is_bad(node.value):
        base = node.arguments[0]
        number = sources(graph, node)[0].value if isinstance(base, Ref) else base
        if np.isnan(node.value).any():  # type: ignore[arg-type]
            name = "negative root"
        elif name == "power" and np.all(number):
            name = "large power"
    if name == "divide" and all(_is_sum_of_none(graph, a) for a in node.arguments[:2]):
        name = "no element"
    return REMEDIES[kind].get(name, GENERAL[kind])
