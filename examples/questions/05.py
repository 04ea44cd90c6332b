"""The questions of lesson 05."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_cosine=Question(
        "What is the cosine similarity of $(3, 4)$ and $(4, 3)$?",
        answer=0.96,
        by="cosine(np.array([3, 4]), np.array([4, 3])).item()",
        hint="Both vectors have the length 5.",
        mistakes={
            "24": "That is the product. Divide by both lengths.",
            "4.8": "Divide by both lengths, not by one.",
        },
        because=r"$(12 + 12) / (5 \cdot 5)$.",
        end=True,
    ),
    end_least=Question(
        "Two words have a cosine of 0.95 with a third. What is the least that they can have"
        " with each other?",
        answer=0.805,
        by="np.cos(2 * np.arccos(0.95)).item()",
        hint=(
            "The two are farthest apart when the third lies between them: the angle is twice as"
            " large."
        ),
        mistakes={
            "0.95": "That is their cosine with the third. The two can be farther from each other.",
            "0.9025": "That is the square, 0.95 times 0.95. It is the angle that doubles.",
        },
        because=r"$2 \cdot 0.95^2 - 1$.",
        end=True,
    ),
    end_repeated_word=Question(
        'A sentence repeats one word: "bank bank bank bank". What weight does each get from'
        " the first?",
        answer=0.25,
        by='contextualise(["bank"] * 4)[1][0, 0].item()',
        hint="All scores are equal, and the weights sum to 1.",
        mistakes={
            "1": "The weights of all four sum to 1.",
        },
        because="Four equal scores share the weight evenly.",
        end=True,
    ),
)
