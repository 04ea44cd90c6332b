"""A lesson with something of each kind, for tests of its pages; and what a run of it would leave."""

import json

from minigrad.course.lessons import lesson as lessons
from minigrad.course.lessons import running
from minigrad.course.questions import Question

WIDTHS = (360, 768, 1400)
LESSON = """# %% [markdown]
# # 99 A lesson whose title is long enough to need a second line on a telephone
#
# *What it is about. About 1 seconds.*
#
# A formula that is wider than a telephone:
#
# $$y = x_1 + x_2 + x_3 + x_4 + x_5 + x_6 + x_7 + x_8 + x_9 + x_{10} + x_{11} + x_{12} + x_{13}$$
#
# A [link](98_other.py), lesson 98, `98_other.py`, and `a_name_that_has_no_place_to_break_and_goes_on`.
#
# | one | two | three | four | five | six | seven | eight |
# |---|---|---|---|---|---|---|---|
# | 1000000 | 1000000 | 1000000 | 1000000 | 1000000 | 1000000 | 1000000 | 1000000 |

# %%
import minigrad as mg

value = mg.Tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], requires_grad=True)  # as wide as it may

# %%
ask("two", ...)

# %%
one_and_one = 2

# %% [markdown]
# ## More of it (optional)
#
# Hidden at first.

# %%
print(value)

# %% [markdown]
# ## The end

# %%
print(pictures)
"""
QUESTIONS = {"two": Question("How much is $1 + 1$?", answer=2, by="1 + 1")}
LEFT_OUT = "Pictures left out: 99_curve (no matplotlib); pip install ... brings what is missing"
WIDE = (
    '<svg width="1500pt" height="90pt" xmlns="http://www.w3.org/2000/svg"><path d="M0 0H9"/></svg>'
)


def ran(lesson, folder):
    """What running a lesson leaves, without a run."""
    cells = lessons.cells(lesson.text)
    code = [k for k, cell in enumerate(cells) if cell.kind == "code"]
    for k in code:
        cells[k] = cells[k]._replace(printed="word " * 60)
    if code:
        cells[code[0]] = cells[code[0]]._replace(picture="out/99_wide.svg")
        cells[code[-1]] = cells[code[-1]]._replace(printed=LEFT_OUT)
    (folder / "out" / "99_wide.svg").write_text(WIDE)
    (folder / "out" / "99_steps.html").write_text("<title>x &lt; y</title>")
    (folder / running.RAN).write_text(json.dumps(cells))
