"""The questions of lesson 08."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_scores=Question(
        "The query is $(1, 1, 1, 1)$, and there are two keys, itself and $(0, 0, 0, 0)$. "
        "What are the scaled scores?",
        answer=[2, 0],
        by="""
            mt.scaled_dot(np.ones((1, 4)), np.stack([np.ones(4), np.zeros(4)]))[0].tolist()
        """,
        hint=r"Divide the products by $\sqrt K$.",
        mistakes={
            "[4, 0]": r"These are the products. Divide by $\sqrt 4$.",
            "[1, 0]": r"Divide by $\sqrt 4$, not by 4.",
        },
        because=r"$4 / \sqrt 4$ and 0.",
        end=True,
    ),
    end_shape=Question(
        "There are 3 queries and 7 keys, 4 wide, and the values are 5 wide. What is the "
        "shape of the output?",
        answer=(3, 5),
        by="mt.attention(np.ones((3, 4)), np.ones((7, 4)), np.ones((7, 5)))[0].shape",
        hint="There is one row for each query. What does a row consist of?",
        mistakes={
            "(3, 7)": "That is the shape of the weights.",
            "(3, 4)": "A row of the output is a mean of values, and these are 5 wide.",
            "(7, 5)": "That is the shape of the values. There is one row of output for each query.",
        },
        because="A row for each query, each a mean of values.",
        end=True,
    ),
    end_variances=Question(
        "Queries and keys are 90 wide, with numbers uniform on $[-1, 1]$. What is the "
        "variance of a score without and with the division?",
        answer=[10, 0.111],
        by="""
            variance = round(products(90, 400_000).var() / a**4)
            [variance, variance / 90]
        """,
        hint=(
            "A number uniform on $[-1, 1]$ has the variance $1/3$, a product of two such "
            "numbers $1/9$."
        ),
        mistakes={
            "[10, 1.05]": r"Dividing by $\sqrt{90}$ divides the variance by 90.",
            "[30, 0.333]": r"A product of two such numbers has the variance $1/3 \cdot 1/3$.",
        },
        because=r"$90 \cdot 1/9$; the division by $\sqrt{90}$ divides the variance by 90.",
        end=True,
    ),
)
