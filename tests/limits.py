"""How long a test waits for what may hang: far longer than it takes, also on a busy machine."""

SECONDS = 600  # a process
IN_A_PAGE = 120  # a script in a browser, and what it waits for
