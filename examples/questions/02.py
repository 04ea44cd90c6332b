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
        because="Each number of the column was copied along a row of $Y$: that row of $G$ is summed.",
    ),
    of_a_sum=Question(
        "The gradient $(7, 8, 9)$ arrives at $s$. What is the gradient of $X$? Give all six numbers,"
        " row by row.",
        answer=[[7, 8, 9], [7, 8, 9]],
        by="""
            X = mg.Tensor(np.ones((2, 3)), requires_grad=True)
            np.sum(X, axis=0).backward([7.0, 8.0, 9.0])
            X.grad
        """,
        hint="Raise one element of $X$ by a little. Which element of $s$ rises, and how fast?",
        mistakes={
            "[3.5, 4, 4.5, 3.5, 4, 4.5]": (
                "Nothing is shared out: raise an element by 0.1, and its sum rises by 0.1, too."
            ),
            "[7, 8, 9]": "These are three numbers. $X$ has two rows.",
        },
        because="Each element gets the gradient of its sum.",
    ),
    left_factor=Question(
        "$A$ is $(2, 4)$, $B$ is $(4, 3)$, and so $G$ is $(2, 3)$. Which of these products has the"
        " shape of $A$?",
        choices=["G @ B", "G @ B.T", "B.T @ G", "B @ G.T"],
        answer="G @ B.T",
        by='list(fit["A"])[0]',
        hint="`B.T` is $(3, 4)$. In a product the lengths in the middle must be equal, and vanish.",
        mistakes={
            "G @ B": "$(2, 3)$ and $(4, 3)$: the lengths in the middle, 3 and 4, are not equal.",
            "B.T @ G": "$(3, 4)$ and $(2, 3)$: the lengths in the middle, 4 and 2, are not equal.",
            "B @ G.T": "That is $(4, 2)$, the transpose of what is wanted.",
        },
        because="$(2, 3)$ times $(3, 4)$ is $(2, 4)$.",
    ),
    batch=Question(
        "What shape has the gradient of $B$?",
        answer=(4, 3),
        by="B.grad.shape",
        hint="What shape has the gradient of anything?",
        mistakes={
            "(5, 4, 3)": "That is one for each matrix of the batch. But there is only one $B$.",
        },
        because="A gradient has the shape of what it belongs to.",
    ),
    letters=Question(
        "In `ij,jk->ik` the gradient $G$ of the result has the letters `ik`. Which einsum makes that of"
        " $A$, `ij`, from $G$ and $B$?",
        choices=["ik,jk->ij", "ik,jk->ik", "ij,jk->ij"],
        answer="ik,jk->ij",
        by="""
            "ik,jk->ij" if np.allclose(np.einsum("ik,jk->ij", G_, B_.data), A_.grad) else ""
        """,
        hint="Which letters has $G$, which has $B$, and which must be left?",
        mistakes={
            "ik,jk->ik": "That has the letters of $G$. The gradient of $A$ has those of $A$.",
            "ij,jk->ij": "$G$ has the letters of the result, `ik`.",
        },
        because="$k$ is summed, as $A_{ij}$ is used for every $k$: it is `G @ B.T`.",
    ),
    picked=Question(
        "What is each number in the gradient of the row of *the*, of *saw* and of *fish*? Answer with"
        " three numbers.",
        answer=[3, 2, 0],
        by='[table.grad[known.index(word), 0].item() for word in ("the", "saw", "fish")]',
        hint="How often was each of these rows copied?",
        mistakes={
            "[1, 1, 0]": "A row that is copied several times gets a gradient for each copy.",
            "[1, 1, 1]": "*fish* is not in the sentence. And the gradients of copies add up.",
        },
        because="One for each time that the word stands in the sentence.",
    ),
    plus_equals=Question(
        "`grad` is zeros, and `g` is 1 for each word of the same sentence. What do *the* and *saw* have"
        " after `grad[ids] += g`? Answer with two numbers.",
        answer=[1, 1],
        by='dropped[[known.index("the"), known.index("saw")]]',
        hint="What does it read for each *the*, before anything is written?",
        mistakes={
            "[3, 2]": "So it should be. But NumPy reads all numbers before it writes the first.",
        },
        because="Each of the three times, NumPy computes $0 + 1$.",
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
        counted=True,
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
