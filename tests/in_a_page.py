"""Tapes run by the interpreter of the pages, in a real engine of JavaScript."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from minigrad.views import explorer

RUNNING = """
const text = (array) => { const raw = new Uint8Array(Float64Array.from(array).buffer);
  let s = ""; for (const b of raw) s += String.fromCharCode(b); return btoa(s); };
const floats = (text) => new Float64Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const typed = (one, slot, numbers) => ARRAYS[one.kinds[one.slots[slot]][0]].from(numbers);
const held = (one, slot, of = (v) => v) => [slot, typed(one, slot, floats(one.values[slot]).map(of))];
const started = (one) => interpreter(one, one.data.map((slot) => held(one, slot)));
function called(one, call, sizes) { // one call of it, on NumPy's own numbers, or on their sizes
  const [name, out, reads, ...params] = call, names = [...one.names, "add"];
  const added = sizes && ["subtract", "logaddexp", "logaddexp2"].includes(one.names[name]);
  const alone = { ...one, names, calls: [[added ? names.length - 1 : name, out, reads, ...params]] };
  const given = reads.map((slot) => held(one, slot, sizes ? Math.abs : undefined));
  return text(interpreter(alone, given).slots[out].array);
}
const both = (one, call) => [false, true].map((sizes) => called(one, call, sizes));
function changed(one) { // other numbers for some slots; what is asked for then
  const machine = started(one);
  for (const [slot, numbers] of one.to) machine.change(slot, floats(numbers));
  machine.update();
  return one.asked.map((slot) => text(machine.slots[slot].array));
}
function descended(one) { // steps of gradient descent: pairs of slots, a rate, how many
  const machine = started(one), losses = [];
  for (let i = 0; i <= one.steps; i++) {
    losses.push(machine.slots[one.loss].array[0]);
    const numbers = (slot) => machine.slots[slot].array;
    const next = one.learners.map(([p, g]) => [p, descent(numbers(p), numbers(g), one.rate)]);
    if (i === one.steps) break;
    for (const [p, numbers] of next) machine.change(p, numbers);
    machine.update();
  }
  return [losses, ...one.learners.map(([p]) => text(machine.slots[p].array))];
}
"""


def run(browser: Any, folder: Any, data: Any, script: str) -> Any:
    """What a script makes of `data`, in a page that has the interpreter and the functions above."""
    code = (explorer.HERE / "interpreter.js").read_text(encoding="utf-8")
    file = folder / "interpreter.html"
    file.write_text(
        f"<meta charset=utf-8><script>{code}\n{RUNNING}\nconst data = {json.dumps(data)};</script>",
        encoding="utf-8",
    )
    browser.open(file)
    found = browser.run(script)
    assert browser.messages() == []
    return found


def as_text(array: Any) -> str:
    return base64.b64encode(np.asarray(array).astype(float).tobytes()).decode()


def as_array(text: str, like: Any) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text)).reshape(np.shape(like))


def packed(made: Any, **more: Any) -> dict[str, Any]:
    """A tape as a page has it, with the array of every slot."""
    return (
        made.packed() | {"data": list(made.data), "values": list(map(as_text, made.values))} | more
    )


def close(found: np.ndarray, wanted: Any, size: Any, error: float) -> bool:
    """Whether an array is another one, as far as numbers of a certain size can be added."""
    wanted = np.asarray(wanted, float)
    with np.errstate(all="ignore"):
        near = np.abs(found - wanted) <= error * np.asarray(size)
    return bool(np.all(near | (found == wanted) | (np.isnan(found) & np.isnan(wanted))))
