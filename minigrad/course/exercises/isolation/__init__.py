"""The learner's side: a process for each function, in namespaces of Linux or in a container.

A room is such a process: one function of a learner's is loaded and called in it. A house is all rooms
that are open at a time, and the process that they are forked from. The judge is the process that marks:
it opens the rooms of a house, asks what the functions answer, and closes them.

Read `rooms` (what runs there), `namespaces` (what it cannot reach), `house` (how the judge opens rooms
and asks them), `container` (the same in Docker or Podman).
"""
