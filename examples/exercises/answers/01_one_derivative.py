"""Lesson 01: one derivative, and a graph."""

from collections import Counter, deque

import numpy as np

import minigrad as mg
from minigrad.checking.differences import slopes
from minigrad.course.exercises import exercise, numbers, with_culprit
from minigrad.course.exercises.exercise import SIZES
from minigrad.course.exercises.shared_files import draws

# --- a derivative rule ----------------------------------------------------------------------------


def three_numbers(rng, size):
    """With size 4, x is 0; with 5, y is."""
    g, x, y = numbers(rng, 3).tolist()
    return g, x if size != 4 else 0.0, y if size != 5 else 0.0


def by_nudging(g, x, y):
    array = np.array([x, y])
    return tuple(slopes(lambda: [array[0] * array[1]], [g], array, 1e-6).tolist())


@exercise(
    draw=three_numbers,
    sizes=(*SIZES, 5),
    truth=by_nudging,
    hints=[
        "Nudge x by h, and leave y alone: by how much does x y change?",
        "If p changes y times as fast as x, then L changes g times y times as fast as x.",
    ],
    worked=(
        lambda: (2.0, 5.0, -3.0),
        [
            "p = 5 * -3 = {x * y}. Nudge x by 0.01, to 5.01: p becomes {5.01 * y}, so it changes "
            "{y} times as fast as x.",
            "Nudge y by 0.01, to -2.99: p becomes {x * -2.99}, so it changes {x} times as fast as "
            "y.",
            "L changes {g} times as fast as p. Along a path, slopes multiply: {(g * y, g * x)}",
        ],
    ),
)
def product_rule(g, x, y):
    return g * y, g * x


@product_rule.mistake(
    "Each argument gets itself as its factor; the slope of x y along x is y, the *other* one."
)
def _(g, x, y):
    return g * x, g * y


@product_rule.mistake(
    "The incoming gradient g is left out; the chain rule multiplies the slope here by the slope of "
    "all that comes after."
)
def _(g, x, y):
    return y, x


@product_rule.mistake(
    "It divides the product by an argument, to get at the other one: an argument may be 0."
)
def _(g, x, y):
    return g * x * y / x, g * x * y / y


@product_rule.mistake("g is added to the slope; along a path, slopes multiply.")
def _(g, x, y):
    return g + y, g + x


@product_rule.mistake(
    "This is the rule of a sum, x + y, where each argument gets g as it is; in a product each has "
    "the other as its slope."
)
def _(g, x, y):
    return g, g


@product_rule.mistake(
    "The product itself stands for its slope: x y grows by y where x grows by 1, and by x where y "
    "does."
)
def _(g, x, y):
    return g * x * y, g * x * y


# --- the order of the walk ------------------------------------------------------------------------


def some_graph(rng, size):
    """A graph with slopes, in order of creation; those up to size 3 are the least that matter."""
    slope = lambda: int(rng.choice([-3, -2, 2, 3]))
    if size == 1:
        return {"x": [], "u": [("x", slope())], "y": [("u", slope()), ("u", slope())]}
    if size in (2, 3):
        last = [("u", slope()), ("v", slope())][:: 1 if size == 2 else -1]
        return {"x": [], "u": [("x", slope())], "v": [("u", slope())], "y": last}
    names = "abcdefghijklm"[: 2 * size - 2]
    graph = {names[0]: []}
    for k in range(1, len(names)):
        before = rng.permutation([k - 1, rng.integers(k)])
        graph[names[k]] = [(names[i], slope()) for i in before]
    return graph


def shuffled_graph(rng, size):
    if size > 9:  # a long chain
        return {k: [k - 1] if k else [] for k in range(size)}, size - 1
    if size > 7:  # the last uses a node twice, and so does what it is made of, once
        return {"x": [], "u": ["x"], "y": ["u", "x", "x"][:: 1 if size == 8 else -1]}, "y"
    graph = some_graph(rng, size)
    nodes = list(graph)
    root = nodes[-1 if size < 4 else -2]  # with a node that is not reached
    return {n: [a for a, _ in graph[n]] for n in rng.permutation(nodes).tolist()}, root


def depth_first(graph, root):
    """Each node is put down when all that it was computed from has been; then all is reversed."""
    done, found, waiting = set(), [], [(root, False)]
    while waiting:
        node, finished = waiting.pop()
        if finished:
            found.append(node)
        elif node not in done:
            done.add(node)
            waiting += [(node, True), *((a, False) for a in graph[node])]
    return found[::-1]


def broken(answer, graph, root):
    """The faults of an order: nothing, if it is right."""
    place = {node: k for k, node in enumerate(answer)}
    needed = set(depth_first(graph, root))
    edges = [(n, a) for n in graph for a in set(graph[n]) if n in place and a in place]
    return [
        len(answer) - len(place),
        sorted(map(str, needed ^ set(answer))),
        sorted(f"{n} {a}" for n, a in edges if place[a] <= place[n]),
    ]


@exercise(
    points=2,
    draw=shuffled_graph,
    sizes=(1, 2, 3, 4, 4, 4, 4, 5, 5, 5, 5, 1000, 8, 9),
    truth=depth_first,
    key=broken,
    properties={
        "each node comes after all that use it": lambda f, graph, root: (
            not broken(f(graph, root), graph, root)[2]
        ),
        "each node is there once": lambda f, graph, root: (
            broken(f(graph, root), graph, root)[0] == 0
        ),
    },
    hints=[
        "Which nodes may come next? Those whose users have all had their turn.",
        "First find all that the root depends on, and count for each how many edges lead to it "
        "from there. Start with the root. Whenever a node has its turn, take one off the count of "
        "each of its arguments: at 0 an argument is ready.",
    ],
    worked=(
        lambda: ({"a": [], "b": ["a"], "c": ["a"], "d": ["c", "b"]}, "d"),
        [
            "Count the edges that lead to each node: a {2}, b {1}, c {1}, and none to d, the root.",
            "d has its turn. One off c and one off b: both are at 0, and may come next.",
            "c has its turn: one off a, which is at 1. a has to wait, since b uses it too.",
            "b has its turn: one off a, which is at 0. Then a: {['d', 'c', 'b', 'a']}",
        ],
    ),
)
def order(graph, root):
    reached, waiting = {root}, [root]
    uses = Counter()  # of each node, by those that have not had their turn
    while waiting:
        for argument in graph[waiting.pop()]:
            uses[argument] += 1
            if argument not in reached:
                reached.add(argument)
                waiting.append(argument)
    found, ready = [], [root]
    while ready:
        node = ready.pop()
        found.append(node)
        for argument in graph[node]:
            uses[argument] -= 1
            if uses[argument] == 0:
                ready.append(argument)
    return found


@order.mistake(
    "This order is back to front: the arguments come before what uses them, as on the way forward."
)
def _(graph, root):
    return order.solution(graph, root)[::-1]


WHEN_REACHED = (
    "A node has its turn when it is first reached, with no topological order: another node that "
    "uses it may come later, and what that one passes on would be left behind."
)


@order.mistake(WHEN_REACHED)
def _(graph, root):
    found, waiting = {}, [root]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = True
            waiting += reversed(graph[node])
    return list(found)


@order.mistake(WHEN_REACHED)
def _(graph, root):
    found, waiting = {}, [root]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = True
            waiting += graph[node]
    return list(found)


@order.mistake(WHEN_REACHED)
def _(graph, root):
    found, waiting = {root: True}, deque([root])
    while waiting:
        for argument in graph[waiting.popleft()]:
            if argument not in found:
                found[argument] = True
                waiting.append(argument)
    return list(found)


@order.mistake(WHEN_REACHED)
def _(graph, root):
    found = {}

    def visit(node):
        found[node] = True
        for argument in graph[node]:
            if argument not in found:
                visit(argument)

    visit(root)
    return list(found)


@order.mistake(
    "The nodes of every path are listed, and so a node that is used twice is there twice."
)
def _(graph, root):
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += graph[found[-1]]
    return found


def counted_once(graph, root, take):
    """Edges are counted without those that are there twice, and taken off with them."""
    uses = Counter(a for node in depth_first(graph, root) for a in set(graph[node]))
    found, ready = [], deque([root])
    while ready:
        node = take(ready)
        found.append(node)
        for argument in graph[node]:
            uses[argument] -= 1
            if uses[argument] == 0:
                ready.append(argument)
    return found


COUNTED_ONCE = (
    "A node that another uses twice is counted once and taken off twice, and so has its turn before "
    "all that use it: count edges."
)


@order.mistake(COUNTED_ONCE)
def _(graph, root):
    return counted_once(graph, root, deque.pop)


@order.mistake(COUNTED_ONCE)
def _(graph, root):
    return counted_once(graph, root, deque.popleft)


@order.mistake(
    "The order is right, but it is found by a recursion, and Python gives up some 1000 calls deep; "
    "a loop with a list of what is waiting goes as deep as you like."
)
def _(graph, root):
    found = {}

    def visit(node):
        if node not in found:
            for argument in graph[node]:
                visit(argument)
            found[node] = True

    visit(root)
    return list(found)[::-1]


@order.mistake(
    "The nodes are taken as they stand in the dictionary, from its end; they stand there in any order."
)
def _(graph, root):
    return list(graph)[::-1]


@order.mistake("All nodes of the graph are listed, also those that the root was not computed from.")
def _(graph, root):
    every = dict(graph)
    every["the root of all"] = list(graph)
    return order.solution(every, "the root of all")[1:]


@order.mistake(
    "The nodes are listed as they stand in the dictionary, where they stand in any order."
)
def _(graph, root):
    return list(graph)


@order.mistake(
    "Edges are counted from all nodes of the graph, also from those that the root was not computed "
    "from. These never have their turn, and so what they use is never ready."
)
def _(graph, root):
    uses = Counter(argument for arguments in graph.values() for argument in arguments)
    found, ready = [], [root]
    while ready:
        node = ready.pop()
        found.append(node)
        for argument in graph[node]:
            uses[argument] -= 1
            if uses[argument] == 0:
                ready.append(argument)
    return found


@order.mistake("The root is left out; it is the first.")
def _(graph, root):
    return order.solution(graph, root)[1:]


# --- backpropagation ------------------------------------------------------------------------------


def forwards(graph, root):
    """For each node by itself: how fast does the root change when that node does?"""

    def speed_of_root(moving):
        speed = {}
        for node in graph:
            along = sum(slope * speed[argument] for argument, slope in graph[node])
            speed[node] = 1 if node == moving else along
        return speed[root]

    graph = dict(graph)
    return {node: speed_of_root(node) for node in graph}


def drawn(inputs, given, right):
    """The graph as minigrad draws it, and on the way back the first node that is wrong."""
    graph, root = inputs
    if len(graph) > 12:
        return None
    tensors = {}
    with mg.record():
        for node in graph:
            terms = [slope * tensors[argument] for argument, slope in graph[node]]
            tensors[node] = (
                sum(terms[1:], terms[0]) if terms else mg.Tensor(1.0, requires_grad=True)
            )
            tensors[node].name = node
    tensors[root].backward()
    off = [node for node in reversed(graph) if given.get(node) != right[node]]
    says = f"you have {given.get(off[0])} here; right is {right[off[0]]}"
    return with_culprit(mg.graph(tensors[root]), off[0], says)


def graph_to_walk(rng, size):
    """With size 0, and from 4 on, with nodes on which the last does not depend."""
    if size == 0:
        graph = {"aside": [], "x": [], "y": [("x", 2)]}
    elif size > 9:  # doublings: 2^size paths
        graph = {0: []} | {k: [(k - 1, 1), (k - 1, 1)] for k in range(1, size)}
    else:
        graph = some_graph(rng, size)
    if 3 < size < 9:
        root = list(graph)[-1]
        graph = {"z": [], **graph}
        graph = {**graph, "aside": [("z", 2), (list(graph)[-2], 3)], root: graph.pop(root)}
    return draws().visits(graph), list(graph)[-1]


@exercise(
    points=3,
    draw=graph_to_walk,
    sizes=(1, 1, 2, 3, 0, 4, 4, 4, 5, 5, 5, 6, 6, 24),
    truth=forwards,
    picture=drawn,
    hints=[
        "In which order must the nodes have their turn, so that all has arrived at a node before "
        "it passes anything on? You have such an order for nothing.",
        "Keep a dictionary of what has arrived so far: 1 at the root, 0 elsewhere. Go through the "
        "nodes backwards; for each edge, add to what the argument has.",
    ],
    worked=(
        lambda: ({"a": [], "b": [("a", 3)], "c": [("b", 2), ("a", 5)]}, "c"),
        [
            "The last node has 1, the others 0: {dict(a=0, b=0, c=1)}",
            "c has its turn. Along its edges go 2 * 1 to b and 5 * 1 to a: {dict(a=5, b=2, c=1)}",
            "b has its turn, with all that it gets. 3 * 2 goes to a, which has 5 already: they "
            "add.",
            "a has no edges. {dict(a=11, b=2, c=1)}",
        ],
    ),
)
def walk(graph, root):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    for node in reversed(graph):
        for argument, slope in graph[node]:
            gradients[argument] += slope * gradients[node]
    return gradients


@walk.mistake(
    "A gradient that arrives replaces the one that was there: `=` where it should be `+=`. A node "
    "that is used twice gets two, and they add."
)
def _(graph, root):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    for node in reversed(graph):
        for argument, slope in graph[node]:
            gradients[argument] = slope * gradients[node]
    return gradients


AGAIN = (
    "There is no topological order: a node passes on each time something arrives, and passes on "
    "again what it had passed on before."
)


@walk.mistake(AGAIN)
def _(graph, root):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1

    def visit(node):
        for argument, slope in graph[node]:
            gradients[argument] += slope * gradients[node]
            visit(argument)

    visit(root)
    return gradients


def again_and_again(graph, root, take):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    waiting = deque([root])
    while waiting:
        node = take(waiting)
        for argument, slope in graph[node]:
            gradients[argument] += slope * gradients[node]
            waiting.append(argument)
    return gradients


@walk.mistake(AGAIN)
def _(graph, root):
    return again_and_again(graph, root, deque.popleft)


@walk.mistake(AGAIN)
def _(graph, root):
    return again_and_again(graph, root, deque.pop)


TOO_SOON = (
    "There is no topological order: a node has its one turn when it is first reached, and what "
    "arrives later is never passed on."
)


def once_each(graph, root, take):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    seen, waiting = {root}, deque([root])
    while waiting:
        node = take(waiting)
        for argument, slope in graph[node]:
            gradients[argument] += slope * gradients[node]
            if argument not in seen:
                seen.add(argument)
                waiting.append(argument)
    return gradients


@walk.mistake(TOO_SOON)
def _(graph, root):
    return once_each(graph, root, deque.popleft)


@walk.mistake(TOO_SOON)
def _(graph, root):
    return once_each(graph, root, deque.pop)


@walk.mistake(TOO_SOON)
def _(graph, root):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    seen = set()

    def visit(node):
        seen.add(node)
        for argument, slope in graph[node]:
            gradients[argument] += slope * gradients[node]
            if argument not in seen:
                visit(argument)

    visit(root)
    return gradients


@walk.mistake(
    "Only what the root was made of, at once, gets anything. Either it walks in the order of creation, "
    "forwards: the first nodes pass on before anything has arrived there. Or it ends after its first "
    "round."
)
def _(graph, root):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    for node in graph:
        for argument, slope in graph[node]:
            gradients[argument] += slope * gradients[node]
    return gradients


@walk.mistake(
    "Right, but it walks every *path* by itself, and their number doubles with each node that is "
    "used twice. Visit each node once, when all has arrived."
)
def _(graph, root):
    gradients = dict.fromkeys(graph, 0)

    def visit(node, gradient):
        gradients[node] += gradient
        for argument, slope in graph[node]:
            visit(argument, slope * gradient)

    visit(root, 1)
    return gradients


@walk.mistake("Nodes that the root does not depend on are left out; they are to be there, with 0.")
def _(graph, root):
    gradients = {root: 1}
    for node in reversed(graph):
        for argument, slope in graph[node] if node in gradients else []:
            gradients[argument] = gradients.get(argument, 0) + slope * gradients[node]
    return gradients


@walk.mistake(
    "Of two edges from a node to the same argument, as in u + u, only one counts: a dictionary holds "
    "each argument once."
)
def _(graph, root):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    for node in reversed(graph):
        for argument, slope in dict(graph[node]).items():
            gradients[argument] += slope * gradients[node]
    return gradients


@walk.mistake("The slopes are left out: along an edge the gradient is multiplied by its slope.")
def _(graph, root):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    for node in reversed(graph):
        for argument, _ in graph[node]:
            gradients[argument] += gradients[node]
    return gradients


@walk.mistake(
    "The slope alone is passed on: along an edge the gradient of the node is multiplied by the slope."
)
def _(graph, root):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    for edges in graph.values():
        for argument, slope in edges:
            gradients[argument] += slope
    return gradients


@walk.mistake("The slope is added to the gradient; along a path, slopes multiply.")
def _(graph, root):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    for node in reversed(graph):
        for argument, slope in graph[node]:
            gradients[argument] += slope + gradients[node]
    return gradients


@walk.mistake("The walk starts from 0. A root changes as fast as itself: its derivative is 1.")
def _(graph, root):
    return dict.fromkeys(graph, 0)


@walk.mistake("Every node begins with 1; only the root does, and the others with 0.")
def _(graph, root):
    grad = dict.fromkeys(graph, 1)
    for node in reversed(graph):
        for argument, slope in graph[node]:
            grad[argument] += slope * grad[node]
    return grad


@walk.mistake("What arrives is taken off: `-=` where it should be `+=`.")
def _(graph, root):
    gradients = dict.fromkeys(graph, 0)
    gradients[root] = 1
    for node in reversed(graph):
        for argument, slope in graph[node]:
            gradients[argument] -= slope * gradients[node]
    return gradients


@walk.mistake("The root is left out of the walk: it is the first that passes its gradient on.")
def _(graph, root):
    return {node: int(node == root) for node in graph}
