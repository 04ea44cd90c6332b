"""PyTorch's computations as graphs of ours.

    with mg.pytorch() as watched:
        loss = loss_of(model(x))
    loss.backward()
    mg.explore(watched, "page.html")

ATen is PyTorch's library of operations: all its functions and modules compute by calls of ATen. PyTorch
runs each call, and minigrad runs it again, within `record()`; so all views show it. PyTorch is imported
when a block of `mg.pytorch()` is entered.

A call such as `x @ w` goes this way, in `dispatch`:

    Calls.__torch_dispatch__    gets the call from PyTorch, below PyTorch's own autograd
      AtenCall                  finds the row "mm", and the arguments by name
      Values.of                 gives our Tensor for each argument, from its storage; or a new leaf
      func                      computes in PyTorch
      results                   calls the row with our Tensors; without a row the result is a constant
      distance_of               compares the result with PyTorch's; `but_for_rounding` looks closer
      TorchStorage.learn        keeps the value of the result; `write`, if the call wrote into a tensor

And `loss.backward()`, in `patches` and `backward_passes`:

    backward                    stands in place of PyTorch's function, which it calls first
      compare_backward          finds the gradient that PyTorch added to the `.grad` of each leaf
        _with_own_backwards     makes one operation of each function whose own backward differs
        _walk                   walks back from our loss, with the engine's `backward`
        gradients.compare       compares each gradient

Read it in this order; a file imports only those before it:

1. `rows`: the table, ATen's functions in minigrad's; `row` adds to it
2. `torch_settings`: the settings of PyTorch inside a block; `functorch`: calls that are refused there
3. `numbers`: the numbers of PyTorch's tensors; `distances`: how far they are from ours; `rounding`: how
   much of a distance rounding explains
4. `counterparts`: PyTorch's modules as ours, for the names of parameters and the boxes of a drawing
5. `aten_call`: one call of an ATen function; `row_results`: the results of its row, compared
6. `function_calls`: the calls of an `autograd.Function`, which has a backward pass of its own
7. `storages`, `values`: our Tensor for each tensor of PyTorch's, where several share one memory
8. `gradients`: the gradients of a backward pass, compared; `own_backward`: those of such a function
9. `ends`: values from which no gradient goes back; `hooks`: they may change a gradient
10. `observations`: notes for messages; `dispatch`: each call, run by both; `modules`: calls of modules,
    which are boxes, and steps of optimizers, after which parameters are new leaves
11. `backward_passes`: each backward pass, walked by both; `patches`: PyTorch's functions that tell of it
12. `comparison`: all distances, in words; `prepared`: data that were made in the block
13. `watched`: `pytorch()`, and its results; `learned`: its parameters and optimizers; `for_diagnosis`:
    the questions of `mg.diagnose`

The words of the code, beside those of the engine:

    theirs          a tensor of PyTorch's; `ours`: the Tensor that stands for it here
    row             a function of our Tensors that gives the results of one of ATen's functions
    constant        a result that no row computed: PyTorch's numbers, without a way back
    leaves          our leaves for a tensor of PyTorch's: a new one each time that its numbers changed
    severed         said of a leaf: a gradient ends here that goes on in PyTorch
    storage         the memory of a tensor and of its views; `region`: the part that one of them has
    rough           how far rounding may have moved the numbers of a storage from PyTorch's
    taken           said of numbers that Python got, by `item()`, an `if` or `numpy()`
    followed        said of a walk back of PyTorch's after which ours has walked too
    own backward    the `backward()` of an `autograd.Function`: it need not be the derivative
"""
