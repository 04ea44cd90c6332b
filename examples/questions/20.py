"""The questions of lesson 20."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    buffers=Question(
        "How many buffers do these five lines need?",
        answer=2,
        by="len(buffers_of(five))",
        hint="Go line by line: is there an operand that is used here for the last time?",
        mistakes={
            "1": "`c` cannot be written over `b`, which the next line reads.",
            "3": "`b` can be written over `a`, and `d` over `b` or `c`, for they are read there for the "
            "last time; and the sum is returned: it has no buffer.",
            "4": "That is an array for each result but the sum. Look for last uses.",
            "5": "That is an array for each result. Look for last uses; and the sum is returned.",
        },
        because="One for `a`, then `b`, then `d`, and one for `c`; the sum is returned.",
    ),
    turn=Question(
        "A chain of ten tanh, forward and back. At which place of the program is most memory in use?",
        choices=[
            "at the first line",
            "where the way forward ends and the way back begins",
            "at the last line",
            "everywhere the same",
        ],
        answer="where the way forward ends and the way back begins",
        by="""
            names = ["at the first line", "where the way forward ends and the way back begins",
                     "at the last line"]
            use = compiled_chain.memory()
            names[int(np.argmax([use.in_use[0], use.in_use[use.forward - 1], use.in_use[-1]]))]
        """,
        hint="Which results of the way forward are still waiting at that place?",
        mistakes={
            "at the first line": "There only one result exists.",
            "at the last line": "There all ten have been used: their memory is free.",
            "everywhere the same": "Each link adds a result that waits, and on the way back each frees "
            "one.",
        },
        because="All ten results wait there.",
    ),
    same_bits=Question(
        "100,000 pairs of float32: for how many is $a \\cdot (1 / b)$, computed, the same bits as "
        "$a / b$?",
        choices=["all of them", "more than half of them, but not all", "nearly none"],
        answer="more than half of them, but not all",
        by="['nearly none', 'more than half of them, but not all', 'all of them']"
        "[int(equal > 0.1) + int(equal == 1)]",
        hint="How often is each of them rounded? And how large is the error of a rounding?",
        mistakes={
            "all of them": "As formulas they are the same. But $1 / b$ is rounded, and then the product "
            "is rounded again.",
            "nearly none": "Each rounding is off by at most half of the last bit, and often both come "
            "to the same float.",
        },
    ),
    refused=Question(
        "Which of the four ways cannot be compiled?",
        choices=["1", "2", "3", "4"],
        answer="1",
        by="' '.join(refused)",
        hint="Which decides about a number that is another one at the next call?",
        mistakes={
            "2": "There both are computed, and the choice is an operation.",
            "3": "Another shape gets a program of its own. In each program, the shape is the same.",
            "4": "The loop has the same three turns each time, and is written out.",
        },
    ),
    end_dead=Question(
        "A function computes `a = x * x`, `b = a + 1`, `c = np.exp(a)`, `d = b * b`, `e = c - d`, and "
        "returns `d`. How many of the five lines are in its program?",
        answer=3,
        counted=True,
        by="""
            five = [("a", {"x"}), ("b", {"a"}), ("c", {"a"}), ("d", {"b"}), ("e", {"c", "d"})]
            len(needed(five, ["d"]))
        """,
        hint="Begin at `d`, and go back.",
        mistakes={
            "4": "`e` reads `d`, but nothing needs `e`. And who needs `c`?",
            "5": "What is computed, and not needed for what is returned, is dead.",
            "2": "`b` reads `a`: it is needed, too.",
        },
        because="`d` needs `b`, and `b` needs `a`.",
        end=True,
    ),
    end_in_place=Question(
        "`a` is used here for the last time, and is a square matrix, as is `w`. Which call can write "
        "its result over `a`?",
        choices=["`a @ w`", "`np.tanh(a)`", "`np.sum(a, axis=0)`"],
        answer="`np.tanh(a)`",
        by="""
            w = rng.normal(size=(4, 4))
            calls = {
                "`a @ w`": lambda x: (np.exp(x) @ w) * 2,
                "`np.tanh(a)`": lambda x: np.tanh(np.exp(x)) @ w,
                "`np.sum(a, axis=0)`": lambda x: np.sum(np.exp(x), axis=0) * 2,
            }
            can = []
            for name, f in calls.items():
                one = mg.compile(f, exact=True, at_once=True)
                one(mg.Tensor(rng.normal(size=(4, 4))))
                text = ast.parse(one.program(buffers=True)).body[-1].body
                if works_in_place(text[1]):
                    can.append(name)
            " ".join(can)
        """,
        hint="Which elements of `a` does one element of the result need?",
        mistakes={
            "`a @ w`": "Each element of the product needs a whole row of `a`: the first one written "
            "would spoil the row for the next.",
            "`np.sum(a, axis=0)`": "The result has another shape, and each of its elements needs a "
            "whole column.",
        },
        because="Element by element: each needs the element at its own place alone.",
        end=True,
    ),
    end_programs=Question(
        "`step = mg.compile(f)` is called many times, with arrays of the shapes (32, 8), (32, 9), "
        "(16, 8), and (32, 8) with other numbers in it. How many programs are made?",
        answer=3,
        counted=True,
        by="""
            made = set()
            for shape in ((32, 8), (32, 9), (16, 8), (32, 8)):
                one = mg.compile(lambda x: np.sum(np.exp(x)), exact=True, at_once=True)
                one(mg.Tensor(rng.normal(size=shape), requires_grad=True)).backward()
                made.add(one.program(buffers=True))
            len(made)
        """,
        hint="What is part of the program, and what comes with each call?",
        mistakes={
            "4": "Other numbers in an array of the same shape are what the program is for.",
            "1": "Buffers have a size: another shape needs another program.",
            "2": "The shapes (32, 9) and (16, 8) differ from (32, 8), and from each other.",
        },
        because="One for each shape.",
        end=True,
    ),
)
