// --- doubts: which numbers are not what Python would compute from those that are here now, and why -----------

import { filled, WORDS } from "./words.js";
import { hear, make } from "./base.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";

const { tape } = Live;

// What Python or NumPy made of numbers cannot be followed. What came up after they were read keeps its
// numbers when these change, and all that is computed from it is marked: values, gradients, contributions.
let uncertain = new Map(); // slot -> the node that keeps a number, of those that it is computed from

// Those that show it hear of other numbers after this file, as they run after it.
hear("numbers", () => {
  uncertain = Live.changedSlots.size ? doubted(Live.isChanged) : new Map();
});

// The same where other nodes have other numbers.
function doubted(isOther) {
  const found = new Map();
  const doubt = (slot, of) => {
    if (slot !== null && !found.has(slot)) found.set(slot, of);
  };
  // Doubt the numbers of a node, and what its rules make of them.
  const doubtAll = (n, of) => {
    doubt(tape.value[n], of);
    for (const edge of Graph.into.get(n))
      if (tape.passed[edge.id]) for (const part of ["given", "fitted"]) doubt(tape.passed[edge.id][part], of);
  };
  const isLost = (n) => isOther(n) || found.has(tape.value[n]) || tape.fixed[tape.value[n]] !== undefined;
  let before;
  do {
    // what was read may be in doubt itself
    before = found.size;
    for (const [key, read] of Object.entries(tape.made_of)) {
      const n = Number(key),
        { op } = Graph.nodes.get(n);
      if (!read.some(isLost)) continue;
      if (op) doubtAll(n, n);
      else if (!Live.isChanged(n)) doubt(tape.value[n], n); // else the reader gave it numbers
    }
    if (!found.size) break;
    for (const edge of Graph.edges) {
      // numbers that no call reads: they chose what the calls are
      const slot = tape.value[edge.source];
      if (found.has(slot) && tape.pinned[slot] !== undefined) doubtAll(edge.target, found.get(slot));
    }
    for (const [, out, reads] of tape.calls) {
      // arguments come before what is computed from them
      const from = reads.find((slot) => found.has(slot));
      if (from !== undefined) doubt(out, found.get(from));
    }
  } while (found.size > before);
  return found;
}

// The lines where numbers were read that are others now.
function readLines() {
  return [...new Set(tape.reads.filter(({ node }) => Live.isChanged(node)).map(({ line }) => line))].filter(
    Boolean,
  );
}

// Why the numbers of a slot are not what Python would compute from those that are here now.
function whyFixedSlot(slot, n = null) {
  if (!tape || slot === undefined || slot === null) return null;
  if (tape.fixed[slot] !== undefined) return filled(WORDS.keepsNumbers, { why: tape.fixed[slot] });
  return uncertain.has(slot) ? whyUncertain(uncertain.get(slot), n) : null;
}

// Why: because of the node that keeps a number. `n` is the node that this is said of.
function whyUncertain(of, n = null) {
  const { op, made } = Graph.nodes.get(of);
  const said = tape.proven?.includes(of) ? WORDS.keepsProven : WORDS.keepsPerhaps;
  const subject = of !== n ? "source" : op ? "line" : "itself";
  return filled(said[subject], { made, node: nodeText(of), sources: sourcesOf(of) });
}

const whyFixed = (n) => (tape ? whyFixedSlot(tape.value[n], n) : null);
const whyFixedGradient = (n) => (tape ? whyFixedSlot(tape.gradient[n]) : null);
const fixedText = (why) =>
  why === null
    ? null
    : make("p", { class: "state fixed" }, make("span", { class: "badge" }, "fixed"), ` ${why}`);
const fixedBadge = (why) =>
  why === null || !Live.changedSlots.size ? null : make("span", { class: "badge", title: why }, "fixed");

function nodeText(n) {
  const node = Graph.nodes.get(n);
  return node.op ? filled(WORDS.numberIn, node) : Graph.nameOf(n);
}

const sourcesOf = (n) => (tape.made_of[n] || []).map(Graph.nameOf).join(" or ");

// What running the function again has shown of a node whose numbers Python or NumPy made.
function madeText(n) {
  const said = Graph.nodes.get(n).op ? WORDS.madeOf.line : WORDS.madeOf.itself;
  return tape?.proven?.includes(n) ? filled(said, { sources: sourcesOf(n) }) : null;
}

export {
  doubted,
  fixedBadge,
  fixedText,
  madeText,
  nodeText,
  readLines,
  whyFixed,
  whyFixedGradient,
  whyFixedSlot,
};
