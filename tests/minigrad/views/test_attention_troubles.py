"""`mg.diagnose` of mistaken attention, and of the healthy twins."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as MF

B, H, T, K = 2, 2, 5, 3
AFTER = ~np.tri(T, dtype=bool)
X = np.random.default_rng(0).normal(size=(B, T, H * K)).astype(np.float32)


def attention(mask=None, factor=1, transposed=False, heads=None, merged=None):
    """The loss of a layer of attention: `mask` of what is seen, `factor` of the scores."""
    q, k, v, out = (mg.nn.Linear(H * K, H * K) for _ in range(4))
    right = lambda h: h.reshape(B, T, H, K).swapaxes(1, 2)
    q, k, v = ((heads or right)(layer(X)) for layer in (q, k, v))
    scores = q @ k.mT / K**0.5 * factor  # (B, H, T, T)
    weights = MF.softmax(scores if mask is None else np.where(mask, scores, -1e9))
    y = (weights.mT if transposed else weights) @ v
    y = (merged or (lambda y: y.swapaxes(1, 2).reshape(B, T, H * K)))(y)
    return np.mean(np.square(out(y)))


def by_reshape(h):
    return h.reshape(B, H, T, K)


PROGRAMS = [
    ("mask", {"mask": AFTER}, "each of the 5 positions attends to those after it alone"),
    ("", {"mask": ~AFTER}, ""),
    ("", {"mask": AFTER | np.eye(T, dtype=bool)}, ""),  # backwards, itself too
    ("mask", {"factor": (~AFTER).astype(np.float32)}, "multiplies scores by a mask of 0 and 1"),
    ("", {"factor": np.float32(0.5) + ~AFTER}, ""),
    ("axis", {"transposed": True}, "the last axis of the transpose of"),
    ("mixed", {"heads": by_reshape}, "makes (2, 2, 5, 3) of (2, 5, 6) without a transpose"),
    ("mixed", {"merged": lambda y: y.reshape(B, T, H * K)}, "makes (2, 5, 6) of (2, 2, 5, 3)"),
    ("", {}, ""),
]


@pytest.mark.parametrize(("kind", "options", "what"), PROGRAMS)
def test_mistaken_attention_is_told_and_its_twin_is_not(kind, options, what):
    mg.manual_seed(0)
    with mg.record():
        loss = attention(**options)
    found = mg.diagnose(loss)
    assert [t.kind for t in found] == [kind] * bool(kind), found
    assert all(what in t.what and t.remedy for t in found), found


def test_a_matrix_of_a_chain_of_states_may_be_transposed():
    states = mg.Tensor(np.eye(3, dtype=np.float32), requires_grad=True)
    with mg.record():
        loss = np.sum(np.square(MF.softmax(states).mT @ np.float32([[1], [2], [4]])))
    assert not mg.diagnose(loss)


def zeros_hidden(scores, seen):
    return scores.masked_fill(~seen, 0).softmax(-1)


def zeros_in_place(scores, seen):
    return scores.masked_fill_(~seen, 0).softmax(-1)


def zeros_hidden_before_a_division(scores, seen):
    return (scores.masked_fill(~seen, 0) / K**0.5).softmax(-1)


def zeros_hidden_and_left_out_afterwards(scores, seen):
    weights = (scores * seen).softmax(-1) * seen
    return weights / weights.sum(-1, keepdim=True)


def zeros_in_rows_that_see_nothing(scores, seen):
    scores = scores.masked_fill(~seen, -np.inf)
    return scores.masked_fill(seen.sum(-1, keepdim=True) < 2, 0).softmax(-1)


def zeros_that_are_drawn(scores, seen):
    return (scores * (scores.new_empty(T, T).uniform_() < 0.5)).softmax(-1)


def zeros_where_a_score_is_low(scores, seen):
    return scores.masked_fill(scores < 0, 0).softmax(-1)


def inverted(scores, seen):
    return scores.masked_fill(seen, -np.inf).softmax(-1)


def less_than_all_before(scores, seen):
    return scores.masked_fill(~seen.tril(-1), -np.inf).softmax(-1)


def along_the_heads(scores, seen):
    return scores.masked_fill(~seen, -np.inf).softmax(1)


def all_seen(scores, seen):
    return scores.softmax(-1)


def hidden_after_the_softmax(scores, seen):
    return scores.softmax(-1) * seen


def filled_after_the_softmax(scores, seen):
    return scores.softmax(-1).masked_fill(~seen, 0)


def chosen_after_the_softmax(scores, seen):
    return scores.new_tensor(0).where(~seen, scores.softmax(-1))


def filled_before_and_after(scores, seen):
    return scores.masked_fill(~seen, -np.inf).softmax(-1).masked_fill(~seen, 0)


def dropped_out(scores, seen):
    weights = scores.masked_fill(~seen, -np.inf).softmax(-1)
    return weights.masked_fill(weights.new_empty(T, T).uniform_() < 0.3, 0)


def hidden_before_and_after(scores, seen):
    return scores.masked_fill(~seen, -np.inf).softmax(-1) * seen


def rows_left_out_afterwards(scores, seen):
    return scores.softmax(-1) * seen[:, :1]


def in_heads(h):
    return h.view(B, T, 3, H, K).permute(2, 0, 3, 1, 4)


WEIGHTS = [
    (zeros_hidden, in_heads, "mask", "puts 0 in the place of the scores"),
    (zeros_in_place, in_heads, "mask", "puts 0 in the place of the scores"),
    (zeros_hidden_before_a_division, in_heads, "mask", "puts 0 in the place of the scores"),
    (zeros_hidden_and_left_out_afterwards, in_heads, "", ""),
    (zeros_in_rows_that_see_nothing, in_heads, "", ""),
    (zeros_that_are_drawn, in_heads, "", ""),
    (zeros_where_a_score_is_low, in_heads, "", ""),
    (inverted, in_heads, "mask", "the mask may be the other way round"),
    (hidden_after_the_softmax, in_heads, "mask", "after the softmax"),
    (filled_after_the_softmax, in_heads, "mask", "after the softmax"),
    (chosen_after_the_softmax, in_heads, "mask", "after the softmax"),
    (filled_before_and_after, in_heads, "", ""),
    (dropped_out, in_heads, "", ""),
    (hidden_before_and_after, in_heads, "", ""),
    (rows_left_out_afterwards, in_heads, "", ""),
    (less_than_all_before, in_heads, "not finite", "is the first to give"),
    (along_the_heads, in_heads, "axis", "made to sum to one along axis 1 of 4"),
    (all_seen, lambda h: h.view(3, B, H, T, K), "mixed", "makes (3, 2, 2, 5, 3) of (2, 5, 18)"),
    (all_seen, lambda h: h.view(3, B, T, H, K).mT, "mixed", "makes (3, 2, 5, 2, 3) of (2, 5, 18)"),
    (all_seen, lambda h: [p.reshape(B, H, T, K) for p in h.chunk(3, -1)], "mixed", "of (2, 5, 6)"),
    (all_seen, lambda h: [p.view(B, T, H, K).swapaxes(1, 2) for p in h.split(6, -1)], "", ""),
    (all_seen, lambda h: h.view(B, T, H, 3 * K).swapaxes(1, 2).chunk(3, -1), "", ""),
]


@pytest.mark.parametrize(("weigh", "cut", "kind", "what"), WEIGHTS)
def test_mistaken_attention_of_pytorchs_is_told(weigh, cut, kind, what):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    layer, seen = torch.nn.Linear(H * K, 3 * H * K), torch.tensor(~AFTER)
    with mg.pytorch() as watched:
        q, k, v = cut(layer(torch.tensor(X)))
        (weigh(q @ k.mT, seen) @ v).square().mean().backward()
    found = mg.diagnose(watched)
    assert [t.kind for t in found] == [kind] * bool(kind), found
    assert all(what in t.what for t in found), found


@pytest.mark.parametrize(("turned", "kinds"), [(True, ["mask"]), (False, [])])
def test_an_inverted_mask_of_pytorchs_is_told(turned, kinds):
    torch = pytest.importorskip("torch")
    q, k, v = (torch.tensor(X[:, None], requires_grad=True) for _ in range(3))
    with mg.pytorch() as watched:
        seen = torch.tensor(AFTER if turned else ~AFTER)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        y.square().mean().backward()
    assert [t.kind for t in mg.diagnose(watched)] == kinds


@pytest.mark.parametrize(("mask", "noted"), [(~AFTER.T, True), (~AFTER, False), (AFTER, False)])
def test_a_mask_by_which_each_looks_ahead_and_at_itself_is_noted(mask, noted):
    mg.manual_seed(0)
    with mg.record():
        loss = attention(mask | (mask.sum(-1, keepdims=True) == 0))
    found = mg.diagnose(loss)
    assert any("attends to itself and those after it" in note for note in found.notes) == noted
