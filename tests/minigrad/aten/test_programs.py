"""`mg.pytorch()` around programs as people write them: what is right, and what says that it is not."""

import contextlib
import copy
import re
import threading
import time

import numpy as np
import pytest

import minigrad as mg
from minigrad.system import working

torch = pytest.importorskip("torch")
F = torch.nn.functional
from own_backwards import Rounded  # noqa: E402 - it needs PyTorch


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def perceptron():
    return torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1))


def parameters_in(graph):
    return [n.name for n in graph.nodes if n.kind == "parameter"]


# --- parameters that change inside the block ------------------------------------------------------


def by_hand(net, _):
    with torch.no_grad():
        net[0].weight[0] += 1


def by_data(net, _):
    net[0].weight.data = torch.ones(5, 3)


def by_numpy(net, _):
    net[0].weight.detach().numpy()[0] = 2


def by_an_optimizer(net, x):
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(x).square().mean().backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    optimizer.step()
    optimizer.zero_grad()


def by_one_that_asks_again(net, x):
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=2)

    def again():
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        return loss

    optimizer.step(again)


@pytest.mark.parametrize(
    "change", [by_hand, by_data, by_numpy, by_an_optimizer, by_one_that_asks_again]
)
def test_changed_parameters_are_leaves_again_and_keep_their_names(change):
    net, x = perceptron(), torch.randn(4, 3)
    with mg.pytorch() as watched:
        net(x)
        change(net, x)
        loss = net(x).sum()
    net.zero_grad()
    loss.backward()
    watched.checked()
    graph = mg.graph(watched)
    assert sorted(parameters_in(graph)) == ["0.bias", "0.weight", "2.bias", "2.weight"]
    weight = next(n for n in graph.nodes if n.name == "0.weight")
    np.testing.assert_array_equal(weight.value, net[0].weight.detach())


def test_an_optimizers_own_calls_are_no_part_of_the_graph():
    net, x = perceptron(), torch.randn(4, 3)
    with mg.pytorch() as watched:
        by_an_optimizer(net, copy.deepcopy(x))
        torch.distributions.Normal(x, 1.0)
    assert "lerp" not in " ".join(d.of for d in watched.compare().values)
    assert "constants" not in str(watched.compare())


# --- roots and gradients --------------------------------------------------------------------------


def test_several_roots_are_one_graph():
    net, x = perceptron(), torch.randn(4, 3)
    with mg.pytorch() as watched:
        y = net(x)
        a, b = y.sum(), (y**2).mean()
    torch.autograd.backward([a, b])
    graph = mg.graph(watched)
    assert [graph[r].label for r in graph.roots] == ["a", "b"]
    weight = next(n for n in graph.nodes if n.name == "0.weight")
    np.testing.assert_allclose(weight.gradient, net[0].weight.grad, rtol=1e-5)
    assert len(mg.graph(watched.of(y))) < len(graph)


def test_gradients_that_are_returned_and_gradients_of_some_are_compared():
    net, x = perceptron(), torch.randn(4, 3, requires_grad=True)
    with mg.pytorch() as watched:
        h = net[0](x)
        loss = net[2](h.tanh()).sum()
    torch.autograd.grad(loss, [net[0].weight, h, x], retain_graph=True)
    loss.backward(inputs=[net[2].weight])
    names = [d.of for d in watched.compare().gradients]
    assert names == [f"the gradient of {n}" for n in ("weight", "h", "x", "weight")]
    watched.checked()


def test_a_gradient_used_in_the_block_is_a_constant():
    net, x = perceptron(), torch.randn(4, 3, requires_grad=True)
    with mg.pytorch() as watched:
        y = net(x).sum()
        (g,) = torch.autograd.grad(y, x, retain_graph=True)
        loss = y + (g**2).sum()
    loss.backward()
    assert "a gradient, by PyTorch" in str(mg.graph(watched))


@pytest.mark.parametrize(
    "gradient",
    [
        lambda net, x: torch.autograd.grad(net(x).sum(), x, create_graph=True),
        lambda net, x: net(x).sum().backward(create_graph=True),
        lambda net, x: torch.func.grad(lambda x: net(x).sum())(x),
        lambda _net, x: torch.func.grad(lambda x: x.sin().sum())(x),
        lambda net, x: torch.func.jacrev(net)(x),
    ],
)
def test_gradients_of_gradients_are_refused_by_name(gradient):
    net, x = perceptron(), torch.randn(3, requires_grad=True)
    name = "create_graph=True|torch.func.grad"
    with pytest.raises(mg.errors.UnsupportedError, match=name), mg.pytorch():
        gradient(net, x)


def test_vmap_is_seen_through():
    net, x = perceptron(), torch.randn(4, 3)
    with mg.pytorch() as watched:
        loss = torch.func.vmap(lambda row: net(row).sum())(x).sum()
    loss.backward()
    watched.checked()


# --- functions with a backward pass of their own --------------------------------------------------


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -g


class ByNumPy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.from_numpy(np.sin(x.detach().numpy()))

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos()


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, slope):
        return x * y, x.clamp(-1, 1) * slope

    @staticmethod
    def backward(ctx, g, h):
        return 3 * g + h, 2 * g, None


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(x, slope):
        return x.floor() * slope

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.slope = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return g * ctx.slope, None


class OfAnother(Rounded):
    @staticmethod
    def forward(ctx, x):
        return Rounded.forward(ctx, x) * 2


@pytest.mark.parametrize(
    "function",
    [
        Rounded.apply,
        OfAnother.apply,
        lambda x, halved=Halved.apply: halved(x, 0.5),
        Reversed.apply,
        ByNumPy.apply,
        lambda x: sum(Wrong.apply(x, x.tanh(), 2.0)),
    ],
)
def test_a_backward_that_is_not_the_derivative_is_kept_and_said(function):
    net, x = perceptron(), torch.randn(4, 3)
    with mg.pytorch() as watched:
        h = net[0](x)
        loss = (net[2](function(h)) * net[2](h)).sum()
    loss.backward()
    watched.checked()
    said = ".backward gives another gradient than the derivative of its forward"
    if function == ByNumPy.apply:
        said = "ByNumPy.backward could not be checked: its forward leaves PyTorch"
    assert said in str(watched.compare())
    assert "test_programs.py" in watched.compare().own[0]
    graph = mg.graph(watched)
    weight = next(n for n in graph.nodes if n.name.endswith("weight"))
    np.testing.assert_allclose(weight.gradient, net[0].weight.grad, rtol=1e-5, atol=1e-6)
    _, gradients = graph.program().run()
    assert any(np.array_equal(g, weight.gradient) for g in gradients.values())


def test_a_backward_that_is_the_derivative_is_seen_through():
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.rand(3, requires_grad=True)
    with mg.pytorch() as watched:
        loss = Doubled.apply(x).sum()
    loss.backward()
    watched.checked()
    assert not watched.compare().own
    assert "* 2" in str(mg.graph(watched))


# --- what minigrad does not see is said -----------------------------------------------------------


def test_a_hook_that_changes_a_gradient_is_named():
    net, x = perceptron(), torch.randn(4, 3)
    with mg.pytorch() as watched:
        y = net(x)
        y.register_hook(lambda g: g * 2)
        loss = y.sum()
    loss.backward()
    with pytest.raises(mg.errors.GraphError, match="y has a hook"):
        mg.graph(watched)


@pytest.mark.parametrize("how", ["before", "thread"])
def test_a_part_computed_elsewhere_is_named(how):
    net, x = perceptron(), torch.randn(4, 3)
    out = [net(x)]
    with mg.pytorch() as watched:
        if how == "thread":
            thread = threading.Thread(target=lambda: out.append(net(x * 2)))
            thread.start()
            thread.join()
        loss = net(x).sum() + out[-1].sum()
    loss.backward()
    with pytest.raises(mg.errors.GraphError, match=r"\(4, 1\), used at .* is a leaf here"):
        mg.graph(watched)


def test_blocks_in_several_threads_are_apart():
    counts = []

    def work():
        net, x = perceptron(), torch.randn(4, 3)
        with mg.pytorch() as watched:
            loss = net(x).sum()
            together.wait(20)
        loss.backward()
        watched.checked()
        counts.append((len(mg.graph(watched)), len(watched.compare().gradients)))

    together = threading.Barrier(2)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [(13, 4), (13, 4)]


def test_numbers_changed_unseen_are_said_to_be():
    x, y = torch.randn(3), torch.ones(3, requires_grad=True)
    with mg.pytorch() as watched:
        b = x * 2
        b.numpy()[0] = 7
        loss = (b * y).sum()
    loss.backward()
    with pytest.raises(
        mg.errors.GraphError, match=r"argument of aten\.mul.* changed unseen, at test_programs"
    ):
        mg.graph(watched)


@pytest.mark.parametrize(
    "write",
    [
        lambda y: y.detach()[:1].fill_(5),
        lambda y: y.data.mul_(3),
        lambda y: torch.no_grad()(y.clamp_)(0.5, 1),
        lambda y: y.zero_(),
        lambda y: y[:2].fill_(4),
    ],
)
def test_what_is_written_past_autograd_has_the_gradient_of_what_was_there(write):
    x = torch.randn(3, requires_grad=True)
    with mg.pytorch() as watched:
        y = x * 2
        write(y)
        y = y * 2 if y.requires_grad else y
        y += x
        loss = (y * x).sum()
    loss.backward()
    watched.checked()


# --- what is not finite ---------------------------------------------------------------------------


def test_a_nan_is_shown_wherever_both_put_it():
    net, x = perceptron(), torch.randn(8, 3)
    with mg.pytorch() as watched:
        p = torch.softmax(torch.relu(net[0](x)) * 1e4, -1)
        loss = -(torch.eye(5)[0] * torch.log(p)).sum()
    loss.backward()
    assert watched.compare().first is None
    assert mg.diagnose(watched)[0].what.startswith("np.log")
    assert any(not np.isfinite(n.gradient).all() for n in mg.graph(watched).nodes if n.name)


def test_an_overflow_of_16_bits_is_found_forward_and_back():
    net, x = perceptron(), torch.randn(4, 3)
    for before, after, operation in ((1e7, 1.0, "astype"), (1.0, 1e8, "the gradient of 0.weight")):
        net.zero_grad()
        with mg.pytorch() as watched, torch.autocast("cpu", torch.float16):
            loss = (net(x) * before).float().square().mean() * after
        loss.backward()
        assert not net[0].weight.grad.isfinite().all()
        watched.checked()
        (trouble, *_) = mg.diagnose(watched)
        assert trouble.kind == "not finite"
        assert trouble.what.startswith(operation)
        assert "65,504" in trouble.remedy


def test_a_device_without_numbers_is_refused():
    net = torch.nn.Linear(3, 2, device="meta")
    with pytest.raises(mg.errors.UnsupportedError, match="meta"), mg.pytorch():
        net(torch.randn(4, 3, device="meta"))


# --- other programs -------------------------------------------------------------------------------


def test_after_an_exception_the_graph_goes_as_far_as_it_got():
    net, x = perceptron(), torch.randn(4, 3)
    kept = []
    watched = mg.pytorch()
    with contextlib.suppress(ZeroDivisionError), watched:
        kept.append(net(x).sum())
        kept.append(1 / 0)
    assert len(mg.graph(watched)) == 13
    watched = mg.pytorch()
    with contextlib.suppress(ZeroDivisionError), watched:
        kept.append(1 / 0)
    with pytest.raises(mg.errors.GraphError, match="ended with ZeroDivisionError"):
        mg.graph(watched)


def test_memory_stays_pytorchs():
    with mg.pytorch():
        t = torch.empty(0)
        t.resize_(4).fill_(2)
        u = torch.zeros(4).set_(t)
    assert u.sum() == 8


def copied(net, x):
    return net(x).sum() + copy.deepcopy(net)(x).mean()


def without_gradients(net, x):
    with torch.no_grad():
        target = net(x) + 1
    with torch.inference_mode():
        other = net(x).mean().item()
    return ((net(x) - target) ** 2).mean() * other


def mixed_precision(net, x):
    with torch.autocast("cpu", torch.bfloat16):
        y = net(x)
    return y.float().square().mean() + net(x).double().pow(3).mean()


def bits(net, x):
    y = net(x)
    return (y * (y.detach().view(torch.int32) % 7).float()).sum()


def lazy(_net, x):
    return torch.nn.Sequential(torch.nn.LazyLinear(4), torch.nn.ReLU())(x).sum()


def compiled(net, x):
    of = torch.compile(lambda x: net(x).sin().sum(), backend="eager")
    return of(x) + torch.compile(net, backend="eager")(x).sum()


def weights_of_weights(_net, x):
    norm = torch.nn.utils.parametrizations
    net = torch.nn.Sequential(
        norm.weight_norm(torch.nn.Linear(3, 4)), norm.spectral_norm(torch.nn.Linear(4, 2))
    )
    return net(x).square().sum()


def weights_given(net, x):
    """With weights of a dict, and with weights that another net computes."""
    own = {name: p.detach().requires_grad_() for name, p in net.named_parameters()}
    small = sum(p.square().sum() for p in own.values())
    made = {name: p * 2 for name, p in own.items()}
    call = torch.func.functional_call
    return call(net, own, x).sum() + call(net, made, x).sum() + net(x).sum() + small


def parts_of_one_memory(_net, x):
    """As an optimizer that keeps all parameters in one array."""
    together = torch.randn(8)
    w, b = torch.nn.Parameter(together[:6].view(3, 2)), torch.nn.Parameter(together[6:])
    return (x @ w + b).square().sum() + b.sum()


def ensemble(net, x):
    nets = [net, perceptron()]
    weights, _ = torch.func.stack_module_state(nets)
    one = lambda weights: torch.func.functional_call(net, weights, x)
    return torch.func.vmap(one)(weights).square().sum()


@pytest.mark.filterwarnings("ignore:.*operations that made")  # those that begin spectral_norm
@pytest.mark.parametrize(
    "program",
    [
        copied, without_gradients, mixed_precision, bits, lazy, weights_of_weights, weights_given,
        ensemble, parts_of_one_memory,
        pytest.param(compiled, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_programs(program):
    net, x = perceptron(), torch.randn(4, 3)
    with mg.pytorch() as watched:
        loss = program(net, x)
    loss.backward()
    watched.checked()
    assert watched.compare().gradients
    assert mg.graph(watched).nodes


def test_a_result_that_rounding_moves_leaves_the_names_of_its_arguments():
    """It is computed again with PyTorch's numbers, which have no names."""
    large = torch.randn(1 << 16) * 1e6
    x = torch.cat([large, -large])[torch.randperm(1 << 17)].requires_grad_()

    def sum_of_three(x):
        three = x * 3
        return three.sum()

    with mg.pytorch() as watched:
        loss = sum_of_three(x)
    loss.backward()
    watched.checked()
    assert max(d.size for d in watched.compare().values) > 1e-3  # else it is not computed again
    assert [n.variable for n in mg.graph(watched).nodes] == ["x", "three", "loss"]


# --- data that are made inside the block ----------------------------------------------------------


def test_data_that_many_operations_made_are_shown_as_data():
    net = perceptron()
    with mg.pytorch() as watched:
        rows = [row * k for k, row in enumerate(torch.randn(40, 3))]
        x = torch.stack(rows)
        loss = (1 - net(x)).square().mean()
    loss.backward()
    with pytest.warns(UserWarning, match=r"operations that made x are left out.*before the block"):
        graph = mg.graph(watched)
    assert [n.label for n in graph.nodes if n.kind == "data"] == ["x"]
    assert len(graph) < 20
    assert "that made x are left out" in str(watched.compare())
    step = mg.compile(watched)
    assert step(x=x.numpy()).item() == pytest.approx(loss.item(), rel=1e-5)


def test_what_made_a_nan_and_what_a_module_computes_are_shown():
    frozen = torch.nn.Sequential(*(torch.nn.Linear(3, 3) for _ in range(20))).requires_grad_(False)
    net = perceptron()
    with mg.pytorch() as watched:
        loss = net(frozen(torch.ones(2, 3))).mean()
    loss.backward()
    assert len(mg.graph(watched)) > 60
    with mg.pytorch() as watched:
        x = torch.stack([row / k for k, row in enumerate(torch.zeros(40, 3))])
        loss = net(x).mean()
    loss.backward()
    assert len(mg.graph(watched)) > 60


# --- progress -------------------------------------------------------------------------------------


def test_a_block_that_takes_long_says_so_on_standard_error(capsys, monkeypatch):
    monkeypatch.setattr(working, "SECONDS", 0.2)
    with mg.pytorch():
        perceptron()(torch.ones(2, 3))
        time.sleep(0.5)
    said = capsys.readouterr()
    assert said.out == ""
    assert re.match(r"watching PyTorch, operation \d+: \d s\n", said.err)
