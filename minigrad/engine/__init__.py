"""The engine: all that one must read to understand how a tensor remembers, and how the walk back works.

Read it in this order:

1. `table`: how a function gets its derivatives, a line for each; `rules`: these lines
2. `node`: one place of a graph
3. `walk`: from a result back to its leaves; `backward`: that walk, and the leaves' `.grad`
4. `tensor`: an array that remembers how it was made; `apply`, through which every operation goes

For a leaf x, `(np.exp(x) * x).sum().backward()` calls

    np.exp(x)       NumPy meets a Tensor, and hands the call to `Tensor.__array_ufunc__`
      apply         finds the entry of np.exp; `prepare_call` takes the arrays of the arguments, and
                    `entry.run` computes y = exp(x)
      remembered    makes a Tensor of y and a Node: with an edge to the node of x, as x needs a gradient,
                    and y saved, by `to_save`, as the rule `g * y` reads it
    ... * x         `Operators.__mul__` calls `apply` with np.multiply, and all goes on as before: two
                    edges, to the nodes of np.exp and of x, and both arguments saved
    .sum()          `apply` with np.sum, whose result `as_result` makes an array; its rule reads no
                    values, only a shape
    .backward()     starts at the node of np.sum, with the gradient 1 that `first_gradient` makes
      order         sorts the nodes: np.sum, np.multiply, np.exp, x
      pass_on       calls the rules of each in turn; `added` adds what they give to what has arrived at
                    their arguments: at x first g exp(x), from the product, then g y, from np.exp
      fit           before that, gives it the argument's shape: here broadcasting is undone
    x.grad          gets the sum that has arrived at the leaf: exp(x) + x exp(x)

With `create_graph=True` that first gradient is a Tensor. Then the rules compute with Tensors, and what
they compute is a graph too, through which a second walk goes: that is all that second derivatives need.

A gradient is right only if no array changes between the way forward and the way back. Arrays are
protected so:

    read-only       every array in a Tensor: `tensor.read_only`, `tensor.tensor_of`; and what shows it,
                    `np.asarray(x)` and `x.data`
    copied, in      the array that a Tensor is made of, or gets by `copy_`: `arguments.as_array`; the
                    result of an operation, if other code may hold it: `arguments.as_result`; arrays and
                    lists beside the Tensors, if a rule reads them: `saving.unshared`; options:
                    `arguments.copied_option`; the gradient that `backward` is called with
    copied, out     `x.numpy()`
    refused         `x[0] = 1`: `Tensor.__setitem__`; `w += 1` of a leaf that requires a gradient:
                    `operators._in_place`; `out=`: `table.INSTEAD`; `x.data[0] = 1` and
                    `np.add.at(x.data, ...)`: `by_hand.Data`. NumPy's `ufunc.at` heeds no read-only
                    flag, so nothing can refuse it for `np.asarray(x)`, a plain array
    a new array     `w.copy_(a)`, `w.data -= a`, and under `no_grad()` `w -= a`, by `Tensor.copy_`: the
                    leaf gets another array, and a graph that used the old one keeps that
    trusted         functions that `rule` was given with `makes_new`: each result is new
    written to      by the library alone, in three places: an optimiser fills a new array before a
                    parameter gets it; `mg.compile` computes in the buffers of its plan; `gradcheck`
                    moves one element of an array of its own, and back

The words of a first reading:

    tensor          an array and its node; the array never changes
    entry           a line of the table, about one function: an operation, or a definition
    operation       a function with rules; without any it gives a plain array, outside the graph
    rule            from the gradient of the result to the gradient of one argument
    definition      a function written in other functions of the table
    node            an operation that ran, or a leaf
    leaf            a node that no operation made; a result outside the graph is one, too
    edge            from a node to the node of one of its arguments, as a gradient goes
    graph           nodes and their edges, from a result back to its leaves
    saved           what a node has for its rules: the result and the arguments
    outline         a shape and a dtype, in place of an array that no rule reads
    gradient        of the loss, with respect to a tensor
    contribution    the part of a node's gradient that one argument gets; a gradient is the sum of these
    walk            from node to node, newest first, along which gradients go back
    start, seed     the node at which a walk begins, and the gradient there
    visit           one stop of the walk: a node, its gradient, the contributions

A first reading can skip sixteen files, and needs to know of them:

- `errors`: all that can go wrong, each with a class
- `modes`: what holds for the operations that run right now, such as that they are in `no_grad()`
- `advice`: what an error says to write for a name of another library
- `source`: the line of the user's code that is running, for messages
- `names`: `name_of` a function, such as "np.exp"; `code_of` it, for the names of its parameters
- `base`: `BaseTensor`, an array and the node that made it, which `tensor` makes complete
- `boxes`: `call_in_box` calls a module or the body of a definition, so that errors and drawings know it
- `failures`: from what NumPy raises in a call to an error that names the function and what it was given
- `kinds`: `checked` compares the arguments of a call with the annotations of the function
- `plain_calls`: the body of a definition, called with plain arrays where no gradient is wanted
- `operators`: `x * y` calls `apply` with `np.multiply`, and `x.sum()` with `np.sum`
- `arguments`: lists and other arrays as an operation takes them; `as_result` makes an array of a result,
  in memory that no other code can change
- `saving`: `to_save` returns the result and the arguments that a node keeps for its rules
- `copies`: a copy of an array that lies in memory as that does, so that sums of it round alike
- `followed`: the plain results of operations, such as masks, while a recording follows what NumPy makes
  of them
- `by_hand`: `x.data`, the array as a user who trains by hand writes it

A file imports only those before it in this row: advice, source, errors, modes, kinds, failures, names,
base, boxes, plain_calls, table, rules, node, operators, followed, arguments, copies, saving, walk,
backward, by_hand, tensor.
Of the rest of minigrad, `advice`, `kinds` and `failures` use `minigrad.idioms`, a table that imports
nothing: it has what to write for the names of other libraries. Higher rooms add what they know of: a
class to `kinds.KINDS`, the reason of a failed call to `failures.BETTER_REASONS`.

The words of the other files:

    box             one call of a module or a definition, as a drawing shows it
    mode            what holds for operations right now: gradients or none, who watches
    plain           an array of NumPy's, and no Tensor
    followed        a plain array, while a recording sees what NumPy makes of it
    symbol          an array that notes the calls made with it, in place of a tensor (`minigrad.script`)
    traced          a function that was called on symbols
    read            an argument whose values a rule uses, so that it is saved
    taken out       numbers that leave the graph, by `item()`, an `if` ...; a recording notes it
    held            an array that a Tensor has, which never changes it, or other code, which may
    kept            a gradient that stays in `.grad` after `backward()`, as a leaf's does
    unshared        a copy of an array, if other code holds its memory
    source          the node that an argument is
    source line     the line of the user's code that asked for an operation
    goal            a node whose gradient is asked for: with goals, a walk leaves out other ways
    reached         a node that a gradient gets to
    given           a gradient as a rule returned it
    fitted          that with broadcasting undone, in the shape and dtype of its argument
    watcher         what sees every operation: `record()`, `detect_anomaly()`; that one every visit too
    note            the data that a recording keeps of a node, or of a box
    effect          an action beside computing, such as new values for a leaf
    view            what shows a graph: a table, a drawing, a page, a program, steps
"""
