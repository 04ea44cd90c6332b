"""A computation, written once: the forward pass of a graph and its way back, as lines of one call each.

    script = Script(graph).with_way_back()
    for symbol in script.lines:
        print(symbol.role, symbol.call.function)

For `loss = np.sum(np.tanh(x) * x)` its lines are, with the role of each in the graph x #0, np.tanh #1,
np.multiply #2, np.sum #3, and the call of the tape that stands for it, in slots:

    a = np.tanh(x)            value #1                   slot 1: tanh of 0
    b = np.multiply(a, x)     value #2                   slot 2: multiply of 1, 0
    c = np.sum(b)             value #3                   slot 3: sum of 2
    d = np.broadcast_to(g)    fitted #2; g is held: 1    slot 5: view of 4
    e = d * x                 fitted #1                  slot 6: multiply of 5, 0
    f = d * a                 fitted #0                  slot 7: multiply of 5, 1
    h = e * (1 - a * a)       fitted #0; its parts are   slot 11: multiply of 6, 10
                              lines without a role
    np.add(f, h)              sum #0                     slot 12: add of 7, 11

A script, in this order:

1. `symbols`: arrays that note the call that gave them; `roles`: what each is in the graph
2. `script`: a graph on symbols, forward; `way_back`: and back
3. `operators`: the one table of Python's operators; `bodies`, `arrays`: questions about functions and
   plain arrays

The same for a page, which has no NumPy:

4. `page_functions`: the functions that a page's interpreter has, by name
5. `tape`: a script in calls of these functions; `tape_writing`: how each call of NumPy's is written in
   them, with `tape_moves` for calls that only move elements, and `tape_products` for sums of products
6. `tape_reading`: a tape read backwards, from one element to the elements that it is made of

`Script(graph)` makes a script of a graph, and `tape_of(script)` a tape of a script. Their readers have
no code of their own to compute a graph, or to walk it:

    the written program         Script      views/text/program_lines.py
    the rule for the case       Script      views/text/reading.py, for the table, the steps, the page and
                                            the drawing of the way back
    one element, worked out     Tape        views/text/elements.py
    the page                    both        views/page/content.py, live.py, another_line.py
    its check in float64        Script      views/page/replay.py: `script.compute` runs the lines
    the compiler                Script      compiler/lowered_script.py

The words of this room:

- A symbol is an array together with the call that gave it.
- A call is one function with its arguments, symbols among them.
- A script has all calls of a graph, forward and back, each after the calls of its arguments.
- A line is a symbol of a script that a call gave: to compute the lines in order computes the graph.
- A role says what a symbol is in the graph, such as the value of node 3.
- Held is an array that no line computes: a leaf, a constant, the gradient where the way back starts.
- A number is Python's, such as the 2 in `x ** 2`: it can be a symbol too, so that a page can change it.
- A gate is a boolean that says whether a node is on; an earlier node replaces one that is off.
- Given is the gradient that a rule gives for an argument.
- Fitted is the same with broadcasting undone, so that it has the argument's shape.
- A tape has the same calls for a machine: each reads arrays by number, and writes one.
- A slot is that number, and the place of one array.
- Fixed is a slot whose call a page cannot run: it keeps its array, as does all that is made of it.
- Pinned is a number or a slot that must keep its numbers, as something else depends on them.
- Filled is a slot with one number everywhere: a page is given that number alone.
"""
