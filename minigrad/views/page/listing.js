// --- the table of all nodes, and the lines of code ----------------------------------------------------

import { plural, WORDS } from "./words.js";
import { byId, fill, make } from "./dom.js";
import { data, state } from "./state.js";
import { hear } from "./events.js";
import { once } from "./once.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Drawing from "./drawing.js";
import * as Places from "./places.js";
import * as Heat from "./heat.js";
import * as Cards from "./cards.js";

// Show the cards of the open drawing as a table, in the order in which they are computed.
function listing() {
  const view = Graph.views.get(state.view);
  const step = Graph.current();
  const here = step ? Graph.placeIn(view.name, step.n) : null;
  const keys = [...view.cards]
    .map((card) => card.key)
    .filter((key) => !Graph.borrowed.get(view.name).has(key))
    .sort((a, b) => Cards.firstTime(a) - Cards.firstTime(b) || (a > b ? 1 : -1));
  const head = COLUMNS.map((title) => make("th", { scope: "col" }, title));
  const rows = keys.map((key) =>
    typeof key === "number" ? nodeRow(key, key === here, step) : boxRow(view, key, key === here, step),
  );
  fill(
    byId("listing"),
    boxLinks(view.frames),
    make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows)),
  );
}

const COLUMNS = ["number", "name", "made by", "shape", "value", "gradient"];

// Links to the boxes that are open in the drawing: their nodes have rows, they themselves have none.
function boxLinks(frames) {
  if (!frames.length) return null;
  const links = frames.map(({ key, title }) =>
    make("button", { class: "link", onclick: () => Places.show(key) }, title),
  );
  return make(
    "p",
    { style: "padding: 0 .6rem" },
    "Boxes: ",
    links.flatMap((button, i) => [i ? ", " : "", button]),
  );
}

// `step`: that at which the reader is, or null; `isHere`: whether it happens in this row.
function classesOf(key, isHere, step) {
  return [
    isHere ? `now ${step.back ? "backward" : ""}` : "",
    state.chosen === key ? "chosen" : "",
    Cards.membersOf(key).some(Live.isChanged) ? "changed" : "",
  ].join(" ");
}

// The row of a closed box: its kind, and how much is in it.
function boxRow(view, key, isHere, step) {
  const closed = view.closed[key];
  return make(
    "tr",
    { class: classesOf(key, isHere, step), "data-key": key },
    make("td", {}, "▸"),
    make(
      "td",
      { colspan: 3 },
      make("button", { class: "link", onclick: () => Places.show(key) }, closed.lines.join(": ")),
    ),
    make("td", { colspan: 2, class: "soft" }, Cards.contentsOf(closed)),
  );
}

// The row of a node: a cell for each of `COLUMNS`.
function nodeRow(key, isHere, step) {
  const { label, made, kind, shape, letters, value } = Graph.nodes.get(key);
  const computed = Graph.isComputed(key);
  const cell = (...children) => make("td", { class: "mono" }, ...children);
  return make(
    "tr",
    {
      class: `${classesOf(key, isHere, step)} ${computed ? "" : "todo"}`,
      "data-key": key,
      "aria-current": isHere ? "step" : null,
    },
    make("td", { class: "mono number" }, `#${key}`),
    cell(
      make("button", { class: "link", title: label, onclick: () => Places.choose(key) }, Graph.nameOf(key)),
    ),
    cell(made || kind),
    make("td", {}, Heat.shapeOf(shape, letters)),
    cell(computed ? Shown.brief(value) : WORDS.states.later, Doubts.badgeOf(key)),
    cell(gradientText(key), Doubts.gradientBadgeOf(key)),
  );
}

function gradientText(n) {
  const found = Graph.gradientNow(n);
  if (Graph.hasNumbers(found)) return Shown.brief(found.sum);
  return found.state === "later" ? WORDS.states.later : found.state;
}

// --- lines of code ------------------------------------------------------------------------------------

const keyOf = ({ file, number }) => `${file} ${number}`;
const lineTexts = new Map(); // "file line" -> text
const nodesAt = new Map(); // "file line" -> nodes
data.files.forEach((file, f) =>
  file.pieces.forEach(({ first, lines }) =>
    lines.forEach((text, k) => lineTexts.set(`${f} ${first + k}`, text)),
  ),
);
for (const { n, line } of data.nodes) if (line) once(nodesAt, keyOf(line), () => []).push(n);
const codeLines = new Map(); // "file line" -> its element

// The text of a line of a file, which is a number in `data.files`; null where the page does not have it.
function textOfLine(file, number) {
  return lineTexts.get(`${file} ${number}`) ?? null;
}

const KEYWORDS = new Set(
  "and as assert class def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield".split(
    " ",
  ),
);

// A line of Python in parts: comments, texts and keywords have their colours.
function coloured(text) {
  const parts = text.match(/#.*$|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\w+|\W/g) || [];
  return parts.map((part) => {
    const kind = part.startsWith("#")
      ? "comment"
      : /^["']/.test(part)
        ? "string"
        : KEYWORDS.has(part)
          ? "keyword"
          : null;
    return kind ? make("span", { class: `tok-${kind}` }, part) : part;
  });
}

// A line of code with its number; it lights up the nodes that it made, and leads to the last of them.
function codeLine(file, number, extra = "") {
  const key = `${file} ${number}`;
  const used = nodesAt.get(key);
  const line = make(
    "div",
    { class: `code-line ${used ? "used" : ""} ${extra}` },
    make("span", { class: "number" }, String(number)),
    make("span", {}, coloured(textOfLine(file, number))),
  );
  if (used) {
    line.addEventListener("pointerenter", () => light(used));
    line.addEventListener("pointerleave", () => light([]));
    line.addEventListener("click", () => Places.choose(used.at(-1), { open: true }));
    line.title = `${plural(used.length, "node")} here`;
  }
  return line;
}

// Write the files that are known, piece by piece; called once, at the start.
function writeCode() {
  const box = byId("code");
  const piece = (f, { first, lines, folded = 0 }) => {
    const shown = lines.map((_, k) => {
      const line = codeLine(f, first + k);
      codeLines.set(`${f} ${first + k}`, line);
      return line;
    });
    const top = shown.splice(0, folded);
    return [top.length ? make("details", {}, make("summary", {}, WORDS.imports), top) : null, shown];
  };
  const own = (f) => Number(!data.files[f].own); // one's own code comes first
  const order = [...data.files.keys()].sort((a, b) => own(a) - own(b) || a - b);
  fill(
    box,
    order.map((f) => [
      make("h2", {}, data.files[f].name),
      data.files[f].pieces.length
        ? data.files[f].pieces.map((some, i) => [
            i ? make("div", { class: "gap" }, "⋯") : null,
            piece(f, some),
          ])
        : make("p", { class: "gap" }, WORDS.textUnknown),
    ]),
  );
  if (!data.files.length) toggleCode(false);
}

// In pixels of the code: a line is scrolled to if it is nearer to the top or to the bottom.
const NEAR_TOP = 60,
  EDGE = 80;
const SHINES = 1200; // milliseconds for which a line is lit up

// Mark the line of the chosen node, else of the step, and scroll to it if it is not seen.
function markCode() {
  for (const line of codeLines.values()) line.classList.remove("now", "backward");
  const step = Graph.current();
  const n = state.chosen !== null ? state.chosen : step ? step.n : null;
  const node = n === null ? null : Graph.nodes.get(n);
  if (!node?.line) return;
  const line = codeLines.get(keyOf(node.line));
  if (!line) return;
  line.classList.add("now");
  line.classList.toggle("backward", Boolean(step?.back));
  const box = byId("code");
  const top = line.offsetTop - box.offsetTop;
  if (top < box.scrollTop + NEAR_TOP || top > box.scrollTop + box.clientHeight - EDGE)
    box.scrollTop = top - box.clientHeight / 3;
}

// Open the code at a line, which shines for a moment.
function showLine(file, number) {
  toggleCode(true);
  const line = codeLines.get(`${file} ${number}`);
  if (line) {
    byId("code").scrollTop = line.offsetTop - byId("code").offsetTop - EDGE;
    line.classList.add("lit");
    setTimeout(() => line.classList.remove("lit"), SHINES);
  }
}

// Show the code beside the drawing, or take it away.
function toggleCode(on) {
  document.body.classList.toggle("no-code", !on);
  byId("code-switch").setAttribute("aria-pressed", String(on));
}

let lit = []; // the elements that are lit up
const MOST_LIT = 60; // nodes whose cards are lit up: of more, none
// A line of code lights up its nodes, and a node its line; of nodes in closed boxes, the boxes.
function light(numbers) {
  for (const element of lit) element.classList.remove("lit");
  const cards = Graph.hasDrawings && numbers.length < MOST_LIT ? numbers.map(cardHere) : [];
  const rows = numbers.length ? [...byId("listing").querySelectorAll("tr[data-key]")] : [];
  lit = [
    ...cards.filter(Boolean).map((card) => card.group),
    ...rows.filter((row) => numbers.includes(Number(row.dataset.key))),
    ...(numbers.length === 1 ? [lineOf(numbers[0])].filter(Boolean) : []),
  ];
  for (const element of lit) element.classList.add("lit");
}
const cardHere = (n) => Drawing.draw(state.view).cards.get(Graph.placeIn(state.view, n));
const lineOf = (n) => {
  const { line } = Graph.nodes.get(n);
  return line ? codeLines.get(keyOf(line)) : null;
};
hear("light", light);

export { codeLine, listing, markCode, showLine, textOfLine, toggleCode, writeCode };
