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
    halved=Question(
        "24 layers, each of which halves the mean square. What is left of a mean square of 1?",
        choices=["about a tenth", "about a thousandth", "less than a millionth"],
        answer="less than a millionth",
        by="""
            left = after_all[1 / WIDE]
            "less than a millionth" if left < 1e-6 else "more"
        """,
        hint="$2^{10}$ is about a thousand.",
        mistakes={
            "about a tenth": "24 halves are not added, they are multiplied.",
            "about a thousandth": "That is what ten layers leave.",
        },
        because="$2^{-24}$ is $6 \\cdot 10^{-8}$.",
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
)
