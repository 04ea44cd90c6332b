"""The questions of lesson 13."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_smoothing=Question(
        "With 20 symbols and a label smoothing of a tenth, at which probability of the "
        "right symbol is the loss least?",
        answer=0.905,
        by="""
            logits = mg.Tensor(np.zeros((1, 20)), requires_grad=True)
            descent = mg.optim.SGD([logits], lr=1.0)
            for _ in range(2000):
                descent.zero_grad()
                cross_entropy(logits, np.array([3]), label_smoothing=0.1).backward()
                descent.step()
            mg.functional.softmax(logits)[0, 3].item()
        """,
        hint="A tenth is shared evenly among all 20 symbols, the right one included.",
        mistakes={
            "0.9": "The right symbol gets a share of the tenth, too.",
        },
        because="$0.9 + 0.1 / 20$.",
        end=True,
    ),
    end_rate=Question(
        "The paper's base model has $D = 512$ and a warm-up of 4000 steps. Which part of "
        "its highest value is the learning rate at step 16,000?",
        answer=0.5,
        by="rate(16_000) / rate(4000)",
        hint=r"After the warm-up the rate falls as $1 / \sqrt{\mathrm{step}}$.",
        mistakes={
            "0.25": r"The rate falls as $1 / \sqrt{\mathrm{step}}$, not as $1 / \mathrm{step}$.",
        },
        because=r"Four times as many steps, and $1 / \sqrt 4$.",
        end=True,
    ),
    end_clipped=Question(
        "What becomes of the gradient $(6, 8)$ when it is clipped to the length 1?",
        answer=[0.6, 0.8],
        by="""
            parameter = mg.Parameter(np.zeros(2))
            parameter.grad = mg.Tensor(np.array([6.0, 8.0]))
            mg.optim.clip_grad_norm([parameter], max_norm=1.0)
            parameter.grad.tolist()
        """,
        hint="Its length is 10. The direction stays.",
        mistakes={
            "[1, 1]": "It is the length of the whole that is clipped, not each number.",
        },
        because="The direction stays, the length becomes 1.",
        end=True,
    ),
)
