"""A computation, written once: the forward pass of a graph and its way back, as lines of one call each.

1. `symbols`: arrays that note the call that gave them
2. `script`: a graph on symbols, forward; `way_back`: and back
3. `operators`: the one table of Python's operators
4. `page_functions`: the functions that a page's interpreter has, by name
5. `calls`: each call of NumPy's in calls of these functions
6. `tape`: a script in such calls
7. `sources`: these calls read backwards, from one element to those that it is made of

The words of this room:

- A symbol is an array together with the call that gave it.
- A call is one function with its arguments, symbols among them.
- A script has all calls of a graph, forward and back, each after those that it is made of.
- A line is one symbol of a script that has a call: computing the lines in order computes the graph.
- A role says what a symbol is in the graph, such as the value of node 3.
- Held is what no line computes: leaves, constants, and the gradient that the way back starts from.
- A number is Python's, such as the 2 in `x ** 2`: it can be a symbol too, so that a page can change it.
- A gate is a boolean that says whether a node is on; where it is off, an earlier node replaces it.
- Given is the gradient that a rule gives for an argument.
- Fitted is the same with broadcasting undone, so that it has the argument's shape.
- A tape has the same calls for a machine: each reads arrays by number, and writes one.
- A slot is that number, and the place of one array.
- Fixed is a slot whose call a page cannot run: it keeps its array, as does all that is made of it.
- Pinned is a number or a slot that must keep its numbers, as something else depends on them.
- Filled is a slot with one number everywhere, which is all that a page is given of it.
- A source is an element of an array that an element of another one is made of.

Readers of a script are the written program, the steps, the page, the drawing of the way back, the
compiler, and the check in float64. None of them has code of its own to compute a graph, or to walk it:
the check has `script.compute` run the lines, and `steps` shows the numbers of the engine's own walk.
"""
