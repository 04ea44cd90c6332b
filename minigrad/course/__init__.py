"""The teaching part: lessons, exercises, and their tools.

What is taught stands in `examples/`, as files to be edited; here is what reads and runs them:

    a lesson         examples/NN_title.py                 `lessons`
    its questions    examples/questions/NN.py             `questions`
    its exercises    examples/exercises/NN_title.py       `exercises`
    their answers    examples/exercises/answers/          `exercises`

`.github/CONTRIBUTING.md` says how a lesson, or an exercise, is added.

Read it in this order:

1. `folders`: where these files are
2. `lessons`, a folder: run as scripts, written as notebooks and pages; `pictures`, which one draws
3. `questions`, a folder: what a lesson asks; `judging`: what kind of answer came
4. `exercises`, a folder: functions that a learner writes, marked, of one learner or of a class
5. `worksheets`, a folder: graphs on paper
6. `site`, a folder: all of it as pages

`printing` prints lines in a terminal.
"""
