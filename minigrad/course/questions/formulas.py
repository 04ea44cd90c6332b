"""Markdown for a terminal: its formulas in Unicode.

    in_unicode(r"$\\sum_t \\alpha_t v_t / \\sqrt{K + 1}$")    ∑ₜ αₜ vₜ / √(K + 1)

Only the commands of LaTeX that the questions of the lessons use are known. Others stay as they are.
"""

from __future__ import annotations

import re

FORMULA = re.compile(r"`[^`]*`|\$([^$]+)\$")  # or code, in which nothing is changed
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)
GAP = re.compile(r"(?<=[(∂]) | (?=[);])")
SINGLE = re.compile(r"[\w.\u0302]*")  # needs no brackets: "12", "dₖ", or a letter with a hat

SIGNS = {
    r"\alpha": "α", r"\beta": "β", r"\varepsilon": "ε", r"\phi": "φ", r"\partial": "∂", r"\sum": "∑",
    r"\cdot": "·", r"\times": "×", r"\dots": "…", r"\exp": "exp", r"\log": "log", r"\ln": "ln",
    r"\sin": "sin", r"\cos": "cos", r"\tanh": "tanh", r"\leftarrow": "←", r"\eta": "η",
    r"\,": " ", r"\\": ";", "&": "",
}  # fmt: skip
FONTS = (r"\text", r"\mathrm", r"\mathsf")
HAT = "\u0302"  # stands above the letter before it
SCRIPTS = {
    "_": str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"),
    "^": str.maketrans("0123456789+-=()hijknstxLTα", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ʰⁱʲᵏⁿˢᵗˣᴸᵀᵅ"),
}


def in_unicode(markdown: str) -> str:
    """The same text, in which each formula `$...$` is replaced by signs of Unicode."""
    return FORMULA.sub(lambda found: found[0] if found[1] is None else _formula(found[1]), markdown)


def _formula(latex: str) -> str:
    waiting, text = TOKEN.findall(latex)[::-1], ""  # the next one is the last
    while waiting:
        text += _up_to_brace(waiting)
    return GAP.sub("", " ".join(text.split()))


def _up_to_brace(waiting: list[str]) -> str:
    text = ""
    while waiting and (token := waiting.pop()) != "}":
        text += _one(token, waiting)
    return text


def _one(token: str, waiting: list[str]) -> str:
    """Return what a token stands for, with the arguments that it takes from those that are waiting."""
    if token == "{":
        return _up_to_brace(waiting)
    if token in SCRIPTS:
        raised = _argument(waiting)
        small = raised.translate(SCRIPTS[token])
        every = all(ord(letter) in SCRIPTS[token] for letter in raised)
        return small if every else token + _factor(raised)
    if token in FONTS:
        return _argument(waiting)
    if token == r"\hat":
        return _argument(waiting) + HAT
    if token == r"\sqrt":
        return f"√{_factor(_argument(waiting))}"
    if token in (r"\frac", r"\tfrac"):
        return f"{_factor(_argument(waiting))}/{_factor(_argument(waiting))}"
    if token in (r"\begin", r"\end"):  # of a matrix
        _argument(waiting)
        return "(" if token == r"\begin" else ")"
    return SIGNS.get(token, token)


def _argument(waiting: list[str]) -> str:
    while waiting and waiting[-1].isspace():
        waiting.pop()
    return _one(waiting.pop(), waiting) if waiting else ""


def _factor(text: str) -> str:
    return text if SINGLE.fullmatch(text) else f"({text})"
