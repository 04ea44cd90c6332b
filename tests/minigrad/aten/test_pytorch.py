"""`mg.pytorch()`: values and gradients as PyTorch's, on models of many kinds; what is refused."""

import contextlib
import re
import subprocess
import sys

import numpy as np
import pytest

import minigrad as mg
from minigrad.aten.rows import ROWS
from minigrad.ran.words import first_sentence

torch = pytest.importorskip("torch")
F = torch.nn.functional


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def watch(loss_of, backward=True):
    """Watch a function of no arguments; every number is compared."""
    with mg.pytorch() as watched:
        loss = loss_of()
    if backward:
        loss.backward()
    watched.checked()
    compared = watched.compare()
    assert compared.values
    assert not compared.unread
    assert not backward or len(compared.gradients) >= 1
    return watched


class Block(torch.nn.Module):
    """A block of a language model: attention, and two linear maps."""

    def __init__(self, fused):
        super().__init__()
        self.fused = fused
        self.norm = torch.nn.LayerNorm(8)
        self.qkv = torch.nn.Linear(8, 24)
        self.out = torch.nn.Linear(8, 8)
        self.wide = torch.nn.Sequential(
            torch.nn.LayerNorm(8), torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 8)
        )

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(self.norm(x)).split(D, dim=-1)
        q, k, v = (a.view(B, T, 2, D // 2).transpose(1, 2) for a in (q, k, v))
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = (q @ k.transpose(-2, -1)) * (D // 2) ** -0.5
            later = torch.triu(torch.ones(T, T), 1) > 0
            y = F.softmax(scores.masked_fill(later, float("-inf")), dim=-1) @ v
        x = x + self.out(y.transpose(1, 2).contiguous().view(B, T, D))
        return x + self.wide(x)


class Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = torch.nn.Embedding(11, 8)
        self.places = torch.nn.Embedding(5, 8)
        self.blocks = torch.nn.ModuleList([Block(fused=True), Block(fused=False)])
        self.head = torch.nn.Linear(8, 11, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def language_loss():
    model, ids = Language(), torch.randint(11, (2, 6))
    return lambda: F.cross_entropy(model(ids[:, :-1]).reshape(-1, 11), ids[:, 1:].reshape(-1))


def perceptron():
    return torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1))


def test_a_perceptron_has_pytorchs_names_and_the_users_lines():
    net, x = perceptron(), torch.randn(4, 3)
    with mg.pytorch() as watched:
        y = net(x)
        loss = (y**2).mean()
    loss.backward()
    graph = mg.graph(watched)
    named = {n.name: n for n in graph.nodes if n.kind == "parameter"}
    assert list(named) == [name for name, _ in net.named_parameters()]
    for name, p in net.named_parameters():
        np.testing.assert_allclose(named[name].gradient, p.grad, rtol=1e-5, atol=1e-7)
    assert {"x", "y"} <= {n.variable for n in graph.nodes}
    assert graph[graph.roots[0]].label == "loss"
    lines = {n.line.text for n in graph.nodes if n.line is not None}
    assert lines == {"y = net(x)", "loss = (y**2).mean()"}
    assert [b.kind for b in graph.boxes][:2] == ["module", "module"]


def test_a_language_model_reads_as_it_was_written():
    graph = mg.graph(watch(language_loss()))
    products = {n.shape for n in graph.nodes if n.operation == "np.matmul"}
    maps = {(2, 5, width) for width in (8, 16, 24)} | {(10, 11), (2, 5, 11), (10, 8)}
    assert {(2, 2, 5, 5), (2, 2, 5, 4)} <= products <= maps | {(2, 2, 5, 5), (2, 2, 5, 4)}
    assert {b.path for b in graph.boxes if b.kind == "module"} >= {"blocks.0", "blocks.1.wide.2"}


@pytest.mark.slow
def test_a_page_and_a_program_show_it(tmp_path):
    watched = watch(language_loss())
    page = mg.explore(watched, tmp_path / "page.html").read_text()
    assert "Compared with PyTorch" in page
    assert "blocks.1.wide.2" in page
    graph = mg.graph(watched)
    loss, gradients = graph.program().run()
    np.testing.assert_allclose(loss, graph[graph.roots[0]].value)
    theirs = {n.name.replace(".", "_"): n.gradient for n in graph.nodes if n.kind == "parameter"}
    assert theirs.keys() == gradients.keys()
    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, theirs[name], rtol=1e-3, atol=1e-6)
    assert "digraph" in graph.to_dot()
    assert "digraph" in graph.backward.to_dot()


def image_loss():
    net = torch.nn.Sequential(
        torch.nn.Conv2d(2, 4, 3, stride=2, padding=1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(),
        torch.nn.MaxPool2d(2), torch.nn.Conv2d(4, 4, 2, groups=2), torch.nn.GroupNorm(2, 4),
        torch.nn.AvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(4, 3),
    )  # fmt: skip
    x, target = torch.randn(2, 2, 12, 12), torch.tensor([0, 2])
    return lambda: F.cross_entropy(net(x), target, label_smoothing=0.1)


def transformer_loss():
    net = torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)  # with dropout
    source, target = torch.randn(2, 4, 8), torch.randn(2, 3, 8)
    mask = net.generate_square_subsequent_mask(3)
    return lambda: net(source, target, tgt_mask=mask).square().mean()


def lstm_loss():
    net, x = torch.nn.LSTM(3, 4, batch_first=True), torch.randn(2, 5, 3)
    return lambda: net(x)[0].sum()


def frozen_loss():
    net, x = perceptron(), torch.randn(4, 3)

    def loss():
        with torch.no_grad():
            target = net(x) + 1
        return F.mse_loss(net(x), target) + net(x).detach().mean()

    return loss


def checkpoint_loss():
    from torch.utils.checkpoint import checkpoint

    net, x = perceptron(), torch.randn(4, 3, requires_grad=True)
    return lambda: sum(checkpoint(net, x, use_reentrant=r).sum() for r in (False, True))


@pytest.mark.parametrize(
    "model", [image_loss, transformer_loss, lstm_loss, frozen_loss, checkpoint_loss]
)
def test_models(model):
    watch(model())


def test_the_purpose_of_a_module_is_a_sentence_without_calls_and_markup():
    from minigrad.aten.counterparts import kind

    about = lambda theirs: first_sentence(kind(theirs).__doc__)
    assert about(torch.nn.GRU) == (
        "Apply a multi-layer gated recurrent unit (GRU) RNN to an input sequence."
    )
    assert about(torch.nn.Dropout).endswith("of the input tensor with probability p.")


def test_dropout_is_a_constant_that_says_so():
    x = torch.randn(4, 3, requires_grad=True)
    watched = watch(lambda: F.dropout(x, 0.5).sum())
    assert "drawn by bernoulli" in str(mg.graph(watched))


def written(x):
    h = x * 2
    h[:, 0] = 0
    h[0] += x[1]
    h.mul_(x)
    h.T[1].copy_(x[:, 2])
    h.relu_()
    return h


def through_views(x):
    h = x.clone()
    v = h.view(-1)[2:7]
    v *= 3
    w = h.t()
    h[w.t() > 0.5] = 1.5
    h[[0, 2], [1, 1]] = x[1, :2]
    return h * w.t() + v.sum()


def with_others(x):
    h = torch.zeros(4, 3)
    h.index_add_(0, torch.tensor([1, 1, 2]), x[:3])
    h.scatter_(1, torch.tensor([[2], [0]]), x[:2, :1])
    h.index_put_((torch.tensor([0, 0]),), x[:2], accumulate=True)
    h.masked_fill_(h < -1, 0.5)
    h.clamp_(-1, 1)
    return h @ h.T


@pytest.mark.parametrize("body", [written, through_views, with_others])
def test_writing_into_tensors(body):
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(4, 4 if body is with_others else 3, dtype=torch.float64)
    if body is with_others:
        x = torch.randn(4, 3, requires_grad=True)
        weights = weights.float()
    watch(lambda: (body(x) * weights).sum())


def test_several_backward_calls_and_a_step_between():
    net, x = perceptron(), torch.randn(4, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with mg.pytorch() as watched:
        for _ in range(2):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
        loss = net(x).abs().mean()
    loss.backward()
    assert len(watched.backwards) == 3
    watched.checked()
    assert len(watched.compare().gradients) > 4


def test_parameters_keep_their_names_when_they_are_read_after_the_last_step():
    net = perceptron()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with mg.pytorch() as watched:
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.randn(4, 3)).square().mean().backward()
            optimizer.step()
        with torch.no_grad():
            net(torch.randn(4, 3))
    assert not mg.diagnose(watched)
    leaves = {n.name: n.kind for n in mg.graph(watched).nodes if not n.operation}
    assert {name: leaves.get(name) for name, _ in net.named_parameters()} == dict.fromkeys(
        dict(net.named_parameters()), "parameter"
    )


def test_without_gradients_the_loss_is_what_was_computed_and_no_parameter():
    with mg.pytorch() as watched:
        net = torch.nn.Linear(3, 1)
        with torch.no_grad():
            loss = net(torch.ones(2, 3)).mean()
    assert watched.loss.item() == loss.item()


def test_backward_of_a_result_that_is_no_number():
    x = torch.randn(3, requires_grad=True)
    with mg.pytorch() as watched:
        y = x.sin()
    y.backward(torch.tensor([1.0, 2.0, 3.0]))
    watched.checked()
    np.testing.assert_allclose(
        mg.graph(watched).nodes[0].gradient, [1, 2, 3] * np.cos(x.detach().numpy()), rtol=1e-6
    )


def test_a_gradient_for_which_pytorch_has_no_memory_is_zero():
    x = torch.randn(3, requires_grad=True)
    watched = watch(lambda: torch.sgn(x * 2).sum())
    assert not mg.graph(watched).nodes[0].gradient.any()


def test_before_the_block_there_is_nothing_to_compare():
    with pytest.raises(mg.errors.GraphError, match="nothing that PyTorch computed was seen"):
        mg.pytorch().compare()
    with pytest.raises(mg.errors.ArgumentError, match="not computed or used inside the block"):
        mg.pytorch().of(torch.ones(2))


def test_nothing_requires_a_gradient():
    x = torch.randn(3)
    with mg.pytorch() as watched:
        (x.sin() + 1).sum()
        y = x.cos()
    assert "np.cos" in str(mg.graph(watched))
    with pytest.raises(mg.errors.GraphError, match=r"without torch\.no_grad\(\), or read the way"):
        mg.explore(watched, "page.html")
    assert y is not None


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_other_dtypes(dtype):
    net, x = perceptron().to(dtype), torch.randn(4, 3, dtype=dtype)
    watched = watch(lambda: net(x).square().mean())
    assert ("16 bits" in str(watched.compare())) == (dtype != torch.float64)


@pytest.mark.parametrize("autocast", [False, True])
def test_the_gradients_of_a_scaled_loss_round_by_its_scale(autocast):
    """That of a bias before a batch norm is zero, but for the rounding of large numbers."""
    layers = (
        torch.nn.Linear(8, 16),
        torch.nn.BatchNorm1d(16),
        torch.nn.Tanh(),
        torch.nn.Linear(16, 4),
    )
    net, x = torch.nn.Sequential(*layers), torch.randn(64, 8)
    with mg.pytorch() as watched:
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = F.cross_entropy(net(x), torch.arange(64) % 4)
        scaled = loss * 1e8
    scaled.backward()
    watched.checked()
    net[0].bias.register_hook(lambda g: g + 1e7)
    with pytest.raises(mg.errors.GraphError, match=r"0\.bias differs .* of [\d.e+]+ \+ its size"):
        watch(lambda: F.cross_entropy(net(x), torch.arange(64) % 4) * 1e8)


def diverged(between, seed, rate, hook=None):
    """A model after steps that were too long: its numbers are large, and its units saturated or dead."""
    torch.manual_seed(seed)
    net = torch.nn.Sequential(torch.nn.Linear(3, 16), *between(), torch.nn.Linear(16, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=rate)
    x, y = torch.randn(64, 3), torch.randn(64, 1)
    if hook is not None:
        net[0].weight.register_hook(hook)
    with mg.pytorch() as watched:
        for _ in range(5):
            optimizer.zero_grad()
            loss = (net(x) - y).square().mean()
            loss.backward()
            optimizer.step()
    assert loss.isfinite()
    return watched


def saturating():
    return torch.nn.Tanh(), torch.nn.Linear(16, 16), torch.nn.Tanh()


def normalizing():
    return torch.nn.BatchNorm1d(16), torch.nn.ReLU()


@pytest.mark.parametrize(
    ("between", "seed", "rate"),
    [
        (saturating, 37, 3),  # 1 - y * y of a y near 1 is what rounding left of it
        (normalizing, 0, 9),  # a dead unit has an infinite gradient here alone
    ],
)
def test_a_model_that_diverged_is_shown_however_much_rounding_changes_its_numbers(
    between, seed, rate, tmp_path
):
    mg.explore(diverged(between, seed, rate), tmp_path / "page.html")


def test_what_is_left_of_large_numbers_differs_by_their_rounding(monkeypatch):
    x = torch.randn(5000) * 1e10
    x, w = x - x.mean(), torch.ones(1, requires_grad=True)
    watch(lambda: ((x * w).sum() * 2).relu())
    monkeypatch.setitem(ROWS, "sum", lambda self, *_, **__: np.sum(self) + 1e9)
    with mg.pytorch() as watched:
        loss = (x * w).sum()
    loss.backward()
    with pytest.raises(mg.errors.GraphError, match=r"aten\.sum"):
        watched.checked()


def test_in_a_model_that_diverged_another_gradient_is_still_found():
    watched = diverged(saturating, 37, 3, hook=lambda g: g * 3)
    with pytest.raises(mg.errors.GraphError, match=r"0\.weight has a hook"):
        watched.checked()


# --- what is refused, and what is told --------------------------------------------------------------


def test_a_call_without_a_row_on_a_gradients_way_raises_with_its_line():
    x = torch.randn(3, requires_grad=True)
    with mg.pytorch() as watched:
        y = torch.special.bessel_j0(x).sum() if False else torch.lgamma(x).sum()
    y.backward()
    with pytest.raises(mg.errors.UnsupportedError, match=r"aten\.lgamma.*test_pytorch.*ROWS"):
        mg.graph(watched)


def test_a_call_without_a_row_off_that_way_is_a_constant():
    x = torch.randn(3, requires_grad=True)
    with mg.pytorch() as watched:
        loss = (x * torch.lgamma(x.detach())).sum()
    loss.backward()
    watched.checked()
    assert "aten.lgamma (1)" in str(watched.compare())


def test_a_user_adds_a_row(monkeypatch):
    x = torch.rand(3, requires_grad=True)
    gamma, slope = (
        lambda x, f=f: f(torch.tensor(x)).numpy() for f in (torch.lgamma, torch.digamma)
    )
    gamma = mg.rule(gamma, lambda g, _y, x: g * slope(x))
    monkeypatch.setitem(ROWS, "lgamma", lambda self: gamma(self))
    watch(lambda: torch.lgamma(x).sum())


def test_a_wrong_row_is_found(monkeypatch):
    x = torch.rand(3, requires_grad=True)
    monkeypatch.setitem(ROWS, "sin", np.cos)
    with mg.pytorch() as watched:
        loss = x.sin().sum()
    loss.backward()
    with pytest.raises(mg.errors.GraphError, match=r"aten\.sin at test_pytorch.py:\d+"):
        mg.graph(watched)


def test_a_wrong_gradient_is_found(monkeypatch):
    x = torch.rand(3, requires_grad=True)
    monkeypatch.setitem(ROWS, "sin", lambda self: np.sin(self.detach()) + 0 * self)
    with mg.pytorch() as watched:
        loss = x.sin().sum()
    loss.backward()
    with pytest.raises(mg.errors.GraphError, match="the gradient of"):
        mg.graph(watched)


def test_a_hook_of_a_tensor_that_is_gone_is_among_the_reasons():
    net = torch.nn.Linear(3, 4)

    def loss_of(x):
        h = net(x)
        h.register_hook(lambda g: g * 2)
        return h.square().mean()

    with mg.pytorch() as watched:
        loss = loss_of(torch.ones(2, 3))
    loss.backward()
    with pytest.raises(mg.errors.GraphError, match="h has a hook on its gradient"):
        watched.checked()


def test_a_parameter_with_a_hook_is_named_by_its_path_and_a_tensor_by_its_variable():
    net = perceptron()
    net[2].weight.register_hook(lambda g: g * 2)
    with mg.pytorch() as watched:
        h = net(torch.ones(2, 3))
        h.register_hook(lambda g: g + 1)
        loss = h.square().mean()
    loss.backward()
    with pytest.raises(mg.errors.GraphError, match=r"2\.weight has a hook") as raised:
        watched.checked()
    assert "h has a hook" in str(raised.value)


def test_complex_numbers_are_refused_by_name():
    x = torch.randn(4, requires_grad=True)
    for loss_of in (
        lambda: torch.fft.fft(x).abs().sum(),
        lambda: torch.polar(x.abs(), x).real.sum(),
        lambda: torch.view_as_real(x.to(torch.complex64) * 1j).sum(),
    ):
        with mg.pytorch() as watched:
            loss = loss_of()
        loss.backward()
        assert "before the block" not in str(watched.compare())
        with pytest.raises(mg.errors.UnsupportedError, match="complex numbers are not") as raised:
            mg.graph(watched)
        assert "Add a row" not in str(raised.value)


def test_where_pytorchs_numbers_are_not_finite_a_difference_is_said_and_not_refused(monkeypatch):
    monkeypatch.setitem(ROWS, "sin", np.cos)  # stands for sums that overflow here, and not there
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with mg.pytorch() as watched:
        loss = (x.sin() / x).sum()
    assert "np.cos" in str(mg.graph(watched))  # before backward() too
    loss.backward()
    watched.checked()
    assert re.search(r"overflow may differ: mg\.diagnose", str(watched.compare()))
    assert "the first that differs by more than rounding is aten.sin at" in str(watched.compare())
    assert "np.divide" in str(mg.diagnose(watched))


def test_large_numbers_are_compared_by_their_typical_size(monkeypatch):
    net = torch.nn.Sequential(*[torch.nn.Linear(32, 32) for _ in range(12)])
    with torch.no_grad():
        for layer in net:
            layer.weight.normal_(std=2.0)
    loss_of = lambda: net(torch.ones(4, 32)).square().mean()
    watch(loss_of)  # 1e25: sums that are small by chance differ by 1 in 400
    monkeypatch.setitem(ROWS, "addmm", lambda self, mat1, mat2: 1.001 * (self + mat1 @ mat2))
    with pytest.raises(mg.errors.GraphError, match=r"aten\.addmm"):
        watch(loss_of)


def test_an_empty_block_and_a_second_use_raise():
    with mg.pytorch() as watched:
        pass
    with pytest.raises(mg.errors.GraphError, match=r"inside the block, not under no_grad\(\)"):
        mg.graph(watched)
    with pytest.raises(mg.errors.ArgumentError), watched:
        pass


def test_what_pytorch_computes_is_not_compiled_and_a_model_is_watched_by_a_block():
    x, net = torch.ones(3, requires_grad=True), torch.nn.Linear(3, 1)
    for step, given in (
        (mg.compile(lambda: (x * x).sum()), ()),
        (mg.compile(lambda x: net(torch.tensor(x)).sum()), (np.ones(3, np.float32),)),
        (mg.compile(net), (x,)),
    ):
        for _ in range(2):
            with pytest.raises((mg.errors.GraphError, mg.errors.ArgumentError), match="as watched"):
                step(*given)
    with pytest.raises(mg.errors.ArgumentError, match=r"with mg\.pytorch\(\) as watched: loss"):
        mg.pytorch(net)


def test_what_inference_mode_computes_last_is_watched_too():
    with mg.pytorch() as watched, torch.inference_mode():
        torch.nn.Linear(3, 1)(torch.ones(2, 3)).exp()
    assert watched.compare().values


def test_an_error_in_the_block_leaves_all_as_it_was():
    net = torch.nn.Linear(3, 2)
    with contextlib.suppress(RuntimeError), mg.pytorch():
        net(torch.randn(2, 4))
    assert torch.backends.mkldnn.enabled
    watched = watch(lambda: net(torch.randn(2, 3)).sum())
    assert all(re.match("Linear|weight|bias|", b.path) for b in mg.graph(watched).boxes)


@pytest.mark.slow
def test_the_first_capture_does_not_wait_for_the_compiler_of_pytorch():
    """Which takes seconds to be imported."""
    code = (
        "import sys, torch, minigrad as mg\n"
        "with mg.pytorch(): torch.ones(2).sum()\n"
        "print('torch._dynamo' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False"]


def test_what_was_watched_says_what_it_is_for_and_a_tensor_of_pytorch_what_it_needs():
    with mg.pytorch() as watched:
        loss = torch.ones(2, requires_grad=True).sum()
    assert "mg.explore(watched)" in repr(watched)
    with pytest.raises(mg.errors.DTypeError, match=r"not torch\.float32\[\]; of PyTorch it takes"):
        mg.graph(loss)
    with pytest.raises(mg.errors.DTypeError, match="gave, also after an error"):
        mg.graph(RuntimeError("of PyTorch's"))
    for view, given in ((mg.explore, loss), (mg.diagnose, loss), (mg.diagnose, torch.nn.ReLU())):
        with pytest.raises(mg.errors.ArgumentError, match="of PyTorch it takes what"):
            view(given)


def test_a_gradient_that_was_nan_before_is_not_taken_for_one_of_16_bits():
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.tensor([float("nan"), 0.0])
    with mg.pytorch() as watched:
        loss = (x * 3).sum()
    loss.backward()
    said = str(watched.compare())
    assert "the gradient of x was not finite before backward()" in said
    assert "optimizer.zero_grad()" in said
    assert "in 32 bits" not in said


def test_a_block_in_a_block_leaves_the_names_of_modules_as_they_were():
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    boxes = lambda: {b.name for b in mg.graph(watch(lambda: net(torch.ones(2, 3)).sum())).boxes}
    before = boxes()
    with mg.pytorch() as outer:
        with mg.pytorch():
            net(torch.ones(2, 3))
        kept = net(torch.ones(2, 3)).sum()
    assert kept.isfinite()
    assert {b.name for b in mg.graph(outer).boxes} >= before
    assert boxes() == before


def test_numbers_that_are_not_finite_are_compared_by_their_places():
    x = torch.tensor([1.0, -1.0, 1.0], requires_grad=True)
    with mg.pytorch() as watched:
        loss = (F.relu(x) * torch.tensor([1.0, float("inf"), float("inf")])).sum()
    loss.backward()
    assert x.grad.isfinite().sum() == 2
    said = str(watched.compare())
    assert "of x has 1 of 3 numbers that are not finite in PyTorch, and 2 here" in said


def test_the_binary_cross_entropy_of_probabilities_of_0_and_1_has_pytorchs_gradient():
    scores = torch.tensor([-200.0, -30.0, 0.5, 200.0], requires_grad=True)
    y = torch.tensor([1.0, 1.0, 0.0, 0.0])
    watch(lambda: F.binary_cross_entropy(scores.sigmoid(), y))
    p = torch.tensor([0.0, 1e-13, 1.0, 0.0, 1.0], requires_grad=True)
    watched = watch(lambda: F.binary_cross_entropy(p, torch.tensor([1.0, 1.0, 0.0, 0.0, 1.0])))
    assert p.grad[:3].abs().min() > 1e10
    assert p.grad[3:].tolist() == watched.of(p).grad[3:].tolist() == [0, 0]


def test_celu_has_the_slope_1_at_0():
    x = torch.tensor([0.0, -1e-3, 1e-3], requires_grad=True)
    watched = watch(lambda: F.celu(x).sum())
    np.testing.assert_allclose(watched.of(x).grad.numpy(), x.grad.numpy())


def test_compiled_code_that_was_not_run_is_said():
    net = torch.compile(torch.nn.Linear(3, 1), backend=lambda graph, given: graph)
    with mg.pytorch() as watched:
        loss = net(torch.ones(2, 3)).sum()
    loss.backward()
    for said in (watched.compare(), mg.diagnose(watched)):
        assert "the compiled code was not run: a Linear" in str(said)


def test_what_is_left_of_an_answer_and_its_prediction_differs_by_their_rounding():
    net, x, y = torch.nn.Linear(10, 1), torch.randn(8, 10), torch.randn(8, 1)
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=30)

    def again():
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        return loss

    with mg.pytorch() as watched:
        optimizer.step(again)
    assert net.bias.grad.abs() < 1e-4
    assert not mg.diagnose(watched)


def test_a_copy_of_parameters_that_takes_no_gradient_is_no_trouble():
    net = torch.nn.Linear(2, 1)
    mean = torch.optim.swa_utils.AveragedModel(net)
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    with mg.pytorch() as watched:
        for _ in range(2):
            optimizer.zero_grad()
            loss = (net(torch.ones(3, 2)) - 3).square().mean()
            loss.backward()
            optimizer.step()
            mean.update_parameters(net)
    assert not mg.diagnose(watched)


@pytest.mark.parametrize(("seed", "steps"), [(1, 96), (4, 69), (17, 86)])
def test_a_gradient_that_passes_zero_while_it_learns_is_no_other_one(seed, steps):
    torch.manual_seed(seed)
    net = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.Tanh(), torch.nn.Linear(256, 1))
    x, optimizer = torch.randn(256, 64), torch.optim.Adam(net.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()
    optimizer.zero_grad()
    with mg.pytorch() as watched:
        net(x).square().mean().backward()
    assert watched.backwards[0].others.wrong == []
