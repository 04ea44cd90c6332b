"""The questions of lesson 10b."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    waits=Question(
        "The network of 2015 has a recurrent encoder of four states, and a decoder of four. How many"
        " arrows has its longest chain, from the first word to the last state of the decoder?",
        answer=8,
        counted=True,
        by='counted["2015"][1]',
        hint="From the word to the first state is one. Then along all states of both.",
        mistakes={
            "2": "That is the shortest way: by attention. The states still wait for each other.",
            "7": "The arrow from the word to the first state counts, too.",
        },
        because="1 to the first state, 3 along the encoder, 1 to the decoder, 3 along it.",
    ),
    last_ten=Question(
        r"Each of 100 words of width $D = 32$ has a ramp added, $\mathrm{pos} / D$ in every number. "
        "How much of all weight do the last 10 of the 100 positions get?",
        choices=["about a tenth", "about a third", "more than half"],
        answer="more than half",
        by="""
            share = looks["a ramp"][:, -10:].sum(axis=1).mean()
            among = {0.1: "about a tenth", 0.33: "about a third", 0.85: "more than half"}
            among[min(among, key=lambda near: abs(near - share))]
        """,
        hint="The ramp of position $p$ is $(p/D, ..., p/D)$. What is its product with that of $q$?",
        mistakes={
            "about a tenth": "That would be so if all positions were equally likely.",
            "about a third": "The product grows with both positions, and the softmax is exponential.",
        },
        because="The products of the ramps are far larger than those of the words.",
    ),
    end_columns=Question(
        "(From the optional part.) Vectors are written as columns. Queries are $(K, T)$, keys"
        " $(K, S)$ and values $(V, S)$, with $T = 3$, $S = 5$, $K = 2$ and $V = 7$. What is the shape"
        " of the output?",
        answer=(7, 3),
        by="columns.shape",
        hint="There is a column for each query. How long is a value?",
        mistakes={"(3, 7)": "That is the shape with rows. Here each output is a column."},
        because="$(V, T)$.",
        end=True,
    ),
    end_ramp=Question(
        r"(From the optional part.) The ramp adds $\mathrm{pos} / D$ to each of $D = 32$ numbers. What"
        " is the product of that of position 64 with that of position 50?",
        answer=100,
        by="float(ramp[64] @ ramp[50])",
        hint="Each of 32 numbers is $64 / 32$ in one and $50 / 32$ in the other.",
        mistakes={"3.125": "That is the product of one number. There are 32."},
        because=r"$p q / D = 64 \cdot 50 / 32$.",
        end=True,
    ),
)
