// --- the page computes: numbers are changed here, and what follows from them is computed again -------------

import { filled, WORDS } from "./words.js";
import { byId, data, fill, make, plural, say, state } from "./base.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Interpreter from "./interpreter.js";
import * as Learn from "./learn.js";
import * as WhatIf from "./whatif.js";
import * as Drawing from "./drawing.js";
import * as Places from "./places.js";
import * as Attention from "./attention.js";
import * as Timeline from "./timeline.js";
import * as Pictures from "./pictures.js";

// Everything that the page shows of an array it finds by an id. Those of the run that was written down are
// places in `data.arrays`; what was computed here since is "slot@version". An array that is again as it
// was has its first id again, so undoing leaves nothing behind.

const { BINS } = data.constants;
const live = data.live.frozen ? null : data.live;
const kindOf = (slot) => live.kinds[live.slots[slot]];
const sizeOf = (slot) => Interpreter.product(kindOf(slot).shape);
const original = {
  // the ids of the run that was written down
  value: new Map(data.nodes.map((node) => [node.n, node.value])),
  gradient: new Map(data.nodes.map((node) => [node.n, node.gradient])),
  state: new Map(data.nodes.map((node) => [node.n, node.state])),
  passed: new Map(Graph.edges.map((edge) => [edge.id, edge.passed])),
};
let machine = null; // the interpreter, once it is needed
let first = null; // the array of each slot at first
let version = 0;

function engine() {
  if (machine) return machine;
  const typed = (slot, numbers) => Interpreter.ARRAYS[kindOf(slot).dtype].from(numbers);
  machine = Interpreter.interpreter(live, [
    ...live.leaves.map((leaf) => [leaf.slot, typed(leaf.slot, Arrays.array(leaf.array).numbers)]),
    ...live.filled.map(({ slot, value }) => [
      slot,
      new Interpreter.ARRAYS[kindOf(slot).dtype](sizeOf(slot)).fill(
        typeof value === "string" ? Arrays.NOT_FINITE[value] : value,
      ),
    ]),
    ...live.held.map((held) => [
      held.slot,
      new Interpreter.ARRAYS[kindOf(held.slot).dtype](Arrays.bytes(held.bytes).buffer),
    ]),
  ]);
  const copies = new Map();
  for (const slot of machine.slots) if (!copies.has(slot.array)) copies.set(slot.array, slot.array.slice());
  first = machine.slots.map((slot) => copies.get(slot.array));
  return machine;
}

if (live) (window.requestIdleCallback || setTimeout)(engine); // so that the first change is answered at once

function same(a, b) {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

// --- what is shown -----------------------------------------------------------------------------------------

const other = new Set(); // the slots that are not as they were at first

function idOf(slot, before) {
  return other.has(slot) ? `${slot}@${version}` : before;
}

function ofSlot(id) {
  const slot = Number(id.split("@")[0]);
  return described(slot, machine.slots[slot].array, first[slot]);
}

function computedFirst(slot) {
  // what the page did not bring along, as it computes that of its leaves
  engine();
  return { ...described(slot, first[slot]), digits: Arrays.LARGE_DIGITS };
}

function described(slot, array, was) {
  // an array as `unpack` would give it
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

const normOf = (id) => norm(machine.slots[Number(id.split("@")[0])].array);
function normAtFirst(slot) {
  engine();
  return norm(first[slot]);
}

function norm(numbers) {
  let squares = 0;
  for (const v of numbers) if (Number.isFinite(v)) squares += v * v;
  return Math.sqrt(squares);
}

function changedAt(a, place) {
  // what was there at first, where that is something else
  return a.was && !Object.is(a.was[place], a.numbers[place]) ? a.was[place] : undefined;
}

function isChanged(n) {
  return typeof Graph.nodes.get(n).value === "string";
}

// What Python or NumPy made of numbers cannot be followed. What came up after they were read keeps its
// numbers when these change, and all that is computed from it is marked: values, gradients, contributions.
let uncertain = new Map(); // slot -> the node that keeps a number, of those that it is computed from

function doubts(isOther) {
  // the same for the nodes whose numbers would be others
  const found = new Map();
  const doubt = (slot, of) => {
    if (slot !== null && !found.has(slot)) found.set(slot, of);
  };
  const doubtAll = (n, of) => {
    // its numbers, and what its rules make of them
    doubt(live.value[n], of);
    for (const edge of Graph.into.get(n))
      if (live.passed[edge.id]) for (const part of ["given", "fitted"]) doubt(live.passed[edge.id][part], of);
  };
  const isLost = (n) => isOther(n) || found.has(live.value[n]) || live.fixed[live.value[n]] !== undefined;
  let before;
  do {
    // what was read may be in doubt itself
    before = found.size;
    for (const [key, read] of Object.entries(live.made_of)) {
      const n = Number(key),
        { op } = Graph.nodes.get(n);
      if (!read.some(isLost)) continue;
      if (op) doubtAll(n, n);
      else if (!isChanged(n)) doubt(live.value[n], n); // else the reader gave it numbers
    }
    if (!found.size) break;
    for (const edge of Graph.edges) {
      // numbers that no call reads: they chose what the calls are
      const slot = live.value[edge.source];
      if (found.has(slot) && live.pinned[slot] !== undefined) doubtAll(edge.target, found.get(slot));
    }
    for (const [, out, reads] of live.calls) {
      // arguments come before what is computed from them
      const from = reads.find((slot) => found.has(slot));
      if (from !== undefined) doubt(out, found.get(from));
    }
  } while (found.size > before);
  return found;
}

function readLines() {
  // where numbers were read that are others now
  return [...new Set(live.reads.filter(({ node }) => isChanged(node)).map(({ line }) => line))].filter(
    Boolean,
  );
}

// Why the numbers of a slot are not what Python would compute from those that are here now.
function whyFixedSlot(slot, n = null) {
  if (!live || slot === undefined || slot === null) return null;
  if (live.fixed[slot] !== undefined) return filled(WORDS.keepsNumbers, { why: live.fixed[slot] });
  return uncertain.has(slot) ? whyUncertain(uncertain.get(slot), n) : null;
}

function whyUncertain(of, n = null) {
  // of the node that keeps a number; `n` is the one that this is said of
  const { op, made } = Graph.nodes.get(of);
  const said = live.proven?.includes(of) ? WORDS.keepsProven : WORDS.keepsPerhaps;
  const subject = of !== n ? "source" : op ? "line" : "itself";
  return filled(said[subject], { made, node: nodeText(of), sources: sourcesOf(of) });
}

const whyFixed = (n) => (live ? whyFixedSlot(live.value[n], n) : null);
const whyFixedGradient = (n) => (live ? whyFixedSlot(live.gradient[n]) : null);
const fixedText = (why) =>
  why === null
    ? null
    : make("p", { class: "state fixed" }, make("span", { class: "badge" }, "fixed"), ` ${why}`);
const fixedBadge = (why) =>
  why === null || !other.size ? null : make("span", { class: "badge", title: why }, "fixed");

function nodeText(n) {
  const node = Graph.nodes.get(n);
  return node.op ? filled(WORDS.numberIn, node) : Graph.nameOf(n);
}

const sourcesOf = (n) => (live.made_of[n] || []).map(Graph.nameOf).join(" or ");

// What running the function again has shown of a node whose numbers Python or NumPy made.
function madeText(n) {
  const said = Graph.nodes.get(n).op ? WORDS.madeOf.line : WORDS.madeOf.itself;
  return live?.proven?.includes(n) ? filled(said, { sources: sourcesOf(n) }) : null;
}

function changedText(n) {
  // what a node is now, and was at first
  return isChanged(n)
    ? `\n${Arrays.brief(Graph.nodes.get(n).value)}, was ${Arrays.brief(original.value.get(n))}`
    : "";
}

const mapped = (object, of) =>
  Object.fromEntries(Object.entries(object).map(([name, v]) => [name, of(v, name)]));

function refresh(touched) {
  version++;
  for (const id of Arrays.unpacked.keys()) if (typeof id === "string") Arrays.unpacked.delete(id);
  for (const key of Pictures.thumbs.keys()) if (key.includes("@")) Pictures.thumbs.delete(key);
  touched.forEach((slot) => {
    if (same(machine.slots[slot].array, first[slot])) other.delete(slot);
    else other.add(slot);
  });
  const computed = new Set(touched);
  for (const node of data.nodes) {
    node.value = idOf(live.value[node.n], original.value.get(node.n));
    const slot = live.gradient[node.n],
      atFirst = original.state.get(node.n);
    if (slot === undefined) continue;
    if (original.gradient.get(node.n) !== null) node.gradient = idOf(slot, original.gradient.get(node.n));
    node.state =
      !other.has(slot) || !["known", "zero"].includes(atFirst)
        ? atFirst
        : machine.slots[slot].array.every((v) => v === 0)
          ? "zero"
          : "known";
  }
  for (const edge of Graph.edges) {
    const slots = live.passed[edge.id];
    if (!slots) continue;
    const before = original.passed.get(edge.id);
    if (computed.has(slots.fitted)) state.answered.delete(edge.id); // that was said of other numbers
    edge.passed = mapped(before, (id, part) => (id === null ? null : idOf(slots[part], id)));
  }
  uncertain = other.size ? doubts(isChanged) : new Map();
  for (const [n, list] of Graph.arrivals)
    for (const arrival of list)
      arrival.sum = arrival.edge ? arrival.edge.passed.after : Graph.nodes.get(n).gradient;
  for (const { arrows } of Drawing.drawn.values())
    for (const arrow of arrows)
      if (arrow.label) {
        arrow.label.remove();
        arrow.label = null;
      }
  Timeline.measure();
  Attention.repaints.forEach((repaint) => repaint());
}

function lossNow() {
  const { array: numbers } = engine().slots[live.value[data.roots[0]]];
  return numbers.length === 1 ? numbers[0] : numbers.reduce((a, b) => a + b, 0);
}

// --- changes, and undoing them -------------------------------------------------------------------------------

// A change has what was before it and what is after it, for each slot that it gave other numbers.
const past = [],
  future = [];
const MOST_CHANGES = 300,
  MOST_BYTES = 1e8; // those before are forgotten

function put(changes) {
  // slot -> numbers; what follows is computed again
  const running = engine();
  for (const [slot, numbers] of changes) running.change(slot, numbers);
  refresh(running.update());
}

// `gesture`: changes with the same one, in a row, are undone together.
function change(name, changes, gesture = null) {
  const { slots } = engine();
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
  put(changes);
  past[past.length - 1].after = new Map(
    [...past[past.length - 1].before.keys()].map((slot) => [slot, slots[slot].array.slice()]),
  );
  changesShown();
}

function travel(from, to, side) {
  const step = from.pop();
  if (!step) return;
  Learn.stopLearning();
  to.push(step);
  put(step[side]);
  keepFocus(Places.render);
  changesShown();
  say(`${side === "before" ? "Undone" : "Done again"}: ${step.name}. ${lossText()}`);
}

const undo = () => travel(past, future, "before");
const redo = () => travel(future, past, "after");

function undoAll() {
  const changed = [...live.leaves, ...live.filled, ...live.held]
    .map(({ slot }) => slot)
    .filter((slot) => other.has(slot));
  if (!changed.length) return;
  Learn.stopLearning();
  change("all as it was written", new Map(changed.map((slot) => [slot, first[slot]])));
  keepFocus(Places.render);
  say(filled(WORDS.asWritten, { loss: lossText() }));
}

function lossText() {
  const root = Graph.nodes.get(data.roots[0]);
  return root.shape.length ? "" : `${Graph.nameOf(root.n)} is ${Arrays.written(lossNow(), 5)}`;
}

function keepFocus(act) {
  // the panel is made again: the field with the focus is found again
  const { field } = document.activeElement ? document.activeElement.dataset : {};
  act();
  const again = field && document.querySelector(`[data-field="${field}"]`);
  if (again && again !== document.activeElement) {
    again.focus({ preventScroll: true });
    if (again.select) again.select();
  }
}

function changesShown() {
  const box = byId("changes");
  const root = Graph.nodes.get(data.roots[0]);
  box.hidden = live === null;
  if (live === null) return;
  if (!past.length && !future.length)
    return fill(
      box,
      make("span", {}, "Every number here can be changed: choose a card, and type, drag or press ↑ ↓."),
    );
  const leaves = live.leaves
    .map(({ slot }) => slot)
    .concat(Object.values(live.numbers).flatMap(Object.values))
    .filter((slot) => other.has(slot));
  const count = leaves.reduce(
    (n, slot) =>
      n + machine.slots[slot].array.reduce((k, v, i) => k + (Object.is(v, first[slot][i]) ? 0 : 1), 0),
    0,
  );
  const off = live.switches.reduce(
    (n, { places }) => n + places.filter(({ gate }) => !WhatIf.isOn(gate)).length,
    0,
  );
  const before = first[live.value[root.n]],
    told = WhatIf.writtenNow();
  fill(
    box,
    make(
      "b",
      {},
      [count ? `${plural(count, "number")} changed` : null, off ? `${plural(off, "part")} off` : null]
        .filter(Boolean)
        .join(", ") || "As it was written",
    ),
    root.shape.length
      ? null
      : make(
          "span",
          {},
          `${Graph.nameOf(root.n)} `,
          count || off ? [make("s", {}, Arrays.written(before[0], 4)), " → "] : null,
          make("b", { class: "mono" }, Arrays.written(lossNow(), 4)),
          " ",
          fixedBadge(whyFixed(root.n)),
        ),
    told ? make("span", {}, "likeliest symbols ", told.now) : null,
    told?.was ? make("span", { class: "soft" }, WORDS.lossAgainst) : null,
    readLines().length
      ? make(
          "span",
          { class: "fixed-lines" },
          make("span", { class: "badge" }, "fixed"),
          filled(WORDS.readAt, { lines: readLines().join(", ") }),
        )
      : null,
    (live.paths || []).some(isChanged)
      ? make(
          "span",
          { class: "fixed-lines" },
          make("span", { class: "badge" }, "fixed"),
          filled(WORDS.otherPaths, { names: live.paths.filter(isChanged).map(Graph.nameOf).join(", ") }),
        )
      : null,
    make("span", { class: "soft only-extra" }, "The part below shows the run as it was written."),
    make(
      "span",
      { class: "buttons" },
      make(
        "button",
        { "data-field": "undo", onclick: undo, disabled: !past.length, title: "Undo (Ctrl Z)" },
        "Undo",
      ),
      make(
        "button",
        { "data-field": "redo", onclick: redo, disabled: !future.length, title: "Do again (Ctrl Shift Z)" },
        "Do again",
      ),
      make(
        "button",
        {
          "data-field": "first",
          onclick: undoAll,
          disabled: !count && !off,
          title: "All numbers as they were written",
        },
        "As written",
      ),
    ),
  );
}

export {
  change,
  changedAt,
  changedText,
  changesShown,
  computedFirst,
  doubts,
  engine,
  first,
  fixedBadge,
  fixedText,
  isChanged,
  keepFocus,
  kindOf,
  live,
  lossNow,
  lossText,
  machine,
  madeText,
  nodeText,
  normAtFirst,
  normOf,
  ofSlot,
  other,
  redo,
  sizeOf,
  undo,
  undoAll,
  version,
  whyFixed,
  whyFixedGradient,
  whyFixedSlot,
};
