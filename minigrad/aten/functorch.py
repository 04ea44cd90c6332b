"""PyTorch's own transforms, `torch.func`: a transform that computes gradients cannot be watched."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from .. import errors

OF_GRADIENTS = (torch._C._functorch.TransformType.Grad, torch._C._functorch.TransformType.Jvp)

# Tells whether a tensor belongs to a transform, such as vmap.
is_wrapped = torch._C._functorch.is_functorch_wrapped_tensor


def refuse_transforms(tensors: Iterable[torch.Tensor] = ()) -> None:
    """Refuse torch.func.grad and the like.

    Raises:
        UnsupportedError: within such a transform, or if one of the tensors comes from one.
    """
    running = torch._C._functorch.peek_interpreter_stack()
    if (running is not None and running.key() in OF_GRADIENTS) or any(map(is_wrapped, tensors)):
        raise errors.UnsupportedError(
            "torch.func.grad and the like compute gradients inside the block, and cannot be watched: "
            "write loss.backward() in their place, or call them outside of mg.pytorch()"
        )
