"""The questions of lesson 03."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_differences=Question(
        "$f(x) = x^2$ at $x = 3$, with the huge step $h = 1$: what are the one-sided and "
        "the central difference? (Why is one of them exact?)",
        answer=[7, 6],
        by="[one_sided(np.square, 3, 1), central(np.square, 3, 1)]",
        hint="$f(4) = 16$, $f(3) = 9$ and $f(2) = 4$.",
        mistakes={
            "[7, 12]": "The central difference goes a way of $2h$: divide by 2.",
        },
        because="A parabola has no third derivative, so the central difference has no truncation.",
        end=True,
    ),
    end_beside_the_kink=Question(
        "What is the central difference of relu at $x = h / 2$?",
        answer=0.75,
        by="central(relu, np.array(0.25), 0.5).item()",
        hint="Where are $x + h$ and $x - h$, and what is relu there?",
        mistakes={
            "1": "That is the slope. But $x - h$ is on the other side of the kink.",
            "0.5": "That would be at the kink itself, $x = 0$.",
        },
        because="$(1.5 h - 0) / (2 h)$.",
        end=True,
    ),
    end_evaluations=Question(
        "A model has 1000 parameters. How many times must it be evaluated to check all of "
        "its gradient with `differences`?",
        answer=2000,
        by="""
            calls = []
            differences(lambda p: (calls.append(1), np.sum(np.tanh(p)))[1], np.zeros(1000))
            len(calls)
        """,
        hint="How many evaluations does one central difference take?",
        mistakes={
            "1000": "A central difference takes two evaluations.",
            "1001": "That is enough for one-sided differences. `differences` is central.",
        },
        because="Two for each parameter.",
        end=True,
    ),
)
