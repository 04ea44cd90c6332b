"""Commands of the command line: a file for each, `train`, `translate`, `write` and `explain`.

`options` is the table of their options. `asked` is the run that they ask `train` for, `telling` what
it says of itself, `folder` the folder of a run, `lines` what is read from the command line or standard
input, `ways` the way in which a model writes, `machine` what a run asks the system.
"""

PROGRAM = "minitransformer"  # the name that messages begin with
