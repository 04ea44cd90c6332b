"""PyTorch's computations as graphs of ours.

    with mg.pytorch() as watched:
        loss = loss_of(model(x))
    loss.backward()
    mg.explore(watched, "page.html")

ATen is PyTorch's library of operations: whatever its functions and modules compute is calls of it. Each
call is run by PyTorch, and again by minigrad, within `record()`; so all views show it. PyTorch is
imported when `mg.pytorch()` is entered.

A call such as `x @ w` goes this way, in `dispatch`:

    Calls.__torch_dispatch__    gets it from PyTorch, below PyTorch's own autograd
      AtenCall                  finds its row, that of "mm", and its arguments by name
      Values.of                 gives ours for each tensor: read from its storage; of a new one, a leaf
      func                      PyTorch computes
      results                   calls the row with ours; without a row the result is a constant
      distance_of               compares what it gave with PyTorch's; `but_for_rounding` looks closer
      TorchStorage.learn        keeps it as the value of the result; `write`, of what was written into

And `loss.backward()`, in `patches` and `backward_passes`:

    backward                    ours, in place of PyTorch's function, which it calls first
      compare_backward          finds what PyTorch added to the `.grad` of each leaf
        _with_own_backwards     makes one operation of each function whose own backward is another
        _walk                   walks back from ours, with the engine's `backward`
        gradients.compare       compares each gradient

Read it in this order; a file imports only those before it:

1. `rows`: the table, ATen's functions in minigrad's; `row` adds to it
2. `torch_settings`, `functorch`: how PyTorch is set while it is watched, and what is refused there
3. `numbers`: what PyTorch's tensors hold; `distances`: how far it is from ours; `rounding`: how far that
   may come of rounding
4. `counterparts`: PyTorch's modules as ours, for the names of parameters and the boxes of a drawing
5. `aten_call`: one call of an ATen function; `row_results`: what its row gives, compared with PyTorch's
6. `function_calls`: the calls of an `autograd.Function`, whose backward pass is its own
7. `storages`, `values`: the Tensor of ours for each tensor of PyTorch's, where several share one memory
8. `gradients`: those of a backward pass, compared with PyTorch's; `own_backward`: those of a function
9. `ends`, `hooks`: where no gradient goes back, and what may change one
10. `observations`: what will be said; `dispatch`: each call, as PyTorch dispatches it, run by both;
    `modules`: whose call is a box, and the steps of optimizers, after which parameters are new leaves
11. `backward_passes`: each backward pass, walked by both; `patches`: how PyTorch tells of one
12. `comparison`: what is said of all distances
13. `watched`: `pytorch()`, and what is known afterwards; `learned`: its parameters and optimizers;
    `for_diagnosis`: what `mg.diagnose` asks for

The words of the code, beside those of the engine:

    theirs          a tensor of PyTorch's; `ours`: the Tensor that stands for it here
    row             a function that gives, of our Tensors, what one of ATen's gives of PyTorch's
    constant        a result that no row computed: PyTorch's numbers, without a way back
    leaves          of a tensor of PyTorch's: ours, a new one each time that its numbers changed
    severed         of a leaf: a gradient goes on from there in PyTorch, and ends here
    storage         the memory of a tensor, which its views share; `region`: the part of it that one has
    rough           of a storage: how far rounding may have moved its numbers from PyTorch's
    taken           of numbers: Python has them, by `item()`, an `if` or `numpy()`
    followed        of a walk back of PyTorch's: ours has walked too
    own backward    that of an `autograd.Function`, which need not be the derivative
"""
