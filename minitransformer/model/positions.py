"""The positions of tokens. A model without them sees only a set.

`POSITIONS` names the ways. The sinusoidal and the learned positions are added to the embeddings; the
rotary ones turn queries and keys, inside the attention.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from minigrad import Array, Tensor, definition, errors
from minigrad.engine.kinds import checked
from minigrad.engine.modes import floating
from minigrad.engine.tensor import A
from minigrad.nn import Embedding, Module
from minigrad.settings import whole

# --- sines and cosines ----------------------------------------------------------------------------


@checked
@functools.lru_cache(maxsize=32)
def sinusoidal(
    length: int, width: int, offset: int = 0, dtype: str | type | np.dtype = "float32"
) -> np.ndarray:
    """Sines and cosines of falling frequency, interleaved: (length, D), read-only.

    PE(pos, 2i) = sin(pos / 10000^(2i/D)) and PE(pos, 2i+1) = cos(pos / 10000^(2i/D)) for pos from
    `offset` on (Vaswani et al., 2017, section 3.5). An odd width ends with a sine.

    Raises:
        ConfigError: if a number is not a whole number, the width from 1 and the others from 0.
    """
    length, offset = whole("length", length), whole("offset", offset)
    width = whole("width", width, least=1)
    angle = _angles(length, width, offset)  # (T, D/2)
    table = np.empty((length, width), floating("the dtype", dtype))  # (T, D)
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle[:, : width // 2])
    table.flags.writeable = False
    return table


def _angles(length: int, width: int, offset: int) -> np.ndarray:
    """pos / 10000^(2i/D), one row per position, one column per pair."""
    pos = np.arange(offset, offset + length)[:, None]  # (T, 1)
    return pos / 10000 ** (np.arange(0, width, 2) / width)  # (T, D/2)


@checked
def add_sinusoidal(x: A, offset: int = 0) -> A:
    """Tell each vector where it stands: attention by itself does not see the order.

    Embeddings (..., T, D) plus their sinusoids; the first stands at position `offset` (lesson 10).
    """
    positions = sinusoidal(*x.shape[-2:], offset, x.dtype)  # (T, D)
    return x + positions  # (..., T, D)


# --- learned --------------------------------------------------------------------------------------


class Learned(Module):
    """A vector for each position, learned as those of the tokens are (Phuong & Hutter, 2022, algorithm
    2): the rows of `table.weight`, (longest, D).

    Args:
        longest: how many positions there are.
        width: D.
    """

    def __init__(self, longest: int, width: int):
        self.table = Embedding(longest, width, std=0.7)  # the size of sines and cosines

    def forward(self, x: Array, offset: int = 0) -> Tensor:
        """Embeddings (..., T, D) plus the rows from `offset` on.

        Raises:
            LengthError: if there are more positions than rows.
            ShapeError: if these are no vectors in a row.
        """
        if np.ndim(x) < 2:
            raise errors.ShapeError(f"embeddings are (..., T, D), and the shape is {np.shape(x)}")
        longest, end = self.table.weight.shape[0], offset + x.shape[-2]
        if end > longest:
            raise errors.LengthError(
                f"there are {longest} learned positions, and the sequence has {end}: shorten it, or "
                f"make the model for longer ones"
            )
        return x + self.table(np.arange(offset, end))


# --- rotary ---------------------------------------------------------------------------------------


@definition(plain=True)
def rotary(x: A, offset: int = 0) -> A:
    """Queries or keys (..., T, K), each pair of numbers turned by an angle that grows with position.

    A pair (a, b) becomes (a cos - b sin, b cos + a sin), so that the product of a query and a key
    depends on their positions through the distance alone (Su et al., 2021, equation 34).

    Args:
        x: of an even width K.
        offset: the position of the first.

    Raises:
        ShapeError: if K is odd.
        ConfigError: if `offset` is not a whole number from 0.
    """
    offset = whole("offset", offset)
    T, K = x.shape[-2:]
    if K % 2:
        raise errors.ShapeError(
            f"rotary positions turn pairs of numbers, and the shape is {x.shape}"
        )
    cos, sin = _turns(T, K, offset, x.dtype)  # (T, K)
    pairs = np.reshape(x, (*x.shape[:-1], K // 2, 2))  # (..., T, K/2, 2)
    exchanged = np.reshape(np.flip(pairs, -1), x.shape)  # each (a, b) as (b, a)
    return x * cos + exchanged * sin


@functools.lru_cache(maxsize=32)
def _turns(length: int, width: int, offset: int, dtype: object) -> tuple[np.ndarray, np.ndarray]:
    """For each pair (cos, cos) and (-sin, sin)."""
    angle = np.repeat(_angles(length, width, offset), 2, axis=-1)  # (T, K)
    cos, sin = np.cos(angle).astype(dtype), np.sin(angle).astype(dtype)
    sin[:, 0::2] *= -1
    cos.flags.writeable = sin.flags.writeable = False
    return cos, sin


# --- by name --------------------------------------------------------------------------------------


@checked
def add_nothing(x: A, offset: int = 0) -> A:
    """The embeddings as they are."""
    return x


# Each is made from D and the longest sequence, and called with embeddings and an offset.
Positions = Callable[[Tensor, int], Tensor]
POSITIONS: dict[str, Callable[[int, int], Positions]] = {
    "sinusoidal": lambda width, longest: add_sinusoidal,
    "learned": lambda width, longest: Learned(longest, width),
    "rotary": lambda width, longest: add_nothing,
    "none": lambda width, longest: add_nothing,
}
