"""The table of idioms: what stands on the right runs, and gives what stands on the left."""

import importlib.util
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors, idioms, nn, optim
from minigrad import functional as F
from minigrad.engine.advice import as_printed

EXAMPLES = Path(__file__).parents[2] / "examples"
X, Y = (
    np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]),
    np.array([[1.0, 2.0, -0.5], [0.5, 3.0, 1.0]]),
)
C, W, IDS = np.arange(24.0).reshape(2, 3, 4) / 9, np.array([0.5, -1.5, 2.0]), np.array([1, 0])
OURS = {"np": np, "mg": mg, "nn": nn, "F": F, "optim": optim, "ids": IDS, "mask": X > 0}
LABELS = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
RANDOM = r"rand|generator|multinomial|normal_|uniform_|xavier|dropout"
# What has no one result: modules, devices, dtypes, loops; or another library's name.
NOT_COMPARED = (
    r"^(model|optim|nn|jax|tf|keras|sklearn)|torch\.(autograd\.F|seed|cuda|jit|utils|device|float|long|bool|set_|no_|inf|Var|back|vmap)|"
    r"grad_fn|register_hook|x\.at|block_until|x\.device|x\.topk|cuda|w\.zero_grad|"
    r"F\.(mse|accuracy|mean_squared_error|\w+_crossentropy|to_categorical)\("  # of Keras
)


def ours(dtype=np.float64):
    model = nn.Sequential(nn.Linear(3, 4), F.relu, nn.Linear(4, 2)).astype(dtype)
    leaf = mg.Tensor(W, dtype=dtype, requires_grad=True)
    return OURS | {
        "x": mg.Tensor(X, dtype=dtype, requires_grad=True), "y": mg.Tensor(Y, dtype=dtype),
        "c": mg.Tensor(C, dtype=dtype), "w": leaf, "t": mg.Tensor(LABELS, dtype=dtype),
        "f": lambda w: np.sum(w * w * w), "model": model,
        "optimizer": optim.Adam([leaf, *model.parameters()]),
    }  # fmt: skip


def value(code, names):
    """What the last statement of `code`, as it is printed, gives; of an assignment, what it assigned."""
    code = as_printed(code)
    compile(code, "", "exec")  # as a whole, as it is pasted
    if "\n" in code:
        return exec(code, names)
    code = code.split("#")[0].strip()
    *before, last = [code] if code.startswith(("for ", "with ")) else code.split("; ")
    for statement in before:
        exec(statement, names)
    if re.match(r"for |from |with |test, train", last):
        return exec(last, names)
    target, _, right = last.partition(" = ") if re.match(r"[\w.]+ = ", last) else ("", "", last)
    result = eval(right, names)
    if target:
        names["result"] = result
        exec(f"{target} = result", names)
    return result


@pytest.fixture(autouse=True)
def weights_of_a_file(tmp_path, monkeypatch):
    """A file w.npz of what `model` holds, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    mg.save("w.npz", ours()["model"].state_dict())


@pytest.mark.parametrize(("theirs", "here"), idioms.IDIOMS, ids=[row[0] for row in idioms.IDIOMS])
def test_what_is_to_be_written_runs(theirs, here):
    with np.errstate(invalid="ignore"):
        result = value(here, ours())
    if isinstance(result, np.lib.npyio.NpzFile):
        result.close()
    torch = pytest.importorskip("torch", reason="compares with PyTorch")
    if re.search(NOT_COMPARED, theirs) or re.search(RANDOM, theirs) or result is None:
        return
    x, y, c, w, t = (torch.tensor(a) for a in (X, Y, C, W, LABELS))
    w.requires_grad_("autograd.grad" in theirs)
    names = {
        "torch": torch, "np": np, "x": x, "y": y, "c": c, "w": w, "t": t, "ids": torch.tensor(IDS),
        "mask": x > 0, "F": torch.nn.functional, "f": lambda w: (w * w * w).sum(),
    }  # fmt: skip
    expected = eval(theirs, names)
    same(result, expected[0] if "autograd.grad" in theirs else expected)


@pytest.mark.parametrize(("theirs", "here"), idioms.IDIOMS, ids=[row[0] for row in idioms.IDIOMS])
def test_beside_a_model_in_float32_nothing_becomes_float64(theirs, here):
    if "float64" in here or "from_numpy" in theirs:  # it is asked for, or given
        return
    names = ours(np.float32)
    with np.errstate(invalid="ignore"):
        result = value(here, names)
    made = [result, *result] if isinstance(result, list) else [result]
    dtypes = [one.dtype for one in (*made, names["w"]) if isinstance(one, mg.Tensor)]
    assert np.float64 not in dtypes


def test_the_program_beside_that_of_keras_learns_and_predicts(capsys):
    page = (EXAMPLES / "KERAS.md").read_text()
    names = {}
    exec("".join(re.findall(r"```python\n(.*?)```", page, re.S)), names)
    said = capsys.readouterr().out
    loss, accuracy = names["evaluate"](names["x_test"], names["y_test"])
    assert loss < 0.2
    assert accuracy > 0.9
    assert "82 parameters" in said
    predicted, diagnosis = said.rpartition("[[")[2].split("]]")
    assert diagnosis.strip().startswith("every number is finite")
    rows = np.array(re.findall(r"[\d.]+(?:e-\d+)?", predicted), float).reshape(3, 2)
    np.testing.assert_allclose(rows.sum(1), 1, rtol=1e-6)
    np.testing.assert_array_equal(rows.argmax(1), names["y_test"][:3])


def same(result, expected):
    if isinstance(expected, (tuple, list)):
        assert len(result) == len(expected)
        for one, other in zip(result, expected):
            same(one, other)
    else:
        one, other = (a.detach().numpy() if hasattr(a, "detach") else a for a in (result, expected))
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_an_attribute_that_is_not_here_says_what_to_write():
    x, model = mg.Tensor(X), nn.Linear(3, 2)
    for owner, name, remedy in (
        (mg, "zeros", "for torch.zeros(2, 3) write mg.Tensor(np.zeros((2, 3)), dtype=np.float32)"),
        (mg, "autograd", "write mg.grad(f)(w)"),
        (nn, "LayerNorm", "from minitransformer import LayerNorm"),
        (nn, "Flatten", "nn.Function(lambda x"),
        (F, "tanh", "write np.tanh(x)"),
        (optim, "lr_scheduler", "optimizer.lr ="),
        (x, "permute", "write c.transpose(2, 0, 1)"),
        (x, "view", "write x.reshape(3, 2)"),
        (model, "to", "write model"),
        (model, "fit", "optimizer.step()"),
        (model, "save", "mg.save('w.npz', model.state_dict())"),
        (model, "load_weights", "mg.load('w.npz')[0]"),
        (nn, "Relu", "write mg.nn.ReLU"),
        (nn, "sequential", "write mg.nn.Sequential"),
        (optim, "adam", "write mg.optim.Adam"),
        (optim, "StepLR", "optim.stepwise(1e-2, 10)(1)"),
        (mg, "plot_model", "write mg.graph(f(w))"),
        (mg, "pi", "write np.pi"),
        (mg, "set_default_device", "all arrays lie in the memory"),
        (model, "get_layer", "write model[0]"),
        (mg, "summary", "for model.summary() write print(model)"),
        (mg.random, "normal", "write mg.generator().normal("),
        (mg, "layers", "for keras.layers write nn.Linear, nn.Embedding"),
        (mg, "EarlyStopping", "if waited == 5:"),
        (nn, "EarlyStopping", "if waited == 5:"),
        (nn, "layers", "for nn.layers write nn.Linear, nn.Embedding"),
        (nn, "Concatenate", "write np.concatenate([x, y], axis=-1)"),
        (mg, "function", "for tf.function(f) write mg.compile(f)"),
        (mg, "seed", "write mg.manual_seed(0)"),
        (model, "history", "losses.append(loss.item())"),
        (model, "train_on_batch", "loss.backward(); optimizer.step()"),
        (nn, "Conv2d", "nn.Linear(4, 5)(c[:, "),
        (nn, "LSTM", "c is a batch (B, T, D), here D = 4"),
        (nn, "SimpleRNN", "for nn.SimpleRNN(3) write\ncell, h = nn.Linear(4 + 3, 3)"),
        (nn, "Attention", "from minitransformer import attention"),
        (mg, "metrics", "np.mean(np.argmax(x, -1) == ids)"),
        (mg, "datasets", "no data set is downloaded"),
        (mg, "preprocessing", "(x - np.mean(x, 0)) / np.std(x, 0)"),
        (mg, "regularizers", "weight_decay=0.01"),
        (mg, "pad_sequences", "[0] * (2 - len(row))"),
        (mg, "train_test_split", "test, train = np.split(order"),
        (nn, "BatchNormalization", "for prediction keep a running mean"),
        (nn, "Softmax", "not before cross_entropy"),
        (nn, "SparseCategoricalCrossentropy", "x before a softmax"),
        (model, "predict", "model.eval()"),
        (model, "metrics", "np.argmax(model(x), -1) == ids"),
        (mg, "load_model", "mg.load('w.npz')[0]"),
        (mg, "set_seed", "write mg.manual_seed(0)"),
        (mg.random, "seed", "write mg.manual_seed(0)"),
        (x, "to", "x itself"),
        (optim.Adam(model.parameters()), "param_groups", "write optimizer.lr"),
    ):
        with pytest.raises(AttributeError, match=re.escape(remedy)):
            getattr(owner, name)
        with pytest.raises(AttributeError) as raised:
            owner.nobody_has_this
        assert "write" not in str(raised.value)


@pytest.mark.parametrize(
    ("statement", "remedy"),
    [
        ("from minigrad import keras", "for tf.keras write nn.Sequential("),
        ("from minigrad import layers", "for keras.layers write nn.Linear, nn.Embedding"),
        ("from minigrad.nn import Dense", "for nn.Dense(4) write nn.Linear(3, 4)"),
        ("from minigrad.nn import MultiHeadAttention", "MultiHeadAttention(AttentionSizes(8, 2))"),
        ("from minigrad import nn, Linear", "write mg.nn.Linear"),
        (
            "from minitransformer import from_torch",
            "write from minitransformer.training.torch_weights",
        ),
        ("from minigrad import nobody_has_this", " from 'minigrad'"),
    ],
)
def test_an_import_of_what_is_not_here_says_what_to_write(statement, remedy):
    with pytest.raises(ImportError, match=f"cannot import name .*{re.escape(remedy)}"):
        exec(statement)
    assert not hasattr(mg, "keras")
    assert getattr(nn, "Dense", None) is None


@pytest.mark.parametrize(
    ("statement", "remedy"),
    [
        ("import minigrad.layers", "for keras.layers write nn.Linear, nn.Embedding"),
        ("from minigrad.layers import LSTM", "for nn.LSTM(4, 3) write"),
        ("from minigrad.keras.layers import Conv2D", "for nn.Conv2D(1, 5, 2) write"),
        ("import minigrad.keras as keras", "for tf.keras write nn.Sequential("),
        ("from minigrad.models import Sequential", "for keras.Sequential write nn.Sequential("),
        (
            "from minigrad.optimizers import Adam",
            "for keras.optimizers.Adam(1e-3) write optim.Adam(",
        ),
        ("from minigrad.utils.data import DataLoader", "batches of a loader"),
        ("import minigrad.numpy as jnp", "for jax.numpy write np"),
        ("import minigrad.nn.functional as F", "for nn.functional write mg.functional"),
        ("from minigrad.optim.lr_scheduler import StepLR", "optim.stepwise(1e-2, 10)(1)"),
        ("import minigrad.Tensor", "write from minigrad import Tensor"),
    ],
)
def test_an_import_of_a_module_that_is_not_here_says_what_to_write(statement, remedy, tmp_path):
    (tmp_path / "script.py").write_text(statement)
    with pytest.raises(
        ModuleNotFoundError, match=rf"^No module named .*{re.escape(remedy)}"
    ) as raised:
        runpy.run_path(str(tmp_path / "script.py"))
    assert raised.value.name.startswith("minigrad.")


def test_a_module_that_nobody_has_is_not_found_as_python_says():
    assert importlib.util.find_spec("minigrad.nobody_has_this") is None
    with pytest.raises(ModuleNotFoundError, match=r"nobody_has_this'$"):
        importlib.import_module("minigrad.nobody_has_this")


def test_a_call_with_too_few_arguments_says_what_to_write():
    for call, remedy in (
        (lambda: nn.Linear(16), "missing 1 .* 'outputs'; write nn.Linear(3, 4)"),
        (lambda: nn.Embedding(10), "write nn.Embedding(10, 4)"),
        (lambda: optim.Adam(lr=0.01), "write optim.Adam(model.parameters(), lr=1e-3)"),
        (lambda: optim.SGD(), "write optim.SGD(model.parameters(), lr=1e-3)"),
        (lambda: mg.graph(mg.Tensor(W)).draw("w.svg"), "write mg.graph(loss).render('graph.svg')"),
        (lambda: nn.Linear(3, 2).load_state_dict({}, strict=False), "leave it out"),
        (lambda: mg.save("w.npz", w=W), "there is no argument 'w'; it takes path, arrays"),
        (lambda: mg.Tensor(3, 4), "mg.Tensor(np.zeros((3, 4))) for a shape"),
        (
            lambda: optim.Adam([nn.Parameter(W)]).step(None),
            "write loss.backward(); optimizer.step()",
        ),
        (lambda: nn.MSELoss(X, Y), "write nn.MSELoss()(...)"),
        (lambda: nn.Linear(3, 2).zero_grad(set_to_none=True), "leave it out"),
    ):
        with pytest.raises(
            errors.ArgumentError, match=remedy.replace("(", r"\(").replace(")", r"\)")
        ):
            call()


def test_of_a_dotted_name_the_row_is_that_of_the_whole_name():
    w = mg.Tensor(W, requires_grad=True)
    for call, remedy in (
        (lambda: nn.init.zeros_(w), "for nn.init.zeros_(w) write w.data = np.zeros(3)"),
        (lambda: nn.init.kaiming_uniform_(w), "for nn.init.xavier_uniform_(w)"),
        (lambda: mg.autograd.Function, "write mg.rule("),
        (lambda: mg.autograd.functional.hvp(np.sum, w, w), "write mg.hvp(f, w, w)"),
        (lambda: mg.autograd.grad(w), "write mg.grad(f)(w)"),
        (lambda: mg.utils.to_categorical(IDS), "for keras.utils.to_categorical(ids, 3) write"),
        (lambda: mg.utils.data.DataLoader, "batches of a loader"),
        (lambda: mg.data.Dataset, "batches of a data set"),
        (lambda: mg.callbacks.ModelCheckpoint("w"), "the least so far"),
        (lambda: mg.keras.layers.LSTM(3), "for nn.LSTM(4, 3) write"),
        (lambda: mg.layers.Dropout(0.1), "write mg.nn.Dropout"),
        (lambda: mg.layers.Normalization(), "for nn.Normalization()(x) write"),
        (lambda: mg.layers.TextVectorization(), "write np.unique("),
        (lambda: mg.layers.Softsign(), "for keras.layers write nn.Linear, nn.Embedding"),
        (lambda: mg.losses.BinaryCrossentropy(), "for nn.BinaryCrossentropy()(t, x) write"),
        (lambda: mg.optimizers.RMSprop(), "for optim.RMSprop(model.parameters()) write"),
        (lambda: mg.keras.callbacks.EarlyStopping(), "for keras.callbacks.EarlyStopping() write"),
        (lambda: mg.models.load_model("m"), "mg.load('w.npz')[0]"),
        (lambda: mg.keras.layers.Dense(4), "its own  # from minigrad import nn, optim"),
        (lambda: mg.layers.GlobalAveragePooling1D(), "write np.mean(c, axis=1)"),
    ):
        with pytest.raises(AttributeError, match=re.escape(remedy)):
            call()


def test_a_setting_that_keras_has_is_no_attribute_without_a_word():
    model = nn.Linear(3, 2)
    optimizer = optim.Adam(model.parameters())
    for owner, name, remedy in (
        (model, "trainable", r"p in model.parameters\(\): p.requires_grad = F"),
        (model, "activation", r"nn.Sequential\("),
        (model, "kernel", "layer.weight.data"),
        (optimizer, "learning_rate", "optimizer.lr = 0.5"),
        (optimizer, "momentum", "optimizer.betas ="),
    ):
        with pytest.raises((errors.ModuleError, errors.ConfigError), match=remedy):
            setattr(owner, name, False)
    optim.SGD(model.parameters(), momentum=0.9).momentum = 0.5
    type("Own", (nn.Module,), {})().activation = F.relu


@pytest.mark.parametrize(
    ("owner", "name", "place"),
    [
        (mg, "Linear", "mg.nn.Linear"),
        (mg, "Adam", "mg.optim.Adam"),
        (mg, "cross_entropy", "mg.functional.cross_entropy"),
        (nn, "relu", "mg.functional.relu"),
        (F, "Linear", "mg.nn.Linear"),
        (optim, "Module", "mg.nn.Module"),
        (mg, "sinh", "np.sinh"),
        (F, "exp2", "np.exp2"),
    ],
)
def test_a_name_that_stands_elsewhere_says_where(owner, name, place):
    with pytest.raises(AttributeError, match=re.escape(f"write {place}")):
        getattr(owner, name)


def test_an_argument_of_another_name_says_ours():
    x = mg.Tensor(X)
    for call, remedy in (
        (lambda: F.softmax(x, dim=-1), "axis="),
        (lambda: x.sum(dim=1), "axis="),
        (lambda: x.sum(1, keepdim=True), "keepdims="),
        (lambda: nn.Linear(in_features=3, out_features=2), "inputs="),
        (lambda: optim.Adam([mg.Tensor(W, requires_grad=True)], learning_rate=1e-3), "lr="),
        (lambda: F.one_hot(IDS, num_classes=3), "N="),
        (lambda: x.argmax(dim=1), "axis="),
        (lambda: mg.Tensor(X, device="cpu"), "leave it out: all arrays lie"),
        (lambda: nn.Parameter(X, device="cpu"), "leave it out: all arrays lie"),
        (lambda: nn.Linear(3, 4, activation="relu"), "a layer of its own"),
        (lambda: nn.Embedding(input_dim=9, output_dim=3), "symbols="),
        (lambda: nn.Linear(3, units=4), "outputs=4$"),
        (lambda: nn.Linear(input_dim=3, output_dim=4), "inputs=3$"),
        (lambda: nn.Linear(3, output_dim=4), "outputs=4$"),
        (lambda: nn.Linear(3, 4, use_bias=False), "bias=False$"),
        (lambda: nn.Linear(3, 4, rate=0.5), "it takes inputs, outputs"),
        (lambda: nn.Linear(4, input_shape=(3,)), "the width of the input comes first"),
        (lambda: nn.Linear(3, 4, kernel_initializer="ones"), "layer.weight.data ="),
        (lambda: nn.CrossEntropyLoss(from_logits=True), "before a softmax"),
        (lambda: nn.Linear(3, 2)(x, training=False), r"model.eval\(\)"),
        (lambda: optim.Adam([mg.Tensor(W, requires_grad=True)], beta_1=0.9), "betas="),
        (lambda: mg.grad(np.sum, has_aux=True), "grad: there is no argument 'has_aux'"),
        (lambda: mg.value_and_grad(np.sum, has_aux=True), "it takes f, argnums"),
    ):
        with pytest.raises(TypeError, match=remedy):
            call()


def test_two_axes_of_several_are_exchanged_by_swapaxes():
    with pytest.raises(errors.ShapeError, match=r"x.swapaxes\(1, 2\)"):
        mg.Tensor(C).transpose(1, 2)


def test_the_gradient_of_a_result_is_not_kept_and_this_is_said():
    w = mg.Tensor(W, requires_grad=True)
    y = w * 2
    y.sum().backward()
    with pytest.warns(UserWarning, match=r"retain_grad\(\)"):
        assert y.grad is None
    kept = (w * 2).retain_grad()
    kept.sum().backward()
    assert kept.grad is not None


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_data_that_widens_a_float32_model_is_said(dtype):
    """Whole numbers, too; and the line that is named is the caller's."""
    model = nn.Sequential(nn.Linear(3, 2)).astype(np.float32)
    with pytest.warns(UserWarning, match=f"{np.dtype(dtype)}: write x.astype") as warned:
        model(mg.Tensor(X.astype(dtype)))
    assert warned[0].filename == __file__
    with pytest.warns(UserWarning, match="write x.astype"):  # as in a script, which has no package
        exec("model(x)", {"__package__": None, "model": model, "x": X.astype(dtype)})
    model(mg.Tensor(X, dtype=np.float32))


def test_the_path_of_what_is_saved_may_come_second(tmp_path):
    mg.save({"w": W}, tmp_path / "w.npz")
    arrays, _ = mg.load(tmp_path / "w.npz")
    np.testing.assert_array_equal(arrays["w"], W)


def test_a_model_in_place_of_its_arrays_is_told_how_to_save_and_load(tmp_path):
    model, path = nn.Linear(3, 2), tmp_path / "w.npz"
    for arguments in ((model, path), (path, model)):
        with pytest.raises(errors.ArgumentError, match=r"model\.state_dict\(\)"):
            mg.save(*arguments)
    with pytest.raises(errors.ArgumentError, match=r"\{'w': w\}"):
        mg.save(3, {"w": W})
    mg.save(path, model.state_dict())
    with pytest.raises(errors.StateDictError, match=r"mg\.load\(path\)\[0\]"):
        model.load_state_dict(mg.load(path))


def test_layers_and_targets_as_in_keras_are_told():
    with pytest.raises(errors.ModuleError, match="one by one, without the brackets"):
        nn.Sequential([nn.Linear(3, 4), nn.ReLU()])
    with pytest.raises(errors.ModuleError, match=r"write the function, such as F\.relu"):
        nn.Sequential(nn.Linear(3, 4), "relu")
    with pytest.raises(errors.ShapeError, match=r"take targets\.argmax\(-1\)"):
        F.cross_entropy(mg.Tensor(X), F.one_hot(IDS, 3))
    with pytest.raises(errors.ModuleError, match=r"a class, write ReLU\("):
        nn.Sequential(nn.Linear(3, 4), nn.ReLU)
    first = "the scores come first"  # in Keras they come second
    with pytest.raises(errors.ShapeError, match=first):
        F.cross_entropy(IDS, mg.Tensor(X))
    with pytest.raises(errors.ConfigError, match=first):
        F.binary_cross_entropy_with_logits(LABELS, mg.Tensor(X))
    with pytest.raises(errors.ShapeError, match=r"write x\[\.\.\., 0\]"):
        F.mse_loss(mg.Tensor(X)[:, :1], X[:, 0])
    with pytest.raises(errors.DTypeError, match=r"write ids\.astype\(int\)"):
        F.cross_entropy(mg.Tensor(X), IDS.astype(float))
    with pytest.raises(errors.DTypeError, match=r"a tuple of them such as axis=\(0, 1\)"):
        mg.Tensor(X).mean(axis=[0, 1])


def test_modules_that_are_functions_give_what_these_give():
    x = mg.Tensor(X)
    np.testing.assert_array_equal(nn.ReLU()(x).data, F.relu(x).data)
    model = nn.Sequential(nn.Linear(3, 4), nn.GELU(approximate="tanh"), nn.Linear(4, 2))
    model.astype(np.float64)
    loss = nn.CrossEntropyLoss(label_smoothing=0.1)(model(x), IDS)
    assert loss.item() == F.cross_entropy(model(x), IDS, label_smoothing=0.1).item()
    assert "ReLU" in repr(nn.Sequential(nn.ReLU()))


def test_the_recurrent_layers_that_are_to_be_written_are_those_of_pytorch():
    torch = pytest.importorskip("torch", reason="compares with PyTorch")
    for theirs, code in (("RNN", idioms.RNN), ("LSTM", idioms.LSTM)):
        names = ours()
        exec(code, names)
        layer = getattr(torch.nn, theirs)(4, 3, batch_first=True).double()
        weights = names["cell"].weight.detach().numpy().T
        layer.load_state_dict(dict(zip(layer.state_dict(), (
            torch.tensor(weights[:, :4]), torch.tensor(weights[:, 4:]),
            torch.tensor(names["cell"].bias.detach().numpy()), torch.zeros(len(weights)),
        ))))  # fmt: skip
        same(names["h"], layer(torch.tensor(C))[0][:, -1])


def test_texts_of_a_file_are_told_how_they_become_numbers():
    layer, words = nn.Linear(3, 4), np.array(["apple", "pear"])
    table = X.astype(str)
    for call, remedy in (
        (lambda: layer(table), r"write x\.astype\(np\.float32\)"),
        (lambda: layer(table.astype(object)), r"write x\.astype\(np\.float32\)"),
        (lambda: layer(table.tolist()), r"write np\.array\(x\)\.astype\(np\.float32\)"),
        (lambda: layer(np.array([["1", "2", "red"]])), "of the columns that are write x"),
        (
            lambda: F.cross_entropy(X, words),
            r"words by np\.unique\(ids, return_inverse=True\)\[1\]",
        ),
        (lambda: F.one_hot(words, 2), r"words by np\.unique\(ids, return_inverse=True\)\[1\]"),
        (lambda: F.cross_entropy(X, np.array(["0", "1"])), r"write ids\.astype\(int\)"),
    ):
        with pytest.raises(TypeError, match=remedy):
            call()
    layer(table.astype(np.float32))
    F.cross_entropy(X, np.unique(words, return_inverse=True)[1])
    with pytest.raises(TypeError) as raised:
        layer(np.array([[1j, 0, 0]]))
    assert "write" not in str(raised.value)


def test_habits_of_keras_are_told_what_is_written_here():
    for call, remedy in (
        (lambda: F.relu(), r"as a layer it stands without brackets: relu, not relu\(\)"),
        (
            lambda: np.add(mg.Tensor(X), (mg.Tensor(X), np.ones((1, 1)))),
            r"a tuple of 2 is given, .* take \[0\]",
        ),
        (lambda: optim.Adam(0.01), "given by its name, as lr=0.01"),
        (lambda: nn.Linear(3, 2).load_state_dict("w.npz"), r"of a file: mg\.load\(path\)\[0\]"),
    ):
        with pytest.raises(errors.MinigradError, match=remedy):
            call()


@pytest.mark.parametrize(
    "theirs",
    [
        *("mg.layers.LSTM", "mg.layers.Dense", "mg.layers.Attention", "mg.callbacks.EarlyStopping"),
        *("mg.train_test_split", "mg.softmax", "mg.Linear", "nn.GRU", "nn.relu", "F.accuracy"),
        *("model.fit", "model.evaluate", "model.history", "model.predict", "optim.StepLR"),
    ],
)
def test_what_an_error_says_runs_as_it_is_pasted(theirs):
    with pytest.raises(AttributeError) as raised:
        eval(theirs, ours())
    exec(re.split(r" write\s", str(raised.value), maxsplit=1)[1], ours())
