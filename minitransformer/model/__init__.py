"""The model as the papers have it: attention first, then what is built of it.

Read it in this order: `attention`, `multi_head`, `positions`, `layer_norm`, `feed_forward`, `masks`,
`encoder`, `decoder`, `embedding`, `transformer`, `encoder_only`, `decoder_only`.
"""
