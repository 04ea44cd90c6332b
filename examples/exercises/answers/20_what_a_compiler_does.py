"""Lesson 20: what a compiler does."""

from minigrad.course.exercises import exercise

# --- each call once -------------------------------------------------------------------------------

SIZES = 4 * (1,) + 6 * (2,) + 6 * (3,) + 4 * (4, 5)
FUNCTIONS = "add", "subtract"


def some_lines(rng, size):
    """Some calls, and each again on what came of the others; one of these with a change."""
    names, lines, again = ["x", "y"], [], {}
    for k in range(size + 1):
        arguments = names[-1], rng.choice(names[:-1]).item()
        lines.append([chr(97 + k), FUNCTIONS[rng.integers(2)], *arguments])
        names.append(lines[-1][0])
    changed, change = rng.integers(size + 1), rng.integers(2)
    for k, (name, function, *arguments) in enumerate(lines[:]):
        again[name] = f"{name}2"
        arguments = [again.get(a, a) for a in arguments]
        if k == changed and change:
            arguments = arguments[::-1]
        elif k == changed:
            function = FUNCTIONS[function == FUNCTIONS[0]]
        lines.append([again[name], function, *arguments])
    return lines, rng.choice([*again, *again.values()]).item()


def by_formulas(lines, result):
    """Each result as a formula of what comes from outside; the first name of each formula stays."""
    formula, first = {}, {}
    for name, function, *arguments in lines:
        formula[name] = (function, *[formula.get(a, a) for a in arguments])
        first.setdefault(formula[name], name)
    now = lambda name: first[formula[name]] if name in formula else name
    return [[name, f, *map(now, a)] for name, f, *a in lines if now(name) == name], now(result)


def with_calls(key, renames=True, result_too=True):
    """A solution that knows calls by `key`; something may be wrong with it."""

    def function(lines, result):
        seen, now, kept = {}, {}, []
        for name, f, *old in lines:
            new = [now.get(a, a) for a in old] if renames else old
            now[name] = seen.setdefault(key(f, new, old), name)
            if now[name] == name:
                kept.append([name, f, *new])
        return kept, now[result] if result_too else result

    return function


@exercise(
    points=2,
    draw=some_lines,
    truth=by_formulas,
    sizes=SIZES,
    properties={
        "once more, it changes nothing": lambda f, lines, result: (
            f(*by_formulas(lines, result)) == by_formulas(lines, result)
        ),
    },
    hints=[
        "Keep a dictionary from calls to the name of their first result, and one from each name to the "
        "one that stands for it now.",
        "Rename the arguments first, and ask then whether there was such a call.",
        "A key of a dictionary can be `(function, *arguments)`.",
    ],
    worked=(
        lambda: ([["a", "exp", "x"], ["b", "exp", "x"], ["c", "add", "b", "x"]], "c"),
        [
            "The first call is new, and stays: {lines[0]}",
            "The second is the same call, so its name stands for a: {now := {'b': 'a'}}",
            "The third reads b, which is a now: {new := [now.get(n, n) for n in lines[2][2:]]}",
            "There was no such call: {([lines[0], ['c', 'add', *new]], 'c')}",
        ],
    ),
)
def once(lines, result):
    seen, now, kept = {}, {}, []
    for name, function, *arguments in lines:
        arguments = [now.get(a, a) for a in arguments]
        now[name] = seen.setdefault((function, *arguments), name)
        if now[name] == name:
            kept += [[name, function, *arguments]]
    return kept, now[result]


for says, wrong in {
    "Lines that stay still read a name that was left out: nobody defines it now.":
        with_calls(lambda f, new, old: (f, *new), renames=False),
    "Calls are compared with their old arguments. Two that differ may be the same once their arguments "
    "are renamed.":
        with_calls(lambda f, new, old: (f, *old)),
    "x - y is taken for y - x: the order of the arguments counts.":
        with_calls(lambda f, new, old: (f, *sorted(new))),
    "Calls of different functions are taken for the same, because their arguments are.":
        with_calls(lambda f, new, old: tuple(new)),
    "The line of the result was left out: return the name that stands for it.":
        with_calls(lambda f, new, old: (f, *new), result_too=False),
}.items():  # fmt: skip
    once.mistake(says)(wrong)


@once.mistake("Nothing is left out.")
def _(lines, result):
    return [list(line) for line in lines], result


@once.mistake("Only a call right behind is taken for the same; it may stand anywhere.")
def _(lines, result):
    stands, kept = {}, []
    for name, *call in lines:
        call = call[:1] + [stands.get(a, a) for a in call[1:]]
        if kept and kept[-1][1:] == call:
            stands[name] = kept[-1][0]
        else:
            kept.append([name, *call])
    return kept, stands.get(result, result)


@once.mistake("The last of the same calls stays; the first should.")
def _(lines, result):
    last = {tuple(call): name for name, *call in lines}
    stands = {name: last[tuple(call)] for name, *call in lines}
    kept = [line for line in lines if stands[line[0]] == line[0]]
    kept = [[name, f, *(stands.get(a, a) for a in of)] for name, f, *of in kept]
    return kept, stands.get(result, result)


# --- buffers --------------------------------------------------------------------------------------


def some_last_uses(rng, size):
    """Each result is read by a later line, often by the next; the last one is returned."""
    n = size + 2
    near = lambda k: k + 1 if rng.random() < 0.4 else int(rng.integers(k + 1, n + 1))
    return ([min(near(k), n) for k in range(n)],)


def one_by_one(last):
    """For each line, the lowest buffer in which nothing lies that is still read."""
    found = []
    for k in range(len(last)):
        taken = {found[j] for j in range(k) if last[j] >= k}
        found.append(min(set(range(k + 1)) - taken))
    return found


def sharing(ends=lambda k, last: last, choose=min):
    """A plan in which something may be wrong: when a result is no longer needed, or what is chosen."""

    def function(last):
        found = []
        for k in range(len(last)):
            taken = {found[j] for j in range(k) if ends(j, last[j]) >= k}
            free = set(found) - taken
            found.append(choose(free) if free else len(set(found)))
        return found

    return function


@exercise(
    points=2,
    draw=some_last_uses,
    truth=one_by_one,
    sizes=SIZES,
    properties={
        "two results in one buffer are never needed at the same time": lambda f, last: (
            not any(
                f(last)[j] == b and last[j] >= k for k, b in enumerate(f(last)) for j in range(k)
            )
        ),
    },
    hints=[
        "Note for each buffer until when it is taken.",
        "Line k may take a buffer whose result was read for the last time before line k.",
        "The lowest free number is the first in a list for which that holds.",
    ],
    worked=(
        lambda: ([2, 2, 3, 4],),
        [
            "Line 0 takes a new buffer, until line 2: {until := [2]}",
            "At line 1 it is still needed; a new one, also until line 2: {until := until + [2]}",
            "Line 2 reads both, so it needs a third, until line 3: {until := until + [3]}",
            "At line 3 the first is free: its number is {until.index(2)}",
            "In the order of the lines: {[0, 1, 2, until.index(2)]}",
        ],
    ),
)
def share_buffers(last):
    until, buffers = [], []
    for k, end in enumerate(last):
        free = [b for b, needed in enumerate(until) if needed < k]
        if free:
            until[free[0]] = end
        else:
            until.append(end)
        buffers.append(free[0] if free else len(until) - 1)
    return buffers


for says, wrong in {
    "A result that line k reads is written over by line k: it is needed until that line is done.":
        sharing(ends=lambda k, last: last - 1),
    "A buffer is free one line too late: the line after the last use can have it.":
        sharing(ends=lambda k, last: last + 1),
    "Every result has a buffer of its own: nothing is shared.":
        sharing(ends=lambda k, last: 10**9),
    "A buffer is taken for free after the next line, whoever still reads it later.":
        sharing(ends=lambda k, last: k + 1),
    "Of the free buffers, the one with the highest number is taken; asked for is the lowest.":
        sharing(choose=max),
}.items():  # fmt: skip
    share_buffers.mistake(says)(wrong)


@share_buffers.mistake("These are numbers from 1 on; buffers count from 0.")
def _(last):
    return [b + 1 for b in one_by_one(last)]


@share_buffers.mistake(
    "Of the free buffers, the one that got free last is taken; asked for is the lowest number."
)
def _(last):
    free, buffers, busy = [], [], {}
    for k, until in enumerate(last):
        for b in [b for b in busy if busy[b] < k]:
            free.append(b)
            del busy[b]
        buffers.append(free.pop() if free else max(buffers, default=-1) + 1)
        busy[buffers[-1]] = until
    return buffers
