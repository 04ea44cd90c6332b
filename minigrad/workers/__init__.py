"""Many workers: the gradient of a sum is the sum of the gradients.

    with Threads(2) as workers:
        loss, *slopes = workers.total(Gradients(loss_of_part, parameters), parts)

A batch is cut into parts. The result of a part depends on the weights and on the part alone, never on
the worker or the time. All results are added in one tree, for the order of a sum of floats matters:
(a + b) + c is rounded in other places than a + (b + c). So one worker and many give the same bits.

From the general to the particular:

1. `job`: the job for a part, the tree of sums, and the protocol of all workers
2. `threads`: workers that are threads of this process
3. `worker_process`: the work of a process that is a worker
4. `cluster`: many such processes, on this machine or on others, served by Dask
"""

from .job import Gradients, Workers, tree
from .threads import Threads

__all__ = ["Gradients", "Threads", "Workers", "tree"]
