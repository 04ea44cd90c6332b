"""The model computes with the engine alone: nothing leaves the graph, and everything reaches it."""

import numpy as np
import pytest
from model_checks import randomized

from minigrad.engine.modes import Watcher, setting
from minigrad.engine.table import TABLE
from minigrad.engine.walk import order
from minigrad.functional import cross_entropy
from minitransformer import (
    DecoderOnly,
    DecoderSizes,
    EncoderOnly,
    EncoderSizes,
    Sizes,
    Transformer,
)

ROOMS = [["minigrad", room] for room in ("engine", "definitions", "functional")]
TOKENS = np.array([[3, 4, 2, 6], [5, 8, 7, 2]])


def sizes(**style):
    return {"width": 6, "heads": 3, "feed_forward": 9, **style}


@pytest.mark.parametrize(
    ("make", "inputs"),
    [
        (lambda: Transformer(Sizes(9, 9, **sizes())), 2),
        (lambda: Transformer(Sizes(9, 9, **sizes(norm="pre", activation="gated"))), 2),
        (lambda: Transformer(Sizes(9, 9, **sizes(positions="learned", score="concat"))), 2),
        (lambda: Transformer(Sizes(9, 9, **sizes(tied="all", score="general"))), 2),
        (lambda: EncoderOnly(EncoderSizes(9, **sizes())), 1),
        (lambda: DecoderOnly(DecoderSizes(9, **sizes(positions="none", score="additive"))), 1),
        (lambda: DecoderOnly(DecoderSizes(9, **sizes(positions="rotary", heads=1))), 1),
    ],
    ids=["post-norm", "pre-norm, gated", "learned, concat", "tied, general", "encoder-only",
         "decoder-only, additive", "decoder-only, rotary"],
)  # fmt: skip
def test_every_parameter_and_intermediate_reaches_the_loss(make, inputs):
    """Each node that the forward pass makes is an operation of the engine's table, and is in the graph
    of the loss where it has a gradient; and no number is taken out of a tensor on the way."""
    made, read = [], []

    class Seen(Watcher):
        def on_operation(self, node, args, y):
            made.append(node)

        def on_taken_out(self, tensor):
            read.append(tensor)

    m = randomized(make())
    with setting(watchers=(Seen(),)):
        loss = cross_entropy(m(*[TOKENS] * inputs), TOKENS)
    assert read == []
    reached = set(order([loss._node]))
    assert len(made) > 20
    for node in made:
        assert node in reached or not node.requires_grad, f"{node} does not reach the loss"
        assert node.operation in TABLE.values(), node
        for rule in node.operation.rules:
            assert rule is None or rule.__module__.split(".")[:2] in ROOMS, node
    assert reached.issuperset(p._node for p in m.parameters())
    loss.backward()
    for name, parameter in m.named_parameters():
        # One number added to all keys changes no weight: the gradient of a key's bias is rounding.
        if not name.endswith("key.bias"):
            assert np.abs(parameter.grad.data).max() > 1e-6, f"no gradient reaches {name}"
