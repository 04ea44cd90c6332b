"""PyTorch's computations as graphs of ours.

    with mg.pytorch() as watched:
        loss = loss_of(model(x))
    loss.backward()
    mg.explore(watched, "page.html")

ATen is PyTorch's library of operations: whatever its functions and modules compute is calls of it. Each
call is run by PyTorch, and again by minigrad, within `record()`; so all views show it. PyTorch is
imported when `mg.pytorch()` is entered.

1. `rows`: the table, ATen's functions in minigrad's; `row` adds to it
2. `numbers`: what PyTorch's tensors hold, and how far it is from ours
3. `storages`: the value of each PyTorch tensor, where several share one memory
4. `counterparts`: PyTorch's modules as ours, for the names of parameters and the boxes of a drawing
5. `aten_call`: one call of an ATen function; `functions`: one of an `autograd.Function`
6. `hooks`: what PyTorch tells of its backward passes
7. `values`: the Tensor of ours for each tensor of PyTorch's
8. `calls`: each call, run by both, and compared; `modules`: whose call is a box
9. `backward_passes`: each backward pass, walked by both, and compared
10. `comparison`: the distances of all numbers, and what is said of them
11. `plain_calls`: PyTorch's settings while it is watched
12. `watched`: `pytorch()`, and what is known afterwards
"""
