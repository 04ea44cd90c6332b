"""Optimisers, schedules and clipping, held against PyTorch and the papers' formulas."""

import itertools
import math

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors, nn, optim
from minigrad.arrays import blocks
from minigrad.optim import SGD, Adam, AdamW

SETTINGS = [
    *(
        (SGD, {"lr": 0.05, "momentum": m, "nesterov": n, "weight_decay": w})
        for m, n, w in itertools.product((0.0, 0.9), (False, True), (0.0, 0.1))
        if m or not n
    ),
    *(
        (kind, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": w})
        for kind in (Adam, AdamW)
        for lr, betas, eps, w in itertools.product(
            (1e-2,), ((0.9, 0.999), (0.9, 0.98), (0.0, 0.5)), (1e-8, 1e-3), (0.0, 0.1)
        )
    ),
    (SGD, {}),
    (Adam, {}),
    (AdamW, {}),
]
SHAPES = [(3, 8), (8,), (8, 2), ()]


def ident(value):
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, dict):
        return ",".join(f"{k}={v}" for k, v in value.items()) or "defaults"
    return str(value)


def starting_values(dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for shape in SHAPES]


def leaves(values):
    return [mg.Tensor(v, requires_grad=True) for v in values]


def with_gradients(values, gradients):
    """Leaves that have these gradients; None for none."""
    made = leaves(values)
    for p, g in zip(made, gradients):
        p.grad = None if g is None else mg.Tensor(g)
    return made


def both(kind, settings, values):
    """Leaves with an optimiser of ours, and the same of PyTorch's."""
    torch = pytest.importorskip("torch")
    ours, theirs = leaves(values), [torch.tensor(v, requires_grad=True) for v in values]
    settings_there = {"lr": 1e-2, **settings} if kind is SGD else settings  # the default is 1e-3
    reference = getattr(torch.optim, kind.__name__)(theirs, **settings_there)
    return ours, kind(ours, **settings), theirs, reference


def distance(ours, theirs):
    """How far the farthest two elements are apart: relative to them where they are above 1."""
    pairs = [(p.data, q.detach().numpy()) for p, q in zip(ours, theirs)]
    return max(np.max(np.abs(a - b) / np.maximum(1, np.abs(b))) for a, b in pairs)


# --- the steps ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize(("kind", "settings"), SETTINGS, ids=ident)
def test_trajectories_are_those_of_pytorch(kind, settings, dtype):
    """50 steps, each from the gradient of an uneven landscape where ours stands."""
    torch = pytest.importorskip("torch")
    ours, optimizer, theirs, reference = both(kind, settings, starting_values(dtype))
    for t in range(50):
        for p, q in zip(ours, theirs):
            g = (p.data + np.sin(3 * p.data + t)).astype(dtype)
            p.grad, q.grad = mg.Tensor(g), torch.tensor(g)
        optimizer.step()
        reference.step()
        if t % 10 == 9:
            assert distance(ours, theirs) <= (1e-6 if dtype == np.float32 else 1e-12), f"step {t}"
    assert {p.dtype for p in ours} == {np.dtype(dtype)}
    assert all(np.max(np.abs(p.data - v)) > 1e-2 for p, v in zip(ours, starting_values(dtype)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize(
    ("kind", "settings"),
    [(SGD, {"momentum": 0.9, "nesterov": True}), (Adam, {}), (AdamW, {"weight_decay": 0.1})],
    ids=ident,
)
def test_a_network_learns_as_in_pytorch(kind, settings, dtype):
    """100 steps again; here each side computes its own gradients."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal((20, n)).astype(dtype) for n in (3, 2))
    ours, optimizer, theirs, reference = both(kind, settings, starting_values(dtype))

    def loss(parameters, x, y, tanh):
        W, b, V, c = parameters
        return ((tanh(x @ W + b) @ V + c - y) ** 2).mean()

    for t in range(100):
        for one, loss_there in (
            (optimizer, loss(ours, x, y, np.tanh)),
            (reference, loss(theirs, torch.tensor(x), torch.tensor(y), torch.tanh)),
        ):
            one.zero_grad()
            loss_there.backward()
            one.step()
        assert distance(ours, theirs) <= (1e-6 if dtype == np.float32 else 1e-12), f"step {t}"


@pytest.mark.parametrize(("kind", "settings"), SETTINGS[::3], ids=ident)
def test_a_parameter_counts_only_the_steps_in_which_it_had_a_gradient(kind, settings):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    ours, optimizer, theirs, reference = both(kind, settings, starting_values())
    for t in range(20):
        for i, (p, q) in enumerate(zip(ours, theirs)):
            g = rng.standard_normal(p.shape) if t >= 5 * i and t % (i + 1) == 0 else None
            p.grad = None if g is None else mg.Tensor(g)
            q.grad = None if g is None else torch.tensor(g)
        optimizer.step()
        reference.step()
        assert distance(ours, theirs) <= 1e-12


def test_a_step_without_any_gradient_is_told():
    p = nn.Parameter([1.0])
    with pytest.warns(UserWarning, match=r"backward\(\).*zero_grad\(\).*another model") as told:
        SGD([p]).step()
    assert told[0].filename == __file__
    assert p.item() == 1


@pytest.mark.parametrize("kind", [SGD, Adam, AdamW])
def test_without_a_gradient_nothing_changes(kind):
    p, other = with_gradients([np.ones(3), np.ones(3)], [None, np.ones(3)])
    optimizer = kind([p, other], weight_decay=0.1)
    loss = (p * p).sum()
    optimizer.step()
    np.testing.assert_array_equal(p.data, np.ones(3))
    assert not np.array_equal(other.data, np.ones(3))
    assert p.grad is None
    loss.backward()  # p was not touched, so its graph is still whole


@pytest.mark.parametrize(("kind", "settings"), SETTINGS[:-3], ids=ident)
def test_settings_of_numpy_do_not_widen_float32(kind, settings):
    """Numbers of NumPy are float64 and would make float64 of everything they meet (NEP 50)."""

    def run(settings, schedule):
        made = with_gradients(*[[v.astype(np.float32) for v in starting_values()]] * 2)
        optimizer = kind(made, **settings)
        for step in range(1, 4):
            optimizer.lr = schedule(step)
            optimizer.step()
        assert {p.dtype for p in made} == {np.dtype(np.float32)}
        assert {a.dtype for arrays in optimizer.state for a in arrays} <= {np.dtype(np.float32)}
        return [p.numpy().tobytes() for p in map(mg.Tensor.detach, made)]

    wide = {
        k: tuple(map(np.float64, v)) if isinstance(v, tuple) else np.asarray(v)[()]
        for k, v in settings.items()
    }
    assert run(settings, lambda t: 0.1 / t) == run(wide, lambda t: np.float64(0.1) / t)


@pytest.mark.parametrize("kind", [SGD, Adam, AdamW])
def test_a_parameter_that_is_listed_twice_is_changed_once(kind):
    once, twice = (with_gradients([np.ones(3)], [np.ones(3)])[0] for _ in range(2))
    kind([once]).step()
    optimizer = kind([twice, twice])
    optimizer.step()
    np.testing.assert_array_equal(once.data, twice.data)
    assert len(optimizer.parameters) == 1


@pytest.mark.parametrize("kind", [SGD, Adam, AdamW])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (41,), (7, 5), (2, 3, 4), (1, 60)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_cut_into_pieces_or_not_the_steps_are_the_same_bits(kind, shape, order, monkeypatch):
    def run(block):
        monkeypatch.setattr(blocks, "BLOCK_ELEMENTS", block)
        rng = np.random.default_rng(0)
        (p,) = leaves([np.asarray(rng.standard_normal(shape).astype(np.float32), order=order)])
        optimizer = kind(
            [p], lr=0.1, weight_decay=0.1, **({"momentum": 0.9} if kind is SGD else {})
        )
        for _ in range(3):
            p.grad = mg.Tensor(rng.standard_normal(shape).astype(np.float32))
            optimizer.step()
        return p.data.copy()

    whole, cut = run(1 << 15), run(4)
    np.testing.assert_array_equal(whole, cut)
    start = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    assert whole.size == 0 or not np.any(whole == start)


class Normalized(optim.Optimizer):
    """Steps of one length for each parameter."""

    def update(self, t, p, g):
        p -= self.lr * g / np.linalg.norm(g)


def test_an_optimizer_of_ones_own_is_given_each_parameter_whole():
    shapes = (2, 3), (4,), (300, 400)
    leaves = [mg.Tensor(np.ones(shape), requires_grad=True) for shape in shapes]
    optimizer = Normalized(leaves, lr=0.5)
    sum(np.sum(k * leaf) for k, leaf in enumerate(leaves, 1)).backward()
    optimizer.step()
    for leaf in leaves:
        np.testing.assert_allclose(np.linalg.norm(leaf.data - 1), 0.5)


@pytest.mark.parametrize("kind", [SGD, Adam, AdamW])
def test_a_step_between_forward_and_backward_changes_no_gradient(kind):
    """The graph keeps the array that it was computed with; the leaf has a new one."""
    (w,) = leaves([np.ones(3)])
    optimizer, held = kind([w]), w.data
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    assert not np.shares_memory(w.data, held)
    assert np.all(w.data < held)
    np.testing.assert_array_equal(held, 1)
    w.grad = None
    loss.backward()
    np.testing.assert_array_equal(w.grad.data, 2 * held)


def test_gradients_are_read_and_not_written():
    """A gradient may be shared by two leaves, or be a broadcast view of a single number."""
    x, y = leaves([np.zeros(3), np.zeros(3)])
    (x + y).sum().backward()
    for kind, settings in SETTINGS:
        kind([x, y], **settings).step()
    np.testing.assert_array_equal(x.grad.data, np.ones(3))
    np.testing.assert_array_equal(y.grad.data, np.ones(3))


def test_zero_grad_makes_gradients_none_again():
    made = with_gradients(*[starting_values()] * 2)
    SGD(made).zero_grad()
    assert all(p.grad is None for p in made)


def test_parameters_converted_to_another_dtype_go_on_in_it():
    def run(convert):
        layer = nn.Linear(3, 2, rng=np.random.default_rng(0))
        if convert == "first":
            layer.astype(np.float64)
        optimizer = Adam(layer.parameters(), lr=0.1)
        if convert == "then":
            layer.astype(np.float64)
        for _ in range(3):
            for p in layer.parameters():
                p.grad = mg.Tensor(np.cos(p.data))
            optimizer.step()
        return layer.state_dict()

    first, then = run("first"), run("then")
    for name in first:
        assert then[name].dtype == np.float64
        np.testing.assert_array_equal(first[name], then[name])


def test_a_gradient_that_is_still_to_be_computed_is_computed():
    da = pytest.importorskip("dask.array")
    (w,) = leaves([np.ones(4)])
    np.sum(mg.Tensor(da.arange(4.0, chunks=2)) * w).backward()
    SGD([w], lr=1.0).step()
    np.testing.assert_array_equal(w.data, [1, 0, -1, -2])


# --- what is kept ---------------------------------------------------------------------------------


def run_on(optimizer, made, steps, seed):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        for p in made[: 1 + seed]:
            p.grad = mg.Tensor(rng.standard_normal(p.shape).astype(p.dtype))
        optimizer.step()


@pytest.mark.parametrize(("kind", "settings"), SETTINGS, ids=ident)
def test_a_loaded_state_goes_on_to_the_same_bits(kind, settings, tmp_path):
    made = leaves(starting_values(np.float32))
    optimizer = kind(made, **settings)
    run_on(optimizer, made, 3, 1)
    optimizer.lr *= 0.7
    np.savez(tmp_path / "state.npz", **optimizer.state_dict())

    again = leaves([p.data for p in made])
    resumed = kind(again, **settings)
    with np.load(tmp_path / "state.npz") as state:
        resumed.load_state_dict(state)
    assert resumed.lr == optimizer.lr
    for parameters, one in ((made, optimizer), (again, resumed)):
        run_on(one, parameters, 3, 2)
    assert [p.data.tobytes() for p in made] == [p.data.tobytes() for p in again]


def test_the_names_in_a_state():
    made = leaves([np.zeros(2), np.zeros((3, 1))])
    assert list(Adam(made).state_dict()) == [
        "lr", "steps", "mean.0", "square.0", "mean.1", "square.1",
    ]  # fmt: skip
    assert list(SGD(made).state_dict()) == ["lr", "steps"]
    assert list(SGD(made, momentum=0.9).state_dict()) == ["lr", "steps", "momentum.0", "momentum.1"]


def test_a_state_is_a_copy_on_the_way_out_and_in():
    made = leaves([np.zeros(2)])
    optimizer = Adam(made)
    state = optimizer.state_dict()
    run_on(optimizer, made, 1, 1)
    np.testing.assert_array_equal(state["mean.0"], 0)
    np.testing.assert_array_equal(state["steps"], 0)
    optimizer.load_state_dict(state)
    run_on(optimizer, made, 1, 1)
    np.testing.assert_array_equal(state["mean.0"], 0)


def test_a_state_that_does_not_fit_changes_nothing_and_says_all_that_is_wrong():
    made = leaves([np.zeros(2), np.zeros(3)])
    optimizer = Adam(made)
    run_on(optimizer, made, 2, 1)
    before = optimizer.state_dict()
    wrong = {
        **before,
        "mean.0": np.ones(3),
        "mean.1": np.array(["a", "b", "c"]),
        "momentum.0": np.ones(2),
    }
    del wrong["square.1"]
    with pytest.raises(errors.StateDictError) as caught:
        optimizer.load_state_dict(wrong)
    assert str(caught.value) == (
        "the state does not fit this Adam:\n"
        "  missing: square.1 (3,)\n"
        "  unexpected: momentum.0 (2,)\n"
        "  mean.0: expected the shape (2,), got (3,)\n"
        "  mean.1: expected real numbers, got <U1"
    )
    for name, value in optimizer.state_dict().items():
        np.testing.assert_array_equal(value, before[name])
    with pytest.raises(errors.StateDictError, match=r"maps names to arrays.*got list"):
        optimizer.load_state_dict([before])
    with pytest.raises(
        errors.StateDictError, match=r"steps: expected the shape \(2,\), got \(1,\)"
    ):
        optimizer.load_state_dict({**before, "steps": np.array([1])})


# --- what makes no sense --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (SGD, {"lr": -1}, "lr is a finite number from 0, not -1"),
        (SGD, {"lr": math.nan}, "lr is a finite number from 0, not nan"),
        (SGD, {"lr": math.inf}, "lr is a finite number from 0, not inf"),
        (Adam, {"lr": optim.stepwise(1.0, 1)}, "lr is a finite number from 0, not <function"),
        (SGD, {"momentum": -0.1}, "momentum is from 0 to below 1"),
        (SGD, {"nesterov": True}, "nesterov=True needs a momentum above 0"),
        (SGD, {"weight_decay": -0.1}, "weight_decay is a finite number from 0"),
        (Adam, {"betas": (1.0, 0.9)}, r"betas\[0\] is from 0 to below 1, not 1.0"),
        (Adam, {"betas": (0.9, -0.1)}, r"betas\[1\] is from 0 to below 1, not -0.1"),
        (AdamW, {"eps": -1e-8}, "eps is a finite number from 0"),
    ],
)
def test_settings_that_make_no_sense(kind, settings, message):
    with pytest.raises(errors.ConfigError, match=message):
        kind(leaves([np.ones(2)]), **settings)


def test_parameters_of_pytorchs_are_for_its_own_optimizers():
    torch = pytest.importorskip("torch")
    with pytest.raises(errors.ConfigError, match="by its own optimizers"):
        Adam(torch.nn.Linear(2, 2).parameters())


def test_a_momentum_that_comes_later_has_no_direction_to_keep():
    (w,) = parameters = [mg.Tensor([1.0], requires_grad=True)]
    optimizer = SGD(parameters, 0.1)
    optimizer.momentum = 0.9
    np.sum(w * w).backward()
    with pytest.raises(mg.errors.ConfigError, match=r"made without momentum.*SGD\(parameters"):
        optimizer.step()


def test_a_learning_rate_that_makes_no_sense_later():
    optimizer = Adam(leaves([np.ones(2)]))
    with pytest.raises(errors.ConfigError, match="lr is a finite number from 0, not nan"):
        optimizer.lr = math.nan
    assert optimizer.lr == 1e-3


W = mg.Tensor(np.ones((2, 2)), requires_grad=True)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ([], "at least one parameter"),
        (W, "parameters are several tensors.* got Tensor"),
        (nn.Linear(2, 2), "parameters are several tensors.* got Linear"),
        ([W * 2], r"only leaves can be given new values.*\(2, 2\) float64"),
        ([("weight", W)], "a parameter is a Tensor.* not tuple"),
        ([np.ones(2)], "a parameter is a Tensor.* not ndarray"),
        (nn.Sequential(nn.Linear(2, 2)), r"as model\.parameters\(\) gives them, not Linear"),
        ([mg.Tensor([1, 2])], r"floating numbers, and one is ndarray of \(2,\) int64"),
    ],
)
def test_parameters_that_make_no_sense(parameters, message):
    with mg.no_grad(), pytest.raises(errors.ConfigError, match=message):
        SGD(parameters)


def test_of_a_tensor_that_requires_no_gradient_a_warning_says_that_it_stays():
    frozen = nn.Linear(2, 3)
    frozen.bias.requires_grad = False
    Adam(frozen.parameters())  # without one
    with pytest.warns(UserWarning, match=r"\(2,\) float32 among the .* stay as it is") as caught:
        Adam([mg.Tensor([1.0], requires_grad=True), mg.Tensor([1.0, 2.0])])
    assert caught[0].filename == __file__


def test_what_cannot_change_in_place_is_no_parameter():
    """An update of a piece of it would change a new array, and nothing else."""
    da = pytest.importorskip("dask.array")
    with pytest.raises(errors.ConfigError, match=r"NumPy arrays.*one is Array of \(4,\) float64"):
        SGD([mg.Tensor(da.ones(4, chunks=2))])


def test_any_iterable_of_leaves_will_do():
    layer = nn.Linear(2, 2)
    assert Adam(p for p in layer.parameters()).parameters == layer.parameters()


# --- schedules ------------------------------------------------------------------------------------


@pytest.mark.parametrize("warmup", [1, 2, 7, 4000])
def test_warmup_and_inverse_square_root_is_equation_3_of_the_paper(warmup):
    """Vaswani et al., 2017: d_model^-0.5 min(step^-0.5, step warmup^-1.5)."""
    D = 512
    lr = optim.warmup_inverse_sqrt((D * warmup) ** -0.5, warmup)
    for step in range(1, 10_000, 1 if warmup < 10 else 13):
        expected = D**-0.5 * min(step**-0.5, step * warmup**-1.5)
        assert lr(step) == pytest.approx(expected, rel=1e-13)
    assert lr(0) == 0


def test_inverse_square_root_without_warmup():
    lr = optim.warmup_inverse_sqrt(0.5, 0)
    assert [lr(step) for step in range(5)] == [0, 0.5, 0.5 * 0.5**0.5, 0.5 * (1 / 3) ** 0.5, 0.25]


@pytest.mark.parametrize("floor", [0.0, 0.02])
@pytest.mark.parametrize(("warmup", "steps"), [(0, 10), (1, 10), (4, 20), (5, 6), (100, 400)])
def test_warmup_and_cosine_is_that_of_pytorch(warmup, steps, floor):
    torch = pytest.importorskip("torch")
    lr = optim.warmup_cosine(0.1, warmup, steps, floor)
    for step in range(warmup):
        assert lr(step) == pytest.approx(0.1 * step / warmup)

    optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.1)
    reference = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps - warmup, floor)
    for step in range(warmup, steps + 1):
        assert lr(step) == pytest.approx(reference.get_last_lr()[0], rel=1e-9, abs=1e-15)
        optimizer.step()
        reference.step()
    assert [lr(steps + n) for n in (0, 1, 50)] == [floor] * 3


def test_warmup_longer_than_the_run():
    lr = optim.warmup_cosine(1.0, 10, 5)
    assert [lr(0), lr(5), lr(9)] == [0, 0.5, 0.9]
    assert lr(10) in (0, 1)
    assert lr(11) == 0


@pytest.mark.parametrize(("every", "factor"), [(1, 0.5), (3, 0.1), (10, 2.0)])
def test_stepwise_is_that_of_pytorch(every, factor):
    torch = pytest.importorskip("torch")
    lr = optim.stepwise(0.3, every, factor)
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.3)
    reference = torch.optim.lr_scheduler.StepLR(optimizer, every, factor)
    for step in range(1, 31):
        assert lr(step) == pytest.approx(reference.get_last_lr()[0], rel=1e-12)
        optimizer.step()
        reference.step()
    assert lr(0) == 0.3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: optim.warmup_inverse_sqrt(-1, 10), "peak is a finite number"),
        (lambda: optim.warmup_inverse_sqrt(1, -1), "warmup is a whole number from 0, not -1"),
        (lambda: optim.warmup_cosine(1, 1.5, 10), "warmup is a whole number from 0, not 1.5"),
        (lambda: optim.warmup_cosine(1, 1, 10, math.nan), "floor is a finite number"),
        (lambda: optim.stepwise(1, 0), "every is a whole number from 1, not 0"),
        (lambda: optim.stepwise(1, 1, -1), "factor is a finite number"),
    ],
)
def test_schedules_that_make_no_sense(make, message):
    with pytest.raises(errors.ConfigError, match=message):
        make()


# --- clipping -------------------------------------------------------------------------------------


def norm_of(gradients):
    return math.sqrt(sum((g.astype(float) ** 2).sum() for g in gradients))


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("share", [0, 1e-3, 0.5, 1, 1 + 1e-8, 1.1, 1e3, math.inf])
def test_clipping_by_norm_is_that_of_pytorch(share, dtype):
    torch = pytest.importorskip("torch")
    values = starting_values(dtype)
    limit = float(share) * norm_of(values) if share else 0.0
    ours = [*with_gradients(values, values), *leaves([np.ones(3, dtype)])]  # the last has none
    theirs = [torch.tensor(v, requires_grad=True) for v in [*values, np.ones(3, dtype)]]
    for q, v in zip(theirs, values):
        q.grad = torch.tensor(v)
    tolerance = 1e-6 if dtype == np.float32 else 1e-14

    norm = optim.clip_grad_norm(ours, limit)
    expected = torch.nn.utils.clip_grad_norm_(theirs, limit)
    assert type(norm) is float
    assert norm == pytest.approx(expected.item(), rel=tolerance)
    for p, q in zip(ours[:-1], theirs):
        assert p.grad.dtype == dtype
        np.testing.assert_allclose(p.grad.data, q.grad.numpy(), rtol=tolerance)
    assert ours[-1].grad is None


def test_the_norm_is_summed_in_float64_and_over_all_pieces(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ELEMENTS", 8)
    g = np.random.default_rng(0).standard_normal((50, 3)).astype(np.float32)
    assert optim.clip_grad_norm(with_gradients([g], [g]), math.inf) == norm_of([g])
    huge = np.full((50, 3), 1e30, np.float32)  # its square is infinite in float32
    (p,) = with_gradients([huge], [huge])
    assert optim.clip_grad_norm([p], 1.0) == pytest.approx(1e30 * math.sqrt(150))
    assert norm_of([p.grad.data]) == pytest.approx(1, rel=1e-6)


def test_a_gradient_that_is_not_finite_is_not_clipped_but_reported():
    bad = [np.array([1.0, np.nan]), np.array([[1.0, -np.inf]]), np.array([3.0])]
    made = with_gradients([np.zeros_like(g) for g in bad], bad)
    made[0].name = "encoder.weight"
    with pytest.raises(errors.AnomalyError) as caught:
        optim.clip_grad_norm(made, 1.0)
    assert str(caught.value).splitlines()[:-1] == [
        "there is no finite norm to clip, for the gradient of",
        "  encoder.weight of shape (2,): all 1, 1 of 2 NaN",
        "  a parameter of shape (1, 2): all 1, 1 of 2 infinite",
    ]
    for p, g in zip(made, bad):
        np.testing.assert_array_equal(p.grad.data, g)


def test_a_gradient_shared_by_two_leaves_is_clipped_once_for_each():
    x, y = leaves([np.zeros(2), np.zeros(2)])
    (x + y).sum().backward()
    assert optim.clip_grad_norm([x, y, x], 1.0) == 2.0
    np.testing.assert_allclose(x.grad.data, 0.5, rtol=1e-6)
    np.testing.assert_allclose(y.grad.data, 0.5, rtol=1e-6)


def test_clipping_nothing():
    assert optim.clip_grad_norm(leaves([np.ones(2)]), 1.0) == 0.0
    assert optim.clip_grad_norm([], 1.0) == 0.0
    (p,) = with_gradients([np.ones((0, 2))], [np.ones((0, 2))])
    assert optim.clip_grad_norm([p], 1.0) == 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_clipping_by_value_is_that_of_pytorch(dtype):
    torch = pytest.importorskip("torch")
    g = np.array([-np.inf, -2, -0.5, 0, 0.5, 2, np.inf, np.nan], dtype)
    ours = [*with_gradients([g], [g]), *leaves([g])]
    theirs = [torch.tensor(g, requires_grad=True) for _ in ours]
    theirs[0].grad = torch.tensor(g)
    optim.clip_grad_value(ours, np.float64(0.75))
    torch.nn.utils.clip_grad_value_(theirs, 0.75)
    np.testing.assert_array_equal(ours[0].grad.data, theirs[0].grad.numpy())
    assert ours[0].grad.dtype == dtype
    assert ours[1].grad is None


@pytest.mark.parametrize("clip", [optim.clip_grad_norm, optim.clip_grad_value])
def test_what_cannot_be_clipped(clip):
    with pytest.raises(errors.ConfigError, match="parameters are several tensors"):
        clip(W, 1.0)  # a tensor is iterable too, but its rows have no gradients
    with pytest.raises(errors.ConfigError, match=r"max_.* is a finite number from 0, not -1"):
        clip([W], -1)
    with pytest.raises(errors.ConfigError, match=r"max_.* is a finite number from 0, not nan"):
        clip([W], math.nan)
