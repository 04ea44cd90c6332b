"""The computation that ran, as data: the graph that views show, made of what the engine holds.

1. `data`: nodes, edges and boxes, and questions that they answer
2. `capture`: the graph of some tensors, or of an error
3. `reached`: everything that they were computed from
4. `naming`, `variables`: the names that a reader knows it by
5. `constants`: what Python or NumPy may have made its numbers of
6. `proof`: which constants another run, with other numbers in its arguments, makes otherwise
7. `words`: numbers, arrays and arguments as short text
"""
