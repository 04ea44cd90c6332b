"""The README: its commands are those that are run, its code runs, its picture is what the code draws.

After a change to what a drawing looks like, `python tests/test_readme.py` draws the picture again.
"""

import importlib.util
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from limits import SECONDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
EXAMPLES = ROOT / "examples"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def run(code, folder):
    """Run `code` as the file graph.py in `folder`; return what it prints."""
    (folder / "graph.py").write_text(code)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "graph.py"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def drawn(folder):
    """What the README's first block draws: DOT and, where Graphviz is found, SVG."""
    run(blocks("python")[0] + '\nmg.graph(loss).render("graph.dot", direction="right")', folder)
    return folder / "graph.dot", folder / "graph.svg"


def test_the_two_commands_are_those_that_ci_runs():
    make, train, check = (block.strip() for block in blocks("sh"))
    script = (ROOT / ".ci" / "run").read_text().splitlines()
    assert make == "python3 -m venv .venv && . .venv/bin/activate"
    for line in make.split(" && "):
        assert f'{line}"'.replace(".venv", '"$scratch/venv') in script
    assert check == 'pip install -e ".[test]" && pytest'
    assert check in script
    assert train == 'pip install -e ".[course]" && python -m minitransformer'
    assert "pytest -m slow" in script, "with the main job: test_main.py"


def test_every_block_of_python_runs(tmp_path):
    plain = [block for block in blocks("python") if "torch" not in block]
    printed = run("\n".join(plain), tmp_path)
    assert "Step 1: np.sum" in printed
    lines = [line for line in blocks("python")[0].splitlines() if line]
    assert len(lines) == 10, "as the heading says"


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="PyTorch is an extra")
def test_the_block_about_pytorch_runs_and_compares_as_many_numbers(tmp_path):
    (block,) = (block for block in blocks("python") if "torch" in block)
    printed = run(f"import minigrad as mg\n{block}", tmp_path)
    counts = re.search(r"# (\d+) values, (\d+) gradients", block)
    assert re.findall(r"^(\d+) (?:values|gradients) compared", printed, re.M) == [*counts.groups()]
    assert (tmp_path / "page.html").exists()


def test_the_picture_is_what_the_ten_lines_draw(tmp_path):
    dot, _ = drawn(tmp_path)
    assert dot.read_text() == (EXAMPLES / "graph.dot").read_text()
    assert "![" in README
    assert "(examples/graph.svg)" in README


def test_the_picture_shows_every_label_of_its_text():
    svg = ET.parse(EXAMPLES / "graph.svg")
    shown = {"".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    labels = re.findall(r'^ +n\d+ \[label="(.*?)"', (EXAMPLES / "graph.dot").read_text(), re.M)
    assert len(labels) == 7
    for label in labels:
        assert set(label.split("\\n")) <= {text.replace("\xa0", " ") for text in shown}


def test_the_sentence_about_the_gradient_is_right():
    x, w = np.array([1, 2]), np.array([[0, 1], [-1, 1]])  # as in the ten lines, by hand
    y = x + np.maximum(x @ w, 0)
    through_y = 2 * y
    through_w = w @ np.where(x @ w > 0, 2 * y, 0)
    for vector in (through_y + through_w, through_y, through_w):
        assert f"`{vector.tolist()}`" in README


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        ".github/CONTRIBUTING.md",
        "examples/README.md",
        "tests/benchmarks/README.md",
        "tests/helpers/README.md",
    ],
)
def test_links_lead_to_files(page):
    text = (ROOT / page).read_text()
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not link.startswith("http")]
    assert links
    missing = [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert not missing


def test_the_engine_is_read_in_the_order_that_it_names():
    """Each file imports what came before it, or what a first reading may skip."""
    engine = ROOT / "minigrad" / "engine"
    door = (engine / "__init__.py").read_text()
    order = [
        name
        for row in re.findall(r"^\d\. (.*):", door, re.M)
        for name in re.findall(r"`(\w+)`", row)
    ]
    skipped = re.findall(r"^- `(\w+)`", door, re.M)
    assert {*order, *skipped} == {file.stem for file in engine.glob("*.py")} - {"__init__"}
    for i, name in enumerate(order):
        text = (engine / f"{name}.py").read_text()
        imported = re.findall(r"^from \.(\w+) import", text, re.M)
        for names in re.findall(r"^from \. import (.*)", text, re.M):
            imported += names.split(", ")
        assert {*imported} <= {*order[:i], *skipped}, name


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for file in drawn(Path(folder)):
            (EXAMPLES / file.name).write_bytes(file.read_bytes())
