"""Snapshots of a run: the model's reading of one line after some of the steps, to be played on a page.

A snapshot has the loss of the reading, the probability of every symbol at each place, where each head
looks, and the size of the gradient of each module; never parameters. All together take 200 kB at most.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import minigrad as mg
from minigrad import errors
from minigrad.system import disk

from .chances import chances
from .line_reader import LineReader, Pair
from .parts import mean_loss

MOST_CHARACTERS = 190_000  # characters of the file


@dataclass
class Snapshots:
    """The snapshots of a run.

    Attributes:
        pair: the line that is read, and the line that is right to write.
        due: the steps after which a snapshot is taken, 0 for the untrained model.
        taken: each as data: its `step`, the `loss`, `p` (T, N) and `weights` of each attention
            (H, T, S) as bytes, and the `norms` of gradients by module.
        about: data that all of them share: the symbols that are written, the attentions, the modules.
    """

    pair: Pair
    due: list[int]
    taken: list[dict[str, Any]] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def planned(cls, reader: LineReader, pair: object, count: int, last: int) -> Snapshots:
        """A plan for `count` snapshots of a run of `last` steps; most are early, where most changes.

        Raises:
            ConfigError: if the examples are no pairs of lines.
        """
        if not isinstance(pair, tuple):
            raise errors.ConfigError("snapshots are of a line and what is right to write for it")
        due = {round(last * (i / max(1, count - 1)) ** 2) for i in range(count)}
        return cls(pair, sorted(due), about=_about(reader, pair, count))

    def after_step(self, reader: LineReader, step: int) -> None:
        """Take a snapshot if one is due after this step.

        The model has its gradients as before then, and is in evaluation mode.
        """
        if step in self.due and step not in [one["step"] for one in self.taken]:
            self.taken.append(
                {"step": step, **_reading(reader, self.pair, self.about["attentions"])}
            )

    def save(self, path: Path) -> None:
        """Write the file."""
        about = {"pair": list(self.pair), "due": self.due, **self.about, "taken": self.taken}
        text = json.dumps(about, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        disk.write_whole(path, lambda file: file.write(text.encode()))

    @classmethod
    def load(cls, path: Path) -> Snapshots:
        """Read the file of a run."""
        about = json.loads(path.read_text(encoding="utf-8"))
        pair, due, taken = (about.pop(name) for name in ("pair", "due", "taken"))
        return cls((pair[0], pair[1]), due, taken, about)

    def as_data(self) -> Mapping[str, Any]:
        """Everything, as data for a page."""
        return {"pair": list(self.pair), **self.about, "taken": self.taken}


def _sides(reader: LineReader, pair: Pair) -> tuple[list[np.ndarray], np.ndarray]:
    """The ids that the model reads, and those (1, T) that it is to write."""
    wanted = np.array([reader.writes.encode(pair[1], end=True)])  # (1, T)
    return reader.inputs(reader.encode([pair[0]]), wanted), wanted


def _about(reader: LineReader, pair: Pair, count: int) -> dict[str, Any]:
    inputs, wanted = _sides(reader, pair)
    T, N = wanted.shape[1], len(reader.writes)
    vocabularies = [reader.source, reader.writes][-len(inputs) :]
    read = [v.tokens(ids[0]) for v, ids in zip(vocabularies, inputs)]
    found = []
    for kind, layer, weights in _attentions(reader, inputs):
        H, rows, columns = weights.shape
        sides = {"encoder": (0, 0), "decoder": (-1, -1), "cross": (-1, 0)}[kind]
        name = "self-attention" if kind == "encoder" else "cross-attention"
        name = "masked self-attention" if kind == "decoder" else name
        rows, columns = (read[side] for side in sides)
        about = {"kind": kind, "layer": layer, "name": name}
        found.append({**about, "rows": rows, "columns": columns, "heads": H})
    room = MOST_CHARACTERS - count * (200 + 12 * len(_modules(reader)) + 4 * T * N // 3)
    return {
        "written": reader.writes.tokens(wanted[0]), "names": reader.writes.tokens(range(N)),
        "modules": list(_modules(reader)), "attentions": _fitting(found, count, room),
    }  # fmt: skip


def _fitting(found: list[dict[str, Any]], count: int, room: int) -> list[dict[str, Any]]:
    """The attentions that fit, in `count` snapshots, into `room` characters: cross-attention first, and
    the last layers."""
    sizes = [4 * count * a["heads"] * len(a["rows"]) * len(a["columns"]) // 3 for a in found]
    order = sorted(
        range(len(found)), key=lambda i: (found[i]["kind"] != "cross", -found[i]["layer"])
    )
    kept: list[int] = []
    for i in order:
        if sum(sizes[k] for k in [*kept, i]) <= room:
            kept.append(i)
    return [found[i] for i in sorted(kept)]


def _attentions(reader: LineReader, inputs: list[np.ndarray]) -> list[tuple[str, int, np.ndarray]]:
    """Compute the weights (H, T, S) of each attention, with its kind and its layer, from 1."""
    with mg.no_grad():
        read = [[str(i) for i in ids[0]] for ids in inputs]
        said = reader.model.eval().attention_weights(*inputs, *read)
    kinds = {"encoder": said.encoder, "decoder": said.decoder, "cross": said.cross}
    return [
        (kind, i, weights.numpy()[0])
        for kind, some in kinds.items()
        for i, weights in enumerate(some or (), 1)
    ]


def _reading(reader: LineReader, pair: Pair, kept: list[dict[str, Any]]) -> dict[str, Any]:
    inputs, wanted = _sides(reader, pair)
    parameters = dict(reader.model.eval().named_parameters())
    before = {name: p.grad for name, p in parameters.items()}
    for p in parameters.values():
        p.grad = None
    loss = mean_loss(reader, [pair], 0.0)
    loss.backward()
    norms = {
        module: math.sqrt(
            sum(float(np.sum(np.square(parameters[n].grad.numpy(), dtype=float))) for n in names)
        )
        for module, names in _modules(reader).items()
    }
    for name, p in parameters.items():
        p.grad = before[name]
    p = chances(reader.model, inputs, wanted.shape[1])  # (T, N)
    places = {(a["kind"], a["layer"]) for a in kept}
    weights = [w for kind, layer, w in _attentions(reader, inputs) if (kind, layer) in places]
    return {
        "loss": float(f"{loss.item():.4g}"), "p": _bytes(p), "weights": [_bytes(w) for w in weights],
        "norms": [float(f"{norm:.3g}") for norm in norms.values()],
    }  # fmt: skip


def _modules(reader: LineReader) -> dict[str, list[str]]:
    """The names of the parameters of each part of a layer, and of each module outside the layers."""
    found: dict[str, list[str]] = {}
    for name, _ in reader.model.named_parameters():
        parts = name.split(".")
        path = parts[: 4 if "layers" in parts else 1]
        found.setdefault(".".join(path), []).append(name)
    return found


def _bytes(shares: np.ndarray) -> str:
    """Shares from 0 to 1 as bytes of 255 levels, in base64."""
    return base64.b64encode(np.rint(255 * shares).astype(np.uint8).tobytes()).decode()
