// --- what the reader changed, and undoing it ---------------------------------------------------------------

import { filled, WORDS } from "./words.js";
import { keepFocus, render, say, tell } from "./base.js";
import * as Live from "./live.js";

// A change has what was before it and what is after it, for each slot that it gave other numbers.
const past = [],
  future = [];
const MOST_CHANGES = 300,
  MOST_BYTES = 1e8; // those before are forgotten

// `gesture`: changes with the same one, in a row, are undone together.
function change(name, changes, gesture = null) {
  const { slots } = Live.startedMachine();
  const last = past[past.length - 1];
  const joined =
    gesture !== null &&
    last &&
    last.gesture === gesture &&
    [...changes.keys()].every((slot) => last.before.has(slot));
  if (joined) last.name = name;
  else {
    const before = new Map([...changes.keys()].map((slot) => [slot, slots[slot].array.slice()]));
    past.push({
      name,
      gesture,
      before,
      after: null,
      bytes: 2 * [...before.values()].reduce((n, numbers) => n + numbers.byteLength, 0),
    });
    while (
      past.length > 1 &&
      (past.length > MOST_CHANGES || past.reduce((n, step) => n + step.bytes, 0) > MOST_BYTES)
    )
      past.shift();
  }
  future.length = 0;
  Live.setNumbers(changes);
  past[past.length - 1].after = new Map(
    [...past[past.length - 1].before.keys()].map((slot) => [slot, slots[slot].array.slice()]),
  );
  tell("changes");
}

function travel(from, to, side) {
  const step = from.pop();
  if (!step) return;
  tell("undo");
  to.push(step);
  Live.setNumbers(step[side]);
  keepFocus(render);
  tell("changes");
  say(`${side === "before" ? "Undone" : "Done again"}: ${step.name}. ${Live.lossText()}`);
}

const undo = () => travel(past, future, "before");
const redo = () => travel(future, past, "after");

function undoAll() {
  const changed = [...Live.tape.leaves, ...Live.tape.filled, ...Live.tape.held]
    .map(({ slot }) => slot)
    .filter((slot) => Live.changedSlots.has(slot));
  if (!changed.length) return;
  tell("undo");
  change("all as it was written", new Map(changed.map((slot) => [slot, Live.first[slot]])));
  keepFocus(render);
  say(filled(WORDS.asWritten, { loss: Live.lossText() }));
}

export { change, future, past, redo, undo, undoAll };
