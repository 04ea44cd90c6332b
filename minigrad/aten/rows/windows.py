"""Convolutions, pools, and images of other sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .layers import channels
from .ranks import agreed
from .row_table import row
from .shapes import constant_padded

# --- convolutions and pools -------------------------------------------------------------------------


def _windows(
    x: Any, size: Sequence[int], stride: Any, padding: Any, dilation: Any, fill: float
) -> Any:
    """The windows over the last axes of `x` (B, C, ...): (B, C, *places, *size)."""
    n = len(size)
    if any(padding):
        x = np.pad(x, [(0, 0)] * (x.ndim - n) + [(p, p) for p in padding], constant_values=fill)
    index: list[Any] = [...]
    for k in range(n):
        places = (x.shape[k - n] - dilation[k] * (size[k] - 1) - 1) // stride[k] + 1
        starts, steps = np.arange(places) * stride[k], np.arange(size[k]) * dilation[k]
        shape = [1] * (2 * n)
        shape[k], shape[n + k] = places, size[k]
        index.append((starts[:, None] + steps).reshape(shape))
    return x[tuple(index)]


@row("convolution")
def _convolution(
    input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
):
    n = weight.ndim - 2
    size = weight.shape[2:]
    x = input
    if transposed:  # what a convolution with these weights gets back
        ends = [d * (k - 1) - p for d, k, p in zip(dilation, size, padding)]
        more = [(end, end + o) for end, o in zip(ends, output_padding)]
        x = constant_padded(_spread(input, stride), more)
        weight = _turned(weight, groups)
        stride, padding = [1] * n, [0] * n
    windows = _windows(x, size, stride, padding, dilation, 0.0)
    B, C, *places = windows.shape[: 2 + n]
    grouped = np.reshape(windows, (B, groups, C // groups, *windows.shape[2:]))
    filters = np.reshape(weight, (groups, -1, *weight.shape[1:]))
    at, of = "xyz"[:n], "uvw"[:n]
    y = np.einsum(f"bgc{at}{of},goc{of}->bgo{at}", grouped, filters)
    y = np.reshape(y, (B, weight.shape[0], *places))
    return y if bias is None else y + channels(y.ndim, bias)[0]


def _spread(x: Any, stride: Sequence[int]) -> Any:
    """`x` with `stride - 1` zeros between its numbers, along its last axes."""
    for k, step in enumerate(stride):
        axis = x.ndim - len(stride) + k
        if step > 1:
            wide = np.pad(
                np.expand_dims(x, axis + 1),
                [(0, 0)] * (axis + 1) + [(0, step - 1)] + [(0, 0)] * (x.ndim - axis - 1),
            )
            x = np.reshape(wide, (*x.shape[:axis], -1, *x.shape[axis + 1 :]))
            x = x[(slice(None),) * axis + (slice(0, x.shape[axis] - step + 1),)]
    return x


def _turned(weight: Any, groups: int) -> Any:
    """The weights (in, out / groups, ...) of a transposed convolution, as weights of a convolution."""
    n = weight.ndim
    grouped = np.reshape(weight, (groups, -1, *weight.shape[1:]))
    swapped = np.reshape(
        np.swapaxes(grouped, 1, 2), (-1, weight.shape[0] // groups, *weight.shape[2:])
    )
    return np.flip(swapped, tuple(range(2, n)))


# --- pools ------------------------------------------------------------------------------------------


def _at_places(self: Any, places: Any, n: int) -> list:
    """The elements at `places` of the last n axes, counted through all of these; and these."""
    flat = np.reshape(self, (*self.shape[:-n], -1))
    rows = np.reshape(places, (*places.shape[:-n], -1))
    return [np.reshape(np.take_along_axis(flat, rows, -1), places.shape), places]


def _greatest(self: Any, size: Any, stride: Any, padding: Any, dilation: Any, to: Any) -> Any:
    """The place of the greatest in each window, of which there are `to`; the first of equal ones."""
    n = len(size)
    spans = [s * (t - 1) + d * (k - 1) + 1 for s, t, d, k in zip(stride, to, dilation, size)]
    pads = [(p, max(0, m - w - p)) for m, w, p in zip(spans, self.shape[-n:], padding)]
    x = np.pad(self, [(0, 0)] * (self.ndim - n) + pads, constant_values=-np.inf)
    within = np.pad(np.arange(math.prod(self.shape[-n:])).reshape(self.shape[-n:]), pads)
    windows = [_windows(a, size, stride, [0] * n, dilation, 0.0) for a in (x, within)]
    wanted = (Ellipsis, *map(slice, to), *[slice(None)] * n)
    values, places = (np.reshape(a[wanted], (*a.shape[: -2 * n], *to, -1)) for a in windows)
    best = np.expand_dims(np.argmax(values, -1), -1)
    return np.squeeze(np.take_along_axis(np.broadcast_to(places, values.shape), best, -1), -1)


def _max_pool(n: int) -> Any:
    def pool(self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False, *, theirs):
        size, padding, dilation = (_listed(a, n) for a in (kernel_size, padding, dilation))
        stride = _listed(stride, n) if stride else size
        ours = _greatest(self, size, stride, padding, dilation, theirs[1].shape[-n:])
        return _at_places(self, agreed(ours, theirs[1]), n)

    return pool


def _another_pool(n: int) -> Any:
    return lambda self, *_sizes, theirs: _at_places(self, theirs[1], n)


for _n in (2, 3):
    row(f"max_pool{_n}d_with_indices")(_max_pool(_n))
    row(f"adaptive_max_pool{_n}d", f"fractional_max_pool{_n}d")(_another_pool(_n))


def _along_axes(x: Any, matrices: Sequence[Any]) -> Any:
    """Multiply `x` by a matrix along each of its last axes."""
    for k, matrix in enumerate(matrices):
        axis = k - len(matrices)
        x = (
            np.swapaxes(np.matmul(matrix.astype(x.dtype), np.swapaxes(x, axis, -2)), axis, -2)
            if axis != -1
            else np.matmul(x, matrix.T.astype(x.dtype))
        )
    return x


def _listed(sizes: Any, n: int) -> list[int]:
    sizes = [sizes] if isinstance(sizes, int) else list(sizes)
    return sizes * n if len(sizes) == 1 else sizes


@row("avg_pool2d", "avg_pool3d")
def _avg_pool(
    self, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=None,
):  # fmt: skip
    n = 2 if self.ndim < 5 and not (isinstance(kernel_size, list) and len(kernel_size) == 3) else 3
    size, pads = _listed(kernel_size, n), _listed(padding, n)
    steps = _listed(stride, n) if stride else size
    plain = not ceil_mode and divisor_override is None and (count_include_pad or not any(pads))
    if plain and n == 2:
        windows = _windows(self, size, steps, pads, [1, 1], 0.0)
        return np.mean(windows, axis=(-2, -1))
    sums, counts = [], []
    for length, k, step, p in zip(self.shape[-n:], size, steps, pads):
        places = (
            -(-(length + 2 * p - k) // step) + 1 if ceil_mode else (length + 2 * p - k) // step + 1
        )
        if ceil_mode and (places - 1) * step >= length + p:
            places -= 1
        starts = np.arange(places) * step - p
        ends = np.minimum(starts + k, length + p)
        at = np.arange(length)
        sums.append(((at >= starts[:, None]) & (at < ends[:, None])).astype(float))
        counts.append(ends - starts if count_include_pad else sums[-1].sum(1))
    count: Any = np.ones(())
    for each in counts:
        count = np.multiply.outer(count, each)
    y = _along_axes(self, sums)
    return y / (divisor_override or count.astype(self.dtype))


@row("_adaptive_avg_pool2d", "_adaptive_avg_pool3d")
def _adaptive(self, output_size):
    n, matrices = len(output_size), []
    for length, places in zip(self.shape[-n:], output_size):
        starts = [i * length // places for i in range(places)]
        ends = [-(-(i + 1) * length // places) for i in range(places)]
        at = np.arange(length)
        matrices.append(np.stack([((at >= a) & (at < b)) / (b - a) for a, b in zip(starts, ends)]))
    return _along_axes(self, matrices)


# --- images of other sizes ----------------------------------------------------------------------------


def _sources(n: int, places: int, scale: float | None, corners: bool = False) -> Any:
    """The position of each new place among the old ones."""
    if corners:
        return np.arange(places) * ((n - 1) / max(1, places - 1))
    return (np.arange(places) + 0.5) * (1 / scale if scale else n / places) - 0.5


def _nearest(shift: float) -> Any:
    def upsample(self, output_size, *scales):
        n = len(output_size)
        index: list[Any] = [...]
        for k, (length, places) in enumerate(zip(self.shape[-n:], output_size)):
            scale = scales[k] if k < len(scales) else None
            step = np.float32(1 / scale if scale else length / places)
            at = np.floor((np.arange(places, dtype=np.float32) + np.float32(shift)) * step)
            at = np.minimum(at.astype(int), length - 1)
            index.append(at.reshape((-1,) + (1,) * (n - k - 1)))
        return self[tuple(index)]

    return upsample


def _linear(self, output_size, align_corners=False, *scales):
    matrices = []
    for k, places in enumerate(output_size):
        length = self.shape[k - len(output_size)]
        at = np.maximum(
            _sources(length, places, scales[k] if k < len(scales) else None, align_corners), 0
        )
        matrices.append(
            np.maximum(1 - np.abs(np.minimum(at, length - 1)[:, None] - np.arange(length)), 0)
        )
    return _along_axes(self, matrices)


@row("upsample_bicubic2d")
def _cubic(self, output_size, align_corners=False, *scales):
    matrices = []
    for k, places in enumerate(output_size):
        length = self.shape[k - 2]
        at = _sources(length, places, scales[k] if k < len(scales) else None, align_corners)
        matrix = np.zeros((places, length))
        for j in range(-1, 3):
            near = np.floor(at).astype(int) + j
            t = np.abs(at - near)
            weight = np.where(
                t <= 1, 1.25 * t**3 - 2.25 * t**2 + 1, -0.75 * (t**3 - 5 * t**2 + 8 * t - 4)
            )
            np.add.at(matrix, (np.arange(places), np.clip(near, 0, length - 1)), weight)
        matrices.append(matrix)
    return _along_axes(self, matrices)


for _n, _name in ((1, "linear"), (2, "bilinear"), (3, "trilinear")):
    row(f"upsample_nearest{_n}d")(_nearest(0.0))
    row(f"_upsample_nearest_exact{_n}d")(_nearest(0.5))
    row(f"upsample_{_name}{_n}d")(_linear)
