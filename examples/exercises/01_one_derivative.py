"""Exercises for lesson 01: one derivative, and a graph.

    python -m minigrad exercises check 01

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

from collections import Counter, deque

import numpy as np


def product_rule(g, x, y):
    """The derivative rule of p = x y, both of them numbers.

    Someone has computed a number L from p, and g is the derivative of L by p. By the chain rule

        dL/dx = g dp/dx,    dL/dy = g dp/dy.

    Returns:
        dL/dx and dL/dy, as a tuple.

    >>> product_rule(1.0, 3.0, 2.0)
    (2.0, 3.0)
    """
    raise NotImplementedError


def order(graph, root):
    """The order in which to walk back: each node after all that use it.

    Args:
        graph: for each node, by its name, the list of the nodes it was computed from. The nodes
            stand in any order. There may be thousands, one behind the other.
        root: the node to start from.

    Returns:
        A list of the root and of all that it was computed from, each of them once. Where several
        orders are right, any of them is.

    >>> order({"u": ["x"], "y": ["u", "x"], "x": []}, "y")
    ['y', 'u', 'x']
    """
    raise NotImplementedError


def walk(graph, root):
    """Backpropagation: the derivative of the root with respect to every node of a graph.

    A node passes on, along each of its edges, its own derivative times the slope of that edge; and
    what arrives at a node adds up.

    Args:
        graph: for each node, by its name, the list of its edges (argument, slope). The nodes stand
            in the order of their creation: each after those it was computed from. Of a slope take
            only its product with a derivative: numbers can do more, but in `exercises run` a slope
            is the rule of an operation on arrays, and can only be multiplied.
        root: the last node.

    Returns:
        A dictionary with the derivative with respect to every node of the graph: 1 for the root
        itself, and 0 for nodes that the root does not depend on.

    u = 2 x and y = u + u, that is, y = 4 x:

    >>> walk({"x": [], "u": [("x", 2)], "y": [("u", 1), ("u", 1)]}, "y")
    {'x': 4, 'u': 2, 'y': 1}
    """
    raise NotImplementedError
