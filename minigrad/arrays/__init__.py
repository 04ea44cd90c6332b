"""Arrays, apart from any graph: many at once, in memory, in words, in files.

1. `trees`: arrays in lists, tuples and dicts, nested in any way
2. `state`: arrays by name, as a module or an optimiser gives and takes them; `pytorchs`: tensors of
   PyTorch's among these
3. `strides`: where the elements of an array lie in memory
4. `identity`: arrays that are one, by their memory or by their numbers
5. `ranges`: the range of an array, in words
6. `blocks`: large ones in pieces, small ones side by side, for optimisers
7. `serialize`: `mg.save` and `mg.load`, arrays by name in a file
"""
