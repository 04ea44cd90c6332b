"""Views of a graph: as data, a table, a drawing, a page, a program, steps."""
