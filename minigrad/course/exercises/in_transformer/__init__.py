"""A transformer trained with a learner's functions in place of the library's.

    python -m minigrad exercises run DIR

Read it in this order:

1. `replacement`: what stands in a place of the engine or of the model is replaced, for a while
2. `operations`: operations on tensors, made of functions on arrays
3. `walk_replacement`: the engine's walk, made of a function that walks a graph
4. `profiler`: the calls of each function, and its time
5. `training_run`: the functions are checked, and a process is started that trains with them

The table of places is `examples/exercises/places.py`. The process that trains runs `training.py` there.
"""
