"""Exercises for lesson 20: what a compiler does.

    python -m minigrad exercises check 20

Write the body of each function in place of the `raise`. NumPy and Python are all you need.
"""


def once(lines, result):
    """The same program without calls that compute what an earlier line has computed.

    Two calls are the same if they have the same function, and the same arguments in the same order. The
    first stays. The second is left out, and what read its result reads that of the first; so two later
    lines may become the same, too.

    Args:
        lines: the calls in order, each a list of the name that it defines, the function, and the names
            of its arguments. Each name is defined once; what no line defines comes from outside.
        result: the name of what the program returns.

    Returns:
        The lines that stay, with their arguments as they are named now, and the name of the result.

    >>> once([["a", "exp", "x"], ["b", "exp", "x"], ["c", "add", "a", "b"]], "c")
    ([['a', 'exp', 'x'], ['c', 'add', 'a', 'a']], 'c')
    """
    raise NotImplementedError


def share_buffers(last):
    """The buffer of each result of a program, when results share buffers.

    Line k writes its result into the free buffer with the lowest number, or into a new one if none is
    free. A buffer is free for line k if no result that lies in it is read by line k or by a later one.
    (So nothing works in place here. All results have the same size.)

    Args:
        last: for each line, the number of the last line that reads its result; lines count from 0.

    Returns:
        A list: the number of the buffer of each result, from 0.

    >>> share_buffers([1, 2, 3, 4])
    [0, 1, 0, 1]
    >>> share_buffers([3, 2, 3, 4])
    [0, 1, 2, 1]
    """
    raise NotImplementedError
