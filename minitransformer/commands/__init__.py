"""Commands of the command line: a file for each command, and their options."""

PROGRAM = "minitransformer"  # the name that messages begin with
