"""Models of many kinds, small: each value and gradient is PyTorch's, and the graph draws."""

import functools

import numpy as np
import pytest
from pages import contents

import minigrad as mg
from minigrad.views.page import exploring, live

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


class Residual(nn.Module):
    def __init__(self, width, out, stride):
        super().__init__()
        self.way = nn.Sequential(
            nn.Conv2d(width, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out),
            nn.ReLU(inplace=True), nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out),
        )  # fmt: skip
        self.short = nn.Sequential(
            nn.Conv2d(width, out, 1, stride, bias=False), nn.BatchNorm2d(out)
        )

    def forward(self, x):
        return F.relu(self.way(x) + self.short(x), inplace=True)


def resnet():
    net = nn.Sequential(
        nn.Conv2d(3, 4, 7, 2, 3), nn.MaxPool2d(3, 2, 1), Residual(4, 4, 1), Residual(4, 8, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5),
    )  # fmt: skip
    x, y = torch.randn(2, 3, 16, 16), torch.tensor([1, 4])
    return lambda: F.cross_entropy(net(x), y)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 4, 3, padding=1)
        self.low = nn.Conv2d(4, 8, 3, padding=1, padding_mode="reflect")
        self.up = nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1)
        self.smooth = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.norm = nn.GroupNorm(2, 8)
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        high = F.silu(self.down(x))
        low = F.silu(self.low(F.max_pool2d(high, 2)))
        y = self.norm(torch.cat([high, self.up(low)], dim=1))
        return self.out(torch.cat([y, self.smooth(low)], dim=1))


def unet():
    net, x, y = UNet(), torch.randn(1, 1, 8, 8), torch.rand(1, 1, 8, 8).round()
    return lambda: F.binary_cross_entropy_with_logits(net(x), y)


class GPT2(nn.Module):
    def __init__(self, width=8, heads=2, layers=2, words=11, context=6):
        super().__init__()
        self.tokens, self.places = nn.Embedding(words, width), nn.Embedding(context, width)
        layer = lambda: nn.ModuleDict({
            "norm": nn.LayerNorm(width), "qkv": nn.Linear(width, 3 * width),
            "out": nn.Linear(width, width), "norm2": nn.LayerNorm(width),
            "wide": nn.Linear(width, 4 * width), "narrow": nn.Linear(4 * width, width),
        })  # fmt: skip
        self.layers = nn.ModuleList([layer() for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.tokens.weight
        self.heads = heads
        self.register_buffer("mask", torch.tril(torch.ones(context, context, dtype=torch.bool)))

    def attention(self, layer, x):
        B, T, D = x.shape
        q, k, v = layer["qkv"](x).split(D, dim=2)
        q, k, v = (a.view(B, T, self.heads, -1).transpose(1, 2) for a in (q, k, v))
        scores = q @ k.transpose(-2, -1) / (D // self.heads) ** 0.5
        scores = scores.masked_fill(~self.mask[:T, :T], float("-inf"))
        y = F.dropout(F.softmax(scores, dim=-1), 0.1) @ v
        return layer["out"](y.transpose(1, 2).contiguous().view(B, T, D))

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        for layer in self.layers:
            x = x + self.attention(layer, layer["norm"](x))
            x = x + layer["narrow"](F.gelu(layer["wide"](layer["norm2"](x)), approximate="tanh"))
        return self.head(self.norm(x))


def language(net):
    ids = torch.randint(11, (2, 7))
    return lambda: F.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())


def gpt2():
    return language(GPT2())


class Llama(nn.Module):
    """Rotary positions, grouped queries, RMSNorm and SwiGLU."""

    def __init__(self, width=16, heads=4, groups=2, words=11):
        super().__init__()
        self.heads, self.groups, self.K = heads, groups, width // heads
        self.tokens = nn.Embedding(words, width)
        self.norm, self.norm2, self.last = (nn.RMSNorm(width) for _ in range(3))
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * groups * self.K, bias=False)
        self.o = nn.Linear(width, width, bias=False)
        self.gate, self.up = (nn.Linear(width, 24, bias=False) for _ in range(2))
        self.down = nn.Linear(24, width, bias=False)
        self.head = nn.Linear(width, words, bias=False)

    def rotate(self, x):
        T, K = x.shape[-2:]
        angles = torch.outer(torch.arange(T), 1e4 ** (-torch.arange(0, K, 2) / K))
        cos, sin = (f(torch.cat([angles, angles], -1)) for f in (torch.cos, torch.sin))
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat([-b, a], dim=-1) * sin

    def attention(self, x):
        B, T, _ = x.shape
        q = self.q(x).view(B, T, self.heads, self.K).transpose(1, 2)
        k, v = self.kv(x).view(B, T, 2 * self.groups, self.K).transpose(1, 2).chunk(2, dim=1)
        q, k = self.rotate(q), self.rotate(k)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.o(y.transpose(1, 2).reshape(B, T, -1))

    def forward(self, ids):
        x = self.tokens(ids)
        x = x + self.attention(self.norm(x))
        y = self.norm2(x)
        x = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return self.head(self.last(x))


def llama():
    return language(Llama())


def vae():
    code, decode = nn.Linear(6, 4), nn.Sequential(nn.Linear(2, 6), nn.Sigmoid())
    x = torch.rand(3, 6)

    def loss():
        mean, log_variance = code(x).chunk(2, dim=-1)
        z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        far = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        return F.binary_cross_entropy(decode(z), x, reduction="sum") + far

    return loss


def tagger():
    words, net = nn.Embedding(9, 4, padding_idx=0), nn.LSTM(4, 3, 2, bidirectional=True)
    tags = nn.Linear(6, 5)
    ids, lengths = torch.tensor([[3, 2], [1, 4], [5, 0]]), torch.tensor([3, 2])
    right = torch.tensor([[1, 2], [0, 3], [4, -100]])

    def loss():
        packed = nn.utils.rnn.pack_padded_sequence(words(ids), lengths)
        states, _ = nn.utils.rnn.pad_packed_sequence(net(packed)[0])
        return F.cross_entropy(tags(states).transpose(1, 2), right)

    return loss


class ViT(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(1, 8, 2, stride=2)
        self.first = nn.Parameter(torch.randn(1, 1, 8))
        self.places = nn.Parameter(torch.randn(1, 5, 8))
        layer = nn.TransformerEncoderLayer(
            8, 2, 16, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
        )
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(len(x), -1, -1), x], dim=1) + self.places
        return self.head(self.body(x)[:, 0])


def vit():
    net, x, y = ViT(), torch.randn(2, 1, 4, 4), torch.tensor([0, 2])
    return lambda: F.cross_entropy(net(x), y, label_smoothing=0.1)


def graph_attention():
    """Attention over the edges of a graph, by scatter."""
    width = nn.Linear(3, 4, bias=False)
    a = nn.Parameter(torch.randn(8))
    x = torch.randn(5, 3)
    source, target = torch.tensor([[0, 1, 2, 3, 4, 0, 2], [1, 2, 3, 4, 0, 2, 1]])

    def loss():
        h = width(x)
        score = F.leaky_relu(torch.cat([h[source], h[target]], -1) @ a, 0.2)
        most = torch.full((5,), -1e9).scatter_reduce(0, target, score, "amax")
        weight = (score - most[target]).exp()
        total = torch.zeros(5).index_add(0, target, weight)
        share = weight / total[target]
        y = torch.zeros(5, 4).index_add_(0, target, share[:, None] * h[source])
        return F.elu(y).square().sum()

    return loss


MODELS = [resnet, unet, gpt2, llama, vae, tagger, vit, graph_attention]


def watch(loss_of):
    with mg.pytorch() as watched:
        loss = loss_of()
    loss.backward()
    watched.checked()
    assert watched.compare().values
    assert watched.compare().gradients
    return watched


@functools.cache
def watched(model):
    """A step of the model, for all tests that only look at it."""
    return watch(model())


@pytest.mark.parametrize("model", MODELS)
def test_models(model):
    graph = mg.graph(watched(model))
    assert graph.to_dot().startswith("digraph")
    assert all(n.gradient is not None for n in graph.nodes if n.kind == "parameter")


@pytest.mark.parametrize("model", MODELS)
def test_programs_of_models_have_the_loss_and_the_gradients(model):
    step = mg.compile(watched(model))
    loss = step()
    loss.backward()
    graph = mg.graph(watched(model))
    (root,) = graph.roots
    assert loss.item() == pytest.approx(graph[root].value.item(), rel=1e-5)
    wanted = {n.label: n.gradient for n in graph.nodes if n.kind == "parameter"}
    for name, gradient in wanted.items():
        np.testing.assert_allclose(step.tensors[name].grad.numpy(), gradient, 1e-4, 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_pages_of_models(model, tmp_path):
    page = mg.explore(watched(model), tmp_path / "page.html").read_text()
    assert "Compared with PyTorch" in page


def test_the_page_of_a_large_model_holds_what_it_can_and_says_what_it_left_out(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(exploring, "BUDGET", 30_000)
    monkeypatch.setattr(live, "NUMBERS", 1_000)  # so that none can be changed
    net = nn.Sequential(nn.Embedding(500, 64), nn.Linear(64, 64), nn.Linear(64, 500))
    watched = watch(lambda: net(torch.arange(8)).logsumexp(-1).mean())
    shown = contents(mg.explore(watched, tmp_path / "page.html").read_text())
    assert "1,000" in shown["live"]["frozen"]
    theirs = net[0].weight.detach().numpy()
    tables = [a for a in shown["arrays"] if a["s"] == [500, 64]]
    (table,) = [
        a
        for a in tables
        if "m" in a and a["m"][3] == pytest.approx(np.linalg.norm(theirs), rel=1e-3)
    ]
    assert max(table["k"]) > 1  # every so many rows or columns
    assert table["m"][:2] == pytest.approx([theirs.min(), theirs.max()], rel=1e-3)  # of them all
    assert sum(table["h"]) == theirs.size


LAYERS = {
    "conv1d": (nn.Conv1d(4, 6, 3, 2, 1, groups=2), (2, 4, 7)),
    "conv2d": (nn.Conv2d(2, 3, (3, 2), (1, 2), dilation=2), (1, 2, 7, 8)),
    "transposed": (nn.ConvTranspose1d(4, 6, 3, 2, 1, 1, groups=2), (2, 4, 5)),
    "max_pool": (nn.MaxPool2d(3, 2, 1, ceil_mode=True), (1, 2, 6, 7)),
    "avg_pool": (nn.AvgPool2d(3, 2, 1, True, False), (1, 2, 6, 7)),
    "adaptive": (nn.AdaptiveAvgPool2d((3, 2)), (1, 2, 7, 5)),
    "batch_norm1d": (nn.BatchNorm1d(3, momentum=None), (4, 3)),
    "batch_norm2d": (nn.BatchNorm2d(3), (2, 3, 2, 2)),
    "instance_norm": (nn.InstanceNorm1d(3, affine=True), (2, 3, 4)),
    "group_norm": (nn.GroupNorm(2, 4), (2, 4, 3)),
    "nearest": (nn.Upsample(scale_factor=1.7), (1, 2, 3, 4)),
    "bicubic": (nn.Upsample(size=(5, 6), mode="bicubic"), (1, 2, 3, 4)),
    "dropout2d": (nn.Dropout2d(0.5), (2, 3, 2, 2)),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_in_training_and_after(layer):
    net, shape = LAYERS[layer]
    x = torch.randn(*shape, requires_grad=True)
    watch(lambda: net.train()(x).square().sum() + net.eval()(x).cos().sum())


RECURRENT = {
    "rnn": lambda: nn.RNN(3, 4, 2, nonlinearity="relu"),
    "gru": lambda: nn.GRU(3, 4, 2, bidirectional=True),
    "lstm": lambda: nn.LSTM(3, 4, batch_first=True, proj_size=2),
}


@pytest.mark.parametrize("kind", RECURRENT)
def test_recurrent_layers(kind):
    net, x = RECURRENT[kind](), torch.randn(3, 2, 3)
    watch(lambda: net(x)[0].square().sum())


def test_attention_with_its_masks():
    net, x = nn.MultiheadAttention(4, 2, batch_first=True), torch.randn(2, 3, 4)
    padding = torch.tensor([[False, False, True], [False, True, True]])
    later = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)

    def loss():
        y, weights = net(x, x, x, key_padding_mask=padding)
        z, _ = net(x, x, x, attn_mask=later, need_weights=False)
        return y.square().sum() + weights.square().sum() + z.sum()

    watch(loss)


def test_a_transformer_with_its_masks():
    net = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    source, target = torch.randn(2, 4, 8), torch.randn(2, 3, 8)
    mask = net.generate_square_subsequent_mask(3)
    padding = torch.tensor([[False] * 4, [False] * 3 + [True]])
    watch(
        lambda: (
            net(source, target, tgt_mask=mask, src_key_padding_mask=padding).square().mean()
            + net.eval()(source, target).mean()
        )
    )
