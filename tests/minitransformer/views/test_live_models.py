"""Models in a page: after changes, and with parts switched off, they give what the engine gives."""

import in_a_page
import numpy as np
import pytest
from in_a_page import as_array, as_text, close, packed, tape_of
from pages import contents

import minigrad as mg
import minitransformer as mt
from minigrad.functional import cross_entropy
from minigrad.ran.words import visible
from minigrad.views.page import switches
from minitransformer import tasks
from minitransformer.model import masks
from minitransformer.model.layer_norm import LayerNorm
from minitransformer.model.sizes import Sizes
from minitransformer.model.transformer import Transformer
from minitransformer.training.readers import Reader
from minitransformer.views import explain

SOURCE = np.array([[3, 4, 5, 6, 7], [3, 4, 0, 0, 0]])
TARGET = np.array([[1, 3, 4, 5], [1, 6, 0, 0]])
NEXT = np.array([[3, 4, 5, 2], [6, 2, 0, 0]])
SMALL = {"width": 8, "heads": 2, "feed_forward": 10, "encoder_layers": 1, "decoder_layers": 1}


@pytest.fixture(autouse=True)
def wide():
    mg.set_default_dtype(np.float64)
    yield
    mg.set_default_dtype(np.float32)


def model_of(**choices):
    mg.manual_seed(0)
    return Transformer(Sizes(9, 8, **SMALL, **choices))


def computed(model):
    model.zero_grad()
    with mg.record():
        loss = cross_entropy(model(SOURCE, TARGET), NEXT, ignore_index=0)
    loss.backward()
    return mg.graph(loss)


def agree(graph, made, found, model):
    """What a page found is the loss and the gradients of the model."""
    assert close(as_array(found[0], 0.0), graph[graph.roots[0]].value, 1, 1e-12)
    for (name, p), got in zip(model.named_parameters(), found[1:]):
        wanted = np.zeros(p.shape) if p.grad is None else p.grad.data
        assert close(as_array(got, wanted), wanted, 1, 1e-12), name


def slots_of(graph, made, model):
    numbers = {n.label.removeprefix("model."): n.number for n in graph.nodes}
    parameters = [numbers[name] for name, _ in model.named_parameters()]
    asked = [made.value_slots[graph.roots[0]], *(made.gradient_slots[n] for n in parameters)]
    return [made.value_slots[n] for n in parameters], asked


@pytest.mark.parametrize(
    "choices", [{}, {"norm": "pre", "activation": "gelu", "positions": "learned"}]
)
def test_an_encoder_decoder_after_random_changes(browser, tmp_path, choices):
    model = model_of(**choices)
    graph = computed(model)
    made = tape_of(graph, {n: i for some in switches.places(graph).values() for n, i in some})
    assert not made.fixed
    slots, asked = slots_of(graph, made, model)
    rng = np.random.default_rng(1)
    for p in model.parameters():
        p.copy_(p.data + 0.5 * rng.standard_normal(p.shape))
    to = [[slot, as_text(p.data)] for slot, p in zip(slots, model.parameters())]
    case = packed(made, to=to, asked=asked)
    (found,) = in_a_page.run(browser, tmp_path, [case], "return data.map(changed);")
    agree(computed(model), made, found, model)


def no_norm(monkeypatch):
    monkeypatch.setattr(LayerNorm, "forward", lambda self, x: x)


def no_mask(monkeypatch):
    monkeypatch.setattr(
        masks, "padding", lambda ids, pad=0: np.ones((len(ids), 1, 1, ids.shape[1]), bool)
    )
    monkeypatch.setattr(masks, "causal", lambda q, k=None: np.ones((q, k or q), bool))


def no_activation(monkeypatch):
    from minitransformer.model.feed_forward import FeedForward

    monkeypatch.setattr(FeedForward, "forward", lambda self, x: self.narrow(self.widen(x)))


# Each switch: what makes the same model without the part.
WITHOUT = {
    "mask": ({}, no_mask),
    "scaling": ({"score": "dot"}, None),
    "norm": ({}, no_norm),
    "activation": ({}, no_activation),
    "positions": ({"positions": "none"}, None),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WITHOUT)
def test_a_part_off_is_the_model_without_it(browser, tmp_path, monkeypatch, name):
    model = model_of()
    graph = computed(model)
    places = switches.places(graph)
    others = {"scaling", "residual", "norm", "activation", "positions"}
    assert set(places) == {"causal mask", "padding mask"} | others
    made = tape_of(graph, {n: i for some in places.values() for n, i in some})
    _, asked = slots_of(graph, made, model)
    off = [place for part, some in places.items() if part.endswith(name) for place in some]
    to = [[made.gates[n], as_text([0.0])] for n, _ in off]
    (found,) = in_a_page.run(
        browser, tmp_path, [packed(made, to=to, asked=asked)], "return data.map(changed);"
    )
    choices, without = WITHOUT[name]
    if without is not None:
        without(monkeypatch)
    other = model_of(**choices)
    for (_, a), (_, b) in zip(other.named_parameters(), model.named_parameters()):
        a.copy_(b.data)
    agree(computed(other), made, found, other)


@pytest.mark.parametrize(
    ("options", "hidden"),
    [({}, -np.inf), ({"phi": np.square}, 0), ({"score": mt.Additive(4)}, -np.inf)],
    ids=["softmax", "other weights", "additive"],
)
def test_the_mask_of_every_attention_has_a_switch(options, hidden):
    """Off, the scores go on as they are: whatever makes them positive, and however they are made."""
    q, k, v = (
        mg.Tensor(np.random.default_rng(n).random((3, 4)), requires_grad=True) for n in range(3)
    )
    mask = masks.causal(3)
    with mg.record():
        output, _ = mt.attention(q, k, v, mask, **options)
        loss = np.sum(output)
    graph = mg.graph(loss)
    ((masked, scores),) = switches.places(graph)["causal mask"]
    expected = np.where(mask, graph[scores].value, hidden)
    np.testing.assert_array_equal(graph[masked].value, expected)
    assert np.isfinite(graph[scores].value).all()


def test_rotary_positions_have_a_switch():
    places = switches.places(computed(model_of(positions="rotary")))
    assert len(places["positions"]) == 4  # queries and keys of both self-attentions


@pytest.mark.slow
def test_the_page_of_a_date_is_small_and_computes(tmp_path):
    pytest.importorskip("pygraphviz")
    mg.set_default_dtype(np.float32)
    mg.manual_seed(0)
    task = tasks.make("dates")
    symbols = Reader.symbols(task.source, task.target)
    reader = Reader.of(task, Sizes(**symbols, encoder_layers=1, decoder_layers=1))
    text = explain.explain(reader, "3rd of march 1998", tmp_path / "page.html").read_text("utf-8")
    assert len(text.encode()) < 3_000_000
    page = contents(text)
    live = page["live"]
    assert live.get("frozen") is None
    assert live["fixed"] == {}
    labels = {live["value"][str(n["n"])]: n["label"] for n in page["nodes"] if n["label"]}
    names = {labels[int(slot)]: live["vocabularies"][pick["vocabulary"]]
             for slot, pick in live["picks"].items()
             if int(slot) in labels}  # fmt: skip
    assert names == {
        label: [*map(visible, vocabulary.tokens(range(len(vocabulary))))]
        for label, vocabulary in (("tokens", reader.source), ("ids", reader.writes))
    }
