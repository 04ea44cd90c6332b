"""The processes that learners' functions run in, shut in by namespaces of Linux or by a container.

A room is such a process: one function of a learner's is loaded and called in it. A house is all rooms
that are open at a time. The judge is the process that marks: it opens the rooms of a house, asks what
the functions answer, and closes them. It starts a fork server, and that starts the rooms.

What an attack meets:

    reads or writes files      finds Python's alone, read-only, and one empty folder: `namespaces.shut`
    asks the network           there is none: `namespaces`
    looks for other processes  sees its own alone: `namespaces.forked`, `inside`
    never ends, or leaves      is ended with all that it started: `room`, `fork_server`
      processes behind
    takes all memory           has a limit: `limits`
    answers with more than     the judge makes plain data of bytes, and nothing that could run:
      data                     `exercises.messages`

Where Linux gives no namespaces, the first three are not held, and `House.problem` says why.

Read it in this order:

1. On the learner's side. `room_process`: the process of one room; `limits`; `namespaces`: what it cannot
   reach; `fork_server`: how it comes to be quickly
2. On the judge's side. `house`: opens rooms; `room`: asks one, with a limit to the time; `container`:
   the same in Docker or Podman; `processes`: how a process is begun and ended
"""
