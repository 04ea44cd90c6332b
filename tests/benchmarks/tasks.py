"""How well, and how fast, each task is learned: exact match and loss on 1,000 held-out examples.

    python tests/benchmarks/tasks.py                all tasks
    python tests/benchmarks/tasks.py copy sort      these only
    python tests/benchmarks/tasks.py dates --seeds 0 1 2

Each runs as a person would run it, `python -m minitransformer train TASK`, in a process of its own,
one after the other; seconds are those of the whole command, the report included.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
TASKS = ("copy", "reverse", "sort", "addition", "dates")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", default=TASKS)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    options = parser.parse_args()
    print("| task | seed | exact match | nats a symbol | seconds | peak memory, MB |")
    print("|---|---|---|---|---|---|", flush=True)
    for task in options.tasks:
        for seed in options.seeds:
            with tempfile.TemporaryDirectory() as out:
                command = [sys.executable, "-m", "minitransformer", "train", task]
                start = time.perf_counter()
                done = subprocess.run(
                    [*command, "--seed", str(seed), "--out", out],
                    capture_output=True, text=True, cwd=ROOT, check=True,
                )  # fmt: skip
                seconds = time.perf_counter() - start
            accuracy, loss = re.search(
                r"read exactly: ([\d.]+%); loss (\S+) nats a symbol", done.stdout
            ).groups()
            memory = re.search(r"peak memory (\d+) MB", done.stdout)
            row = [task, str(seed), accuracy, loss, f"{seconds:.0f}", memory[1] if memory else "-"]
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
