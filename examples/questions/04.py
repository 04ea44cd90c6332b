"""The questions of lesson 04."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_visits=Question(
        "How many visits did the first walk make for ten doublings, and how many the one "
        "with an order? Answer with two numbers.",
        answer=[2047, 11],
        by="[counts[9], in_order[9]]",
        hint=(
            "There are 11 nodes. Without an order, a node is visited once for every way that "
            "leads to it."
        ),
        mistakes={
            "[1024, 11]": "1024 ways lead to the first node alone. Add those to the others.",
            "[2047, 10]": "Ten doublings make eleven nodes: do not forget the first.",
        },
        because=r"$1 + 2 + 4 + \dots + 2^{10} = 2047$, and one visit for each of 11 nodes.",
        end=True,
    ),
    end_bias=Question(
        "A bias (2,) is added to a batch (5, 2), and the loss is the sum of all. What is "
        "the bias's gradient?",
        answer=[5, 5],
        by="""
            bias = Tensor(np.zeros(2))
            backward(np.sum(np.ones((5, 2)) + bias))
            bias.grad
        """,
        hint="To how many rows is each number of the bias added?",
        mistakes={
            "[1, 1]": "That is what comes from one row. The bias was added to every row.",
            "5": "The gradient has the shape of the bias: two numbers.",
        },
        because="Each number was added to 5 rows.",
        end=True,
    ),
    end_index=Question(
        "`y = x[[1, 1, 0]]` with three numbers in `x`, and the loss is `np.sum(y * [1, 2, "
        "3])`. What is the gradient of `x`?",
        answer=[3, 3, 0],
        by="""
            x = Tensor(np.zeros(3))
            backward(np.sum(x[[1, 1, 0]] * np.array([1.0, 2.0, 3.0])))
            x.grad
        """,
        hint="Which weights does each element of `x` meet?",
        mistakes={
            "[3, 2, 0]": "Element 1 is taken twice, with the weights 1 and 2. They add up.",
            "[1, 2, 3]": (
                "These are the weights in the order of `y`. Which elements of `x` do they "
                "belong to?"
            ),
        },
        because="Element 1 is taken twice, $1 + 2$; element 0 once, with 3; element 2 never.",
        end=True,
    ),
)
