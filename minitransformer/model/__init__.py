"""The model as the papers have it: attention first, then what is built of it.

Read it in this order: `attention`, `masks`, `projection`, `multi_head`, `positions`, `layer_norm`,
`feed_forward`, `residual`, `encoder`, `decoder` (both a `stack` of layers), `embedding`, `transformer`,
`encoder_only`, `decoder_only`.

`masks` says which way a mask goes, and lists all files that know of masks.

A first reading can skip what is beside the papers. Attention, layers and models are each made from one
object that holds their sizes and choices, and has checked them: `attention_sizes`, `sizes`. `scores`
has the ways to compare a query with a key that learn. `tokens` checks the ids that come in; `results`
and `weights` name what goes out, and `grid` lays it out as text; `cache` is what a model remembers while
it writes.
"""
