"""Views: tables, drawings and pages of a graph.

A view reads the data of a graph (`minigrad.ran`) and its script (`minigrad.script`), and shows them. No
view has code of its own to compute a graph, or to walk it: `steps` follows the engine's walk, and a page
is checked by running the lines of the script in float64.

1. `graph`: `mg.graph(loss)`, with a method for each view
2. `text`: the table, the steps, the rule at hand, one element worked out, the written program
3. `drawing`: the picture, by Graphviz
4. `page`: `mg.explore`, a page on which to walk through a computation
5. `troubles`: `mg.diagnose`, which finds where a NaN came from, and why a model does not learn
6. `plots`: curves and heat maps of arrays, by matplotlib; `colours`: the colours of all pictures
"""
