"""Questions asked while a lesson runs: at a prompt in a terminal, or in a notebook."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ... import errors
from ...system.terminal import INTERRUPTED
from .formulas import in_unicode
from .headings import PrintWithHeadings
from .question import Question, questions_of

KEYS = "Enter goes on, ? gives a hint, ! the answer, Ctrl-C leaves the lesson"
DOTS = '*Write the answer in place of the dots, or "?" for a hint, "!" for the answer.*'


class Questions:
    """Asks the questions of a lesson: `ask = Questions("07")`.

    In a lesson that runs as a script it also prints the headings of the text, each before the first
    thing that is printed below it.

    Args:
        number: the lesson's.
    """

    def __init__(self, number: str):
        self.number = number
        self.script = hasattr(sys.modules["__main__"], "__file__")  # which a notebook is not
        self.say: Callable[..., None] = print
        lesson = sys._getframe(1)
        if self.script and os.path.isfile(lesson.f_code.co_filename):
            self.say = lesson.f_globals["print"] = PrintWithHeadings(lesson)

    def __call__(self, name: str, given: object = ...) -> Reply | None:
        """Ask a question, or judge an answer to it.

        Args:
            name: the question's; with an older lesson's number before it: "05/cosine".
            given: `...` to be asked; an answer; "?" for the hint; "!" for the answer.

        Returns:
            In a notebook, what is shown there.

        Raises:
            ConfigError: if there is no such question.
        """
        number, _, name = f"{self.number}/{name}".rpartition("/")
        number = number.rpartition("/")[2]
        every = questions_of(number)
        if name not in every:
            raise errors.ConfigError(
                f"lesson {number} has no question {name!r}; it has: {', '.join(every) or 'none'}"
            )
        question = every[name]
        asking = given is ...
        if not self.script:
            return Reply(f"{question.as_markdown()}\n\n{DOTS}" if asking else question.reply(given))
        self.say(f"\nQuestion: {_readable(question.as_markdown())}")
        if not asking:
            self.say(_readable(question.reply(given)))
        elif sys.stdin is not None and sys.stdin.isatty():
            _prompt(question)
        return None


def _readable(markdown: str) -> str:
    """The text with its formulas in Unicode, if what it is printed to has these signs."""
    shown = in_unicode(markdown)
    try:
        shown.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return markdown
    return shown


def _prompt(question: Question) -> None:
    """Ask until the answer is right or shown, or the learner goes on."""
    print(f"({KEYS})")
    while True:
        try:
            given = input("> ").strip()
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            print()
            raise SystemExit(INTERRUPTED) from None
        if not given:
            return
        print(_readable(question.reply(given)))
        if given == "!" or (given != "?" and question.verdict_on(given).kind == "right"):
            return


class Reply(str):
    """A text that shows itself in a notebook, formulas too."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str:
        return str(self)
