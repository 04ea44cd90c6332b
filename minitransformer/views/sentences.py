"""The sentences of a reading's page: templates with fields such as `{line}`.

The purpose of each part of the model is a question in words of the task. The fields are: the `line` that
was read; its `unit` (letter or word) and the plural `units`; the output that the model `wrote`; one
`symbol` of it, the `nth`; and the text `before` that symbol.
"""

from __future__ import annotations

from collections.abc import Mapping

from minigrad.views.page.chapters import Purpose

READING = (
    "The model reads “{read}” and writes one symbol after the other. At each step it is given what it "
    "has written so far, finds how likely each symbol is to come next, and takes the likeliest. Each of "
    "the {heads} heads of {attention} shares itself out over what there is to look at: the stronger the "
    "colour behind a letter, the more of it. At the right stands the one that it looks at most. A head "
    "that is pale everywhere takes a little of all: at this step it has nothing to ask for. The other "
    "heads are on the tab Attention."
)
ATTENTIONS = {  # that are shown, by whether the model looks at what it has written
    False: "the decoder's cross-attention, by which it looks at what was read,",
    True: "its masked self-attention, by which it looks at all that stands before,",
}
OVER_TIME = (
    "While it was trained, {count} snapshots were kept of how the model reads “{line}”, for which "
    "“{wanted}” is right. Each column below is the symbol that it finds likeliest at that place, when "
    "it is given the right ones before; its height is the probability; wrong ones are framed. Most "
    "snapshots are of the beginning, when most changes."
)
GRADIENTS = (
    "Of each part, the norm of the gradient of this line's loss: on a logarithmic scale, four powers of "
    "ten down from the largest. The part nearest to the output stands first."
)
PURPOSES = {  # by patterns of the paths of parts; the first that fits counts
    "source_embedding": Purpose(
        "What is each {unit} by itself?",
        "Each {unit} of “{line}” becomes a vector: the numbers that were learned for it, and those "
        "of its place are added.",
    ),
    "*_attention.[qkv]*": Purpose(
        "What does each place look for, and what does it offer?",
        "Each vector becomes a query, a key and a value: what it looks for, by what it is found, "
        "and what it gives then.",
    ),
    "encoder.*self_attention*": Purpose(
        "Which {units} belong together?",
        "Self-attention: each {unit} of “{line}” looks at all the others, and adds what it finds "
        "there to what it knows.",
    ),
    "encoder.*feed_forward": Purpose(
        "What does each {unit} make of what it has seen?",
        "Feed-forward: each {unit} works on its own vector, and looks at no other.",
    ),
    "target_embedding": Purpose(
        "What is each symbol that was written?",
        "What the model wrote, “{wrote}”, becomes vectors too, moved on by one place: at each place"
        " it is to find the symbol that comes next.",
    ),
    "decoder.*self_attention*": Purpose(
        "How far has it come?",
        "Masked self-attention: each place looks back at what is written before it, and never "
        "ahead. To write its {nth} symbol, “{symbol}”, the model must know that {before} before it.",
    ),
    "decoder.*cross_attention*": Purpose(
        "Which {units} does each symbol need?",
        "Cross-attention: what is to be written asks, and the {units} of “{line}” answer. Where "
        "does the {nth} symbol, “{symbol}”, look?",
    ),
    "decoder.*feed_forward": Purpose(
        "What follows for the next symbol?",
        "Feed-forward: each place works on what it has fetched, and looks at no other.",
    ),
    "embedding": Purpose(
        "What is each {unit} by itself?",
        "Each {unit} of what was read and written becomes a vector: the numbers that were learned "
        "for it, and those of its place are added.",
    ),
    "stack.*self_attention*": Purpose(
        "Which {units} before it does each one need?",
        "Masked self-attention: each {unit} looks back at those before it, and never ahead. Where "
        "does the {nth} symbol that was written, “{symbol}”, come from?",
    ),
    "stack.*feed_forward": Purpose(
        "What does each {unit} make of what it has seen?",
        "Feed-forward: each {unit} works on its own vector, and looks at no other.",
    ),
    "*norm": Purpose(
        "How large may numbers become?",
        "A norm brings the vector at each place to one size, so that no part drowns out another.",
        aside=True,
    ),
    "unembedding": Purpose(
        "Which symbol comes next?",
        "Each symbol of the vocabulary gets a score at each place; the highest is written.",
    ),
    "cross_entropy": Purpose(
        "How sure was it?",
        "The loss: minus the logarithm of the probability that it gave to each symbol that it "
        "wrote. From here the gradients go back.",
    ),
}
ORDINALS = "first", "second", "third"


def purposes(line: str, unit: str, symbols: list[str]) -> Mapping[str, Purpose]:
    """`PURPOSES` for a line of these units, of which the model wrote these symbols."""
    at = min(2, len(symbols) - 1)
    fields = {
        "line": line, "unit": unit, "units": f"{unit}s", "wrote": "".join(symbols), "nth": ORDINALS[at],
        "symbol": symbols[at],
        "before": f"“{''.join(symbols[:at])}” stands" if at else "nothing stands",
    }  # fmt: skip
    return {
        pattern: Purpose(one.title.format(**fields), one.about.format(**fields), one.aside)
        for pattern, one in PURPOSES.items()
    }
