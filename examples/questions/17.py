"""The questions of lesson 17."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    again_the_sine=Question(
        "Which derivative of the sine, after the sine itself, is the sine again? (1 for the first.)",
        answer=4,
        counted=True,
        by="next(k for k in range(1, 8) if np.isclose(sine[k], sine[0]))",
        hint="The first is the cosine, the second minus the sine.",
        mistakes={"2": r"That is $-\sin$.", "1": "That is the cosine."},
        because=r"$\cos, -\sin, -\cos, \sin$.",
    ),
    hessian_size=Question(
        "A model has a million parameters, and a number takes 4 bytes. How many terabytes "
        r"($10^{12}$ bytes) does its Hessian take?",
        answer=4,
        by="4 * (10**6) ** 2 / 10**12",
        hint="It has a row and a column for each parameter.",
        mistakes={
            "1": "So many numbers are there, in units of $10^{12}$. Each takes 4 bytes.",
            "0.000004": "That is the gradient. The Hessian has a row for each parameter.",
        },
        because=r"$10^6 \cdot 10^6 \cdot 4$ bytes: nobody can store it.",
    ),
    next_error=Question(
        "The error is 0.001. What is it after one step of Newton's method for this function, in two "
        "digits?",
        answer=5e-7,
        digits=2,
        by="""
            x = np.float64(math.log(2) + 0.001)
            x - slope_at(x).item() / bend_at(x).item() - math.log(2)
        """,
        hint="The factor is $f''' / (2 f'')$, and here $f''' = f''$.",
        mistakes={
            "1e-6": "That is the square. There is a factor of 1/2.",
            "0.0005": "The error is squared, not halved.",
        },
        because=r"$\tfrac12 \cdot 0.001^2$.",
    ),
    back_matrix=Question(
        "$f$ takes 5 numbers and gives 3. What is the shape of the matrix $A$ by which `back` "
        "multiplies $u$?",
        answer=(5, 3),
        by="""
            f = lambda x: np.sin(x[:3] * x[2:])
            back = mg.vjp(f, np.ones(5))[1]
            np.stack([back(u)[0].data for u in np.eye(3)], axis=1).shape
        """,
        hint="`back` takes a gradient of the 3 results, and gives a gradient of the 5 arguments.",
        mistakes={
            "(3, 5)": "That is $J$ itself. `back` takes 3 numbers and gives 5.",
        },
        because=r"It is $J^\mathsf{T}$, and $J$ has the shape $(3, 5)$.",
    ),
    walks=Question(
        "A function takes 3 numbers and gives 1000. How many products of either kind give its whole "
        r"Jacobian: how many $J^\mathsf{T} u$, and how many $J v$? Answer with two numbers.",
        answer=[1000, 3],
        by="[len(by_rows), by_columns.shape[1]]",
        hint="The Jacobian has the shape (1000, 3).",
        mistakes={
            "[3, 1000]": r"$J^\mathsf{T} u$ gives a row, and there are 1000 rows.",
            "[1, 1]": "One product gives one row, or one column.",
        },
        because="It has 1000 rows and 3 columns.",
    ),
    memory=Question(
        "The chain has 40 steps in place of 20. What becomes of the memory that is needed at most?",
        choices=[
            "it doubles both ways",
            "back it doubles, forwards it stays",
            "forwards it doubles, back it stays",
            "it stays both ways",
        ],
        answer="back it doubles, forwards it stays",
        by="""
            grows = {way: peaks[way, 40] > 1.5 * peaks[way, 20] for way in ("backwards", "forwards")}
            only_back = grows == {"backwards": True, "forwards": False}
            "back it doubles, forwards it stays" if only_back else "another"
        """,
        hint="With which step does the walk back begin? What does the rule of the sine need?",
        mistakes={
            "it doubles both ways": "Forwards, is a value needed again after the next was computed?",
            "forwards it doubles, back it stays": "With which step does the walk back begin?",
            "it stays both ways": (
                r"The walk back comes to the first sine last, and needs its $x$ for $\cos(x)$."
            ),
        },
        because="The walk back begins at the end, and every step's values must still be there.",
    ),
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
            "$H v$ is the first column of $H$: the second derivatives with respect to "
            "$a$ and $a$, and to $a$ and $b$."
        ),
        mistakes={
            "[4, 1]": "That is the gradient, $(2ab, a^2)$. $H$ has the second derivatives.",
        },
        because="$(2b, 2a)$.",
        end=True,
    ),
)
