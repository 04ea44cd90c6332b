// --- the cards of a drawing: a node, a closed box, or a node from outside -----------------------------

import { filled, plural, WORDS } from "./words.js";
import { fill, make } from "./dom.js";
import { data } from "./state.js";
import { tell } from "./events.js";
import { hideTip, tip } from "./tip.js";
import { once } from "./once.js";
import * as Shapes from "./shapes.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Pictures from "./pictures.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Places from "./places.js";

const inside = new Map(); // the name of a view -> the nodes in it
for (const node of data.nodes)
  for (const name of Graph.home.has(node.n) ? Graph.trail(Graph.home.get(node.n)) : [])
    once(inside, name, () => []).push(node.n);

// The nodes that a card stands for.
function membersOf(key) {
  return typeof key === "number" ? [key] : inside.get(key) || [];
}

const timesOf = new Map(); // a card's key -> its times
// When the nodes of a card are computed, and when they hand their gradients on: `{forward, back}`, the
// first time first; and whether one of them is there from the start (`free`).
function times(key) {
  return once(timesOf, key, () => {
    const members = membersOf(key);
    const inOrder = (when) =>
      members
        .map((n) => when.get(n))
        .filter(Boolean)
        .sort((a, b) => a - b);
    return {
      forward: inOrder(Graph.computedAt),
      back: inOrder(Graph.handedOnAt),
      free: members.some((n) => Graph.computedAt.get(n) === 0),
    };
  });
}

// When something first happens in a card: 0 where all of it is there from the start.
function firstTime(key) {
  return times(key).forward[0] || 0;
}

// Make a card of a drawing, `view`: what stays as it is, and what `fillSlots` and `Drawing.mark` change
// later. Its key is the number of a node, or the name of the drawing that a closed box opens.
function cardOf(view, { key, x, y, width: w, height: h }) {
  const outside = typeof key === "number" && Graph.borrowed.get(view.name).has(key);
  const group = make("g", {
    class: "card",
    transform: `translate(${x} ${y})`,
    "data-key": key,
  });
  // The button is the frame, whose label says what the texts in it show.
  const button = make("rect", { class: "halo", x: -5, y: -5, width: w + 10, height: h + 10, rx: 11 });
  button.setAttribute("role", "button");
  button.setAttribute("tabindex", -1);
  const card = { key, group, button, w, h, x, y, outside };
  group.append(button);
  if (outside) addOutside(card);
  else if (typeof key === "number") addNode(card, view);
  else addBox(card, view.closed[key]);
  card.slots = make("g", {});
  group.append(card.slots);
  for (const child of group.children) if (child !== button) child.setAttribute("aria-hidden", "true");
  group.addEventListener("click", () => activate(key));
  group.addEventListener("pointerenter", (event) => {
    tell("light", membersOf(key));
    tip(tipText(view, key, outside), event);
  });
  group.addEventListener("pointerleave", () => {
    tell("light", []);
    hideTip();
  });
  return card;
}

// --- what stands on a card: of a node from outside its name; of a node its line and shape; of a box its title ---

// `shows`: the node whose value and gradient the card has in its slots.
function addOutside({ key, group, w, h }) {
  group.classList.add("outside");
  group.append(
    make("rect", { class: "face", width: w, height: h, rx: h / 2 }),
    make("text", { class: "shape", x: w / 2, y: h / 2 + 4, "text-anchor": "middle" }, Graph.nameOf(key)),
  );
}

// A node in its own drawing: its line, its shape, its number.
function addNode(card, view) {
  const { key, group, w, h } = card;
  const node = Graph.nodes.get(key);
  group.classList.add(
    view.results.includes(key) && node.kind === "operation" && data.roots.includes(key)
      ? "result"
      : node.kind,
  );
  const sharp = node.kind !== "operation";
  const shape = node.shape.length ? Arrays.shapeText(node.shape) : "a number";
  const letters = node.letters.filter(Boolean).length
    ? node.letters.map((letter) => letter || "·").join(" ")
    : "";
  group.append(
    make("rect", { class: "face", width: w, height: h, rx: sharp ? 3 : 9 }),
    headText(node),
    make(
      "text",
      { class: "shape", x: 9, y: 36 },
      shape,
      letters ? make("tspan", { class: "letters", dx: 6 }, letters) : null,
    ),
    make("text", { class: "shape", x: w - 7, y: 36, "text-anchor": "end" }, `#${key}`),
  );
  card.shows = key;
}

// A closed box. It shows the last of its nodes that is used outside; a bar below shows its progress.
function addBox(card, closed) {
  const { group, w, h } = card;
  group.classList.add(closed.kind);
  card.progress = make("rect", {
    class: "progress forward",
    x: 6,
    y: h - 5,
    width: 0,
    height: 2.4,
    rx: 1.2,
  });
  group.append(
    make("rect", { class: "sheet", x: 4, y: 4, width: w, height: h, rx: 9 }),
    make("rect", { class: "face", width: w, height: h, rx: 9 }),
    make("text", { class: "title", x: 10, y: 19 }, closed.lines[0]),
    make("text", { class: "kind", x: 10, y: 36 }, closed.lines[1] || plural(closed.operations, "operation")),
    make("rect", { class: "progress", x: 6, y: h - 5, width: w - 12, height: 2.4, rx: 1.2 }),
    card.progress,
  );
  card.shows = closed.gives.at(-1);
  card.closed = closed;
}

// The line of a node, as short as a card takes (`head`): its name stands out.
function headText(node) {
  const text = make("text", { x: 9, y: 19 });
  const cut = node.head.indexOf(" = ");
  if (node.kind === "operation" && node.label && cut > 0)
    text.append(
      make("tspan", { class: "name" }, node.head.slice(0, cut)),
      make("tspan", {}, node.head.slice(cut)),
    );
  else text.append(make("tspan", { class: node.kind === "operation" ? "" : "name" }, node.head));
  return text;
}

// How much is in a closed box.
function contentsOf({ operations, learned }) {
  const counts = [plural(operations, "operation")];
  if (learned) counts.push(plural(learned, "learned number"));
  return counts.join(", ");
}

// What a card is, in lines, for the small box beside the pointer.
function tipText(view, key, outside) {
  if (typeof key !== "number") {
    const closed = view.closed[key];
    return filled(WORDS.clickToOpen, { name: closed.lines.join(": "), contents: contentsOf(closed) });
  }
  const node = Graph.nodes.get(key);
  const found = Graph.gradientNow(key);
  return (
    [
      `#${key} ${Graph.asLine(node)}`,
      `${Arrays.shapeText(node.shape, node.letters)} ${node.type}`,
      `value ${Graph.isComputed(key) ? Shown.brief(node.value, 12) : WORDS.states.later}`,
      `gradient ${Graph.hasNumbers(found) ? Shown.brief(found.sum, 12) : Graph.stateText(found)}`,
      outside ? "from outside this box" : "",
    ]
      .filter(Boolean)
      .join("\n") + Shown.changedText(key)
  );
}

// Do what a click on a card does: choose its node, or open its box.
function activate(key) {
  if (typeof key === "number") Places.choose(key);
  else Places.show(key);
}

// The small pictures of value and gradient on a card, as they are at this time.
function fillSlots(card) {
  if (card.outside) return;
  const n = card.shows;
  const node = Graph.nodes.get(n);
  if (!node) return fill(card.slots);
  const found = Graph.gradientNow(n);
  const computed = Graph.isComputed(n);
  const stamp = `${computed} ${node.value} ${found.state} ${found.sum} ${found.arrived}`;
  if (card.stamp === stamp) return; // it looks like this already
  card.stamp = stamp;
  const needsGradient = found.state !== "needs none";
  const y = card.closed ? 44 : 43;
  const place = {
    x: 9,
    y,
    width: needsGradient ? (card.w - 24) / 2 : card.w - 18,
    height: card.h - y - (card.closed ? 11 : 7),
  };
  fill(
    card.slots,
    computed ? slot(place, node.value, "value") : make("rect", { class: "slot later", ...place, rx: 2 }),
    needsGradient ? gradientSlot({ ...place, x: 15 + place.width }, found) : null,
    found.state === "arriving"
      ? make(
          "text",
          { class: "slot-text", x: card.w - 30 - 7 * String(n).length, y: 36 },
          `${found.arrived}/${found.of}`,
        )
      : null,
  );
}

const SIGNS = { zero: "0", hidden: "?" }; // of a gradient whose numbers are not shown
// A gradient at its place on a card: its picture, or what `Graph.gradientNow` found instead.
function gradientSlot(place, found) {
  const kind = found.state.replace(" ", "-");
  const { x, y, width, height } = place;
  return [
    Graph.hasNumbers(found)
      ? slot(place, found.sum, "gradient", `back ${kind}`)
      : make("rect", { class: `slot back ${kind}`, x, y, width, height, rx: 2 }),
    SIGNS[found.state]
      ? make("text", { class: `slot-text ${kind}`, x: x + width / 2, y: y + height - 4 }, SIGNS[found.state])
      : null,
  ];
}

const { WRITTEN_OUT, IN_A_ROW } = data.constants;
// The rows and columns in which a card writes an array's numbers.
function cellsOf(shape) {
  const n = Shapes.size(shape);
  const columns = shape.length > 1 && shape.at(-1) <= IN_A_ROW ? shape.at(-1) : Math.min(n, IN_A_ROW);
  return [Math.ceil(n / columns), columns];
}

// An array at a place on a card, `{x, y, width, height}`: its few numbers, else a picture.
function slot(place, id, palette, kind = "") {
  const a = Shown.array(id);
  const { x, y, width, height } = place;
  const frame = make("rect", { class: `slot ${kind}`, ...place, rx: 2 });
  if (!a?.numbers.length) {
    const text = a ? "empty" : WORDS.notKept;
    return [frame, make("text", { class: "slot-text", x: x + width / 2, y: y + height - 4 }, text)];
  }
  if (a.numbers.length <= WRITTEN_OUT) return [frame, writtenOut(place, a, palette)];
  const image = make("image", {
    x: x + 1,
    y: y + 1,
    width: Math.max(1, width - 2),
    height: height - 2,
    preserveAspectRatio: "none",
    href: Pictures.thumb(id, palette),
  });
  return [frame, image];
}

// The numbers of an array, each in a cell of its colour; one alone has none.
function writtenOut(place, a, palette) {
  const [rows, columns] = cellsOf(a.full);
  const [width, height] = [place.width / columns, place.height / rows];
  const tone = Pictures.tones(palette);
  const isOne = a.numbers.length === 1;
  return [...a.numbers].map((v, k) => {
    const [x, y] = [place.x + (k % columns) * width, place.y + Math.floor(k / columns) * height];
    return [
      isOne ? null : make("rect", { x, y, width, height, fill: Pictures.paleTint(v, a.largest, tone, 0.5) }),
      make(
        "text",
        {
          class: `figure ${palette} ${isOne ? "" : "tinted"}`,
          x: x + width / 2,
          y: y + height / 2 + 4.2,
          "text-anchor": "middle",
        },
        fitted(v, a, width),
      ),
    ];
  });
}

// A number with as many digits as there is room for.
function fitted(v, a, width) {
  for (let digits = a.digits; digits > 1; digits--) {
    const text = Arrays.written(v, digits, a.kind);
    if (text.length * 7 < width - 2) return text;
  }
  return Arrays.written(v, 1, a.kind);
}

// What a screen reader says of a card at this time.
function spoken(card) {
  if (typeof card.key !== "number") {
    const [title, ...kind] = card.closed.lines;
    const name = [Graph.pathOf(Graph.views.get(card.key) ?? {}) || title, ...kind].join(", ");
    return filled(WORDS.boxSpoken, { name, operations: plural(card.closed.operations, "operation") });
  }
  const node = Graph.nodes.get(card.key);
  const value = Graph.isComputed(card.key) ? Shown.brief(node.value) : WORDS.states.later;
  const name = Graph.fullName(card.key) + (node.label.includes(".") ? "" : `, #${node.n}`);
  const gradient = Graph.stateText(Graph.gradientNow(card.key));
  const shape = Arrays.shapeText(node.shape, node.letters);
  return [
    card.outside ? "from outside: " : "",
    filled(WORDS.nodeSpoken, { name, shape, value, gradient }),
    Live.isChanged(card.key) ? ", changed" : "",
    Doubts.whyFixed(card.key) ? ", fixed" : "",
    Doubts.whyFixedGradient(card.key) ? ", gradient fixed" : "",
  ].join("");
}

export { activate, cardOf, contentsOf, fillSlots, firstTime, membersOf, spoken, times };
