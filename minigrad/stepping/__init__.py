"""A script run to its first `backward()`, and stepped back from there: `python -m minigrad step FILE`.

1. `command`: the command, and the script that it runs
2. `first_backward`: what notices the first `backward()`, of minigrad's or of PyTorch's
3. `walk`: the reader at the keys
"""
