"""Troubles with the numbers of a computation: where a NaN came from, and why nothing learns.

    print(mg.diagnose(loss))
    mg.diagnose(loss, page="why.html")

It reads the graph, forward and back, and names the first operation that gave a NaN or an infinity,
parameters whose gradient is exactly zero, gradients that vanish or explode on their way, a softmax of
a softmax, one along another axis than is added, and a column of numbers less a row of answers. Of
what PyTorch computed it names gradients that are others than those of the computation, because of a
hook or a function's own `backward()`, those that 16 bits round to 0, those that are kept from step to
step, parameters that were used and have none, steps of training that are too long, and a NaN outside
the loss. Each is told with the line of code, the module, the numbers that led there, and what people do
about it.

Read it in this order: `trouble`, `finding` (`diagnose`), then the finders: `finite`, `pytorchs`,
`long_steps`, `zero`, `on_the_way` and `mistakes`. `remedies` is a table of what people do, `wording`
says what is called how.
"""

from .finding import diagnose
from .trouble import Trouble, Troubles

__all__ = ["Trouble", "Troubles", "diagnose"]
