"""A whole engine of a learner's: marked, and compared with minigrad under a transformer.

    python -m minigrad exercises engine FILE

Read it in this order:

1. `comparison`: an engine beside minigrad, function by function and weight by weight
2. `engine_file`: a learner's file, with those that it imports, as it goes into a room
3. `command`: both marks and compares it in a room, and prints what is found

Engines of other courses come in by `exercises.adapter`.
"""

from .comparison import compare, of_engine

__all__ = ["compare", "of_engine"]
