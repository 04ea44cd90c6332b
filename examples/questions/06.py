"""The questions of lesson 06."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_weights=Question(
        r"The scores of one $s_j$ with three states are $0, 0$ and $\ln 2 = 0.693...$. What "
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
        "Encoder and decoder have 100 states each, 50 wide, and the shared space is 50 "
        'wide. How many multiplications does "concat" need for all scores?',
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
        by="int(np.median(looks_at[:, 2]))",
        hint="Row 0 writes the last symbol, which stands in column 7.",
        mistakes={
            "6": "Columns are counted from 0: the last one is 7.",
        },
        because="$8 - 1 - 2$.",
        end=True,
    ),
)
