// --- arrays that the page brought along, unpacked when first asked for --------------------------------

// Every digit that is shown belongs to the number: a rounded number has no more digits than were kept.

import { filled, WORDS } from "./words.js";
import { data } from "./state.js";
import { once } from "./once.js";
import * as Shapes from "./shapes.js";

const LARGE_DIGITS = 3,
  { DIGITS, POWERS, SPECIAL, SUMMARY } = data.constants;
const NOT_FINITE = { nan: NaN, inf: Infinity, "-inf": -Infinity };
const NO_SUMMARY = { least: null, greatest: null, mean: null, norm: null, zeros: 0, odd: 0 };
const unpacked = new Map(); // id -> the array

// The bytes of a text in Base64.
function bytes(base64) {
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) found[i] = text.charCodeAt(i);
  return found;
}

// The array of that id, a place in `data.arrays`; see `unpack`.
function ofId(id) {
  return once(unpacked, id, () => unpack(data.arrays[id]));
}

// An array, from what `packing.py` made of it: the `numbers` that were kept, in C order, of the `shape`
// that they have; its `full` shape, of which along each axis one in `steps` was kept; how many `digits`
// a number has; the `largest` size among them; and of all its numbers the mean and so on (`all`), and a
// histogram.
function unpack(packed) {
  const steps = packed.k || packed.s.map(() => 1);
  const shape = packed.s.map((n, axis) => Math.ceil(n / steps[axis])); // of the numbers that were kept
  const numbers = unpackedNumbers(packed, Shapes.size(shape));
  let largest = 0;
  for (const v of numbers) if (Number.isFinite(v) && Math.abs(v) > largest) largest = Math.abs(v);
  return {
    shape,
    steps,
    numbers,
    digits: packed.c === undefined ? DIGITS : LARGE_DIGITS,
    largest,
    full: packed.s,
    kind: packed.t,
    all: packed.m ? Object.fromEntries(SUMMARY.map((name, i) => [name, packed.m[i]])) : null,
    histogram: packed.h || [],
    thinned: packed.k !== undefined,
  };
}

// They are in one of four forms: three digits each, as they are in memory, bits of booleans, or a list.
function unpackedNumbers(packed, size) {
  if (packed.c !== undefined) return decoded(bytes(packed.c), packed.e);
  if (packed.x !== undefined) {
    const raw = bytes(packed.x).buffer;
    return packed.w === 8 ? new Float64Array(raw) : Float64Array.from(new Float32Array(raw));
  }
  if (packed.b !== undefined) {
    const bits = bytes(packed.b);
    return Float64Array.from({ length: size }, (_, i) => (bits[i >> 3] >> (i & 7)) & 1);
  }
  return Float64Array.from(packed.v, (v) => (typeof v === "string" ? NOT_FINITE[v] : v));
}

const LEAST_DIGITS = 100, // of a code: three digits, from 100 to 999
  DIGIT_CODES = 900;

// Numbers of three digits, two bytes each (see `codes` of packing.py); `top`: the power of ten of the largest.
function decoded(raw, top) {
  const numbers = new Float64Array(raw.length / 2);
  const specials = [0, NaN, Infinity, -Infinity, Number.MIN_VALUE, -Number.MIN_VALUE];
  for (let i = 0; i < numbers.length; i++) {
    const code = raw[2 * i] | (raw[2 * i + 1] << 8);
    if (code < SPECIAL) {
      numbers[i] = specials[code];
      continue;
    }
    const high = Math.floor((code - SPECIAL) / DIGIT_CODES); // twice the power, and the sign
    const digits = ((code - SPECIAL) % DIGIT_CODES) + LEAST_DIGITS;
    const power = (high >> 1) - POWERS + 1 + top - 2;
    numbers[i] = Number(`${high & 1 ? "-" : ""}${digits}e${power}`);
  }
  return numbers;
}

// A number as text, with so many digits if it is no integer: `kind` is the letter of its dtype.
function written(v, digits, kind = "f") {
  if (kind === "b") return v ? "True" : "False";
  if (Number.isNaN(v)) return "nan";
  if (!Number.isFinite(v)) return v > 0 ? "inf" : "-inf";
  if (v === 0) return "0";
  if (Math.abs(v) === Number.MIN_VALUE) return v > 0 ? "≈0" : "≈−0";
  if (kind !== "f") return String(v);
  const small = Math.abs(v) < 1e-4;
  let [mantissa, power] = (small ? v.toExponential(digits - 1) : v.toPrecision(digits)).split("e");
  if (mantissa.includes(".")) mantissa = mantissa.replace(/\.?0+$/, "");
  return power === undefined ? mantissa : `${mantissa}e${power.replace("+", "")}`;
}

// What was typed, as a number; null where it is none.
function numberIn(text) {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(",", ".")
    .replace("−", "-")
    .replace(/^\+/, "")
    .replace("infinity", "inf");
  if (Object.hasOwn(NOT_FINITE, plain)) return NOT_FINITE[plain];
  const [above, below = "1", ...more] = plain.split("/"); // a fraction, or one number
  if (more.length || !above || !below || Number(below) === 0) return null;
  return Number.isNaN(above / below) ? null : above / below;
}

// An array in a few letters: its numbers, up to so many.
function brief(a, most = 6) {
  if (!a) return WORDS.notKept;
  if (a.numbers.length <= most && !a.thinned)
    return [...a.numbers].map((v) => written(v, a.digits, a.kind)).join(", ");
  if (a.kind === "b")
    return filled(WORDS.someTrue, { some: a.numbers.filter(Boolean).length, count: a.numbers.length });
  if (!a.all || a.all.least === null) return "no finite number";
  const { least: low, greatest: high } = a.all;
  return low === high ? `all ${written(low, 4)}` : `${written(low, 4)} to ${written(high, 4)}`;
}

// The norm of an array, read from the packed one, which need not be unpacked for it.
function normKept(id) {
  const { m } = data.arrays[id];
  return m ? m[3] || 0 : ofId(id).largest;
}

// The index of an element in the whole array: some elements may have been left out.
function indexOf(a, place) {
  return Shapes.unravel(place, a.shape).map((k, axis) => k * a.steps[axis]);
}

// What was there at first, where that is something else.
function changedAt(a, place) {
  return a.was && !Object.is(a.was[place], a.numbers[place]) ? a.was[place] : undefined;
}

// The element at a place, as "[0, 1] = 2", with the labels of its row and column, and its first number.
function at(a, place, labels = []) {
  const index = indexOf(a, place);
  const was = changedAt(a, place);
  const named = index.map((k, axis) => (labels[axis] ? `“${labels[axis][k]}”` : "")).filter(Boolean);
  const places = named.length ? ` (${named.join(", ")})` : "";
  const where = index.length ? `[${index.join(", ")}]${places} = ` : "";
  const before = was === undefined ? "" : `, was ${written(was, a.digits, a.kind)}`;
  return where + written(a.numbers[place], a.digits, a.kind) + before;
}

// A shape as Python writes it, with the letters of its axes: "(T 3, 4)".
function shapeText(shape, letters = []) {
  const inside = shape.map((n, axis) => (letters[axis] ? `${letters[axis]} ${n}` : String(n)));
  return `(${inside.join(", ")}${shape.length === 1 ? "," : ""})`;
}

// The place of the largest number, among the places that count; -1 if there is none.
function placeOfLargest(numbers, counts = () => true) {
  let best = -1;
  for (let i = 0; i < numbers.length; i++)
    if ((best < 0 || numbers[i] > numbers[best]) && counts(i)) best = i;
  return best;
}

// The places of some numbers, the largest first; of equal ones the first.
function ranked(numbers) {
  return Array.from(numbers, (_, i) => i).sort((a, b) => numbers[b] - numbers[a] || a - b);
}

// The softmax of scores: the lower the temperature, the more of it has the highest.
function softmax(scores, temperature = 1) {
  const high = Math.max(...scores);
  const powers = scores.map((v) => Math.exp((v - high) / temperature));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((v) => v / total);
}

// A share of 1, with some decimal places of a percent.
const percent = (share, places = 0) => `${(100 * share).toFixed(places)}%`;

export {
  LARGE_DIGITS,
  NOT_FINITE,
  NO_SUMMARY,
  at,
  brief,
  bytes,
  changedAt,
  indexOf,
  normKept,
  numberIn,
  ofId,
  percent,
  placeOfLargest,
  ranked,
  shapeText,
  softmax,
  written,
};
