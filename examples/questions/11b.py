"""The questions of lesson 11b."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    three_numbers=Question(
        r"$x = (0, 0, 3)$, all gains 1, no $\varepsilon$, and $g = (1, 0, 0)$. What is the gradient "
        "of $x$?",
        answer=[0.354, -0.354, 0],
        by="small.grad",
        hint=(
            r"$s = \sqrt 2$ and $\hat x = (-1, -1, 2) / \sqrt 2$. The mean of $g$ is $1/3$. Find the "
            r"mean of $g\, \hat x$."
        ),
        mistakes={
            "[0.471, -0.236, -0.236]": (
                r"The mean is subtracted. The part along $\hat x$ is missing: the length does not "
                "matter either."
            ),
            "[0.5, -0.5, 0]": r"That is the bracket. It is divided by $s = \sqrt 2$.",
        },
        because=r"The bracket is $(1/2, -1/2, 0)$: no mean, and nothing along $\hat x$.",
    ),
    best_line=Question(
        "Which number does the best linear map plus constant say, the same for all four words?",
        answer=0.5,
        by="float((with_one @ best)[0])",
        hint="A linear map has one factor for each of the two numbers. If the first number goes from 0 "
        "to 1, the wanted answer rises by 1 where the second is 0, and falls by 1 where it is 1: no "
        "factor is better than 0. Which constant is best for 0, 1, 1, 0?",
        mistakes={
            "0": "Then it is right twice and off by 1 twice. There is a better answer.",
            "1": "Then it is right twice and off by 1 twice. There is a better answer.",
        },
        because="It is off by a half everywhere: a mean square error of 1/4.",
    ),
    kept=Question(
        "With $p = 1/4$, what does a 3 become that is not dropped?",
        answer=4,
        by="np.max(threes)",
        hint="It is divided by $1 - p$.",
        mistakes={
            "12": "It is divided by $1 - p$, the probability of being kept, not by $p$.",
            "3": "Then the mean would fall to 2.25.",
            "2.25": "That is the mean if nothing is made larger: 3 times 3/4.",
        },
        because=r"Three of four are kept, and $4 \cdot 3/4 = 3$: the mean stays.",
    ),
    end_feed_forward=Question(
        "How many parameters has the feed-forward layer of the paper, with $D = 512$, "
        "$F = 2048$ and both biases?",
        answer=2_099_712,
        by="sum(p.size for p in mt.FeedForward(512, 2048).parameters())",
        hint="Two matrices, $(D, F)$ and $(F, D)$, and two biases, $(F,)$ and $(D,)$.",
        mistakes={
            "2097152": "The two biases are missing.",
            "1048576": "That is one matrix of the two, without biases.",
        },
        because=r"$512 \cdot 2048 + 2048 + 2048 \cdot 512 + 512$.",
        end=True,
    ),
)
