"""The questions of lesson 13b."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    first_loss=Question(
        "What will the loss of the new model be, before any training?",
        choices=["near 0", "near 2.4", "near 11"],
        answer="near 2.4",
        by="""
            near = {"near 0": 0, "near 2.4": np.log(11), "near 11": 11}
            min(near, key=lambda each: abs(near[each] - expected.item()))
        """,
        hint="The model knows nothing yet. What is the loss of an even guess among 11 symbols?",
        mistakes={
            "near 0": "That is the loss of a model that is always right.",
            "near 11": "That is the perplexity of an even guess. The loss is its logarithm.",
        },
        because=r"Near $\log 11 = 2.40$, or a little above.",
    ),
    not_needed=Question(
        "Our engine has rules for these functions. Which of them does the transformer *not* call?",
        choices=["np.exp", "np.sqrt", "np.maximum", "np.tanh"],
        answer="np.tanh",
        by="""
            (unused,) = (f for f in (np.exp, np.sqrt, np.maximum, np.tanh) if f not in with_rules)
            f"np.{unused.__name__}"
        """,
        hint="Think of the softmax, of layer norm and of relu.",
        mistakes={
            "np.exp": "The softmax needs it.",
            "np.sqrt": "Layer norm divides by the root of the variance.",
            "np.maximum": "It is relu: the larger of $x$ and 0.",
        },
        because="tanh was for the recurrent network and the additive attention of lesson 06.",
    ),
    rows_at_rest=Question(
        "Which rows of the target embedding get a gradient of 0? Answer with their ids, "
        "in increasing order.",
        answer=[0, 2],
        by="at_rest",
        hint="The decoder reads `<bos>` and the letters. Which ids does it never read?",
        mistakes={
            "0": "One more: the end symbol is asked for, but never read.",
            "[0, 1, 2]": "The start symbol, 1, is what the decoder reads first.",
            "2": "One more: there is no padding in these batches.",
        },
        because="Padding does not occur, and the end symbol is only asked for, never read.",
    ),
    end_functions=Question(
        "A model without layer norm, without attention and without a loss is `relu(x @ W + "
        "b)`. How many functions with rules does it take?",
        answer=3,
        counted=True,
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
        "A bias of 16 numbers is added to an array of shape $(B, T, D) = (16, 5, 16)$. Each number "
        "of the bias's gradient is a sum of how many numbers?",
        answer=80,
        by="""
            bias = Tensor(np.zeros(16))
            backward(np.sum(np.ones((16, 5, 16)) + bias))
            bias.grad[0]
        """,
        hint="To how many rows of 16 numbers is the bias added?",
        mistakes={
            "16": "The bias is added at every position of every sequence of the batch.",
            "5": "The batch has 16 sequences of 5 positions.",
        },
        because=r"$16 \cdot 5$ copies.",
        end=True,
    ),
)
