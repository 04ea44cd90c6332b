"""The report: one file that needs nothing else, says what is true, and shows every text as text."""

import re
from collections import Counter
from html.parser import HTMLParser
from importlib.util import find_spec

import numpy as np
import pytest
from extras import without_graphviz, without_plots
from toy_task import Toy, trained

from minitransformer import DecoderSizes, Settings, Sizes, Training, Vocabulary
from minitransformer.tasks import make
from minitransformer.training.examination import Result, examined
from minitransformer.views import report
from minitransformer.views.report.lines import MAPS, compared

HOSTILE = "<>&\"'$\\ {}é漢"
SCRIPT = "<script>alert(1)</script>"
PAIRS = [("abc", "cba"), ("d", "d"), ("ab", "ba"), ("ca", "ac"), ("bcd", "dcb"), ("dd", "dd")]
WRITTEN = ["cba", "d", "bb", "ac", "", "dd"]


class Page(HTMLParser):
    """The elements and the text of a page, and whether every element is closed."""

    VOID = frozenset(("meta", "link", "br"))

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.text = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), f"an attribute twice in {tag}: {names}"
        self.elements.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def all(self, tag):
        return [attributes for t, attributes in self.elements if t == tag]


class Hostile(Toy):
    source = target = Vocabulary.of_characters(HOSTILE)
    longest_source = longest_target = len(HOSTILE)


def paged(run, pairs, written, seconds, memory):
    """The page of a run that wrote this for these pairs, with a loss of 0.25."""
    right = np.mean([w == target for w, (_, target) in zip(written, pairs)])
    return report.page(run, Result(pairs, written, right, 0.25), seconds, memory)


def hostile():
    """A page full of what HTML, SVG, DOT and mathematics have other uses for."""
    sizes = Sizes(len(Hostile.source), len(Hostile.target), width=8, heads=2, feed_forward=8)
    run = Training(Hostile(), sizes, Settings(steps=0))
    targets = ["é", "{}", '$"$', "'&"]
    pairs = [(HOSTILE[i:] + HOSTILE[:i], target) for i, target in enumerate(targets)]
    return paged(run, pairs, [SCRIPT, "$\\frac", "a & b", "</table>"], 1.0, 99)[0]


@pytest.fixture(scope="module")
def page():
    for package in ("matplotlib", "pygraphviz"):
        pytest.importorskip(package)
    return paged(trained(), PAIRS, WRITTEN, 61.4, 123)


def texts(page):
    return re.sub(r"\s+", " ", " ".join(Page(page).text))


def test_one_file_that_asks_for_nothing(page):
    text, left_out = page
    assert left_out == ""
    parsed = Page(text)
    assert {"script", "iframe", "img", "object"}.isdisjoint(tag for tag, _ in parsed.elements)
    for _, attributes in parsed.elements:
        for name in ("src", "href", "xlink:href", "data", "action"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), attributes
    assert not re.search(r"@import|url\((?!#)", text)


def test_every_name_is_given_once_and_every_reference_has_its_name(page):
    parsed = Page(page[0])
    ids = Counter(a["id"] for _, a in parsed.elements if "id" in a)
    assert [name for name, n in ids.items() if n > 1] == []
    used = set(re.findall(r"url\(#([^)]*)\)", page[0]))
    used |= {a["xlink:href"][1:] for _, a in parsed.elements if "#" in a.get("xlink:href", "")[:1]}
    assert used
    assert used <= set(ids)


def test_the_pictures_are_there(page):
    parsed = Page(page[0])
    drawn = [a for a in parsed.all("svg") if a.get("role") == "img"]
    assert len(drawn) == len(parsed.all("figcaption")) == 1 + MAPS + 2
    assert all(len(a["aria-label"]) > 10 for a in drawn)
    said = texts(page[0])
    for line, target in PAIRS[:2] + PAIRS[2:3] + PAIRS[4:5]:  # two mistakes, and others
        (read,) = trained().reader.read([line])
        verdict = "right" if read == target else f"wrong: it should be {target}"
        assert f"“{line}” read as {read} ({verdict})." in said


def test_it_opens_with_three_examples_before_any_number(page):
    said = texts(page[0]).partition("</style>")[2] or texts(page[0])
    opening = said[: said.index("held-out")]
    assert re.findall(r"abc cba ✓ right d d ✓ right ab b b ✗ wrong : it should be ba", opening)
    assert not re.search(r"\d", opening[opening.index("reads") :].removesuffix("of 6 "))


def test_the_numbers_are_right(page):
    said = texts(page[0])
    assert "of 6 held-out examples read exactly 66.7%" in said
    assert "loss on them, nats a symbol 0.25 perplexity on them 1.284" in said
    assert "On the 6 held-out examples it is 0.25: a perplexity of 1.284, " in said
    assert "steps 150" in said
    assert "seconds of training 61" in said
    assert "MB of memory while training 123" in said
    parameters = sum(a.size for a in trained().model.state_dict().values())
    assert f"parameters {parameters:,}" in said
    first, *_, before, one, last = (point.loss for point in trained().curve)
    mean = (before + one + last) / 3  # of 150, as the curve has it: one batch says little
    assert f"from {first:.3g} to {mean:.3g}, the mean of the last 3 of 150 batches" in said


def test_mistakes_and_only_mistakes_are_listed(page):
    table = re.search(r"What it gets wrong.*?</table>", page[0], re.DOTALL).group()
    rows = re.findall(r"<tr>(.*?)</tr>", table)[1:]
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    nothing = '<span class="soft">nothing</span>'
    assert cells == [["ab", "ba", "b<mark>b</mark>"], ["bcd", "dcb", nothing]]


@pytest.mark.parametrize(
    ("written", "target", "shown"),
    [
        ("2005", "2005", "2005"),
        ("2050", "2005", "20<mark>50</mark>"),
        ("3005", "2006", "<mark>3</mark>00<mark>5</mark>"),
        ("20051", "2005", "2005<mark>1</mark>"),
        ("200", "2005", "200"),
        ("<i>", "<b>", "&lt;<mark>i</mark>&gt;"),
    ],
)
def test_what_is_out_of_place_is_marked(written, target, shown):
    assert compared(written, target) == shown


@pytest.mark.slow
def test_a_model_without_mistakes():
    right = [target for _, target in PAIRS]
    text, _ = paged(trained(), PAIRS, right, 1.0, None)
    assert "Nothing, of 6 examples." in text
    assert "100.0%" in text
    assert "MB of memory" not in text


def test_a_model_that_never_learned(monkeypatch):
    without_plots(monkeypatch)
    without_graphviz(monkeypatch)
    sizes = Sizes(7, 7, width=8, heads=2, feed_forward=8)
    run = Training(Toy(), sizes, Settings(steps=0))
    text, _ = paged(run, PAIRS * 20, ["x"] * 120, 1.0, 99)
    said = texts(text)
    assert "no step was taken" in said
    assert "120 of 120 examples, of which these are the first 20:" in said
    assert text.count("<mark>x</mark>") == 3 + 20


@pytest.mark.slow
def test_a_decoder_alone_has_its_attention_shown():
    """It has no source to look at: each head looks at all that stands before."""
    pytest.importorskip("matplotlib")
    sizes = DecoderSizes(symbols=len(Toy.source), width=8, heads=2, feed_forward=8)
    run = Training(Toy(), sizes, Settings(steps=0), kind="decoder")
    text = "".join(Page(paged(run, PAIRS, WRITTEN, 1.0, None)[0]).text)
    assert "Where it looks" in text
    assert "all that was there before" in text
    assert "One attention head" not in text


def test_a_text_has_no_readings_and_says_how_well_its_symbols_are_predicted(tmp_path):
    (tmp_path / "text").write_text("to be or not to be that is the question " * 9)
    task = make("text", 0, str(tmp_path / "text"), window=8)
    sizes = DecoderSizes(len(task.vocabulary), width=8, heads=2, feed_forward=8)
    run = Training(task, sizes, Settings(steps=1, batch=4), kind="text")
    run.fit()
    result = examined(run, task.held_out(3))
    said = texts(report.page(run, result, 1.0, 99)[0])
    assert f"of the symbols in 3 held-out windows predicted {result.accuracy:.1%}" in said
    assert f"loss on them, nats a symbol {result.loss:.3g} perplexity on them" in said
    assert "What it gets wrong" not in said
    if find_spec("matplotlib"):
        assert "Right: the share of symbols in held-out windows that the model predicts." in said


def test_the_step_that_is_shown_is_one_of_the_model(page):
    """The weights in the table are those that the whole model gave, of the head it names."""
    from minitransformer.training.decoding import cross_attention

    said = texts(page[0])
    head, line, given, symbol = re.search(
        r"Head (\d+) of .* reads “(\w+)”, has been given (\S+), and is to write “(.*?)”",
        said,
    ).groups()
    assert line == "ab"  # the shorter of those it got wrong
    reader = trained().reader
    target = reader.target.batch(["ba"], end=True)
    t = 0 if given == "nothing" else len(given.strip("“”"))
    assert symbol == reader.target.tokens(target[0])[t]
    weights = cross_attention(reader.model, reader.encode([line]), target)[0][0, int(head) - 1, t]
    table = re.search(r"gradient by the score.*?</table>", page[0], re.DOTALL).group()
    shown = re.findall(r'class="here">(.)</mark>.*?</td><td>.*?</td><td>(.*?)%</td>', table)
    assert dict(shown) == {s: f"{100 * w:.1f}" for s, w in zip(line, weights)}


@pytest.mark.slow
def test_the_same_run_makes_the_same_page_and_is_not_changed_by_it(page):
    before = {name: a.tobytes() for name, a in trained().model.state_dict().items()}
    assert paged(trained(), PAIRS, WRITTEN, 61.4, 123) == page
    assert before == {name: a.tobytes() for name, a in trained().model.state_dict().items()}


@pytest.mark.slow
def test_every_text_is_shown_as_text():
    text = hostile()
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "<b>" not in text
    said = texts(text)
    assert SCRIPT in said
    assert "$\\frac" in said


# --- without the extras ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "figures", "said"),
    [
        (
            [without_plots],
            2,
            "left out of the report: the curve, the attention maps (no matplotlib); ",
        ),
        (
            [without_graphviz],
            1 + MAPS,
            "left out of the report: the model by modules, an attention head (no Graphviz); ",
        ),
        (
            [without_plots, without_graphviz],
            0,
            "left out of the report: the curve, the attention maps (no matplotlib) and the model "
            "by modules, an attention head (no Graphviz); ",
        ),
    ],
)
def test_without_a_package_the_report_says_what_it_leaves_out(monkeypatch, missing, figures, said):
    for package in ("matplotlib", "pygraphviz"):
        pytest.importorskip(package)
    for leave_out in missing:
        leave_out(monkeypatch)
    text, left_out = paged(trained(), PAIRS, WRITTEN, 1.0, 99)
    assert left_out == said + 'pip install -e ".[course]" brings what they need'
    assert left_out in texts(text)
    assert len(Page(text).all("figure")) == figures
    assert "MultiHeadAttention" in text  # the model and the head as text are there all the same
    assert "np.exp" in text


# --- in a browser ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("which", [pytest.param("page", marks=pytest.mark.slow), "hostile"])
def test_in_a_browser(browser, page, tmp_path, which, dark):
    file = tmp_path / "report.html"
    file.write_text(page[0] if which == "page" else hostile(), encoding="utf-8")
    browser.open(file, dark=dark)
    assert browser.messages() == []
    assert [url for url in browser.requests() if not url.startswith("data:")] == [file.as_uri()]
    assert browser.ask("count", "script") == 0
    sizes = browser.ask("pictures")
    assert len(sizes) == (which == "page") + MAPS + 2  # no curve where nothing was learned
    assert all(width > 100 and height > 100 and words > 3 for width, height, words in sizes)
    assert not browser.ask("overflows")
    lightness = browser.ask("lightness")
    assert (lightness[0] > lightness[1]) == dark
