// --- the elements that one element of a call's result is made of --------------------------------------

import { data } from "./state.js";
import * as Shapes from "./shapes.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Interpreter from "./interpreter.js";
import * as Live from "./live.js";

// The same as script/tape_reading.py, with the tape that the page computes with. A call moves elements, adds
// many or takes one of them (`SUMS`), or is a function of one element of each array. An element is a slot and
// the place `at` which it is.

const tape = data.live.calls ? data.live : null; // where there is too much to compute, it has no numbers
const calls = new Map(
  (tape?.calls ?? []).map(([name, slot, reads, ...params]) => [
    slot,
    { name: tape.names[name], reads, params },
  ]),
);
const MOVES = ["same", "view", "unview", "pick", "join", "take"];
const filled = new Map((tape?.filled ?? []).map(({ slot, value }) => [slot, value]));
const nodes = new Map(); // slot -> the id of its array, if it is that of a node
for (const node of data.nodes)
  for (const part of ["gradient", "value"])
    if (tape && tape[part][node.n] !== undefined) nodes.set(tape[part][node.n], () => node[part]);

class Unclear extends Error {} // the sources of an element are not known

// {dtype, shape}
const kindOf = (slot) => tape.kinds[tape.slots[slot]];
const shapeOf = (slot) => kindOf(slot).shape;
const along = (at, strides) => at.reduce((place, k, axis) => place + k * strides[axis], 0);

// The place of an element among the numbers that were kept; null where its row or column was left out.
function placeAt(a, index) {
  return index.some((k, axis) => k % a.steps[axis])
    ? null
    : Shapes.ravel(
        index.map((k, axis) => k / a.steps[axis]),
        a.shape,
      );
}

// The numbers of a slot; null where the page does not have them all.
function numbersOf(slot) {
  if (Live.tape) return Live.arrayOf(slot);
  if (filled.has(slot)) {
    const value = filled.get(slot);
    return Array(Shapes.size(shapeOf(slot))).fill(Number(Arrays.NOT_FINITE[value] ?? value));
  }
  const a = nodes.has(slot) ? Shown.array(nodes.get(slot)()) : null;
  return a && !a.thinned ? a.numbers : null;
}

// The number of an element; null where the page does not have it.
function numberOf({ slot, at }) {
  return numbersOf(slot)?.[Shapes.ravel(at, shapeOf(slot))] ?? null;
}

// The elements that a function of one element of each array reads for this one: arrays are broadcast.
function operands({ slot, at }) {
  return calls.get(slot).reads.map((read) => {
    const shape = shapeOf(read);
    const place = at.slice(at.length - shape.length).map((k, axis) => (shape[axis] > 1 ? k : 0));
    return { slot: read, at: place };
  });
}

// The result of a call for other arrays: the interpreter runs it alone.
function run(name, params, shape, reads, arrays) {
  const shapes = [...reads.map(shapeOf), shape];
  const alone = {
    kinds: shapes.map((one) => ({ dtype: "f8", shape: one })),
    slots: shapes.map((_, i) => i),
    names: [name],
    calls: [[0, reads.length, reads.map((_, i) => i), ...params]],
  };
  const inputs = arrays.map((array, i) => [i, Float64Array.from(array)]);
  return Interpreter.interpreter(alone, inputs).slots[reads.length].array;
}

// The numbers of slots with indices.
function indices(slots) {
  const found = slots.map(numbersOf);
  if (found.includes(null)) throw new Unclear();
  return found;
}

const counted = (count, begin) => Array.from({ length: count }, (_, i) => begin + i);

// The element that a call moves to this element; null, if the call puts a 0 there. To find it, the call is run on
// the numbers of places, counted from 1, in place of the elements.
function moved({ slot, at }) {
  const { name, reads, params } = calls.get(slot);
  const moving = name === "take" ? reads.slice(0, 1) : reads;
  const begins = [];
  let end = 1;
  for (const read of moving) {
    begins.push(end);
    end += Shapes.size(shapeOf(read));
  }
  const places = moving.map((read, i) => counted(Shapes.size(shapeOf(read)), begins[i]));
  const arrays = [...places, ...indices(reads.slice(moving.length))];
  const place = run(name, params, shapeOf(slot), reads, arrays)[Shapes.ravel(at, shapeOf(slot))];
  if (!(place >= 1)) return null;
  const which = begins.findLastIndex((begin) => begin <= place);
  return { slot: reads[which], at: Shapes.unravel(place - begins[which], shapeOf(reads[which])) };
}

// --- sums, and calls that take one of many elements: the count of terms, and the k-th, a product of elements ---

// One of many along an axis: the call has the sizes before, along and behind it.
function folded(to, [read], [[, count, inner]]) {
  const place = Shapes.ravel(to.at, shapeOf(to.slot));
  const begin = Math.floor(place / inner) * count * inner + (place % inner);
  return { count, term: (k) => [{ slot: read, at: Shapes.unravel(begin + k * inner, shapeOf(read)) }] };
}

// A sum of products, such as a product of matrices: see `contract` of kernels.js.
function contracted(to, reads, [free, summed]) {
  const sizes = summed.map(([n]) => n);
  const strides = (loops, i) => loops.map((loop) => loop[i]);
  const term = (k) =>
    reads.map((slot, i) => {
      const place =
        along(to.at, strides(free, i + 2)) + along(Shapes.unravel(k, sizes), strides(summed, i + 1));
      return { slot, at: Shapes.unravel(place, shapeOf(slot)) };
    });
  return { count: Shapes.size(sizes), term };
}

// The gradient of looking up: each element of the table gets all that was looked up there.
function put(to, [read, ...others], params) {
  const shape = shapeOf(to.slot);
  const arrays = [counted(Shapes.size(shape), 0), ...indices(others)];
  const goesTo = run("take", params, shapeOf(read), [to.slot, ...others], arrays);
  const place = Shapes.ravel(to.at, shape);
  const places = Array.from(goesTo, (from, k) => (from === place ? k : -1)).filter((k) => k >= 0);
  return {
    count: places.length,
    term: (k) => [{ slot: read, at: Shapes.unravel(places[k], shapeOf(read)) }],
  };
}

const SUMS = { sum: folded, mean: folded, max: folded, min: folded, contract: contracted, put };

// The terms of a call of `SUMS`: how many there are, and the k-th, a list of factors.
function terms(to) {
  const { name, reads, params } = calls.get(to.slot);
  return SUMS[name](to, reads, params);
}

export { calls, kindOf, MOVES, moved, numberOf, operands, placeAt, SUMS, tape, terms, Unclear };
