"""What commands say on standard error, without the lines of their progress."""

import re

PROGRESS = re.compile(
    r"\d+ steps will take |step \d+ of |  (right|wrong)  |[\w ,.;]+: \d+ s$"
    r"|.* held out, |loss: of the batch |held-out, held-out loss, "
)


def problems(stderr):
    """The lines that tell of a problem."""
    return [line for line in stderr.splitlines() if not PROGRESS.match(line)]
