"""minitransformer: a complete transformer, built on minigrad and on nothing else.

Its rooms, each of which uses those before it: `model`, `training`, `tasks`, `views`, `commands`. In
`model` every file is as its paper has it. `training.torch_weights` carries weights over from PyTorch's
layers, and back: `mine.load_state_dict(from_torch(theirs, mine))`.

The fifteen algorithms of "Formal Algorithms for Transformers" (Phuong & Hutter, 2022), where each is
here, and a test that writes it out number by number for each:

     1  token embedding                 `model.embedding.embedding_table`; see `model.embedding.embed`
     2  positional embedding            `Learned`; also `sinusoidal` and `rotary`
     3  basic single-query attention    `single_query`
     4  attention                       `attention`
     5  multi-head attention            `MultiHeadAttention`
     6  layer norm                      `LayerNorm`
     7  unembedding                     `model.embedding.unembedding`, then minigrad's softmax
     8  encoder-decoder transformer     `Transformer`
     9  encoder-only transformer        `EncoderOnly`
    10  decoder-only transformer        `DecoderOnly`
    11  sequence-to-sequence training   `Training.step`: cross_entropy(model(z, x[:, :-1]), x[:, 1:])
    12  training on masked tokens       `model.encoder_only.hide`, then cross_entropy(model(read), guess)
    13  training on next tokens         `Training.step`: cross_entropy(model(x[:, :-1]), x[:, 1:])
    14  prompting                       `training.decoding.sample`, of a `DecoderOnly`; also `greedy`
    15  sequence-to-sequence inference  `training.decoding.sample`, of a `Transformer`; also `greedy`

There, tokens are columns and masks are indexed [key, query]; here tokens are rows and masks are
indexed [query, key].
"""

# Before anything that imports NumPy.
from .training import threads  # isort: split

from typing import Any

from minigrad.missing import PUBLIC, missing

from . import tasks
from .model import masks, positions
from .model.attention import attention, dot, scaled_dot, single_query
from .model.attention_sizes import AttentionSizes
from .model.cache import Cache
from .model.decoder import Decoder, DecoderLayer
from .model.decoder_only import DecoderOnly
from .model.encoder import Encoder, EncoderLayer
from .model.encoder_only import EncoderOnly
from .model.feed_forward import FeedForward, GatedFeedForward
from .model.layer_norm import LayerNorm
from .model.multi_head import MultiHeadAttention
from .model.positions import Learned, rotary, sinusoidal
from .model.residual import Residual
from .model.scores import SCORES, Additive, Concat, General
from .model.sizes import DecoderSizes, EncoderSizes, LayerSizes, Sizes
from .model.transformer import Transformer
from .model.weights import Weights
from .tasks import load_training
from .training import decoding
from .training.checkpoints import load_reader
from .training.decoding import greedy
from .training.loop import Training
from .training.readers import Continuer, Reader, TextReader
from .training.settings import Settings
from .training.vocabulary import Vocabulary

__all__ = [
    "SCORES",
    "Additive",
    "AttentionSizes",
    "Cache",
    "Concat",
    "Continuer",
    "Decoder",
    "DecoderLayer",
    "DecoderOnly",
    "DecoderSizes",
    "Encoder",
    "EncoderLayer",
    "EncoderOnly",
    "EncoderSizes",
    "FeedForward",
    "GatedFeedForward",
    "General",
    "LayerNorm",
    "LayerSizes",
    "Learned",
    "MultiHeadAttention",
    "Reader",
    "Residual",
    "Settings",
    "Sizes",
    "TextReader",
    "Training",
    "Transformer",
    "Vocabulary",
    "Weights",
    "attention",
    "decoding",
    "dot",
    "greedy",
    "load_reader",
    "load_training",
    "masks",
    "positions",
    "rotary",
    "scaled_dot",
    "single_query",
    "sinusoidal",
    "tasks",
    "threads",
]

# Not imported before it is used.
PUBLIC[f"{__name__}.training.torch_weights"] = ["from_torch", "to_torch"]


def __getattr__(name: str) -> Any:
    raise missing(__name__, name)


def __dir__() -> list[str]:
    return __all__  # a tab shows what is for users
