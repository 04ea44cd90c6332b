"""Exercises that mark themselves, and name the mistake.

    python -m minigrad exercises                    what there is, and how far you are
    python -m minigrad exercises start DIR          a copy of your own to work in
    python -m minigrad exercises check 06           what is right, and what is not, and why
    python -m minigrad exercises run                a transformer trained with what you have written

An exercise is a function to be written, in a file of `examples/exercises`. What is right, what
people get wrong, and inputs that tell these apart stand beside it, in `examples/exercises/answers`:

    @exercise(
        draw=lambda rng, size: (numbers(rng, size),),     inputs, small ones first
        truth=lambda x: np.square(x).sum(),               the right answer, found by other means
        hints=["Each element counts once."],
        worked=(lambda: (np.array([3.0, 4.0]),), ["Squared: {s := x * x}", "Their sum: {s.sum()}"]),
    )
    def sum_of_squares(x):                                a solution
        return sum(x * x)

    @sum_of_squares.mistake("It squares the sum; each element is squared first.")
    def _(x):                                             a wrong solution
        return sum(x) ** 2

The function is tried on inputs drawn afresh. If it is wrong, and gives on all of them the same
wrong answers as one of the wrong solutions, or on nearly all that can tell, then that is the mistake.
The function runs on the learner's side, a process of its own; the judge asks it in plain data, and
loads no file of a learner's.

Read it in this order: `exercise` (the data), `likeness` (what counts as the same answer), `messages`
(plain data from side to side), `wording` (what is said of an answer). The learner's side: `keepers` and
`calls` (a function, what it keeps between calls, and how it answers), `learner_file`, `sheets` (one a
lesson). The judge's: `asking` (what comes back), `marking` (one function marked), `isolation` (where it
runs) and `sandbox` (one for each function). Then `in_place`, `walk_in_place`, `watch` and `together`
(functions in their places, and a model trained with them), `own` and `adapter` (a whole engine),
`worked` and `puzzle` (examples step by step, lines to be put in order), `learner`, `classroom` (a class
is marked), `command`.
"""

from .exercise import Exercise, Limited, exercise, maker, numbers, with_culprit

__all__ = ["Exercise", "Limited", "exercise", "maker", "numbers", "with_culprit"]
