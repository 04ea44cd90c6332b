"""The questions of lesson 02."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    column=Question(
        r"The gradient $G = \begin{pmatrix} 1 & 0 & 2 \\ 0 & 5 & 1 \end{pmatrix}$ arrives at $Y$. "
        "What is the gradient of the column?",
        answer=[3, 6],
        by="column.grad",
        hint="The column has two numbers. Along which axis was it copied?",
        mistakes={
            "[1, 5, 3]": "That is the gradient of the row, which was copied downwards.",
            "[1, 2]": "That is a mean. The gradients of the copies add up.",
        },
        because="Each number of the column was copied along its row of $G$: the row is summed.",
    ),
    end_broadcast=Question(
        "$X$ has the shape `(5, 1)`, $w$ has `(4,)`, and all their elements are 1. With $Y "
        r"= X w$ (broadcast, not `@`) and $L = \sum Y$, what is each element of the gradient"
        " of $X$, and each of that of $w$? Answer with two numbers.",
        answer=[4, 5],
        by="""
            X = mg.Tensor(np.ones((5, 1)), requires_grad=True)
            w = mg.Tensor(np.ones(4), requires_grad=True)
            np.sum(X * w).backward()
            [X.grad.data.min(), w.grad.data.max()]
        """,
        hint=(
            "$Y$ has the shape `(5, 4)`. How many elements of $Y$ does one element of $X$ take "
            "part in?"
        ),
        mistakes={
            "[5, 4]": (
                "The other way round: an element of $X$ is copied along the axis of $w$, 4 times."
            ),
            "[1, 1]": "Each element was copied. The gradients of its copies add up.",
        },
        because=(
            "One element of $X$ is copied 4 times, one of $w$ 5 times, and the gradients of the"
            " copies add up."
        ),
        end=True,
    ),
    end_square=Question(
        r"If $A$ and $B$ are both square, $n \times n$, how many products does `that_fit` "
        "find for the gradient of $A$? (This is why one tests with lengths that differ.)",
        answer=8,
        by="len(that_fit((3, 3), G=(s := rng.normal(size=(3, 3))), B=s))",
        hint="Which orders are there, and which of the two matrices can be transposed?",
        mistakes={
            "4": "Those are the transposes in one order. The two factors can change places, too.",
        },
        because=(
            r"Two orders, and each of the two factors may be transposed or not: $2 \cdot 2 \cdot"
            " 2$."
        ),
        end=True,
    ),
    end_repeated=Question(
        r"$x = (10, 20, 30)$ and $L = \sum_i x_{\mathrm{ids}_i}^2$ with ids $(2, 0, 2, 2)$. "
        "What is the gradient of $x$?",
        answer=[20, 0, 180],
        by="""
            x = mg.Tensor([10.0, 20.0, 30.0], requires_grad=True)
            np.sum(np.square(x[[2, 0, 2, 2]])).backward()
            x.grad.tolist()
        """,
        hint="How often is each element taken?",
        mistakes={
            "[20, 0, 60]": "The last element is taken three times, and the gradients add up.",
            "[20, 40, 60]": "The element 20 is never taken; the element 30 is taken three times.",
        },
        because=r"The element 30 is taken three times: $3 \cdot 2 \cdot 30$.",
        end=True,
    ),
)
