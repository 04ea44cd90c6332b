"""The questions of lesson 21."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    how_near=Question(
        "The largest gradient is about 0.2. How far apart are the two gradients at most?",
        choices=["not at all: the same bits", "about 0.00000003", "about 0.001"],
        answer="about 0.00000003",
        by="""
            gap = 3e-8 if torch is None else max(largest.values())
            ["not at all: the same bits", "about 0.00000003", "about 0.001"][
                int(gap > 0) + int(gap > 1e-6)
            ]
        """,
        hint="A float32 has 24 bits: what is $0.2 / 2^{24}$?",
        mistakes={
            "not at all: the same bits": "Sums in another order are rounded otherwise (lesson 18).",
            "about 0.001": "A float32 has 24 bits, which are about 7 digits. So much would be a mistake "
            "in a rule.",
        },
        because="$0.2 / 2^{24}$ is about $10^{-8}$, and a few roundings come together.",
    ),
    bias=Question(
        "What do the 27 gradients of `out.bias` sum to?",
        answer=0,
        by="float(abs(bias.sum().round(6)))",
        hint="$p$ sums to 1 for each example. And $t$?",
        mistakes={
            "1": "That is the sum of $p$, or of $t$. Their difference was asked for.",
            "27": "That is how many there are.",
            "51": "That is the number of examples.",
        },
        because="$p$ and $t$ both sum to 1: what one symbol gains, the others lose.",
    ),
    reaches=Question(
        "The gradients of which parameters are NaN?",
        choices=["of all", "of the table of letters alone", "of none: the loss is finite"],
        answer="of the table of letters alone",
        by="""
            _, first = watched_loss(above=0.0)
            names = [name for name, share in first.items() if share]
            "of the table of letters alone" if names == ["letters.weight"] else "of all"
        """,
        hint="A gradient flows from the distances back to what they are computed from.",
        mistakes={
            "of all": "The distances do not depend on the two layers: nothing flows there from them.",
            "of none: the loss is finite": "The way back has its own numbers: infinite slopes of finite "
            "values.",
        },
        because="The distances read `letters.weight` alone; its gradient from the cross-entropy is "
        "finite, but NaN plus a number is NaN.",
    ),
    end_detach=Question(
        "Somebody writes `h.detach()` in place of `h` in the last line of `forward`: the same numbers, "
        "without their history. Which parameters still get a gradient?",
        choices=["all", "those of `out` alone", "those of `letters` and `hidden` alone"],
        answer="those of `out` alone",
        by="""
            class Cut(NextLetter):
                def forward(self, ids):
                    x = self.letters(ids).reshape(len(ids), -1)
                    return self.out(self.hidden(x).detach())

            cut = Cut()
            F.cross_entropy(cut(ids), follows).backward()
            got = {name.split(".")[0] for name, p in cut.named_parameters() if p.grad is not None}
            "those of `out` alone" if got == {"out"} else "all"
        """,
        hint="Walk back from the loss. At what has no history, the walk ends.",
        mistakes={
            "all": "Past `detach()` nothing flows back.",
            "those of `letters` and `hidden` alone": "They are behind the cut; `out` comes after it.",
        },
        because="The others have none: None, not zeros. `mg.diagnose` says where they were cut off.",
        end=True,
    ),
    end_layers=Question(
        "The model with $N = 27$, $D = 6$, $H = 16$: how many numbers does its gradient have?",
        answer=925,
        by="sum(np.size(p.tolist()) for p in NextLetter().parameters())",
        hint="A table, two matrices, two biases. The first layer reads three vectors at once.",
        mistakes={
            "882": "The two biases are missing, $16 + 27$.",
            "733": "The first layer reads three vectors: its matrix has $16 \\cdot 18$ numbers.",
        },
        because="$27 \\cdot 6 + 16 \\cdot 18 + 16 + 27 \\cdot 16 + 27$.",
        end=True,
    ),
)
