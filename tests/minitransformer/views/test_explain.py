"""The page of one reading: what it tells is what the model did, and it is small and quick."""

import itertools
from html.parser import HTMLParser

import numpy as np
import pytest
from extras import without_graphviz
from pages import contents
from some_readers import KINDS, untrained

import minigrad as mg
from minigrad.views.page import replay
from minitransformer import Settings, Sizes, Training, masks
from minitransformer.__main__ import main
from minitransformer.model.sizes import DecoderSizes
from minitransformer.tasks import make
from minitransformer.training.decoding import Writing, distribution
from minitransformer.training.readers import READERS
from minitransformer.training.vocabulary import BOS, EOS
from minitransformer.views.explain import explain, reading_of, section


class Text(HTMLParser):
    """The text of a piece of HTML, and whether every element is closed."""

    def __init__(self, source):
        super().__init__()
        self.open, self.found = [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.found.append(data)


@pytest.fixture(autouse=True)
def _quick(request, monkeypatch):
    """Without drawings and checks, except in a browser: they are tested elsewhere."""
    if "browser" not in request.fixturenames:
        monkeypatch.setattr(replay, "checks", lambda graph: {})
        without_graphviz(monkeypatch)


@pytest.mark.parametrize("kind", KINDS)
def test_the_steps_are_those_of_writing(kind):
    """The probabilities are those from which the model, writing by itself, chose each symbol."""
    reader = untrained(kind)
    given = reader.encode(["abc"])
    written = reader.write(given)
    said = reading_of(reader, "abc", given, written)
    assert len(set(written[0].tolist())) > 1
    state, new = Writing.begin(reader.model, given, True)
    for t in range(written.shape[1]):
        p = distribution(state.scores(new))[0]
        np.testing.assert_allclose(said.p[t], p, atol=1e-6)
        assert np.argmax(said.p[t]) == written[0, t]
        new = written[:, t : t + 1]
    assert said.symbols == reader.writes.tokens(written[0])
    assert said.p[:, BOS].tolist() == [0] * written.shape[1]


@pytest.mark.parametrize("kind", KINDS)
def test_where_it_looked(kind):
    """Rows of weights sum to one over what there was to look at by then."""
    reader = untrained(kind, layers=2)
    given = reader.encode(["abc"])
    written = reader.write(given)
    said = reading_of(reader, "abc", given, written)
    T = written.shape[1]
    assert len(said.weights) == 2
    for weights in said.weights:
        assert weights.shape == (2, T, len(said.looked_at))
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
    if kind == "decoder":
        assert said.looked_at == [*"abc", "<bos>", *reader.writes.tokens(written[0][:-1])]
        later = masks.causal(4 + T - 1)[-T:]
        assert np.all(said.weights[0][:, ~later.reshape(T, -1)] == 0)
        assert said.weights[0][:, 0, 1:].any()  # the first step has read the line before it
    else:
        assert said.looked_at == list("abc")


KINDS_OF_ATTENTION = {
    "encoder.self_attention": "self-attention",
    "decoder.self_attention": "masked self-attention",
    "decoder.cross_attention": "cross-attention",
    "stack.self_attention": "masked self-attention",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_attention_has_its_tokens(kind, tmp_path):
    reader = untrained(kind, layers=2)
    page = contents(explain(reader, "cab", tmp_path / "page.html").read_text(encoding="utf-8"))
    given = reader.encode(["cab"])
    written = reader.write(given)
    inputs = reader.inputs(given, written)
    target = reader.writes.tokens(inputs[-1][0])
    kinds = {
        m["place"].split(".")[0] + "." + m["place"].split(".")[-1]: m["kind"] for m in page["maps"]
    }
    assert kinds == {place: k for place, k in KINDS_OF_ATTENTION.items() if place in kinds}
    found = {m["place"]: m["tokens"] for m in page["maps"]}
    if kind == "decoder":
        paths = [f"stack.layers.{i}.self_attention" for i in range(2)]
        assert found == {path: [target, target] for path in paths}
        return
    source = list("cab")
    for i in range(2):
        assert found.pop(f"encoder.layers.{i}.self_attention") == [source, source]
        assert found.pop(f"decoder.layers.{i}.self_attention") == [target, target]
        assert found.pop(f"decoder.layers.{i}.cross_attention") == [target, source]
    assert not found


@pytest.mark.slow
def test_the_loss_is_that_of_the_models_own_words(tmp_path):
    reader = untrained()
    page = contents(explain(reader, "abc", tmp_path / "page.html").read_text(encoding="utf-8"))
    given = reader.encode(["abc"])
    written = reader.write(given)
    said = reading_of(reader, "abc", given, written)
    with mg.no_grad():
        logits = reader.model(*reader.inputs(given, written)).numpy()[0]
    p = np.exp(logits - logits.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    expected = -np.mean(np.log(p[np.arange(len(p)), written[0]]))
    root = page["nodes"][page["roots"][0]]
    assert page["arrays"][root["value"]]["v"][0] == pytest.approx(expected, rel=1e-4)
    assert page["title"] == f"“abc” read as “{said.written}”"
    letters = (n["letters"] for n in page["nodes"] if n["kind"] == "operation")
    assert [*itertools.islice(letters, 1)] == [["B", "S"]]  # of the mask of padding
    assert next(some for some in letters if len(some) == 3) == ["B", "S", "D"]
    assert all(n["check"][3] or n["check"][4] for n in page["nodes"] if "check" in n)


@pytest.mark.parametrize("kind", KINDS)
def test_the_section_tells_each_step(kind):
    reader = untrained(kind)
    given = reader.encode(["abc"])
    written = reader.write(given)
    said = reading_of(reader, "abc", given, written)
    source = section(said)
    text = " ".join(" ".join(Text(source).found).split())
    assert source.count("<li>") == len(said.symbols)
    assert source.count('class="look"') == 2 * len(said.symbols)
    top = np.argmax(said.weights[0][0, 0])
    share = f"{100 * said.weights[0][0, 0, top]:.1f}%"
    seen = said.looked_at[:4] if kind == "decoder" else said.looked_at  # of itself nothing yet
    assert f"head 1 {' '.join(t if t != '<bos>' else 'start' for t in seen)} " in text
    assert share in text
    assert f"{100 * said.p[0].max():.1f}%" in text


def test_many_heads_are_put_away():
    reader = untrained(layers=5)
    given = reader.encode(["abc"])
    written = reader.write(given)
    source = section(reading_of(reader, "abc", given, written))
    Text(source)
    assert source.count("<details>") == written.shape[1]
    assert source.count('class="look"') == 5 * 2 * written.shape[1]


@pytest.mark.slow
def test_a_model_that_writes_nothing(tmp_path):
    reader = untrained()
    reader.model.unembedding.bias.copy_(np.where(np.arange(7) == EOS, 50.0, 0.0).astype("f4"))
    page = explain(reader, "abc", tmp_path / "page.html").read_text(encoding="utf-8")
    assert contents(page)["title"] == "“abc” read as “”"


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture(
    scope="module", params=["encoder-decoder", pytest.param("decoder", marks=pytest.mark.slow)]
)
def run(request, tmp_path_factory):
    """The folder of a short run on dates."""
    folder = tmp_path_factory.mktemp("run")
    training = Training(
        make("dates", 0),
        (Sizes if request.param == "encoder-decoder" else DecoderSizes)(
            **_symbols(request.param), width=16, heads=2, feed_forward=16
        ),
        Settings(steps=1, batch=2, warmup=1),
        kind=request.param,
    )
    training.save(folder / "checkpoint.npz")
    return folder


def _symbols(kind):
    task = make("dates", 0)
    return READERS[kind].symbols(task.source, task.target)


@pytest.mark.slow
def test_the_command_writes_the_page(run, capsys):
    assert main(["explain", str(run), "3rd of march 1998"]) == 0
    assert capsys.readouterr().out == f"{run / 'explain.html'}\n"
    text = (run / "explain.html").read_text(encoding="utf-8")
    assert "3rd of march 1998" in contents(text)["title"]
    other = run / "other.html"
    assert (
        main(["explain", str(run / "checkpoint.npz"), "3rd of march 1998", "--out", str(other)])
        == 0
    )
    assert other.read_bytes() == (run / "explain.html").read_bytes()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "has no characters"),
        ("日", "unknown character '日'"),
        ("1" * 400, "the model reads at most"),
    ],
)
def test_the_command_refuses_bad_lines(run, capsys, line, said):
    page = run / "refused.html"
    assert main(["explain", str(run), line, "--out", str(page)]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert not page.exists()


def test_the_command_refuses_bad_places(run, capsys):
    assert main(["explain", str(run / "nowhere"), "x"]) == 2
    assert "there is no checkpoint" in capsys.readouterr().err
    assert main(["explain", str(run), "3 march 1998", "--out", str(run / "no" / "page.html")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# --- the dates model, in a browser ----------------------------------------------------------------


@pytest.mark.slow
def test_the_page_of_a_dates_model_is_small_and_goes_through_all_steps(browser, tmp_path):
    """Of the size that is trained by default: under 1.6 MB, as it computes all but its leaves."""
    pytest.importorskip("pygraphviz")
    task = make("dates", 0)
    sizes = Sizes(len(task.source), len(task.target))
    reader = Training(task, sizes, Settings(steps=0)).reader
    page = explain(reader, "3rd of march 1998", tmp_path / "page.html")
    assert page.stat().st_size < 1_600_000
    browser.open(page)
    assert browser.ask("stepped") > 300
    assert browser.run(
        "const line = document.getElementById('time'); return line.value === line.max"
    )
    assert browser.messages() == []
    assert {url for url in browser.requests() if not url.startswith("data:")} == {page.as_uri()}


@pytest.mark.slow
def test_the_reading_in_the_browser(browser, tmp_path):
    pytest.importorskip("pygraphviz")
    reader = untrained(layers=2)
    browser.open(explain(reader, "cab", tmp_path / "page.html"))
    assert browser.ask("texts", "#tab-buttons button") == [
        "Reading",
        "Drawing",
        "Attention",
        "Table",
    ]
    assert browser.run("return document.querySelector('.tab.extra').checkVisibility()")
    steps = browser.ask("count", ".writing > li")
    assert steps == reader.write(reader.encode(["cab"])).shape[1]
    browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}))")
    assert browser.run("return document.getElementById('drawing').checkVisibility()")
    browser.ask("click", "#tab-buttons button", 2)
    assert browser.ask("count", ".heads canvas") == 2 * 3 * 2  # layers, attentions, heads
    assert browser.messages() == []
