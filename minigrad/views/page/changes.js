// --- the changes that the reader made, and undoing them -----------------------------------------------

import { filled, WORDS } from "./words.js";
import { keepFocus, say } from "./dom.js";
import { render, tell } from "./events.js";
import * as Live from "./live.js";

// A change has the numbers `before` it and `after` it, for each slot that it changed.
const past = [],
  future = [];
const MOST_CHANGES = 300,
  MOST_BYTES = 1e8; // if there are more, the oldest changes are forgotten

// Give slots new numbers (`changes`: slot -> numbers), and remember the old ones. `name` names the change.
// Changes of the same `gesture`, in a row, are undone together.
function change(name, changes, gesture = null) {
  const last = past.at(-1);
  const slots = [...changes.keys()];
  if (gesture !== null && last?.gesture === gesture && slots.every((slot) => last.before.has(slot)))
    last.name = name;
  else {
    const before = numbersOf(slots);
    const bytes = 2 * sum([...before.values()].map((numbers) => numbers.byteLength));
    past.push({ name, gesture, before, after: null, bytes });
    while (past.length > 1 && (past.length > MOST_CHANGES || sum(past.map((one) => one.bytes)) > MOST_BYTES))
      past.shift();
  }
  future.length = 0;
  Live.setNumbers(changes);
  past.at(-1).after = numbersOf(past.at(-1).before.keys());
  tell("changes");
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
// slot -> a copy of its numbers of now.
const numbersOf = (slots) => new Map([...slots].map((slot) => [slot, Live.arrayOf(slot).slice()]));

// Move the last change of one list to the other: its slots get their numbers `before` or `after` it.
function travel(from, to, side) {
  const step = from.pop();
  if (!step) return;
  tell("undo");
  to.push(step);
  Live.setNumbers(step[side]);
  keepFocus(render);
  tell("changes");
  say(filled(WORDS.travelled[side], { name: step.name, loss: Live.lossText() }));
}

// Undo the last change; do the change again that was undone last.
const undo = () => travel(past, future, "before");
const redo = () => travel(future, past, "after");

// Give all slots their first numbers. This is a change like any other, and can be undone.
function undoAll() {
  const changed = [...Live.tape.leaves, ...Live.tape.filled, ...Live.tape.held]
    .map(({ slot }) => slot)
    .filter((slot) => Live.changedSlots.has(slot));
  if (!changed.length) return;
  tell("undo");
  change("all as it was written", new Map(changed.map((slot) => [slot, Live.firstOf(slot)])));
  keepFocus(render);
  say(filled(WORDS.asWritten, { loss: Live.lossText() }));
}

export { change, future, past, redo, undo, undoAll };
