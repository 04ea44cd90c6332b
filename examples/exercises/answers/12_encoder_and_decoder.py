"""Lesson 12: encoder and decoder."""

import numpy as np

from minigrad.course.exercises import exercise
from minigrad.course.exercises.exercise import SIZES
from minitransformer import masks

# --- the future -----------------------------------------------------------------------------------


def some_lengths(rng, size):
    """As many keys as queries, and from size 3 on more of them."""
    queries = int(rng.integers(2, 5))
    return [(2, 2), (queries, queries), (2, 3), (queries, queries + 2), (1, queries)][size - 1]


@exercise(
    draw=some_lengths,
    sizes=(1, 2, 2, 3, 4, 4, 5),
    truth=masks.causal,
    properties={
        "each query may attend to itself": lambda f, T, S: np.all(
            f(T, S)[np.arange(T), np.arange(T) + S - T]
        ),
    },
    hints=[
        "Compare the position of the query with that of the key: a column of numbers with a row of "
        "numbers gives (T, S).",
        "With S keys and T queries the first query stands at position S - T.",
    ],
    worked=(
        lambda: (2, 4),
        [
            "Two queries and four keys: the queries are the last positions, {np.arange(2, 4)}",
            "Position 2 sees the keys 0, 1 and 2; position 3 sees all: {np.arange(4)[None, :] <= "
            "np.arange(2, 4)[:, None]}",
        ],
    ),
)
def causal_mask(queries, keys):
    q = np.arange(keys - queries, keys)[:, None]
    k = np.arange(keys)[None, :]
    return k <= q


@causal_mask.mistake(
    "The polarity is reversed: True = may be attended to, and here it marks what is hidden."
)
def _(queries, keys):
    return ~np.tri(queries, keys, keys - queries, dtype=bool)


@causal_mask.mistake(
    "It is the other way round: each position sees itself and the future, and not what came before."
)
def _(queries, keys):
    q, k = np.arange(keys - queries, keys)[:, None], np.arange(keys)[None, :]
    return k >= q


@causal_mask.mistake(
    "No position may attend to itself, and the first to nothing at all. A token has been read when "
    "what follows it is to be found; it may be attended to."
)
def _(queries, keys):
    q, k = np.arange(keys - queries, keys)[:, None], np.arange(keys)[None, :]
    return k < q


@causal_mask.mistake(
    "The queries are taken for the first positions. When tokens are generated they are the last: a "
    "single new query sees all the keys."
)
def _(queries, keys):
    return np.tri(queries, keys, dtype=bool)


@causal_mask.mistake("It sees one position too far, which is the very token that is to be found.")
def _(queries, keys):
    return np.tri(queries, keys, keys - queries + 1, dtype=bool)


@causal_mask.mistake("It has the shape (S, S): one row for each query is asked for, (T, S).")
def _(queries, keys):
    return np.tri(keys, keys, dtype=bool)


@causal_mask.mistake(
    "These are ones and zeros, numbers. A mask is made of booleans, so that nobody adds or "
    "multiplies it by mistake."
)
def _(queries, keys):
    return np.tri(queries, keys, keys - queries)


@causal_mask.mistake(
    "The diagonal is moved the wrong way: with more keys than queries, a query sees more keys, not "
    "fewer."
)
def _(queries, keys):
    return np.tril(np.ones((queries, keys), bool), queries - keys)


@causal_mask.mistake(
    "No position may attend to itself: in a loop over the keys `range(i)` ends before i; in np.triu the "
    "future begins at k=1, and not at 0. And with more keys than queries the diagonal has to move, by "
    "S - T."
)
def _(queries, keys):
    return ~np.triu(np.ones((queries, keys), bool))


@causal_mask.mistake("Nothing is hidden: each position may attend to the future, too.")
def _(queries, keys):
    return np.ones((queries, keys), bool)


# --- padding --------------------------------------------------------------------------------------


def some_tokens(rng, size):
    """Sequences of several lengths, with padding after them; the least have one each. From size 5 on,
    with padding elsewhere."""
    if size > 4:
        return with_a_gap(rng, size - 4)
    B, S = [(1, 2), (2, 2), (2, 3), (3, 4)][size - 1]
    tokens = rng.integers(1, 10, (B, S))
    tokens[0, -1] = 0
    tokens[-1, max(1, S - 2) :] = 0
    pad = int(rng.choice([0, 11])) if size > 1 else 11
    return with_zero(np.where(tokens == 0, pad, tokens), pad)


def with_zero(tokens, pad):
    """The tokens, one of them with the id 0 where that is not padding."""
    if pad:
        tokens[tuple(np.argwhere(tokens != pad)[0])] = 0
    return tokens, pad


@exercise(
    draw=some_tokens,
    sizes=(*SIZES, 5, 6),
    truth=masks.padding,
    hints=[
        "tokens != pad is (B, S), True where there is a token.",
        "Put in the two axes for heads and queries by [:, None, None, :].",
    ],
    worked=(
        lambda: (np.array([[4, 9, 9], [4, 6, 2]]), 9),
        [
            "Where is a token that is no padding? {t := tokens != pad}",
            "With an axis for the heads and one for the queries, (2, 1, 1, 3): {t[:, None, None, "
            ":]}",
        ],
    ),
)
def padding_mask(tokens, pad):
    return (tokens != pad)[:, None, None, :]


@padding_mask.mistake(
    "The polarity is reversed: True = may be attended to, and here it marks the padding."
)
def _(tokens, pad):
    return (tokens == pad)[:, None, None, :]


@padding_mask.mistake(
    "The mask hides rows for columns: with the shape (B, 1, S, 1) it stops padded *queries* from "
    "looking, and lets every token look at padded *keys*."
)
def _(tokens, pad):
    return (tokens != pad)[:, None, :, None]


@padding_mask.mistake(
    "The axes for heads and queries are missing: (B, S) would be broadcast as queries by keys."
)
def _(tokens, pad):
    return tokens != pad


@padding_mask.mistake(
    "One axis is missing: (B, 1, S) would be broadcast as heads, queries and keys, with B in the "
    "place of the heads."
)
def _(tokens, pad):
    return (tokens != pad)[:, None, :]


@padding_mask.mistake(
    "Ids are compared by size. An id is only a name: padding is the one that is equal to `pad`."
)
def _(tokens, pad):
    return (tokens > pad)[:, None, None, :]


@padding_mask.mistake(
    "Padding is taken to stand at the end alone: whatever follows the first of it is hidden, too. It is "
    "each place where the id is `pad`."
)
def _(tokens, pad):
    return (np.cumsum(tokens == pad, axis=1) == 0)[:, None, None, :]


@padding_mask.mistake(
    "Padding is taken to stand at the end alone: it is counted, and so many places at the end are "
    "hidden. It is each place where the id is `pad`."
)
def _(tokens, pad):
    return ~np.sort(tokens == pad, axis=1)[:, None, None, :]


@padding_mask.mistake("The id of the padding is taken to be 0, whatever `pad` says.")
def _(tokens, pad):
    return (tokens != 0)[:, None, None, :]


@padding_mask.mistake(
    "Rows and columns are both hidden: a padded query then sees nothing. Hide the keys alone; "
    "what a padded query computes, the loss ignores."
)
def _(tokens, pad):
    real = tokens != pad
    return real[:, None, :, None] & real[:, None, None, :]


@padding_mask.mistake(
    "The id 0 is hidden as well as `pad`. An id is only a name: padding is the one that is equal to "
    "`pad`, and no other."
)
def _(tokens, pad):
    return ((tokens != pad) & (tokens != 0))[:, None, None, :]


# --- both -----------------------------------------------------------------------------------------


def token_by_token(tokens, pad):
    B, T = tokens.shape
    mask = np.zeros((B, 1, T, T), bool)
    for b, q, k in np.ndindex(B, T, T):
        mask[b, 0, q, k] = k <= q and tokens[b, k] != pad
    return mask


def with_a_gap(rng, size):
    """Padding in front and in the middle too, as prompts that are filled up on the left have it."""
    B, T = [(1, 2), (1, 3), (2, 3), (2, 4)][size - 1]
    tokens = rng.integers(1, 10, (B, T))
    pad = int(rng.choice([0, 11])) if size > 1 else 11
    tokens[np.arange(B), rng.integers(0, T - 1, B)] = pad
    return with_zero(tokens, pad)


@exercise(
    draw=with_a_gap,
    truth=token_by_token,
    hints=[
        "A causal mask, (T, T), and a padding mask, (B, 1, 1, T). What joins two conditions that "
        "must both hold?",
        "& joins arrays of booleans, and broadcasts.",
    ],
    worked=(
        lambda: (np.array([[9, 4, 6]]), 9),
        [
            "The future hidden, (3, 3): {c := np.tri(3, dtype=bool)}",
            "Padding hidden, (1, 1, 1, 3): {p := (tokens != pad)[:, None, None, :]}",
            "Both must allow it. Position 0 is padding, and sees nothing: {c & p}",
        ],
    ),
)
def decoder_mask(tokens, pad):
    T = tokens.shape[1]
    return np.tri(T, dtype=bool) & (tokens != pad)[:, None, None, :]


@decoder_mask.mistake(
    "The two masks are joined by `or`: a key may be attended to only if both allow it, `&`."
)
def _(tokens, pad):
    return np.tri(tokens.shape[1], dtype=bool) | (tokens != pad)[:, None, None, :]


@decoder_mask.mistake("The id of the padding is taken to be 0, whatever `pad` says.")
def _(tokens, pad):
    return decoder_mask.solution(tokens, 0)


@decoder_mask.mistake("Padding is not hidden: this is the causal mask alone.")
def _(tokens, pad):
    B, T = tokens.shape
    return np.broadcast_to(np.tri(T, dtype=bool), (B, 1, T, T))


@decoder_mask.mistake("The future is not hidden: this is the padding mask alone.")
def _(tokens, pad):
    B, T = tokens.shape
    return np.broadcast_to((tokens != pad)[:, None, None, :], (B, 1, T, T))


@decoder_mask.mistake(
    "The padding hides rows for columns: padded queries see nothing, and padded keys are seen."
)
def _(tokens, pad):
    return np.tri(tokens.shape[1], dtype=bool) & (tokens != pad)[:, None, :, None]


@decoder_mask.mistake("The causal part is the other way round: each position sees the future.")
def _(tokens, pad):
    return np.tri(tokens.shape[1], dtype=bool).T & (tokens != pad)[:, None, None, :]


@decoder_mask.mistake("The axis for the heads is missing: the shape is (B, T, T).")
def _(tokens, pad):
    return np.tri(tokens.shape[1], dtype=bool) & (tokens != pad)[:, None, :]


@decoder_mask.mistake("The polarity is reversed: True = may be attended to.")
def _(tokens, pad):
    return ~token_by_token(tokens, pad)


@decoder_mask.mistake(
    "No position may attend to itself, and the first to nothing at all; what was read may be."
)
def _(tokens, pad):
    T = tokens.shape[1]
    return np.tril(np.ones((T, T), bool), -1) & (tokens != pad)[:, None, None, :]


@decoder_mask.mistake(
    "Rows and columns are both hidden: a padded query then sees nothing. Hide the keys alone; "
    "what a padded query computes, the loss ignores."
)
def _(tokens, pad):
    real = tokens != pad
    return token_by_token(tokens, pad) & real[:, None, :, None]


@decoder_mask.mistake(
    "Each position may attend to itself, also where it is padding; no position may attend to padding."
)
def _(tokens, pad):
    return token_by_token(tokens, pad) | np.eye(tokens.shape[1], dtype=bool)
