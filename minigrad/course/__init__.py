"""The teaching part: lessons, exercises, and their tools.

1. `folders`: where lessons and exercises are
2. `lessons`: a room for them, run and written as notebooks; `pictures`, which one draws
3. `questions`: a room for what a lesson asks; `judging`: what kind of answer came
4. `exercises`: functions that a learner writes, marked, of one learner or of a class
5. `worksheets`: graphs on paper
6. `site`: all of it as pages

`printing` prints lines in a terminal.
"""
