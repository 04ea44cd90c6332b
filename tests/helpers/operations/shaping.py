"""Rows: what moves elements."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .in_pytorch import tf, torch
from .inputs import MATRIX, NUMBER, VECTOR, T
from .row import NUMPY, Row, rows

# fmt: off

def shaping() -> Iterator[Row]:
    yield from rows(np.reshape, "reshape", [T], then=((6, 4),),
                    also=["reshape", lambda x: x.reshape(6, -1)])
    yield from rows(np.reshape, lambda x: x.reshape(-1), [T], then=(-1,), also=["reshape"])
    yield from rows(np.reshape, lambda x: x.reshape(24), [T], then=(24,))
    for shape in ((4, 1, 6), (-1, 1, 8)):
        yield from rows(np.reshape, "reshape", [T], then=(shape,))
    if NUMPY >= (2, 1):
        yield from rows(np.reshape, lambda x: x.reshape(4, 6), [T], shape=(4, 6))
    yield from rows(np.reshape, lambda x: x.permute(2, 1, 0).reshape(6, 4).T, [T], then=((4, 6),),
                    order="F", also=["reshape"])
    yield from rows(np.reshape, "reshape", [(1, 1)], then=((),))
    yield from rows(np.reshape, "reshape", [(0, 2)], then=((3, 0),))
    yield from rows(np.ravel, lambda x: x.reshape(-1), NUMBER, VECTOR, [T], [(0, 2)],
                    also=["ravel", "flatten"])
    yield from rows(np.ravel, lambda x: x.permute(2, 1, 0).reshape(-1), [T], order="F")
    yield from rows(np.transpose, lambda x: x.permute(2, 1, 0), [T],
                    also=["transpose", lambda x: x.T, lambda x: x.transpose(2, 1, 0)])
    for axes in ((1, 2, 0), [2, 1, 0]):
        yield from rows(np.transpose, "permute", [T], then=(axes,))
    yield from rows(np.transpose, lambda x: x.permute(2, 0, 1), [T], axes=(-1, 0, 1))
    yield from rows(np.transpose, lambda x: x + 0, NUMBER)
    yield from rows(np.matrix_transpose, lambda x: x.mT, [T])
    yield from rows(np.linalg.matrix_transpose, lambda x: x.mT, [T])
    yield from rows(np.swapaxes, "swapaxes", [T], then=(-1, -2), also=["swapaxes", lambda x: x.mT])
    yield from rows(np.swapaxes, "swapaxes", [T], then=(0, 2))
    yield from rows(np.moveaxis, "moveaxis", [T], then=(0, -1))
    yield from rows(np.moveaxis, "moveaxis", [T], then=((0, 1), (-1, 0)))
    for then, axes in (((2,), (2, 0)), ((0, 3), (0, 2)), ((-1, -2), (2, 1))):
        yield from rows(np.rollaxis, lambda x, a=axes: torch.moveaxis(x, *a), [T], then=then)
    for axis in (0, -1):
        yield from rows(np.expand_dims, "unsqueeze", NUMBER, VECTOR, MATRIX, then=(axis,))
    yield from rows(np.expand_dims, lambda x: x[None, ..., None], NUMBER, VECTOR, MATRIX,
                    then=((0, -1),))
    yield from rows(np.squeeze, "squeeze", [(1, 3, 1)], also=["squeeze"])
    yield from rows(np.squeeze, "squeeze", [(1, 3, 1)], then=(-1,))
    yield from rows(np.squeeze, "squeeze", [(1, 3, 1)], axis=(0, 2))
    for shape, to in (((3,), (2, 3)), ((2, 1), (4, 2, 3)), ((), (2,)), ((1,), (0,))):
        yield from rows(np.broadcast_to, "broadcast_to", [shape], then=(to,))
    yield from rows(np.broadcast_to, lambda x: 1 * x, [(3,)], then=(3,))
    yield from rows(np.broadcast_arrays, "broadcast_tensors", [(2, 1), (3,)])
    yield from rows(np.meshgrid, lambda *xs: torch.meshgrid(*xs, indexing="xy"), [(2,), (3,), (2,)])
    yield from rows(np.meshgrid, "meshgrid", [(2,), (3,), (2,)], indexing="ij")
    yield from rows(np.meshgrid, lambda x, y, z: (x[None, :, None], y[:, None, None], z[None, None, :]),
                    [(2,), (3,), (2,)], sparse=True)
    yield from rows(np.full_like, lambda x: 2.0 * x, VECTOR, call=lambda x: np.full_like(x, 2.0) * x)
    yield from rows(np.full_like, lambda x: 0 * x + x[0], MATRIX, call=lambda x: np.full_like(x, x[0]))

    for axis, shapes in ((0, [(2, 3), (1, 3)]), (1, [(2, 3), (2, 2)]), (-1, [(2, 3), (2, 0)])):
        yield from rows(np.concatenate, lambda *xs, a=axis: torch.cat(xs, a), shapes,
                        name=f"concatenate, {axis}",
                        call=lambda *xs, a=axis: np.concatenate(list(xs), axis=a),
                        also=[lambda *xs, a=axis: np.concat(xs, a)])
        yield from rows(np.stack, lambda *xs, a=axis: torch.stack(xs, a), [(2, 3), (2, 3)],
                        call=lambda *xs, a=axis: np.stack(xs, axis=a), name=f"stack, {axis}")
    flat = lambda x, y: torch.cat([x.reshape(-1), y])
    yield from rows(np.concatenate, lambda x, y: torch.cat([x, y, x]), [(2,), (3,)],
                    call=lambda x, y: np.concatenate([x, y, x]))
    yield from rows(np.concatenate, flat, [(2, 2), (3,)], call=lambda *xs: np.concatenate(xs, axis=None))
    yield from rows(np.concatenate, lambda x: torch.cat(list(x), 1), [(2, 3, 2)], axis=1)
    yield from rows(np.append, flat, [(2, 2), (3,)])
    yield from rows(np.append, lambda x, y: torch.cat([x, y], 1), [(2, 2), (2, 1)], axis=1)
    yield from rows(np.stack, lambda x, y: torch.stack([x, y, x]), [(), ()],
                    call=lambda x, y: np.stack([x, y, x]))
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        function = getattr(np, name)
        several = {
            "column_stack": [[(3,), (3,)], [(3, 2), (3,)], [(2, 3, 2), (2, 1, 2)], [(), ()]],
        }.get(name, [[(), ()], [(3,), (3,)], [(2, 3), (2, 3)], [(2, 3, 1), (2, 3, 1)]])
        yield from rows(function, lambda *xs, name=name: getattr(torch, name)(xs), *several,
                        call=lambda *xs, f=function: f(xs), name=name)
    yield from rows(np.vstack, lambda x: torch.vstack(list(x)), MATRIX)
    for function in (np.split, np.array_split):
        for parts in (2, (1, 3), (2,), 4):
            yield from rows(function, lambda x, n=parts: torch.tensor_split(x, n, dim=1), [(2, 4)],
                            then=(parts,), axis=1)
        for places in ([], [1, -1], [0, 5]):
            yield from rows(function, None, [(2, 4)], then=(places,), axis=1)
    yield from rows(np.array_split, "tensor_split", [(7, 2)], then=(3,))
    yield from rows(np.array_split, lambda x: torch.tensor_split(x, 4), [(3,)], then=(4,), axis=-1)
    for name, shape, parts in (
        ("hsplit", (3, 4), 2), ("hsplit", (4,), [1]), ("vsplit", (4, 3), 2), ("dsplit", T, 2),
    ):
        yield from rows(getattr(np, name), name, [shape], then=(parts,))

    every = lambda x: torch.flip(x, (0, 1, 2))
    yield from rows(np.flip, every, [T])
    yield from rows(np.flip, lambda x: torch.flip(x, (0, -1)), [T], axis=(0, -1))
    for axis in (0, -2):
        yield from rows(np.flip, lambda x, axis=axis: torch.flip(x, (axis,)), [T], then=(axis,))
    yield from rows(np.fliplr, "fliplr", MATRIX)
    yield from rows(np.flipud, "flipud", MATRIX)
    for shift, axis in (
        (2, None), (-5, None), (1, 1), ((1, 2), (0, 1)), ([1, 2], (0, -1)), (0, 0), (1, (0, 1)),
    ):
        shifts = (1, 1) if (shift, axis) == (1, (0, 1)) else shift
        theirs = lambda x, a=(shifts, axis): torch.roll(x, *(a if a[1] is not None else a[:1]))
        yield from rows(np.roll, theirs, MATRIX, then=(shift,), **{} if axis is None else {"axis": axis})
    yield from rows(np.roll, "roll", [(0,)], then=(1,))
    for then, form, *theirs in (
        ((), {}, 1, (0, 1)), ((2,), {}, 2, (0, 1)), ((-1,), {}, -1, (0, 1)), ((), {"k": 3}, 3, (0, 1)),
        ((1, (1, 2)), {}, 1, (1, 2)), ((), {"k": 1, "axes": (2, 0)}, 1, (2, 0)),
    ):
        yield from rows(np.rot90, lambda x, a=theirs: torch.rot90(x, *a), [T], then=then, **form)
    for reps in ((2, 3), (2, 1, 2), (1, 1)):
        yield from rows(np.tile, "tile", NUMBER, VECTOR, MATRIX, then=(reps,))
    for reps in (2, 0, [2]):
        theirs = lambda x, n=reps: torch.tile(x, (n,) if isinstance(n, int) else n)
        yield from rows(np.tile, theirs, NUMBER, VECTOR, MATRIX, then=(reps,))
    for times, form in (
        (2, {}), (2, {"axis": 0}), (3, {"axis": -1}), (0, {"axis": 1}), ([1, 0, 2], {"axis": 1}),
        (np.array([2, 1]), {"axis": 0}),
    ):
        theirs = lambda x, n=times, form=form: torch.repeat_interleave(x, torch.tensor(n),
                                                                       *form.values())
        yield from rows(np.repeat, theirs, MATRIX, then=(times,), also=["repeat"], **form)
    yield from rows(np.repeat, lambda x: x.repeat(3), NUMBER, then=(3,))
    for width, form, *theirs in (
        (1, {}, (1, 1, 1, 1)), ((1, 2), {}, (1, 2, 1, 2)), (((0, 1), (2, 0)), {}, (2, 0, 0, 1)),
        (((1, 1), (0, 0)), {"constant_values": 2.5}, (0, 0, 1, 1), "constant", 2.5),
        (1, {"mode": "edge"}, (1, 1, 1, 1), "replicate"),
        ((1, 2), {"mode": "wrap"}, (1, 2, 1, 2), "circular"),
        (((1, 0), (2, 1)), {"mode": "reflect"}, (2, 1, 1, 0), "reflect"),
    ):
        padded = lambda x, a=theirs: tf.pad(x[None, None], *a)[0, 0]
        yield from rows(np.pad, padded, MATRIX, then=(width,), **form)
    yield from rows(np.pad, None, MATRIX, then=(2, "symmetric"))
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        yield from rows(getattr(np, name), name, NUMBER, VECTOR, MATRIX, [(2, 3, 2)], [(), (3,)])
