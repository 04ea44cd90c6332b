"""Troubles with the numbers of a computation: where a NaN came from, and why nothing learns.

    print(mg.diagnose(loss))
    mg.diagnose(loss, page="why.html")

It reads the graph, forward and back. Each trouble is told with the line of code, the module, the numbers
that led there, and what people do about it. Its kind, the file that finds it, and what it is:

    not finite          finite      the first operation that gave a NaN or an infinity; in `pytorchs`, a
                                    gradient that is not finite
    data                finite      a NaN or an infinity that came in so
    zero                zero        a gradient that is exactly zero
    cut off             zero        no gradient reaches a parameter; nor, in `pytorchs`, any of PyTorch's
    vanishes, explodes  on_the_way  a gradient that becomes far smaller, or larger, on its way
    alike, dead         units       units of a layer that are all alike, dead, or saturated
    loss                losses      a loss of probabilities that is given scores, or the reverse; or
                                    classes that a reshape mixed with positions
    axis, mask, mixed   attention   a softmax along another axis than is added; a mask that is inverted,
                                    makes scores 0, or comes after the softmax; heads cut of mixed axes
    twice               mistakes    a softmax of a softmax, a sigmoid of a sigmoid
    pairs               mistakes    a column of numbers less a row of answers, or a product of such

Of a loop of training also:

    steps               long_steps  steps that are too long, or go uphill
    kept                long_steps  gradients kept from the step before, to which more is added
    unchanged           unchanged   steps that change nothing, and parameters that never change

Of what PyTorch computed also:

    another gradient    pytorchs    one that is another than that of the computation, as by a hook
    own backward        pytorchs    a function's own `backward()`, which is not the derivative
    underflows          pytorchs    a gradient that 16 bits round to 0
    outside             pytorchs    a NaN that does not reach the loss
    not computed        finding     gradients that could not be computed again, and so not judged

Read it in this order: `trouble`, `finding` (`diagnose`), then the finders. `reading` has what these read
of a graph, `remedies` is a table of what people do, `wording` says what is called how. What may be
meant, as a target network or a layer that is not to learn, is not told, or is one of the `notes` below.
"""

from .finding import diagnose
from .trouble import Trouble, Troubles

__all__ = ["Trouble", "Troubles", "diagnose"]
