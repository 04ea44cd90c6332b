"""The questions of lesson 17."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_third=Question(
        "What is the third derivative of $x^5$ at $x = 1$?",
        answer=60,
        by="derivatives(lambda x: x**5, 3)[3](1.0).item()",
        hint="$5 x^4$ is the first.",
        mistakes={
            "20": "That is the second derivative.",
            "120": "That is the fourth.",
        },
        because=r"$5 \cdot 4 \cdot 3$.",
        end=True,
    ),
    end_newton=Question(
        "$f(a, b) = 3 a^2 + a b + 2 b^2$ is a parabola already. How many steps of Newton's "
        "method does it take from $(7, -4)$ to the minimum, up to rounding?",
        answer=1,
        by="""
            bowl = lambda x: 3 * x[0] ** 2 + x[0] * x[1] + 2 * x[1] ** 2
            distances = np.linalg.norm(newton(bowl, np.array([7.0, -4.0]), 3), axis=1)
            int(np.argmax(distances < 1e-10))
        """,
        hint="Newton's method goes to the minimum of the parabola that touches $f$.",
        because="The parabola that touches $f$ is $f$ itself.",
        end=True,
    ),
    end_product=Question(
        "$f(a, b) = a^2 b$ at $(1, 2)$: what is $H v$ for $v = (1, 0)$?",
        answer=[4, 2],
        by="""
            mg.hvp(lambda x: x[0] ** 2 * x[1], np.array([1.0, 2.0]), np.array([1.0, 0.0])).tolist()
        """,
        hint=(
            "$H v$ is the first column of $H$: the second derivatives by $a$ and $a$, and by "
            "$a$ and $b$."
        ),
        mistakes={
            "[4, 1]": "That is the gradient, $(2ab, a^2)$. $H$ has the second derivatives.",
        },
        because="$(2b, 2a)$.",
        end=True,
    ),
)
