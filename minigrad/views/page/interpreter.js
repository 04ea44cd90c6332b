// --- the interpreter: runs a tape, the calls that make up a forward and a backward pass ---------------

// A tape (see `script/tape.py`) has slots and calls. A slot is an array whose dtype and shape never change; a
// call reads some slots and writes one. Nothing here knows of derivatives: the backward pass is calls like any
// other. Sums are made in float64, and rounded when they are stored.

import * as Shapes from "./shapes.js";
import { kernelOf } from "./kernels.js";
import { once } from "./once.js";
import * as Arrays from "./arrays.js";

const ARRAYS = {
  f4: Float32Array,
  f8: Float64Array,
  b1: Uint8Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: Float64Array,
  u8: Float64Array, // exact up to 2 ** 53
};

// The places of the elements of a view of `shape`, which begins at `begin` and has these `strides`.
function placesOf(shape, begin, strides) {
  const found = new Int32Array(Shapes.size(shape));
  const at = shape.map(() => 0);
  for (let i = 0, place = begin; i < found.length; i++) {
    found[i] = place;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      place += strides[axis];
      if (++at[axis] < shape[axis]) break;
      place -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
  return found;
}

// Make an interpreter of a tape, and run it. `held`: the array of each slot that no call writes.
function interpreter(tape, held) {
  const slots = tape.slots.map((kind) => {
    const { dtype, shape } = tape.kinds[kind];
    return { dtype, shape, size: Shapes.size(shape), array: null, dirty: false };
  });
  for (const [slot, array] of held) slots[slot].array = array;

  const placesKnown = new Map(); // many calls ask for the same places
  const places = (...of) => once(placesKnown, String(of), () => placesOf(...of));
  const run = tape.calls.filter(([, out]) => slots[out].array === null); // a fixed slot has its array
  const calls = run.map(([name, out, reads, ...params]) => {
    const [to, from] = [slots[out], reads.map((slot) => slots[slot])];
    return { to, from, work: prepare(tape.names[name], to, from, params, places) };
  });

  for (const slot of slots) slot.dirty = true;
  update(calls, slots);
  return {
    slots,
    update: () => update(calls, slots),
    // From the next update on, these elements of a computed slot are 0, whatever its call gives.
    cut(slot, elements) {
      slots[slot].cut = elements;
      slots[slot].dirty = true;
    },
    change(slot, numbers) {
      slots[slot].array.set(numbers);
      slots[slot].dirty = true;
    },
  };
}

// Give the slot that a call writes its array. Return a function that does the work of the call, on the numbers
// of its time; null, if there is nothing to do.
function prepare(name, out, reads, params, places) {
  if (name === "same" && out.dtype === reads[0].dtype) {
    out.array = reads[0].array; // the same numbers
    return null;
  }
  out.array = new ARRAYS[out.dtype](out.size);
  return kernelOf(name, out, reads)(out, reads, params, places);
}

// Compute again what depends on a slot that was changed, and nothing else; return the slots touched.
function update(calls, slots) {
  for (const { to, from, work } of calls) {
    to.dirty ||= from.some((slot) => slot.dirty);
    if (to.dirty && work) work();
    if (to.dirty && to.cut) for (const place of to.cut) to.array[place] = 0;
  }
  const touched = [];
  slots.forEach((slot, i) => {
    if (slot.dirty) touched.push(i);
    slot.dirty = false;
  });
  return touched;
}

// The interpreter of a tape of the page, whose leaves are arrays of the page: `numbersOf` gives their numbers.
function ofTape(tape, numbersOf) {
  const kindOf = (slot) => tape.kinds[tape.slots[slot]];
  const typed = (slot) => ARRAYS[kindOf(slot).dtype];
  return interpreter(tape, [
    ...tape.leaves.map(({ slot, array }) => [slot, typed(slot).from(numbersOf(array))]),
    ...tape.filled.map(({ slot, value }) => [
      slot,
      new (typed(slot))(Shapes.size(kindOf(slot).shape)).fill(
        typeof value === "string" ? Arrays.NOT_FINITE[value] : value,
      ),
    ]),
    ...tape.held.map(({ slot, bytes }) => [slot, new (typed(slot))(Arrays.bytes(bytes).buffer)]),
  ]);
}

export { ARRAYS, interpreter, ofTape };
