// --- the panel of a step: its arguments, its result, and the gradients that go back -------------------

import { filled, plural, withElements, WORDS } from "./words.js";
import { byId, fill, make, soft } from "./dom.js";
import { data, state } from "./state.js";
import * as Shapes from "./shapes.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Places from "./places.js";
import * as ChapterList from "./chapter_list.js";
import * as ChapterPlay from "./chapter_play.js";
import * as Shown from "./shown.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Attention from "./attention.js";
import * as Elements from "./elements.js";
import * as Sources from "./sources.js";
import * as Predict from "./predict.js";
import * as Heat from "./heat.js";
import * as Listing from "./listing.js";

// Show the step at which the reader is, and begin at its top.
function stepPanel() {
  const step = Graph.current();
  const box = byId("step");
  if (!step) return fill(box, beforeTheFirst());
  const node = Graph.nodes.get(step.n);
  const wayBack = node.kind === "operation" ? backward : leaf;
  fill(box, heading(node, step.back), step.back ? wayBack(node) : forward(node));
  box.scrollTop = 0;
}

const beforeTheFirst = () => [
  make("p", {}, WORDS.nothingHappened),
  make(
    "div",
    { class: "start" },
    make("button", { class: "primary", onclick: () => Places.go(1) }, "Take the first step →"),
  ),
];

// The place of the step in the computation, its line of code, and its reason.
function heading(node, back) {
  const why = Graph.aboutOf(node);
  return [
    ChapterList.chapterLine(),
    make(
      "p",
      { class: `phase ${back ? "backward" : ""}` },
      filled(back ? WORDS.stepBack : WORDS.stepForward, Graph.progress()),
    ),
    make("h2", {}, make("code", {}, Graph.asLine(node) || `${node.kind} #${node.n}`)),
    why ? make("p", { class: "why" }, why) : null,
    trailText(node),
    lineText(node),
  ];
}

// The line of code that asked for it: the name of the file leads to it there.
function lineText(node) {
  if (!node.line) return null;
  const { file, number } = node.line;
  const text = Listing.textOfLine(file, number);
  return make(
    "p",
    { class: "trail" },
    make(
      "button",
      { class: "link mono", onclick: () => Listing.showLine(file, number) },
      `${data.files[file].name}:${number}`,
    ),
    " ",
    make("code", {}, text),
  );
}

// The boxes around a node, the outermost first; null where there is none.
function trailText(node) {
  const names = Graph.outward(node).map((box) => box.title.split(": ")[0]);
  names.reverse();
  return names.length ? make("p", { class: "trail" }, `in ${names.filter(Boolean).join(" › ")}`) : null;
}

// A step forward: its arguments and its result, with an element worked out, or a question on it.
function forward(node) {
  const figures = new Map(); // slot -> the figure of what the step is given
  const line = workedLine(Elements.ofNode(node), node.value, Graph.nameOf(node.n), { figures });
  const question = ChapterPlay.forwardQuestion(node);
  const figuresGiven = Graph.into.get(node.n).map((edge) => {
    const figure = givenFigure(edge);
    figures.set(Sources.tape?.value[edge.source], figure);
    return figure;
  });
  return [
    question ? null : line.element,
    figuresGiven.length ? [make("h3", {}, "Is given"), figuresGiven] : null,
    make("h3", {}, "Gives"),
    question || [valueFigure(node, { read: line.show }), Attention.mapButton(node.n)],
  ];
}

// An argument of the step, with the name that NumPy has for it.
function givenFigure({ source: n, argument }) {
  const source = Graph.nodes.get(n);
  return Heat.heat(source.value, `${argument ? `${argument} = ` : ""}${Graph.nameOf(n)}`, {
    letters: source.letters,
    note: source.kind === "operation" ? "" : source.kind,
    fixed: Doubts.whyFixed(n),
  });
}

const valueFigure = ({ n, value, letters }, options = {}) =>
  Heat.heat(value, Graph.nameOf(n), { letters, fixed: Doubts.whyFixed(n), ...options });

// The step back at a parameter or an input: nothing is handed on, all that comes stays there.
function leaf(node) {
  const { length: count } = Graph.arrivals.get(node.n);
  return [
    make(
      "p",
      {},
      withElements(WORDS.allArrived[count === 1 ? "one" : "many"], {
        count,
        gradient: make("code", {}, `${Graph.fullName(node.n)}.grad`),
      }),
    ),
    gradientFigure(node.n),
    make("h3", {}, "What it belongs to"),
    valueFigure(node),
  ];
}

// The gradient of a node as far as it has arrived, or its state.
function gradientFigure(n) {
  const found = Graph.gradientNow(n);
  const { letters } = Graph.nodes.get(n);
  const why = found.sum === null && found.state !== "zero" ? null : Doubts.whyFixedGradient(n);
  if (!Graph.hasNumbers(found)) return [stateLine(found), Doubts.fixedText(why)];
  return [
    found.state === "arriving" ? stateLine(found) : null,
    Heat.heat(found.sum, "gradient", { palette: "gradient", letters, fixed: why }),
  ];
}

// What `Graph.gradientNow` found, in words, beside the swatch that the legend has for it.
function stateLine(found) {
  return make(
    "p",
    { class: "state" },
    make("span", { class: `swatch ${found.state.replace(" ", "-")}` }),
    Graph.stateText(found),
  );
}

// The step back at an operation: what arrives, and what the rule makes of it for each argument.
function backward(node) {
  const edges = Graph.into.get(node.n);
  const others = edges.filter((edge) => !edge.differentiable);
  const arrived = node.gradient === null ? null : arrivedFigure(node);
  const handsOn = arrived !== null || node.state === "freed";
  return [
    make("h3", {}, "The gradient that arrives here"),
    arrived ?? stateLine(Graph.gradientNow(node.n)),
    handsOn ? edges.filter((edge) => edge.differentiable).map((edge) => shareOf(node, edge, arrived)) : null,
    others.length
      ? soft(filled(WORDS.noneNeeded, { names: others.map((edge) => Graph.nameOf(edge.source)).join(", ") }))
      : null,
  ];
}

function arrivedFigure({ n, gradient, letters }) {
  const begins = data.roots.includes(n) && Graph.arrivals.get(n).length === 1;
  return Heat.heat(gradient, "g", {
    palette: "gradient",
    letters,
    note: begins ? "the walk starts here" : "of the loss, by this node",
    fixed: Doubts.whyFixedGradient(n),
  });
}

// What a step gives to one of its arguments: the rule, an element worked out, what the rule reads, and the
// arrays.
function shareOf(node, edge, arrived) {
  const source = Graph.nodes.get(edge.source);
  const hidden = Graph.isHidden(edge);
  const { text, note } = edge.rule || { text: "", note: "" };
  const figures = new Map([[Sources.tape?.gradient[node.n], arrived]]); // slot -> the figure of its array
  const reads = readFigures(node, edge, figures);
  const line = workedLine(Elements.ofEdge(edge), edge.passed.fitted, `${Graph.nameOf(source.n)}.grad`, {
    equals: Graph.arrivals.get(source.n).length > 1 ? "gets" : "=",
    figures,
  });
  return make(
    "div",
    { class: "share" },
    make(
      "p",
      {},
      withElements(WORDS.shareOf, {
        argument: make("code", {}, edge.argument || `argument ${edge.position}`),
        source: Places.link(source.n, source.label || `#${source.n}${source.op ? ` ${source.op}` : ""}`),
      }),
    ),
    text ? make("code", { class: "rule" }, text) : null,
    note ? make("p", { class: "soft note" }, note) : null,
    hidden ? null : line.element,
    reads.length ? readDetails(node, edge, reads, hidden) : null,
    hidden ? Predict.question(edge) : passedFigures(node, edge, line.show),
    Graph.isPredicting() && state.answered.has(edge.id) ? Predict.verdict(edge) : null,
  );
}

// The arrays that the rule of an edge reads; each is noted in `figures`.
function readFigures(node, edge, figures) {
  return (edge.rule?.reads ?? []).map(({ role, name }) => {
    const read = role === "y" ? node : Elements.sourceAt(role, node);
    const figure = Heat.heat(read.value, name, { letters: read.letters, fixed: Doubts.whyFixed(read.n) });
    figures.set(Sources.tape?.value[read.n], figure);
    return figure;
  });
}

const SMALL = 24; // numbers of an array that is shown at once

// These arrays, unfolded where all are small, or where the reader is to compute with them.
function readDetails(node, edge, reads, hidden) {
  const all = [node, ...Graph.into.get(node.n).map((other) => Graph.nodes.get(other.source))];
  return make(
    "details",
    { open: hidden || all.every((one) => Shapes.size(one.shape) <= SMALL) },
    make("summary", { class: "soft" }, `where ${edge.rule.reads.map(({ name }) => name).join(", ")} …`),
    reads,
  );
}

// What went along an edge: what the rule gives, its sum where broadcasting had made copies, and what it was
// added to. `read` works out the element that is pointed at.
function passedFigures(node, edge, read) {
  const { given, fitted } = edge.passed;
  if (fitted === null) return soft(WORDS.giftNotKept);
  const options = (part) => ({
    palette: "gradient",
    letters: Graph.nodes.get(edge.source).letters,
    fixed: Live.tape?.passed[edge.id] ? Doubts.whyFixedSlot(Live.tape.passed[edge.id][part]) : null,
  });
  return [
    edge.copied.length && given !== null
      ? Heat.heat(given, "the rule gives", { ...options("given"), letters: node.letters })
      : null,
    edge.copied.length ? copiesText(node, edge) : null,
    Heat.heat(fitted, "contribution", { ...options("fitted"), read }),
    addedTo(edge, options),
  ];
}

// The sum before and after what went along an edge, as figures with their `options`; or why there is none.
function addedTo(edge, options) {
  const { before, after } = edge.passed;
  const { length: count } = Graph.arrivals.get(edge.source);
  if (before === null) return soft(count > 1 ? filled(WORDS.firstToArrive, { count }) : WORDS.nothingElse);
  return make(
    "div",
    { class: "sum" },
    Heat.heat(before, "had arrived before", options("before")),
    Heat.heat(after, "sum now", options("after")),
  );
}

function copiesText(node, { copied }) {
  const copies = copied.reduce((n, axis) => n * node.shape[axis], 1);
  return soft(
    filled(WORDS.copiesAlong[copied.length > 1 ? "axes" : "axis"], {
      copies: plural(copies, "copy", "copies"),
      axes: copied.join(", "),
    }),
  );
}

// The line below a rule: one element, then that under the pointer. What this one is made of is
// framed in `figures`, by slot: for a product of matrices a row of one and a column of the other. `origin`:
// what `Elements.ofNode` or `ofEdge` gives; `id`: the array of the result, whose name is `target`.
// `show` is for `read` of `Heat.heat`.
function workedLine(origin, id, target, { equals = "=", figures }) {
  const element = make("p", { class: "worked mono", hidden: true });
  const a = Shown.array(id);
  const show = (index) => {
    const { value, text: result } = Elements.numberAt(a, index);
    const text = value === null ? null : Elements.workedOut(origin, index, target, result, { equals });
    element.hidden = text === null;
    element.textContent = text || "";
    return text;
  };
  const point = (index) => {
    const ends = Elements.madeOf(origin, index);
    Heat.frame([...figures].map(([slot, figure]) => [figure, ends.get(slot) ?? []]));
    return show(index);
  };
  if (a?.numbers.length) show(Arrays.indexOf(a, firstPlace(a)));
  return { element, show: point };
}

// The place that is worked out first. Where the page opens, as `diagnose` has it at a trouble, this is that of
// the first number that is not finite.
const firstPlace = ({ numbers }) =>
  state.time === data.opens
    ? Math.max(
        0,
        numbers.findIndex((v) => !Number.isFinite(v)),
      )
    : 0;

export { stateLine, stepPanel, trailText };
