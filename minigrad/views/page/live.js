// --- the page computes: after a change, everything that follows from it is computed again -------------

import { filled, WORDS } from "./words.js";
import { data, state } from "./state.js";
import { tell } from "./events.js";
import { once } from "./once.js";
import * as Shapes from "./shapes.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Interpreter from "./interpreter.js";

// The page finds each array by an id. The id of an array that was written down is its place in `data.arrays`.
// The id of an array that was computed here since is "slot@version". When an array has its first numbers
// again, it has its first id again: so undoing leaves nothing behind.

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
  machine = Interpreter.ofTape(tape, (id) => Arrays.ofId(id).numbers);
  const copies = new Map(); // of an array that several slots have, one
  first = machine.slots.map(({ array }) => once(copies, array, () => array.slice()));
  return machine;
}

// So that the first change is answered at once.
if (tape) (window.requestIdleCallback || setTimeout)(startedMachine);

const isStarted = () => machine !== null;
const arrayOf = (slot) => startedMachine().slots[slot].array; // as it is now
// The array of a slot at first.
function firstOf(slot) {
  startedMachine();
  return first[slot];
}
const versionNow = () => version; // of the numbers: another one after each change

function same(a, b) {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

// --- arrays as the page shows them --------------------------------------------------------------------

const changedSlots = new Set(); // the slots that are not as they were at first

function idOf(slot, before) {
  return changedSlots.has(slot) ? `${slot}@${version}` : before;
}

const slotOf = (id) => Number(id.split("@")[0]);
const asNow = new Map(); // slot -> its summary, if it was asked for since the last change
const asFirst = new Map();

// The array of an id "slot@version", as it is now.
function ofSlot(id) {
  const slot = slotOf(id);
  return once(asNow, slot, () => summaryOf(slot, arrayOf(slot), firstOf(slot)));
}

// The first array of a slot, computed from the leaves: the page did not bring it along.
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

// The count of finite numbers, and their summary; `odd`: the count of numbers that are not finite.
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

// After the slots `touched` were computed: put the ids of their new arrays into `data`, and tell of it.
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

// A gradient that was zero may be another number now, or the reverse. Every other state stays.
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
  if (computed.has(slots.fitted)) state.answered.delete(edge.id); // the answer was for other numbers
  const ids = Object.entries(original.passed.get(edge.id)).map(([part, id]) => [
    part,
    id === null ? null : idOf(slots[part], id),
  ]);
  edge.passed = Object.fromEntries(ids);
}

// The loss. As long as it is unchanged, it has Python's digits: the last ones differ here.
function lossNow() {
  const slot = tape.value[Graph.root.n];
  const computed = arrayOf(slot);
  if (computed.length === 1 && same(computed, firstOf(slot))) return lossAtFirst();
  return computed.reduce((a, b) => a + b, 0);
}

// The loss as Python computed it.
const lossAtFirst = () => Arrays.ofId(original.value.get(Graph.root.n)).numbers[0];

// The loss in words; "" where the result is more than one number.
function lossText() {
  const { root } = Graph;
  if (root.shape.length) return "";
  const loss = Arrays.written(lossNow(), 5);
  return filled(WORDS.lossIs, { name: Graph.nameOf(root.n), loss });
}

// Give slots new numbers (slot -> numbers), and compute all that follows from them.
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
