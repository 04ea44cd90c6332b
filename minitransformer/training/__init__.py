"""From lines of text to a trained model, and back to lines.

Read it in this order:

1. `vocabulary`: symbols to ids and back
2. `task`: what supplies the examples (named tasks are in `tasks`); `parts`: a batch in parts
3. `line_reader`: a model with its vocabularies, which learns from examples and turns lines into lines;
   `readers`: its three kinds
4. `settings` and `loop`: training on a task; `examination`: measures on examples that it never learns
   from
5. `writing`, `chances`, `decoding` and `beam`: symbol by symbol, greedy, drawn or by a beam; `judging`:
   what a model finds of symbols that are given
6. `checkpoints`: what is saved, as a model that reads or a run that goes on; `snapshots`: how it reads
   one line after some of the steps

A first reading can skip `progress` (a bar), `threads` (how NumPy multiplies while a model trains) and
`torch_weights` (state dicts to and from PyTorch).
"""
