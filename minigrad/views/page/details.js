// --- the panel of a node: its value, its gradient, remarks on them, and its line of code --------------

import { filled, plural, WORDS } from "./words.js";
import { byId, factList, fill, make, soft } from "./dom.js";
import { data, state } from "./state.js";
import * as Shapes from "./shapes.js";
import * as Graph from "./graph.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Editing from "./editing.js";
import * as Attention from "./attention.js";
import * as Step from "./step.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Listing from "./listing.js";
import * as Heat from "./heat.js";
import * as Places from "./places.js";

// Show a node, with its value and its gradient as far as they are known at the step of the reader.
function nodePanel(n) {
  const node = Graph.nodes.get(n);
  fill(
    byId("node"),
    heading(node),
    Step.trailText(node),
    factsOf(node),
    make("h3", {}, "Value"),
    valuePart(node),
    make("h3", {}, "Gradient"),
    gradientPart(node),
    node.line ? [make("h3", {}, "The line of code"), where(node)] : null,
  );
}

function heading(node) {
  const kind = `${node.kind[0].toUpperCase()}${node.kind.slice(1)}`;
  return [
    make("p", { class: "phase" }, `${kind} #${node.n}`),
    make("h2", {}, make("code", {}, Graph.asLine(node) || node.kind)),
  ];
}

// Its shape, its neighbours in the graph, and how much memory it keeps.
function factsOf({ n, shape, letters, type, kept }) {
  const [given, users] = [Graph.into.get(n), Graph.outOf.get(n)];
  return factList([
    ["shape", [Heat.shapeOf(shape, letters), ` ${type}`]],
    given.length ? ["made from", joined(given.map((edge) => edge.source))] : null,
    users.length ? ["used by", joined(users.map((edge) => edge.target))] : null,
    kept ? ["keeps", filled(WORDS.keptBytes, { bytes: plural(kept, "byte") })] : null,
  ]);
}

function valuePart({ n, value }) {
  if (!Graph.isComputed(n)) return soft(WORDS.valueLater);
  return [
    Editing.valueFields(n),
    Editing.editing(n),
    Editing.areSymbols(n) ? null : summary(value, "value"),
    Attention.mapButton(n),
  ];
}

// The gradient with its numbers or its state, its doubts, and its check by finite differences.
function gradientPart(node) {
  const found = Graph.gradientNow(node.n);
  return [
    !Graph.hasNumbers(found) || found.state === "arriving" ? Step.stateLine(found) : null,
    Graph.hasNumbers(found)
      ? [
          Heat.heat(found.sum, "gradient", { palette: "gradient", letters: node.letters }),
          summary(found.sum, "gradient"),
        ]
      : null,
    isComputedAgain(node) ? Doubts.fixedText(Doubts.whyFixedGradient(node.n)) : null,
    isChecked(node, found) ? check(node) : null,
    !data.checked && found.sum !== null ? soft(WORDS.notChecked) : null,
  ];
}

// Whether its gradient is computed again when a number is changed, so that it can be in doubt.
const isComputedAgain = ({ n, gradient }) =>
  Live.tape && Live.tape.fixed[Live.tape.value[n]] === undefined && gradient !== null;

// Whether its check is shown: it is of the numbers as they were written, and tells the gradient.
const isChecked = ({ n, check: made }, found) =>
  made &&
  !Live.changedSlots.size &&
  (!state.time || Graph.handedOnAt.get(n) <= state.time) &&
  !(Graph.isPredicting() && found.state === "hidden");

// Nodes by their numbers, each a link, with commas between.
function joined(numbers) {
  const name = ({ n, label, op }) => (label ? Graph.nameOf(n) : `#${n}${op ? ` ${op}` : ""}`);
  return [...new Set(numbers)].flatMap((n, i) => [i ? ", " : "", Places.link(n, name(Graph.nodes.get(n)))]);
}

// Below an array, by its id: its mean, norm and zeros, and the histogram of its numbers.
const summary = (id, palette) => [figures(Shown.array(id)), histogram(Shown.array(id), palette)];

// The summary of all numbers of an array, also of numbers that the page has not kept.
function figures(a) {
  if (!a?.all || a.numbers.length < 2 || a.all.least === null) return null;
  const { mean, norm, zeros, odd } = a.all;
  const facts = [
    `mean ${Arrays.written(mean, 4)}`,
    `norm ${Arrays.written(norm, 4)}`,
    `${plural(zeros, "zero")}`,
  ];
  if (odd) facts.push(filled(WORDS.notFinite, { odd }));
  return make("p", { class: "trail" }, facts.join(" · "));
}

const [WIDE, HIGH, BAR] = [240, 52, 10]; // of a histogram and of one bar, in the units of its picture
// How many numbers are in each bin; null for an array of few numbers.
function histogram(a, palette) {
  if (!a || a.histogram.length < 2 || Shapes.size(a.full) < 8) return null;
  const { least: low, greatest: high } = a.all;
  const [least, greatest] = [low, high].map((v) => Arrays.written(v, 4));
  return make(
    "div",
    {},
    make(
      "svg",
      {
        class: `histogram ${palette}`,
        viewBox: `0 0 ${WIDE} ${HIGH}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": filled(WORDS.histogram, { least, greatest }),
      },
      histogramBars(a.histogram),
      low < 0 && high > 0 ? zeroLine((WIDE * -low) / (high - low)) : null,
    ),
    make("div", { class: "ends" }, make("span", {}, least), make("span", {}, greatest)),
  );
}

function histogramBars(counts) {
  const most = Math.max(...counts);
  return counts.map((count, i) => {
    const height = ((HIGH - 4) * count) / most;
    return make(
      "rect",
      { x: i * BAR, y: HIGH - 2 - height, width: BAR - 1, height },
      make("title", {}, `${plural(count, "number")}`),
    );
  });
}

const zeroLine = (x) => make("line", { x1: x, x2: x, y1: 0, y2: HIGH, "stroke-dasharray": "3 3" });

// How the gradient was checked when the page was written: measured, and predicted (see `replay.py`).
function check(node) {
  const { measured, predicted, ok } = node.check;
  return [
    make("h3", {}, "Checked by finite differences"),
    make(
      "div",
      { class: `check ${ok ? "" : "off"}` },
      make("p", {}, WORDS.checkedAlong),
      factList(
        [
          ["finite differences", Arrays.written(measured, 5)],
          ["the gradient says", Arrays.written(predicted, 5)],
        ],
        { class: "mono" },
      ),
      make("p", {}, outcome(node.check)),
    ),
  ];
}

function outcome({ measured, predicted, tolerance, ok, kink }) {
  if (ok) return WORDS.theyAgree;
  if (kink) return WORDS.theyMeetAtKink;
  const [apart, explained] = [Math.abs(measured - predicted), tolerance].map((v) => Arrays.written(v, 2));
  return filled(WORDS.theyDiffer, { apart, tolerance: explained });
}

// Its line of code, with the two lines before and after it.
function where(node) {
  const { file, number } = node.line;
  const lines = [];
  for (let k = number - 2; k <= number + 2; k++)
    if (Listing.textOfLine(file, k) !== null)
      lines.push(Listing.codeLine(file, k, k === number ? "now" : ""));
  return [
    make("p", { class: "trail" }, data.files[file].name),
    make("div", { class: "where" }, lines.length ? lines : soft(filled(WORDS.lineUnknown, { number }))),
  ];
}

export { nodePanel };
