"""The page: a computation to walk through forwards and backwards, in one file that needs nothing else.

    with mg.record():
        loss = np.mean((model(x) - target) ** 2)
    mg.explore(loss, "page.html")

1. `exploring`: `mg.explore`, from a loss to a file; `opening` shows it
2. `content`: what the page shows, as data, with the help of the next six; `nodes`: of each tensor and
   each argument; `packing`: of the arrays, made small
3. `drawings`: those of the whole and of each box, which Graphviz lays out once; `cards`: what stands in
   them
4. `chapters`: the parts of the computation; `source_files`: the lines of code that asked for it
5. `attention`: its attention maps
6. `replay`: its gradients, checked by finite differences
7. `live`: the tape of the computation (see `script.tape`), which the page runs again when a number is
   changed; `switches`: the parts of a model that can be off
8. `another_line`: the tape of a model that reads a line typed in the page; `stages`: its model's parts
9. `file`: all of it in one file of HTML; `scripts`: the JavaScript in it, listed in groups

The words of this room, beside those of `minigrad.script`:

- A drawing shows the whole graph or one box; in the data of a page, and in its scripts, it is a view.
- A tab is a part of the page with a button of its own: the drawing, the table and others; in the panel
  beside these, a step, a node and others. A stage is a part of a model.
- The sheet is the element of the page on which one drawing is shown.
- A card is a node or a closed box in a drawing, a frame an open box.
- A chapter is a part of the computation, with its reason.
- A switch is a part of a model that can be off; a gate, in the script, says whether it is on.
- A page is frozen if its numbers cannot be computed again; of one slot alone one says that it is fixed.

In the browser the scripts show it all: nothing is asked of a network, and nothing is laid out. Of a
function, `ran.proof` finds the constants that are made of its inputs, which no page can compute again.

A number that is changed goes this way: `setNumber` of fields.js; `change` of changes.js, which can
undo it; `setNumbers` of live.js; `change` and `update` of interpreter.js, which runs the calls that
depend on it; `refresh` of live.js, which tells all that listen, doubts.js before the others; `render`
of events.js, at which page.js shows all anew. A line that is typed goes another way, which flow.js
describes.
"""

from .exploring import explore

__all__ = ["explore"]
