"""The lessons of the course: listed, run, and written as notebooks.

    python -m minigrad lessons                          what there is
    python -m minigrad lessons 08                       run one
    python -m minigrad lessons --notebooks DIR          notebooks, to be opened in Jupyter

A lesson is a file of `examples/` in the percent format. Below its title stands, in italics, what it is
about and how long it took when it was measured.

Read it in this order: `lesson` (the files), `running` (cell by cell), `notebooks`, `addresses`,
`markdown`, `forms` (questions) and `pages` (which `minigrad.course.site` puts together), `command`.
"""
