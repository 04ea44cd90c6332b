"""Commands of the command line: a file for each, `train`, `translate`, `write` and `explain`.

The other files, in reading order:

1. `options`: the table of all options
2. `asked`: the run that the options of `train` ask for; `folder`: the folder of a run, and its files
3. `telling`: the lines that a run prints about itself; `machine`: questions of a run to the system
4. `lines`: lines from the command line or standard input, and their results; `ways`: ways to write
"""

PROGRAM = "minitransformer"  # messages begin with this name
