"""The sentences of a reading's page: their fields are filled, and each part gets one of its own."""

import string

import pytest
from pages import contents
from some_readers import KINDS, untrained

from minigrad.views.page.chapters import Purpose
from minitransformer.views import sentences
from minitransformer.views.explain import explain

FIELDS = {"line", "unit", "units", "wrote", "nth", "symbol", "before"}


def fields(template):
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def test_every_field_of_a_sentence_is_filled_and_none_is_idle():
    used = set().union(*(fields(p.title) | fields(p.about) for p in sentences.PURPOSES.values()))
    assert used == FIELDS
    assert fields(sentences.READING) == {"read", "heads", "attention"}
    filled = sentences.purposes("3 {may}", "letter", ["2", "0"])
    assert filled["source_embedding"].about.startswith("Each letter of “3 {may}” becomes a vector")
    assert "second symbol, “0”" in filled["decoder.*cross_attention*"].about


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_each_chapter_of_the_way_forward_asks_what_its_part_is_for(kind, tmp_path):
    page = contents(explain(untrained(kind), "cab", tmp_path / "page.html").read_text("utf-8"))
    forward = [c for c in page["chapters"] if not c["back"]]
    norm = sentences.PURPOSES["*norm"].about
    abouts = [c["about"] for c in forward if c["about"] != norm]
    assert all(c["title"].endswith("?") and c["part"] for c in forward)
    assert len(set(abouts)) == len(abouts), "two parts are told in one sentence"
    told = " ".join(abouts)
    told += " ".join(c["about"] for c in forward)
    kinds = {"Masked self-attention", "Feed-forward", "A norm", "The loss"}
    assert all(k in told for k in kinds | ({"Cross-attention"} if kind != "decoder" else set()))


def test_a_norm_alone_has_a_chapter_too():
    assert isinstance(sentences.PURPOSES["*norm"], Purpose)
    assert sentences.PURPOSES["*norm"].aside
