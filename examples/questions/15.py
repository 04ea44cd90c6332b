"""The questions of lesson 15."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_pairs=Question(
        "A text has seven letters. In how many of the 49 pairs of an output and a letter "
        "does the output depend on the letter, in a decoder-only model? And in an "
        "encoder-only model? Answer with two numbers.",
        answer=[28, 49],
        by="""
            seven = np.array([letters.encode("example")])
            [int(depends(lambda ids, m=m: m(ids).data, seven).sum()) for m in (writer, guesser)]
        """,
        hint="A decoder-only model looks only at what came before, and at the letter itself.",
        mistakes={
            "[21, 49]": "An output depends on the letter at its own place, too.",
        },
        because=r"$7 \cdot 8 / 2$, and all.",
        end=True,
    ),
    end_both_sides=Question(
        "Which of the three models can be used to fill in `f?r` with a look at both sides? "
        "Answer with the number of its algorithm in the list above.",
        answer=9,
        by="""
            n = int(depends(lambda ids: guesser(ids).data, np.array([letters.encode("for")]))[0, 2])
            9 * n
        """,
        hint="Which one has no causal mask?",
        mistakes={
            "10": "The decoder-only model looks at one side only.",
            "8": "The encoder-decoder writes its own output from one side only.",
        },
        because="The encoder-only model has no causal mask.",
        end=True,
    ),
    end_loss=Question(
        r"A model that gives each of four letters the same probability has a loss of $\log "
        "4$. What is the loss of one that knows that one of them comes half of the time, "
        r"one a quarter, and two an eighth each? Answer as a multiple of $\log 2$.",
        answer=1.75,
        by="""
            parts = np.array([1 / 2, 1 / 4, 1 / 8, 1 / 8])
            -np.sum(parts * np.log(parts)) / math.log(2)
        """,
        hint=(
            r"A letter that comes half of the time costs $\log 2$, one that comes a quarter $2 "
            r"\log 2$."
        ),
        mistakes={
            "2": r"That is $\log 4$, the loss without this knowledge.",
            "2.25": "That is the plain mean of 1, 2, 3 and 3. Weigh each by how often it comes.",
        },
        because=r"$1/2 \cdot 1 + 1/4 \cdot 2 + 1/8 \cdot 3 + 1/8 \cdot 3$.",
        end=True,
    ),
)
