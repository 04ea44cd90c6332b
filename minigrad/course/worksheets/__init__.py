"""Worksheets on paper: graphs to be walked by hand, shapes to be filled in, a lesson's questions.

    python -m minigrad worksheet 08 --seed 7 --key

Read it in this order:

1. `walks`: programs in small whole numbers are drawn, and run
2. `page`: they are written as a page that prints, with empty boxes, or with what the same graphs hold
3. `command`: the command
"""
