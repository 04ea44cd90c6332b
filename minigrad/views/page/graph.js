// --- the graph: nodes, edges and steps, and the drawing of each node ----------------------------------

import { filled, WORDS } from "./words.js";
import { data, state } from "./state.js";
import { once } from "./once.js";

const nodes = new Map(data.nodes.map((node) => [node.n, node]));
const root = nodes.get(data.roots[0]); // what the computation ends in, such as a loss
// An edge is a `GraphEdge` of Python's, as nodes.py writes it; what was not kept of `passed` is null.
const NOTHING_PASSED = { given: null, fitted: null, before: null, after: null };
const edges = data.edges.map((edge, id) => ({
  ...edge,
  id,
  item: edge.item ?? null,
  argument: edge.item === undefined ? edge.argument : `${edge.argument}[${edge.item}]`,
  differentiable: edge.rule !== undefined,
  rule: edge.rule === undefined ? null : data.rules[edge.rule],
  copied: edge.copied || [],
  passed: { ...NOTHING_PASSED, ...edge.passed },
}));
const into = new Map(), // node -> the edges that end there, one for each argument
  outOf = new Map(); // node -> the edges that begin there
for (const node of data.nodes) {
  into.set(node.n, []);
  outOf.set(node.n, []);
}
for (const edge of edges) {
  into.get(edge.target).push(edge);
  outOf.get(edge.source).push(edge);
}

// Records that came as a table, with their names once (see `table` of packing.py).
function records({ names, rows }) {
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));
}

for (const view of data.views)
  for (const part of ["cards", "frames", "arrows"]) view[part] = records(view[part]);
const views = new Map(data.views.map((view) => [view.name, view]));
const hasDrawings = data.views.every((view) => view.size);
const home = new Map(); // node -> the innermost drawing in which it has a card
for (const view of data.views) {
  view.keys = new Map(view.cards.map((card) => [card.key, card]));
  view.depth = view.around ? views.get(view.around).depth + 1 : 0;
}
// name of a drawing -> the nodes that it shows, though they are outside its box
const borrowed = new Map(data.views.map((view) => [view.name, new Set(view.outside)]));
for (const view of data.views)
  for (const key of view.keys.keys())
    if (typeof key === "number" && !borrowed.get(view.name).has(key)) {
      const before = home.get(key);
      if (!before || views.get(before).depth <= view.depth) home.set(key, view.name);
    }

// A drawing and those around it, the whole first.
function trail(name) {
  const found = [];
  for (let view = views.get(name); view; view = views.get(view.around)) found.unshift(view.name);
  return found;
}

const placed = new Map(); // "drawing node" -> the key that `placeIn` found
// The key of the card in a drawing that is or contains node n.
function placeIn(name, n) {
  const { keys } = views.get(name);
  return once(placed, `${name} ${n}`, () =>
    keys.has(n) ? n : (trail(home.get(n)).findLast((outer) => keys.has(outer)) ?? null),
  );
}

// The short name of a node: the last part of its label, else its number.
function nameOf(n) {
  const node = nodes.get(n);
  return node.label ? node.label.split(".").pop() : `#${n}`;
}

// The full name of a node: its whole label, else its expression.
function fullName(n) {
  const node = nodes.get(n);
  return node.label || (node.kind === "operation" ? node.made : `${node.kind} #${n}`);
}

// The box that a node is in, or that a drawing is of, the innermost; undefined where there is none.
const boxOf = ({ box }) => data.boxes[box];
// The boxes around a node, the innermost first.
function outward(node) {
  const boxes = [];
  for (let box = boxOf(node); box; box = data.boxes[box.parent]) boxes.push(box);
  return boxes;
}
// The path of its module or function, which tells it from others of its name; "" where there is none.
const pathOf = (of) => boxOf(of)?.path ?? "";
// A sentence about a node: about its operation, else about its box; or "".
const aboutOf = (node) => node.about || boxOf(node)?.about || "";

// A node as a line of code, "label = expression", or the one of the two that it has; or "".
const asLine = ({ label, made }) => `${label}${label && made ? " = " : ""}${made}`;

// --- time: first forward in order, then backward ------------------------------------------------------

const FORWARD = data.forward.length;
const steps = [
  ...data.forward.map((n) => ({ n, back: false })),
  ...data.backward.map((n) => ({ n, back: true })),
];
// node -> the time at which its value is computed: 0 for a leaf
const computedAt = new Map(data.nodes.map((node) => [node.n, 0]));
const handedOnAt = new Map(); // node -> the time at which it gives its gradient on to its arguments
steps.forEach((step, i) => (step.back ? handedOnAt : computedAt).set(step.n, i + 1));

const arrivals = new Map(data.nodes.map((node) => [node.n, []])); // node -> a list of {time, edge, sum}, in order
for (const edge of edges)
  if (edge.differentiable && handedOnAt.has(edge.target) && nodes.get(edge.target).gradient !== null)
    arrivals.get(edge.source).push({ time: handedOnAt.get(edge.target), edge, sum: edge.passed.after });
for (const list of arrivals.values())
  list.sort((a, b) => a.time - b.time || a.edge.position - b.edge.position);
for (const n of data.roots)
  arrivals.get(n).unshift({ time: FORWARD + 1, edge: null, sum: nodes.get(n).gradient });

// The step at which the reader is, `{n, back}`; null before the first.
function current() {
  return state.time ? steps[state.time - 1] : null;
}

// Whether the value of a node is shown at this time: before the first step, all are.
const isComputed = (n) => !state.time || computedAt.get(n) <= state.time;

// The number of this step on its way, forward or back, and how many steps that way has.
function progress() {
  return state.time > FORWARD
    ? { step: state.time - FORWARD, count: steps.length - FORWARD }
    : { step: state.time, count: FORWARD };
}

// Whether gradients are hidden until they are worked out: as the reader chose, or by a question of a chapter.
const isPredicting = () => state.predict || state.asked?.kind === "gradient";

// Whether what an edge passed is to be worked out by the reader first.
function isHidden(edge) {
  return (
    isPredicting() &&
    edge !== null &&
    !nodes.get(edge.source).shape.includes(0) &&
    !state.answered.has(edge.id) &&
    handedOnAt.get(edge.target) >= (state.time || 1)
  );
}

// What is known of the gradient of a node now: one of "needs none", "freed", "later" (not computed yet),
// "not computed" (never), "hidden", "arriving", "zero" and "known"; and the sum of what has arrived.
function gradientNow(n) {
  const node = nodes.get(n);
  const list = arrivals.get(n);
  if (["needs none", "freed", "not computed"].includes(node.state)) return { state: node.state, sum: null };
  const time = state.time || Infinity;
  const due = list.filter((arrival) => arrival.time <= time);
  const seen = due.filter((arrival) => !isHidden(arrival.edge));
  if (!due.length) return { state: "later", sum: null };
  if (!seen.length) return { state: "hidden", sum: null, of: list.length };
  const sum = seen.length === list.length ? node.gradient : seen.at(-1).sum;
  if (seen.length < list.length) return { state: "arriving", sum, arrived: seen.length, of: list.length };
  return { state: node.state, sum };
}

// Whether `gradientNow` found numbers that are worth showing: of zeros, it is said that they are zeros.
const hasNumbers = (found) => found.sum !== null && found.state !== "zero";

// What `gradientNow` found, as words.
function stateText(found) {
  return found.state === "arriving" ? filled(WORDS.arrivedOf, found) : WORDS.states[found.state];
}

export {
  FORWARD,
  aboutOf,
  arrivals,
  asLine,
  borrowed,
  boxOf,
  computedAt,
  current,
  edges,
  steps,
  fullName,
  gradientNow,
  handedOnAt,
  hasDrawings,
  hasNumbers,
  home,
  into,
  isComputed,
  isHidden,
  isPredicting,
  nameOf,
  nodes,
  outOf,
  outward,
  pathOf,
  placeIn,
  progress,
  root,
  stateText,
  trail,
  views,
};
