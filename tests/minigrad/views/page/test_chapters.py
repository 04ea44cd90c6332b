"""The chapters of a page: made from the graph alone, with every step in one of them."""

import numpy as np
import pytest
from losses import attention, chain, mlp
from pages import contents

import minigrad as mg
from minigrad import functional as F
from minigrad import nn
from minigrad.course.lessons.lesson import links
from minigrad.views.page.chapters import BACK, FORWARD, chapters
from minitransformer import Sizes
from minitransformer.model.transformer import Transformer


def told(loss, lessons=None):
    loss.backward()
    return chapters(mg.graph(loss), lessons or {}, {})


def script():
    x = mg.Tensor([1.0, 2.0], requires_grad=True, name="x")
    with mg.record():
        h = F.relu(x * 2)
        y = x + h
        return np.sum(y * y)


def transformer(layers=1):
    mg.manual_seed(0)
    sizes = Sizes(
        7, 7, width=8, heads=2, feed_forward=8, encoder_layers=layers, decoder_layers=layers
    )
    model, ids = Transformer(sizes), np.array([[3, 4, 5]])
    with mg.record():
        return F.cross_entropy(model(ids, ids), ids)


class Squared(nn.Module):
    """Square what it is given: a sentence.

    More, with lesson 02 in it.
    """

    def forward(self, x):
        return x * x


def modules():
    x = mg.Tensor([1.0, 2.0], requires_grad=True, name="x")
    first = Squared()
    with mg.record():
        y = first(x) + 1
        return np.sum(y)


@pytest.mark.parametrize("make", [script, mlp, modules, transformer, lambda: chain(150)])
def test_every_step_is_in_one_chapter_in_the_order_of_the_time_line(make):
    loss = make()
    found = told(loss)
    graph = mg.graph(loss)
    forward = [c for c in found if not c["back"]]
    back = found[len(forward) :]
    assert all(c["back"] for c in back)
    assert sum(c["steps"] for c in forward) == sum(n.kind == "operation" for n in graph.nodes)
    assert sum(c["steps"] for c in back) == len(graph.way_back)
    assert all(c["steps"] > 0 for c in found)
    assert len(forward) <= FORWARD
    assert len(back) <= BACK


def test_a_script_has_a_chapter_a_line():
    found = told(script())
    titles = [c["title"] for c in found]
    assert [c["steps"] for c in found] == [2, 1, 2, 2, 1, 2, 1]
    lines = ["h = F.relu(x * 2)", "y = x + h", "return np.sum(y * y)"]
    assert titles[:3] == lines
    assert titles[3:] == [*(f"Back through {line}" for line in lines[::-1]), "What is learned"]


def test_a_chapter_says_what_a_function_does_in_a_whole_sentence_and_nothing_of_operators():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        p = F.softmax(x)
        loss = -np.log(p[0])
    about = [chapter["about"] for chapter in told(loss) if not chapter["back"]]
    said = "Turn scores into weights that are positive and sum to one along an axis."
    assert about == [said, ""]


def test_the_modules_of_a_row_are_called_by_what_they_are():
    """Their names, in a `Sequential`, are numbers."""
    net = nn.Sequential(nn.Linear(2, 3), np.tanh, nn.Linear(3, 1))
    with mg.record():
        loss = np.sum(net(np.ones((4, 2), np.float32)))
    titles = [chapter["title"] for chapter in told(loss)]
    assert "Linear 0" in titles
    assert not any(title.isdecimal() for title in titles)


def test_a_model_has_a_chapter_for_each_module_with_its_docstring_and_its_lesson():
    one, *_ = told(modules(), {"02": ("Tensors", "02.py")})
    assert one["title"] == "Squared"  # no variable holds it any more
    assert one["about"] == "Square what it is given"
    assert one["lesson"] == {"title": "Tensors", "address": "02.py"}
    assert told(modules())[0]["lesson"] is None


@pytest.mark.parametrize("layers", [1, 4])
def test_a_transformer_has_about_a_dozen_each_with_a_reason(layers):
    found = told(transformer(layers))
    assert 10 <= len(found) <= 12
    assert all(len(c["about"]) > 20 for c in found)
    if layers == 1:
        titles = [c["title"] for c in found]
        assert "decoder.layers.0: residual1.norm, cross attention" in titles
        assert (
            "unembedding, cross entropy" in titles
        )  # the model's last part, and what is outside it


def test_chapters_link_to_the_lessons_about_them(tmp_path):
    """The numbers stand in docstrings: they are those of the files."""
    lessons = links(tmp_path / "page.html")
    found = [(c["title"], c["lesson"]) for c in told(transformer(), lessons) if c["lesson"]]
    about = {
        "add sinusoidal": "Words as vectors",
        "attention": "Many heads",
        "feed forward": "Layer norm",
        "cross entropy": "Training",
    }
    for title, lesson in found:
        (wanted,) = {of for part, of in about.items() if part in title}
        assert lesson["title"].startswith(wanted)
        assert (tmp_path / lesson["address"]).is_file()
    assert len(found) == 8


@pytest.mark.slow
def test_boxes_and_operations_say_what_they_are(tmp_path):
    page = contents(mg.explore(transformer(), tmp_path / "page.html").read_text(encoding="utf-8"))
    about = {n.get("op"): n.get("about") for n in page["nodes"]}
    assert about["row_maximum"].startswith("The row's maximum, taken off so that exp stays finite")
    assert "with 1 in place of 0" in about["not_zero"]
    boxes = {box["path"]: box["about"] for box in page["boxes"].values()}
    assert boxes["encoder.layers.0.residual1.norm"].startswith(
        "Bring each position's numbers to one size"
    )


@pytest.mark.slow
def test_a_chapter_plays_stops_at_a_question_and_goes_on(opened):
    page = opened(script())
    assert len(page.texts("#overview .chapters li")) == 7
    page.click("#overview .chapters button.small", 1)  # y = x + h
    page.wait("return document.querySelector('#step form.guess')")
    assert page.now() == "y forward 3 of 5"
    asked = page.text("#step form.guess .worked")
    assert asked == "y[1] = x[1] + h[1] = 2 + 4 = ?"
    page.ask("focus", "#step .guess input")
    page.key("5", "\ue007")
    assert page.text(".verdict") == "Too small."
    page.ask("clear", "#step .guess input")
    page.key("6", "\ue007")
    assert page.text("#step p.worked") == "y[0] = x[0] + h[0] = 1 + 2 = 3"
    assert page.run("return document.activeElement.id") == "panel"  # not lost with the question
    page.ask("blur")
    page.key("\ue010")  # to the end
    page.click("#step .chapter .link")
    page.click("#predict")  # who predicts all gradients does so after a question too
    page.click("#overview .chapters button.small", 3)  # back through the sum
    page.wait("return document.getElementById('now').innerText.includes('backward 2')")
    page.click("#step .guess button", 1)
    page.click("#step .guess button", 1)  # y * y asks twice
    page.key("\ue014")
    assert page.run("return document.getElementById('predict').ariaPressed") == "true"
    assert page.count("#step form.guess")
    page.quiet()


@pytest.mark.slow
def test_a_chapter_played_again_asks_about_the_gradient_again(opened):
    page = opened(script())
    for _ in range(2):
        page.click("#overview .chapters button.small", 3)  # back through the sum
        page.wait("return document.querySelector('#step form.guess')")
        for left in (1, 0):  # y * y asks twice
            page.click("#step .guess button", 1)  # Reveal
            assert page.count("#step form.guess") == left
        page.key("\ue010")  # to the end
        page.click("#step .chapter .link")
    page.quiet()


@pytest.mark.slow
def test_a_question_about_attention_has_symbols_to_choose_from(opened):
    words = ["the", "cat", "sat", "on", "it"]
    page = opened(attention(), tokens={"": (words, words)})
    page.click("#overview .chapters button.small", 1)
    page.wait("return document.querySelector('#step form.guess')")
    choices = page.texts("#step form.guess button")
    assert choices[-1] == "Reveal"
    assert {c.split("”")[0].strip("“") for c in choices[:-1]} <= set(words)
    for i in range(len(choices) - 1):
        page.click("#step form.guess button", i)
        if not page.count("#step form.guess"):
            break
    assert not page.count("#step form.guess")
    page.quiet()
