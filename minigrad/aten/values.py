"""Values: our Tensor for each tensor of PyTorch's.

For a tensor that PyTorch computed in the block, it is the value that a row gave. For any other tensor,
it is a leaf.
"""

from __future__ import annotations

import functools

import numpy as np
import torch
from torch.multiprocessing.reductions import StorageWeakRef

from ..arrays.identity import equal
from ..engine.node import Node
from ..engine.source import source_line
from ..engine.tensor import Tensor
from ..nn import Parameter
from ..ran.variables import names_here
from .counterparts import Counterparts
from .distances import tolerance
from .function_calls import in_function
from .numbers import array_of, numpy_dtype
from .rows.writes import written_unseen
from .storages import Region, TorchStorage

ELSEWHERE = "PyTorch computed it before the block, in another thread, or by other code than its own"


class Values:
    """Our Tensor for each tensor of PyTorch's.

    Attributes:
        storages: the values of the regions of each storage of PyTorch's, by its identity.
        counterparts: the modules, which hold our parameters under PyTorch's names.
        leaves: each tensor of PyTorch's that collects a gradient, by its identity, and our leaves for
            it: a new one each time that the tensor was changed.
        outside: all leaves that came from outside the block.

    Attributes that explain a missing gradient:
        reasons: why a constant that a call gave is a constant.
        severed: the nodes of leaves where a gradient ends that goes on in PyTorch, and why.
        elsewhere: the nodes of leaves that PyTorch computed unseen, and a sentence on each.
    """

    def __init__(self) -> None:
        self.storages: dict[int, TorchStorage] = {}
        self.counterparts = Counterparts(self.of)
        self.leaves: dict[int, tuple[torch.Tensor, list[Tensor]]] = {}
        self.outside: list[Tensor] = []
        self.reasons: dict[Tensor, str] = {}
        self.severed: dict[Node, str] = {}
        self.elsewhere: dict[Node, str] = {}

    def storage(self, theirs: torch.Tensor) -> TorchStorage:
        """The values known in the storage of a tensor: none if the storage is new, or was resized."""
        held = theirs.untyped_storage()
        storage, size = self.storages.get(held._cdata), held.nbytes()
        if storage is None or storage.reference.expired() or storage.nbytes != size:
            storage = self.storages[held._cdata] = TorchStorage(StorageWeakRef(held), size)
        return storage

    def knows(self, theirs: torch.Tensor) -> bool:
        """Tell whether a tensor was computed or used here."""
        return not theirs.is_sparse and bool(self.storage(theirs).values)

    def of(self, theirs: torch.Tensor) -> Tensor:
        """Our Tensor for one of PyTorch's.

        First the value of its memory is brought up to date:

            no value is known                   a leaf, `from_outside`
            a leaf with old numbers             a new leaf, `_renewed`

        Then the first of these cases holds:

            a gradient is wanted, ours has none     a stand-in, `_with_gradient`, kept from then on
            no gradient is wanted, ours has one     ours, detached
            theirs collects a gradient              its own leaf, `_own_leaf`
            otherwise                               ours
        """
        storage, region = self.storage(theirs), region_of(theirs)
        ours = storage.read(region, functools.partial(self.from_outside, theirs))
        ours = self._renewed(theirs, ours)
        if theirs.requires_grad and not ours.requires_grad and wants_gradients():
            ours = storage.values[region] = self._with_gradient(theirs, ours)
        elif ours.requires_grad and not theirs.requires_grad and not in_function():
            return ours.detach()
        elif ours.requires_grad and collects(theirs):
            return self._own_leaf(theirs, ours)
        return ours

    def _renewed(self, theirs: torch.Tensor, ours: Tensor) -> Tensor:
        """`ours`; or a new leaf, if `ours` is a leaf whose numbers were changed unseen."""
        if ours._node is None or ours._node.operation is not None:
            return ours
        now = array_of(theirs)
        if same_numbers(now, ours._array, theirs.dtype):
            return ours
        leaf = self._leaf(theirs, now)
        self.take(theirs, leaf)
        return leaf

    def from_outside(self, theirs: torch.Tensor, region: Region) -> Tensor:
        """A leaf with the numbers that a region of a storage holds now."""
        at = theirs.detach().as_strided(region.shape, region.strides, region.offset)
        return self._leaf(theirs if region == region_of(theirs) else at, array_of(at))

    def _leaf(self, theirs: torch.Tensor, array: np.ndarray) -> Tensor:
        """A new leaf of these numbers, which stands for a tensor of PyTorch's from now on."""
        needs = theirs.requires_grad
        learned = isinstance(theirs, torch.nn.Parameter) or self.counterparts.holds(theirs)
        kind = Parameter if learned and collects(theirs) else Tensor
        leaf = kind(array, requires_grad=needs)
        self.outside.append(leaf)
        storage = self.storage(theirs)
        storage.rough = max(storage.rough, tolerance(theirs.dtype))
        if collects(theirs):
            self.leaves.setdefault(id(theirs), (theirs, []))[1].append(leaf)
            self.counterparts.renew(theirs, leaf)
        elif needs:
            self.elsewhere[leaf.node] = (
                f"a tensor of shape {leaf.shape}, used at {source_line()}, is a leaf here: {ELSEWHERE}"
            )
        return leaf

    def _own_leaf(self, theirs: torch.Tensor, ours: Tensor) -> Tensor:
        """The leaf of one of PyTorch's tensors: `ours` may be the leaf of another in the same memory."""
        _, known = self.leaves.get(id(theirs), (None, []))
        if any(leaf is ours for leaf in known):
            return ours
        now = [leaf for leaf in known if same_numbers(leaf._array, ours._array, theirs.dtype)]
        leaf = now[-1] if now else self._leaf(theirs, ours._array)
        self.take(theirs, leaf)
        return leaf

    def _with_gradient(self, theirs: torch.Tensor, ours: Tensor) -> Tensor:
        """A stand-in for a constant that has a gradient in PyTorch.

        If the numbers were written under no_grad(), or into .data, then PyTorch gives them the gradient
        of the old numbers, and so does the stand-in. Otherwise it is a leaf.
        """
        before = self.storage(theirs).tracked.get(region_of(theirs))
        if before is not None and not collects(theirs):
            return written_unseen(before, ours)
        leaf = self._leaf(theirs, ours._array)
        return leaf if collects(theirs) else self.sever(leaf, ours)

    def sever(self, leaf: Tensor, ours: Tensor) -> Tensor:
        """Note why the gradient of a leaf that stands for `ours` is not known; returns the leaf."""
        self.elsewhere.pop(leaf.node, None)
        self.severed[leaf.node] = self.reasons.get(ours) or (
            f"PyTorch has a gradient for a tensor of shape {ours.shape}, used at {source_line()}, "
            f"whose numbers came from elsewhere, as by NumPy: compute them by PyTorch's operations"
        )
        return leaf

    def take(self, theirs: torch.Tensor, ours: Tensor) -> None:
        """Take `ours` as the value of one of PyTorch's tensors, in place of any other."""
        storage = self.storage(theirs)
        storage.forget()
        storage.values[region_of(theirs)] = ours

    def take_names(self, theirs: list[torch.Tensor]) -> None:
        """Take the names of the variables that hold these tensors just now."""
        for tensor, name in names_here(theirs):
            node = self.of(tensor).node
            if node.note is not None:
                node.note.names.append((node, name))

    def constant(self, theirs: torch.Tensor, name: str) -> Tensor:
        """A Tensor with the numbers of now; no gradient goes back from it."""
        return Tensor(array_of(theirs), name=name)


def region_of(theirs: torch.Tensor) -> Region:
    """The part of its storage that a tensor has."""
    return Region(theirs.storage_offset(), tuple(theirs.shape), theirs.stride(), theirs.dtype)


def collects(theirs: torch.Tensor) -> bool:
    """Tell whether PyTorch collects a gradient for a tensor: not for a view made under no_grad()."""
    stale = theirs._is_view() and theirs._base.requires_grad
    return theirs.requires_grad and not stale and theirs.is_leaf


def same_numbers(a: np.ndarray, b: np.ndarray, dtype: torch.dtype) -> bool:
    """Tell whether two arrays are the same, as numbers of a dtype of PyTorch's."""
    if numpy_dtype(dtype).itemsize == dtype.itemsize:
        return equal(a, b)
    return torch.equal(torch.tensor(a).to(dtype), torch.tensor(b).to(dtype))


def wants_gradients() -> bool:
    """Tell whether our results get gradients: also within a `forward`, which is differentiated here."""
    return torch.is_grad_enabled() or in_function()
