"""The questions of lesson 09."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_rows=Question(
        "$D = 64$, $H = 4$, $V = 16$. Which rows of $W_O$ belong to the third head? Answer "
        "with the first, and the first that is no longer, counted from 0.",
        answer=[32, 48],
        by="""
            rows = np.split(np.arange(64), 4)[2]
            [rows[0], rows[-1] + 1]
        """,
        hint="The first head has the rows 0 to 15.",
        mistakes={
            "[32, 47]": "47 still belongs to the head. The first that does not is 48.",
            "[48, 64]": "That is the fourth head.",
        },
        because=r"The heads before it have $2 \cdot 16$ rows.",
        end=True,
    ),
    end_numbers=Question(
        "How many numbers are in the matrices of a multi-head attention with $D = 256$, $H "
        "= 8$, $K = V = 32$, without biases?",
        answer=262_144,
        by="size(mt.MultiHeadAttention(256, 8, bias=False))",
        hint="There are four kinds of matrices, and $H K = D$.",
        mistakes={
            "196608": "$W_O$ is missing.",
            "2097152": "$W_Q^h$ is $(D, K)$, not $(D, D)$: the eight heads share the width.",
        },
        because=r"$4 \cdot 256 \cdot 256$.",
        end=True,
    ),
    end_smoothed=Question(
        "One head has the weights 1/4, 1/2 and 1/4 for the place before, here and after. "
        "What does it make of 0, 0, 4, 0, 0 at the place of the 4?",
        answer=2,
        by="""
            signal = np.zeros((T, D))
            signal[10] = 4
            round(attend_by_distance(signal, shares)[10, 0].item(), 6)
        """,
        hint="Only the place itself is not zero.",
        mistakes={
            "1": "That is what the neighbours get.",
        },
        because="$4 / 2$; its neighbours become 1.",
        end=True,
    ),
)
