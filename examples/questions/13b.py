"""The questions of lesson 13b."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_functions=Question(
        "A model without layer norm, without attention and without a loss is `relu(x @ W + "
        "b)`. How many functions with rules does it take?",
        answer=3,
        by="""
            asked.clear()
            own_engine.call = noting
            mg.functional.relu(Tensor(np.ones((2, 3))) @ Tensor(np.ones((3, 4))) + Tensor(np.ones(4)))
            own_engine.call = original
            len(asked)
        """,
        hint="Count the operations.",
        because="The product, the sum, and the maximum that relu is.",
        end=True,
    ),
    end_copies=Question(
        "A bias of 16 numbers is added to activations of shape (16, 5, 16). Each number of "
        "its gradient is a sum of how many?",
        answer=80,
        by="""
            bias = Tensor(np.zeros(16))
            backward(np.sum(np.ones((16, 5, 16)) + bias))
            bias.grad[0]
        """,
        hint="To how many rows of 16 numbers is the bias added?",
        mistakes={
            "16": "The bias is added at every place of every sequence of the batch.",
            "5": "The batch has 16 sequences of 5 places.",
        },
        because=r"$16 \cdot 5$ copies.",
        end=True,
    ),
)
