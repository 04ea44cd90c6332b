// --- the page computes: numbers are changed here, and what follows from them is computed again --------

import { filled, WORDS } from "./words.js";
import { data, state } from "./state.js";
import { tell } from "./events.js";
import { once } from "./once.js";
import * as Shapes from "./shapes.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Interpreter from "./interpreter.js";

// Everything that the page shows of an array it finds by an id. Those of the run that was written down are
// places in `data.arrays`; what was computed here since is "slot@version". An array that is again as it
// was has its first id again, so undoing leaves nothing behind.

const { BINS } = data.constants;
// What the page computes with, as `live.py` writes it; null for a page whose numbers cannot be changed.
const tape = data.live.frozen ? null : data.live;
const kindOf = (slot) => tape.kinds[tape.slots[slot]]; // {dtype, shape}
const sizeOf = (slot) => Shapes.size(kindOf(slot).shape); // how many numbers it has
// The ids of the run that was written down.
const original = {
  value: new Map(data.nodes.map((node) => [node.n, node.value])),
  gradient: new Map(data.nodes.map((node) => [node.n, node.gradient])),
  state: new Map(data.nodes.map((node) => [node.n, node.state])),
  passed: new Map(Graph.edges.map((edge) => [edge.id, edge.passed])),
};
let machine = null; // the interpreter, once it is needed
let first = null; // the array of each slot at first
let version = 0; // how often numbers were changed

// The interpreter, started when it is first asked for: it computes all once, which gives `first`.
function startedMachine() {
  if (machine) return machine;
  machine = Interpreter.ofTape(tape, (id) => Arrays.kept(id).numbers);
  const copies = new Map(); // of an array that several slots have, one
  first = machine.slots.map(({ array }) => once(copies, array, () => array.slice()));
  return machine;
}

// So that the first change is answered at once.
if (tape) (window.requestIdleCallback || setTimeout)(startedMachine);

const isStarted = () => machine !== null;
const arrayOf = (slot) => startedMachine().slots[slot].array; // as it is now
// As it was at first.
function firstOf(slot) {
  startedMachine();
  return first[slot];
}
const versionNow = () => version; // of the numbers: another one after each change

function same(a, b) {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

// --- what is shown ------------------------------------------------------------------------------------

const changedSlots = new Set(); // the slots that are not as they were at first

function idOf(slot, before) {
  return changedSlots.has(slot) ? `${slot}@${version}` : before;
}

const slotOf = (id) => Number(id.split("@")[0]);
const asNow = new Map(); // slot -> what was asked for since the last change
const asFirst = new Map();

// The array of an id "slot@version", as it is now.
function ofSlot(id) {
  const slot = slotOf(id);
  return once(asNow, slot, () => summaryOf(slot, arrayOf(slot), firstOf(slot)));
}

// An array that the page did not bring along, as it computes it of its leaves.
function computedFirst(slot) {
  return once(asFirst, slot, () => ({ ...summaryOf(slot, firstOf(slot)), digits: Arrays.LARGE_DIGITS }));
}

// An array as `unpack` of arrays.js would give it; `was`: the numbers that it had at first.
function summaryOf(slot, array, was) {
  const { dtype, shape } = kindOf(slot);
  const numbers = Float64Array.from(array);
  const { count, ...all } = measured(numbers);
  const isMeasured = numbers.length >= 2 && dtype !== "b1";
  return {
    shape,
    steps: shape.map(() => 1),
    numbers,
    digits: data.constants.DIGITS,
    largest: count ? Math.max(-all.least, all.greatest) : 0,
    full: shape,
    kind: dtype[0] === "u" ? "i" : dtype[0],
    all: isMeasured ? (count ? all : { ...Arrays.NO_SUMMARY, odd: all.odd }) : null,
    get histogram() {
      return isMeasured && all.least < all.greatest ? histogramOf(numbers, all.least, all.greatest) : [];
    },
    thinned: false,
    was,
  };
}

// How many numbers are finite (`count`) and what is to be said of these; `odd`: how many are not.
function measured(numbers) {
  let least = Infinity,
    greatest = -Infinity,
    sum = 0,
    zeros = 0,
    count = 0;
  for (const v of numbers) {
    if (!Number.isFinite(v)) continue;
    count++;
    sum += v;
    if (v < least) least = v;
    if (v > greatest) greatest = v;
    if (v === 0) zeros++;
  }
  return {
    count,
    least,
    greatest,
    mean: sum / count,
    norm: norm(numbers),
    zeros,
    odd: numbers.length - count,
  };
}

function histogramOf(numbers, low, high) {
  const bars = Array(BINS).fill(0);
  for (const v of numbers)
    if (Number.isFinite(v)) bars[Math.min(BINS - 1, Math.floor((BINS * (v - low)) / (high - low)))]++;
  return bars;
}

// The norm of an array of an id "slot@version".
const normOf = (id) => norm(arrayOf(slotOf(id)));
// The norm of the array that a slot had at first, which may have to be computed.
const normAtFirst = (slot) => norm(firstOf(slot));

// The norm of the numbers that are finite.
function norm(numbers) {
  let squares = 0;
  for (const v of numbers) if (Number.isFinite(v)) squares += v * v;
  return Math.sqrt(squares);
}

// Whether the value of a node is not as it was at first.
function isChanged(n) {
  return typeof Graph.nodes.get(n).value === "string";
}

// Have `data` name the arrays that are there now, after the slots `touched` were computed, and tell so.
function refresh(touched) {
  version++;
  asNow.clear();
  for (const slot of touched)
    if (same(arrayOf(slot), firstOf(slot))) changedSlots.delete(slot);
    else changedSlots.add(slot);
  data.nodes.forEach(refreshNode);
  const computed = new Set(touched);
  for (const edge of Graph.edges) refreshEdge(edge, computed);
  for (const [n, list] of Graph.arrivals)
    for (const arrival of list)
      arrival.sum = arrival.edge ? arrival.edge.passed.after : Graph.nodes.get(n).gradient;
  tell("numbers");
}

// A gradient that is zero or not may have become the other; what is known of it otherwise stays.
function refreshNode(node) {
  node.value = idOf(tape.value[node.n], original.value.get(node.n));
  const slot = tape.gradient[node.n];
  if (slot === undefined) return;
  const [gradient, atFirst] = [original.gradient.get(node.n), original.state.get(node.n)];
  if (gradient !== null) node.gradient = idOf(slot, gradient);
  const canChange = changedSlots.has(slot) && ["known", "zero"].includes(atFirst);
  const isZero = () => arrayOf(slot).every((v) => v === 0);
  node.state = canChange ? (isZero() ? "zero" : "known") : atFirst;
}

// `computed`: the slots that were computed again.
function refreshEdge(edge, computed) {
  const slots = tape.passed[edge.id];
  if (!slots) return;
  if (computed.has(slots.fitted)) state.answered.delete(edge.id); // that was said of other numbers
  const ids = Object.entries(original.passed.get(edge.id)).map(([part, id]) => [
    part,
    id === null ? null : idOf(slots[part], id),
  ]);
  edge.passed = Object.fromEntries(ids);
}

// The loss: as Python computed it, as long as it is what it was, for the last digits differ here.
function lossNow() {
  const slot = tape.value[Graph.root.n];
  const computed = arrayOf(slot);
  if (computed.length === 1 && same(computed, firstOf(slot))) return lossAtFirst();
  return computed.reduce((a, b) => a + b, 0);
}

// The loss as Python computed it.
const lossAtFirst = () => Arrays.kept(original.value.get(Graph.root.n)).numbers[0];

// The loss in words; "" where the result is more than one number.
function lossText() {
  const { root } = Graph;
  if (root.shape.length) return "";
  const loss = Arrays.written(lossNow(), 5);
  return filled(WORDS.lossIs, { name: Graph.nameOf(root.n), loss });
}

// Give slots other numbers (slot -> numbers); what follows is computed again.
function setNumbers(changes) {
  const running = startedMachine();
  for (const [slot, numbers] of changes) running.change(slot, numbers);
  refresh(running.update());
}

export {
  arrayOf,
  changedSlots,
  computedFirst,
  firstOf,
  isChanged,
  isStarted,
  kindOf,
  lossAtFirst,
  lossNow,
  lossText,
  normAtFirst,
  normOf,
  ofSlot,
  original,
  setNumbers,
  sizeOf,
  startedMachine,
  tape,
  versionNow,
};
