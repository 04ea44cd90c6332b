"""A graph as a picture.

1. `drawing`: `draw`, its options, and the picture that comes of it
2. `folding`, `blocks`, `repeats`: which boxes are open, and what is drawn once for many
3. `mirror`: the way back as a graph
4. `dot`, `room`: the text that Graphviz lays out, and the room that a label needs in any font
5. `rendering`: Graphviz, by whichever way it is there
"""
