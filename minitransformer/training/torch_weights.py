"""Weights to and from PyTorch, as state dicts of arrays; PyTorch itself is not needed.

    mine.load_state_dict(from_torch(theirs, mine))

    arrays = to_torch(mine.state_dict())
    theirs.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})

    theirs                              mine
    nn.MultiheadAttention               MultiHeadAttention; AttentionSizes(context_width=(kdim, vdim))
    nn.TransformerEncoderLayer          EncoderLayer; norm="pre" for norm_first=True
    nn.TransformerDecoderLayer          DecoderLayer; norm="pre" for norm_first=True
    nn.TransformerEncoder, -Decoder     Encoder, Decoder; final_norm says whether theirs has a norm
    nn.Transformer                      stacks(encoder, decoder), both with final_norm=True

A state dict does not say how many heads there are, which activation, or where the norms stand: make
both sides alike. PyTorch stores the transpose of each weight, and the projections of queries, keys
and values in one array. Gradients have the same layout as weights, and can be converted in the same way.
The layers here have biases: for layers made there with bias=False, they are zeros.

PyTorch's masks mean the opposite of those here, True = may not be attended to: see `mask_to_torch`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from minigrad import errors
from minigrad.engine.errors import described
from minigrad.nn import Module
from minigrad.settings import whole

from ..model.residual import Residual

THEIRS_TO_OURS = {
    "self_attn.": "self_attention.",
    "multihead_attn.": "cross_attention.",
    "q_proj_weight": "query.weight",
    "k_proj_weight": "key.weight",
    "v_proj_weight": "value.weight",
    "out_proj.": "output.",
    "linear1.": "feed_forward.widen.",
    "linear2.": "feed_forward.narrow.",
    "norm1.": "residual1.norm.",
    "norm2.": "residual2.norm.",
    "norm3.": "residual3.norm.",
    "norm.weight": "norm.gain",
}
OURS_TO_THEIRS = {ours: theirs for theirs, ours in reversed(THEIRS_TO_OURS.items())}
PARTS = ("query", "key", "value")  # in the order of PyTorch's in_proj_weight and in_proj_bias
STACK = r"((encoder|decoder)\.)?(layers\.\d+\.)?"
THEIRS = re.compile(
    rf"{STACK}(((self|multihead)_attn\.)?(in_proj_(weight|bias)|[qkv]_proj_weight|out_proj\.(weight|bias))"
    r"|linear[12]\.(weight|bias)|norm[123]?\.(weight|bias))"
)
OURS = re.compile(
    rf"{STACK}(((self|cross)_attention\.)?(query|key|value|output)\.(weight|bias)"
    r"|feed_forward\.(widen|narrow)\.(weight|bias)|(residual[123]\.)?norm\.(gain|bias))"
)

BY_HAND = (
    "\nThe parts that are of such layers can be carried each by itself. Of others: "
    "mine.load_state_dict({name: array}), with the names of mine.state_dict(), each weight transposed"
)

# --- weights --------------------------------------------------------------------------------------


def from_torch(theirs: Any, mine: Module | None = None) -> dict[str, np.ndarray]:
    """A state dict of this library's from one of PyTorch's.

    Args:
        theirs: one of the modules above; or what its `state_dict()` returned: arrays, or tensors that
            NumPy can read. A state dict does not say that add_zero_attn was True, so only of a module
            is it refused.
        mine: the module that is to get them. If both are modules, the places of their norms are
            compared, which no state dict says.

    Raises:
        ArgumentError: if it is neither.
        StateDictError: if it holds an entry that has no place here; all of them are listed. Or if one
            normalises before each part, and the other after.
    """
    if hasattr(theirs, "named_modules"):
        _check_norms(theirs, mine)
        more = [name for name, m in theirs.named_modules() if getattr(m, "add_zero_attn", False)]
        _refuse("from PyTorch", [f"{f'{name}: ' * bool(name)}add_zero_attn=True" for name in more])
        theirs = theirs.state_dict()
    if not isinstance(theirs, Mapping):
        raise errors.ArgumentError(
            f"theirs is a module of PyTorch's or its state_dict(), not {described(theirs)}; of a file: "
            f"torch.load(path)"
        )
    arrays = {name: np.asarray(value) for name, value in theirs.items()}
    strange = [name for name in arrays if not THEIRS.fullmatch(name)]
    strange += [name for name, a in arrays.items() if "in_proj_" in name and len(a) % 3]
    _refuse("from PyTorch", strange, arrays)
    ours: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        for new, part in _apart(_renamed(name, THEIRS_TO_OURS), array):
            ours[new] = part.T.copy()  # vectors are their own transposes
    is_layer = any(name.endswith("feed_forward.widen.weight") for name in ours)
    return _biases(ours) | ours if is_layer else ours


def _check_norms(theirs: Any, mine: Module | None) -> None:
    """Check that the norms of two modules stand in the same places, as far as both have some."""
    modules = [] if mine is None else [module for _, module in mine.named_modules()]
    there = {m.norm_first for m in theirs.modules() if hasattr(m, "norm_first")}
    here = {m.pre for m in modules if isinstance(m, Residual)}
    if there and here and there != here:
        raise errors.StateDictError(
            "PyTorch's layers have their norms elsewhere than those here, so that the results would "
            "differ: norm='pre' is as norm_first=True, norm='post' as norm_first=False"
        )


def to_torch(state: Mapping[str, object]) -> dict[str, np.ndarray]:
    """A state dict of this library's as one of PyTorch's: the inverse of `from_torch`.

    Args:
        state: what `state_dict()` of one of the modules above returned.

    Raises:
        StateDictError: if it holds an entry that has no place there: embeddings, gates, scores that
            learn, heads of other widths than D / H, biases of only some projections. All are listed.
    """
    arrays = {name: np.asarray(value) for name, value in state.items()}
    _refuse("to PyTorch", [name for name in arrays if not OURS.fullmatch(name)], arrays)
    theirs = {name: array.T for name, array in arrays.items()}
    attentions = {name[: -len("query.weight")] for name in arrays if name.endswith("query.weight")}
    _refuse("to PyTorch", [problem for path in attentions for problem in _misfits(theirs, path)])
    for path in attentions:
        _join(theirs, path)
    return {_renamed(name, OURS_TO_THEIRS): array.copy() for name, array in theirs.items()}


def stacks(encoder: Module, decoder: Module) -> Module:
    """An encoder and a decoder as one module, as nn.Transformer is, which has no embeddings:
    `stacks(model.encoder, model.decoder).load_state_dict(from_torch(theirs.state_dict()))`."""
    both = Module()
    both.encoder, both.decoder = encoder, decoder  # type: ignore[attr-defined]
    return both


def _renamed(name: str, table: Mapping[str, str]) -> str:
    for old, new in table.items():
        name = re.sub(rf"(?<![^.]){re.escape(old)}", new, name)  # whole parts of the path
    return name


def _apart(name: str, array: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The three projections that PyTorch keeps in one array; any other array as it is."""
    path, joined, kind = name.rpartition("in_proj_")
    if not joined:
        return [(name, array)]
    return [(f"{path}{part}.{kind}", a) for part, a in zip(PARTS, np.split(array, 3))]


def _biases(ours: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Zeros for the bias beside each weight and gain."""
    beside = ((name.rpartition("."), array) for name, array in ours.items())
    return {
        f"{path}.bias": np.zeros_like(array, shape=array.shape[-1:])
        for (path, _, kind), array in beside
        if kind in ("weight", "gain")
    }


def _join(theirs: dict[str, np.ndarray], path: str) -> None:
    """Put the projections of the attention at `path` into one array, if their shapes are equal."""
    for kind in ("weight", "bias"):
        names = [f"{path}{part}.{kind}" for part in PARTS]
        arrays = [theirs[name] for name in names if name in theirs]
        if arrays and arrays[0].shape == arrays[1].shape == arrays[2].shape:
            theirs[f"{path}in_proj_{kind}"] = np.concatenate([theirs.pop(name) for name in names])


def _misfits(theirs: Mapping[str, np.ndarray], path: str) -> list[str]:
    """List the reasons why PyTorch's attention cannot hold the one at `path`."""
    name = path.rstrip(".") or "the attention"
    projections = (*PARTS, "output")
    missing = [part for part in projections if f"{path}{part}.weight" not in theirs]
    if missing:
        return [
            f"{name} has no {' and no '.join(missing)}, PyTorch's has: heads cannot be added there"
        ]
    query, key, value, output = (theirs[f"{path}{part}.weight"] for part in projections)
    if len({*query.shape, len(key), len(value), *output.shape}) > 1:
        return [f"{name}: heads and output must be as wide as the queries, {query.shape[1]} in all"]
    if len({f"{path}{part}.bias" in theirs for part in projections}) > 1:
        return [f"{name}: all four projections have a bias, or none has"]
    return []


def _refuse(direction: str, strange: list[str], arrays: Mapping[str, np.ndarray] = {}) -> None:
    if strange:
        lines = [f"{name} {arrays[name].shape}" if name in arrays else name for name in strange]
        raise errors.StateDictError(
            f"these entries cannot be carried {direction}:\n  " + "\n  ".join(lines) + BY_HAND
        )


# --- masks ----------------------------------------------------------------------------------------


def mask_to_torch(mask: np.ndarray, batch: int, heads: int, queries: int, keys: int) -> np.ndarray:
    """A mask as the attn_mask of PyTorch's modules: (B H, T, S) bool, True = may not be attended to."""
    every = np.broadcast_to(mask, (batch, heads, queries, keys))
    return ~every.reshape(batch * heads, queries, keys)


def mask_from_torch(
    attn_mask: object = None, key_padding_mask: object = None, heads: int = 1
) -> np.ndarray | None:
    """The boolean masks of PyTorch's modules as one mask, True = may be attended to.

    Args:
        attn_mask: (T, S) or (B H, T, S) bool, True = may not be attended to.
        key_padding_mask: (B, S) bool, True = padding.
        heads: H; needed for an attn_mask with three axes.

    Returns:
        A mask that broadcasts to (B, H, T, S), or None if neither is given.

    Raises:
        DTypeError: for a mask that is to be added to the scores.
        ShapeError: for masks of other axes, of other heads, or that do not fit each other.
    """
    heads = whole("heads", heads, least=1)
    parts = []
    if attn_mask is not None:
        allowed = ~_booleans("attn_mask", attn_mask, (2, 3))
        if allowed.ndim == 3:  # one for each head
            if len(allowed) % heads:
                raise errors.ShapeError(
                    f"attn_mask {allowed.shape} has a mask for each head of each row of the batch, and "
                    f"{len(allowed)} is no multiple of {heads} heads: give heads=..."
                )
            allowed = allowed.reshape(-1, heads, *allowed.shape[1:])  # (B, H, T, S)
        parts.append(allowed)
    if key_padding_mask is not None:
        padding = _booleans("key_padding_mask", key_padding_mask, (2,))
        parts.append(~padding[:, None, None, :])  # (B, 1, 1, S)
    try:
        return functools.reduce(np.logical_and, parts) if parts else None
    except ValueError:
        raise errors.ShapeError(
            f"the masks are {' and '.join(str(part.shape) for part in parts)}, with {heads} heads, and "
            f"do not fit each other: (B, H, T, S) and (B, 1, 1, S) do"
        ) from None


def _booleans(name: str, mask: object, axes: tuple[int, ...]) -> np.ndarray:
    array = np.asarray(mask)
    if array.ndim not in axes:
        raise errors.ShapeError(
            f"{name} has {' or '.join(map(str, axes))} axes, and the shape is {array.shape}"
        )
    if array.dtype != bool:
        raise errors.DTypeError(
            f"a mask of booleans is expected, not {array.dtype}: pass mask != 0"
        )
    return array
