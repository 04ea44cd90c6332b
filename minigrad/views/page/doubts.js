// --- doubts: numbers that Python would compute otherwise now, and the reasons -------------------------

import { filled, WORDS } from "./words.js";
import { make } from "./dom.js";
import { hear } from "./events.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";

const { tape } = Live;

// If Python or NumPy reads numbers and makes an array of them, the page cannot follow. Such an array keeps its
// numbers when the others change. So all values, gradients and contributions computed from it are marked.
let uncertain = new Map(); // slot -> the node with the kept numbers that it is computed from

// Files that show doubts hear this event after this file, for they run after it.
hear("numbers", () => {
  uncertain = Live.changedSlots.size ? doubted(Live.isChanged) : new Map();
});

// The slots in doubt, if the nodes for which `isOther` is true have new numbers. Doubt spreads in three ways,
// and each can lead to the two others: so they are repeated, until nothing more is found.
function doubted(isOther) {
  const found = new Map(); // as `uncertain`
  let before;
  do {
    before = found.size;
    doubtWhatWasMade(found, isOther);
    if (!found.size) break;
    doubtWhatWasChosen(found);
    doubtWhatFollows(found);
  } while (found.size > before);
  return found;
}

// Note that a slot is in doubt, because of a node.
function doubt(found, slot, because) {
  if (slot !== null && !found.has(slot)) found.set(slot, because);
}

// Doubt the numbers of a node, and the numbers that its rules make of them.
function doubtAll(found, n, because) {
  doubt(found, tape.value[n], because);
  for (const edge of Graph.into.get(n))
    if (tape.passed[edge.id])
      for (const part of ["given", "fitted"]) doubt(found, tape.passed[edge.id][part], because);
}

// Doubt arrays that Python or NumPy made of numbers that have changed, or that are in doubt.
function doubtWhatWasMade(found, isOther) {
  const isLost = (n) => isOther(n) || found.has(tape.value[n]) || tape.fixed[tape.value[n]] !== undefined;
  for (const [key, read] of Object.entries(tape.made_of)) {
    const n = Number(key);
    if (!read.some(isLost)) continue;
    if (Graph.nodes.get(n).op) doubtAll(found, n, n);
    else if (!Live.isChanged(n)) doubt(found, tape.value[n], n); // else the reader gave it numbers
  }
}

// What was computed by calls that such numbers chose: no call reads them.
function doubtWhatWasChosen(found) {
  for (const edge of Graph.edges) {
    const slot = tape.value[edge.source];
    if (found.has(slot) && tape.pinned[slot] !== undefined) doubtAll(found, edge.target, found.get(slot));
  }
}

// Doubt the results of calls with an argument in doubt: a call stands behind the calls of its arguments.
function doubtWhatFollows(found) {
  for (const [, out, reads] of tape.calls) {
    const from = reads.find((slot) => found.has(slot));
    if (from !== undefined) doubt(found, out, found.get(from));
  }
}

// The lines that read numbers which have changed.
function readLines() {
  return [...new Set(tape.reads.filter(({ node }) => Live.isChanged(node)).map(({ line }) => line))].filter(
    Boolean,
  );
}

// The reason why Python would now compute other numbers for a slot.
function whyFixedSlot(slot, n = null) {
  if (!tape || slot === undefined || slot === null) return null;
  if (tape.fixed[slot] !== undefined) return filled(WORDS.keepsNumbers, { why: tape.fixed[slot] });
  return uncertain.has(slot) ? whyUncertain(uncertain.get(slot), n) : null;
}

// Why: because of the node that keeps a number. `n` is the node that this is said of.
function whyUncertain(keeper, n = null) {
  const { op, made } = Graph.nodes.get(keeper);
  const words = tape.proven.includes(keeper) ? WORDS.keepsProven : WORDS.keepsPerhaps;
  const subject = keeper !== n ? "source" : op ? "line" : "itself";
  return filled(words[subject], { made, node: nodeText(keeper), sources: sourcesOf(keeper) });
}

// Why the value of a node, and its gradient, are not what Python would compute: a sentence, or null.
const whyFixed = (n) => (tape ? whyFixedSlot(tape.value[n], n) : null);
const whyFixedGradient = (n) => (tape ? whyFixedSlot(tape.gradient[n]) : null);
// Such a reason in full; and as a badge, while numbers are changed.
const fixedText = (why) =>
  why === null
    ? null
    : make("p", { class: "state fixed" }, make("span", { class: "badge" }, "fixed"), ` ${why}`);
const fixedBadge = (why) =>
  why === null || !Live.changedSlots.size ? null : make("span", { class: "badge", title: why }, "fixed");
// The badge of the value of a node, and of its gradient.
const badgeOf = (n) => fixedBadge(whyFixed(n));
const gradientBadgeOf = (n) => fixedBadge(whyFixedGradient(n));

// A node that keeps its numbers, as words: of an operation it is a number in its line that does.
function nodeText(n) {
  const node = Graph.nodes.get(n);
  return node.op ? filled(WORDS.numberIn, node) : Graph.nameOf(n);
}

const sourcesOf = (n) => (tape.made_of[n] || []).map(Graph.nameOf).join(" or ");

// What running the function again has shown of a node whose numbers Python or NumPy made.
function madeText(n) {
  const words = Graph.nodes.get(n).op ? WORDS.madeOf.line : WORDS.madeOf.itself;
  return tape?.proven.includes(n) ? filled(words, { sources: sourcesOf(n) }) : null;
}

export {
  badgeOf,
  doubted,
  fixedBadge,
  fixedText,
  gradientBadgeOf,
  madeText,
  nodeText,
  readLines,
  whyFixed,
  whyFixedGradient,
  whyFixedSlot,
};
