"""The transformer's kernels: `kernel_checks` says over which classes of input each is compared."""

import contextlib
import importlib.util

import numpy as np
import pytest
from kernel_checks import SOME, Alike, Kernel, check

import minigrad as mg
from minigrad import functional as F
from minigrad.functional import relu
from minigrad.nn import Linear
from minitransformer import Sizes, Transformer, attention
from minitransformer.model.feed_forward import feed_forward
from minitransformer.model.projection import linear_of_heads, linear_to_heads

for room in ("minigrad.fast", "minitransformer.fast"):
    if importlib.util.find_spec(room) is None:
        pytest.skip("a folder of kernels was deleted", allow_module_level=True)


def linear(weight, bias):
    """A linear map of these arrays or tensors."""
    layer = Linear(1, 1)
    vars(layer).update(weight=weight, bias=bias)  # tensors that are no parameters
    return layer


def fed_forward(x, w, b, w2, b2, activation=relu):
    return feed_forward(x, linear(w, b), linear(w2, b2), activation)


def masked(i, mask=SOME):
    """The output (0) or the weights (1) of attention with a mask, of which it sees a part."""

    def call(q, k, v):
        part = mask[: q.shape[-2], : k.shape[-2]]
        return attention(q, k, v, part)[i]

    return call


QKV = ("...TK", "...SK", "...SV")
KERNELS = {
    "attention": Kernel(attention, lambda *qkv: attention(*qkv)[0], QKV),
    "attention weights": Kernel(
        attention, lambda q, k: attention(q, k, np.zeros(k.shape))[1], ("...TK", "...SK")
    ),
    "attention masked": Kernel(attention, masked(0), QKV),
    "linear_to_heads": Kernel(
        linear_to_heads, lambda x, w, b: linear_to_heads(x, w, b, 2), ("...TD", "DP", "P")
    ),
    "linear_to_heads without a bias": Kernel(
        linear_to_heads, lambda x, w: linear_to_heads(x, w, None, 2), ("...TD", "DP")
    ),
    "linear_of_heads": Kernel(
        linear_of_heads, lambda x, w, b: linear_of_heads(x, w, b), ("...HTV", "JE", "E")
    ),
    "linear_of_heads without a bias": Kernel(
        linear_of_heads, lambda x, w: linear_of_heads(x, w, None), ("...HTV", "JE")
    ),
    "feed_forward": Kernel(feed_forward, fed_forward, ("...D", "DE", "E", "EN", "N")),
}
VALUES = KERNELS["attention"].arrays((3, 2))[2]


class TestKernels(Alike):
    room = "minitransformer.fast"
    kernels = KERNELS
    masked = {  # noqa: RUF012
        name: Kernel(
            attention,
            lambda mask, q, k, i=i: attention(q, k, VALUES, mask)[i],
            ("...TK", "...SK"),
        )
        for i, name in enumerate(("output", "weights"))
    }
    broadcasting = [  # noqa: RUF012
        (fed_forward, [(2, 3), (3, 1), (4,), (4, 2), (1,)]),
        (fed_forward, [(2, 3), (3, 4), (4,), (4, 1), (5,)]),
        (linear_of_heads, [(2, 3, 2), (4, 1), (5,)]),
        (lambda *qkv: attention(*qkv)[0], [(2, 3, 5), (4, 5), (4, 2)]),
        (lambda *qkv: attention(*qkv)[0], [(2, 1, 3, 5), (4, 3, 5), (1, 1, 3, 5)]),
    ]


def test_one_tensor_in_several_places():
    x, w = np.random.default_rng(3).standard_normal((2, 4, 4))
    check(lambda x: attention(x, x, x)[0], [x])
    check(lambda x, w: fed_forward(x, w, w[0], w.T, x[0]), [x, w])


def test_what_is_no_plain_linear_map_or_no_relu_is_left_to_the_definition():
    class Doubled(Linear):
        def forward(self, x):
            return 2 * super().forward(x)

    x, w = np.random.default_rng(3).standard_normal((2, 4, 4))
    check(lambda x, w: fed_forward(x, w, None, w, None), [x, w])
    check(lambda x, w: fed_forward(x, w, w[0], w, w[1], np.tanh), [x, w])

    def doubled(x, w):
        layer = Doubled(1, 1)
        vars(layer).update(weight=w, bias=w[0])
        return feed_forward(x, linear(w, w[1]), layer, relu)

    check(doubled, [x, w])


@pytest.mark.parametrize(
    "options",
    [
        {"score": lambda q, k: q @ np.swapaxes(k, -1, -2)},
        {"phi": np.square},
    ],
    ids=lambda options: next(iter(options)),
)
def test_attention_with_its_other_arguments(options):
    q, k, v = KERNELS["attention"].arrays()
    for i in (0, 1):
        check(lambda *qkv: attention(*qkv, SOME, **options)[i], [q, k, v])


def test_a_model_learns_the_same_with_kernels_and_without():
    """Ten steps of training: the losses are equal up to rounding."""
    draw = np.random.default_rng(0).integers
    source, written = draw(3, 20, (8, 7)), draw(3, 20, (8, 6))

    def losses(mode):
        mg.manual_seed(0)
        model = Transformer(
            Sizes(source_symbols=20, target_symbols=20, width=16, heads=2, feed_forward=32)
        )
        optimizer = mg.optim.Adam(model.parameters(), lr=1e-2)
        for _ in range(10):
            with mode():
                loss = F.cross_entropy(model(source, written[:, :-1]), written[:, 1:])
                optimizer.zero_grad()
                loss.backward()
            optimizer.step()
            yield loss.item()

    fast, plain = list(losses(mg.fast)), list(losses(contextlib.nullcontext))
    np.testing.assert_allclose(fast, plain, atol=1e-4, rtol=0)
    assert plain[-1] < plain[0] - 0.5
