"""The questions of lesson 06."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    what_changes=Question(
        "Which of the four states change?",
        choices=["all four", "the third only", "the third and the fourth"],
        answer="the third and the fourth",
        by="""
            {(1, 1, 1, 1): "all four", (0, 0, 1, 0): "the third only",
             (0, 0, 1, 1): "the third and the fourth"}[tuple(map(int, moved))]
        """,
        hint="Each state is made of its input and of the state before.",
        mistakes={
            "the third only": "The fourth state is made of the third.",
            "all four": "The first two were made before the third input was read.",
        },
        because="The past stays as it is; what comes later depends on all before.",
    ),
    only_one=Question(
        "Only one symbol is to be written, $T = 1$. By the article's formula, what is the weight of "
        "each $h_j$?",
        answer=1,
        by="only[0, 0]",
        hint=r"The sum over $k$ runs over the steps of the decoder. How many terms has it?",
        mistakes={
            "0.2": r"That is $1/S$, for equal scores and the right formula.",
        },
        because=r"The sum has one term, $\exp s_{1j}$: every weight is 1, and nothing is chosen.",
    ),
    twelve=Question(
        "In sequences of twelve symbols, which share of the symbols does the network without attention "
        "write right, in per cent? Its state holds 32 numbers.",
        choices=["about 10, as by guessing", "about 60", "more than 90"],
        answer="about 60",
        by="""
            kept = right[False][11]
            "about 60" if 35 < kept < 75 else "more than 90" if kept > 90 else "about 10, as by guessing"
        """,
        hint="It has room for some of them. The last ones that were read are the easiest to keep.",
        mistakes={
            "about 10, as by guessing": "The state does keep something: the symbols read last.",
            "more than 90": "Twelve symbols are too many for its 32 numbers and this training.",
        },
        because="The state keeps about half of them. Some of the others are guessed.",
    ),
    first_look=Question(
        "At which column, counted from 0, does the first row have its weight?",
        answer=7,
        counted=True,
        by="int(np.median(looks_at[:, 0]))",
        hint="The first row writes the symbol that was read last.",
        mistakes={
            "8": "Columns are counted from 0: the last of eight is 7.",
            "0": "Column 0 is the symbol that was read first. It is written last.",
        },
        because="The last of eight symbols stands in column 7.",
    ),
    layers=Question(
        "A sequence has nine words. How many layers of a convolution of width 3 are needed until the "
        "vector of word 9 depends on word 1?",
        answer=8,
        counted=True,
        by="layers_needed(9)",
        hint="After one layer, word 2 knows of word 1. After two layers, word 3 does.",
        mistakes={
            "3": "One layer sees three neighbours, but only one word to each side.",
            "4": "A layer sees one word to the left, not two.",
            "9": "Word 1 knows of itself without any layer.",
        },
        because="One word to the side for each layer: $9 - 1$.",
    ),
    products=Question(
        "With 10 states on each side: how many products with a matrix are needed if each pair is "
        "joined and multiplied by $W$, and how many if the parts are multiplied once for each state? "
        "Answer with two numbers.",
        answer=[100, 20],
        by="""
            times = multiplications(10, 10, 1, 1)  # of which 100 are those by v
            [(times["concat"] - 100) / 2, times["additive"] - 100]
        """,
        hint="There are $S T$ pairs, and $S + T$ states.",
        mistakes={
            "[100, 100]": r"$d_i W_d$ is the same for all $h_j$: compute it once for each $i$.",
            "[20, 100]": "These are the right numbers, the other way round.",
        },
        because=r"$10 \cdot 10$ pairs, and $10 + 10$ states.",
    ),
    end_weights=Question(
        r"The scores of one $d_i$ with three states are $0, 0$ and $\ln 2 = 0.693...$. What "
        "are the weights?",
        answer=[0.25, 0.25, 0.5],
        by="mg.functional.softmax(np.array([0, 0, np.log(2)])).tolist()",
        hint="Take the exponential of each, and divide by their sum.",
        mistakes={
            "[1, 1, 2]": "These are the exponentials. Divide them by their sum.",
            "[0, 0, 1]": (
                "These are the scores, divided by their sum. The softmax takes their "
                "exponentials first."
            ),
        },
        because="The exponentials are 1, 1 and 2; their sum is 4.",
        end=True,
    ),
    end_concat=Question(
        "(From the optional part.) Encoder and decoder have 100 states each, 50 wide. The matrix $W$ of"
        ' "concat" makes $K = 50$ numbers of each pair. How many multiplications does "concat" need for'
        " all scores?",
        answer=50_500_000,
        by='multiplications(100, 100, 50, 50)["concat"]',
        hint=(
            r"There are $100 \cdot 100$ pairs. Each pair is a vector of 100 numbers, which a "
            "matrix maps to 50; then comes the product with $v$."
        ),
        mistakes={
            "50000000": "The product with $v$ is missing: 50 multiplications more for each pair.",
        },
        because=r"$100 \cdot 100 \cdot (100 \cdot 50 + 50)$.",
        end=True,
    ),
    end_column=Question(
        "A sequence of 8 symbols is reversed. At which column (from 0) does row 2 (from 0) "
        "of the alignment have its weight?",
        answer=5,
        counted=True,
        by="int(np.median(looks_at[:, 2]))",
        hint="Row 0 writes the last symbol, which stands in column 7.",
        mistakes={
            "6": "Columns and rows are counted from 0: the last column is 7, and row 2 is the third.",
        },
        because="$8 - 1 - 2$.",
        end=True,
    ),
)
