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

Read it in this order:

1. `exercise`: the data; `likeness`: what counts as the same answer; `messages`: plain data from side to
   side; `wording` and `relation`: what is said of an answer
2. The learner's side. `keepers` and `calls`: a function, what it keeps between calls, and how it
   answers; `learner_file`: what one file has; `sheets`: the exercises of a lesson
3. The judge's side. `asking`: what comes back; `marking`: one function marked; `isolation`: where it
   runs; `sandbox`: several functions, each apart
4. `in_place`, `walk_in_place`, `watch`: functions in their places; `together`: a model trained with them
5. `own`, `adapter`: a whole engine of a learner's
6. `worked`, `puzzle`: examples step by step, lines to be put in order
7. `learner`, `classroom`, `command`: what a learner and a teacher run; `collecting`: the same by pytest
"""

from .exercise import Exercise, Limited, exercise, maker, numbers, with_culprit

__all__ = ["Exercise", "Limited", "exercise", "maker", "numbers", "with_culprit"]
