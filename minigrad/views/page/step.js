// --- the panel of a step: what it is given, what it gives, and what goes back -----------------------------

import { filled, WORDS } from "./words.js";
import { byId, data, fill, make, plural, state } from "./base.js";
import * as Shapes from "./shapes.js";
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

function stepPanel() {
  const event = Graph.current();
  const box = byId("step");
  if (!event)
    return fill(
      box,
      make("p", {}, "Nothing has happened yet. "),
      make(
        "div",
        { class: "start" },
        make("button", { class: "primary", onclick: () => Places.go(1) }, "Take the first step →"),
      ),
    );
  const node = Graph.nodes.get(event.n);
  const count = event.back
    ? filled(WORDS.stepBack, { step: state.time - Graph.FORWARD, count: Graph.events.length - Graph.FORWARD })
    : filled(WORDS.stepForward, { step: state.time, count: Graph.FORWARD });
  const why = node.about || (node.box !== null ? data.boxes[node.box].about : "");
  const head = [
    ChapterList.chapterLine(),
    make("p", { class: `phase ${event.back ? "backward" : ""}` }, count),
    make(
      "h2",
      {},
      make(
        "code",
        {},
        node.label ? node.label : "",
        node.label && node.made ? " = " : "",
        node.made || (node.label ? "" : `${node.kind} #${node.n}`),
      ),
    ),
    why ? make("p", { class: "why" }, why) : null,
    trailText(node),
    lineText(node),
  ];
  fill(box, head, event.back ? (node.kind === "operation" ? backward(node) : leaf(node)) : forward(node));
  box.scrollTop = 0;
}

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

function trailText(node) {
  const names = [];
  for (let box = node.box; box !== null && box !== undefined; box = data.boxes[box].parent)
    names.unshift(data.boxes[box].title.split(": ")[0]);
  return names.length ? make("p", { class: "trail" }, `in ${names.filter(Boolean).join(" › ")}`) : null;
}

function forward(node) {
  const given = Graph.into.get(node.n);
  const figures = new Map(); // slot -> the figure of what the step is given
  const line = workedLine(Elements.ofNode(node), node.value, Graph.nameOf(node.n), { figures });
  const toAnswer = ChapterPlay.forwardQuestion(node);
  return [
    toAnswer ? null : line.element,
    given.length ? make("h3", {}, "Is given") : null,
    given.map((edge) => {
      const source = Graph.nodes.get(edge.source);
      const figure = Heat.heat(
        source.value,
        `${edge.argument ? `${edge.argument} = ` : ""}${Graph.nameOf(source.n)}`,
        {
          letters: source.letters,
          note: source.kind === "operation" ? "" : source.kind,
          fixed: Doubts.whyFixed(source.n),
        },
      );
      figures.set(Sources.tape?.value[source.n], figure);
      return figure;
    }),
    make("h3", {}, "Gives"),
    toAnswer || [
      Heat.heat(node.value, Graph.nameOf(node.n), {
        letters: node.letters,
        read: line.show,
        fixed: Doubts.whyFixed(node.n),
      }),
      Attention.mapButton(node.n),
    ],
  ];
}

function leaf(node) {
  return [
    make(
      "p",
      {},
      Graph.arrivals.get(node.n).length === 1
        ? "All that comes here has arrived. It stays, in "
        : filled(WORDS.allArrived, { count: Graph.arrivals.get(node.n).length }),
      make("code", {}, `${Graph.fullName(node.n)}.grad`),
      ".",
    ),
    gradientFigure(node.n, "gradient"),
    make("h3", {}, "What it belongs to"),
    Heat.heat(node.value, Graph.nameOf(node.n), { letters: node.letters, fixed: Doubts.whyFixed(node.n) }),
  ];
}

function gradientFigure(n, name) {
  const found = Graph.gradientNow(n);
  const node = Graph.nodes.get(n);
  const why = found.sum === null && found.state !== "zero" ? null : Doubts.whyFixedGradient(n);
  if (found.sum === null || found.state === "zero") return [stateLine(found), Doubts.fixedText(why)];
  return [
    found.state === "arriving" ? stateLine(found) : null,
    Heat.heat(found.sum, name, { palette: "gradient", letters: node.letters, fixed: why }),
  ];
}

function stateLine(found) {
  return make(
    "p",
    { class: "state" },
    make("span", { class: `swatch ${found.state.replace(" ", "-")}` }),
    Graph.stateText(found),
  );
}

function backward(node) {
  const shares = Graph.into.get(node.n).filter((edge) => edge.differentiable);
  const others = Graph.into.get(node.n).filter((edge) => !edge.differentiable);
  const root = data.roots.includes(node.n) && Graph.arrivals.get(node.n).length === 1;
  const arrived =
    node.gradient === null
      ? null
      : Heat.heat(node.gradient, "g", {
          palette: "gradient",
          letters: node.letters,
          note: root ? "the walk starts here" : "of the loss, by this node",
          fixed: Doubts.whyFixedGradient(node.n),
        });
  return [
    make("h3", {}, "The gradient that arrives here"),
    arrived ?? stateLine(Graph.gradientNow(node.n)),
    node.gradient === null && node.state !== "freed"
      ? null
      : shares.map((edge) => shareOf(node, edge, arrived)),
    others.length
      ? make(
          "p",
          { class: "soft" },
          filled(WORDS.noneNeeded, { names: others.map((edge) => Graph.nameOf(edge.source)).join(", ") }),
        )
      : null,
  ];
}

// What a step gives to one of its arguments: the rule, an element worked out, what the rule reads, and the arrays.
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
      "for ",
      make("code", {}, edge.argument || `argument ${edge.position}`),
      ", which is ",
      Places.link(source.n, source.label || `#${source.n}${source.op ? ` ${source.op}` : ""}`),
    ),
    text ? make("code", { class: "rule" }, text) : null,
    note ? make("p", { class: "soft note" }, note) : null,
    hidden ? null : line.element,
    reads.length ? readDetails(node, edge, reads, hidden) : null,
    hidden ? Predict.question(edge) : passedFigures(node, edge, line.show),
    state.predict && state.answered.has(edge.id) ? Predict.verdict(edge) : null,
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

// These arrays, unfolded where all are small, or where the reader is to compute with them.
function readDetails(node, edge, reads, hidden) {
  const all = [node, ...Graph.into.get(node.n).map((other) => Graph.nodes.get(other.source))];
  return make(
    "details",
    { open: hidden || all.every((one) => Shapes.size(one.shape) <= 24) },
    make("summary", { class: "soft" }, `where ${edge.rule.reads.map(({ name }) => name).join(", ")} …`),
    reads,
  );
}

// What went along an edge: what the rule gives, its sum where broadcasting had made copies, and what it was added to.
function passedFigures(node, edge, read) {
  const { given, fitted, before, after } = edge.passed;
  if (fitted === null) return make("p", { class: "soft" }, "What it gave was not kept.");
  const source = Graph.nodes.get(edge.source);
  const arrivals = Graph.arrivals.get(source.n).length;
  const options = (part) => ({
    palette: "gradient",
    letters: source.letters,
    fixed: Live.tape?.passed[edge.id] ? Doubts.whyFixedSlot(Live.tape.passed[edge.id][part]) : null,
  });
  return [
    edge.copied.length && given !== null
      ? Heat.heat(given, "the rule gives", { ...options("given"), letters: node.letters })
      : null,
    edge.copied.length ? copiesText(node, edge) : null,
    Heat.heat(fitted, "contribution", { ...options("fitted"), read }),
    before !== null
      ? make(
          "div",
          { class: "sum" },
          Heat.heat(before, "had arrived before", options("before")),
          Heat.heat(after, "sum now", options("after")),
        )
      : make(
          "p",
          { class: "soft" },
          arrivals > 1 ? filled(WORDS.firstToArrive, { count: arrivals }) : "Nothing else goes there.",
        ),
  ];
}

function copiesText(node, { copied }) {
  const copies = copied.reduce((n, axis) => n * node.shape[axis], 1);
  return make(
    "p",
    { class: "soft" },
    filled(WORDS.copiesAlong[copied.length > 1 ? "axes" : "axis"], {
      copies: plural(copies, "copy", "copies"),
      axes: copied.join(", "),
    }),
  );
}

// The line below a rule: its first element, then that under the pointer. What this one is made of is framed in
// `figures`, by slot: for a product of matrices a row of one and a column of the other.
function workedLine(of, id, target, { equals = "=", figures }) {
  const element = make("p", { class: "worked mono", hidden: true });
  const a = Shown.array(id);
  const show = (index) => {
    const { value, text: result } = Elements.numberAt(a, index);
    const text = value === null ? null : Elements.workedOut(of, index, target, result, { equals });
    element.hidden = text === null;
    element.textContent = text || "";
    return text;
  };
  const point = (index) => {
    const ends = Elements.madeOf(of, index);
    Heat.light([...figures].map(([slot, figure]) => [figure, ends.get(slot) ?? []]));
    return show(index);
  };
  if (a?.numbers.length) show(a.full.map(() => 0));
  return { element, show: point };
}

export { stateLine, stepPanel, trailText };
