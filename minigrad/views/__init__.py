"""Views: all that shows a graph. A view reads the data of a graph (`minigrad.ran`) and its script
(`minigrad.script`), and shows them. None has code of its own to compute a graph, or to walk it: `steps`
follows the engine's walk, and a page is checked by running the lines of the script in float64.

1. `graph`: `mg.graph(loss)`, and where each of its views begins
2. `text`: the table, the steps, the rule at hand, one element worked out, the written program
3. `drawing`: the picture, by Graphviz
4. `page`: `mg.explore`, a page on which to walk through a computation
5. `troubles`: `mg.diagnose`, where a NaN came from, and why nothing learns
6. `plots`: curves and heat maps of arrays, by matplotlib; `colours`: those of all pictures and pages
"""
