// --- the table -------------------------------------------------------------------------------------------

import { WORDS } from "./words.js";
import { byId, data, fill, hear, make, plural, state } from "./base.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Drawing from "./drawing.js";
import * as Places from "./places.js";
import * as Heat from "./heat.js";
import * as Cards from "./cards.js";

function listing() {
  const view = Graph.views.get(state.view);
  const event = Graph.current();
  const here = event ? Graph.placeIn(view.name, event.n) : null;
  const order = [...view.cards]
    .map((card) => card.key)
    .filter((key) => !Graph.borrowed.get(view.name).has(key))
    .sort((a, b) => Cards.firstTime(a) - Cards.firstTime(b) || (a > b ? 1 : -1));
  const frames = view.frames.map((frame) =>
    make("button", { class: "link", onclick: () => Places.show(frame.key) }, frame.title),
  );
  fill(
    byId("listing"),
    frames.length
      ? make(
          "p",
          { style: "padding: 0 .6rem" },
          "Boxes: ",
          frames.flatMap((button, i) => [i ? ", " : "", button]),
        )
      : null,
    make(
      "table",
      {},
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          ["number", "name", "made by", "shape", "value", "gradient"].map((title) =>
            make("th", { scope: "col" }, title),
          ),
        ),
      ),
      make(
        "tbody",
        {},
        order.map((key) =>
          typeof key === "number"
            ? nodeRow(key, key === here, event)
            : boxRow(view, key, key === here, event),
        ),
      ),
    ),
  );
}

function classesOf(key, isHere, event) {
  return [
    isHere ? `now ${event.back ? "backward" : ""}` : "",
    state.chosen === key ? "chosen" : "",
    Cards.membersOf(key).some(Live.isChanged) ? "changed" : "",
  ].join(" ");
}

function boxRow(view, key, isHere, event) {
  const closed = view.closed[key];
  return make(
    "tr",
    { class: classesOf(key, isHere, event), "data-key": key },
    make("td", {}, "▸"),
    make(
      "td",
      { colspan: 3 },
      make("button", { class: "link", onclick: () => Places.show(key) }, closed.lines.join(": ")),
    ),
    make(
      "td",
      { colspan: 2, class: "soft" },
      `${plural(closed.operations, "operation")}${closed.learned ? `, ${plural(closed.learned, "learned number")}` : ""}`,
    ),
  );
}

function nodeRow(key, isHere, event) {
  const node = Graph.nodes.get(key);
  const computed = !state.time || Graph.computedAt.get(key) <= state.time;
  const found = Graph.gradientNow(key);
  return make(
    "tr",
    {
      class: `${classesOf(key, isHere, event)} ${computed ? "" : "todo"}`,
      "data-key": key,
      "aria-current": isHere ? "step" : null,
    },
    make("td", { class: "mono number" }, `#${key}`),
    make(
      "td",
      { class: "mono" },
      make(
        "button",
        { class: "link", title: node.label, onclick: () => Places.choose(key) },
        Graph.nameOf(key),
      ),
    ),
    make("td", { class: "mono" }, node.made || node.kind),
    make("td", {}, Heat.shapeOf(node.shape, node.letters)),
    make(
      "td",
      { class: "mono" },
      computed ? Shown.brief(node.value) : "not computed yet",
      Doubts.fixedBadge(Doubts.whyFixed(key)),
    ),
    make(
      "td",
      { class: "mono" },
      found.sum !== null && found.state !== "zero"
        ? Shown.brief(found.sum)
        : { zero: "zero", later: "not computed yet" }[found.state] || found.state,
      Doubts.fixedBadge(Doubts.whyFixedGradient(key)),
    ),
  );
}

// --- lines of code ---------------------------------------------------------------------------------------

const keyOf = ({ file, number }) => `${file} ${number}`;
const lineTexts = new Map(); // "file line" -> text
const nodesAt = new Map(); // "file line" -> nodes
data.files.forEach((file, f) =>
  file.pieces.forEach(({ first, lines }) =>
    lines.forEach((text, k) => lineTexts.set(`${f} ${first + k}`, text)),
  ),
);
for (const node of data.nodes)
  if (node.line) {
    const key = keyOf(node.line);
    if (!nodesAt.has(key)) nodesAt.set(key, []);
    nodesAt.get(key).push(node.n);
  }
const codeLines = new Map();

function textOfLine(file, number) {
  const text = lineTexts.get(`${file} ${number}`);
  return text === undefined ? null : text;
}

const KEYWORDS = new Set(
  "and as assert class def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield".split(
    " ",
  ),
);

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
    line.addEventListener("click", () => Places.choose(used[used.length - 1], { open: true }));
    line.title = `${plural(used.length, "node")} here`;
  }
  return line;
}

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
        : make("p", { class: "gap" }, "its text is not known"),
    ]),
  );
  if (!data.files.length) toggleCode(false);
}

function markCode() {
  for (const line of codeLines.values()) line.classList.remove("now", "backward");
  const event = Graph.current();
  const n = state.chosen !== null ? state.chosen : event ? event.n : null;
  const node = n === null ? null : Graph.nodes.get(n);
  if (!node?.line) return;
  const line = codeLines.get(keyOf(node.line));
  if (!line) return;
  line.classList.add("now");
  line.classList.toggle("backward", Boolean(event?.back));
  const box = byId("code");
  const top = line.offsetTop - box.offsetTop;
  if (top < box.scrollTop + 60 || top > box.scrollTop + box.clientHeight - 80)
    box.scrollTop = top - box.clientHeight / 3;
}

function showLine(file, number) {
  toggleCode(true);
  const line = codeLines.get(`${file} ${number}`);
  if (line) {
    byId("code").scrollTop = line.offsetTop - byId("code").offsetTop - 80;
    line.classList.add("lit");
    setTimeout(() => line.classList.remove("lit"), 1200);
  }
}

function toggleCode(on) {
  document.body.classList.toggle("no-code", !on);
  byId("code-switch").setAttribute("aria-pressed", String(on));
}

// A line lights up its nodes, and a node its line.
let lit = [];
function light(numbers) {
  for (const element of lit) element.classList.remove("lit");
  lit = [];
  if (!numbers.length) return;
  if (Graph.hasDrawings)
    for (const n of numbers) {
      const card = Drawing.draw(state.view).cards.get(Graph.placeIn(state.view, n));
      if (card && numbers.length < 60) lit.push(card.group);
    }
  for (const row of byId("listing").querySelectorAll("tr[data-key]"))
    if (numbers.includes(Number(row.dataset.key))) lit.push(row);
  if (numbers.length === 1) {
    const node = Graph.nodes.get(numbers[0]);
    const line = node.line && codeLines.get(keyOf(node.line));
    if (line) lit.push(line);
  }
  for (const element of lit) element.classList.add("lit");
}
hear("light", light);

export { codeLine, listing, markCode, showLine, textOfLine, toggleCode, writeCode };
