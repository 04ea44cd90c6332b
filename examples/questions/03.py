"""The questions of lesson 03."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    ten_times=Question(
        "Make $h$ ten times smaller. How many times smaller does the error of the one-sided difference"
        " become, and how many times that of the central one? Answer with two numbers.",
        answer=[10, 100],
        by="""
            off = lambda difference, h: difference(np.exp, 0.5, h) - np.exp(0.5)
            [round(off(d, 0.1) / off(d, 0.01)) for d in (one_sided, central)]
        """,
        hint="Look at the first term of each error: one has $h$, the other $h^2$.",
        mistakes={
            "[10, 10]": r"The error of the central difference has $h^2$, and $0.1^2 = 0.01$.",
            "[10, 1000]": "The term with $h^3$ was divided by $2h$.",
        },
        because="One error has $h$ as its factor, the other $h^2$.",
    ),
    best_of_four=Question(
        "Which step gives the best estimate?",
        choices=["0.1", "1e-5", "1e-10", "1e-15"],
        answer="1e-5",
        by="""
            steps = ["0.1", "1e-5", "1e-10", "1e-15"]
            min(steps, key=lambda h: abs(central(np.exp, 0.5, float(h)) - np.exp(0.5)))
        """,
        hint=(
            "With a step of 1e-15, $f(x + h)$ and $f(x - h)$ agree in about 15 of their 16 digits. How"
            " many digits has their difference?"
        ),
        mistakes={
            "0.1": "Truncation is $h^2 / 6$ times the function: 0.003. Smaller steps do better.",
            "1e-10": ("The two values agree in 10 of 16 digits, so their difference has only 6."),
            "1e-15": "The two values agree in nearly all digits. Their difference has one or none.",
        },
        because="It is between the two errors: small enough for truncation, large enough for rounding.",
    ),
    where_dots=Question(
        "A rule says `2 * g @ b.T` where `g @ b.T` is right. Where do its dots lie?",
        choices=[
            "on the diagonal",
            "on a line through zero that is twice as steep",
            "on a line beside the diagonal",
            "in a cloud",
        ],
        answer="on a line through zero that is twice as steep",
        by="""
            gradient = reports["2 * g @ b.T"].inputs[0]
            twice = np.allclose(gradient.analytic, 2 * gradient.numeric, atol=1e-6)
            {True: "on a line through zero that is twice as steep"}[twice]
        """,
        hint="Where is the dot of an element that should be 1? And of one that should be 0?",
        mistakes={
            "on the diagonal": "There the rule says what it should say.",
            "on a line beside the diagonal": "Then every element would be off by the same amount.",
            "in a cloud": "What the rule says still follows from what it should say: it is twice that.",
        },
        because="What should be 1 is 2, what should be 0 is 0.",
    ),
    identity=Question(
        "What does the check of the planted bug say, with the identity as $B$?",
        choices=["right", "wrong"],
        answer="right",
        by="['wrong', 'right'][mg.gradcheck(product, A, np.eye(7), raise_on_failure=False).ok]",
        hint="What is the transpose of the identity?",
        mistakes={
            "wrong": "For the identity, `g @ b` and `g @ b.T` are the same.",
        },
        because="The identity is its own transpose, so the mistake makes no difference here.",
    ),
    at_the_kink=Question(
        "What is the central difference of relu at $x = 0$? It is the same for every $h$.",
        answer=0.5,
        by="central(mg.functional.relu, 0.0, 0.1)",
        hint=r"$\mathrm{relu}(h) = h$ and $\mathrm{relu}(-h) = 0$.",
        mistakes={
            "0": "That is what minigrad says. The difference uses the values at $h$ and $-h$.",
            "1": r"That is the slope to the right. Divide by $2h$, not by $h$.",
        },
        because="$(h - 0) / (2 h)$: between the slopes of both sides.",
    ),
    end_differences=Question(
        "$f(x) = x^2$ at $x = 3$, with the huge step $h = 1$: what are the one-sided and "
        "the central difference? (Why is one of them exact?)",
        answer=[7, 6],
        by="[one_sided(np.square, 3, 1), central(np.square, 3, 1)]",
        hint="$f(4) = 16$, $f(3) = 9$ and $f(2) = 4$.",
        mistakes={
            "[7, 12]": "The central difference goes a way of $2h$: divide by 2.",
        },
        because="The third derivative of a parabola is 0, so the central difference has no truncation.",
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
        "A model has 1000 parameters (numbers that it learns). How many times must it be evaluated "
        "to check all of its gradient with `differences`?",
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
