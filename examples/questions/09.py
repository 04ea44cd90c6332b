"""The questions of lesson 09."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    shape_of_w_o=Question(
        "$D = 8$, $H = 3$ heads, $K = 4$ and $V = 5$. What is the shape of $W_O$?",
        answer=(15, 8),
        by="W_O.shape",
        hint="It takes all heads side by side, and gives a vector as wide as the input.",
        mistakes={
            "(5, 8)": "That is the part of $W_O$ that meets one head. There are three heads.",
            "(12, 8)": "The heads are as wide as the values, $V = 5$, not as the keys.",
            "(8, 15)": "Vectors are rows: the matrix stands to their right.",
        },
        because=r"$H V = 3 \cdot 5$ numbers go in, $D = 8$ come out.",
    ),
    numbers_when_added=Question(
        "$D = 512$. Added heads have the same $W_Q$ and $W_K$ as joined ones, but values 512 wide "
        "for each of the 8 heads, and no $W_O$. How many times $512^2$ numbers have they?",
        answer=10,
        by="summed / 512**2",
        hint="$W_Q$ and $W_K$ together have two times as many. What do the values of one head need?",
        mistakes={
            "2621440": "That is the number itself. How many times $512^2$ is it?",
            "9": "Both $W_Q$ and $W_K$ count.",
            "8": "These are the values. $W_Q$ and $W_K$ count, too.",
            "3": "Each of the 8 heads has a separate $W_V^h$, 512 by 512.",
        },
        because="1 for the queries, 1 for the keys, and 8 for the values.",
    ),
    who_answers_all=Question(
        "Three models are trained to name the symbol to the left, the one to the right, and the "
        "first: with one head, with three and with four. All are 48 wide: one head of 48, three of 16, "
        "four of 12. Which of them learn to answer all three questions?",
        choices=["all three models", "those with three and four heads", "only the one with four"],
        answer="those with three and four heads",
        by="""
            able = [H for H in (1, 3, 4) if min(right(models[H])) > 99]
            {(3, 4): "those with three and four heads"}[tuple(able)]
        """,
        hint="A head takes one mean at each position. How many positions are asked for?",
        mistakes={
            "all three models": (
                "One head takes one mean, and has learned to carry only two of the symbols in it."
            ),
            "only the one with four": "Three heads can look at three positions.",
        },
        because="Three heads take three means, one for each question.",
    ),
    one_left_out=Question(
        "Of a model with three heads, trained for the three questions, one is left out. How many "
        "of the three questions are then answered badly?",
        answer=1,
        by="(lost[3][0] < 90).sum()",
        hint="What does each head look at?",
        mistakes={
            "3": "The heads stand side by side. Each adds its part, and knows nothing of the others.",
            "0": "Each head is the only one that looks at its position.",
        },
        because="Each of the three has one question to itself.",
    ),
    how_many_can_go=Question(
        "How many heads of a model with 12 can be left out at once, at most, so that more than 90 % of "
        "the answers to each question stay right?",
        choices=["none", "six to nine of them", "ten or eleven"],
        answer="six to nine of them",
        by="""
            can_go = 12 - min(left for left, found in pruned.items() if min(found) > 90)
            "none" if can_go < 6 else "six to nine of them" if can_go < 10 else "ten or eleven"
        """,
        hint="There are three questions, and 12 heads look at three positions.",
        mistakes={
            "none": "With four heads one could already be left out.",
            "ten or eleven": "With two heads left, one of the questions is no longer answered.",
        },
        because="Several heads look at the same position.",
    ),
    smoothed=Question(
        "One head has the weights 1/4, 1/2 and 1/4 for the position before, here and after. "
        "Its input is 0, 0, 4, 0, 0. What is its output at the position of the 4?",
        answer=2,
        by="""
            signal = np.zeros((T, D))
            signal[10] = 4
            round(attend_by_distance(signal, shares)[10, 0].item(), 6)
        """,
        hint="Only the position itself is not zero.",
        mistakes={
            "1": "That is what the neighbours get.",
        },
        because="$4 / 2$; its neighbours become 1.",
    ),
    end_rows=Question(
        "$D = 64$, $H = 4$, $V = 16$. Which rows of $W_O$ belong to the third head? Answer "
        "with two numbers, counted from 0: its first row, and the first row after it.",
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
        by="size(mt.MultiHeadAttention(mt.AttentionSizes(256, 8, bias=False)))",
        hint="There are four kinds of matrices, and $H K = D$.",
        mistakes={
            "196608": "$W_O$ is missing.",
            "2097152": "$W_Q^h$ is $(D, K)$, not $(D, D)$: the eight heads share the width.",
        },
        because=r"$4 \cdot 256 \cdot 256$.",
        end=True,
    ),
    end_added=Question(
        "Heads are added and not joined, $D = 64$ and $H = 4$. How many numbers are in the matrices "
        "that make the values, without biases?",
        answer=16_384,
        by='mt.MultiHeadAttention(mt.AttentionSizes(64, 4, bias=False, join="add")).value.weight.size',
        hint="How wide is a value that is added to the output as it is?",
        mistakes={
            "4096": "That is so for one head, or for joined heads. Here there are four such matrices.",
            "1024": "That is one joined head: $(64, 16)$.",
        },
        because=r"Four matrices, $64 \cdot 64$ each.",
        end=True,
    ),
)
