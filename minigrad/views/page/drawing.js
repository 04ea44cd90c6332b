// --- the drawing: made once for each box, then only marked --------------------------------------------

import { byId, make } from "./dom.js";
import { state } from "./state.js";
import { hear } from "./events.js";
import { once } from "./once.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Places from "./places.js";
import * as Cards from "./cards.js";

const drawn = new Map(); // name of a view -> {group, cards: key -> parts, arrows}

// Put the tips of arrows, and the pattern of a freed gradient, into the sheet; called once.
function markers() {
  const kinds = {
    plain: "--operation-line",
    constant: "--data-line",
    forward: "--forward",
    backward: "--backward",
  };
  const tips = Object.entries(kinds).map(([kind, name]) =>
    make(
      "marker",
      {
        id: `tip-${kind}`,
        viewBox: "0 0 8 8",
        refX: 7,
        refY: 4,
        markerWidth: kind === "backward" || kind === "forward" ? 9 : 7,
        markerHeight: kind === "backward" || kind === "forward" ? 9 : 7,
        markerUnits: "userSpaceOnUse",
        orient: "auto-start-reverse",
      },
      make("path", { d: "M0 0.6L8 4L0 7.4Z", style: `fill: var(${name})` }),
    ),
  );
  const hatch = make(
    "pattern",
    { id: "freed", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    make("line", { x1: 0, y1: 0, x2: 0, y2: 5, style: "stroke: var(--faint); stroke-width: 1.5" }),
  );
  byId("sheet").prepend(make("defs", {}, tips, hatch));
}

// The drawing of that name: its cards and arrows, made when they are first asked for.
function draw(name) {
  return once(drawn, name, () => makeDrawing(Graph.views.get(name)));
}

// Cards are in the order in which they are computed: arrow keys and screen readers go along it.
function makeDrawing(view) {
  const arrows = view.arrows.map((arrow) => arrowOf(view, arrow));
  const cards = new Map();
  const order = [...view.cards].sort((a, b) => Cards.firstTime(a.key) - Cards.firstTime(b.key));
  for (const card of order) cards.set(card.key, Cards.cardOf(view, card));
  const group = make(
    "g",
    {},
    view.frames.map(frameOf),
    arrows.map((arrow) => arrow.group),
    [...cards.values()].map((card) => card.group),
  );
  const first = cards.values().next().value;
  if (first) first.button.setAttribute("tabindex", 0);
  return { group, cards, arrows, view };
}

// The frame of a box that is open in a drawing, whose title opens its own drawing.
function frameOf({ key, title, kind, x, y, width, height }) {
  const label = make(
    "text",
    {
      x: x + 9,
      y: y + 15,
      tabindex: -1,
      role: "button",
      "aria-label": `Open ${title}`,
      "data-view": key,
      onclick: () => Places.show(key),
    },
    title,
  );
  return make("g", { class: `frame ${kind}` }, make("rect", { x, y, width, height, rx: 8 }), label);
}

// An arrow with the edges that it stands for; no gradient goes back along a constant one.
function arrowOf(view, { source, target, edge, path }) {
  const edges = (edge ?? null) === null ? edgesBetween(view, source, target) : [Graph.edges[edge]];
  return {
    group: make("g", { class: "arrow" }, make("path", { d: path })),
    edges,
    constant: !edges.some((one) => one.differentiable),
  };
}

// Forget the numbers in all cards, so that each is drawn anew (see `Cards.fillSlots`).
function forgetCards() {
  for (const { cards } of drawn.values()) for (const card of cards.values()) card.stamp = null;
}

// All edges that an arrow from or to a box stands for.
function edgesBetween(view, from, to) {
  if (!view.between) {
    view.between = new Map();
    for (const edge of Graph.edges) {
      const ends = `${Graph.placeIn(view.name, edge.source)} ${Graph.placeIn(view.name, edge.target)}`;
      once(view.between, ends, () => []).push(edge);
    }
  }
  return view.between.get(`${from} ${to}`) || [];
}

// Mark the cards and arrows of the drawing: done, happening now, or still to come.
function mark() {
  const { cards, arrows, view } = draw(state.view);
  const step = Graph.current();
  const here = step ? Graph.placeIn(view.name, step.n) : null;
  const edges = step ? Graph.into.get(step.n) : [];
  const flows = new Set(
    edges.filter((edge) => !step.back || (edge.differentiable && edge.passed.fitted !== null)),
  );
  const partners = new Set([...flows].map((edge) => Graph.placeIn(view.name, edge.source)));
  for (const card of cards.values()) markCard(card, step, here, partners);
  for (const arrow of arrows) markArrow(arrow, step, flows);
}

// `step`: that at which the reader is, or null; `here`: the card in which it happens; `partners`: those that
// it takes from.
function markCard(card, step, here, partners) {
  const when = Cards.times(card.key);
  const done = when.forward.length ? when.forward[0] <= state.time : when.free;
  const list = card.group.classList;
  const active = step !== null && card.key === here && !(card.outside && step.n !== card.key);
  list.toggle("todo", step !== null && !step.back && !active && !done);
  list.toggle("now", active);
  list.toggle("backward", active && step.back);
  list.toggle("taking", Boolean(step?.back) && !active && partners.has(card.key));
  list.toggle("giving", step !== null && !step.back && !active && partners.has(card.key));
  list.toggle("changed", Cards.membersOf(card.key).some(Live.isChanged));
  list.toggle("fixed", Live.changedSlots.size > 0 && Doubts.whyFixed(card.key) !== null);
  list.toggle("fixed-gradient", Live.changedSlots.size > 0 && Doubts.whyFixedGradient(card.key) !== null);
  list.toggle("chosen", state.chosen !== null && card.key === state.chosen);
  if (card.progress) markProgress(card, when);
  Cards.fillSlots(card);
  card.button.setAttribute("aria-label", Cards.spoken(card));
  if (active) card.button.setAttribute("aria-current", "step");
  else card.button.removeAttribute("aria-current");
}

// How many steps of a box have been taken, of those in the direction of this time.
function markProgress(card, when) {
  const steps = state.time > Graph.FORWARD ? when.back : when.forward;
  const taken = steps.filter((time) => time <= state.time).length;
  card.progress.setAttribute(
    "width",
    state.time && steps.length ? ((card.w - 12) * taken) / steps.length : 0,
  );
  card.progress.setAttribute("class", `progress ${state.time > Graph.FORWARD ? "backward" : "forward"}`);
}

// `flows`: the edges along which something goes at this step.
function markArrow(arrow, step, flows) {
  const list = arrow.group.classList;
  const flowing = arrow.edges.some((edge) => flows.has(edge));
  list.toggle("constant", arrow.constant);
  list.toggle("flow", flowing && !step.back);
  list.toggle("return", flowing && Boolean(step?.back) && !arrow.constant);
  const back = arrow.edges.some(
    (edge) =>
      edge.differentiable &&
      edge.passed.fitted !== null &&
      (Graph.handedOnAt.get(edge.target) || Infinity) < (state.time || 0),
  );
  list.toggle("returned", back && !flowing);
  labelArrow(arrow, back || (flowing && step.back));
  list.toggle(
    "todo",
    step !== null &&
      !step.back &&
      !flowing &&
      arrow.edges.every((edge) => Graph.computedAt.get(edge.target) > state.time),
  );
}

// A gradient that is one number is written at its arrow, so that sums can be followed.
function labelArrow(arrow, on) {
  const [edge] = arrow.edges;
  const a =
    on && arrow.edges.length === 1 && edge.passed.fitted !== null && !Graph.isHidden(edge)
      ? Shown.array(edge.passed.fitted)
      : null;
  if (a?.numbers.length !== 1) {
    if (arrow.label) arrow.label.remove();
    arrow.label = null;
    return;
  }
  if (arrow.label) return;
  const path = arrow.group.firstChild;
  const { x, y } = path.getPointAtLength(path.getTotalLength() / 2);
  arrow.label = make("text", { x, y: y + 3.5 }, Arrays.written(a.numbers[0], a.digits));
  arrow.group.append(arrow.label);
}

// The words at arrows are of numbers.
hear("numbers", () => {
  for (const { arrows } of drawn.values())
    for (const arrow of arrows) {
      if (arrow.label) arrow.label.remove();
      arrow.label = null;
    }
});

export { draw, forgetCards, mark, markers };
