"""The system around a computation: the start of the process, the terminal, files.

1. `starting`: Ctrl-C during imports; `namesake`: a warning of another project called minigrad
2. `terminal`: the two command lines, their exit status, and Ctrl-C
3. `working`: the line on standard error while something takes long
4. `disk`: files that are written as a whole, or not at all
"""
