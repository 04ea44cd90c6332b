"""The questions of lesson 12."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    logits=Question(
        "What is the shape of the logits? Two sources of 5 words, two targets of 7 (with `<bos>` and "
        "padding), and a German vocabulary of six words and three special ids.",
        answer=(2, 7, 9),
        by="logits.shape",
        hint="At each position of each target, a score for each word of the vocabulary.",
        mistakes={
            "(2, 5, 9)": "The scores are for the positions of the target.",
            "(2, 7, 6)": "The three special ids have scores, too.",
            "(2, 7, 16)": "The last map goes from $D = 16$ numbers to $N$ scores.",
        },
        because="$(B, T, N)$.",
    ),
    memory=Question(
        "What is the shape of the memory, with which the encoder ends?",
        answer=(2, 5, 16),
        by="model.encode(source).vectors.shape",
        hint="A vector of $D = 16$ numbers for each word of each source.",
        mistakes={
            "(2, 7, 16)": "The encoder reads the source, not the target.",
            "(2, 16)": "That would be one vector for a whole sentence. Here each word keeps its own.",
        },
        because="$(B, S, D)$, as it came in.",
    ),
    both_masks=Question(
        "How many of the 49 entries are true under both masks?",
        answer=22,
        counted=True,
        by="int(may_look_back[1].sum())",
        hint="Only the first four columns are left. How many of them may each of the seven rows see?",
        mistakes={
            "28": "One mask alone has 28: the causal one 1 + 2 + ... + 7, the other 7 rows of 4.",
            "10": "The rows of padded queries stay.",
            "16": "The rows of padded queries stay; and position 0 does not see position 3.",
        },
        because="$1 + 2 + 3 + 4 + 4 + 4 + 4$.",
    ),
    which_change=Question(
        "Which rows of the logits of the first target change?",
        choices=["all of them", "rows 4, 5 and 6", "rows 3, 4, 5 and 6", "none"],
        answer="rows 4, 5 and 6",
        by="""
            rows = (model(source, changed).data[0] != logits.data[0]).any(axis=1)
            {(4, 5, 6): "rows 4, 5 and 6"}[tuple(np.flatnonzero(rows).tolist())]
        """,
        hint="Each position sees itself and what stands before it.",
        mistakes={
            "rows 3, 4, 5 and 6": "Row 3 predicts the word at position 4, but must not see it.",
            "none": "What is reversed may be seen from position 4 on.",
        },
    ),
    where=Question(
        "In which kind of part are the most parameters of the base model?",
        choices=["the embedding", "all attentions", "all feed-forward layers", "all norms"],
        answer="all feed-forward layers",
        by="""
            kinds = {
                "the embedding": base["source_embedding"], "all attentions": 18 * attention,
                "all feed-forward layers": 12 * ff, "all norms": base_parts["all norms"],
            }
            max(kinds, key=kinds.get)
        """,
        hint="12 feed-forward layers of about $8 D^2$, and 6 + 6 + 6 attentions of about $4 D^2$.",
        mistakes={
            "all attentions": r"$18 \cdot 4 D^2$ against $12 \cdot 8 D^2$.",
            "the embedding": r"$37{,}000 \cdot 512$ is 19 million, of 63.",
        },
    ),
    end_causal=Question(
        "How many of the 36 entries of a causal mask for six words are true?",
        answer=21,
        counted=True,
        by="int(masks.causal(6).sum())",
        hint="The first row has one, the last has six.",
        mistakes={
            "15": "The diagonal is true, too: each word may attend to itself.",
            "18": "It is a little more than half: the diagonal is true, too.",
        },
        because=r"$1 + 2 + \dots + 6 = 6 \cdot 7 / 2$.",
        end=True,
    ),
    end_decoder_layer=Question(
        "How many parameters has a decoder layer, with $D = 8$, $H = 2$, $F = 16$?",
        answer=904,
        by=(
            "sum(p.size for p in mt.DecoderLayer("
            "mt.LayerSizes(width=8, heads=2, feed_forward=16)).parameters())"
        ),
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
            layer = mt.DecoderLayer(mt.LayerSizes(width=8, heads=4, feed_forward=16))
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
