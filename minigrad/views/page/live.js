// --- the page computes: numbers are changed here, and what follows from them is computed again -------------

import { data, state, tell } from "./base.js";
import * as Shapes from "./shapes.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Interpreter from "./interpreter.js";

// Everything that the page shows of an array it finds by an id. Those of the run that was written down are
// places in `data.arrays`; what was computed here since is "slot@version". An array that is again as it
// was has its first id again, so undoing leaves nothing behind.

const { BINS } = data.constants;
const tape = data.live.frozen ? null : data.live;
const kindOf = (slot) => tape.kinds[tape.slots[slot]];
const sizeOf = (slot) => Shapes.size(kindOf(slot).shape);
// The ids of the run that was written down.
const original = {
  value: new Map(data.nodes.map((node) => [node.n, node.value])),
  gradient: new Map(data.nodes.map((node) => [node.n, node.gradient])),
  state: new Map(data.nodes.map((node) => [node.n, node.state])),
  passed: new Map(Graph.edges.map((edge) => [edge.id, edge.passed])),
};
let machine = null; // the interpreter, once it is needed
let first = null; // the array of each slot at first
let version = 0;

function startedMachine() {
  if (machine) return machine;
  machine = Interpreter.ofTape(tape, (id) => Arrays.kept(id).numbers);
  const copies = new Map();
  for (const slot of machine.slots) if (!copies.has(slot.array)) copies.set(slot.array, slot.array.slice());
  first = machine.slots.map((slot) => copies.get(slot.array));
  return machine;
}

if (tape) (window.requestIdleCallback || setTimeout)(startedMachine); // so that the first change is answered at once

const arrayOf = (slot) => startedMachine().slots[slot].array; // as it is now

function same(a, b) {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

// --- what is shown -----------------------------------------------------------------------------------------

const changedSlots = new Set(); // the slots that are not as they were at first

function idOf(slot, before) {
  return changedSlots.has(slot) ? `${slot}@${version}` : before;
}

const slotOf = (id) => Number(id.split("@")[0]);
const asNow = new Map(); // slot -> what was asked for since the last change
const asFirst = new Map();

function ofSlot(id) {
  const slot = slotOf(id);
  if (!asNow.has(slot)) asNow.set(slot, summaryOf(slot, machine.slots[slot].array, first[slot]));
  return asNow.get(slot);
}

// An array that the page did not bring along, as it computes it of its leaves.
function computedFirst(slot) {
  startedMachine();
  if (!asFirst.has(slot)) asFirst.set(slot, { ...summaryOf(slot, first[slot]), digits: Arrays.LARGE_DIGITS });
  return asFirst.get(slot);
}

// An array as `unpack` would give it.
function summaryOf(slot, array, was) {
  const { dtype, shape } = kindOf(slot);
  const numbers = Float64Array.from(array);
  let low = Infinity,
    high = -Infinity,
    sum = 0,
    squares = 0,
    zeros = 0,
    count = 0;
  for (const v of numbers) {
    if (!Number.isFinite(v)) continue;
    count++;
    sum += v;
    squares += v * v;
    if (v < low) low = v;
    if (v > high) high = v;
    if (v === 0) zeros++;
  }
  const odd = numbers.length - count;
  return {
    shape,
    steps: shape.map(() => 1),
    numbers,
    digits: data.constants.DIGITS,
    largest: count ? Math.max(-low, high) : 0,
    full: shape,
    kind: dtype[0] === "u" ? "i" : dtype[0],
    all:
      numbers.length < 2 || dtype === "b1"
        ? null
        : count
          ? { least: low, greatest: high, mean: sum / count, norm: Math.sqrt(squares), zeros, odd }
          : { ...Arrays.NO_SUMMARY, odd },
    get histogram() {
      const bars = this.all && low < high ? Array(BINS).fill(0) : [];
      if (bars.length)
        for (const v of numbers)
          if (Number.isFinite(v)) bars[Math.min(BINS - 1, Math.floor((BINS * (v - low)) / (high - low)))]++;
      return bars;
    },
    thinned: false,
    was,
  };
}

const normOf = (id) => norm(machine.slots[slotOf(id)].array);
function normAtFirst(slot) {
  startedMachine();
  return norm(first[slot]);
}

function norm(numbers) {
  let squares = 0;
  for (const v of numbers) if (Number.isFinite(v)) squares += v * v;
  return Math.sqrt(squares);
}

function isChanged(n) {
  return typeof Graph.nodes.get(n).value === "string";
}

const mapped = (object, of) =>
  Object.fromEntries(Object.entries(object).map(([name, v]) => [name, of(v, name)]));

function refresh(touched) {
  version++;
  asNow.clear();
  touched.forEach((slot) => {
    if (same(machine.slots[slot].array, first[slot])) changedSlots.delete(slot);
    else changedSlots.add(slot);
  });
  const computed = new Set(touched);
  for (const node of data.nodes) {
    node.value = idOf(tape.value[node.n], original.value.get(node.n));
    const slot = tape.gradient[node.n],
      atFirst = original.state.get(node.n);
    if (slot === undefined) continue;
    if (original.gradient.get(node.n) !== null) node.gradient = idOf(slot, original.gradient.get(node.n));
    node.state =
      !changedSlots.has(slot) || !["known", "zero"].includes(atFirst)
        ? atFirst
        : machine.slots[slot].array.every((v) => v === 0)
          ? "zero"
          : "known";
  }
  for (const edge of Graph.edges) {
    const slots = tape.passed[edge.id];
    if (!slots) continue;
    const before = original.passed.get(edge.id);
    if (computed.has(slots.fitted)) state.answered.delete(edge.id); // that was said of other numbers
    edge.passed = mapped(before, (id, part) => (id === null ? null : idOf(slots[part], id)));
  }
  for (const [n, list] of Graph.arrivals)
    for (const arrival of list)
      arrival.sum = arrival.edge ? arrival.edge.passed.after : Graph.nodes.get(n).gradient;
  tell("numbers");
}

// The loss: as Python computed it, as long as it is what it was, for the last digits differ here.
function lossNow() {
  const slot = tape.value[data.roots[0]];
  const computed = arrayOf(slot);
  if (computed.length === 1 && same(computed, first[slot])) return lossAtFirst();
  return computed.reduce((a, b) => a + b, 0);
}

const lossAtFirst = () => Arrays.kept(original.value.get(data.roots[0])).numbers[0];

function lossText() {
  const root = Graph.nodes.get(data.roots[0]);
  return root.shape.length ? "" : `${Graph.nameOf(root.n)} is ${Arrays.written(lossNow(), 5)}`;
}

// Give slots other numbers (slot -> numbers); what follows is computed again.
function setNumbers(changes) {
  const running = startedMachine();
  for (const [slot, numbers] of changes) running.change(slot, numbers);
  refresh(running.update());
}

export {
  arrayOf,
  computedFirst,
  first,
  isChanged,
  kindOf,
  lossAtFirst,
  lossNow,
  lossText,
  machine,
  normAtFirst,
  normOf,
  ofSlot,
  original,
  changedSlots,
  setNumbers,
  sizeOf,
  startedMachine,
  tape,
  version,
};
