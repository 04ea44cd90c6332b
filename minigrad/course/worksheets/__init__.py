"""Worksheets on paper: graphs to be walked by hand, shapes to be filled in, a lesson's questions.

    python -m minigrad worksheet 08 --seed 7 --key

`walks` draws programs in small whole numbers and runs them; `sheet` writes them as a page that prints,
with empty boxes, or with what the same graphs hold; `command` is the command.
"""
