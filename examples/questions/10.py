"""The questions of lesson 10."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    other_order=Question(
        'Without positions or a mask, man becomes $(0.452, 0.274, 0.274, 0)$ in "man hit car". '
        'What does it become in "car hit man"?',
        answer=[0.452, 0.274, 0.274, 0],
        by='without["other"][2].tolist()',
        hint="Which keys does it see now, and what are its scores for them?",
        mistakes={
            "[0.274, 0.274, 0.452, 0]": (
                "Man is the third row now, but its vector is still (1, 0, 0, 0), and it still has the "
                "largest weight for itself."
            ),
        },
        because="The same keys and values, in another order: the same mean.",
    ),
    causal_first=Question(
        "The vector of man is $(1, 0, 0, 0)$. With a causal mask, what does it become in "
        '"man hit car", where it is the first word?',
        answer=[1, 0, 0, 0],
        by='causal["one"][0].tolist()',
        hint="How many words does it see?",
        mistakes={
            "[0.452, 0.274, 0.274, 0]": "That is what it becomes when it sees all three words.",
            "[0.452, 0, 0, 0]": "The weights of what it sees sum to 1.",
        },
        because="It sees only itself, with the weight 1.",
    ),
    position_zero=Question(
        "Sines and cosines, $D = 4$: what is the vector of position 0?",
        answer=[0, 1, 0, 1],
        by="positions[0].tolist()",
        hint="All angles are 0. What are the sine and the cosine of 0?",
        mistakes={
            "[0, 0, 0, 0]": "The cosine of 0 is 1.",
            "[1, 0, 1, 0]": "The sine comes first.",
            "[0, 0, 1, 1]": "Sines and cosines take turns.",
        },
        because="The sine of 0 is 0, its cosine is 1.",
    ),
    heights=Question(
        "A clock has 12 positions. How many different heights are there for the tip of its hand?",
        answer=7,
        counted=True,
        by="len(by_height)",
        hint="Which hours have a height to themselves?",
        mistakes={
            "6": "12 and 6 o'clock have a height to themselves, the other 10 come in pairs.",
            "12": "1 and 11 o'clock are equally high.",
        },
        because="12 and 6 o'clock, and five pairs: 1 and 11, 2 and 10, ...",
    ),
    which_learns_least=Question(
        "Positions are added to the words, put side by side with them, or multiplied. Which of "
        "the three models has learned least after 60 steps?",
        choices=["added", "side by side", "multiplied"],
        answer="multiplied",
        by="min(joined, key=joined.get)",
        hint="Position 0 is $(0, 1, 0, 1, ...)$. What is left of a word?",
        mistakes={
            "added": "To add is a case of side by side, and the vectors of words are learned.",
            "side by side": "It can do all that adding can.",
        },
        because="Each position makes different numbers of a word small, or changes their sign. So a "
        "word must be learned again at each position.",
    ),
    end_same_width=Question(
        "On the clock above, which other position has the same *width* (the sine) as position 2?",
        answer=4,
        by="""
            [h for h in range(12) if h != 2 and np.isclose(right_of[h], right_of[2])][0]
        """,
        hint=(
            "The sine of an angle is that of 180 degrees minus the angle. An hour is 30 degrees."
        ),
        mistakes={
            "10": "Position 10 is as far to the other side: its sine has the other sign.",
            "8": "Position 8 is opposite: its sine has the other sign.",
        },
        because="60 and 120 degrees have the same sine.",
        end=True,
    ),
    end_with_itself=Question(
        r"What is $PE(7) \cdot PE(7)$ for $D = 512$?",
        answer=256,
        by="round((encoding(8, 512)[7] @ encoding(8, 512)[7]).item(), 6)",
        hint=r"$\sin^2 + \cos^2 = 1$ for each pair.",
        mistakes={
            "512": "There are 512 numbers, but only 256 pairs.",
            "1": "That is what one pair of a sine and a cosine adds.",
        },
        because=r"256 pairs, each with $\sin^2 + \cos^2 = 1$.",
        end=True,
    ),
    end_far=Question(
        "With rotary positions a query at position 9 and a key at position 4 have a score of 1.5."
        " What is the score of the same query at position 1009 and the same key at position 1004?",
        answer=1.5,
        by="""
            k, q = rng.normal(size=(1, 16)), rng.normal(size=(1, 16))
            q = q * (1.5 / (mt.rotary(q, 9) @ mt.rotary(k, 4).T).item())
            (mt.rotary(q, 1009) @ mt.rotary(k, 1004).T).item()
        """,
        hint="How far apart are the two positions?",
        because="The score depends only on the distance, 5 in both cases.",
        end=True,
    ),
)
