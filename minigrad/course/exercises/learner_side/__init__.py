"""The learner's side: a function, loaded and called in a process of its own.

Read it in this order:

1. `loading`: the function is loaded from the learner's file
2. `callee`: it is called, and its answer goes back as plain data
3. What is noted beside the answer. `raised_error`: an error. `function_state`: what the function keeps
   from call to call. `borrowing`: the line that leaves the work to the library

The process itself is `isolation.room_process`. What crosses is written by `messages`.
"""
