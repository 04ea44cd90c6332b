"""A function compiled: its recorded graph as one NumPy program with planned memory.

    step = mg.compile(loss_of)
    loss = step(source, target)
    loss.backward()

Read it from the whole to the parts:

1. `step`: the compiled function, which runs as it is, is recorded, or has a plan
2. `keys`: all that a plan depends on, so that calls with equal keys have one plan; `outside`: the part
   of it that is no argument, found in the `places` that the function's code names; `changing`: a warning
   if that part differs at each call
3. `recorded`: a call of the function, recorded (by `call_recording`), and the facts by which two calls
   are compared; `other_numbers`: the comparison with a call that has other numbers
4. `plan`: the program for one key; `inputs`: the arrays that each run of it reads
5. `running`: one run, forward and back, and the node of the graph that it is
6. `lowered_script`: from the graph to the lines of its program, by the next three files
7. `lowering`: lines as single calls of NumPy's, without aliases, constants and superfluous lines;
   `passes`: how lines are replaced, here and in the next two
8. `rewritings`: algebra on lines, for speed
9. `layouts`: products written in the order in which they are read, in place of a copy
10. `memory`: which lines share an array, and which write over an array that is no longer needed
11. `program_text`: the lines as text, one generator function: forward, then back
12. `of_watched`: a computation of PyTorch's, compiled: its graph is there already

Beside these, `keeping` shows the plan of memory as a table; `emptying` and `heap` give back memory
while a program is made.

A parent is a tensor that a run reads, and that gets a gradient: an edge of the call's node goes to it.

A line is a symbol of a script (see `minigrad.script`): an array, and the call that gave it. Lowered, it
is a single call of the function that NumPy itself ends in, so that it has the same bits and can write
into an array that is there. For `y = np.mean(x * w, axis=-1)`, with arrays of 4 rows and 8 columns:

    line of the script              lowered                          written, with memory
    x * w                           t2 = np.multiply(x, w)           np.multiply(x, w, out=t2)
    np.mean(x * w, axis=-1)         part = np.add.reduce(t2, -1)     np.add.reduce(t2, axis=-1, out=part)
                                    t3 = np.divide(part, 8)          np.divide(part, 8, out=part)

A plan is made in this order, and each thing is decided once:

    whether there is a plan for a call          `step.Compiled`, by its `keys.Key`
    which arrays a run reads anew               `inputs.InputReader`: arguments, tensors, draws
    which calls compute the result              `script.Script`, forward and back
    which of them are left, and as which calls  `lowering`, then `rewritings`
    in which order a product lies in memory     `layouts`
    where each result lies                      `memory.MemoryPlan`
    the text                                    `program_text.ProgramText`, which decides nothing
"""
