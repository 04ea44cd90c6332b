"""The system around a computation: the start of the process, the terminal, files.

1. `starting`, `namesake`: what happens when minigrad is imported
2. `terminal`: the two command lines, their exit status, and Ctrl-C
3. `working`: the line on standard error while something takes long
4. `disk`: files that are whole, or not there
"""
