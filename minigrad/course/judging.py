"""The kind of an answer: right, the wrong sign, a factor of ten off, another order, and so on.

`verdict_on` works on an answer as it was typed, in a terminal or a notebook. In a page no Python runs:
there `judging.js`, beside this file, has the same functions, by the same names, in the same order. It is
given the sentences, patterns and constants of this file; one table of answers, in `test_questions.py`,
tests both. What a learner writes as code is not judged here but marked, by `exercises.marking`.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

SAYS = {  # what kind of answer came, and what the learner is told
    "right": "Right.",
    "rounded": "Rounded too far: give {digits} digits.",
    "near": "Nearly: it is off by less than two percent. Calculate with more digits.",
    "sign": "The size is right, the sign is not.",
    "reciprocal": "This is 1 divided by the answer.",
    "double": "This is twice the answer.",
    "half": "This is half of the answer.",
    "ten": "Right up to a factor of {factor}.",
    "missing": "An axis is missing.",
    "count": "Numbers asked for: {expected}; given: {given}.",
    "reversed": "These are the right lengths in reverse. Which axis comes first?",
    "transpose": "These are the right numbers, with rows and columns exchanged: the transpose.",
    "order": "These are the right numbers in another order.",
    "before": "That is the answer to the question before this one.",
    "one": "One off. Is each end counted, and only once?",
    "some": "The {places} of {count} {verb} wrong; the rest is right.",
    "wrong": "Not right. Try this first: {case}",
    "number": "This is no number. Write it without words or a unit, like 3, -0.25, 1/9, 2 * 3, 11% or "
    "sqrt(2); several like 1, 2, 3.",
    "choice": "This is none of the choices. Name one by its letter or its text.",
}
DIGITS = r"(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
NUMBER = re.compile(rf"(?<![\w.%+/-])([-+]?{DIGITS})(\s*%)?", re.ASCII | re.IGNORECASE)
OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "^": operator.pow, "*": operator.mul, "/": operator.truediv, "+": operator.add, "-": operator.sub,
}  # fmt: skip
BRACKETS = rf"(?<=[*/^]) ?\( ?(-?{DIGITS}) ?\)(?! ?[\w(^])"  # as in 10^(-7)
POWERS_AND_PRODUCTS = [  # what is computed first, first; 2^3^2 is left as it is
    rf"(?<![\w.^])({DIGITS}) ?(\^) ?(-?{DIGITS})(?![\w.^])",
    rf"(?<![\w.])({DIGITS}) ?([*/]) ?(-?{DIGITS})(?![\w.])",
]
SUM = rf"^([-+]?{DIGITS})(?! [-+]\S) ?([-+]) ?({DIGITS})(?![\w.%])"  # "3 -2" are two numbers
RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
CALLS = {"log": math.log, "ln": math.log, "exp": math.exp, "sqrt": math.sqrt, "√": math.sqrt}
CALL = re.compile(  # as in log(1/9), ln 19, √10; but not log 1/9, which may mean two numbers
    r"(?<![\w.%+)-])([-+]?)(?:np\.|math\.)?(log|ln|exp|sqrt|√) ?"
    r"(?:\( ?(-?DIGITS)(?: ?/ ?(DIGITS))? ?\)|(?<=√)(DIGITS)|(?<= )(DIGITS)(?![\d.]| ?/))".replace(
        "DIGITS", r"(?:\d+\.?\d*|\.\d+)"
    ),
    re.ASCII | re.IGNORECASE,
)
UNDO: dict[str, Callable[[float], float]] = {  # from what is off in one way, the answer
    "sign": lambda n: -n,
    "reciprocal": lambda n: 1 / n if n else math.nan,
    "double": lambda n: n / 2,
    "half": lambda n: n * 2,
}
FACTORS = {str(10**n) if n < 4 else f"10^{n}": 10**n for n in (1, 2, 3, 6, 9, 12)}
DASHES = r"\u2212\u2013\u2014\u2010\u2011"  # minus, en dash, em dash, hyphen, non-breaking hyphen
SPACES = r"\s\ufeff\x1c-\x1f\x85"  # what `\s` is in Python or in JavaScript
ORDINALS = ("1st", "2nd", "3rd")  # the others: "th"
SLACK = 0.5 * (1 + 1e-9)  # of a step of the last digit, by which a number may be off


class Verdict(NamedTuple):
    """The kind of an answer, a key of `SAYS` or "mistake", and what the learner is told."""

    kind: str
    says: str


class QuestionFacts(NamedTuple):
    """The facts of a question that a verdict on an answer depends on.

    Attributes:
        answer: the numbers in their order, or the place of the right choice, counted from 0.
        shape: whether the numbers are a shape.
        digits: how many digits are asked for; None: whole numbers exactly, others to three digits.
        choices: their texts.
        mistakes: answers as typed, and what each of them shows.
        rows: how many rows the numbers have, where they are a table.
        counted: whether the number is found by counting.
        before: the numbers that answer the question before.
        case: what to try after an answer that is of no other kind.
    """

    answer: Sequence[float] | int
    shape: bool = False
    digits: int | None = None
    choices: Sequence[str] = ()
    mistakes: Mapping[str, str] = {}
    rows: int = 0
    counted: bool = False
    before: Sequence[float] = ()
    case: str = ""


def verdict_on(facts: QuestionFacts, text: str) -> Verdict:
    """Tell what kind of answer `text` is: the first of the rules below that fits."""
    return _of_choices(facts, text) if facts.choices else _of_numbers(facts, text)


def choice_named(choices: Sequence[str], text: str) -> int | None:
    """The place of the choice that `text` names: by its text, its numbers, its letter, or its place."""
    typed = _letters(text)
    ways: list[tuple[list[Any], Any]] = [
        ([_letters(choice) for choice in choices], typed),
        ([numbers(choice) for choice in choices], numbers(text) or []),
        ([chr(ord("a") + i) for i in range(len(choices))], typed),
        ([str(i + 1) for i in range(len(choices))], typed),
    ]
    return next((names.index(name) for names, name in ways if name in names), None)


def _letters(text: str) -> str:
    """The letters and signs of a text, without spaces, quotes, and the brackets around it."""
    return re.sub(rf"[{SPACES}`$'\"]", "", text.lower()).strip("[]().")


def _of_choices(facts: QuestionFacts, text: str) -> Verdict:
    place = choice_named(facts.choices, text)
    if place is None:
        return _verdict("choice")
    if place == facts.answer:
        return _verdict("right")
    for mistake, says in facts.mistakes.items():
        if choice_named(facts.choices, mistake) == place:
            return Verdict("mistake", says)
    return _wrong(facts)


def _of_numbers(facts: QuestionFacts, text: str) -> Verdict:
    answer, digits = facts.answer, facts.digits
    assert not isinstance(answer, int)
    given, as_percent = _readings(text, len(answer))
    if given is None:
        return _verdict("number")
    if _same(given, answer, digits) or _same(as_percent, answer, digits):
        return _verdict("right")
    for mistake, says in facts.mistakes.items():
        if _same(given, numbers(mistake, len(answer) == 1) or [], digits):
            return Verdict("mistake", says)
    if len(given) != len(answer):
        return _of_another_length(facts, given, answer)
    return _of_sizes(facts, given, answer) or _of_places(facts, given, answer) or _wrong(facts)


def _readings(text: str, count: int) -> tuple[list[float] | None, list[float]]:
    """The numbers of an answer, None if it is none; and what they are where percent were asked for."""
    single = count == 1
    given = numbers(text, single)
    if given is not None and len(given) > count and ";" in text:  # 0,5; 1,5
        text = re.sub(r"(?<=\d),(?=\d)", ".", text)
        given = numbers(text)
    return given, numbers(text.replace("%", " "), single) or []


def _of_another_length(
    facts: QuestionFacts, given: Sequence[float], answer: Sequence[float]
) -> Verdict:
    one_less = [[*answer[:i], *answer[i + 1 :]] for i in range(len(answer))]
    if facts.shape and any(_same(given, axes, facts.digits) for axes in one_less):
        return _verdict("missing")
    return _verdict("count", expected=len(answer), given=len(given))


def _of_sizes(
    facts: QuestionFacts, given: Sequence[float], answer: Sequence[float]
) -> Verdict | None:
    """The verdict on numbers that are all off in one way."""
    digits = facts.digits
    if all(_rounded(g, a, digits) for g, a in zip(given, answer)):
        return _verdict("rounded", digits=max(_digits_of(a, digits) for a in answer))
    if all(_fits(g, a, digits) or _near(g, a, digits) for g, a in zip(given, answer)):
        return _verdict("near")
    for kind, undo in UNDO.items():
        if _same([undo(g) for g in given], answer, digits):
            return _verdict(kind)
    for name, factor in FACTORS.items() if any(answer) else ():
        multiples = [g / factor for g in given], [g * factor for g in given]
        if any(_same(some, answer, digits) for some in multiples):
            return _verdict("ten", factor=name)
    return None


def _of_places(
    facts: QuestionFacts, given: Sequence[float], answer: Sequence[float]
) -> Verdict | None:
    """The verdict on numbers that are right somewhere, or right elsewhere."""
    same = functools.partial(_same, digits=facts.digits)
    columns = len(answer) // max(facts.rows, 1)
    turned = [a for i in range(columns) for a in answer[i::columns]]
    kinds = {
        "reversed": facts.shape and same(given[::-1], answer),
        "transpose": facts.rows and same(given, turned),
        "order": same(sorted(given), sorted(answer)),
        "before": same(given, facts.before),
        "one": facts.counted and abs(given[0] - answer[0]) == 1,
    }
    for kind, fits in kinds.items():
        if fits:
            return _verdict(kind)
    off = [i for i, (g, a) in enumerate(zip(given, answer)) if not _fits(g, a, facts.digits)]
    if len(off) == len(answer):
        return None
    *first, last = [ORDINALS[i] if i < len(ORDINALS) else f"{i + 1}th" for i in off]
    places = f"{', '.join(first)} and {last}" if first else last
    return _verdict("some", places=places, count=len(answer), verb="are" if first else "is")


def _wrong(facts: QuestionFacts) -> Verdict:
    return _verdict("wrong", case=facts.case or "the question once more.")


def _verdict(kind: str, **values: object) -> Verdict:
    return Verdict(kind, SAYS[kind].format(**values))


def numbers(text: str, single: bool = False) -> list[float] | None:
    """The numbers in a text, such as "[1, 2]", "1/9" or "log(19)"; None if there is anything else.

    Brackets do not count: [[1, 2], [3, 4]] are four numbers.

    Args:
        single: one number is expected, so "1,000" and "1 000" are a thousand and "0,5" a half.
    """
    text = re.sub(f"[{SPACES}]+", " ", text).strip()  # no-break spaces, too
    text = re.sub(f"[{DASHES}]", "-", text).replace("\N{FRACTION SLASH}", "/")
    text = re.sub(r"(^|[,;\[(]) ?- (?=[\d.])", r"\1-", text).rstrip(". ")
    text = re.sub(r"(?<=\d)_(?=\d)", "", CALL.sub(_called, text))
    times = "*" if single else ", "  # as in "a 3 × 2 matrix"
    text = re.sub("(?<=[0-9]) ?[x×] ?(?=[0-9])", times, text)
    if single and re.fullmatch(r"[-+]?[1-9]\d{0,2}([, ])\d{3}(\1\d{3})*(\.\d+)?", text):
        text = re.sub("[, ]", "", text)
    elif single:
        text = re.sub(r"^([-+]?\d+),(\d+)(?=(e[-+]?\d+)?\s*%?$)", r"\1.\2", text)
    text = re.sub(r"[\[\](){}]", " ", _computed(text, single))
    matches = NUMBER.findall(text)
    if not matches or re.search(r"[^\s,;]", NUMBER.sub(" ", text)):
        return None
    return [float(n) / (100 if percent else 1) for n, percent in matches]


def _computed(text: str, single: bool) -> str:
    """The text with its powers, products and quotients computed; a single number's sums, too."""
    raised = lambda found: "^" + "".join("-0123456789"[RAISED.index(sign)] for sign in found[0])
    text = re.sub("[·⋅]", "*", re.sub(f"[{RAISED}]+", raised, text)).replace("**", "^")
    text = re.sub(BRACKETS, r"\1", text, flags=re.ASCII | re.IGNORECASE)
    for step in [*POWERS_AND_PRODUCTS, *([SUM] if single else [])]:
        before = ""
        while text != before:
            before = text
            text = re.sub(step, _applied, text, count=1, flags=re.ASCII | re.IGNORECASE)
    return text


def _applied(match: re.Match[str]) -> str:
    """The number that an operation gives, as text; the operation as it stands if it gives none."""
    first, sign, second = match.groups()
    try:
        number = OPERATIONS[sign](float(first), float(second))
    except (OverflowError, ZeroDivisionError):
        return match[0]
    return str(number) if math.isfinite(number) else match[0]


def _called(call: re.Match[str]) -> str:
    """The number that a call gives, as text; the call as it stands if it gives none."""
    sign, name, above, below, *alone = call.groups()
    operand = next(filter(None, (above, *alone)))
    try:
        number = CALLS[name.lower()](float(operand) / float(below or 1))
    except (ValueError, OverflowError, ZeroDivisionError):
        return call[0]
    return str(-number if sign == "-" else number)


def _whole(number: float) -> bool:
    return number == math.floor(number)


def _unit(number: float, digits: int) -> float:
    """Return one step of the last digit of a number written with so many."""
    return 10.0 ** (int(f"{number:.6e}".partition("e")[2]) + 1 - digits)


def _near(typed: float, number: float, digits: int | None) -> bool:
    exact = digits is None and _whole(number)
    return not exact and abs(typed - number) <= 0.02 * abs(number)


def _digits_of(number: float, digits: int | None) -> int:
    """Count the digits of a number that are asked for."""
    return digits or (len(str(int(abs(number)))) if _whole(number) else 3)


def _same(some: Sequence[float], others: Sequence[float], digits: int | None) -> bool:
    return len(some) == len(others) and all(_fits(s, o, digits) for s, o in zip(some, others))


def _fits(typed: float, number: float, digits: int | None) -> bool:
    return abs(typed - number) <= _tolerance(number, digits)


def _tolerance(number: float, digits: int | None) -> float:
    if number == 0 or (digits is None and _whole(number)):
        return max(1e-6, 1e-9 * abs(number))
    return SLACK * _unit(number, digits or 3)


def _rounded(typed: float, number: float, digits: int | None) -> bool:
    """Tell whether `typed` is the number rounded, to fewer digits than are asked for or to as many."""
    if _fits(typed, number, digits):
        return True
    fewest = 2 if digits is None and _whole(number) else 1
    for fewer in range(fewest, 0 if number == 0 else _digits_of(number, digits)):
        unit = _unit(number, fewer)
        if abs(typed - number) <= SLACK * unit and _whole(round(typed / unit, 6)):
            return True
    return False
