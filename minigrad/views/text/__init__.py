"""A graph as text.

1. `listing`: the table of its nodes; `costs`: its operations, work and memory, summed up; `columns`: how
   both are laid out; `expressions`: what made a node, as code
2. `notation`, `literals`: a call as code, with the signs and brackets that it needs, and its settings
3. `reading`: the rule for the case at hand, as a person would write it, by `hand_notation`
4. `elements`: one element of a result, worked out with its numbers
5. `steps`: the walk back, one step at a time; `how_made`: one node of the way forward
6. `program`: forward and back as one NumPy program; `program_lines`: its lines; `place_comments`: the
   comments above these; `program_functions`: the functions that it needs
7. `show`: the numbers of an array
"""
