"""The page: a computation to walk through forward and back, in one file that needs nothing else.

    with mg.record():
        loss = np.mean((model(x) - target) ** 2)
    mg.explore(loss, "page.html")

How the page gets its numbers:

    exploring.py        makes the graph of the loss, with every value and every gradient
    content.py          describes it as data; nodes.py writes each node and edge, and names its arrays
    packing.py          packs each array, once, into text
    live.py             writes the calls that compute the graph, forward and back: the tape
    file.py             puts data and scripts into one file; `explore` writes it
    state.js            reads the data in the browser
    shown.js            finds the array of a name; arrays.js unpacks it
    interpreter.js      runs the tape once, for the large arrays that the file leaves out

When a reader changes a number:

    fields.js           `setNumber` checks the number
    changes.js          `change` keeps the old numbers, so that it can be undone
    live.js             `setNumbers` gives them to the interpreter
    interpreter.js      `change` and `update` run the calls that depend on them, and no others
    live.js             `refresh` names the new arrays in the data, and tells of them by "numbers"
    doubts.js           finds which numbers Python would compute otherwise; it hears that event first
    page.js             `showAll` shows everything anew, at the event "render"

events.js lists all events. A line that is typed goes another way, which flow.js describes.

The files of Python, in reading order:

1. `exploring`: `mg.explore`, from a loss to a file; `opening` shows it
2. `content`: the data of the page, with the help of the next six; `nodes`: the data of each tensor and
   each argument; `packing`: the arrays, made small
3. `drawings`: the drawing of the whole and of each box, which Graphviz lays out once; `cards`: the text
   in them
4. `chapters`: the parts of the computation; `source_files`: the lines of code that asked for it
5. `attention`: the attention maps
6. `replay`: the gradients, checked by finite differences
7. `live`: the tape (see `script.tape`); `switches`: the parts of a model that can be off
8. `another_line`: the tape of a model that reads a line typed in the page; `stages`: the parts of that
   model
9. `file`: one file of HTML; `scripts`: its JavaScript, listed in the order in which it is read and runs

The words of this room, beside those of `minigrad.script`:

- A drawing shows the whole graph or one box. In the data and in the scripts it is called a view.
- A tab is a part of the page with a button of its own: the drawing, the table and others; in the panel
  beside these, a step, a node and others. A stage is a part of a model.
- The sheet is the element of the page on which one drawing is shown.
- A card is a node or a closed box in a drawing, a frame an open box.
- A chapter is a part of the computation, with its reason.
- A switch is a part of a model that can be off; a gate, in the script, says whether it is on.
- A page is frozen if its numbers cannot be computed again. A slot whose numbers cannot follow is fixed.
"""

from .content import Extras
from .exploring import explore

__all__ = ["Extras", "explore"]
