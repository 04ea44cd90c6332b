"""The places of the exercises' functions in the engine and in the transformer.

    python -m minigrad exercises run

puts what you have written into these places, and trains a transformer with it. Each line of the table
at the end has the exercises, the place, and an adapter: what is put there, made of your functions and
of what stands there.
"""

import functools
import operator

import numpy as np

import minigrad as mg
from minigrad import functional as F
from minigrad import transforms
from minigrad.course.exercises.in_transformer.operations import each, operation, with_rules
from minigrad.course.exercises.in_transformer.replacement import Place
from minigrad.course.exercises.in_transformer.walk_replacement import ordering, walking
from minigrad.engine import walk
from minigrad.engine.rules import of_matrices
from minigrad.engine.table import TABLE
from minigrad.random import generator
from minitransformer.model import attention, masks, positions, projection
from minitransformer.model.scores import SCORES
from minitransformer.training import decoding, readers
from minitransformer.training.vocabulary import BOS, EOS, PAD, padded

# --- the engine -----------------------------------------------------------------------------------


def product(entry, product_rule):
    """Of numbers; NumPy does the same for each number of two arrays, if the function lets it."""
    of_numbers = product_rule

    def product_rule(g, a, b):
        try:
            return [np.reshape(one, np.shape(g)) for one in of_numbers(g, a, b)]
        except (TypeError, ValueError):  # it asks something of single numbers
            return np.vectorize(of_numbers)(g, a, b)

    return with_rules(
        "product_rule",
        entry,
        lambda g, _y, a, b: product_rule(g, a, b)[0],
        lambda g, _y, a, b: product_rule(g, a, b)[1],
    )


def matmul(entry, matmul_rule):
    matmul_rule = each("(n,m),(n,k),(k,m)->(n,k),(k,m)", matmul_rule)
    return with_rules(
        "matmul_rule",
        entry,
        of_matrices(0, lambda g, _y, a, b: matmul_rule(g, a, b)[0]),
        of_matrices(1, lambda g, _y, a, b: matmul_rule(g, a, b)[1]),
    )


def picking(entry, index_rule):
    """Rows of a table by whole numbers; any other index is left to the library."""

    def rule(g, _y, _x, index):
        if getattr(index, "dtype", None) != np.int64 or len(_x.shape) != 2:
            return entry.rules[0](g, _y, _x, index)
        return index_rule(np.reshape(g, (-1, _x.shape[1])), _x.shape, index.ravel())

    return with_rules("index_rule", entry, rule)


def undoing(before, undo_broadcast):
    theirs = undo_broadcast
    return lambda g, shape: (before if isinstance(g, mg.Tensor) else theirs)(g, shape)


# --- definitions ----------------------------------------------------------------------------------


def softmax(before, softmax=None, softmax_rule=None):
    softmax_rule = softmax_rule and each("(t,s),(t,s)->(t,s)", softmax_rule)
    by_x = (lambda g, y, _x: softmax_rule(g, y)) if softmax_rule else True
    y = operation("softmax", softmax, before, [by_x])

    def body(x, axis=-1):
        whole = x.ndim > 1 and axis in (-1, x.ndim - 1)
        data = getattr(x, "data", x)
        seen = whole and np.isfinite(data).any(axis=-1).all()  # no row with nothing to choose from
        return y(x) if seen else before(x, axis)

    return body


def layer_norm(before, layer_norm=None, layer_norm_rule=None):
    layer_norm_rule = layer_norm_rule and each("(t,d),(t,d),(d),()->(t,d)", layer_norm_rule)
    by_x = lambda g, _y, x, gain, _bias, eps: layer_norm_rule(g, x, gain, eps)
    by_x = by_x if layer_norm_rule else True
    y = operation("layer_norm", layer_norm, before, [by_x, True, True, False])
    return lambda x, gain, bias, eps=1e-5: y(x, gain, bias, eps)


def cross_entropy(before, cross_entropy=None, cross_entropy_rule=None):
    by_logits = lambda g, _y, logits, targets, pad: g * cross_entropy_rule(logits, targets, pad)
    by_logits = by_logits if cross_entropy_rule else True
    of = lambda logits, targets, pad: before(logits, targets, ignore_index=pad)
    y = operation("cross_entropy", cross_entropy, of, [by_logits, False, False])

    def body(logits, targets, *, ignore_index=None, label_smoothing=0.0, reduction="mean"):
        count = np.sum(np.not_equal(targets, ignore_index))
        if label_smoothing or reduction == "none" or ignore_index is None or not count:
            options = {"label_smoothing": label_smoothing, "reduction": reduction}
            return before(logits, targets, ignore_index=ignore_index, **options)
        mean = y(logits, targets, ignore_index)
        return mean if reduction == "mean" else mean * int(count)

    return body


def dropout(_, dropout):
    of = lambda x, p, draws, training: x * (draws >= p) * (1 / (1 - p)) if training else x
    y = operation("dropout", dropout, of, [True, False, False, False])

    def body(x, p, training=True, rng=None):
        rng = generator(rng) if training else np.random.default_rng(0)  # in use, none is drawn
        return y(x, p, rng.random(x.shape, dtype=np.float32), training)

    return body


def scores(before, scores):
    return operation("scores", each("(t,k),(s,k)->(t,s)", scores), before, [True, True])


def attend(before, attend):
    """The attention that the function computes. Its weights are what it makes of the unit vectors."""
    matrices = each("(t,s),(t,s),(s,v)->(t,v)", attend)
    of = lambda s, mask, v: attention.normalized(s, mask) @ v
    kept = []  # the weights, until the body takes them

    def function(s, mask, v):
        unit = np.broadcast_to(np.eye(v.shape[-2]), (*v.shape[:-1], v.shape[-2]))
        both = matrices(s, mask, np.concatenate([v, unit], axis=-1))
        kept[:] = [both[..., v.shape[-1] :]]
        return both[..., : v.shape[-1]]

    y = operation("attend", function, of, [True, False, True])

    def body(query, key, value, mask=None, *, score=attention.scaled_dot, phi=np.exp):
        if phi is not np.exp:
            return before(query, key, value, mask, score=score, phi=phi)
        s = score(query, key)  # (..., T, S)
        mask = np.broadcast_to(True if mask is None else mask, s.shape)
        output = y(s, mask, value)  # (..., T, V)
        return output, mg.Tensor(kept.pop())  # (..., T, V), (..., T, S)

    return body


def split_heads(before, split_heads):
    return operation("split_heads", split_heads, before, [True, False])


def join_heads(before, join_heads):
    return operation("join_heads", join_heads, before, [True])


# --- masks and positions --------------------------------------------------------------------------


def causal(_, causal_mask):
    return lambda queries, keys=None: causal_mask(queries, queries if keys is None else keys)


def padding(_, padding_mask):
    return lambda tokens, pad=PAD: padding_mask(tokens, pad)


def of_decoder(before, decoder_mask):
    """For a sequence that is read as a whole; new tokens by themselves are left to the library."""

    def mask(tokens, new=None):
        whole = new in (None, tokens.shape[-1])
        return decoder_mask(tokens, PAD) if whole else before(tokens, new)

    return mask


def sinusoidal(_, sinusoidal):
    @functools.lru_cache(maxsize=256)
    def table(length, width, offset=0, dtype="float32"):
        return np.asarray(sinusoidal(length, width, offset)).astype(dtype)

    return table


def add_positions(before, add_positions):
    def function(x, offset):
        *_, T, D = x.shape
        return add_positions(x, positions.sinusoidal(offset + T + 1, D, 0, x.dtype), offset)

    y = operation("add_positions", function, before, [True, False])
    return lambda x, offset=0: y(x, offset)


def shifting(_, teacher_forcing):
    return teacher_forcing


# --- writing --------------------------------------------------------------------------------------


def next_scores(model, row):
    """A function of all that was written so far, a list of ids: the scores of what comes next.

    What it was asked before is remembered as long as only more is written.
    """
    before, writing = [], None

    def scores(tokens):
        nonlocal before, writing
        tokens = [int(token) for token in tokens]
        if not (before and len(tokens) > len(before) and tokens[: len(before)] == before):
            before, (writing, _) = [], decoding.Writing.begin(model, row[None], cached=True)
        new = np.array([tokens[len(before) :]])
        before = tokens
        return writing.scores(new)[0]  # (N,)

    return scores


def rows(texts):
    """Lists of ids as an array, filled up with padding."""
    return padded([[int(token) for token in text] or [EOS] for text in texts])


def greedy(_, greedy):
    def write(model, given, longest, **options):
        return rows([greedy(next_scores(model, row), BOS, EOS, longest + 1) for row in given])

    return write


def beam_search(_, beam_search):
    def write(model, given, longest, *, beams=4, **options):
        found = [
            beam_search(next_scores(model, row), BOS, EOS, longest + 1, beams) for row in given
        ]
        return rows([tokens for tokens, _ in found])[:, None], np.array([[p] for _, p in found])

    return write


# --- the table ------------------------------------------------------------------------------------


def body(function):
    """The place of a definition's body."""
    return vars(TABLE[function]), "body"


# fmt: off
PLACES = [  # exercises, home and key, adapter
    Place(["walk"],               vars(walk), "walk",                walking),
    Place(["walk"],               vars(transforms), "walk",          walking),
    Place(["order"],              vars(walk), "order",               ordering),
    Place(["undo_broadcast"],     vars(walk), "undo_broadcast",      undoing),
    Place(["product_rule"],       TABLE, np.multiply,                product),
    Place(["matmul_rule"],        TABLE, np.matmul,                  matmul),
    Place(["index_rule"],         TABLE, operator.getitem,           picking),
    Place(["softmax", "softmax_rule"],             *body(F.softmax), softmax),
    Place(["layer_norm", "layer_norm_rule"],       *body(F.layer_norm), layer_norm),
    Place(["cross_entropy", "cross_entropy_rule"], *body(F.cross_entropy), cross_entropy),
    Place(["dropout"],            *body(F.dropout),                dropout),
    Place(["scores"],             SCORES, "scaled_dot",              scores),
    Place(["attend"],             *body(attention.attention),      attend),
    Place(["split_heads"],        *body(projection.split_heads),   split_heads),
    Place(["join_heads"],         *body(projection.join_heads),    join_heads),
    Place(["causal_mask"],        vars(masks), "causal",             causal),
    Place(["padding_mask"],       vars(masks), "padding",            padding),
    Place(["decoder_mask"],       vars(masks), "decoder",            of_decoder),
    Place(["sinusoidal"],         vars(positions), "sinusoidal",     sinusoidal),
    Place(["add_positions"],      vars(positions), "add_sinusoidal", add_positions),
    Place(["teacher_forcing"],    vars(readers), "shifted",          shifting),
    Place(["greedy"],             vars(decoding), "greedy",          greedy),
    Place(["beam_search"],        vars(decoding), "beam_search",     beam_search),
]
# fmt: on
