"""The questions of lesson 14."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_top_p=Question(
        "The probabilities are $(0.5, 0.3, 0.15, 0.05)$. What are they after top-p with $p = 0.7$?",
        answer=[0.625, 0.375, 0, 0],
        by="decoding.distribution(np.log([[0.5, 0.3, 0.15, 0.05]]), top_p=0.7)[0]",
        hint="The fewest that reach 0.7 together stay, and are divided by their sum.",
        mistakes={
            "[0.5, 0.3, 0, 0]": "These two stay. But they have to sum to 1 again.",
            "[1, 0, 0, 0]": "The first alone does not reach 0.7: the second stays, too.",
            "[0.526, 0.316, 0.158, 0]": "The first two reach 0.7 already; the third goes.",
        },
        because="$0.5 / 0.8$ and $0.3 / 0.8$.",
        end=True,
    ),
    end_temperature=Question(
        ("A choice has the probabilities $(0.8, 0.2)$. What is the first at a temperature of 1/2?"),
        answer=0.941,
        by="decoding.distribution(np.log([[0.8, 0.2]]), temperature=0.5)[0, 0]",
        hint=(
            "Logits divided by 1/2 are doubled, so the probabilities are squared, and divided "
            "by their sum."
        ),
        mistakes={
            "0.64": "That is the square. Divide by the sum of both squares.",
            "0.667": "That is a temperature of 2. A low temperature makes the likely likelier.",
        },
        because="$0.8^2 / (0.8^2 + 0.2^2)$.",
        end=True,
    ),
    end_scores=Question(
        r"What are the scores of two texts, one of 5 symbols with $\log P = -3$ and one of "
        r"10 with $\log P = -3.5$, with $\alpha = 1$? (Which wins?)",
        answer=[-1.8, -1.4],
        by="[penalised(-3.0, 5, 1), penalised(-3.5, 10, 1)]",
        hint=r"Divide by $((5 + \mathrm{length}) / 6)^\alpha$.",
        mistakes={
            "[-0.6, -0.35]": (
                "These are divided by the lengths. The formula has $(5 + "
                r"\mathrm{length}) / 6$."
            ),
        },
        because="$-3 / (10/6)$ and $-3.5 / (15/6)$: the longer text wins.",
        end=True,
    ),
)
