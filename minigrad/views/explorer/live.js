// --- the page computes: numbers are changed here, and what follows from them is computed again -------------

// Everything that the page shows of an array it finds by an id. Those of the run that was written down are
// places in `data.arrays`; what was computed here since is "slot@version". An array that is again as it
// was has its first id again, so undoing leaves nothing behind.

const live = data.live.frozen ? null : data.live;
const kindOf = (slot) => live.kinds[live.slots[slot]];
const sizeOf = (slot) => product(kindOf(slot)[1]);
const written_down = { // the ids of the run that was written down
  value: new Map(data.nodes.map((node) => [node.n, node.value])),
  gradient: new Map(data.nodes.map((node) => [node.n, node.gradient])),
  state: new Map(data.nodes.map((node) => [node.n, node.state])),
  passed: new Map(edges.map((edge) => [edge.id, [edge.given, edge.contribution, edge.before, edge.after]])),
};
let machine = null; // the interpreter, once it is needed
let first = null; // the array of each slot at first
let version = 0;

function engine() {
  if (machine) return machine;
  const typed = (slot, numbers) => ARRAYS[kindOf(slot)[0]].from(numbers);
  machine = interpreter(live, [
    ...live.leaves.map(([slot, id]) => [slot, typed(slot, array(id).numbers)]),
    ...live.filled.map(([slot, v]) => [slot, new ARRAYS[kindOf(slot)[0]](sizeOf(slot)).fill(typeof v === "string" ? NOT_FINITE[v] : v)]),
    ...live.held.map(([slot, text]) => [slot, new ARRAYS[kindOf(slot)[0]](bytes(text).buffer)]),
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

let other = new Set(); // the slots that are not as they were at first

function idOf(slot, before) {
  return other.has(slot) ? `${slot}@${version}` : before;
}

function ofSlot(id) { // an array as `unpack` would give it; what is said of all of it when it is asked for
  const slot = Number(id.split("@")[0]), [dtype, shape] = kindOf(slot);
  const numbers = Float64Array.from(machine.slots[slot].array);
  let low = Infinity, high = -Infinity, sum = 0, squares = 0, zeros = 0, count = 0;
  for (const v of numbers) {
    if (!Number.isFinite(v)) continue;
    count++; sum += v; squares += v * v;
    if (v < low) low = v;
    if (v > high) high = v;
    if (v === 0) zeros++;
  }
  const odd = numbers.length - count;
  return {
    shape, steps: shape.map(() => 1), numbers, digits: SMALL_DIGITS, largest: count ? Math.max(-low, high) : 0, full: shape, kind: dtype[0] === "u" ? "i" : dtype[0],
    all: numbers.length < 2 || dtype === "b1" ? null : count ? [low, high, sum / count, Math.sqrt(squares), zeros, odd] : [null, null, null, null, 0, odd],
    get histogram() {
      const bars = this.all && low < high ? Array(24).fill(0) : [];
      if (bars.length) for (const v of numbers) if (Number.isFinite(v)) bars[Math.min(23, Math.floor((24 * (v - low)) / (high - low)))]++;
      return bars;
    },
    thinned: false, was: first[slot],
  };
}

function normOf(id) {
  let squares = 0;
  for (const v of machine.slots[Number(id.split("@")[0])].array) if (Number.isFinite(v)) squares += v * v;
  return Math.sqrt(squares);
}

function changedAt(a, place) { // what was there at first, where that is something else
  return a.was && !Object.is(a.was[place], a.numbers[place]) ? a.was[place] : undefined;
}

function isChanged(n) {
  return typeof nodes.get(n).value === "string";
}

// What Python or NumPy made of numbers cannot be followed. An array that came up after they were read keeps
// its numbers when these change, and all that is computed from it is marked.
const uncertain = new Map(); // node -> the array that it is, or is computed from
function findUncertain() {
  uncertain.clear();
  for (const [n, read] of Object.entries(live.made_of)) if ((nodes.get(Number(n)).op || !isChanged(Number(n))) && read.some(isChanged)) uncertain.set(Number(n), Number(n));
  for (const node of data.nodes) // arguments come before what is computed from them
    for (const edge of into.get(node.n)) if (uncertain.has(edge.source) && !uncertain.has(node.n)) uncertain.set(node.n, uncertain.get(edge.source));
}

function readLines() { // where numbers were read that are others now
  return [...new Set(live.reads.filter(([n]) => isChanged(n)).map(([, line]) => line))].filter(Boolean);
}

function whyFixed(n) {
  if (!live) return null;
  if (live.fixed[n] !== undefined) return `It keeps its numbers, whatever is changed: ${live.fixed[n]}.`;
  if (!uncertain.has(n)) return null;
  const of = uncertain.get(n);
  if (live.paths) return `${of === n ? (nodes.get(of).op ? "A number of its line" : "It") : `What it is computed from, ${nodeText(of)},`} keeps its value when ${sourcesOf(of)} changes: Python or NumPy made it of that, as running the function again has shown.`;
  const what = `${of === n ? "" : "What it is computed from, "}${nodes.get(of).op || of !== n ? nodeText(of) : "it"}${of === n ? "" : ","} keeps`;
  return `${what[0].toUpperCase()}${what.slice(1)} its value when others change, and Python or NumPy may have made it of numbers that are others now.`;
}

function whyFixedGradient(n) { // null where that is said of its value
  const why = live && live.fixed[n] === undefined ? live.fixed_gradient[n] : undefined;
  return why === undefined ? null : make("p", { class: "state fixed" }, make("span", { class: "badge" }, "fixed"), ` It keeps its numbers, whatever is changed: ${why}.`);
}

const nodeText = (n) => (nodes.get(n).op ? `a number in ${nodes.get(n).made}` : nameOf(n));
const sourcesOf = (n) => (live.made_of[n] || []).map(nameOf).join(" or ");

// What running the function again has shown of a node whose numbers Python or NumPy made.
function madeText(n) {
  return live && live.paths && live.made_of[n] ? `Python or NumPy made ${nodes.get(n).op ? "a number of its line" : "it"} of ${sourcesOf(n)}: it keeps its value when that changes.` : null;
}

function changedText(n) { // what a node is now, and was at first
  return isChanged(n) ? `\n${brief(nodes.get(n).value)}, was ${brief(written_down.value.get(n))}` : "";
}

function refresh(touched) {
  version++;
  for (const id of unpacked.keys()) if (typeof id === "string") unpacked.delete(id);
  for (const key of thumbs.keys()) if (key.includes("@")) thumbs.delete(key);
  touched.forEach((slot) => { if (same(machine.slots[slot].array, first[slot])) other.delete(slot); else other.add(slot); });
  const computed = new Set(touched);
  for (const node of data.nodes) {
    node.value = idOf(live.value[node.n], written_down.value.get(node.n));
    const slot = live.gradient[node.n], state = written_down.state.get(node.n);
    if (slot === undefined) continue;
    if (written_down.gradient.get(node.n) !== null) node.gradient = idOf(slot, written_down.gradient.get(node.n));
    node.state = !other.has(slot) || !["known", "zero"].includes(state) ? state : machine.slots[slot].array.every((v) => v === 0) ? "zero" : "known";
  }
  for (const edge of edges) {
    const slots = live.passed[edge.id];
    if (!slots) continue;
    const before = written_down.passed.get(edge.id);
    if (computed.has(slots[1])) state.answered.delete(edge.id); // that was said of other numbers
    [edge.given, edge.contribution, edge.before, edge.after] = slots.map((slot, i) => (before[i] === null || before[i] === undefined ? before[i] : idOf(slot, before[i])));
  }
  findUncertain();
  for (const [n, list] of arrivals) for (const arrival of list) arrival.sum = arrival.edge ? arrival.edge.after : nodes.get(n).gradient;
  for (const { arrows } of drawn.values()) for (const arrow of arrows) if (arrow.label) { arrow.label.remove(); arrow.label = null; }
  measure();
  repaints.forEach((repaint) => repaint());
}

function lossNow() {
  const { array: numbers } = engine().slots[live.value[data.roots[0]]];
  return numbers.length === 1 ? numbers[0] : numbers.reduce((a, b) => a + b, 0);
}

// --- changes, and undoing them -------------------------------------------------------------------------------

// A change has what was before it and what is after it, for each slot that it gave other numbers.
const past = [], future = [];
const MOST_CHANGES = 300, MOST_BYTES = 1e8; // those before are forgotten

function put(changes) { // slot -> numbers; what follows is computed again
  const { change, update } = engine();
  for (const [slot, numbers] of changes) change(slot, numbers);
  refresh(update());
}

// `gesture`: changes with the same one, in a row, are undone together.
function change(name, changes, gesture = null) {
  const { slots } = engine();
  const last = past[past.length - 1];
  const joined = gesture !== null && last && last.gesture === gesture && [...changes.keys()].every((slot) => last.before.has(slot));
  if (joined) last.name = name;
  else {
    const before = new Map([...changes.keys()].map((slot) => [slot, slots[slot].array.slice()]));
    past.push({ name, gesture, before, after: null, bytes: 2 * [...before.values()].reduce((n, numbers) => n + numbers.byteLength, 0) });
    while (past.length > 1 && (past.length > MOST_CHANGES || past.reduce((n, step) => n + step.bytes, 0) > MOST_BYTES)) past.shift();
  }
  future.length = 0;
  put(changes);
  past[past.length - 1].after = new Map([...past[past.length - 1].before.keys()].map((slot) => [slot, slots[slot].array.slice()]));
  changesShown();
}

function travel(from, to, side) {
  const step = from.pop();
  if (!step) return;
  stopLearning();
  to.push(step);
  put(step[side]);
  keepFocus(render);
  changesShown();
  say(`${side === "before" ? "Undone" : "Done again"}: ${step.name}. ${lossText()}`);
}

const undo = () => travel(past, future, "before");
const redo = () => travel(future, past, "after");

function undoAll() {
  const changed = [...live.leaves, ...live.filled, ...live.held].map(([slot]) => slot).filter((slot) => other.has(slot));
  if (!changed.length) return;
  stopLearning();
  change("all as it was written", new Map(changed.map((slot) => [slot, first[slot]])));
  keepFocus(render);
  say(`All numbers are as they were written. ${lossText()}`);
}

function lossText() {
  const root = nodes.get(data.roots[0]);
  return root.shape.length ? "" : `${nameOf(root.n)} is ${written(lossNow(), 5)}`;
}

function keepFocus(act) { // the panel is made anew: the field with the focus is found again
  const { field } = document.activeElement ? document.activeElement.dataset : {};
  act();
  const again = field && document.querySelector(`[data-field="${field}"]`);
  if (again && again !== document.activeElement) { again.focus({ preventScroll: true }); if (again.select) again.select(); }
}

function changesShown() {
  const box = byId("changes");
  const root = nodes.get(data.roots[0]);
  box.hidden = live === null;
  if (live === null) return;
  if (!past.length && !future.length) return fill(box, make("span", {}, "Every number here can be changed: choose a card, and type, drag or press ↑ ↓."));
  const leaves = live.leaves.map(([slot]) => slot).concat(Object.values(live.numbers).flatMap(Object.values)).filter((slot) => other.has(slot));
  const count = leaves.reduce((n, slot) => n + machine.slots[slot].array.reduce((k, v, i) => k + (Object.is(v, first[slot][i]) ? 0 : 1), 0), 0);
  const off = live.switches.reduce((n, [, , places]) => n + places.filter(([, , gate]) => !isOn(gate)).length, 0);
  const before = first[live.value[root.n]], told = writtenNow();
  fill(box,
    make("b", {}, [count ? `${plural(count, "number")} changed` : null, off ? `${plural(off, "part")} off` : null].filter(Boolean).join(", ") || "As it was written"),
    root.shape.length ? null : make("span", {}, `${nameOf(root.n)} `, count || off ? [make("s", {}, written(before[0], 4)), " → "] : null, make("b", { class: "mono" }, written(lossNow(), 4))),
    told ? make("span", {}, "likeliest symbols ", told.now) : null,
    readLines().length ? make("span", { class: "fixed-lines" }, make("span", { class: "badge" }, "fixed"), ` What was done with the numbers read at ${readLines().join(", ")} stays as it was.`) : null,
    (live.paths || []).some(isChanged) ? make("span", { class: "fixed-lines" }, make("span", { class: "badge" }, "fixed"), ` With other numbers of ${live.paths.filter(isChanged).map(nameOf).join(", ")} the function may run other operations: these are the ones that ran.`) : null,
    make("span", { class: "soft only-extra" }, "The part below shows the run as it was written."),
    make("span", { class: "buttons" },
      make("button", { "data-field": "undo", onclick: undo, disabled: !past.length, title: "Undo (Ctrl Z)" }, "Undo"),
      make("button", { "data-field": "redo", onclick: redo, disabled: !future.length, title: "Do again (Ctrl Shift Z)" }, "Do again"),
      make("button", { "data-field": "first", onclick: undoAll, disabled: !count && !off, title: "All numbers as they were written" }, "As written")));
}
