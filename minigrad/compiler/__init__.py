"""A function compiled: its recorded graph as one NumPy program with planned memory.

    step = mg.compile(loss_of)
    loss = step(source, target)
    loss.backward()

It reads the lines of a script (see `minigrad.script`), forward and back, and runs the same calls.

1. `lowering`: lines as single calls of NumPy's, without aliases, constants and lines that nothing needs
2. `rewritings`: algebra on lines, for speed
3. `memory`: which lines share an array, and which write over one that nothing needs any more
4. `source`: the lines as text, one generator function: forward, then back
5. `keeping`: the plan of memory as a table
6. `recorded`: a call of the function, recorded, and what a plan reads again at each call
7. `plan`: the program of one shape, and its runs; `freed`: the memory that they give back
8. `outside`: what the function reads beside its arguments, which must be the same
9. `step`: the compiled function: a plan for each shape, and one node for a call
"""
