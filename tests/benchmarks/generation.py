"""What remembering keys and values saves: the time to generate 200 symbols, with and without.

    python tests/benchmarks/generation.py

Both write the same symbols. Their times are taken in turns, and the ratio is of the medians.
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

import minigrad as mg
from minitransformer import DecoderOnly, DecoderSizes, Sizes, Transformer
from minitransformer.training.decoding import greedy
from minitransformer.training.vocabulary import BOS, EOS

SYMBOLS, LENGTH, ROUNDS = 64, 200, 3


def endless(model):
    """The model, with the end of sequence made so unlikely that it writes to the full length."""
    bias = model.unembedding.bias.detach().numpy()
    bias[EOS] = -1e9
    model.unembedding.bias.copy_(bias)
    return model.astype(np.float64).eval()  # in float32 a near tie could go either way


def main():
    mg.manual_seed(0)
    common = {"width": 64, "heads": 4, "feed_forward": 256}
    seq2seq = Transformer(Sizes(SYMBOLS, SYMBOLS, encoder_layers=2, decoder_layers=2, **common))
    alone = DecoderOnly(DecoderSizes(SYMBOLS, layers=2, **common))
    source = np.random.default_rng(0).integers(3, SYMBOLS, (8, 24))
    cases = [
        ("encoder-decoder, 2+2 layers", endless(seq2seq), source),
        ("decoder-only, 2 layers", endless(alone), np.full((8, 1), BOS)),
    ]
    print(
        f"{LENGTH} symbols for 8 rows, width 64: seconds without and with the cache, and the ratio"
    )
    for name, model, given in cases:
        times = {True: [], False: []}
        for _ in range(ROUNDS):
            written = {}
            for cached in times:
                start = time.perf_counter()
                written[cached] = greedy(model, given, LENGTH - 1, cached=cached)
                times[cached].append(time.perf_counter() - start)
            assert (written[True] == written[False]).all()
            assert written[True].shape == (8, LENGTH)
        without, with_ = (statistics.median(times[cached]) for cached in (False, True))
        print(f"{name}: {without:.2f}, {with_:.2f}, {without / with_:.1f}")


if __name__ == "__main__":
    main()
