"""The questions of the page of misprints."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    sum_of_all=Question(
        "Five states and three contexts have 15 weights. By the right formula those of each context sum "
        "to one, and all to 3. By the printed one, where $i$ is a state and $j$ a context, "
        r"$a_{ij} = \exp(e_{ij}) / \sum_k \exp(e_{ik})$, "
        "what do all 15 sum to?",
        answer=5,
        by="printed_index.sum()",
        hint="It divides by a sum over the contexts. What sums to one then?",
        mistakes={
            "3": "That is by the right formula. The printed one divides each state's numbers by "
            "their sum.",
            "15": "Each of the 15 is less than one.",
            "1": "Not all together sum to one, but those of each state do.",
        },
        because="The weights of each of the five states sum to one.",
    ),
    shapes_that_meet=Question(
        r"The weights of 3 queries for 5 keys are multiplied by $V^\mathsf{T}$. The rows of $V$ are "
        "the values, each 7 wide. Which shapes meet?",
        choices=["(3, 5) and (5, 7)", "(3, 5) and (7, 5)", "(5, 3) and (5, 7)"],
        answer="(3, 5) and (7, 5)",
        by="f'{weights.shape} and {values.T.shape}'",
        hint="A weight for each query and each key. The values are five rows of seven numbers.",
        mistakes={
            "(3, 5) and (5, 7)": "This is the product with $V$ itself, and it is the right one.",
            "(5, 3) and (5, 7)": "The weights have a row for each query, and there are 3.",
        },
        because="5 and 7 do not fit: there is no such product.",
    ),
    after_attention=Question(
        "The cosine of v6 and v3 is 0.58 before attention. What is it after, by the article's own "
        "matrices?",
        choices=["smaller than 0.58, as in the picture", "0.58 still", "larger than 0.58"],
        answer="larger than 0.58",
        by="""
            {True: "larger than 0.58", False: "another"}[bool(after[2] > 0.6)]
        """,
        hint="All scores of v3 are 0, so all its weights are equal. Where does it move?",
        mistakes={
            "smaller than 0.58, as in the picture": "The picture was turned. The numbers say otherwise.",
            "0.58 still": "Both move.",
        },
        because="v3 moves to the mean of all six, and v6 is among them.",
    ),
    three_keys=Question(
        "Three keys of equal length are at 120 degrees to each other in the plane. Is there a length "
        r"for which $\sum_t (k_t \cdot q)\, k_t = q$ for every $q$ of the plane?",
        choices=["yes", "no"],
        answer="yes",
        by="'yes' if np.allclose(three.T @ three, np.eye(2)) else 'no'",
        hint="The three are evenly spaced around the circle: no direction is preferred.",
        mistakes={"no": "This is what was printed. But no direction is preferred by these three."},
        because=r"With the length $\sqrt{2/3}$.",
    ),
    rounded=Question(
        "Round 0.99995000 and -0.98999250 to four digits after the point.",
        answer=[1, -0.99],
        digits=5,
        by="[round(float(first), 4), round(float(other), 4)]",
        hint="If the first digit that is left out is 5 or more, the digit before it grows by one.",
        mistakes={
            "[0.9999, -0.9899]": "These are cut off.",
            "[1, -0.9899]": "The second is nearer to -0.9900.",
            "[0.9999, -0.99]": "The first is as near to 1.0000, and a 5 rounds up.",
        },
        because="1.0000 and -0.9900.",
    ),
    end_columns=Question(
        r"Vectors are columns: $Q$ is $(4, 3)$, $K$ is $(4, 5)$ and $V$ is $(7, 5)$. What is the shape "
        r"of $V\, \mathrm{softmax}(K^\mathsf{T} Q)$?",
        answer=(7, 3),
        by="(np.ones((7, 5)) @ softmax(np.ones((4, 5)).T @ np.ones((4, 3)), axis=0)).shape",
        hint=r"$K^\mathsf{T} Q$ is $(5, 4)$ times $(4, 3)$.",
        mistakes={
            "(3, 7)": "So it would be with vectors as rows.",
            "(5, 3)": "This is the shape of the weights.",
        },
        because="A column for each of the 3 queries, as high as the values.",
        end=True,
    ),
    end_smallest=Question(
        "Somebody prints that weights of attention can be made by "
        r"$\phi(s) = s^2$, as squares are positive. Take the scores $-2$, $0$ and $1$. Which weight "
        "does the score $-2$ get?",
        answer=0.8,
        by="""
            squares = np.array([-2.0, 0, 1]) ** 2
            (squares / squares.sum())[0]
        """,
        hint="Square the three, and divide by their sum.",
        mistakes={
            "0.0351": "That is by exp, which gives the lowest score the smallest weight.",
            "0.2": "This is the weight of the score 1.",
        },
        because="The lowest score gets the largest weight: the function must be increasing, too.",
        end=True,
    ),
    end_four_keys=Question(
        "Four keys are evenly spaced around the circle in the plane, all of length $c$. "
        r"For which $c$ does $\sum_t (k_t \cdot q)\, k_t$ give back every $q$?",
        answer=0.707,
        by="""
            turns = np.arange(4) * np.pi / 2
            four = np.stack([np.cos(turns), np.sin(turns)], axis=1)
            1 / np.sqrt((four.T @ four)[0, 0])
        """,
        hint="Two of them are opposite to the other two. What do two keys at right angles give?",
        mistakes={
            "1": "Two keys of length one at right angles give back $q$. Four give it twice.",
            "0.5": r"This is $c^2$.",
            "0.816": "This is the length for three keys.",
        },
        because=r"$4 c^2 = 2$, as $3 c^2 = 2$ for three keys: $c = \sqrt{1/2}$.",
        end=True,
    ),
)
