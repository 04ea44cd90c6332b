"""The model as the papers have it: attention first, then what is built of it.

Read it in this order: `attention`, `multi_head`, `positions`, `layer_norm`, `feed_forward`, `masks`,
`residual`, `encoder`, `decoder`, `embedding`, `transformer`, `encoder_only`, `decoder_only`.

Attention, layers and models are each made from one object that holds their sizes and choices, and has
checked them: `attention_sizes`, `sizes`.
"""
