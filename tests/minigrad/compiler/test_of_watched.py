"""What PyTorch computed, compiled: the numbers and gradients are PyTorch's, for other numbers too."""

import re

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
F = torch.nn.functional


class Block(torch.nn.Module):
    """A decoder's layer: causal attention and a feed-forward network."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(7, 8)
        self.norm = torch.nn.LayerNorm(8)
        self.attend = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        self.out = torch.nn.Linear(8, 7)

    def forward(self, ids):
        x = self.norm(self.table(ids))
        hidden = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).triu(1)
        return self.out(x + self.attend(x, x, x, attn_mask=hidden)[0])


def of_ids(ids, wanted):
    torch.manual_seed(0)
    net = Block()
    loss = lambda: F.cross_entropy(net(ids).flatten(0, 1), wanted.flatten(), ignore_index=0)
    return net, loss


def of_numbers(make):
    """A loss of a network and an input."""

    def of(x):
        torch.manual_seed(0)
        net = make()
        return net, lambda: net(x).square().sum()

    return of


class Weighed(torch.nn.Module):
    """A function of an input and of a weight."""

    def __init__(self, function):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(-1, 1, 6))
        self.function = function

    def forward(self, x):
        return self.function(x, self.weight)


def of_function(function):
    return of_numbers(lambda: Weighed(function))


nn = torch.nn
IDS = torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([[2, 3, 0], [5, 6, 1]])
OTHER_IDS = torch.tensor([[6, 6, 0], [1, 5, 2]]), torch.tensor([[0, 0, 0], [1, 4, 6]])
rows = lambda seed: (torch.randn(3, 6, generator=torch.Generator().manual_seed(seed)),)
pictures = lambda seed: (torch.randn(2, 1, 6, 6, generator=torch.Generator().manual_seed(seed)),)
CONV = lambda: nn.Sequential(
    nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 2)
)
PROGRAMS = {
    "attention": (of_ids, IDS, OTHER_IDS),
    "convolution": (of_numbers(CONV), pictures(0), pictures(1)),
    "mlp": (
        of_numbers(lambda: nn.Sequential(nn.Linear(6, 5), nn.GELU(), nn.Linear(5, 1))),
        rows(0), rows(1),
    ),
    "sorted": (of_function(lambda x, w: (x.sort()[0] * w).cumsum(0)), rows(0), rows(1)),
    "largest": (of_function(lambda x, w: (x * w).topk(2)[0] + (x * w).max()), rows(0), rows(1)),
    "masked": (
        of_function(lambda x, w: (x * w).masked_fill(x > 0, 2.0) + torch.where(x > w, w, x)),
        rows(0), rows(1),
    ),
    "written": (
        of_function(lambda x, w: (x * w).index_fill(1, torch.tensor([0, 2]), 3.0).clamp(-1, 1)),
        rows(0), rows(1),
    ),
    "median": (of_function(lambda x, w: (x * w).median(1)[0] + x.std(1)), rows(0), rows(1)),
    "gathered": (
        of_function(lambda x, w: (x * w).gather(1, x.argsort(1)) * w), rows(0), rows(1)
    ),
}  # fmt: skip


def same(a, b):
    return a == pytest.approx(b, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_watched_computation_has_the_numbers_and_gradients_of_pytorchs_also_for_others(name):
    make, given, others = PROGRAMS[name]
    given = [t.clone() for t in given]
    net, loss_of = make(*given)
    with mg.pytorch() as watched:
        loss = loss_of()
    loss.backward()
    step = mg.compile(watched)
    places = {key: next((i for i, g in enumerate(given) if same_array(t, g)), None)
              for key, t in step.tensors.items()}  # fmt: skip
    for tensors in (given, others):
        net.zero_grad()
        for mine, other in zip(given, tensors):
            mine.copy_(other)
        expected = loss_of()
        expected.backward()
        for t in step.tensors.values():
            t.grad = None
        ours = step(**{k: given[i].numpy() for k, i in places.items() if i is not None})
        ours.backward()
        assert same(ours.item(), expected.item())
        for key, theirs in net.named_parameters():
            assert same(step.tensors[key].grad.numpy(), theirs.grad.numpy())


def same_array(t, theirs):
    return t.shape == tuple(theirs.shape) and np.array_equal(t.numpy(), theirs.numpy())


def watched_dropout():
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    x = torch.ones(2, 4)
    with mg.pytorch() as watched:
        loss = net(x).sum()
    return net, watched, loss


def test_draws_stay_as_they_were_and_the_program_calls_them_so():
    _, watched, loss = watched_dropout()
    step = mg.compile(watched)
    assert step().item() == step().item() == pytest.approx(loss.item(), rel=1e-5)
    assert step.frozen == ["drawn by bernoulli"]
    assert "* drawn\n" in step.source
    assert repr(step) == (
        "what PyTorch computed, compiled, with copies of 0.weight, 0.bias, 2.weight, 2.bias, x; "
        "step(x=...) takes other numbers; 1 draw frozen"
    )


def test_an_input_in_another_shape_has_its_name():
    net, x, rows = nn.Linear(3, 1), torch.randn(2, 2, 3), torch.randn(4)
    with mg.pytorch() as watched:
        loss = (net(x.reshape(-1, 3)) * rows.unsqueeze(1)).sum()
    step = mg.compile(watched)
    assert list(step.tensors) == ["x", "weight", "bias", "rows"]
    other = torch.ones(2, 2, 3)
    wanted = (net(other.reshape(-1, 3)) * rows.unsqueeze(1)).sum()
    assert step(x=other.numpy()).item() == pytest.approx(wanted.item(), rel=1e-4)
    assert loss.item() == pytest.approx(step().item(), rel=1e-4)


def test_an_optimizer_of_ours_trains_what_pytorch_computed_as_pytorchs_does():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    x, t = torch.randn(16, 4), torch.randn(16, 1)
    with mg.pytorch() as watched:
        loss = (net(x) - t).square().mean()
    step = mg.compile(watched)
    learned = [tensor for tensor in step.tensors.values() if tensor.requires_grad]
    mine, theirs = mg.optim.SGD(learned, lr=0.1), torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(5):
        loss = (net(x) - t).square().mean()
        theirs.zero_grad()
        loss.backward()
        theirs.step()
        ours = step()
        mine.zero_grad()
        ours.backward()
        mine.step()
        assert ours.item() == pytest.approx(loss.item(), rel=1e-5)
    assert mg.graph(watched) is not None  # what was watched has its own numbers still


def test_the_views_of_a_program_show_modules_and_memory_of_what_was_watched():
    _, watched, _ = watched_dropout()
    step = mg.compile(watched)
    with mg.no_grad():
        assert step().is_leaf
        assert "yield [" not in step.source
    assert "# 2: Linear" in step.source
    assert "yield [" in step.source
    assert "np.empty" in step.program(buffers=True)
    assert "all buffers" in str(step.memory())
    assert len(step.graph) == len(mg.graph(watched))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda step: step(y=1.0),
            "is called 'y'; there are 0.weight, 0.bias, 2.weight, 2.bias, x",
        ),
        (
            lambda step: step(x=np.ones((3, 4))),
            r"x is float32\[2, 4\] in this program, and was given",
        ),
        (lambda step: step(np.ones((2, 4))), r"by name, as in step\(x=\.\.\.\), and not float64"),
    ],
)
def test_a_tensor_without_a_name_or_of_another_or_another_shape_is_refused(call, says):
    _, watched, _ = watched_dropout()
    with pytest.raises(mg.errors.ArgumentError, match=says):
        call(mg.compile(watched))


def test_numbers_that_were_read_in_the_block_are_part_of_the_program():
    x = torch.linspace(0, 1, 9).reshape(3, 3).requires_grad_()
    with mg.pytorch() as watched:
        loss = x.sum() * int(x.sum())
    step = mg.compile(watched)
    assert step().item() == pytest.approx(loss.item())
    with pytest.raises(mg.errors.GraphError, match="x is part of this program"):
        step(x=np.ones((3, 3)))
    step.tensors["x"].copy_(np.ones((3, 3)))
    with pytest.raises(mg.errors.GraphError, match="x is part of this program"):
        step()


@pytest.mark.parametrize(
    "loss_of",
    [
        lambda x: (x * x).sum() if x.mean() < 5 else x.sum(),
        lambda x: (x * torch.tensor(x.sum(1, keepdim=True).tolist())).sum(),
        lambda x: (x * torch.from_numpy(x.detach().numpy() * 2)).sum(),
        lambda x: x.tolist()[0][0] * x.sum(),  # before the block knows it
        lambda x: -x.sum() if x.tolist()[0][0] < 0 else x.sum(),
        lambda x: (x * torch.tensor(x[0, 1].item())).sum(),  # which come back in a new tensor
        lambda x: (x * torch.tensor([x[0, 1].item(), 1, 2])).sum(),
    ],
)
def test_numbers_that_python_chose_by_or_took_are_part_of_the_program(loss_of):
    x = torch.linspace(0, 1, 9).reshape(3, 3).requires_grad_()
    with mg.pytorch() as watched:
        loss = loss_of(x)
    step = mg.compile(watched)
    assert step().item() == pytest.approx(loss.item())
    with pytest.raises(mg.errors.GraphError, match=r"x is part of this program.*lambda x"):
        step(x=np.ones((3, 3)))


def test_indices_that_pytorch_would_refuse_are_refused():
    ids, table = torch.tensor([0, 2, 1]), torch.nn.Embedding(3, 2)
    with mg.pytorch() as watched:
        loss = table(ids).square().sum()
    step = mg.compile(watched)
    assert step().item() == pytest.approx(loss.item())
    with pytest.raises(mg.errors.GraphError, match="negative numbers in ids"):
        step(ids=np.array([0, -1, 1]))
    with pytest.raises(mg.errors.ShapeError, match="index 3 is out of bounds"):
        step(ids=np.array([0, 3, 1]))


def test_numbers_that_are_read_of_the_loss_are_not():
    x = torch.linspace(0, 1, 9).requires_grad_()
    with mg.pytorch() as watched:
        loss = (x * x).sum()
        assert loss > 0
        assert len(loss.detach().numpy().shape) == 0
    assert mg.compile(watched)(x=np.ones(9)).item() == 9


def test_a_mask_that_selects_another_number_of_elements_is_said():
    x = torch.linspace(-1, 1, 8).requires_grad_()
    with mg.pytorch() as watched:
        loss = (x[x > 0] ** 2).sum()
    assert loss.requires_grad
    with pytest.raises(ValueError, match="for these numbers, and had"):
        mg.compile(watched)(x=np.ones(8))


def test_comments_name_the_module_or_else_the_line_that_the_lines_go_back_through():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    with mg.pytorch() as watched:
        loss = net(torch.ones(2, 3)).square().mean()
    loss.backward()
    source = mg.compile(watched).source
    places = re.findall(r"# back through ([\w.]*)", source)
    assert places == ["test_of_watched.py", "2", "1", "0"]


def test_several_losses_are_refused():
    x = torch.ones(3, requires_grad=True)
    with mg.pytorch() as watched:
        two = [x.sum(), x.prod()]
    torch.autograd.backward(two)
    with pytest.raises(mg.errors.GraphError, match="2 losses were watched, and a program has one"):
        mg.compile(watched)


def test_places_that_pytorch_chose_among_equals_are_known_to_be_of_the_numbers():
    x = torch.tensor([[1.0, 1.0, 2.0], [3.0, 3.0, 3.0]], requires_grad=True)
    with mg.pytorch() as watched:
        loss = x.mode(1)[0].sum()
    graph = mg.graph(watched)
    (places,) = (n for n in graph.nodes if not n.operation and n.dtype.kind == "i" and n.may_be_of)
    assert [graph[n].label for n in places.may_be_of] == ["x"]
    assert mg.compile(watched)().item() == loss.item()
    with pytest.raises(mg.errors.GraphError, match="x is part of this program"):
        mg.compile(watched)(x=np.ones((2, 3)))
