"""The questions of lesson 07."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_weight=Question(
        "With the matrices of the article, what weight does v3 give to v5?",
        answer=0.167,
        by="A[2, 4].item()",
        hint="The query of v3 is zero. What are its scores?",
        mistakes={
            "0": "The scores are 0. The softmax makes weights of them that sum to 1.",
        },
        because="Its query is zero, so all six scores are 0: $1/6$ for each.",
        end=True,
    ),
    end_product=Question(
        "What is the product of the query of v1 and the key of v6, before the division by "
        r"$\sqrt 6$?",
        answer=3,
        by="products[0, 5].item()",
        hint="Look at the numbers of v1 and v6: only the first of v1 is not zero.",
        mistakes={
            "1.22": r"That is after the division by $\sqrt 6$.",
            "0.5": "That is the product of v1 and v6 themselves. The matrices map them first.",
        },
        because=r"$6 \cdot 0.5$.",
        end=True,
    ),
    end_learned=Question(
        "$D = 10$, $K = 4$, $V = 3$, and a sentence has 7 words. How many numbers are "
        "learned, in $W_Q$, $W_K$ and $W_V$ together?",
        answer=110,
        by="sum(np.zeros((10, width)).size for width in (4, 4, 3))",
        hint="$W_Q$ and $W_K$ are $(D, K)$, $W_V$ is $(D, V)$.",
        mistakes={
            "770": "The number of words does not count: all words share the matrices.",
            "70": "$W_Q$ and $W_K$ are two matrices.",
        },
        because=r"$10 \cdot (4 + 4 + 3)$. The number of words does not count.",
        end=True,
    ),
)
