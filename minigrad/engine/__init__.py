"""The engine: how a tensor remembers how it was made, and how the walk back works."""
