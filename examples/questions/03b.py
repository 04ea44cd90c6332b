"""The questions of lesson 03b."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    one_line=Question(
        "$u = 2x + 1$ and $y = 3u - 1$. Which line is $y$, in terms of $x$? Answer with its slope and"
        " its height at $x = 0$.",
        answer=[6, 2],
        by="[W_both, b_both]",
        hint="Put $2x + 1$ in the place of $u$, and multiply out.",
        mistakes={
            "[5, 0]": "Slopes that follow each other multiply, as in the chain rule.",
            "[6, 0]": r"The second layer multiplies the bias of the first: $3 \cdot 1 - 1$.",
            "[6, 1]": "The second layer has a bias, too.",
        },
        because="$3\\,(2x + 1) - 1 = 6x + 2$.",
    ),
    slope_of_tanh=Question(
        r"Where $\tanh x = 0.8$, what is its slope?",
        answer=0.36,
        by="slope_at(np.arctanh(0.8))",
        hint=r"$1 - \tanh^2 x$.",
        mistakes={
            "0.2": "The square is missing.",
            "0.64": r"That is $\tanh^2 x$. Subtract it from 1.",
        },
        because="$1 - 0.64$.",
    ),
    parameters=Question(
        "$W_1$ is $(1, 4)$, $b_1$ is $(4,)$, $W_2$ is $(4, 1)$ and $b_2$ is $(1,)$. How many parameters"
        " has the network?",
        answer=13,
        by="sum(parameter.size for parameter in trained)",
        hint="Count the numbers in each of the four.",
        mistakes={"8": "The biases are learned, too.", "4": "These are the hidden numbers."},
        because="$4 + 4 + 4 + 1$.",
    ),
    three_rates=Question(
        "Which rate has the smallest loss after 500 steps?",
        choices=["0.001", "0.3", "1"],
        answer="0.3",
        by='{0.001: "0.001", 0.3: "0.3", 1.0: "1"}[min(runs, key=lambda rate: runs[rate][1][-1])]',
        hint="A step is the rate times the gradient. The parameters are numbers of about the size 1.",
        mistakes={
            "0.001": r"500 steps of 0.001 times the gradient are half of the gradient, all together.",
            "1": "A step of the whole gradient goes beyond the lowest point, the next still farther.",
        },
        because="Small enough to stay in the valley, large enough to get there.",
    ),
    end_count=Question(
        "A network maps 10 numbers to 20, bends, and maps the 20 to 3. How many parameters has it, with"
        " biases?",
        answer=283,
        by="""
            layers = [mg.nn.Linear(10, 20), mg.nn.Linear(20, 3)]
            sum(parameter.size for layer in layers for parameter in layer.parameters())
        """,
        hint=r"The first matrix has $10 \cdot 20$ numbers. How many biases has that layer?",
        mistakes={
            "260": "These are the matrices alone. There are 23 biases.",
            "273": "A layer has a bias for each of its results, not for each of its inputs.",
        },
        because=r"$10 \cdot 20 + 20 + 20 \cdot 3 + 3$.",
        end=True,
    ),
    end_step=Question(
        "A weight is 2, its gradient is -3, and the rate is 0.1. What is the weight after the step?",
        answer=2.3,
        by="2 - 0.1 * -3",
        hint=r"$W \leftarrow W - \eta\, \partial L / \partial W$.",
        mistakes={"1.7": "The gradient is below 0: a larger weight makes the loss smaller."},
        because=r"$2 - 0.1 \cdot (-3)$.",
        end=True,
    ),
)
