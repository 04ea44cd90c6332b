"""The questions of lesson 10."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_same_width=Question(
        "On the clock above, which other place has the same *width* (the sine) as place 2?",
        answer=4,
        by="""
            [h for h in range(12) if h != 2 and np.isclose(right_of[h], right_of[2])][0]
        """,
        hint=(
            "The sine of an angle is that of 180 degrees minus the angle. An hour is 30 degrees."
        ),
        mistakes={
            "10": "Place 10 is as far to the other side: its sine has the other sign.",
            "8": "Place 8 is opposite: its sine has the other sign.",
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
        "With rotary positions a query at place 9 and a key at place 4 have a score of 1.5."
        " What is the score of the same query at place 1009 and the same key at place 1004?",
        answer=1.5,
        by="""
            k, q = rng.normal(size=(1, 16)), rng.normal(size=(1, 16))
            q = q * (1.5 / (mt.rotary(q, 9) @ mt.rotary(k, 4).T).item())
            (mt.rotary(q, 1009) @ mt.rotary(k, 1004).T).item()
        """,
        hint="How far apart are the two places?",
        because="The score depends only on the distance, 5 in both cases.",
        end=True,
    ),
)
