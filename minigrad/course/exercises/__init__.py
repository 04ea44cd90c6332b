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

From a learner's file to a mark, and the process that each step runs in:

    judge    `catalogue.exercises_named`    which exercises are to be marked
    judge    `sandbox.mark_of`              reads the file; what cannot be run has its mark now
    judge    `isolation.house`              opens a room: a process, shut in where Linux allows it
    room     `learner_side.loading`         loads the function from the file
    judge    `marking.mark_function`        asks what it gives for each input, in plain data
    room     `learner_side.callee`          calls it, and answers in plain data
    judge    `marking.trial`                compares: which known mistake gives the same?
    judge    `marking.explanation`          has its sentence, or says what is seen
    judge    `learner`, `classroom`         print the mark, or write it down

A learner's code can forge its answers, and what its process notes of a call; no right answer, sentence
or mark is there.

Read it in this order:

1. What there is. `exercise`: an exercise as data; `recipes`: functions among its inputs; `catalogue`:
   all exercises, by lesson
2. A learner's file. `learner_file`: its functions; `readable_parts`: of one with syntax errors; `stubs`:
   the files as they are handed out
3. Answers. `likeness`: which are the same; `values_as_text`: how they are shown; `messages`: how they
   cross from process to process; `shared_files`: what both sides load
4. `learner_side`, a folder: a function is loaded and called
5. `marking`, a folder: a function is marked
6. `isolation`, a folder: the processes that learners' functions run in
7. `sandbox`: the exercises of a file, each marked in a process
8. What a learner runs. `learner`: the commands; `worked`, `puzzle`: examples step by step, lines to be
   put in order; `in_transformer`, a folder: a transformer trained with the functions; `own_engine`, a
   folder: a whole engine; `adapter`: an engine of another course; `collecting`: the same marks by pytest
9. `classroom`, a folder: what a teacher runs
10. `command`: all commands; `options`, `option_values`: what they take

The words of the code:

    sheet        the exercises of a lesson, in one file
    stub         an exercise as it is handed out: it raises NotImplementedError
    case         the inputs of one call
    truth        the right answer for a case, found in another way than by the solution
    mistake      a wrong solution that is written down, with a sentence
    property     a sentence that holds for every right answer
    outcome      what comes of a call: an answer, or an error
    trial        the cases of an exercise, their truths, and what each mistake gives for them
    mark         the result of an exercise: right, wrong, not begun ..., and why
    judge        the process that marks; it runs no code of a learner's, unless with `--in-process`
    room         a process in which one function of a learner's runs
    house        the rooms that are open at a time
    place        where the engine, or a model, has a function that a learner's can replace
"""

from .exercise import Exercise, exercise, numbers, with_culprit
from .recipes import Limited, maker

__all__ = ["Exercise", "Limited", "exercise", "maker", "numbers", "with_culprit"]
