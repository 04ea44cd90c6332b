"""The judge's side: one function, marked.

    trial = Trial(exercise, seed)             inputs, right answers, and what known mistakes give
    mark(trial, RemoteFunction(room.ask))     Mark("wrong", says="...", shows=(...), mistake=2)

Read it in this order:

1. `mark`: what comes out
2. `outcome`: what comes of one call, and which outcomes are the same
3. `remote_function`: a learner's function, as it is asked
4. `trial`: the inputs; where a known mistake is recognised
5. `mark_function`: all of it, from the first call to the mark
6. Of a function that is wrong. `explanation`: which mistake it is. `unknown_mistake`, `relation`,
   `properties`: what is seen, where it is none that is known

The sentence of a known mistake stands beside its function, in `examples/exercises/answers`. Those of
others are in these last three files; of a process that does not answer, in `isolation.room`; of a file
that is not run, in `sandbox`.
"""
