"""The README: its commands are those that are run, its code runs, its picture is what the code draws.

After a change to what a drawing looks like, `python tests/test_readme.py` draws the picture anew.
"""

import ast
import io
import os
import re
import subprocess
import sys
import tokenize
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from limits import SECONDS

import minigrad as mg

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
    program = train.partition(" && ")[2]
    trained = [line for line in script if line.startswith(f"{program} --out")]
    assert trained, "the main job, with another folder for what it leaves"
    assert all(re.fullmatch(rf'{program} --out "\$scratch/\w+"', line) for line in trained)


def test_every_block_of_python_runs(tmp_path):
    printed = run("\n".join(blocks("python")), tmp_path)
    assert "Step 1: np.sum" in printed
    lines = [line for line in blocks("python")[0].splitlines() if line]
    assert len(lines) == 10, "as the heading says"


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


@pytest.mark.parametrize("page", ["README.md", "examples/README.md"])
def test_links_lead_to_files(page):
    text = (ROOT / page).read_text()
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not link.startswith("http")]
    assert links
    missing = [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert not missing


def test_the_two_line_example_passes_through_fourteen_functions():
    """Comprehensions, and the rules' lambdas, have no names."""
    seen = set()

    def watch(frame, event, _):
        code = frame.f_code
        if (
            event == "call"
            and str(ROOT / "minigrad") in code.co_filename
            and code.co_name[0] != "<"
        ):
            seen.add(code)

    for watching in (None, watch):  # a first call fills the caches
        x = mg.Tensor([1.0, 2.0], requires_grad=True)
        sys.setprofile(watching)
        try:
            y = np.exp(x) * x
            y.sum().backward()
        finally:
            sys.setprofile(None)
    assert len(seen) == 14, seen
    assert "fourteen named functions" in README.replace("\n", " ")


DOCUMENTED = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
SILENT = {
    tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT,
    tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


def lines_of_code(*paths):
    """The lines of Python files and folders, without blank lines, comments and docstrings."""
    return sum(map(lines_of_file, (f for p in paths for f in [p, *p.rglob("*.py")] if f.is_file())))


def lines_of_file(file):
    lines, source = set(), file.read_bytes()
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type not in SILENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            lines -= {*range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    return len(lines)


def test_the_engine_is_read_in_an_evening():
    engine = ROOT / "minigrad" / "engine"
    order = ["errors.py", *re.findall(r"\(minigrad/engine/(\w+\.py)\): ", README)]
    assert len(order) == 7
    in_order = lines_of_code(*(engine / file for file in order if file != "rules.py"))
    assert in_order <= 650
    assert lines_of_code(engine) <= 1000
    assert f"{lines_of_code(engine)} lines of code" in README
    assert f"have {in_order} beside the table of rules" in README


def test_the_rooms_have_about_as_many_lines_as_the_table_says():
    table = README.partition("| room | lines of code |")[2].partition("\n\n")[0]
    said = re.findall(r"\| `(min[^`]*)`([^|]*) \| ([\d,]+) ", table)
    assert len(said) == 12
    rooms = [ROOT / room for room, _, _ in said]
    for room, more, count in said:
        folder = ROOT / room
        folders = [folder, *(folder.parent / name for name in re.findall("`(\\w+)`", more))]
        if more == ", beside its rooms":
            folders = [f for f in folder.iterdir() if f.suffix == ".py" and f not in rooms]
        if all(f.exists() for f in folders):  # kernels may have been deleted
            assert lines_of_code(*folders) == pytest.approx(int(count.replace(",", "")), rel=0.05)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for file in drawn(Path(folder)):
            (EXAMPLES / file.name).write_bytes(file.read_bytes())
