"""The questions of lesson 16."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    found=Question(
        "The sequence is `t a p s t a`, with positions counted from 0. At which position does the "
        "second look-up find the next symbol?",
        answer=2,
        by="rule('tapsta')",
        hint="The present symbol is the last `a`. Which position has the note `a`?",
        mistakes={
            "1": "The other `a` is there. The symbol that followed it is one position further.",
            "5": "This is the present symbol itself. Look for a position whose note is `a`.",
            "3": "The note at position 3 is `p`. Which position has the note `a`?",
        },
        because="The note at position 2 is `a`, and its symbol is `p`.",
    ),
    which_scores=Question(
        "In a head of a first layer, the symbol at position 2 of `m d k b t d k` changes. Which scores "
        "of the last query, at position 6, change?",
        choices=[
            "the one at position 2",
            "those at positions 2 and 3",
            "those from position 2 on",
            "all",
        ],
        answer="the one at position 2",
        by="""
            place = {(2,): "the one at position 2", (2, 3): "those at positions 2 and 3"}
            place[tuple(np.flatnonzero(changed))]
        """,
        hint="A score is the product of a query and a key. From what is each of these made?",
        mistakes={
            "those at positions 2 and 3": (
                "The key at position 3 is made from the vector at position 3 alone."
            ),
            "those from position 2 on": (
                "The mask decides who may look at whom. It carries nothing from one vector to another."
            ),
            "all": "The last query is made from the last vector, which has not changed.",
        },
        because="Each key comes from one vector.",
    ),
    no_notes=Question(
        "The first of the two heads made by hand is left out, so that all notes are zeros. In the "
        "second, which weight does the last position of `m d k b t d k` give to the `b`?",
        answer=0.143,
        by="even[6, 3]",
        hint="What is the product of any query with a key that is zero? Then take the softmax.",
        mistakes={
            "0": "The scores are 0. The softmax turns them into weights that sum to 1.",
            "1": "For that, the key of `b` would have to say `k`.",
            "0.2": "There are 5 different symbols, but 7 positions.",
        },
        because="Seven equal scores give seven equal weights, $1/7$.",
    ),
    one_layer=Question(
        "A model with one layer and one with two are trained. How many of the copied letters does "
        "each get right in the end?",
        choices=[
            "both nearly all",
            "one layer less than a third, two layers nearly all",
            "one layer nearly all, two layers less than a third",
            "both about 4 %, as by guessing",
        ],
        answer="one layer less than a third, two layers nearly all",
        by="""
            found = reached[1][1] < 1 / 3 and reached[2][1] > 0.97
            "one layer less than a third, two layers nearly all" if found else "something else"
        """,
        hint="What can a key of the first layer not know? And what does a position alone tell?",
        mistakes={
            "both nearly all": "For one layer, all symbols before the answer are invisible in its key.",
            "one layer nearly all, two layers less than a third": (
                "What one layer can do, two can. And the look-up by hand needed a second one."
            ),
            "both about 4 %, as by guessing": (
                "Two layers can do what we did by hand. And one layer learns which positions are likely."
            ),
        },
        because=(
            "One layer knows nothing about which letter followed which. That it gets a fifth, more than "
            "by guessing, comes from positions that are likely."
        ),
    ),
    looks_at=Question(
        "The row is `apfourthxqlmbdfourt`, and the last letter, at position 18, is the second `t`. "
        "To which position does the second head give the most weight there? (The `a` is at "
        "position 0.)",
        answer=7,
        counted=True,
        by="np.argmax(second[-1])",
        hint="The head looks for the position whose note is `t`.",
        mistakes={
            "6": "The first `t` is there. The letter that followed it is one position further.",
            "17": "That is what the first head does: one back.",
            "18": "That is the `t` itself.",
        },
        because="The first `t` is at position 6, so the note `t` is at position 7, that of `h`.",
    ),
    left_out=Question(
        "Without which head does the model with two layers fail at the copied letters?",
        choices=[
            "without the first only",
            "without the second only",
            "without either one: each is needed",
            "it never fails: the other head takes over",
        ],
        answer="without either one: each is needed",
        by="""
            fails = [table[f"without head {h}"][1] < 0.3 for h in (1, 2)]
            "without either one: each is needed" if all(fails) else "another"
        """,
        hint="What did the two heads made by hand do without each other?",
        mistakes={
            "without the first only": "Which head would then find the letter?",
            "without the second only": "Without notes, what does the second look for?",
            "it never fails: the other head takes over": (
                "Heads side by side can do that, if both look at the same position. Here one "
                "uses what the other wrote."
            ),
        },
        because="The second needs the notes of the first, and no other head reads them.",
    ),
    end_twice=Question(
        "With the notes of this lesson and exact look-ups, what weight does the second head give "
        "to the `c`, at position 5 of `d a b x a c a`, from the last `a`? Positions count from 0.",
        answer=0.5,
        by="""
            notes = np.array([" ", *"dabxac"])
            (notes == "a")[5] / (notes == "a").sum()
        """,
        hint="How many positions have the note `a`? Equal scores give equal weights.",
        mistakes={
            "1": "The `b` at position 2 has the note `a`, too.",
            "0": "Position 5 follows an `a`: its note is `a`.",
            "0.333": "Only two positions have the note `a`. The last `a` itself has the note `c`.",
        },
        because="The notes of `b` and of `c` are both `a`.",
        end=True,
    ),
    end_two_back=Question(
        "A rule that looks at two symbols would not confuse positions that follow the same letter: it "
        "looks for a position right before which the last *two* symbols of the row stand. Which "
        "position does it find in `d a b x a c d a`, counted from 0?",
        answer=2,
        by="""
            word = "dabxacda"
            [t for t in range(2, 8) if word[t - 2 : t] == word[-2:]][0]
        """,
        hint="The last two symbols are `d a`. Where were they before?",
        mistakes={
            "5": "Before the `c` are `x a`, and not `d a`.",
            "8": "There the next symbol will be written. The rule finds where it stood before.",
            "1": "This is the `a` of the earlier `d a`. The next symbol is one position further.",
        },
        because="`d a` was followed by the `b` at position 2.",
        end=True,
    ),
    end_key=Question(
        "In a model of two layers with causal masks, the letter at position 3 of a row of 8 is "
        "exchanged. The keys of how many of the 8 positions can change in the *second* layer?",
        answer=5,
        counted=True,
        by="""
            other = np.array([[ALPHABET.index(letter) for letter in "abcdefgh"]])
            keys = []
            for letter in "dx":
                other[0, 3] = ALPHABET.index(letter)
                x = models[2].letters(other) + models[2].positions(np.arange(8))
                y = models[2].norms[0](x)
                x = x + models[2].heads[0](y, y, masks.causal(8))[0]
                keys.append(models[2].heads[1].key(models[2].norms[1](x)).data[0, 0])
            (keys[0] != keys[1]).any(axis=1).sum()
        """,
        hint="Which positions can look at position 3 in the first layer?",
        mistakes={
            "1": "This is so in the first layer. In the second, others have looked at position 3.",
            "8": "The mask is causal: positions 0, 1 and 2 do not see position 3.",
            "4": "Position 3 itself changes, too.",
        },
        because="Positions 3 to 7 have seen it in the first layer.",
        end=True,
    ),
)
