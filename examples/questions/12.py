"""The questions of lesson 12."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    end_causal=Question(
        "How many of the 36 places of a causal mask for six tokens are true?",
        answer=21,
        by="int(masks.causal(6).sum())",
        hint="The first row has one, the last has six.",
        mistakes={
            "15": "The diagonal is true, too: each token may attend to itself.",
            "18": "It is a little more than half: the diagonal is true, too.",
        },
        because=r"$1 + 2 + \dots + 6 = 6 \cdot 7 / 2$.",
        end=True,
    ),
    end_decoder_layer=Question(
        "How many numbers does a decoder layer learn, with $D = 8$, $H = 2$, $F = 16$?",
        answer=904,
        by="sum(p.size for p in mt.DecoderLayer(8, 2, 16).parameters())",
        hint=(
            "Two attentions with four matrices and four biases each, a feed-forward part, and "
            "three layer norms."
        ),
        mistakes={
            "600": (
                "That is an encoder layer: the cross-attention, and one layer norm, are missing."
            ),
            "616": "One of the two attentions is missing.",
        },
        because=r"$2 \cdot 4 \cdot (64 + 8) + (2 \cdot 8 \cdot 16 + 16 + 8) + 3 \cdot 16$.",
        end=True,
    ),
    end_cross=Question(
        "A batch of 3 sources, padded to 9 words, with 4 heads; the targets are padded to "
        "11. What is the shape of the weights of the cross-attention?",
        answer=(3, 4, 11, 9),
        by="""
            layer = mt.DecoderLayer(8, 4, 16)
            layer(np.zeros((3, 11, 8), np.float32), np.zeros((3, 9, 8), np.float32))[2].shape
        """,
        hint="$(B, H, T, S)$: the queries come from the target, the keys from the source.",
        mistakes={
            "(3, 4, 9, 11)": "The queries are the rows, and they come from the target.",
        },
        because=(
            "$(B, H, T, S)$: rows are queries, from the target; columns are keys, from the source."
        ),
        end=True,
    ),
)
