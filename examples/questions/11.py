"""The questions of lesson 11."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_norm=Question(
        r"What does layer norm (gain 1, bias 0, no $\varepsilon$) make of $(1, 3)$, and of "
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
        "How many numbers does the feed-forward layer of the paper learn, with $D = 512$, "
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
