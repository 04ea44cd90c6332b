"""PyTorch's computations as graphs of ours.

    with mg.pytorch() as watched:
        loss = loss_of(model(x))
    loss.backward()
    mg.explore(watched, "page.html")

ATen is PyTorch's library of operations: whatever its functions and modules compute is calls of it. Each
call is run by PyTorch, and again by minigrad, within `record()`; so all views show it. PyTorch is
imported when `mg.pytorch()` is entered.

Read it in this order; a file imports only those before it:

1. `rows`: the table, ATen's functions in minigrad's; `row` adds to it
2. `torch_settings`, `functorch`: how PyTorch is set while it is watched, and what is refused there
3. `numbers`: what PyTorch's tensors hold; `distances`: how far it is from ours; `rounding`: how far that
   may come of rounding
4. `counterparts`: PyTorch's modules as ours, for the names of parameters and the boxes of a drawing
5. `storages`, `values`: the Tensor of ours for each tensor of PyTorch's, where several share one memory
6. `aten_call`: one call of an ATen function; `row_results`: what its row gives, compared with PyTorch's
7. `gradients`: those of a backward pass, compared with PyTorch's
8. `function_calls`, `own_backward`: an `autograd.Function`, whose backward pass is its own
9. `ends`, `hooks`: where no gradient goes back, and what may change one
10. `dispatch`: each call, as PyTorch dispatches it, run by both; `modules`: whose call is a box
11. `backward_passes`: each backward pass, walked by both; `patches`: how PyTorch tells of one
12. `comparison`: what is said of all distances
13. `watched`: `pytorch()`, and what is known afterwards; `for_diagnosis`: what `mg.diagnose` asks for
"""
