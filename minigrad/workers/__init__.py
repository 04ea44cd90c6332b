"""Many workers: the gradient of a sum is the sum of the gradients.

    with Threads(2) as workers:
        loss, *slopes = workers.total(Gradients(loss_of_part, parameters), parts)

A batch is cut into parts. What a part gives depends on the weights and on the part, never on who
computes it, or when; and all are added in one tree, for floats do not add in any order: (a + b) + c is
rounded in other places than a + (b + c). So the total has the same bits, for one worker or for many.

1. `threads`: the job, the tree, and workers that are threads of this process
2. `cluster`: workers that are processes, on this machine or on others; `on_a_worker`: what these run
"""

from .threads import Gradients, Threads, Workers, tree

__all__ = ["Gradients", "Threads", "Workers", "tree"]
