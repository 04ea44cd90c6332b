"""The learner's side: a process for each function, in namespaces of Linux or in a container.

Read `rooms` (what runs there), `namespaces` (what it cannot reach), `house` (how the judge opens rooms
and asks them), `container` (the same in Docker or Podman).
"""
