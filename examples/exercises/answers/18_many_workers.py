"""Lesson 18: many workers."""

import functools

import numpy as np

from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.shared_files import draws

# --- the sum of gradients -------------------------------------------------------------------------

NAMES = "w", "b", "v"


def some_parts(rng, size):
    """Two parts or more; each but the first leaves out a parameter, and the first has not all."""
    shapes = {"w": (size, 2), "b": (2,), "v": (size,)}
    parts = [{name: numbers(rng, *shapes[name]) for name in ("w", "b")}]
    for k in range(size):
        without = ("b", "w")[k % 2]
        parts.append({n: numbers(rng, *shape) for n, shape in shapes.items() if n != without})
    return (parts,)


def number_by_number(parts):
    shapes = {name: g.shape for part in parts for name, g in part.items()}
    zero = {name: np.zeros(shape) for name, shape in shapes.items()}
    return {name: sum(part.get(name, zero[name]) for part in parts) for name in shapes}


@exercise(
    draw=some_parts,
    truth=number_by_number,
    properties={
        "one part alone gives its own gradients": lambda f, parts: all(
            np.array_equal(g, parts[0][name]) for name, g in f(parts[:1]).items()
        ),
    },
    hints=[
        "Go through the parts, and keep a dictionary of sums.",
        "What is there for a name that is seen for the first time?",
        "`total[name] += g` changes the array that is there, and that may be a part's own.",
    ],
    worked=(
        lambda: ([{"w": np.array([1.0])}, {"b": np.array([5.0])}, {"w": np.array([2.0])}],),
        [
            "The first part knows w alone: {t := dict(parts[0])}",
            "The second knows b alone: {t := t | parts[1]}",
            "The third adds to w: {t := t | {'w': t['w'] + parts[2]['w']}}",
        ],
    ),
)
def add_gradients(parts):
    total = {}
    for part in parts:
        for name, g in part.items():
            total[name] = total.get(name, 0) + g
    return total


@add_gradients.mistake(
    "A later part's gradient replaces the one that was there: `=` where the sum should be."
)
def _(parts):
    return {name: g for part in parts for name, g in part.items()}


@add_gradients.mistake(
    "This is the mean over all parts. The loss of the batch is the sum of the losses, and so is its "
    "gradient; parts of a mean have been divided already."
)
def _(parts):
    return {name: g / len(parts) for name, g in number_by_number(parts).items()}


@add_gradients.mistake(
    "This is the mean over the parts that have a gradient for the parameter. The sum was asked for; "
    "and a part that does not use it counts as zero."
)
def _(parts):
    return {
        name: g / sum(name in part for part in parts) for name, g in number_by_number(parts).items()
    }


@add_gradients.mistake(
    "Only the names of the first part are there. A parameter that it does not use may be used by "
    "others."
)
def _(parts):
    return {name: g for name, g in number_by_number(parts).items() if name in parts[0]}


@add_gradients.mistake(
    "Only names that are in all parts are there. A missing gradient is zero; the others still count."
)
def _(parts):
    return {
        name: g
        for name, g in number_by_number(parts).items()
        if all(name in part for part in parts)
    }


@add_gradients.mistake("Where a part does not know a parameter, what came before is lost.")
def _(parts):
    total = {}
    for part in parts:
        for name in {**total, **part}:
            total[name] = total.get(name, 0) + part[name] if name in part else 0 * total[name]
    return total


# --- the weighted mean of unequal parts -----------------------------------------------------------


def some_means(rng, size):
    return numbers(rng, size + 1, 2), rng.permutation(7)[: size + 1] + 1


def example_by_example(means, sizes):
    """Each part as its examples, which all have the part's mean."""
    return np.repeat(means, sizes, axis=0).mean(axis=0)


@exercise(
    draw=some_means,
    truth=example_by_example,
    properties={
        "equal parts give the mean of the means": lambda f, means, sizes: np.allclose(
            f(means, np.full(len(means), 3)), means.mean(axis=0)
        ),
        "twice as many of all change nothing": lambda f, means, sizes: np.allclose(
            f(means, 2 * sizes), f(means, sizes)
        ),
    },
    hints=[
        "What is the sum over a part, if its mean and its size are known?",
        "sizes[:, None] has the shape (parts, 1), and goes with (parts, n).",
    ],
    worked=(
        lambda: (np.array([[1.0, 4.0], [3.0, 0.0]]), np.array([1, 4])),
        [
            "The sum over each part: {s := means * sizes[:, None]}",
            "Over all: {a := s.sum(axis=0)}, of {n := sizes.sum()} examples",
            "Their mean: {a / n}",
        ],
    ),
)
def weighted_mean(means, sizes):
    return np.sum(means * sizes[:, None], axis=0) / np.sum(sizes)


@weighted_mean.mistake(
    "This is the mean of the means: an example of a small part counts more than one of a large part."
)
def _(means, sizes):
    return means.mean(axis=0)


@weighted_mean.mistake(
    "The means are added. Sums add; means have been divided, each by its own size."
)
def _(means, sizes):
    return means.sum(axis=0)


@weighted_mean.mistake(
    "This is the gradient of the sum over all examples: divide by how many there are."
)
def _(means, sizes):
    return sizes @ means


@weighted_mean.mistake(
    "The sum over all examples is divided by the number of parts; there are more examples than parts."
)
def _(means, sizes):
    return sizes @ means / len(sizes)


@weighted_mean.mistake(
    "The means are divided by the sizes once more, so that small parts count most."
)
def _(means, sizes):
    return (1 / sizes) @ means / np.sum(1 / sizes)


@weighted_mean.mistake(
    "The means are divided by the size of the batch as if they were sums; a mean stands for all "
    "examples of its part."
)
def _(means, sizes):
    return means.sum(axis=0) / sizes.sum()


@weighted_mean.mistake(
    "The sizes are laid along the means and not across the parts: [:, None] is missing."
)
def _(means, sizes):
    return (means * sizes).sum(axis=0) / sizes.sum()


# --- the tree's order -----------------------------------------------------------------------------


def some_letters(rng, size):
    letters = [chr(97 + k) for k in rng.permutation(26)[: (2, 3, 5, 6, 7, 11, 12)[rng.integers(7)]]]
    return letters, draws().pair(len(letters))


def from_the_top(items, add):
    """The left part is the largest power of two that leaves something for the right."""
    if len(items) == 1:
        return items[0]
    left = 1
    while 2 * left < len(items):
        left *= 2
    return add(from_the_top(items[:left], add), from_the_top(items[left:], add))


@exercise(
    points=2,
    draw=some_letters,
    truth=from_the_top,
    sizes=(1,) * 12,
    properties={
        "one item is its own sum": lambda f, items, add: f(items[:1], add) == items[0],
    },
    hints=[
        "Make the next row from this one, until a row has one item.",
        "range(0, len(row) - 1, 2) has the left item of each pair. What if the length is odd?",
    ],
    worked=(
        lambda: (["p", "q", "r"], lambda x, y: f"({x}{y})"),
        [
            "Neighbours: {one := add(items[0], items[1])}",
            "Left over, and as it is in the next row: {[one, items[2]]}",
            "Of that row: {add(one, items[2])}",
        ],
    ),
)
def tree_sum(items, add):
    row = list(items)
    while len(row) > 1:
        pairs = [add(row[i], row[i + 1]) for i in range(0, len(row) - 1, 2)]
        row = pairs + row[2 * len(pairs) :]
    return row[0]


@tree_sum.mistake(
    "It adds from left to right: each item waits for all before it, and passes through up to n "
    "roundings."
)
def _(items, add):
    total = items[0]
    for item in items[1:]:
        total = add(total, item)
    return total


@tree_sum.mistake("It adds from right to left; asked for are neighbours, in rows.")
def _(items, add):
    total = items[-1]
    for item in items[-2::-1]:
        total = add(item, total)
    return total


CUT = (
    "The items are cut in the middle, (a b)(c d e). In rows of pairs the left side is complete first: "
    "((a b)(c d)) e."
)


def halves(items, add, middle):
    if len(items) == 1:
        return items[0]
    left = middle(len(items))
    return add(halves(items[:left], add, middle), halves(items[left:], add, middle))


@tree_sum.mistake(CUT)
def _(items, add):
    return halves(items, add, lambda n: n // 2)


@tree_sum.mistake(CUT)
def _(items, add):
    return halves(items, add, lambda n: (n + 1) // 2)


@tree_sum.mistake(
    "An item left over at the end of a row is dropped; it goes up to the next row as it is."
)
def _(items, add):
    row = list(items)
    while len(row) > 1:
        row = [add(row[i], row[i + 1]) for i in range(0, len(row) - 1, 2)]
    return row[0]


@tree_sum.mistake("An item left over goes to the front of the next row; it stays at the end.")
def _(items, add):
    row = list(items)
    while len(row) > 1:
        pairs = [add(row[i], row[i + 1]) for i in range(0, len(row) - 1, 2)]
        row = row[2 * len(pairs) :] + pairs
    return row[0]


@tree_sum.mistake("The first is added to the last, and so on; neighbours are to be added.")
def _(items, add):
    row = list(items)
    while len(row) > 1:
        half = len(row) // 2
        row = [add(row[i], row[-1 - i]) for i in range(half)] + row[half : len(row) - half]
    return row[0]


@tree_sum.mistake(
    "A pair is added the wrong way round: the left one comes first. Which of two waits for the other "
    "must not matter."
)
def _(items, add):
    return from_the_top(items, lambda x, y: add(y, x))


@tree_sum.mistake(
    "An item left over is added to the last pair at once; it goes up to the next row as it is."
)
def _(items, add):
    while len(items) > 1:
        row = [add(*items[k : k + 2]) for k in range(0, len(items) - 1, 2)]
        if len(items) % 2:
            row[-1] = add(row[-1], items[-1])
        items = row
    return items[0]


@tree_sum.mistake(
    "Only the first row is added in pairs; what comes of it is added from left to right."
)
def _(items, add):
    row = [add(*items[k : k + 2]) for k in range(0, len(items) - 1, 2)]
    row += items[len(items) - len(items) % 2 :]
    return functools.reduce(add, row)


# --- around a ring --------------------------------------------------------------------------------


def some_ring(rng, size):
    """Some round; from size 5 on, each of the four rounds of three workers."""
    if size > 4:
        return numbers(rng, 3, 3), size - 5
    N = size + 1
    return numbers(rng, N, N), int(rng.integers(2 * (N - 1)))


def chunk_by_chunk(chunks, k):
    """The part of each chunk that each worker has after the round."""
    N = len(chunks)
    after = chunks.copy()
    for r in range(N):
        left = (r - 1) % N
        c = (left - k) % N  # what its left neighbour sends
        after[r, c] = chunks[left, c] + (chunks[r, c] if k < N - 1 else 0)
    return after


def all_rounds(f, chunks, k):
    total = chunks.sum(axis=0)
    for each in range(2 * (len(chunks) - 1)):
        chunks = f(chunks, each)
    return np.allclose(chunks, total)


def ring_of(chunk=lambda r, k, N: r - k, adds=lambda k, N: k < N - 1, to=1):
    """A round in which something may be wrong."""

    def function(chunks, k):
        N = len(chunks)
        after = chunks.copy()
        for r in range(N):
            c, right = chunk(r, k, N) % N, (r + to) % N
            after[right, c] = chunks[r, c] + (chunks[right, c] if adds(k, N) else 0)
        return after

    return function


@exercise(
    points=2,
    draw=some_ring,
    truth=chunk_by_chunk,
    sizes=(1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 6, 7, 8),
    properties={"after 2 (N - 1) rounds all workers have all sums": all_rounds},
    hints=[
        "Worker r sends c = (r - k) % N, and it arrives in row (r + 1) % N, in column c.",
        "Is it added there, or does it replace? k < N - 1 says which.",
    ],
    worked=(
        lambda: (np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [100.0, 200.0, 300.0]]), 1),
        [
            "In round 1, worker r sends its chunk r - 1: {[(r - 1) % 3 for r in range(3)]}",
            "These are {s := [chunks[r, (r - 1) % 3].item() for r in range(3)]}",
            "The next worker adds it to its own: {a := chunks + np.array([[0, s[2], 0], [0, 0, s[0]], "
            "[s[1], 0, 0]])}",
        ],
    ),
)
def ring_round(chunks, k):
    N = len(chunks)
    after = chunks.copy()
    for r in range(N):
        c, right = (r - k) % N, (r + 1) % N
        sent = chunks[r, c]
        after[right, c] = after[right, c] + sent if k < N - 1 else sent
    return after


for says, function in {
    "It sends the chunk (r + k) mod N: asked for is (r - k) mod N, which has just been added to.":
        ring_of(lambda r, k, N: r + k),
    "Every worker sends chunk number k; worker r is to send (r - k) mod N.":
        ring_of(lambda r, k, N: k),
    "Worker r sends its chunk r in every round, so that nothing gets further than one step.":
        ring_of(lambda r, k, N: r),
    "It sends to the left, to worker r - 1.":
        ring_of(to=-1),
    "It adds in all rounds. After N - 1 of them the sums are complete: what arrives later takes the "
    "place of what was there.":
        ring_of(adds=lambda k, N: True),
    "It replaces in all rounds, so that only one worker's gradient is left.":
        ring_of(adds=lambda k, N: False),
    "It adds for one round too long: the first N - 1 rounds are k = 0 to N - 2.":
        ring_of(adds=lambda k, N: k <= N - 1),
}.items():  # fmt: skip
    ring_round.mistake(says)(function)


@ring_round.mistake("Only what arrived is in the answer; the other chunks stay as they were.")
def _(chunks, k):
    after = chunk_by_chunk(chunks, k)
    return np.where(
        np.roll(np.eye(len(chunks)), -k, axis=1)[np.arange(len(chunks)) - 1] > 0, after, 0
    )


@ring_round.mistake("Whole rows are sent; each worker sends one chunk.")
def _(chunks, k):
    arriving = np.roll(chunks, 1, axis=0)
    return chunks + arriving if k < len(chunks) - 1 else arriving
