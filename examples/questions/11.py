"""The questions of lesson 11."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    normalised=Question(
        "Into what does layer norm turn $(1, 2, 3)$, with all gains 1 and all biases 0? Leave "
        r"$\varepsilon$ out.",
        answer=[-1.2247, 0, 1.2247],
        digits=3,
        by="layer_norm(np.array([1.0, 2.0, 3.0]), 1.0, 0.0, eps=0.0)",
        hint="The mean is 2, so the variance is $(1 + 0 + 1) / 3$.",
        mistakes={
            "[-1, 0, 1]": (
                "The variance divides by $D = 3$, not by $D - 1$; and without any division these "
                "are only the deviations."
            ),
            "[-1.5, 0, 1.5]": "Divide by the root of the variance, not by the variance.",
        },
        because=r"$(-1, 0, 1) / \sqrt{2/3}$.",
    ),
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
    vanishes=Question(
        "In which of the six stacks of 24 layers is the gradient in front of the first layer "
        "smaller than a ten-thousandth of that at the end?",
        choices=[
            "post-norm, with residuals",
            "post-norm, without",
            "pre-norm, with residuals",
            "pre-norm, without",
            "no norm, with residuals",
            "no norm, without",
        ],
        answer="no norm, without",
        by='f\'{(low := min(ratio, key=ratio.get))[0]}, {"with residuals" if low[1] else "without"}\'',
        hint="What keeps a gradient from being made smaller 24 times?",
        mistakes={
            "no norm, with residuals": (
                "A residual lets the gradient through as it is, and adds to it. It does not shrink."
            ),
        },
    ),
    grows=Question(
        r"$J^\mathsf{T} g$ is 0.65 times as long as $g$, and perpendicular to it. How many times as "
        r"long as $g$ is $g + J^\mathsf{T} g$?",
        answer=1.19,
        by="np.linalg.norm(np.array([1.0, 0.0]) + 0.65 * np.array([0.0, 1.0]))",
        hint="Pythagoras.",
        mistakes={
            "1.65": "So it would be if both pointed in the same direction.",
            "0.35": "So it would be if the two pointed in opposite directions.",
            "1.42": "That is the square of the length.",
        },
        because=r"$\sqrt{1 + 0.65^2}$. So each layer makes the gradient a little longer.",
    ),
    alike=Question(
        "Layers of attention and feed-forward, before training, with norms and without residuals. "
        "What is the mean cosine of two different words of a sentence after two layers?",
        choices=["about 0", "about 0.5", "nearly 1"],
        answer="nearly 1",
        by="""
            found = min(alike[norm, False][2] for norm in norms[:2])
            ["about 0", "about 0.5", "nearly 1"][np.argmin(np.abs([found, found - 0.5, found - 1]))]
        """,
        hint="Every word becomes a mean over all words, and that twice.",
        mistakes={
            "about 0": "So it is before the first layer. Attention takes means over the words.",
        },
        because="A mean of means is nearly the same for all.",
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
    end_norm=Question(
        r"Into what does layer norm (gain 1, bias 0, no $\varepsilon$) turn $(1, 3)$, and "
        "$(10, 30)$? Answer like `[[1, 2], [3, 4]]`.",
        answer=[[-1, 1], [-1, 1]],
        by="layer_norm(np.array([[1.0, 3.0], [10.0, 30.0]]), 1.0, 0.0, eps=0.0)",
        hint="The mean of 1 and 3 is 2, the standard deviation is 1.",
        mistakes={
            "[[-1, 1], [-10, 10]]": (
                "These have the mean 0. The division by the standard deviation is missing."
            ),
            "[[-0.707, 0.707], [-0.707, 0.707]]": (
                "The variance divides by $D = 2$, not by $D - 1$."
            ),
        },
        because="The size does not count: both become the same.",
        end=True,
    ),
    end_slopes=Question(
        "Ten layers, each $f(x) = x / 2$ for a single number $x$. What is the derivative of"
        " the last result with respect to the first input, without residuals and with them?",
        answer=[0.5**10, 1.5**10],
        by="""
            def ten_layers(x, residual):
                for _ in range(10):
                    x = x + x / 2 if residual else x / 2
                return x
            [mg.grad(ten_layers)(1.0, residual).item() for residual in (False, True)]
        """,
        hint="Ten factors: $1/2$ each, or $1 + 1/2$ each.",
        mistakes={
            "[0.000977, 1.000977]": (
                "The residual is added in each layer, so each factor is $1 + 1/2$."
            ),
        },
        because="$0.5^{10}$ and $1.5^{10}$.",
        end=True,
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
