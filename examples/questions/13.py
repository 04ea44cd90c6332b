"""The questions of lesson 13."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    even=Question(
        "The model gives each of 19 symbols the same probability. What is its loss? (Use the "
        "natural logarithm.)",
        answer=2.944,
        by="float(evenly)",
        hint=r"Each has the probability $1/19$, also the right one. The loss is $-\log$ of it.",
        mistakes={
            "0.0526": "That is the probability. The loss is minus its logarithm.",
            "4.25": "That is the logarithm to base 2.",
            "1.28": "That is the logarithm to base 10.",
        },
        because=r"$-\log (1/19) = \log 19$.",
    ),
    perplexity=Question(
        r"The loss is $\log 2 = 0.693$. What is the perplexity?",
        answer=2,
        by="math.exp(math.log(2))",
        hint=r"$e^L$.",
        because="As unsure as between two symbols.",
    ),
    gradient=Question(
        "The probabilities of three symbols are $(0.7, 0.2, 0.1)$, and the second is right. What is "
        "the gradient of the loss with respect to the three logits?",
        answer=[0.7, -0.8, 0.1],
        by="z.grad",
        hint=r"$p - t$, with $t = (0, 1, 0)$.",
        mistakes={
            "[0, -5, 0]": (
                "That is the derivative with respect to the probabilities. Each logit acts on all "
                "three of them."
            ),
            "[0.7, 0.2, -0.9]": "There the third would be right.",
            "[-0.7, 0.8, -0.1]": (
                "That is the direction of a step. The gradient is what the model says, less what is "
                "right."
            ),
        },
        because="It sums to 0: what one symbol gains, the others lose.",
    ),
    uncorrected=Question(
        r"Both means are 0, the first gradient is $g > 0$, $\beta_1 = 0.9$ and $\beta_2 = 0.999$. What "
        r"is $m / \sqrt v$ after the first step?",
        answer=3.162,
        by="step_sizes['0.999, without correction'][0]",
        hint=r"$m = 0.1\, g$ and $v = 0.001\, g^2$.",
        mistakes={
            "100": r"$v$ is under a root.",
            "0.707": r"That is for $\beta_2 = 0.98$.",
            "1": "So it should be. But both means begin at 0.",
        },
        because=r"$0.1 / \sqrt{0.001} = \sqrt{10}$. (With $\beta_2 = 0.98$ it is 0.71.)",
    ),
    first_step=Question(
        "Two numbers are 0, their gradients 1000 and 0.001, the learning rate is 0.1. Where are they "
        "after one step of Adam, with bias correction?",
        answer=[-0.1, -0.1],
        digits=2,
        by="adam_path([np.array([1000.0, 0.001])], 0.1, (0.9, 0.999))[0]",
        hint=r"In the first step $\hat m = g$ and $\hat v = g^2$.",
        mistakes={
            "[-100, -0.0001]": "So far gradient descent would take them. Adam divides by the size.",
            "[0.1, 0.1]": "The step goes against the gradient.",
        },
        because="The size of the gradient does not count, only its sign.",
    ),
    far_above=Question(
        "A new model, with $N = 19$, has a first loss of 15. What does that mean?",
        choices=[
            "its scores are large, and wrong",
            "its scores are all nearly the same",
            "the learning rate is too high",
        ],
        answer="its scores are large, and wrong",
        by="""
            ["its scores are large, and wrong", "its scores are all nearly the same"][
                int(first_loss[0.1] > first_loss[16])
            ]
        """,
        hint="No step has been taken yet. Which probability did the right symbols get?",
        mistakes={
            "its scores are all nearly the same": r"Then the loss would be near $\log 19 = 2.94$.",
            "the learning rate is too high": "No step has been taken yet.",
        },
        because=r"The right symbol gets about $e^{-15}$, far less than $1/19$.",
    ),
    too_good=Question(
        "Two of the seven models end with a loss near 0, and then write not one word right. Which two?",
        choices=[
            "no positions, no residuals",
            "no scaling, no warm-up",
            "no causal mask, no shift",
            "no causal mask, no positions",
        ],
        answer="no causal mask, no shift",
        by="', '.join(sorted(sorted(final, key=final.get)[:2]))",
        hint="Which of them can see the answer while they learn?",
        mistakes={
            "no causal mask, no positions": (
                "One of the two. But without positions a model cannot even order what it reads."
            ),
            "no positions, no residuals": "They learn badly: their losses are high.",
            "no scaling, no warm-up": "They learn, only more slowly.",
        },
    ),
    held_out=Question(
        "A model trains on 64 words only, until the loss on these is nearly 0. What has the loss on new "
        r"words come to by then? (Guessing has $\log 19 = 2.94$.)",
        choices=["nearly 0, too", "about 1.5", "more than guessing has"],
        answer="more than guessing has",
        by="""
            about = "about 1.5" if few[1][100] > 0.5 else "nearly 0, too"
            "more than guessing has" if few[1][100] > math.log(N) else about
        """,
        hint="It is sure of each symbol now. What does it cost to be sure and wrong?",
        mistakes={
            "nearly 0, too": "So it is where each step has new words. 64 it can know by heart.",
            "about 1.5": "It would be so if it had learned half of the rule. It has learned the words.",
        },
        because="It is sure, and wrong: that costs more than to guess.",
    ),
    end_smoothing=Question(
        "There are 20 symbols, and a tenth of each target is spread evenly over all of them (label "
        "smoothing). The loss is least where the model says just that. Which probability has the right "
        "symbol then?",
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
        "The paper's base model has $D = 512$ and a warm-up of 4000 steps. At step "
        "16,000, what fraction of its highest value is the learning rate?",
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
    end_curves=Question(
        "The loss on the training examples falls and falls. That on held-out examples has risen since "
        "step 40. What do you use?",
        choices=[
            "the parameters of step 40, and then more examples",
            "the last parameters: their loss is least",
            "the last parameters, trained for longer",
        ],
        answer="the parameters of step 40, and then more examples",
        by="""
            early = few[1][stop[64]] < few[1][100] and many[1][100] < few[1][stop[64]]
            "the parameters of step 40, and then more examples" if early else ""
        """,
        hint="Which of the two losses says how it will do in use?",
        mistakes={
            "the last parameters: their loss is least": "That is on what it knows by heart.",
            "the last parameters, trained for longer": "The held-out loss rises with every step.",
        },
        because="The held-out loss is that of use. It was least at step 40, and more examples lower it.",
        end=True,
    ),
)
