// --- what the reader changed, and undoing it ----------------------------------------------------------

import { filled, WORDS } from "./words.js";
import { keepFocus, say } from "./dom.js";
import { render, tell } from "./events.js";
import * as Live from "./live.js";

// A change has what was before it and what is after it, for each slot that it gave other numbers.
const past = [],
  future = [];
const MOST_CHANGES = 300,
  MOST_BYTES = 1e8; // those before are forgotten

// Give slots other numbers (`changes`: slot -> numbers), so that it can be undone; `name` says what was
// changed. Changes of the same `gesture`, in a row, are undone together.
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
// slot -> its numbers as they are now, which stay so.
const numbersOf = (slots) => new Map([...slots].map((slot) => [slot, Live.arrayOf(slot).slice()]));

// Take the last change of a list to the other: slots get the numbers that they had on that `side` of it.
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

// Undo a change, and do again the one that was undone last; with none, nothing happens.
const undo = () => travel(past, future, "before");
const redo = () => travel(future, past, "after");

// Give all numbers what was written at first: a change like others, which can be undone.
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
