"""From lines of text to a trained model, and back to lines: `vocabulary`, `task`, `readers`, `loop`,
`examination`, `checkpoints`, and `decoding`, which writes symbol by symbol."""
