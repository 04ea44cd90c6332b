"""Made-up classes of honest students: each solves by themselves, as people do, with names of their own.

The capitals in a body stand for names, of which each student has favourites; the first bodies, and the
first names, are the most frequent.
"""

import re
from inspect import signature
from textwrap import indent

import numpy as np
from solutions import EXERCISES

NAMES = {
    "GRAD": "grad grads gradients d result derivs",
    "NODE": "node n v current",
    "ARG": "arg a child m",
    "SLOPE": "slope s w f",
    "OUT": "result out res found path",
    "SEEN": "seen visited done reached",
    "STACK": "stack todo waiting queue",
    "COUNT": "count uses users indeg",
    "FLAG": "flag after ready",
    "VISIT": "visit dfs go rec",
    "ITEM": "i k j axis",
    "EXTRA": "extra k lead diff",
    "DIM": "dim s n size",
    "EXP": "e exp ex z",
    "TOTAL": "total s norm Z",
    "MAX": "m mx biggest top",
    "WEIGHT": "a w weights p",
    "SCORE": "scores s x logits",
    "ROW": "row r i j",
    "MASKED": "masked t hidden s2",
    "DOT": "dot num up",
    "BELOW": "norm den lengths na",
    "INNER": "inner dot s t",
    "GA": "ga da a_grad first",
    "GB": "gb db b_grad second",
}
BODIES = {
    "product_rule": """
return g * y, g * x
---
return (g * y, x * g)
---
GA = g * y
GB = g * x
return GA, GB
""",
    "order": """
SEEN = set()
OUT = []
def VISIT(NODE):
    if NODE in SEEN:
        return
    SEEN.add(NODE)
    for ARG in graph[NODE]:
        VISIT(ARG)
    OUT.append(NODE)
VISIT(root)
return OUT[::-1]
---
SEEN = set()
OUT = []
STACK = [(root, False)]
while STACK:
    NODE, FLAG = STACK.pop()
    if FLAG:
        OUT.append(NODE)
        continue
    if NODE in SEEN:
        continue
    SEEN.add(NODE)
    STACK.append((NODE, True))
    for ARG in graph[NODE]:
        STACK.append((ARG, False))
return OUT[::-1]
---
COUNT = {}
STACK = [root]
SEEN = {root}
while STACK:
    NODE = STACK.pop()
    for ARG in graph[NODE]:
        COUNT[ARG] = COUNT.get(ARG, 0) + 1
        if ARG not in SEEN:
            SEEN.add(ARG)
            STACK.append(ARG)
OUT = []
STACK = [root]
while STACK:
    NODE = STACK.pop()
    OUT.append(NODE)
    for ARG in graph[NODE]:
        COUNT[ARG] -= 1
        if COUNT[ARG] == 0:
            STACK.append(ARG)
return OUT
---
SEEN = []
def VISIT(NODE):
    for ARG in graph[NODE]:
        if ARG not in SEEN:
            VISIT(ARG)
    SEEN.append(NODE)
VISIT(root)
SEEN.reverse()
return SEEN
---
OUT = []
STACK = [root]
while STACK:
    NODE = STACK.pop(0)
    if NODE in OUT:
        OUT.remove(NODE)
    OUT.append(NODE)
    STACK.extend(graph[NODE])
return OUT
""",
    "walk": """
GRAD = {NODE: 0 for NODE in graph}
GRAD[root] = 1
for NODE in reversed(graph):
    for ARG, SLOPE in graph[NODE]:
        GRAD[ARG] += GRAD[NODE] * SLOPE
return GRAD
---
GRAD = dict.fromkeys(graph, 0)
GRAD[root] = 1
for NODE in reversed(graph):
    for ARG, SLOPE in graph[NODE]:
        GRAD[ARG] += SLOPE * GRAD[NODE]
return GRAD
---
GRAD = {NODE: 0 for NODE in graph}
GRAD[root] = 1
for NODE in list(graph)[::-1]:
    for ARG, SLOPE in graph[NODE]:
        GRAD[ARG] += GRAD[NODE] * SLOPE
return GRAD
---
GRAD = {}
for NODE in graph:
    GRAD[NODE] = 0
GRAD[root] = 1
for NODE in reversed(list(graph.keys())):
    for ARG, SLOPE in graph[NODE]:
        GRAD[ARG] = GRAD[ARG] + SLOPE * GRAD[NODE]
return GRAD
---
GRAD = {NODE: 0 for NODE in graph}
GRAD[root] = 1
for NODE in order({NODE: [ARG for ARG, SLOPE in graph[NODE]] for NODE in graph}, root):
    for ARG, SLOPE in graph[NODE]:
        GRAD[ARG] += SLOPE * GRAD[NODE]
return GRAD
""",
    "undo_broadcast": """
while g.ndim > len(shape):
    g = g.sum(axis=0)
for ITEM, DIM in enumerate(shape):
    if DIM == 1:
        g = g.sum(axis=ITEM, keepdims=True)
return g
---
EXTRA = g.ndim - len(shape)
g = g.sum(axis=tuple(range(EXTRA)))
for ITEM in range(len(shape)):
    if shape[ITEM] == 1:
        g = g.sum(axis=ITEM, keepdims=True)
return g
---
EXTRA = g.ndim - len(shape)
for ITEM in range(EXTRA):
    g = np.sum(g, axis=0)
for ITEM in range(len(shape)):
    if shape[ITEM] == 1 and g.shape[ITEM] != 1:
        g = np.sum(g, axis=ITEM, keepdims=True)
return g
---
g = g.sum(axis=tuple(range(g.ndim - len(shape))))
return g.sum(axis=tuple(ITEM for ITEM, DIM in enumerate(shape) if DIM == 1), keepdims=True)
""",
    "matmul_rule": """
return g @ b.T, a.T @ g
---
GA = g @ b.T
GB = a.T @ g
return GA, GB
""",
    "index_rule": """
OUT = np.zeros(shape)
np.add.at(OUT, index, g)
return OUT
---
OUT = np.zeros(shape)
for ITEM in range(len(index)):
    OUT[index[ITEM]] += g[ITEM]
return OUT
---
OUT = np.zeros(shape)
for ITEM, ROW in enumerate(index):
    OUT[ROW] += g[ITEM]
return OUT
""",
    "cosine": """
return a @ b / (np.sqrt(a @ a) * np.sqrt(b @ b))
---
return np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))
---
DOT = a @ b
BELOW = np.sqrt(a @ a) * np.sqrt(b @ b)
return DOT / BELOW
""",
    "softmax": """
EXP = np.exp(x - x.max(axis=-1, keepdims=True))
return EXP / EXP.sum(axis=-1, keepdims=True)
---
MAX = np.max(x, axis=-1, keepdims=True)
EXP = np.exp(x - MAX)
return EXP / np.sum(EXP, axis=-1, keepdims=True)
""",
    "contextualise": """
return softmax(v @ v.T) @ v
---
SCORE = v @ v.T
WEIGHT = softmax(SCORE)
return WEIGHT @ v
---
SCORE = v @ v.T
EXP = np.exp(SCORE - SCORE.max(axis=-1, keepdims=True))
WEIGHT = EXP / EXP.sum(axis=-1, keepdims=True)
return WEIGHT @ v
""",
    "scores": """
return q @ k.T / np.sqrt(q.shape[-1])
---
return q @ k.T / np.sqrt(q.shape[1])
---
return (q @ k.T) / q.shape[-1] ** 0.5
""",
    "attend": """
MASKED = np.where(mask, s, -np.inf)
MAX = MASKED.max(axis=-1, keepdims=True)
MAX = np.where(np.isfinite(MAX), MAX, 0)
EXP = np.exp(MASKED - MAX)
TOTAL = EXP.sum(axis=-1, keepdims=True)
return EXP / np.where(TOTAL == 0, 1, TOTAL) @ v
---
MASKED = np.where(mask, s, -np.inf)
MAX = MASKED.max(axis=1, keepdims=True)
MAX[np.isinf(MAX)] = 0
EXP = np.exp(MASKED - MAX)
TOTAL = EXP.sum(axis=1, keepdims=True)
TOTAL[TOTAL == 0] = 1
return (EXP / TOTAL) @ v
---
OUT = np.zeros((s.shape[0], v.shape[1]))
for ITEM in range(s.shape[0]):
    if not mask[ITEM].any():
        continue
    MAX = s[ITEM][mask[ITEM]].max()
    EXP = np.where(mask[ITEM], np.exp(np.minimum(s[ITEM] - MAX, 0)), 0)
    OUT[ITEM] = (EXP / EXP.sum()) @ v
return OUT
""",
    "softmax_rule": """
return y * (g - (g * y).sum(axis=-1, keepdims=True))
---
INNER = np.sum(g * y, axis=-1, keepdims=True)
return y * (g - INNER)
""",
}
BODIES = {name: text.strip().split("\n---\n") for name, text in BODIES.items()}
HABITS = [  # what one writes for what, in every function
    (r"^( *)([\w\[\]]+) \+= (.+)$", r"\1\2 = \2 + \3"),
    (r"axis=-1", "axis=1"),
    (r"(?<=[\n ])(\w+)\.(sum|max)\(axis=", r"np.\2(\1, axis="),
    (r"= \[\]$", "= list()"),
    (r"^(\w+ = .{2,5})\n(\w+ = .{2,5})$", r"\2\n\1"),
    (r"\b(\w+)\.append\((\w+)\)$", r"\1 += [\2]"),
    (r"return (\w+)\[::-1\]", r"return list(reversed(\1))"),
    (r"^( *)if (.+) == 0:\n", r"\1if not \2:\n"),
    (r"\* (grad|g|d|s|slope)\b(.*)$", r"* (\1\2)"),
]


def honest_student(rng):
    """The bodies that a student writes, by function; and the names that they take."""
    some = lambda choices: choices[min(int(rng.geometric(0.4)) - 1, len(choices) - 1)]
    own = {name: some(words.split()) for name, words in NAMES.items()}
    habits = [habit for habit in HABITS if rng.random() < 0.25]
    written = {}
    for name, bodies in BODIES.items():
        body = some(bodies)
        for usual, mine in habits:
            body = re.sub(usual, mine, body, flags=re.MULTILINE)
        written[name] = re.sub(r"\b[A-Z]{2,}\b", lambda found: own[found[0]], body)
    return written


def in_a_file(bodies, names=tuple(BODIES)):
    """The text of a file with these functions."""
    arguments = {
        name: ", ".join(signature(EXERCISES[name][1].solution).parameters) for name in names
    }
    functions = [f"def {n}({arguments[n]}):\n{indent(bodies[n], '    ')}\n" for n in names]
    return "\n\n".join(["import numpy as np\n", *functions])


def honest_class(seed, count=20):
    rng = np.random.default_rng(seed)
    return {f"student {k}": honest_student(rng) for k in range(count)}
