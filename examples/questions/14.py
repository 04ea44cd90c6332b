"""The questions of lesson 14."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    third=Question(
        "The model reads `3 J? 1998` and has written `1998-0`. Which probability should it give to the "
        "digit 6, if it knows the names of the months and nothing else?",
        answer=0.333,
        by="1 / sum(name.startswith('J') for name, _ in MONTHS)",
        hint="Which months begin with a J, and what are their numbers?",
        mistakes={
            "0.5": "January begins with a J, too, and its number is 01.",
            "0.111": "That is for a month of which nothing can be read.",
            "0.0833": "That is one month of twelve. Here the J can be read, and the 0 is written.",
        },
        because="January, June and July are 01, 06 and 07.",
    ),
    zero_first=Question(
        "At `3 ? 1998`, after `1998-`, which probability should the digit 0 have?",
        answer=0.75,
        by="sum(month < 10 for month in range(1, 13)) / 12",
        hint="How many of the twelve months are written with a 0 first?",
        mistakes={
            "0.5": "Only 0 and 1 can stand there, but they are not equally frequent.",
            "0.1": "Only 0 and 1 can stand there.",
        },
        because="Nine months of twelve.",
    ),
    thirty_first=Question(
        "What share of the draws for `31 Ju? 1998` has July as its month?",
        choices=["nearly all", "about half", "nearly none"],
        answer="about half",
        by="""
            july = shares["31 Ju? 1998"][6]
            "nearly all" if july > 0.8 else "about half" if july > 0.2 else "nearly none"
        """,
        hint="The calendar says: all. Can 14 texts teach what 850 others do not say?",
        mistakes={
            "nearly all": (
                "A reader who knows the calendar would say so. The model met too few such texts."
            ),
            "nearly none": "The letters say June or July. Why should it prefer June?",
        },
        because="The model reads the letters, and has not learned what the day says about the month.",
    ),
    likeliest=Question(
        "Which text of two symbols is the likeliest in this tree?",
        choices=["aa", "ab", "bb", "cc"],
        answer="bb",
        by="""
            every = {x + y: tree[""][x] * tree[x][y] for x in "abc" for y in "abc"}
            max(every, key=every.get)
        """,
        hint="Multiply the probability of the first symbol by that of the second.",
        mistakes={
            "aa": (
                r"That is what greedy choice finds: $0.5 \cdot 0.4 = 0.2$. Is there a better one?"
            ),
            "cc": r"$0.1 \cdot 0.6$ is only 0.06.",
        },
        because=r"$0.4 \cdot 0.9 = 0.36$.",
    ),
    penalty=Question(
        r"What are the scores of two texts, one of 5 symbols with $\log P = -3$ and one of "
        r"10 with $\log P = -3.5$, with $\alpha = 1$? Answer with two numbers, and see which wins.",
        answer=[-1.8, -1.4],
        by="[penalised(-3.0, 5, 1), penalised(-3.5, 10, 1)]",
        hint=r"Divide by $((5 + \mathrm{length}) / 6)^\alpha$.",
        mistakes={
            "[-0.6, -0.35]": (
                "These are divided by the lengths. The formula has $(5 + "
                r"\mathrm{length}) / 6$."
            ),
        },
        because="$-3 / (10/6)$ and $-3.5 / (15/6)$: the longer text wins.",
    ),
    weekday=Question(
        "How much of the weight is on `Tuesday`, on average over the ten steps that write the date?",
        choices=["more than 23 %: it comes first", "about 23 %", "less than half of 23 %"],
        answer="less than half of 23 %",
        by="""
            ratio = share_of("Tuesday", range(10)) / (7 / 30)
            "less than half of 23 %" if ratio < 0.5 else "another"
        """,
        hint="What does the weekday say about the year, the month or the day?",
        because="Nothing that is written depends on the weekday.",
    ),
    same_work=Question(
        "One layer of attention, $D = 512$ wide, needs $4 T D^2$ multiplications for its matrices, and "
        "$2 T^2 D$ for its scores and mixtures. For how many symbols $T$ are the two equal?",
        answer=1024,
        by="next(T for T in range(1, 5000) if 4 * T * 512**2 == cost(T, 512)[0] / 2)",
        hint="Divide both by $2 T D$.",
        mistakes={
            "512": "The matrices are four, and the tables two: $4 D = 2 T$.",
            "256": "The other way round: $4 D = 2 T$.",
        },
        because="$4 T D^2 = 2 T^2 D$ where $T = 2 D$.",
    ),
    end_top_p=Question(
        "The probabilities are $(0.5, 0.3, 0.15, 0.05)$. What are they after top-p with $p = 0.7$?",
        answer=[0.625, 0.375, 0, 0],
        by="decoding.distribution(np.log([[0.5, 0.3, 0.15, 0.05]]), top_p=0.7)[0]",
        hint="The fewest that reach 0.7 together stay, and are divided by their sum.",
        mistakes={
            "[0.5, 0.3, 0, 0]": "These two stay. But they have to sum to 1 again.",
            "[1, 0, 0, 0]": "The first alone does not reach 0.7: the second stays, too.",
            "[0.526, 0.316, 0.158, 0]": "The first two reach 0.7 already; the third goes.",
        },
        because="$0.5 / 0.8$ and $0.3 / 0.8$.",
        end=True,
    ),
    end_temperature=Question(
        ("A choice has the probabilities $(0.8, 0.2)$. What is the first at a temperature of 1/2?"),
        answer=0.941,
        by="decoding.distribution(np.log([[0.8, 0.2]]), temperature=0.5)[0, 0]",
        hint=(
            "Logits divided by 1/2 are doubled, so the probabilities are squared, and divided "
            "by their sum."
        ),
        mistakes={
            "0.64": "That is the square. Divide by the sum of both squares.",
            "0.667": "That is a temperature of 2. A low temperature makes the likely likelier.",
        },
        because="$0.8^2 / (0.8^2 + 0.2^2)$.",
        end=True,
    ),
    end_places=Question(
        "To write `1998-03-03` and then `<eos>`, the loop asks the model eleven times. How many "
        "positions of the target go through the decoder in all, without a cache and with one? Answer "
        "with two numbers.",
        answer=[66, 11],
        by="""
            look_up, places, counted = model.target_embedding.forward, [], []
            model.target_embedding.forward = lambda ids: places.append(ids.size) or look_up(ids)
            for cached in (False, True):
                places.clear()
                decoding.greedy(model, reader.encode([text]), 12, cached=cached)
                counted.append(sum(places))
            counted
        """,
        hint="The first time only `<bos>` is there. What goes through the decoder the last time?",
        mistakes={
            "[55, 11]": "The loop asks for `<eos>`, too: $1 + 2 + \\dots + 11$.",
            "[55, 10]": "The loop asks for `<eos>`, too: $1 + 2 + \\dots + 11$.",
            "[121, 11]": "The first time there is one position, `<bos>`, and not eleven.",
        },
        because="$1 + 2 + \\dots + 11$, and one each time.",
        end=True,
    ),
)
