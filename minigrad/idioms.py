"""The names of other libraries, and what is written for them here.

    ("torch.cat([x, y], dim=1)", "np.concatenate([x, y], axis=1)")

`engine/advice.py` reads this table: an error for a name that is not here says what to write instead. The
course makes the page "If you know PyTorch, JAX, Keras" of it. In both columns x and y are Tensors
(2, 3), c is one (2, 3, 4), `w` a leaf (3,), `ids` an array of integers, `mask` one of booleans (2, 3),
`t` one of labels 0 and 1 (2, 3), `f` a function of w that gives one number, `model` a module. An answer
that is long, or stands in several rows, has a name above the tables.
"""

from __future__ import annotations

EPOCH = """for rows in np.array_split(mg.generator().permutation(len(x)), len(x) // 32 + 1):
    loss = F.cross_entropy(model(x[rows]), ids[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()"""
STOP = """best, waited = np.inf, 0
for epoch in range(100):
    ...  # an epoch: see model.fit
    held_out = F.cross_entropy(model(x), ids).item()  # of rows that it does not learn from
    best, waited = (held_out, 0) if held_out < best else (best, waited + 1)
    if waited == 5:
        break"""
WINDOWS = (  # of 2 x 2 numbers, in the two last axes of c (2, 3, 4)
    "c[:, np.arange(2)[:, None, None, None] + np.arange(2)[:, None], "
    "np.arange(3)[:, None, None] + np.arange(2)].reshape(2, 2, 3, 4)"
)
RNN = """cell, h = nn.Linear(4 + 3, 3), np.zeros((len(c), 3), c.dtype)
for t in range(c.shape[1]):  # c is a batch (B, T, D), here D = 4
    h = np.tanh(cell(np.concatenate([c[:, t], h], axis=-1)))"""
LSTM = """cell, h, kept = nn.Linear(4 + 3, 4 * 3), *np.zeros((2, len(c), 3), c.dtype)
for t in range(c.shape[1]):  # c is a batch (B, T, D), here D = 4
    i, f, g, o = np.split(cell(np.concatenate([c[:, t], h], axis=-1)), 4, axis=-1)
    kept = F.sigmoid(f) * kept + F.sigmoid(i) * np.tanh(g)
    h = F.sigmoid(o) * np.tanh(kept)"""
GRU = """gates, cell, h = nn.Linear(4 + 3, 2 * 3), nn.Linear(4 + 3, 3), np.zeros((len(c), 3), c.dtype)
for t in range(c.shape[1]):  # c is a batch (B, T, D), here D = 4
    r, z = np.split(F.sigmoid(gates(np.concatenate([c[:, t], h], axis=-1))), 2, axis=-1)
    h = z * h + (1 - z) * np.tanh(cell(np.concatenate([c[:, t], r * h], axis=-1)))"""
BACK = RNN.replace("range(c.shape[1])", "reversed(range(c.shape[1]))")
ONE_SHAPE = "  # x and y of one shape"
L1 = "np.mean(np.abs(x - y))" + ONE_SHAPE
HUBER = "np.mean(np.where(np.abs(x - y) < 1, (x - y) ** 2 / 2, np.abs(x - y) - 0.5))" + ONE_SHAPE
BINARY = "F.binary_cross_entropy_with_logits(x, t)  # x before a sigmoid, t from 0 to 1"
CLASSES = "F.cross_entropy(x, ids)  # x before a softmax"
BATCH_NORM = (
    "(x - np.mean(x, 0)) / np.sqrt(np.var(x, 0) + 1e-5)  # of this batch only: for prediction keep a "
    "running mean and variance"
)

DENSE = "nn.Linear(3, 4)  # the width of its input, and its own"
FIRST = "nn.Linear(3, 4)  # the first layer says how wide its input is"
SEQUENTIAL = "nn.Sequential(nn.Linear(3, 4), F.relu, nn.Linear(4, 2))"
LAYERS_HERE = "nn.Linear, nn.Embedding, nn.Dropout  # activations are functions: F.relu"
HERE = "x  # all arrays lie in the memory of this machine"
MULTI_HEAD = (
    "from minitransformer import AttentionSizes, MultiHeadAttention; "
    "MultiHeadAttention(AttentionSizes(8, 2))  # width, heads"
)
CONV_1D = (
    "nn.Linear(8, 5)(c[:, np.arange(2)[:, None] + np.arange(2)].reshape(2, 2, 8))  # windows of 2"
)
CONV_2D = f"nn.Linear(4, 5)({WINDOWS})  # windows of 2 x 2"
MAX_POOL = "np.max(c[:, :2].reshape(2, 1, 2, 2, 2), axis=(2, 4))"
MEAN_POOL = "np.mean(c[:, :2].reshape(2, 1, 2, 2, 2), axis=(2, 4))"
IN_EACH_STEP = "  # in each step, of its number"
STEPS = "optimizer.lr = optim.stepwise(1e-2, 10)(1)" + IN_EACH_STEP
EXPONENTIAL = "optimizer.lr = optim.stepwise(1e-2, 1, 0.9)(1)" + IN_EACH_STEP
COSINE = "optimizer.lr = optim.warmup_cosine(1e-2, 0, 100)(1)" + IN_EACH_STEP

# --- whole modules: torch, jax, jax.numpy, tensorflow against minigrad and NumPy -------------------

MODULES = [
    ("torch.tensor([1.0, 2.0])", "mg.Tensor([1.0, 2.0])"),
    ("torch.from_numpy(np.ones(3))", "mg.Tensor(np.ones(3))"),
    ("torch.as_tensor([1.0, 2.0])", "mg.Tensor([1.0, 2.0])"),
    ("torch.zeros(2, 3)", "mg.Tensor(np.zeros((2, 3)), dtype=np.float32)"),
    ("torch.ones(2, 3)", "mg.Tensor(np.ones((2, 3)), dtype=np.float32)"),
    ("torch.full((2, 3), 0.5)", "mg.Tensor(np.full((2, 3), 0.5), dtype=np.float32)"),
    ("torch.eye(3)", "mg.Tensor(np.eye(3), dtype=np.float32)"),
    ("torch.zeros_like(x)", "mg.Tensor(np.zeros_like(x))"),
    ("torch.ones_like(x)", "mg.Tensor(np.ones_like(x))"),
    ("torch.arange(3)", "np.arange(3)"),
    ("torch.linspace(0, 1, 5)", "mg.Tensor(np.linspace(0, 1, 5), dtype=np.float32)"),
    ("torch.randn(2, 3)", "mg.Tensor(mg.generator().standard_normal((2, 3)), dtype=np.float32)"),
    ("torch.rand(2, 3)", "mg.Tensor(mg.generator().random((2, 3)), dtype=np.float32)"),
    ("torch.randint(0, 10, (2, 3))", "mg.generator().integers(0, 10, (2, 3))"),
    ("torch.randperm(5)", "mg.generator().permutation(5)"),
    ("torch.multinomial(w.abs(), 1)", "mg.generator().choice(3, p=np.ones(3) / 3)"),
    ("torch.cat([x, y], dim=1)", "np.concatenate([x, y], axis=1)"),
    ("torch.concat([x, y])", "np.concatenate([x, y])"),
    ("torch.stack([x, y])", "np.stack([x, y])"),
    ("torch.chunk(x, 2)", "np.split(x, 2)"),
    ("torch.split(x, 1)", "np.split(x, 2)"),
    ("torch.einsum('ij,kj->ik', x, y)", "np.einsum('ij,kj->ik', x, y)"),
    ("torch.matmul(x, y.T)", "x @ y.T"),
    ("torch.mm(x, y.T)", "x @ y.T"),
    ("torch.bmm(c, c.mT)", "c @ c.mT"),
    ("torch.dot(w, w)", "w @ w"),
    ("torch.outer(w, w)", "np.outer(w, w)"),
    ("torch.where(mask, x, y)", "np.where(mask, x, y)"),
    ("torch.masked_fill(x, mask, 0.0)", "F.masked_fill(x, mask, 0.0)"),
    ("torch.tril(x)", "np.tril(x)"),
    ("torch.triu(x)", "np.triu(x)"),
    ("torch.flip(x, [0])", "np.flip(x, 0)"),
    ("torch.roll(x, 1, 0)", "np.roll(x, 1, 0)"),
    ("torch.gather(x, 1, ids[:, None])", "np.take_along_axis(x, ids[:, None], 1)"),
    ("torch.index_select(x, 0, ids)", "x[ids]"),
    ("torch.topk(w, 2).values", "np.sort(w)[::-1][:2]"),
    ("torch.sort(x, dim=1).values", "np.sort(x, axis=1)"),
    ("torch.unsqueeze(x, 0)", "np.expand_dims(x, 0)"),
    ("torch.squeeze(x)", "np.squeeze(x)"),
    ("torch.permute(c, (2, 0, 1))", "np.transpose(c, (2, 0, 1))"),
    ("torch.reshape(x, (3, 2))", "np.reshape(x, (3, 2))"),
    ("torch.flatten(x)", "np.ravel(x)"),
    ("torch.exp(x)", "np.exp(x)"),
    ("torch.log(x)", "np.log(x)"),
    ("torch.sqrt(x)", "np.sqrt(x)"),
    ("torch.sin(x)", "np.sin(x)"),
    ("torch.cos(x)", "np.cos(x)"),
    ("torch.tanh(x)", "np.tanh(x)"),
    ("torch.abs(x)", "np.abs(x)"),
    ("torch.pow(x, 2)", "x**2"),
    ("torch.clamp(x, 0, 1)", "np.clip(x, 0, 1)"),
    ("torch.maximum(x, y)", "np.maximum(x, y)"),
    ("torch.minimum(x, y)", "np.minimum(x, y)"),
    ("torch.sum(x, dim=1)", "np.sum(x, axis=1)"),
    ("torch.mean(x, dim=1)", "np.mean(x, axis=1)"),
    ("torch.max(x)", "np.max(x)"),
    ("torch.min(x)", "np.min(x)"),
    ("torch.argmax(x, dim=1)", "np.argmax(x, axis=1)"),
    ("torch.sigmoid(x)", "F.sigmoid(x)"),
    ("torch.relu(x)", "F.relu(x)"),
    ("torch.softmax(x, dim=-1)", "F.softmax(x, axis=-1)"),
    ("torch.logsumexp(x, dim=-1)", "F.logsumexp(x, axis=-1)"),
    ("torch.allclose(x, y)", "np.allclose(x, y)"),
    ("torch.isnan(x)", "np.isnan(x)"),
    ("torch.seed()", "mg.manual_seed(0)"),
    ("torch.no_grad()", "mg.no_grad()"),
    ("torch.inference_mode()", "mg.no_grad()"),
    ("torch.set_grad_enabled(False)", "mg.no_grad()"),
    ("torch.is_tensor(x)", "isinstance(x, mg.Tensor)"),
    ("torch.set_default_dtype(torch.float32)", "mg.set_default_dtype(np.float32)"),
    ("torch.float32", "np.float32"),
    ("torch.float64", "np.float64"),
    ("torch.long", "np.int64"),
    ("torch.bool", "np.bool_"),
    ("torch.device('cpu')", HERE),
    ("torch.backends", HERE),
    ("torch.set_default_device('cpu')", HERE),
    ("torch.cuda", HERE),
    ("torch.autograd.grad(f(w), w)", "mg.grad(f)(w)  # a derivative of your own: mg.rule"),
    ("torch.func.grad(f)(w)", "mg.grad(f)(w)"),
    ("torch.autograd.functional.hessian(f, w)", "mg.hessian(f)(w)"),
    ("torch.autograd.functional.jacobian(f, w)", "mg.jacobian(f)(w)"),
    ("torch.autograd.functional.hvp(f, w, w)[1]", "mg.hvp(f, w, w)"),
    ("torch.autograd.Function", "mg.rule(lambda x: x**3, lambda g, _y, x: g * 3 * x * x)"),
    ("torch.Variable(x)", "mg.Tensor(x.detach(), requires_grad=True)"),
    ("torch.FloatTensor([1.0, 2.0])", "mg.Tensor([1.0, 2.0])"),
    ("torch.vmap(np.sin)(x)", "np.sin(x)  # functions work on all rows at once"),
    ("torch.linalg.norm(x)", "np.linalg.norm(x)"),
    ("torch.jit", "mg.compile(f)"),
    (
        "torch.utils.data",
        "[ids[i : i + 32] for i in range(0, len(ids), 32)]  # batches of a loader",
    ),
    ("jax.jit(f)", "mg.compile(f)"),
    ("jax.vmap(np.sin)(x)", "np.sin(x)  # functions work on all rows at once"),
    ("jax.jacfwd(f)(w)", "mg.jacobian(f)(w)"),
    ("jax.jacrev(f)(w)", "mg.jacobian(f)(w)"),
    ("jax.random", "mg.generator()"),
    ("jax.numpy", "np"),
    ("jax.lax.stop_gradient(x)", "x.detach()"),
    ("jax.tree_util", "model.state_dict()"),
    ("jax.custom_vjp(f)", "mg.rule(lambda x: x**3, lambda g, _y, x: g * 3 * x * x)"),
    ("tf.GradientTape()", "mg.grad(f)(w)"),
    ("tf.constant([1.0])", "mg.Tensor([1.0])"),
    ("tf.Variable([1.0])", "mg.Tensor([1.0], requires_grad=True)"),
    ("tf.reduce_sum(x)", "np.sum(x)"),
    ("tf.reduce_mean(x)", "np.mean(x)"),
    ("tf.convert_to_tensor([1.0])", "mg.Tensor([1.0])"),
    (
        "tf.data",
        "[ids[i : i + 32] for i in range(0, len(ids), 32)]  # batches of a data set",
    ),
    ("tf.function(f)", "mg.compile(f)"),
    ("tf.random.set_seed(0)", "mg.manual_seed(0)"),
    ("tf.keras", SEQUENTIAL),
    ("keras.Sequential", SEQUENTIAL),
    ("keras.layers", LAYERS_HERE),
    ("keras.layers.Dense(4)", DENSE),
    ("keras.Input(shape=(3,))", FIRST),
    ("keras.Model", "nn.Module"),
    ("keras.models.Model", "nn.Module"),
    ("keras.losses.MeanSquaredError()(y, x)", "F.mse_loss(x, y)"),
    ("keras.optimizers.Adam(1e-3)", "optim.Adam(model.parameters(), lr=1e-3)"),
    ("keras.activations.relu(x)", "F.relu(x)"),
    (
        "keras.callbacks.ModelCheckpoint('w.npz')",
        "mg.save('w.npz', model.state_dict())  # whenever the held-out loss is the least so far",
    ),
    ("keras.callbacks.LearningRateScheduler(schedule)", STEPS),
    (
        "keras.callbacks.ReduceLROnPlateau()",
        "optimizer.lr = optimizer.lr / 10  # where the loss stays",
    ),
    (
        "keras.optimizers.schedules.ExponentialDecay(1e-2, 10, 0.9)",
        "optimizer.lr = optim.stepwise(1e-2, 10, 0.9)(1)  # in each step, of its number",
    ),
    ("keras.utils.plot_model(model)", "mg.graph(f(w))  # of the loss; .draw() it, or print it"),
    ("keras.callbacks.EarlyStopping()", STOP),
    ("keras.metrics.Accuracy()", "np.mean(np.argmax(x, -1) == ids)"),
    ("keras.datasets", "np.load('w.npz')  # a file of your own: no data set is downloaded"),
    ("keras.preprocessing", "(x - np.mean(x, 0)) / np.std(x, 0)  # columns of one scale"),
    ("keras.regularizers.L2(0.01)", "optim.AdamW(model.parameters(), weight_decay=0.01)"),
    (
        "keras.utils.pad_sequences(rows)",
        "np.array([row + [0] * (2 - len(row)) for row in ([5, 6], [7])])  # rows of 2",
    ),
    (
        "sklearn.train_test_split(x, y)",
        "order = mg.generator().permutation(len(x)); test, train = np.split(order, [len(x) // 5])",
    ),
    ("keras.utils.set_random_seed(0)", "mg.manual_seed(0)"),
    (
        "keras.models.load_model('w.npz')",
        "model.load_state_dict(mg.load('w.npz')[0])  # of a model made anew",
    ),
    ("np.random.seed(0)", "mg.manual_seed(0)"),
    ("keras.utils.to_categorical(ids, 3)", "F.one_hot(ids, 3)"),
]

# --- the methods of a Tensor ------------------------------------------------------------------------

METHODS = [
    ("x.t()", "x.T"),
    ("x.view(3, 2)", "x.reshape(3, 2)"),
    ("x.view_as(y)", "x.reshape(y.shape)"),
    ("c.permute(2, 0, 1)", "c.transpose(2, 0, 1)"),
    ("x.unsqueeze(0)", "x[None]"),
    ("x.expand(4, 2, 3)", "np.broadcast_to(x, (4, 2, 3))"),
    ("x.expand_as(y)", "np.broadcast_to(x, y.shape)"),
    ("x.contiguous()", "x"),
    ("x.clone()", "x.copy()"),
    ("x.size()", "x.shape"),
    ("x.numel()", "x.size"),
    ("x.nelement()", "x.size"),
    ("x.dim()", "x.ndim"),
    ("x.float()", "x.astype(np.float32)"),
    ("x.double()", "x.astype(np.float64)"),
    ("x.half()", "x.astype(np.float16)"),
    ("x.long()", "x.detach().numpy().astype(np.int64)"),
    ("x.int()", "x.detach().numpy().astype(np.int32)"),
    ("x.bool()", "x != 0"),
    ("x.type(torch.float64)", "x.astype(np.float64)"),
    ("x.to(torch.float64)", "x.astype(np.float64)  # in place of a device: x itself"),
    ("x.cpu()", HERE),
    ("x.cuda()", HERE),
    ("x.device", HERE),
    ("x.grad_fn", "x.node.operation"),
    ("x.register_hook(print)", "x.retain_grad()  # then x.grad after backward()"),
    ("x.chunk(2)", "np.split(x, 2)"),
    ("x.split(1)", "np.split(x, 2)"),
    ("x.unbind()", "list(x)"),
    ("x.clamp(0, 1)", "x.clip(0, 1)"),
    ("x.clamp_min(0)", "np.maximum(x, 0)"),
    ("x.masked_fill(mask, 0.0)", "F.masked_fill(x, mask, 0.0)"),
    ("x.masked_select(mask)", "x[mask]"),
    ("x.index_select(0, ids)", "x[ids]"),
    ("x.gather(1, ids[:, None])", "np.take_along_axis(x, ids[:, None], 1)"),
    ("x.topk(2)", "np.sort(x)[..., ::-1][..., :2]"),
    ("x.flip(0)", "np.flip(x, 0)"),
    ("x.roll(1, 0)", "np.roll(x, 1, 0)"),
    ("x.tril()", "np.tril(x)"),
    ("x.triu()", "np.triu(x)"),
    ("x.abs()", "np.abs(x)"),
    ("x.exp()", "np.exp(x)"),
    ("x.log()", "np.log(x)"),
    ("x.sqrt()", "np.sqrt(x)"),
    ("x.tanh()", "np.tanh(x)"),
    ("x.relu()", "F.relu(x)"),
    ("x.sigmoid()", "F.sigmoid(x)"),
    ("x.softmax(-1)", "F.softmax(x, -1)"),
    ("x.log_softmax(-1)", "F.log_softmax(x, -1)"),
    ("x.logsumexp(-1)", "F.logsumexp(x, -1)"),
    ("x.pow(2)", "x**2"),
    ("x.square()", "np.square(x)"),
    ("x.add(y)", "x + y"),
    ("x.sub(y)", "x - y"),
    ("x.mul(y)", "x * y"),
    ("x.div(y)", "x / y"),
    ("x.neg()", "-x"),
    ("x.eq(y)", "x == y"),
    ("x.ne(y)", "x != y"),
    ("x.lt(y)", "x < y"),
    ("x.le(y)", "x <= y"),
    ("x.gt(y)", "x > y"),
    ("x.ge(y)", "x >= y"),
    ("x.matmul(y.T)", "x @ y.T"),
    ("x.mm(y.T)", "x @ y.T"),
    ("c.bmm(c.mT)", "c @ c.mT"),
    ("x.norm()", "np.linalg.norm(x)"),
    ("x.amax(1)", "x.max(1)"),
    ("x.amin(1)", "x.min(1)"),
    ("x.add_(1)", "x = x + 1  # of a leaf that is trained: w.data += 1"),
    ("x.sub_(1)", "x = x - 1  # of a leaf that is trained: w.data -= 1"),
    ("x.mul_(2)", "x = x * 2  # of a leaf that is trained: w.data *= 2"),
    ("x.div_(2)", "x = x / 2  # of a leaf that is trained: w.data /= 2"),
    ("w.copy_(y[0])", "w.data = y[0].numpy()"),
    ("w.zero_grad()", "w.grad = None"),
    ("w.fill_(0)", "w.data = np.zeros(3)"),
    ("w.normal_()", "w.data = mg.generator().standard_normal(3)"),
    ("w.uniform_()", "w.data = mg.generator().random(3)"),
    ("x.masked_fill_(mask, 0.0)", "x = F.masked_fill(x, mask, 0.0)"),
    ("x.new_zeros(2)", "mg.Tensor(np.zeros(2), dtype=x.dtype)"),
    ("x.new_ones(2)", "mg.Tensor(np.ones(2), dtype=x.dtype)"),
    ("x.at[0].set(1.0)", "np.where(np.arange(2)[:, None] == 0, 1.0, x)"),
    ("x.block_until_ready()", "x"),
]

# --- the same names, and other results: nothing can tell that the other one was meant -----------------

OTHERWISE = [
    ("x.max(1)[0]", "x.max(1)"),
    ("x.max(1)[1]", "x.argmax(1)"),
    ("x.min(1)[0]", "x.min(1)"),
    ("x.repeat(2, 1)", "np.tile(x, (2, 1))"),
    ("x.transpose(0, 1)", "x.T  # of more axes x.swapaxes(0, 1)"),
    ("x.var()", "x.var(ddof=1)"),
    ("x.std()", "x.std(ddof=1)"),
]

# --- layers, functions, optimisers, modules -----------------------------------------------------------

LAYERS = [
    ("nn.Tanh()", "nn.Function(np.tanh)  # in a Sequential the function itself: np.tanh"),
    ("nn.LeakyReLU()", "nn.Function(F.leaky_relu)"),
    ("nn.ELU()", "nn.Function(F.elu)"),
    ("nn.SiLU()", "nn.Function(F.silu)"),
    ("nn.Softplus()", "nn.Function(F.softplus)"),
    (
        "nn.Softmax(dim=-1)",
        "nn.Function(F.softmax)  # not before cross_entropy, which takes scores",
    ),
    ("nn.LogSoftmax(dim=-1)", "nn.Function(F.log_softmax)"),
    ("nn.Identity()", "nn.Function(lambda x: x)"),
    ("nn.Flatten()", "nn.Function(lambda x: x.reshape(len(x), -1))"),
    ("nn.LayerNorm(3)", "from minitransformer import LayerNorm; LayerNorm(3)"),
    ("nn.MultiheadAttention(8, 2)", MULTI_HEAD),
    ("nn.MultiHeadAttention(2, 4)", MULTI_HEAD),
    ("nn.Transformer()", "from minitransformer import Transformer"),
    ("nn.TransformerEncoderLayer(8, 2)", "from minitransformer.model import encoder"),
    ("nn.TransformerDecoderLayer(8, 2)", "from minitransformer.model import decoder"),
    ("nn.ModuleDict", "nn.ModuleList()  # or attributes of a module, by setattr"),
    (
        "nn.ParameterList",
        "[nn.Parameter([1.0, 1.0, 1.0])]  # as attributes of a module, by setattr",
    ),
    ("nn.functional", "mg.functional"),
    ("nn.init.xavier_uniform_(w)", "nn.xavier_uniform((3, 4))  # for w.data"),
    ("nn.init.uniform_(w)", "w.data = mg.generator().random(3)"),
    ("nn.init.normal_(w)", "w.data = mg.generator().standard_normal(3)"),
    ("nn.init.zeros_(w)", "w.data = np.zeros(3)"),
    ("nn.init.ones_(w)", "w.data = np.ones(3)"),
    ("nn.init.constant_(w, 0.5)", "w.data = np.full(3, 0.5)"),
    ("nn.utils.clip_grad_norm_([w], 1.0)", "optim.clip_grad_norm([w], 1.0)"),
    ("nn.utils.clip_grad_value_([w], 1.0)", "optim.clip_grad_value([w], 1.0)"),
    ("nn.Dense(4)", DENSE),
    ("nn.Input(shape=(3,))", FIRST),
    ("nn.layers", LAYERS_HERE),
    ("nn.layers.Dense(4)", DENSE),
    ("nn.LayerNormalization()", "from minitransformer import LayerNorm; LayerNorm(3)"),
    ("nn.Concatenate()([x, y])", "np.concatenate([x, y], axis=-1)"),
    ("nn.Reshape((3, 2))", "nn.Function(lambda x: x.reshape(len(x), -1, 1))"),
    ("nn.Activation('relu')", "nn.Function(F.relu)"),
    ("nn.Model", "nn.Module"),
    ("nn.Layer", "nn.Module"),
    ("nn.Conv1d(4, 5, 2)", CONV_1D),
    ("nn.Conv1D(4, 5, 2)", CONV_1D),
    ("nn.Conv2d(1, 5, 2)", CONV_2D),
    ("nn.Conv2D(1, 5, 2)", CONV_2D),
    ("nn.MaxPool2d(2)", MAX_POOL),
    ("nn.MaxPooling2D(2)", MAX_POOL),
    ("nn.AvgPool2d(2)", MEAN_POOL),
    ("nn.BatchNorm1d(3)", BATCH_NORM),
    ("nn.BatchNormalization(3)", BATCH_NORM),
    ("nn.RMSNorm(3)", "x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5)"),
    ("nn.RNN(4, 3)", RNN),
    ("nn.SimpleRNN(3)", RNN),
    ("nn.LSTM(4, 3)", LSTM),
    ("nn.LSTMCell(4, 3)", LSTM),
    ("nn.GRU(4, 3)", GRU),
    ("nn.GRUCell(4, 3)", GRU),
    ("nn.Bidirectional(layer)", f"{BACK}  # and forward, by another cell"),
    ("nn.Attention()([c, c])", "from minitransformer import attention; attention(c, c, c)[0]"),
    ("nn.Normalization()(x)", "(x - np.mean(x, 0)) / np.std(x, 0)"),
    (
        "nn.TextVectorization()",
        "np.unique('a b a'.split(), return_inverse=True)  # the words, and the number of each",
    ),
    ("nn.GlobalAveragePooling1D()(c)", "np.mean(c, axis=1)"),
    ("nn.Lambda(lambda x: x * 2)", "nn.Function(lambda x: x * 2)"),
    ("nn.Add()([x, y])", "x + y"),
    ("nn.MeanSquaredError()(y, x)", "F.mse_loss(x, y)"),
    ("nn.BinaryCrossentropy()(t, x)", BINARY),
    ("nn.SparseCategoricalCrossentropy()(ids, x)", CLASSES),
    ("nn.CategoricalCrossentropy()(F.one_hot(ids, 3), x)", CLASSES),
    ("nn.L1Loss()", L1),
    ("nn.HuberLoss()", HUBER),
    ("nn.SmoothL1Loss()", HUBER),
    ("nn.BCELoss()", BINARY),
    ("nn.NLLLoss()", "F.nll_loss(F.log_softmax(x), ids)"),
    ("nn.BCEWithLogitsLoss()", BINARY),
]

FUNCTIONS = [
    ("F.tanh(x)", "np.tanh(x)"),
    ("F.pad(x, (1, 1))", "np.pad(x, ((0, 0), (1, 1)))"),
    ("F.l1_loss(x, y)", L1),
    ("F.kl_div(F.log_softmax(x, -1), F.softmax(y, -1), reduction='sum')",
     "np.sum(F.softmax(y) * (F.log_softmax(y) - F.log_softmax(x)))"),
    ("F.binary_cross_entropy(F.sigmoid(x), t)", BINARY),
    ("F.normalize(x)", "x / np.linalg.norm(x, axis=-1, keepdims=True)"),
    ("F.cosine_similarity(x, y)",
     "np.sum(x * y, -1) / (np.linalg.norm(x, axis=-1) * np.linalg.norm(y, axis=-1))"),
    ("F.scaled_dot_product_attention(c, c, c)",
     "from minitransformer import attention; attention(c, c, c)[0]"),
    ("F.hardtanh(x)", "np.clip(x, -1, 1)"),
    ("F.relu_(x)", "F.relu(x)"),
    ("F.huber_loss(x, y)", HUBER),
    ("F.smooth_l1_loss(x, y)", HUBER),
    ("F.conv2d(c[:, None], torch.ones(1, 1, 2, 2, dtype=c.dtype))[:, 0]",
     f"({WINDOWS} @ np.ones((4, 1), c.dtype))[..., 0]  # windows of 2 x 2"),
    ("F.max_pool2d(c[:, :2], 2)", MAX_POOL),
    ("F.avg_pool2d(c[:, :2], 2)", MEAN_POOL),
    ("F.batch_norm(x, None, None, training=True)", BATCH_NORM),
    ("F.accuracy(x, ids)", "np.mean(np.argmax(x, -1) == ids)"),
    ("F.mse(y, x)", "F.mse_loss(x, y)"),
    ("F.mean_squared_error(y, x)", "F.mse_loss(x, y)"),
    ("F.binary_crossentropy(t, x)", BINARY),
    ("F.sparse_categorical_crossentropy(ids, x)", CLASSES),
    ("F.categorical_crossentropy(F.one_hot(ids, 3), x)", CLASSES),
    ("F.to_categorical(ids, 3)", "F.one_hot(ids, 3)"),
    ("F.logsigmoid(x)", "-F.softplus(-x)"),
]  # fmt: skip

OPTIMISERS = [
    ("optim.StepLR(optimizer, 10)", STEPS),
    ("optim.ExponentialLR(optimizer, 0.9)", EXPONENTIAL),
    ("optim.CosineAnnealingLR(optimizer, 100)", COSINE),
    ("optim.lr_scheduler.StepLR(optimizer, 10)", STEPS),
    ("optim.lr_scheduler.ExponentialLR(optimizer, 0.9)", EXPONENTIAL),
    ("optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)", COSINE),
    ("optim.lr_scheduler", "optimizer.lr = optim.warmup_cosine(1e-3, 10, 100)(1)  # in each step"),
    (
        "optim.RMSprop(model.parameters())",
        "optim.Adam(model.parameters(), betas=(0.0, 0.99))  # near it, not the same",
    ),
    ("optim.Adagrad(model.parameters())", "optim.Adam(model.parameters())"),
    (
        "optim.ReduceLROnPlateau(optimizer)",
        "optimizer.lr = optimizer.lr / 10  # where the loss stays",
    ),
    ("optim.LBFGS(model.parameters())", "optim.Adam(model.parameters())"),
    ("optim.clip_grad_norm_([w], 1.0)", "optim.clip_grad_norm([w], 1.0)"),
    ("optim.clip_grad_value_([w], 1.0)", "optim.clip_grad_value([w], 1.0)"),
    ("optimizer.param_groups[0]['lr']", "optimizer.lr"),
    ("optimizer.learning_rate = 0.5", "optimizer.lr = 0.5"),
    ("optimizer.momentum = 0.5", "optimizer.betas = (0.5, 0.999)  # of Adam; SGD has a momentum"),
    ("optimizer.beta_1 = 0.5", "optimizer.betas = (0.5, 0.999)"),
    ("optimizer.clipnorm = 1.0", "optim.clip_grad_norm([w], 1.0)  # before each step"),
    ("optimizer.apply_gradients(pairs)", "loss = f(w); loss.backward(); optimizer.step()"),
    ("optimizer.minimize(f)", "optimizer.zero_grad(); f(w).backward(); optimizer.step()"),
]

MODULE_METHODS = [
    (
        "model.to('cpu')",
        "model  # all arrays lie in this machine; of a dtype: model.astype(np.float64)",
    ),
    ("model.cuda()", "model  # all arrays lie in the memory of this machine"),
    ("model.cpu()", "model  # all arrays lie in the memory of this machine"),
    ("model.double()", "model.astype(np.float64)"),
    ("model.float()", "model.astype(np.float32)"),
    ("model.half()", "model.astype(np.float16)"),
    ("model.modules()", "[module for _, module in model.named_modules()]"),
    ("model.children()", "[module for _, module in model.named_children()]"),
    ("model.apply(print)", "for _, module in model.named_modules(): print(module)"),
    ("model.requires_grad_(False)", "for p in model.parameters(): p.requires_grad = False"),
    ("model.trainable = False", "for p in model.parameters(): p.requires_grad = False"),
    ("model.activation = relu", "model = nn.Sequential(nn.Linear(3, 4), F.relu)"),
    (
        "model.kernel = w",
        "layer = model[0]; layer.weight.data = np.ones((3, 4))",
    ),
    ("model.use_bias = False", "nn.Linear(3, 4, bias=False)"),
    ("model.rate = 0.5", "model.p = 0.5  # of a Dropout"),
    (
        "model.register_buffer('b', w)",
        "model.b = nn.Parameter(w.data, requires_grad=False)  # in state_dict(), and not trained",
    ),
    ("model.summary()", "print(model)"),
    (
        "model.compile",
        "optimizer = optim.Adam(model.parameters())  # the loss is written in the loop",
    ),
    (
        "model.fit",
        f"{EPOCH}  # an epoch, in batches of 32; after each, evaluate: examples/KERAS.md",
    ),
    (
        "model.train_on_batch(x, ids)",
        "loss = F.cross_entropy(model(x), ids); optimizer.zero_grad(); loss.backward(); "
        "optimizer.step()",
    ),
    ("model.history", f"losses = []\n{EPOCH}\n    losses.append(loss.item())"),
    (
        "model.predict(x)",
        "with mg.no_grad(): scores = model.eval()(x).numpy()  # then model.train() again",
    ),
    (
        "model.evaluate(x, ids)",
        "with mg.no_grad(): print(F.cross_entropy(model.eval()(x), ids).item())",
    ),
    ("model.add(layer)", "model.append(nn.Linear(2, 2))"),
    ("model.get_layer('0')", "model[0]  # of a Sequential; else the attribute: model.hidden"),
    ("model.pop()", "model = nn.Sequential(*list(model)[:-1])"),
    ("model.layers", "[module for _, module in model.named_children()]"),
    ("model.weights", "model.parameters()"),
    ("model.trainable_weights", "model.parameters()"),
    ("model.variables", "model.parameters()"),
    ("model.trainable_variables", "model.parameters()"),
    ("model.non_trainable_weights", "[p for p in model.parameters() if not p.requires_grad]"),
    ("model.metrics", "np.mean(np.argmax(model(x), -1) == ids)  # the accuracy"),
    ("model.call(x)", "model(x)"),
    ("model.to_json()", "mg.save('w.npz', model.state_dict())  # the layers stay Python code"),
    ("model.count_params()", "sum(p.size for p in model.parameters())"),
    ("model.get_weights()", "model.state_dict()"),
    ("model.set_weights(arrays)", "state = model.state_dict(); model.load_state_dict(state)"),
    ("model.save('w.npz')", "mg.save('w.npz', model.state_dict())"),
    ("model.save_weights('w.npz')", "mg.save('w.npz', model.state_dict())"),
    ("model.load_weights('w.npz')", "model.load_state_dict(mg.load('w.npz')[0])"),
]

IDIOMS = [*MODULES, *METHODS, *OTHERWISE, *LAYERS, *FUNCTIONS, *OPTIMISERS, *MODULE_METHODS]
SET = {theirs.partition(" = ")[0] for theirs, _ in IDIOMS if " = " in theirs}  # model.trainable

CALLS = {  # what to write for a call with too few arguments, or too many
    **dict.fromkeys(
        ("Tensor", "Parameter"),
        "mg.Tensor([3.0, 4.0]) for numbers, mg.Tensor(np.zeros((3, 4))) for a shape",
    ),
    "Graph.draw": "mg.graph(loss).render('graph.svg') for a file",
    "Optimizer.step": "loss.backward(); optimizer.step()",
    "Linear": "nn.Linear(3, 4), of the width of its input and its own",
    "Embedding": "nn.Embedding(10, 4), of 10 symbols, and the width of the row for each",
    "MultiHeadAttention": "MultiHeadAttention(AttentionSizes(8, 2)), of its width and heads",
    **{
        name: f"{name}(LayerSizes(width=16, heads=4, feed_forward=32))"
        for name in ("EncoderLayer", "DecoderLayer")
    },
    "LayerSizes": "LayerSizes(width=16, heads=4, feed_forward=32), each by its name",
    **{name: f"optim.{name}(model.parameters(), lr=1e-3)" for name in ("SGD", "Adam", "AdamW")},
}

WORDS = {  # names of arguments; of several, what the function has
    "dim": "axis", "keepdim": "keepdims", "unbiased": "ddof", "correction": "ddof",
    "learning_rate": "lr", "in_features": "inputs", "out_features": "outputs",
    "num_embeddings": "symbols", "embedding_dim": "width", "num_classes": "N", "input": "x",
    "units": "outputs", "use_bias": "bias", "epsilon": "eps",
    "rate": "p", "keep_dims": "keepdims", "input_dim": "symbols or inputs",
    "output_dim": "width or outputs",
}  # fmt: skip

MATH = {  # the names of Python's math that NumPy has otherwise
    **{f"a{f}": f"np.arc{f}" for f in ("cos", "cosh", "sin", "sinh", "tan", "tan2", "tanh")},
    "pow": "np.power", "fabs": "np.abs", "erf": "minigrad.functional.erf",
}  # fmt: skip

APART = {  # arguments that are none here
    "device": "leave it out: all arrays lie in the memory of this machine",
    "activation": "it is a layer of its own: nn.Sequential(nn.Linear(3, 4), F.relu); no softmax before "
    "cross_entropy, which takes scores",
    "kernel_initializer": "write layer.weight.data = ... once the layer is made",
    "from_logits": "leave it out: what is given are scores, before a softmax or sigmoid",
    "set_to_none": "leave it out: a gradient that is forgotten is None",
    "strict": "leave it out: load_state_dict takes {**model.state_dict(), **state}, which has all",
    **dict.fromkeys(
        ("input_shape", "batch_input_shape"),
        "write nn.Linear(3, 4): the width of the input comes first",
    ),
    "return_attention_scores": "leave it out: attention returns a pair, the output and the weights",
    "inplace": "leave it out: the array of a Tensor never changes",
    "mask_zero": "leave it out: attention takes mask=masks.padding(ids), of minitransformer, and "
    "cross_entropy ignore_index=0",
    "clipnorm": "write optim.clip_grad_norm(model.parameters(), 1.0) before each step",
    "class_weight": "write np.mean(weights[ids] * F.cross_entropy(x, ids, reduction='none'))",
    **dict.fromkeys(("beta_1", "beta_2"), "write betas=(0.9, 0.999)"),
    **dict.fromkeys(
        ("num_heads", "embed_dim", "key_dim"),
        "write MultiHeadAttention(AttentionSizes(8, 2)), of its width and heads",
    ),
    "training": "write model.eval() before a prediction, and model.train() before it learns again",
    **dict.fromkeys(
        ("optimizer", "loss", "metrics"),
        "mg.compile takes a function, not a model: write optimizer = optim.Adam(model.parameters()), "
        "and the loss in the loop",
    ),
}
