"""The computation that ran, as data: the graph that views show, made of the engine's nodes and arrays.

`mg.graph(loss)` makes it so, after a computation under `mg.record()`:

    Recording                     has given each operation a Note while it ran: arguments, result, line
    capture.of_tensors
      Reached                     goes from the loss to all that it was computed from, and numbers it
      Names, Boxes, Constants     find the name of each, its box, and the nodes it may be made of
      Capture.graph               writes a GraphNode of each node, and a GraphEdge of each argument
        walked                    finds the gradients that the walks back have left there
    GraphData                     is given to the views

Read it in this order:

1. `recording`: what `mg.record()` notes of each operation while it runs
2. `data`: nodes, edges and boxes, and questions that they answer
3. `capture`: the graph of some tensors, or of an error
4. `reached`: everything that they were computed from; `walked`: the gradients that walks back have left;
   `saved_bytes`: the arrays kept for a walk
5. `variables`: the variables of the user's functions; `module_paths`, `naming`: the names of modules
   and of nodes; `boxes_of_nodes`: the calls around nodes
6. `constants`: the nodes that Python or NumPy may have made a number of; `numbers_in_code`: the numbers
   that a line of code has itself
7. `proof`: the constants that have other numbers in another run, with other arguments; `comparing`: two
   runs, node by node
8. `loop`: the walks back and steps of a loop in `mg.record()`; `training`: these as data, also PyTorch's
9. `words`: numbers, arrays and arguments as short text; `rules_as_text`: rules as they are written

A call of a module or a definition has three forms on its way to a picture: Box -> GraphBox -> Block.

- A `Box` (engine/modes.py) is the call while it runs, and holds the module itself.
- A `GraphBox` (ran/data.py) is the same call as data: its number, path and parent.
- A `Block` (views/drawing/blocks.py) is a frame of a drawing: a box, open or closed, or several as one.

A box has no name while it runs. A module gets its name when the graph is made, and a picture shows it:

1. `variables` lists the variables of the functions that run then, and `naming` notes the modules there.
2. `module_paths` begins at these modules, and follows attributes to each module that was called.
3. `boxes_of_nodes` writes the path into the GraphBox, without the part that the box around it shows.
4. `GraphBox.title` puts the class beside it; `Block.heading` says how often it comes:
   `blocks.0 to 5: Block × 6`.
"""
