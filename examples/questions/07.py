"""The questions of lesson 07."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    it_asks_ball=Question(
        'What is the score when "it" asks "ball", and what when "ball" asks "it"? Answer with two '
        "numbers.",
        answer=[4, 0],
        by="((words @ asks) @ (words @ is_asked).T)[[it, ball], [ball, it]]",
        hint=(
            r"A score is the query of the one that asks times the key of the other: first $(2.5, "
            r"1.5) \cdot (1, 1)$."
        ),
        mistakes={
            "[4, 4]": (
                'The second score takes the query of "ball", $(1, -1)$, and the key of "it", '
                "$(-1, -1)$."
            ),
            "[0, 4]": 'This is the other way round: first "it" asks.',
            "[0, 0]": "These are the products of the words themselves. Take a query and a key.",
        },
        because=r"$2.5 + 1.5 = 4$, and $-1 + 1 = 0$.",
    ),
    three_weights=Question(
        "The query of each word is its first number, and so is its key. What weights does "
        '"temperature" give to hot, cold and temperature?',
        answer=[1 / 3, 1 / 3, 1 / 3],
        by="found[2]",
        hint="What are the three keys, and so the three scores?",
        mistakes={
            "[1, 1, 1]": "These are the scores. The weights sum to 1.",
            "[0.5, 0.5, 0]": 'The key of "temperature" is 1 as well: it finds itself too.',
        },
        because="All three keys are 1, so all scores are equal.",
    ),
    sharpest=Question(
        "The scores $1.5, 1$ and $0.5$ are multiplied by 64. How many degrees come out?",
        answer=30,
        by="softmax(64 * (keys @ warm)) @ values",
        hint="96, 64 and 32: how many times as large as the others is $e^{96}$?",
        mistakes={
            "15": "That is the mean of all three, which comes out with the factor 0.",
            "22.5": (
                "That would be halfway between mild and hot. But the first score is 32 above the "
                "second, so it gets nearly all of the weight."
            ),
        },
        because=r"Hot has all of the weight but $e^{-32}$: very nearly a look-up.",
    ),
    zero_query=Question(
        "v3 is $(0, 1, 0)$: its query is the second row of $W_Q$, the second numbers of the six "
        "triples. What weight does v3 give to v5?",
        answer=0.167,
        by="A[2, 4]",
        hint="All these numbers are 0. What are the six scores?",
        mistakes={
            "0": "The scores are 0. The softmax turns them into weights that sum to 1.",
        },
        because="Its query is zero, so all six scores are 0: $1/6$ for each.",
    ),
    moved=Question(
        "To which of the others is v6 nearer after attention than before, by the cosine?",
        choices=["v1 and v2 only", "v3 and v4 only", "v1, v2, v3 and v4"],
        answer="v1, v2, v3 and v4",
        by="""
            nearer = alike_after[5, :4] > alike_before[5, :4]
            {(1, 1, 0, 0): "v1 and v2 only", (0, 0, 1, 1): "v3 and v4 only",
             (1, 1, 1, 1): "v1, v2, v3 and v4"}[tuple(map(int, nearer))]
        """,
        hint="v3 and v4 move, too. v3 gives all six vectors the same weight: where does it go?",
        mistakes={
            "v1 and v2 only": (
                "So the article's picture shows it. But v3 and v4 move too, towards the mean of all."
            ),
            "v3 and v4 only": (
                "v6 gives most of its weight to v1 and v2: look at its row of the weights."
            ),
        },
        because="v6 moves towards v1 and v2, and v3 and v4 move towards the mean of all.",
    ),
    first_with_first=Question(
        "The first numbers of the six triples are $1, 1, 0, 0, 0, 2$, in $W_Q$ and in $W_K$. What "
        "is the number in the first row and first column of $W_Q W_K^\\mathsf{T}$?",
        answer=6,
        by="M[0, 0]",
        hint="It is the product of the first row of $W_Q$ and the first row of $W_K$.",
        mistakes={
            "4": "That is the sum of the row. Multiply number by number, then sum.",
        },
        because="$1 + 1 + 4$.",
    ),
    end_deliver=Question(
        'Four words: hot, hot, cold, temperature, with the matrices of "Finding and '
        'delivering". What does "temperature" get?',
        answer=0.25,
        by="""
            four = np.array([[1.0, 1], [1, 1], [1, -1], [1, 0]])
            (softmax(four @ find @ (four @ find).T) @ four @ deliver)[3, 0]
        """,
        hint="All four are found alike. What does each deliver?",
        mistakes={
            "1": "That is the sum of what they deliver. Attention takes a mean, over all four.",
            "1/3": '"temperature" finds itself too, and delivers 0: divide by four.',
        },
        because="$(1 + 1 - 1 + 0) / 4$.",
        end=True,
    ),
    end_exchanged=Question(
        "In the first example, exchange the two matrices: queries by `is_asked`, keys by `asks`. "
        'What is the score now when "ball" asks "it"?',
        answer=4,
        by="((words @ is_asked) @ (words @ asks).T)[ball, it]",
        hint="The old keys are the new queries. What happens to the table of all scores?",
        mistakes={
            "0": 'So it was before. Now "ball" has the query $(1, 1)$ and "it" the key $(2.5, 1.5)$.',
        },
        because="The table is transposed: who asked is asked.",
        end=True,
    ),
    end_learned=Question(
        "$D = 10$, $K = 4$, $V = 3$, and a sentence has 7 words. How many parameters "
        "are in $W_Q$, $W_K$ and $W_V$ together?",
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
