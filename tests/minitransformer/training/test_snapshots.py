"""Snapshots of a run: they change no bit of it, are small, and say what the model does at that step."""

import base64
import json

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors
from minitransformer import Settings, Sizes, Training
from minitransformer.__main__ import main
from minitransformer.tasks import make
from minitransformer.training.snapshots import Snapshots


def run_of(task="copy", steps=6, **sizes):
    mg.manual_seed(0)
    task = make(task, 0)
    symbols = {"source_symbols": len(task.source), "target_symbols": len(task.target)}
    small = {"width": 16, "heads": 2, "feed_forward": 16, "encoder_layers": 1, "decoder_layers": 1}
    return Training(task, Sizes(**small | symbols | sizes), Settings(steps=steps, batch=4))


def trained(count):
    run = run_of()
    kept = Snapshots.planned(run.reader, run.task.held_out(1)[0], count, 6) if count else None
    if kept:
        kept.after_step(run.reader, 0)
    run.fit(lambda run: kept and kept.after_step(run.reader, run.steps_done))
    return run, kept


@pytest.mark.slow
def test_they_change_no_bit_of_a_run():
    (with_them, kept), (without, _) = trained(4), trained(0)
    assert [one["step"] for one in kept.taken] == kept.due == [0, 1, 3, 6]
    for p, q in zip(with_them.model.parameters(), without.model.parameters()):
        assert np.array_equal(p.data, q.data)


@pytest.mark.slow
def test_the_last_one_is_what_the_model_gives():
    run, kept = trained(2)
    line, wanted = kept.pair
    one, about = kept.taken[-1], kept.about
    assert one["loss"] == pytest.approx(run.held_out_loss([kept.pair]), rel=1e-3)
    N = len(about["names"])
    p = np.frombuffer(base64.b64decode(one["p"]), np.uint8).reshape(-1, N) / 255
    never = [about["names"].index(symbol) for symbol in ("<pad>", "<bos>")]
    assert not p[:, never].any()  # what is never written is not what it finds likeliest
    right = [about["names"].index(symbol) for symbol in about["written"]]
    found = -np.mean(np.log(np.maximum(p[range(len(right)), right], 1e-6)))
    assert found == pytest.approx(one["loss"], abs=0.1)
    assert [a["name"] for a in about["attentions"]] == [
        "self-attention", "masked self-attention", "cross-attention",
    ]  # fmt: skip
    for a, weights in zip(about["attentions"], one["weights"]):
        shape = a["heads"], len(a["rows"]), len(a["columns"])
        shares = np.frombuffer(base64.b64decode(weights), np.uint8).reshape(shape) / 255
        assert np.allclose(shares.sum(-1), 1, atol=0.05)
        assert a["rows"] == (list(line) if a["kind"] == "encoder" else ["<bos>", *wanted])
    run.model.zero_grad()
    run.loss([kept.pair]).backward()
    unembedding = [
        p.grad.data for n, p in run.model.named_parameters() if n.startswith("unembedding")
    ]
    norm = np.sqrt(sum(np.sum(g**2) for g in unembedding))
    assert one["norms"][about["modules"].index("unembedding")] == pytest.approx(norm, rel=1e-2)


@pytest.mark.slow
def test_of_a_large_model_those_that_fit_are_kept(tmp_path):
    run = run_of("dates", encoder_layers=6, decoder_layers=6, heads=8)
    kept = Snapshots.planned(run.reader, run.task.held_out(1)[0], 20, 100)
    for step in kept.due:
        kept.after_step(run.reader, step)
    kept.save(tmp_path / "snapshots.json")
    assert 20_000 < (tmp_path / "snapshots.json").stat().st_size <= 200_000
    assert ("cross", 6) in {(a["kind"], a["layer"]) for a in kept.about["attentions"]}
    again = Snapshots.load(tmp_path / "snapshots.json")
    assert json.dumps(again.as_data()) == json.dumps(kept.as_data())


def test_a_text_has_none():
    with pytest.raises(errors.ConfigError, match="a line and what is right to write"):
        Snapshots.planned(run_of().reader, "a window of text", 4, 10)


@pytest.mark.slow
def test_a_run_keeps_them_and_its_page_plays_them(tmp_path, browser):
    out = tmp_path / "run"
    options = "--steps 6 --batch 4 --width 16 --heads 2 --feed-forward 16 --out"
    assert main(["train", "copy", *options.split(), str(out), "--snapshots", "3"]) == 0
    assert main(["explain", str(out), "abc", "--out", str(tmp_path / "page.html")]) == 0
    browser.open(tmp_path / "page.html")
    browser.ask("clickOn", "[role=tab]", "Training")
    said = "return document.querySelector('#over-time .said').textContent"
    assert browser.run(said).startswith("After 6 steps")
    browser.run(
        "const t = document.querySelector('#over-time .time'); t.value = 0;"
        "t.dispatchEvent(new Event('input'))"
    )
    assert browser.run(said).startswith("After 0 steps")
    assert browser.ask("count", ".over-time-map") == 2
    assert browser.messages() == []
    assert main(["train", "copy", *options.split(), str(out), "--replace"]) == 0
    assert not (out / "snapshots.json").exists()
