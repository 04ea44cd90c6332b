"""The engine: all that one must read to understand how a tensor remembers, and how the walk back works.

Read it in this order; each file uses only what came before it.

1. `errors`, `modes`: what can go wrong, and what holds for the operations that run right now
2. `table`: what an entry of the table of derivatives is
3. `rules`: the table
4. `node`: one place of a graph
5. `tensor`: an array that remembers how it was made
6. `walk`: from a result back to its leaves

Beside the way: `saving` (which arrays a node keeps), `recording` (what `record()` keeps for the views),
`anomaly` (the first NaN), `source` (the line of code that asked).
"""
