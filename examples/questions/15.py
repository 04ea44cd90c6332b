"""The questions of lesson 15."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    gelu=Question(
        r"What is gelu at 1 and at $-1$? Answer with two numbers.",
        answer=[0.841, -0.159],
        by="[gelu(1.0).item(), gelu(-1.0).item()]",
        hint="Multiply 1 and $-1$ by the share of normal numbers that are below them.",
        mistakes={
            "[0.841, 0]": "That would be relu on the left. GELU is a little below 0 there.",
            "[0.841, -0.841]": "84.1 % are above $-1$. How many are below it?",
            "[0.841, 0.159]": r"The share below $-1$ is multiplied by $-1$.",
        },
        because=r"$1 \cdot 0.841$ and $-1 \cdot 0.159$.",
    ),
    depends=Question(
        "On how many of its ten letters does the translator's output after `<bos> w` depend?",
        answer=7,
        counted=True,
        by="""int(hears["encoder-decoder"][1].sum())""",
        hint="It sees all of the source. And of the target?",
        mistakes={
            "2": "It sees the source, too.",
            "10": "There is a causal mask on the target.",
            "6": "Of the target it sees `<bos>` and `w`.",
            "5": "That is the source. It sees the target so far, too.",
        },
        because="Five of the source, and `<bos>` and `w`.",
    ),
    even_guess=Question(
        "What loss has a guess that gives each of 27 letters the same probability?",
        answer=3.30,
        by="math.log(27)",
        hint="The loss of a letter is minus the logarithm of the probability that it was given.",
        mistakes={
            "0.037": "That is the probability. The loss is minus its logarithm.",
            "4.75": "That is the logarithm to base 2. The loss has the natural one.",
            "-3.30": "The loss is *minus* the logarithm.",
        },
        because=r"$-\log (1/27) = \log 27$.",
    ),
    filled_in=Question(
        "What share of the hidden letters does the trained model find?",
        choices=["about 14 %", "about half", "nearly all"],
        answer="about half",
        by="""
            "about 14 %" if accuracy < 0.3 else "about half" if accuracy < 0.75 else "nearly all"
        """,
        hint="It knows the rest of the word. Do several words fit sometimes?",
        mistakes={
            "about 14 %": "It knows which letters stand around, and uses that.",
            "nearly all": (
                "In `?or`, several letters make a word (`for`, `nor`). And it learned for only a few "
                "seconds."
            ),
        },
    ),
    restored=Question(
        "How many of the words of the text does such a reader restore?",
        choices=["all", "more than 85 %, but not all", "about half"],
        answer="more than 85 %, but not all",
        by="""
            "all" if most == 1 else "more than 85 %, but not all" if most > 0.85 else "about half"
        """,
        hint="How often does another word with the same consonants come, as `free` for `for`?",
        mistakes={
            "all": "`fr` is `for` most times, and `free` sometimes.",
            "about half": "Most words are by far the most frequent ones with their consonants.",
        },
        because="No model that sees the consonants alone can be expected to do better.",
    ),
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
            "[21, 49]": "An output depends on the letter at its own position, too.",
        },
        because=r"$7 \cdot 8 / 2$, and all.",
        end=True,
    ),
    end_both_sides=Question(
        "The letter for the `?` of `f?r` is read from the scores at the `?` itself. In which model "
        "may this position look at the `f` and at the `r`? (In an encoder-decoder, scores stand at the "
        "positions of the target: take `f?r` as the target.)",
        choices=["encoder-decoder", "encoder-only", "decoder-only"],
        answer="encoder-only",
        by="""
            (both,) = [name for name, seen in hears.items() if seen[2, -2:].all()]
            both
        """,
        hint="Which one has no causal mask on what it fills in?",
        mistakes={
            "decoder-only": "It looks at one side only.",
            "encoder-decoder": (
                "Its scores come from the decoder, which has a causal mask on the target."
            ),
        },
        because="It has no causal mask.",
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
