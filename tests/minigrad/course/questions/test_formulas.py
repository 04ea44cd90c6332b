"""Formulas in a terminal."""

import re

import pytest

from minigrad.course.lessons.lesson import lessons
from minigrad.course.questions import questions_of
from minigrad.course.questions.formulas import in_unicode


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"\alpha_i \cdot \beta_1", "αᵢ · β₁"),
        (r"W_Q^\mathsf{T} x^2", "W_Qᵀ x²"),
        (r"e^{-15} + 10^{12} + e_{i1}", "e⁻¹⁵ + 10¹² + eᵢ₁"),
        (r"a^{x y}_{N + d}", "a^(x y)_(N + d)"),  # for these there are no small letters
        (r"x_{\mathrm{ids}_i}^2", "x_idsᵢ²"),
        (r"\frac{a + b}{2 c} = \tfrac12 d", "(a + b)/(2 c) = 1/2 d"),
        (r"\sqrt K, \sqrt{10}, \sqrt{\hat v + 1}, \sqrt {\hat v}", "√K, √10, √(v̂ + 1), √v̂"),
        (r"\partial y / \partial x", "∂y / ∂x"),
        (r"\sum_t (k_t \cdot q)\, k_t", "∑ₜ (kₜ · q) kₜ"),
        (r"\begin{pmatrix} 1 & 0 \\ 0 & 5 \end{pmatrix}", "(1 0; 0 5)"),
        (r"37{,}000 \text{ words}", "37,000 words"),
        ("f'''(x)\n/ 2", "f'''(x) / 2"),
        (r"\unheard{x} } y", r"\unheardx y"),
    ],
)
def test_a_formula_is_shown_in_unicode(latex, shown):
    assert in_unicode(f"so ${latex}$.") == f"so {shown}."


def test_what_is_no_formula_stays():
    text = r"**two** of `$x_1$ \alpha {}` cost 3 $ or \alpha"
    assert in_unicode(text) == text


@pytest.mark.parametrize("number", [lesson.number for lesson in lessons()])
def test_no_latex_is_left_of_what_a_lesson_asks_and_tells(number):
    for question in questions_of(number).values():
        told = [
            question.as_markdown(),
            question.hint,
            question.because,
            *question.mistakes.values(),
        ]
        for text in map(in_unicode, told):
            assert not re.search(r"[\\${}]|[_^][({]", re.sub("`[^`]*`", "", text)), text
