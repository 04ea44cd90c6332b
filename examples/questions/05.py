"""The questions of lesson 05."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    analogy=Question(
        "What is king - man + woman? Answer with five numbers.",
        answer=[0.9, 0.8, 0.7, 0.1, 0.7],
        by="made",
        hint="Number by number: the first is $0.9 - 0.8 + 0.8$.",
        mistakes={
            "[0.9, 0.8, 0.7, 0.1, 0.2]": "That is king. Only the fifth number changes.",
            "[0.9, 0.8, 0.7, 0.1, -0.3]": "Subtract man and add woman, not the other way round.",
        },
        because="These are the numbers of queen.",
    ),
    most_alike=Question(
        "Which of these pairs has the largest cosine?",
        choices=["king and queen", "man and woman", "king and man"],
        answer="king and man",
        by="""
            alike_of = {"king and queen": alike[0, 1], "man and woman": alike[2, 3],
                        "king and man": alike[0, 2]}
            max(alike_of, key=alike_of.get)
        """,
        hint="king and queen differ in one number only, but by 0.5. By how much do king and man?",
        mistakes={
            "king and queen": "They differ by 0.5 in the fifth number, which turns the vector.",
            "man and woman": "They differ by 0.5 in the fifth number, and are shorter vectors.",
        },
        because="They differ by 0.2 at most: 0.991, against 0.948 and 0.927.",
    ),
    hot_and_cold=Question(
        "Hot and cold both have a cosine of 0.9 with temperature. What is the least that their cosine "
        "can be?",
        answer=0.62,
        by="2 * 0.9**2 - 1",
        hint=r"The cosine of the two is at least $c^2 - r^2$, with $r^2 = 1 - c^2$. Put in $c = 0.9$.",
        mistakes={
            "0.81": "That is $c^2$. Subtract $r^2 = 1 - c^2$ from it.",
            "0.8": "That is $2c - 1$. The formula has the square of $c$.",
        },
        because=r"$2 \cdot 0.81 - 1$.",
    ),
    bank_looks=Question(
        'In "bank of the river" bank is $(1.2, 1.2)$, river $(0, 2.4)$, "of" and "the" are near zero. '
        'The weights are a softmax of products. Which word gets the largest weight from "bank"?',
        choices=["bank alone", "river alone", "bank and river, equally much"],
        answer="bank and river, equally much",
        by="""
            first = A[0] > A[0].max() - 1e-9
            {(1, 0, 0, 0): "bank alone", (0, 0, 0, 1): "river alone",
             (1, 0, 0, 1): "bank and river, equally much"}[tuple(map(int, first))]
        """,
        hint=r"The score with itself is $1.2 \cdot 1.2 + 1.2 \cdot 1.2$. And that with $(0, 2.4)$?",
        mistakes={
            "bank alone": (
                "A longer vector can have as large a product with a word as the word has with itself."
            ),
            "river alone": "Multiply bank by itself, too.",
        },
        because=r"Both scores are 2.88: $1.2 \cdot 1.2 \cdot 2 = 1.2 \cdot 2.4$.",
    ),
    how_many_numbers=Question(
        "How many numbers does each word need, so that all similarities come out as asked?",
        answer=4,
        by="min(D for D, (_, losses) in learned.items() if losses[-1] < 1e-5)",
        hint=(
            "The first three words lie in one plane, and the other three in another. What have the two "
            "planes in common?"
        ),
        mistakes={
            "2": "Two numbers are one plane. The two groups of words have nothing in common.",
            "3": (
                "In space, two planes through the origin share a line. These two are to have "
                "nothing in common."
            ),
            "6": "Six would do. But fewer are enough: each group of three lies in a plane.",
        },
        because="Two planes that have nothing in common: $2 + 2$.",
    ),
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
