"""A graph as a picture.

1. `drawing`: `draw`, its options, and the picture that comes of it
2. `blocks`: the boxes of a graph as a tree, and the walk through it; `folding`, `repeats`: which boxes
   are open, and what is drawn once for many
3. `dot`: the text that Graphviz lays out, of all that the walk comes to; `looks`, `labels`: how it
   looks, and what it says; `room`: the room that a label needs in any font
4. `mirror`: the way back as a graph
5. `rendering`: Graphviz, by whichever way it is there

A page draws the same blocks by the same walk, as cards without text: see `page/drawings.py`.

`minigrad.ran` says in four steps how the name of a module comes here.
"""
