"""The questions of lesson 01."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    nudge=Question(
        "Raise $w$ from 3 to 3.001, a rise of 0.001. How many times as much does $y$ rise? Compute both"
        " values of $y$, and round to a whole number.",
        answer=8,
        by="round((f(3.001, 2, -4) - f(3, 2, -4)) / 0.001)",
        hint=r"Before, $y = (3 \cdot 2 - 4)^2 = 4$. After, $y = (3.001 \cdot 2 - 4)^2$.",
        mistakes={
            "4": "That is $y$ itself. By how much does it rise, divided by 0.001?",
            "0.008": "That is how much $y$ rises. Divide it by the rise of $w$, 0.001.",
            "8.004": "Right so far. Now round it to a whole number.",
        },
        because="$y$ rises to $2.002^2 = 4.008004$, so by 0.008004.",
    ),
    by_x=Question(
        r"Now the same for $x$: what is $\partial y / \partial x$ at $w = 3$, $x = 2$, $c = -4$?",
        answer=12,
        by="dx",
        hint=r"Only the last factor is another one: how fast does $p = w x$ change when $x$ does?",
        mistakes={
            "8": "That is for $w$. The step $p = w x$ changes $w$ times as fast as $x$.",
            "6": r"Two factors are right. But $2u$ is $2 \cdot 2$.",
            "3": r"That is $\partial p / \partial x$ alone. Multiply by $2u$.",
        },
        because=r"$2u \cdot 1 \cdot w = 4 \cdot 1 \cdot 3$.",
    ),
    two_uses=Question(
        r"At $x = 3$, raise the *first* factor of $x \cdot x$ alone, by 0.001: how many times as much "
        "does the product rise? And if you raise the second factor alone? And both together? Answer "
        "with three numbers, rounded to whole ones.",
        answer=[3, 3, 6],
        by="[round(ratio, 3) for ratio in (first, second, both)]",
        hint=r"$3.001 \cdot 3$, then $3 \cdot 3.001$, then $3.001 \cdot 3.001$.",
        mistakes={
            "[3, 3, 9]": "The effects add; they do not multiply.",
            "[3, 3, 6.001]": "Right so far. Now round to whole numbers.",
            "[1, 1, 2]": r"A factor that rises by 0.001 is multiplied by the other factor, 3.",
        },
        because="The effects add up, to $2x$.",
    ),
    naive=Question(
        "Follow `naive` from $y$ on paper. What does it say is the derivative of $y$ with respect to"
        " $x$?",
        answer=6,
        by='wrong["x"]',
        hint="There are two edges from $y$ to $u$. What has $u$ when it passes on for the first time, "
        "and what for the second time?",
        mistakes={
            "4": "That is the derivative. `naive` comes to $u$ twice: what has $u$ each time?",
            "2": "It does not stop after the first edge from $y$.",
            "8": "The first time, $u$ has only 1.",
        },
        because=r"$u$ passes on $2 \cdot 1$, and then $2 \cdot 2$.",
    ),
    visits=Question(
        r"One doubling alone takes `carry` 3 visits. How many do four doublings take?",
        answer=31,
        counted=True,
        by="visits[4]",
        hint="A node is visited once for each path that leads to it: $u_4$ once, $u_3$ twice, ...",
        mistakes={
            "12": "Each doubling doubles the visits to all that lies below it.",
            "16": "That is how often the last node, $u_0$, is visited. Add the visits to the others.",
            "5": "So many nodes there are. But each is visited once for each path to it.",
            "15": "These are three doublings, or four without $u_0$.",
        },
        because="$1 + 2 + 4 + 8 + 16$.",
    ),
    next_w=Question(
        "Where is $w$ after the first step?",
        answer=1.52,
        by="path[1]",
        hint="The fourth line: `w.data -= 0.02 * w.grad`.",
        mistakes={
            "2.48": "That is the way up. The step goes *against* the derivative.",
            "0.48": "That is the length of the step. Subtract it from 2.",
            "1.98": "The step is 0.02 times the derivative.",
        },
        because=r"$2 - 0.02 \cdot 24$.",
    ),
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
