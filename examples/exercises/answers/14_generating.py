"""Lesson 14: generating."""

import functools
import heapq
import itertools
import math

import numpy as np

from minigrad.course.exercises import exercise
from minigrad.course.exercises.exercise import SIZES
from minigrad.course.exercises.shared_files import draws

START, END = 0, 1

# --- greedy ---------------------------------------------------------------------------------------


def model_of(text, start=START):
    return draws().writer(text, start)


def to_write(rng, size):
    """A text that ends in time; with size 2, one that does not; with 3, one that ends at once; with 5,
    none is asked for; with 6, one symbol stands for start and end."""
    text = rng.integers(2, 6, min(size, 4) + 1).tolist()
    if size == 2:
        return model_of([2, 3, 4, 5] * 10), START, END, int(rng.integers(2, 6))
    if size == 5:
        return model_of([*text, END]), START, END, 0
    if size == 6:
        return model_of([*text, END], END), END, END, len(text) + 3
    if size == 3:
        text = []
    return model_of([*text, END]), START, END, len(text) + int(rng.integers(2, 5))


def whole(ids):
    return all(np.asarray(one).dtype.kind in "iu" for one in ids)


def as_it_stands(scores, start, end, longest):
    written = []
    for _ in range(longest):
        written.append(int(np.argmax(scores([start, *written]))))
        if end in written:
            break
    return written


@exercise(
    points=2,
    draw=to_write,
    sizes=(*SIZES, 5, 6),
    truth=as_it_stands,
    properties={"ids stay whole numbers": lambda f, *inputs: whole(f(*inputs))},
    hints=[
        "A loop that takes at most `longest` steps. Each asks for the scores of all that was "
        "written so far, the start symbol in front.",
        "np.argmax gives the id of the highest score. When is the loop over before its time?",
    ],
    worked=(
        lambda: (
            lambda tokens: [[0, 1, 5, 2], [0, 9, 1, 3], [0, 1, 1, 7]][len(tokens) - 1],
            0,
            3,
            5,
        ),
        [
            "Ask for the scores after [0]: {scores([0])}. The highest is that of symbol 2.",
            "After [0, 2]: {scores([0, 2])}: symbol 1.",
            "After [0, 2, 1]: {scores([0, 2, 1])}: symbol 3, which is the end. {[2, 1, 3]}",
        ],
    ),
)
def greedy(scores, start, end, longest):
    written = []
    while len(written) < longest and end not in written:
        written.append(int(np.argmax(scores([start, *written]))))
    return written


@greedy.mistake(
    "It does not stop: neither the end symbol nor the greatest length ends the loop. Nobody "
    "promises that the end symbol comes."
)
def _(scores, start, end, longest):
    written = []
    while True:
        written.append(int(np.argmax(scores([start, *written]))))


@greedy.mistake(
    "It does not stop unless the end symbol comes, and nobody promises that it does: look at "
    "`longest`, too."
)
def _(scores, start, end, longest):
    written = []
    while end not in written:
        written.append(int(np.argmax(scores([start, *written]))))
    return written


@greedy.mistake(
    "The end symbol does not stop it: it goes on to the greatest length, and writes on behind the "
    "end."
)
def _(scores, start, end, longest):
    written = []
    for _ in range(longest):
        written.append(int(np.argmax(scores([start, *written]))))
    return written


@greedy.mistake("The end symbol is dropped; it belongs to what was written.")
def _(scores, start, end, longest):
    return [token for token in as_it_stands(scores, start, end, longest) if token != end]


@greedy.mistake("The start symbol is returned as well; the model did not write it.")
def _(scores, start, end, longest):
    return [start, *as_it_stands(scores, start, end, longest)]


@greedy.mistake(
    "The model is only shown the last symbol, and has to be shown all that was written so far."
)
def _(scores, start, end, longest):
    written = [start]
    while len(written) <= longest and end not in written[1:]:
        written.append(int(np.argmax(scores(written[-1:]))))
    return written[1:]


@greedy.mistake(
    "The start symbol is not shown to the model: in training it stood in front of every sequence."
)
def _(scores, start, end, longest):
    written = []
    while len(written) < longest and end not in written:
        written.append(int(np.argmax(scores(written))))
    return written


@greedy.mistake(
    "What was written is not shown to the model: it is asked again and again what comes first."
)
def _(scores, start, end, longest):
    written = []
    while len(written) < longest and end not in written:
        written.append(int(np.argmax(scores([start]))))
    return written


@greedy.mistake("The *least* likely symbol is taken: np.argmax gives the likeliest.")
def _(scores, start, end, longest):
    return as_it_stands(lambda tokens: -scores(tokens), start, end, longest)


@greedy.mistake(
    "It is off by one: the start symbol is counted, and the model did not write it. `longest` is of "
    "the symbols written."
)
def _(scores, start, end, longest):
    return greedy.solution(scores, start, end, longest - 1)


@greedy.mistake(
    "It writes before it looks at `longest`: where that is 0, there is nothing to write."
)
def _(scores, start, end, longest):
    return as_it_stands(scores, start, end, max(longest, 1))


@greedy.mistake(
    "The start symbol is taken for one that was written: where it is the end symbol too, nothing gets "
    "written at all."
)
def _(scores, start, end, longest):
    return as_it_stands(scores, start, end, longest) if start != end else []


@greedy.mistake("It is off by one: the end symbol counts among the `longest` symbols.")
def _(scores, start, end, longest):
    return as_it_stands(scores, start, end, longest + 1)


@greedy.mistake(
    "The start symbol is returned as well, and counted among the `longest`; the model did not write it."
)
def _(scores, start, end, longest):
    return [start, *greedy.solution(scores, start, end, longest - 1)]


# --- the likeliest few ----------------------------------------------------------------------------


def chances(rng, size):
    """With size 5, a sum is exactly the least, in numbers that are exact."""
    weights = np.array([3, 5, 8] if size == 5 else [2**k + 1 for k in range(size + 1)])
    order = rng.permutation(len(weights))
    if (np.diff(order) < 0).all():  # the likeliest first, where order makes no difference
        order = order[::-1]
    least = [0.5, 0.8125, 0.5] if size == 5 else [0.31, 0.62, 0.91]
    return (weights / weights.sum())[order], least[int(rng.integers(3))]


def one_by_one(p, least):
    taken = []
    for i in sorted(range(len(p)), key=lambda i: -p[i]):
        if sum(p[k] for k in taken) < least:
            taken.append(i)
    return np.array([x / sum(p[k] for k in taken) * (i in taken) for i, x in enumerate(p)])


@exercise(
    draw=chances,
    sizes=(1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5),
    truth=one_by_one,
    properties={"the result sums to one": lambda f, p, least: np.isclose(f(p, least).sum(), 1)},
    hints=[
        "np.argsort(-p) gives the ids, the likeliest first; np.cumsum adds up in that order.",
        "A symbol is taken if those *before* it do not reach `least` yet.",
    ],
    worked=(
        lambda: (np.array([0.1, 0.2, 0.4, 0.3]), 0.6),
        [
            "The likeliest first: the ids {order := np.argsort(-p)}, with the probabilities "
            "{p[order]}",
            "Added up: {np.cumsum(p[order])}. The second reaches 0.6, and is taken, too.",
            "Those two, in their places: {k := np.array([0, 0, 0.4, 0.3])}; divided by their sum: "
            "{k / k.sum()}",
        ],
    ),
)
def top_p(p, least):
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    kept = np.zeros_like(p)
    kept[order] = np.where(before < least, p[order], 0)
    return kept / kept.sum()


@top_p.mistake(
    "The symbol with which the sum reaches `least` is left out; if the likeliest reaches it alone, "
    "nothing is left."
)
def _(p, least):
    order = np.argsort(-p)
    kept = np.zeros_like(p)
    kept[order] = np.where(np.cumsum(p[order]) < least, p[order], 0)
    return kept / kept.sum()


@top_p.mistake(
    "Where the sum is exactly `least`, one symbol too many is taken: it has reached it, and need not go "
    "beyond."
)
def _(p, least):
    order = np.argsort(-p)
    kept = np.zeros_like(p)
    kept[order] = np.where(np.cumsum(p[order]) - p[order] <= least, p[order], 0)
    return kept / kept.sum()


@top_p.mistake("Those taken are not divided by their sum: these are no probabilities any more.")
def _(p, least):
    order = np.argsort(-p)
    kept = np.zeros_like(p)
    kept[order] = np.where(np.cumsum(p[order]) - p[order] < least, p[order], 0)
    return kept


@top_p.mistake("The symbols are taken in the order of their ids; the likeliest come first.")
def _(p, least):
    kept = np.where(np.cumsum(p) - p < least, p, 0)
    return kept / kept.sum()


@top_p.mistake(
    "The result is in the order of the probabilities: each has to go back to the id that it "
    "belongs to."
)
def _(p, least):
    p = np.sort(p)[::-1]
    kept = np.where(np.cumsum(p) - p < least, p, 0)
    return kept / kept.sum()


@top_p.mistake("The *least* likely symbols are taken first: argsort sorts upwards.")
def _(p, least):
    order = np.argsort(p)
    kept = np.zeros_like(p)
    kept[order] = np.where(np.cumsum(p[order]) - p[order] < least, p[order], 0)
    return kept / kept.sum()


@top_p.mistake(
    "Each symbol is compared with `least` by itself; it is the sum over the likeliest that has to "
    "reach it."
)
def _(p, least):
    kept = np.where(p >= least, p, 0)
    return kept / kept.sum()


@top_p.mistake(
    "Each symbol is compared with 1 - `least` by itself; it is the sum over the likeliest that has to "
    "reach `least`."
)
def _(p, least):
    kept = np.where(p >= 1 - least, p, 0)
    return kept / kept.sum()


@top_p.mistake("One too many is taken: the one that reaches `least` is the last.")
def _(p, least):
    order = np.argsort(-p)
    count = np.searchsorted(np.cumsum(p[order]), least) + 2
    kept = np.zeros_like(p)
    kept[order[:count]] = p[order[:count]]
    return kept / kept.sum()


@top_p.mistake("Each probability is compared with `least`; it is their sum that has to reach it.")
def _(p, least):
    kept = np.where(p >= least, p, 0)
    return kept / max(kept.sum(), 1e-12)


# --- beams ----------------------------------------------------------------------------------------


def random_model(rng, level=0):
    return draws().random_model(int(rng.integers(10**6)), level)


def model_with(rng, kind):
    """Forking: the best way leads over the second best continuation of the best first symbol.
    Crowded: what ends at once is pushed out by two beginnings, and was better than what they lead to.
    """
    seed = int(rng.integers(10**6))
    a, b, c = (rng.permutation(3) + 2).tolist()
    even = {a: 1, b: 1, c: 1, END: 1}
    chances = {
        "forking": {
            (): {a: 60, b: 40},
            (a,): {a: 51, b: 49},
            (a, b): {c: 97},
            (b,): even,
            (a, a): even,
        },
        "crowded": {(): {a: 75, END: 20}, (a,): {b: 51, c: 49}, (a, b): even, (a, c): even},
    }[kind]
    return draws().model_with(kind, seed, chances)


def to_search(rng, size):
    """With sizes 7 and 8, scores that are far from 0; with 9, one symbol for start and end."""
    if size == 5:
        return model_with(rng, "forking"), START, END, 4, 2
    if size == 6:
        return model_with(rng, "crowded"), START, END, 3, 2
    if size in (7, 8):
        return random_model(rng, 1000 if size == 7 else -1000), START, END, 2, 2
    if size == 9:
        return random_model(rng), END, END, 3, 2
    longest, beams = [(2, 2), (3, 2), (3, 3), (4, 2)][size - 1]
    return random_model(rng), START, END, longest, beams


def with_a_heap(scores, start, end, longest, beams):
    kept = [(0.0, ())]
    for _ in range(longest):
        candidates = []
        for log_p, tokens in kept:
            if end in tokens:
                candidates.append((log_p, tokens))
                continue
            s = [float(x) for x in scores([start, *tokens])]
            total = max(s) + math.log(sum(math.exp(x - max(s)) for x in s))
            candidates += [(log_p + x - total, (*tokens, i)) for i, x in enumerate(s)]
        kept = heapq.nlargest(beams, candidates)
        if all(end in tokens for _, tokens in kept):
            break
    log_p, tokens = max(kept)
    return list(tokens), log_p


def exhaustive(f, scores, start, end, longest, beams):
    """A beam in which everything has room finds the likeliest of all."""

    @functools.cache
    def log_p(*tokens):
        s = scores.function([start, *tokens])
        return (s - s.max() - math.log(np.exp(s - s.max()).sum())).tolist()

    ways = [w for n in range(1, 4) for w in itertools.product(range(len(log_p())), repeat=n)]
    ended = [w for w in ways if end not in w[:-1] and (w[-1] == end or len(w) == 3)]
    total = lambda way: sum(log_p(*way[:k])[token] for k, token in enumerate(way))

    return f(scores, start, end, 3, 200)[0] == list(max(ended, key=total))


def searched(
    scores,
    start,
    end,
    longest,
    beams,
    *,
    normal=True,
    rank=None,
    ends=True,
    forks=True,
    aside=False,
    ended_first=False,
    dropped=False,
):
    """Beam search, with the ways in which it can be wrong."""
    kept = [([], 0.0, 0.0)]  # the symbols, their log p, that of the last
    ended = []
    for _ in range(longest):
        candidates = []
        for tokens, log_p, last in kept:
            if ends and end in tokens:
                candidates += [] if dropped else [(tokens, log_p, last)]
                continue
            s = scores([start, *tokens])
            step = s - s.max() - np.log(np.exp(s - s.max()).sum()) if normal else s
            own = [([*tokens, i], log_p + float(x), float(x)) for i, x in enumerate(step)]
            candidates += own if forks or not tokens else [max(own, key=lambda one: one[1])]
        if ended_first:
            candidates.sort(key=lambda one: end not in one[0])
        candidates = candidates or kept
        candidates.sort(key=rank or (lambda one: -one[1]))
        kept = candidates[:beams]
        if aside:
            ended += [one for one in kept if end in one[0]]
            kept = [one for one in kept if end not in one[0]]
        if ends and all(end in tokens for tokens, _, _ in kept):
            break
    best = min(kept + ended, key=rank or (lambda one: -one[1]))
    return best[0], best[1]


@exercise(
    points=3,
    draw=to_search,
    sizes=(*[1] * 4, *[2] * 8, *[3] * 4, *[4] * 8, 5, 5, 6, 7, 8, 9),
    truth=with_a_heap,
    properties={
        "ids stay whole numbers": lambda f, *inputs: whole(f(*inputs)[0]),
        "one beam is greedy": lambda f, scores, start, end, longest, beams: (
            f(scores, start, end, longest, 1)[0]
            == as_it_stands(scores.function, start, end, longest)
        ),
        "if no beginning is dropped, it finds the likeliest text of all": exhaustive,
    },
    hints=[
        "Keep a list of pairs (symbols, log p), at first the empty list with 0. Make a list of "
        "all the candidates of a step, sort it, and keep its best.",
        "Log-probabilities add up. log softmax(s) = s - max - log(sum of exp(s - max)).",
        "A beginning that has ended is a candidate itself, unchanged.",
    ],
    worked=(
        lambda: (
            lambda tokens: np.log([[1.0, 5.0, 4.0], [8.0, 1.0, 1.0], [1.0, 8.0, 1.0]][tokens[-1]]),
            0,
            1,
            3,
            2,
        ),
        [
            "After [0] the probabilities are 0.1, 0.5 and 0.4, and their logarithms {l := "
            "np.log([0.1, 0.5, 0.4])}",
            "The best two: [1], which has ended, and [2].",
            "[2] goes on: with 0, 1 and 2 the sums are {l[2] + np.log([0.1, 0.8, 0.1])}. [1] "
            "stays, with {l[1]}",
            "The best two of these four: [1] and [2, 1]; both have ended. The better one: {([1], "
            "l[1])}",
        ],
    ),
)
def beam_search(scores, start, end, longest, beams):
    kept = [([], 0.0)]
    for _ in range(longest):
        candidates = []
        for tokens, log_p in kept:
            if end in tokens:
                candidates.append((tokens, log_p))
                continue
            s = scores([start, *tokens])
            step = s - s.max() - np.log(np.exp(s - s.max()).sum())
            candidates += [([*tokens, i], log_p + x) for i, x in enumerate(step)]
        kept = sorted(candidates, key=lambda one: -one[1])[:beams]
        if all(end in tokens for tokens, _ in kept):
            break
    return kept[0]


@beam_search.mistake(
    "The scores are added up as they are. Those of different beginnings cannot be compared before "
    "the softmax: their level says nothing."
)
def _(scores, start, end, longest, beams):
    return searched(scores, start, end, longest, beams, normal=False)


@beam_search.mistake(
    "What has ended is written on: symbols come after the end symbol. It is to stay as it is, and "
    "keep its place while it is good enough."
)
def _(scores, start, end, longest, beams):
    return searched(scores, start, end, longest, beams, ends=False)


@beam_search.mistake(
    "What has ended is put aside, and holds no place any more. It stays one of the candidates: it takes "
    "a place, and better ones push it out."
)
def _(scores, start, end, longest, beams):
    return searched(scores, start, end, longest, beams, aside=True)


@beam_search.mistake(
    "Beginnings are ranked by the log p of their last symbol alone; it is the sum over all of "
    "them that counts."
)
def _(scores, start, end, longest, beams):
    return searched(scores, start, end, longest, beams, rank=lambda one: -one[2])


@beam_search.mistake(
    "The beams do not compete: each is continued by its own best symbol. Of all continuations of "
    "all the beginnings the best are kept, two of one beginning if need be."
)
def _(scores, start, end, longest, beams):
    return searched(scores, start, end, longest, beams, forks=False)


@beam_search.mistake("Only one beginning is kept: this is greedy, whatever `beams` says.")
def _(scores, start, end, longest, beams):
    return searched(scores, start, end, longest, 1)


@beam_search.mistake(
    "They are ranked by the mean of log p, which favours long ones. That is a length penalty, and "
    "not asked for here."
)
def _(scores, start, end, longest, beams):
    rank = lambda one: -one[1] / max(len(one[0]), 1)
    return searched(scores, start, end, longest, beams, rank=rank)


@beam_search.mistake("The worst are kept: the list is sorted upwards.")
def _(scores, start, end, longest, beams):
    return searched(scores, start, end, longest, beams, rank=lambda one: one[1])


@beam_search.mistake("The start symbol is returned as well; the model did not write it.")
def _(scores, start, end, longest, beams):
    tokens, log_p = searched(scores, start, end, longest, beams)
    return [start, *tokens], log_p


@beam_search.mistake("The logarithms have the base 2; np.log has the base e.")
def _(scores, start, end, longest, beams):
    tokens, log_p = searched(scores, start, end, longest, beams)
    return tokens, log_p / math.log(2)


@beam_search.mistake("A probability is returned; its logarithm was asked for.")
def _(scores, start, end, longest, beams):
    tokens, log_p = searched(scores, start, end, longest, beams)
    return tokens, math.exp(log_p)


OVERFLOWS = (
    "No maximum is taken off: exp(1000) is infinite, and exp(-1000) is 0, of which the logarithm is. "
    "Scores may be any numbers."
)


FROM_EXP = (
    lambda s: np.log(np.exp(s) / np.exp(s).sum()),
    lambda s: s - np.log(np.exp(s).sum()),
)
for from_exp, ended_first in itertools.product(FROM_EXP, (False, True)):  # NaN have no order

    @beam_search.mistake(OVERFLOWS)
    def _(scores, start, end, longest, beams, from_exp=from_exp, ended_first=ended_first):
        of = lambda tokens: from_exp(scores(tokens))
        return searched(of, start, end, longest, beams, normal=False, ended_first=ended_first)


@beam_search.mistake(
    "The start symbol is taken for one that was written: where it is the end symbol too, nothing gets "
    "written at all."
)
def _(scores, start, end, longest, beams):
    return searched(scores, start, end, longest, beams) if start != end else ([], 0.0)


@beam_search.mistake(
    "What has ended is dropped at the next step. It is to stay as it is, and keep its place while it is "
    "good enough."
)
def _(scores, start, end, longest, beams):
    return searched(scores, start, end, longest, beams, dropped=True)
