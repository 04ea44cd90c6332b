"""Drawings: DOT text, what is folded, and the engines that turn it into pictures."""

import os
import re
import stat
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from leaves import leaf

import minigrad as mg
from minigrad import functional as F
from minigrad import nn
from minigrad.views.drawing import folding, rendering

pygraphviz = pytest.importorskip("pygraphviz")
SVG = "{http://www.w3.org/2000/svg}"


def chain(n):
    w = leaf(0.5)
    x = w
    for _ in range(n):
        x = np.tanh(x * w + 1.0)
    return x


class Block(nn.Module):
    def __init__(self, width, inner=None):
        self.up = nn.Linear(width, inner or 2 * width)
        self.down = nn.Linear(inner or 2 * width, width)

    def forward(self, x):
        return x + self.down(np.tanh(self.up(F.standardize(x))))


class Stack(nn.Module):
    def __init__(self, blocks):
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Heads(nn.Module):
    def __init__(self, n):
        self.heads = nn.ModuleList(Block(4) for _ in range(n))

    def forward(self, x):
        return np.concatenate([head(x) for head in self.heads], axis=-1)


class Attention(nn.Module):
    def __init__(self):
        self.query, self.key, self.value = (nn.Linear(4, 4, bias=False) for _ in range(3))

    def forward(self, x):
        scores = self.query(x) @ self.key(x).mT
        return F.softmax(scores) @ self.value(x)


def recorded(module, width=4):
    with mg.record():
        return mg.graph(module(mg.Tensor(np.ones((2, 3, width)), name="given")))


def blocks(plan):
    """Every block of a plan, as (heading, times)."""
    found, waiting = [], [plan.root]
    while waiting:
        block = waiting.pop()
        found.append((block.title, block.times, block.chained))
        waiting += [item for item in block.items if isinstance(item, folding.Block)]
    return found


def texts(svg):
    """What can be read in an SVG."""
    return [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]


def drawn_nodes(dot):
    return re.findall(r"^ +(\w+) \[", dot, flags=re.MULTILINE)


def arrows(dot):
    return re.findall(r"^ +(\w+) -> (\w+)", dot, flags=re.MULTILINE)


# --- DOT ------------------------------------------------------------------------------------------


def test_dot_of_a_known_graph():
    w, x = nn.Parameter([[1.0], [2.0]]), np.float32([[3.0, 0.0]])
    with mg.record():
        y = np.sum(x @ w)
    y.backward()
    dot = mg.graph(y).to_dot()
    dot = re.sub(r"\\ntest_drawing.py:\d+: ", " | ", dot)
    assert dot == textwrap.dedent(
        r"""
        digraph computation {
          graph [rankdir="TB", bgcolor="#ffffff", pad=0.2, nodesep=0.25, ranksep=0.35,
            fontname="Helvetica,Arial,sans-serif", fontsize=11, fontcolor="#64748b", id="graph",
            labeljust="l", tooltip="y"];
          node [shape="box", style="filled", fontname="Helvetica,Arial,sans-serif", fontsize=11,
            fontcolor="#1f2937", height=0.3, margin="0.12,0.06"];
          edge [color="#64748b", fontname="Helvetica,Arial,sans-serif", fontsize=9, arrowsize=0.6];
          n0 [label="w\n(2, 1)\n[1]\n[2]\ngrad [[3], [0]]", style="filled", fillcolor="#ffe8c2",
            color="#b45309", penwidth=1.6, id="n0", tooltip="#0 w\nparameter\n(2, 1) float32\nvalue
            [[1], [2]]\ngradient [[3], [0]]", class="parameter gradient-known"];
          n1 [label="x\n(1, 2)  [3, 0]", style="filled", fillcolor="#f1f5f9", color="#94a3b8",
            penwidth=1.0, fontcolor="#64748b", id="n1", tooltip="#1 x\ndata\n(1, 2) float32\nvalue
            [[3, 0]]\ngradient needs none", class="data gradient-needs-none"];
          n2 [label="#2 = x @ w\n(1, 1)  [3]\ngrad [[1]]", style="filled,rounded",
            fillcolor="#ffffff", color="#64748b", penwidth=1.6, id="n2", tooltip="#2\n#1 @ #0\n(1, 1)
            float32\nvalue [[3]]\ngradient [[1]] | y = np.sum(x @ w)",
            class="operation gradient-known"];
          n3 [label="y = sum(#2)\n3\ngrad 1", style="filled,rounded", fillcolor="#cdeee0",
            color="#00785c", penwidth=2.6, id="n3", tooltip="#3 y\nnp.sum(#2)\n() float32\nvalue
            3\ngradient 1 | y = np.sum(x @ w)", class="result gradient-known"];
          n1 -> n2 [id="n2-0", style="dashed", color="#94a3b8"];
          n0 -> n2 [id="n2-1"];
          n2 -> n3 [id="n3-0", label=" 1 ", fontcolor="#b3370f"];
        }
        """
    ).lstrip().replace("\n    ", " ")


def test_x_plus_x_has_two_arrows():
    x = leaf(3.0)
    y = x + x
    y.backward()
    assert arrows(mg.graph(y).to_dot()) == [("n0", "n1"), ("n0", "n1")]


def test_contributions_are_written_at_their_arrows():
    a, b = leaf(2.0), leaf(5.0)
    with mg.record():
        y = a * b
    assert 'label=" 5 "' not in mg.graph(y).to_dot()
    y.backward()
    dot = mg.graph(y).to_dot()
    assert re.search(r'n0 -> n2 \[id="n2-0", label=" 5 "', dot)
    assert re.search(r'n1 -> n2 \[id="n2-1", label=" 2 "', dot)
    assert '" 5 "' not in mg.graph(y).to_dot(gradients=False)


def test_gradient_states_look_different():
    x = leaf([2.0])
    with mg.record():
        constant = mg.Tensor([1.0]) * 5
        known = x * 2
        zero = -x
        y = np.sum(known + constant + F.relu(zero))
    before = mg.graph(y).to_dot()
    y.backward()
    after = mg.graph(y).to_dot()
    freed = x * 3
    z = np.sum(freed)
    z.backward()

    def look(dot, name):
        line = next(line for line in dot.splitlines() if f'label="{name} = ' in line)
        said = re.search(r'(grad [^\\"]*)"', line)
        style = r'style="([^"]*)", fillcolor="[^"]*", color="([^"]*)", penwidth=([^,]*),'
        return said.group(1) if said else "", re.search(style, line).groups()

    looks = {
        "not computed": look(before, "known"), "known": look(after, "known"),
        "zero": look(after, "zero"), "needs none": look(after, "constant"),
        "freed": look(mg.graph(z).to_dot(values=True), "freed"),
    }  # fmt: skip
    assert {state: words for state, (words, _) in looks.items()} == {
        "not computed": "grad –", "known": "grad [1]", "zero": "grad [0]", "needs none": "",
        "freed": "grad freed",
    }  # fmt: skip
    assert len({style for _, style in looks.values()}) == 5


def test_values_are_shown_or_not():
    with mg.record():
        y = np.sum(leaf([1.25, 2.5]) * 2)
    assert "1.25" in mg.graph(y).to_dot(values=True)
    hidden = re.sub(r'tooltip="[^"]*"', "", mg.graph(y).to_dot(values=False))
    assert "1.25" not in hidden
    assert "grad" in re.sub(r'class="[^"]*"', "", mg.graph(y).to_dot(values=False, gradients=True))


def test_a_training_filmstrip_changes_only_in_numbers():
    mg.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 3), np.tanh, nn.Linear(3, 1))
    x, t = np.array([[0.0, 1], [1, 0], [1, 1]], np.float32), np.ones((3, 1), np.float32)
    frames = set()
    for _ in range(8):
        model.zero_grad()
        with mg.record():
            loss = F.mse_loss(model(x) * 10, t)
        loss.backward()
        for options in ({}, {"backward": True}, {"values": False}):
            dot = mg.graph(loss).to_dot(**options).replace("\\n", "\n")
            dot = re.sub(r"(?<![\w.])-?\d+(\.\d+)?(e[+-]\d+)?", "0", dot)
            frames.add(re.sub(r"all 0|0 to 0", "0", dot))
        for parameter in model.parameters():  # a wild training
            parameter.copy_(parameter.detach() * -3.3)
    assert len(frames) == 3


@pytest.mark.parametrize(("direction", "rank"), [("down", "TB"), ("right", "LR"), ("up", "BT")])
def test_direction(direction, rank):
    assert f'rankdir="{rank}"' in mg.graph(leaf(1.0) + 1).to_dot(direction=direction)


@pytest.mark.parametrize("options", [{"direction": "sideways"}, {"depth": -1}, {"budget": -5}])
def test_options_that_make_no_sense(options):
    with pytest.raises(mg.errors.ConfigError, match=str(next(iter(options.values())))):
        mg.graph(leaf(1.0) + 1).draw(**options)


HOSTILE = [
    'say "hello"', "{a|b}", "back\\slash", "\\N\\G\\L", "<lambda>", "a:b:c", "&amp; & &lt;",
    "<script>alert(1)</script>", "Gewicht größer", "重み", "вес", "; } graph [", "]", "--", "graph",
    "node", "tail\\", "x\ny", "\x00\x1b", "'", "%d %s", "#0",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_drawn_as_it_is(name):
    x = leaf(2.0, name=name)
    y = x * 3
    svg = mg.graph(y).draw().svg()
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)
    assert shown in texts(svg)
    assert f"y = {shown} * 3" in texts(svg)
    ET.fromstring(mg.graph(x).draw().svg())  # its name is the title too


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_of_a_box_is_drawn_as_it_is(name):
    kind = type(nn.Module)(name.replace("\x00", "0"), (Block,), {})
    svg = recorded(kind(4)).draw(values=False, depth=0).svg()
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in kind.__name__)
    assert f"module: {shown}" in texts(svg)
    svg = recorded(kind(4)).draw(values=False, depth=1).svg()
    assert f"module: {shown}" in texts(svg)


# --- folding --------------------------------------------------------------------------------------


def test_a_box_around_one_thing_is_left_out():
    x = leaf(np.ones((2, 4)))
    with mg.record():
        y = F.masked_fill(sum(np.split(x, 2)), x.data > 5, 0.0)
    dot = mg.graph(y).to_dot()
    assert 'label="np.split"' in dot  # which is all of array_split
    assert 'label="np.array_split"' not in dot
    assert 'label="masked_fill"' not in dot  # which is one np.where
    dot = recorded(nn.Linear(4, 4)).to_dot()
    assert 'label="module: Linear 4 -> 4"' in dot
    assert 'label="linear"' not in dot


def test_equal_layers_in_a_row_are_drawn_once():
    graph = recorded(Stack([Block(4) for _ in range(6)]))
    plan = folding.plan(graph, None, True, 1000)
    assert ("blocks.0: Block", 6, True) in blocks(plan)
    dot = graph.to_dot(values=False)
    assert "blocks.0 to 5: Block × 6" in dot
    assert "equal parts are drawn once" in dot
    one = recorded(Stack([Block(4)]))
    assert len(drawn_nodes(dot)) - len(drawn_nodes(one.to_dot(values=False))) == 0
    assert Counter(arrows(dot)).most_common(1)[0][1] == 2  # squares in `standardize`, no others
    assert "× 6" not in graph.to_dot(fold=False)


def test_a_layer_of_another_size_is_drawn_by_itself():
    graph = recorded(Stack([Block(4), Block(4), Block(4, inner=5), Block(4), Block(4)]))
    found = [b for b in blocks(folding.plan(graph, None, True, 1000)) if b[0].endswith("Block")]
    assert sorted(found) == [
        ("blocks.0: Block", 2, True), ("blocks.2: Block", 1, False), ("blocks.3: Block", 2, True),
    ]  # fmt: skip


def test_equal_branches_side_by_side_are_drawn_once():
    graph = recorded(Heads(5))
    assert ("heads.0: Block", 5, False) in blocks(folding.plan(graph, None, True, 1000))
    assert "heads.0 to 4: Block × 5, side by side" in graph.to_dot(values=False)


def test_equal_modules_with_different_parts_to_play_are_not_one():
    found = blocks(folding.plan(recorded(Attention()), None, True, 1000))
    assert all(times == 1 for _, times, _ in found)
    assert {"query: Linear 4 -> 4, no bias", "key: Linear 4 -> 4, no bias"} <= {b[0] for b in found}


def test_a_layer_that_differs_deep_inside_is_drawn_by_itself():
    layers = [Stack([Block(4)]), Stack([Block(4)]), Stack([Block(4, inner=5)])]
    found = blocks(folding.plan(recorded(Stack(layers)), None, True, 1000))
    assert ("blocks.0: Stack", 2, True) in found
    assert ("blocks.2: Stack", 1, False) in found


@pytest.mark.parametrize(("hints", "times"), [((2, 3, 4, 5), []), ((2, 2, 2, 3), [3])])
def test_layers_that_take_from_different_places_are_not_one(hints, times):
    class Told(Stack):
        def forward(self, x):
            made = {n: x * n for n in sorted(set(hints))}
            for block, n in zip(self.blocks, hints):
                x = block(np.maximum(x, made[n]))
            return x

    found = blocks(folding.plan(recorded(Told([Block(4) for _ in hints])), None, True, 1000))
    assert [n for _, n, _ in found if n > 1] == times


def test_a_layer_whose_state_is_used_again_later_ends_the_chain():
    class Skipping(Stack):
        def forward(self, x):
            states = []
            for block in self.blocks:
                x = block(x)
                states.append(x)
            return states[-1] + states[1]  # the second is not like the others

    found = blocks(folding.plan(recorded(Skipping([Block(4) for _ in range(6)])), None, True, 1000))
    assert sorted(b[1] for b in found if b[0].endswith("Block")) == [2, 4]


def test_repeated_operations_of_a_loop_are_drawn_once():
    class Cell(nn.Module):
        def __init__(self):
            self.mix = nn.Linear(4, 4)

        def forward(self, x, h):
            return np.tanh(self.mix(h) + x)

    cell, xs = Cell(), mg.Tensor(np.ones((9, 2, 4)))
    h = mg.Tensor(np.zeros((2, 4)), name="start")
    with mg.record():
        for t in range(9):
            h = cell(xs[t], h)
    graph = mg.graph(h)
    assert ("", 9, True) in blocks(folding.plan(graph, None, True, 1000))


def test_a_plan_says_what_a_block_gives_out_and_how_much_is_learned_in_it():
    graph = recorded(Stack([Block(4) for _ in range(6)]))
    plan = folding.plan(graph, None, True, 1000)
    (model,) = [item for item in plan.root.items if isinstance(item, folding.Block)]
    (repeat,) = model.items  # "blocks.0: Block", six times
    assert plan.given_out(model) == list(plan.results)
    up = next(b for b in repeat.items if isinstance(b, folding.Block) and "up" in b.title)
    (given,) = plan.given_out(up)
    assert graph[given].operation == "np.add"  # of the bias: np.tanh takes it
    of_one = sum(p.size for p in Block(4).parameters())
    assert plan.learned(model) == plan.learned(repeat) == 6 * of_one
    assert plan.learned(up) == 4 * 8 + 8


def test_depth_opens_boxes_level_by_level():
    graph = recorded(Stack([Block(4), Block(4, inner=5)]))
    counts = [len(drawn_nodes(graph.to_dot(depth=d))) for d in range(4)]
    assert counts[0] == 3 + 2  # the input and the model, beside graph, node and edge
    assert counts == sorted(counts)
    assert len(set(counts)) == 4
    closed = graph.to_dot(depth=1)
    assert "blocks.0: Block" in closed
    assert "tanh" not in re.sub(r'tooltip="[^"]*"', "", closed)


def test_a_group_is_named_by_its_line_or_by_its_parts():
    model = Stack([Block(4), Block(4, inner=5)])
    with mg.record():
        x = np.exp(np.sin(np.tanh(mg.Tensor(np.ones((2, 4))))))  # one
        for block in model.blocks:
            x = block(x)
        loss = np.sum(np.square(np.cos(x)))  # other
    graph = mg.graph(loss)
    titles = lambda budget: [
        item.title.split("\n") for item in folding.plan(graph, None, False, budget).root.items
    ]
    (one, contents), first, second, (other, _) = titles(8)
    assert (one, contents) == ("x = np.exp(np.sin(np.tanh(mg.Tensor(np.…", "3 operations")
    assert other == "loss = np.sum(np.square(np.cos(x)))  # …"
    assert "Block" in first[0]
    assert "Block" in second[0]
    assert [title[0] for title in titles(6)] == ["blocks.0", "blocks.1"]


@pytest.mark.parametrize("budget", [2, 5, 20, 60])
@pytest.mark.parametrize("kind", ["layers", "operations", "leaves"])
def test_no_more_than_the_budget_is_drawn_and_the_drawing_says_so(kind, budget):
    if kind == "layers":
        graph = recorded(Stack([Block(4, inner=5 + i) for i in range(30)]))
    elif kind == "operations":
        y = leaf(1.0)
        for i in range(200):
            y = np.tanh(y) if i % 7 in (1, 3) else y * float(i)
        graph = mg.graph(y)
    else:
        graph = mg.graph(sum((leaf(float(i)) for i in range(200)), start=leaf(0.0)))
    dot = graph.to_dot(budget=budget)
    assert len(drawn_nodes(dot)) - 3 <= budget
    assert re.search(rf'label="{len(graph)} nodes: ', dot)
    assert mg.graph(leaf(1.0) + 1).to_dot().count("nodes: ") == 0


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.slow) for s in range(1, 5))]
)
def test_arrows_never_run_in_a_circle(seed):
    """Closing boxes and drawing equal parts once must not make an effect its own cause."""
    rng = np.random.default_rng(seed)
    modules = [Block(4), Block(4), Attention(), Heads(2), Stack([Block(4), Block(4)])]
    with mg.record():
        made = [mg.Tensor(np.ones((2, 3, 4))), leaf(np.ones((2, 3, 4)))]
        for _ in range(25):
            a, b = (made[i] for i in rng.integers(max(0, len(made) - 4), len(made), 2))
            choice = rng.integers(8)
            if choice < 5:
                made.append(modules[choice](a)[..., :4])
            else:
                made.append([np.add, np.multiply, np.subtract][choice - 5](a, b))
        graph = mg.graph(made[-1])
    for options in ({"depth": 0}, {"depth": 1}, {"depth": 2}, {"budget": 10}, {"fold": True}, {}):
        options = {"values": False, **options}
        dot = graph.to_dot(**options)
        nodes, links = set(drawn_nodes(dot)), arrows(dot)
        assert {n for link in links for n in link} <= nodes
        waiting = {n: {a for a, b in links if b == n} for n in nodes}
        while free := [n for n, before in waiting.items() if not before & waiting.keys()]:
            for n in free:
                del waiting[n]
        assert waiting.keys() <= {"graph", "node", "edge"}, options
        reached, todo = set(), [b for _, b in links if "#00785c" in _line_of(dot, b)]
        while todo:
            n = todo.pop()
            if n not in reached:
                reached.add(n)
                todo += [a for a, b in links if b == n]
        assert reached == nodes - {"graph", "node", "edge"}, (
            options
        )  # all of it leads to the result


def _line_of(dot, n):
    return next(line for line in dot.splitlines() if line.strip().startswith(f"{n} ["))


def test_a_closed_box_says_what_it_gives_and_how_much_it_learns():
    model = Stack([Block(4) for _ in range(3)])
    graph = recorded(model)
    learned = sum(p.size for p in model.parameters())
    dot = graph.to_dot(depth=0, values=False)
    assert f'label="module: Stack\\nx\\n(2, 3, 4)\\n{learned} parameters"' in dot
    once = graph.to_dot(depth=1, values=False)
    assert f"Block × 3\\nx\\n(2, 3, 4)\\n{learned // 3} parameters each" in once


@pytest.mark.slow
def test_ten_thousand_operations_are_drawn_at_once():
    graph = mg.graph(chain(3_333))
    assert len(graph) == 10_000
    svg = graph.draw().svg()
    assert "× 3,333" in texts(svg)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["recorded", "no pattern", "modules"])
def test_thirty_thousand_operations_are_drawn_in_seconds(kind):
    if kind == "recorded":
        with mg.record():
            y = chain(10_000)
        y.backward()
        graph = mg.graph(y)
    elif kind == "no pattern":
        rng = np.random.default_rng(0)
        made = [leaf(float(i)) for i in range(300)]
        functions = (np.minimum, np.maximum, np.hypot, np.arctan2)
        for f, i, j in zip(*(rng.integers(n, size=40_000).tolist() for n in (4, 300, 300))):
            made.append(functions[f](made[-1 - i], made[-1 - j]))
        graph = mg.graph(made[-1])
    else:
        graph = recorded(Stack([Block(4, inner=4 + i % 5) for i in range(1800)]))
    assert len(graph) > 28_000
    svg = graph.draw().svg()
    assert any("nodes: " in text for text in texts(svg))


# --- engines --------------------------------------------------------------------------------------

MAGIC = {"svg": b"<svg", "png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-"}


@pytest.fixture
def no_system_dot(monkeypatch):
    monkeypatch.setattr(rendering.shutil, "which", lambda name: None)


@pytest.fixture
def no_pygraphviz(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)


@pytest.fixture
def system_dot(tmp_path, monkeypatch):
    """A `dot` on the path that answers as the real one does, and leaves a mark that it was asked."""
    program = tmp_path / "bin" / "dot"
    program.parent.mkdir()
    mark = tmp_path / "asked"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys, pygraphviz\n"
        f"open({str(mark)!r}, 'a').write(' '.join(sys.argv[1:]))\n"
        "kind = next(a[2:] for a in sys.argv if a.startswith('-T'))\n"
        "data = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode())\n"
        "sys.stdout.buffer.write(data.draw(format=kind, prog='dot'))\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(program.parent) + os.pathsep + os.environ["PATH"])
    return mark


@pytest.fixture
def small():
    x = leaf(2.0)
    y = x * x
    return mg.graph(y)


@pytest.mark.parametrize("kind", MAGIC)
@pytest.mark.usefixtures("no_system_dot")
def test_pygraphviz_draws_every_format(small, tmp_path, kind, capfd):
    path = tmp_path / f"drawing.{kind}"
    assert small.render(path) == path
    assert path.read_bytes().startswith(MAGIC[kind])
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", MAGIC)
def test_the_system_dot_draws_every_format(small, tmp_path, system_dot, no_pygraphviz, kind):
    path = tmp_path / f"drawing.{kind}"
    small.render(str(path))
    assert path.read_bytes().startswith(MAGIC[kind])
    assert f"-T{kind}" in system_dot.read_text()


def test_the_system_dot_comes_first(small, system_dot):
    small.draw().svg()
    assert system_dot.exists()


def test_a_system_dot_that_fails_is_passed_over(small, system_dot, tmp_path, capfd):
    (tmp_path / "bin" / "dot").write_text("#!/bin/sh\necho no fonts >&2\nexit 1\n")
    assert "<svg" in small.draw().svg()
    assert capfd.readouterr() == ("", "")


def test_without_an_engine_the_table_stands_in(
    small, tmp_path, capsys, no_system_dot, no_pygraphviz
):
    path = tmp_path / "drawing.svg"
    assert small.render(path) is None
    assert not list(tmp_path.iterdir())
    printed = capsys.readouterr().out
    assert printed.startswith(str(small))
    assert "pip install pygraphviz" in printed.splitlines()[-1]
    assert small._repr_svg_() is None
    assert small._repr_mimebundle_() == {"text/plain": printed.rstrip("\n")}
    assert small.render(tmp_path / "drawing.dot").read_text() == small.to_dot()


def test_a_notebook_gets_a_picture_and_the_table(small):
    bundle = small._repr_mimebundle_()
    assert set(bundle) == {"image/svg+xml", "text/plain"}
    assert bundle["image/svg+xml"] == small._repr_svg_()
    assert bundle["text/plain"] == str(small)
    assert small.draw()._repr_mimebundle_() == bundle


@pytest.mark.slow
@pytest.mark.parametrize(
    "last", ["graph.draw()", "d = graph.draw()", "graph.draw().dot", "repr(graph.draw())"]
)
def test_a_drawing_that_nothing_showed_says_where_it_is(tmp_path, last):
    script = f"""
import minigrad as mg
graph = mg.graph(mg.Tensor(2.0, requires_grad=True) * 3)
{last}
"""
    run = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stderr == ""
    written = list(tmp_path.glob("graph-*"))
    if "dot" in last or "repr" in last:
        assert (run.stdout, written) == ("", [])
    else:
        (path,) = written
        assert f"the drawing is in {path}" in run.stdout
        assert path.read_text().lstrip().startswith(("<?xml", "<svg", "digraph"))


def test_other_suffixes_are_refused(small, tmp_path):
    with pytest.raises(mg.errors.ConfigError, match=r"\.svg, \.png, \.pdf or \.dot"):
        small.render(tmp_path / "drawing.jpeg")


def test_ids_do_not_meet_in_one_page(small):
    x = leaf(2.0)
    first, second = small.draw().svg(), mg.graph(x + x).draw().svg()
    ids = re.findall(r'\bid="([^"]*)"', first + second)
    assert len(ids) == len(set(ids)) > 10
    assert first.startswith("<svg")
    assert 'role="img" aria-label="graph of y"' in first


def run(script, **environment):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True, text=True, check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )  # fmt: skip


def test_drawing_leaves_standard_error_alone():
    """Libraries inside Graphviz complain there of the machine's fonts, once in each process."""
    result = run(
        """
        import os, sys
        import minigrad as mg
        x = mg.Tensor(1.0, requires_grad=True)
        mg.graph(x + x).draw().svg()
        print("still there", file=sys.stderr, flush=True)
        os.write(2, b"and here")
        """
    )
    assert result.stderr == "still there\nand here"


def test_fonts_are_not_needed(tmp_path):
    """Graphviz estimates the widths of letters where the machine has no fonts at all."""
    fonts = tmp_path / "fonts.conf"
    fonts.write_text("<fontconfig><dir>/nowhere</dir></fontconfig>")
    script = """
        import minigrad as mg
        x = mg.Tensor(1.0, requires_grad=True)
        y = x + x
        print(mg.graph(y).draw().svg())
        """
    assert "y = x + x" in texts(run(script, FONTCONFIG_FILE=str(fonts)).stdout)


FONTS = {  # a font, by how much it is stretched, and then the width of its digits for a size of 1
    "usual": None,
    "none": ("", 1, None),
    "sans": ("DejaVu Sans", 1, 0.636),
    "fixed": ("DejaVu Sans Mono", 1, 0.602),
    "wide": ("DejaVu Sans", 1.8, 1.145),
}


def one_font(family, stretched, path):
    """A set-up of fontconfig in which one font stands for all: of those that come with matplotlib."""
    folder = Path(pytest.importorskip("matplotlib").get_data_path()) / "fonts" / "ttf"
    path.write_text(
        f"""<fontconfig><dir>{folder if family else "/nowhere"}</dir><cachedir>{path.parent}</cachedir>
        <match target="pattern"><edit name="family" mode="assign" binding="strong">
        <string>{family}</string></edit></match>
        <match target="font"><edit name="matrix" mode="assign"><matrix><double>{stretched}</double>
        <double>0</double><double>0</double><double>1</double></matrix></edit></match></fontconfig>"""
    )
    return {"FONTCONFIG_FILE": str(path)}


@pytest.mark.slow
@pytest.mark.parametrize("which", FONTS)
def test_a_steady_drawing_has_one_layout_whatever_the_numbers_and_the_font_are(which, tmp_path):
    """Also beside the walk back, with boxes closed, and where what is shown is not finite."""
    script = """
        import json
        import numpy as np
        import minigrad as mg
        from minigrad import functional as F
        from minigrad.views.drawing import drawing

        def layout(size, **options):
            x, w, big = (
                mg.Tensor((size * np.array(a)).astype(np.float64), requires_grad=True, name=name)
                for name, a in {"x": [1, -3.7], "w": [[0.5, 1], [-1, 1]], "big": np.ones(9)}.items()
            )
            with mg.record():
                loss = np.sum(F.softmax(x @ w + x) * x) * np.tanh(x[0] * 3) * np.sum(big)
            loss.backward()
            dot = mg.graph(loss).draw(steady=True, values=True, **options).dot
            data = json.loads(drawing.rendered(dot, "json0"))
            keys = ("name", "pos", "width", "height", "bb")
            return data["bb"], [[o.get(key) for key in keys] for o in data["objects"]]

        np.seterr(all="ignore")
        sizes = (1.0, 0.1234567, -512.25, 3e20, -1.234e-300, np.nan)
        for options in (
            {"direction": "right"}, {"backward": True}, {"depth": 0, "gradients": True}, {}
        ):
            first, *others = (layout(size, **options) for size in sizes)
            print([other == first for other in others].count(False), end=" ")
        digits = 'graph { a [label="00000000", shape=plain, fontsize=72, fontname=Helvetica] }'
        print(drawing.rendered(digits, "plain").decode().split()[8])
        """
    family, stretched, digit = FONTS[which] or (None, None, None)
    fonts = {} if family is None else one_font(family, stretched, tmp_path / "fonts.conf")
    *changed, width = run(script, **fonts).stdout.split()
    assert digit is None or float(width) / 8 == pytest.approx(digit, abs=0.02), "has another font"
    assert changed == ["0"] * 4
