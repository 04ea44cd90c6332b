"""A computation, written once: the forward pass of a graph and its way back, as lines of one call each.

1. `symbols`: arrays that note the call that gave them
2. `script`: a graph on symbols, forward and back
3. `operators`: the one table of Python's operators
4. `interpreter`: the functions that a page's interpreter has, by name
5. `calls`, `tape`: a script in calls of these functions
6. `sources`: these calls read backwards, from one element to those that it is made of

Readers of a script are the written program, the steps, the page, the drawing of the way back, the
compiler, and the check in float64. None of them has code of its own to compute a graph, or to walk it:
the check has `script.compute` run the lines, and `steps` shows the numbers of the engine's own walk.
"""
