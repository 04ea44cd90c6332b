"""A transformer trained with a learner's functions in place of the library's.

    python -m minigrad exercises run DIR

Read it in this order:

1. `replacement`: what stands in a place of the engine or of the model is replaced, for a while
2. `walk_replacement`: the same for functions that walk a graph
3. `profiler`: the calls of each function, and its time
4. `training_run`: the functions are checked, and a process is started that trains with them

The table of places is `examples/exercises/places.py`. The process that trains runs `training.py` there.
"""
