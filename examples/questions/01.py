"""The questions of lesson 01."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_three_uses=Question(
        r"$y = x \cdot x \cdot x$ at $x = 2$ is two multiplications. What gradients arrive "
        "at $x$, one for each use? Give them as a list.",
        answer=[4, 4, 4],
        by="""
            x = mg.Tensor(2.0, requires_grad=True)
            with mg.record():
                y = x * x * x
            y.backward()
            [edge.contribution.item() for edge in mg.graph(y).edges if edge.source == 0]
        """,
        hint=(
            r"Write $u = x \cdot x$ and $y = u \cdot x$. What arrives at $u$, and what does each"
            " factor of $u$ get of it?"
        ),
        mistakes={
            "12": "That is their sum, the derivative of $x^3$. Each use sends its own part.",
            "[8, 4]": (
                r"$u$ gets 2 and hands $2 \cdot 2$ to each of its two factors: there are three "
                "uses."
            ),
        },
        because=r"The sum is $3 \cdot 2^2 = 12$, the derivative of $x^3$ at 2.",
        end=True,
    ),
    end_naive=Question(
        r"With $u = 2x$ and $y = u \cdot u$ at $x = 3$, the derivative of $y$ with respect "
        "to $x$ is 24. What does `naive` say it is?",
        answer=36,
        by="""
            naive({"x": [], "u": [("x", 2)], "y": [("u", 6), ("u", 6)]}, "y", Counter(y=1))["x"]
        """,
        hint="`naive` hands on the sum that a node has so far, each time it comes to that node.",
        mistakes={
            "24": (
                "That is right for the derivative, but `naive` gets it wrong: it visits $u$ twice."
            ),
        },
        because=r"The first visit to $u$ hands on 6, the second $6 + 6$: $2 \cdot 6 + 2 \cdot 12$.",
        end=True,
    ),
    end_two_walks=Question(
        "Gradients add up between walks, too. What is `x.grad` at $x = 2$ after `(x * "
        "x).backward()` and then `(3 * x).backward()`?",
        answer=7,
        by="""
            x = mg.Tensor(2.0, requires_grad=True)
            (x * x).backward()
            (3 * x).backward()
            x.grad.item()
        """,
        hint="What does each of the two walks add?",
        mistakes={
            "3": "That is the gradient of the second walk alone. The first one is still there.",
            "4": "That is the gradient of the first walk alone.",
        },
        because=r"$2 \cdot 2 + 3$.",
        end=True,
    ),
)
