"""The questions of the lessons: asked in a terminal, a notebook and the pages.

A lesson's questions stand in `examples/questions`, in a file that is named by its number:

    QUESTIONS = questions(
        slope=Question("What is the slope of $x^2$ at 3?", answer=6, by="slope.item()"),
    )

and are asked in a cell each, before the cell that answers:

    ask = Questions("01")
    ask("slope", ...)               shows it; the learner writes the answer in place of the dots
    ask("slope", 6)                 judges; "?" gives a hint, "!" the answer
    ask("05/cosine", ...)           a question of an older lesson

When a lesson runs as a script in a terminal, the learner is asked at a prompt. On a page it is a form
(`lessons.forms`). What kind of answer came is found in `judging`, for all three.

Read it in this order:

1. `question`: a question as data, and a lesson's file of them
2. `asking`: how one is asked while a lesson runs
3. `formulas`: its formulas in a terminal; `headings`: those of the lesson, printed before it
"""

from .asking import Questions
from .question import Question, questions, questions_of

__all__ = ["Question", "Questions", "questions", "questions_of"]
