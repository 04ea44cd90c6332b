"""The questions of lesson 04."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    set=Question(
        "What does this walk say is the derivative of $y$ with respect to $w$?",
        answer=4,
        by="said",
        hint=(
            "`s` gets 2 from the first factor and 2 from the second. What is its gradient after each"
            " visit, and what does it pass on?"
        ),
        mistakes={
            "8": "So it should be. But the walk writes `number.grad = gradient`.",
            "2": "`s` passes on 2 times the slope, and the slope of `w` is $x = 2$.",
        },
        because="Each time, 2 arrives at `s`, and 4 at `w`; and the second 4 replaces the first.",
    ),
    visits=Question(
        "A number is doubled ten times. How many visits does the walk make?",
        answer=2047,
        counted=True,
        by="counts[9]",
        hint=r"Two visits for the number before the last, four for the one before that, ...",
        mistakes={
            "1024": "These are the visits to the first number. Add those to the others.",
            "1023": "These are the visits to all but the first number.",
            "11": "So many numbers there are. Each is visited once for each path to it.",
            "20": "Two edges from each. But the walk goes over the edges below them again and again.",
        },
        because=r"$1 + 2 + 4 + \dots + 2^{10}$.",
    ),
    bias_shape=Question(
        "The bias has the shape (2,), and a gradient of shape (3, 2) arrives at the sum `batch + bias`."
        " What shape has the gradient that this engine gives the bias?",
        answer=(3, 2),
        by="wrong_shape",
        hint="For a sum the slope is 1. What is the shape of what arrives at the sum?",
        mistakes={
            "(2,)": "So it should be. But who sums over the three rows?",
        },
        because="The gradient of the sum is passed on as it is, with three rows.",
    ),
    turned=Question(
        "The rule of `a` multiplies by `b.T`. What is the shape of `b.T`?",
        answer=(2, 4, 5),
        by="rng.normal(size=(5, 4, 2)).T.shape",
        hint="`.T` is the transpose of a matrix. What does it do with three axes?",
        mistakes={
            "(5, 2, 4)": "So we want it. But `.T` reverses *all* axes.",
            "(2, 5, 4)": "All three axes are reversed.",
        },
        because="`.T` reverses all axes.",
    ),
    lost=Question(
        "`x` has three numbers, and the gradient `g = [1, 10]` arrives at `x[[2, 2]]`. What does"
        " `added_at` give?",
        answer=[0, 0, 10],
        by="lost",
        hint="NumPy reads all of `out[index]`, adds, and then writes, one after the other.",
        mistakes={
            "[0, 0, 11]": "So it should be. But both sums are computed before the first is written.",
            "[0, 0, 1]": "Both are written to the same place. Which one is written last?",
        },
        because="$0 + 1$ is written, and then $0 + 10$ to the same place.",
    ),
    end_chain=Question(
        "`y` is `Ordered(1.0)`, and `y = y + Ordered(1.0)` is done 5000 times. How many visits does"
        " `walk_in_order(y)` make?",
        answer=10001,
        counted=True,
        by="""
            y = Ordered(1.0)
            for _ in range(5000):
                y = y + Ordered(1.0)
            walk_in_order(y)
        """,
        hint="It visits each number once. How many were made?",
        mistakes={
            "5000": "These are the sums. The numbers that were added are visited, too.",
            "5001": "These are the sums and the first number. Each sum has another argument.",
            "10000": "Nearly: the first number is one more.",
        },
        because="5000 sums, 5000 numbers that were added, and the first one.",
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
