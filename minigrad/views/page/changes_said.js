// --- the line on top: how many numbers are changed, and what follows ----------------------------------

import { filled, plural, WORDS } from "./words.js";
import { byId, fill, isBeside, make, softSpan } from "./dom.js";
import { hear } from "./events.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Changes from "./changes.js";
import * as WhatIf from "./what_if.js";

// Show it, or before the first change say that numbers can be changed at all.
function show() {
  const box = byId("changes");
  box.hidden = Live.tape === null;
  if (Live.tape === null) return;
  if (Changes.past.length || Changes.future.length) fill(box, whatChanged());
  else fill(box, make("span", {}, WORDS.canBeChanged));
}

// How many numbers are changed, and the effect on the loss, on the output, and on fixed numbers.
function whatChanged() {
  const [count, off] = [changedCount(), offCount()];
  const isChanged = count > 0 || off > 0;
  const counts = [
    count ? `${plural(count, "number")} changed` : null,
    off ? `${plural(off, "part")} off` : null,
  ];
  const symbols = WhatIf.writtenNow();
  return [
    make("b", {}, counts.filter(Boolean).join(", ") || "As it was written"),
    lossLine(isChanged),
    symbols ? make("span", {}, "likeliest symbols ", symbols.now) : null,
    symbols?.was ? softSpan(WORDS.lossAgainst) : null,
    fixedNotes(),
    make("span", { class: "soft only-extra" }, WORDS.partBelow),
    buttons(!isChanged),
  ];
}

// The loss before and now; nothing, if the result is more than one number.
function lossLine(isChanged) {
  const { root } = Graph;
  if (root.shape.length) return null;
  return make(
    "span",
    {},
    `${Graph.nameOf(root.n)} `,
    isChanged ? [make("s", {}, Arrays.written(Live.lossAtFirst(), 5)), " → "] : null,
    make("b", { class: "mono" }, Arrays.written(Live.lossNow(), 5)),
    " ",
    Doubts.badgeOf(root.n),
  );
}

// How many numbers of leaves and constants are changed.
function changedCount() {
  const slots = Live.tape.leaves
    .map(({ slot }) => slot)
    .concat(Object.values(Live.tape.numbers).flatMap(Object.values))
    .filter((slot) => Live.changedSlots.has(slot));
  return slots.reduce(
    (n, slot) =>
      n + Live.arrayOf(slot).reduce((k, v, i) => k + (Object.is(v, Live.firstOf(slot)[i]) ? 0 : 1), 0),
    0,
  );
}

// How many places of parts are switched off.
const offCount = () =>
  Live.tape.switches.reduce((n, { places }) => n + places.filter(({ gate }) => !WhatIf.isOn(gate)).length, 0);

// What stays as it was: the lines that read numbers, and the paths that the function took.
function fixedNotes() {
  const note = (text) =>
    make("span", { class: "fixed-lines" }, make("span", { class: "badge" }, "fixed"), text);
  const lines = Doubts.readLines();
  const paths = Live.tape.paths.filter(Live.isChanged);
  return [
    lines.length ? note(filled(WORDS.readAt, { lines: lines.join(", ") })) : null,
    paths.length ? note(filled(WORDS.otherPaths, { names: paths.map(Graph.nameOf).join(", ") })) : null,
  ];
}

// Undo, do again, and back to the numbers that were written, if they are not these (`asWritten`).
function buttons(asWritten) {
  const button = (field, onclick, disabled, title, text) =>
    make("button", { "data-field": field, onclick, disabled, title }, text);
  return make(
    "span",
    { class: "buttons" },
    button("undo", Changes.undo, !Changes.past.length, "Undo (Ctrl Z)", "Undo"),
    button("redo", Changes.redo, !Changes.future.length, "Do again (Ctrl Shift Z)", "Do again"),
    button("first", Changes.undoAll, asWritten, "All numbers as they were written", "As written"),
  );
}

// Above the drawing; on a narrow page on top of the panel, where it stays in sight while numbers are typed.
function place() {
  if (isBeside()) byId("notes").after(byId("changes"));
  else byId("panel").prepend(byId("changes"));
}

place();
addEventListener("resize", place);
hear("changes", show);

export { show };
