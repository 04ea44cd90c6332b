"""The questions of lesson 08."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    equal_scores=Question(
        "The query is $(1, 2, 0, 1)$, the keys are $(2, 1, 5, 0)$ and $(0, 2, 1, 0)$, and their "
        "values $(0, 4)$ and $(6, 0)$. What is the output?",
        answer=[3, 2],
        by="first.tolist()",
        hint="Compute both products. What are the weights of two scores that are equal?",
        mistakes={
            "[6, 4]": "That is the sum of the values. The weights are $1/2$ each.",
            "[12, 8]": "That is weighted by the scores, 2 each. Turn them into weights first.",
            "[24, 16]": "That is weighted by the products, 4 each. Turn them into weights first.",
        },
        because="Both products are 4, so both weights are $1/2$.",
    ),
    plain_sum=Question(
        r"With $y_i = \sum_j (v_i \cdot v_j)\, v_j$ and the vectors $(1, 0)$, $(0, 1)$ and "
        "$(1, 1)$, what is $y_3$, for $(1, 1)$?",
        answer=[3, 3],
        by="plain_sums[2].tolist()",
        hint="Its products with the three are 1, 1 and 2.",
        mistakes={
            "[2, 2]": "That is one of the three parts, or the sum of the vectors as they are.",
            "[1, 1]": "These are two of the three parts, or a mean. Add all three.",
        },
        because=r"$1 \cdot (1, 0) + 1 \cdot (0, 1) + 2 \cdot (1, 1)$.",
    ),
    wider=Question(
        "By which factor does the variance of the product grow, from the width 4 to the width 64, "
        "without the division?",
        answer=16,
        by="round(variance[2] / variance[0])",
        hint="The variance is $C d$.",
        mistakes={
            "4": "That is by how much the products grow. Their variance is in squares.",
            "256": "It grows with $d$, not with $d^2$.",
            "1": "That is so after the division by the root.",
        },
        because="$64 / 4$.",
    ),
    alike=Question(
        "Let query and key be the same vector. By which factor does the mean of its score with itself "
        r"grow from the width 4 to the width 64, *with* the division by $\sqrt d$?",
        answer=4,
        by="round(with_itself[2] / with_itself[0])",
        hint=r"Its product with itself has the mean $d a^2 / 3$. Divide that by $\sqrt d$.",
        mistakes={
            "16": r"That is by how much the product grows, without the division by $\sqrt d$.",
            "1": "So it is with independent vectors. Squares do not cancel each other.",
        },
        because=r"$\sqrt{64} / \sqrt 4$.",
    ),
    shifted=Question(
        r"What is the softmax of $(1000, 1000 + \ln 3)$?",
        answer=[0.25, 0.75],
        by="softmax(large).tolist()",
        hint="Subtract 1000 from both scores.",
        mistakes={
            "[0.5, 0.5]": r"Only the difference of the scores counts, and it is $\ln 3$.",
            "[0, 1]": r"The difference of the scores is only $\ln 3$.",
        },
        because="Only the difference of the two scores counts.",
    ),
    one_hidden=Question(
        "Four scores are equal, and the last is hidden, before the softmax. What weight does the "
        "first get?",
        answer=0.333,
        by="before(np.zeros(4))[0].item()",
        hint="The weights of those that are left sum to one.",
        mistakes={
            "0.25": "That is its weight if the mask comes after the softmax.",
            "0": "That is the weight of the hidden one.",
            "1": "All three together get 1.",
        },
        because="Three equal scores are left.",
    ),
    reachable=Question(
        "The values are $(0, 0)$, $(2, 0)$ and $(0, 2)$. Which of these three outputs can "
        "attention give, for some finite scores?",
        choices=["(0.5, 1)", "(1.5, 1.5)", "(2, 0)"],
        answer="(0.5, 1)",
        by="""
            points = {"(0.5, 1)": (0.5, 1), "(1.5, 1.5)": (1.5, 1.5), "(2, 0)": (2, 0)}
            [name for name, point in points.items() if needed(*point).min() > 0][0]
        """,
        hint="Draw the triangle. Which points are inside it?",
        mistakes={
            "(1.5, 1.5)": (
                "Each of its numbers is between 0 and 2, but it is not in the triangle: its numbers "
                "would have to sum to less than 2."
            ),
            "(2, 0)": (
                "It is a corner, one of the values. For that its weight would have to be 1 and the "
                "others 0, which finite scores never give."
            ),
        },
        because="Its weights are $1/4$, $1/4$ and $1/2$.",
    ),
    back_to_query=Question(
        r"$dS = (-\frac12, \frac12)$, the keys are $(2, 1, 5, 0)$ and $(0, 2, 1, 0)$, and $d = 4$. What "
        "is $dQ$, the gradient of the query?",
        answer=[-0.5, 0.25, -1, 0],
        by="d_q[0].tolist()",
        hint=r"$dS\, K$ is half of the second key less half of the first. Then divide by $\sqrt 4$.",
        mistakes={
            "[-1, 0.5, -2, 0]": r"That is $dS\, K$. The scores were divided by $\sqrt 4$: so is $dQ$.",
            "[0.5, -0.25, 1, 0]": "The other sign: the second key has the positive $dS$.",
            "[1, 1.5, 3, 0]": "That is the mean of the keys. Here $dS$ weighs them, not $A$.",
        },
        because=r"$\frac12 \cdot \frac12 ((0, 2, 1, 0) - (2, 1, 5, 0))$.",
    ),
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
        "variance of their product, without and with the division by the root?",
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
    end_back=Question(
        r"A query has the weights $(\frac14, \frac34)$, and what arrives at them is $dA = (8, 0)$. What "
        "is $dS$, which arrives at the two scores?",
        answer=[1.5, -1.5],
        by="(np.array([0.25, 0.75]) * (np.array([8.0, 0]) - 0.25 * 8)).tolist()",
        hint="First the sum of weight times $dA$. Take it off both, and then multiply by the weights.",
        mistakes={
            "[2, 0]": "These are the weights times $dA$. First the sum, 2, is taken off $dA$.",
            "[6, -2]": "This is $dA$ less the sum. Multiply by the weights.",
            "[1, -3]": "The mean of $dA$ is taken with the weights: it is 2, and not 4.",
        },
        because=r"The sum is 2; $\frac14 \cdot 6$ and $\frac34 \cdot (-2)$. They sum to 0.",
        end=True,
    ),
)
