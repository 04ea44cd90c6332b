"""The engine: all that one must read to understand how a tensor remembers, and how the walk back works.

Read it in this order; each file uses only what came before it.

1. `errors`, `modes`: what can go wrong, and what holds for the operations that run right now
2. `table`: what an entry of the table of derivatives is
3. `rules`: the table
4. `node`: one place of a graph
5. `tensor`: an array that remembers how it was made
6. `walk`: from a result back to its leaves

A first reading can skip `operators`, `arguments` and `saving`, and needs to know of them:

- `operators`: `x * y` calls `apply` with `np.multiply`, and `x.sum()` with `np.sum`
- `arguments`: lists and other arrays as an operation takes them; `as_result` makes of what NumPy gave an
  array that shares no memory with the arguments
- `saving`: `to_save` returns the result and the arguments that a node keeps for its rules

The words of the code, each for one thing:

    tensor          an array and its node; the array never changes
    operation       a function of the table that has rules, or none: then it gives a plain array
    rule            the gradient by one argument, given that by the result
    definition      a function written in other functions of the table
    kernel          the fast form of a definition or an operation, on within `fast()` alone
    node            an operation that ran, or a leaf
    leaf            a node that no operation made
    edge            from a node to the node of one of its arguments
    graph           nodes and their edges, from a result back to its leaves
    saved           what a node keeps for its rules: the result and the arguments
    outline         a shape and a dtype, in place of an array that no rule reads
    gradient        of the loss, by a tensor
    contribution    what one argument gets of a node's gradient; a gradient is the sum of all of these
    walk            the nodes that a gradient reaches, newest first
    visit           one stop of the walk: a node, its gradient, the contributions
    box             one call of a module or a definition, as a drawing shows it
    mode            what holds for operations right now: gradients or none, kernels or none
    watcher         what sees every operation and every visit: `record()`, `detect_anomaly()`
    note            what a recording keeps of a node
    view            what shows a graph: a table, a drawing, a page, a program, steps
"""
