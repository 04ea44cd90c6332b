// --- from letters to a digit: drawing the picture, and its links to the rest of the page --------------

import { filled } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import { byId, fill } from "./dom.js";
import { data } from "./state.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Attention from "./attention.js";
import * as Places from "./places.js";
import * as Ribbons from "./ribbons.js";
import { model } from "./line_model.js";
import * as FlowReading from "./flow_reading.js";
import * as FlowParts from "./flow_parts.js";
import * as FlowEffects from "./flow_effects.js";
import * as Flow from "./flow.js";
import * as FlowCuts from "./flow_cuts.js";

const LIKELY = 4,
  MOST_ROWS = 40; // symbols of a lane, the last ones

let drawn = null;

// What `ribbons.js` draws: see there.
function scene() {
  const hasSource = model.stages.some((stage) => stage.side === "source");
  const sides = hasSource ? ["source", "target"] : ["target"];
  const from = hasSource ? 0 : Math.max(0, Flow.rowOf("target") + 1 - MOST_ROWS); // the first row that is shown
  const until = hasSource ? undefined : Flow.rowOf("target") + 1; // and the first that is not
  const rows = (side) => FlowReading.symbolsOf(side).slice(from, until);
  const now = stageNow();
  return {
    lanes: sides.map((side) => laneOf(side, rows(side), from, hasSource ? side : "text")),
    stages: model.stages.map((stage, s) => ({
      key: FlowParts.keyOf({ kind: "stage", s }),
      number: s + 1,
      name: stage.name,
      here: s === now ? LINE_WORDS.here : null,
      fixed: stage.cut === null,
      lane: sides.indexOf(stage.side),
      from: stage.reads === null ? null : sides.indexOf(stage.reads),
      heads: stage.reads === null ? [] : headsOf(stage, s, rows(stage.reads), from),
    })),
    likely: LINE_WORDS.likely.long,
    likelyShort: LINE_WORDS.likely.short,
    ends: likeliest().map(endOf),
  };
}

// Its symbols, from a row on. In the target what can be chosen is a symbol that was written; in the source,
// at its start the ribbons of a letter, and where the answer looks at it the letter.
function laneOf(side, symbols, from, kind) {
  const target = Flow.rowOf("target");
  const isTarget = side === "target";
  const { first } = FlowReading.now();
  const stepAt = (row) => (row < first ? null : FlowParts.keyOf({ kind: "step", t: row - first }));
  return {
    short: LINE_WORDS.lanes[kind],
    title: filled(LINE_WORDS.titles[kind], { symbol: followed(side) }),
    stream: isTarget ? LINE_WORDS.stream : null,
    symbols: symbols.map(FlowReading.visible),
    at: Flow.rowOf(side) - from,
    until: isTarget ? target - from : undefined,
    keys: isTarget
      ? [symbols.map((_, k) => stepAt(k + from))]
      : [
          symbols.map((_, k) => FlowParts.keyOf({ kind: "row", k })),
          symbols.map((_, k) => FlowParts.keyOf({ kind: "letter", row: target, k })),
        ],
  };
}

// The heads of a stage, each with a ribbon from every symbol that it can read.
function headsOf(stage, s, symbols, from) {
  const row = Flow.rowOf(stage.side);
  return FlowReading.headsOf(stage).map((h) => ({
    key: FlowParts.keyOf({ kind: "head", s, h }),
    ribbons: symbols.map((_, i) => ({
      key: FlowParts.keyOf({ kind: "edge", s, h, row, k: i + from }),
      row: i,
      share: FlowReading.weight(stage, h, row, i + from),
    })),
  }));
}

function endOf(id) {
  const share = FlowReading.now().p[Flow.state.step][id];
  const said = Arrays.percent(share, 1);
  return { symbol: FlowReading.visible(model.symbols[id]), share, said, chosen: id === Flow.symbol() };
}

// The symbol of a row; for the target, the symbol that is written there.
const followed = (side) =>
  FlowReading.quoted(
    side === "target" ? model.symbols[Flow.symbol()] : FlowReading.now().source[Flow.state.letter],
  );

// Of the place that is followed, ids.
const likeliest = () => Arrays.ranked(FlowReading.now().p[Flow.state.step]).slice(0, LIKELY);

let wide = 0; // the width of the picture, as the browser has told it: to ask costs a layout
const width = () => wide || byId("flow-picture").clientWidth;

const LEAST_FREE = 230, // pixels beside the picture in which sentences have room
  MARGIN = 24;

// All anew: another line, another symbol or another width.
function draw() {
  const box = byId("flow-picture");
  if (!FlowReading.now() || !width()) return; // it is not seen
  drawn = Ribbons.draw(scene(), width());
  fill(box, drawn.svg);
  byId("flow-figure").classList.toggle("beside", drawn.free > LEAST_FREE);
  byId("flow-figure").style.setProperty("--free", `${drawn.free - MARGIN}px`);
  byId("flow-figure").style.setProperty("--high", `${drawn.high}px`);
  paint();
}

// Draws again, and says so, if the picture has another width.
function resize(pixels) {
  const again = FlowReading.now() && pixels !== wide;
  wide = pixels;
  if (again) draw();
  return again;
}

// What the small box beside the pointer is not to cover: the heads, the answer, and the panel.
function toLeaveFree() {
  const shapes = drawn.svg.querySelectorAll(".head, .end, .share");
  return [...shapes, byId("flow-beside"), byId("panel")].map((one) => one.getBoundingClientRect());
}

// Paint the parts that are drawn: their colours, numbers and frames.
function paint() {
  if (!drawn) return;
  drawn.svg.classList.toggle("fades", Flow.state.fades);
  const most = Math.max(...[...FlowEffects.now().losses.values()].map(Math.abs), 1e-9);
  for (const [key, { shapes, sign }] of drawn.parts) {
    const effect = FlowEffects.effect(key);
    const [off, lost] = [FlowCuts.isCut(key), FlowEffects.lossOf(key) ?? 0];
    for (const shape of shapes) {
      for (const name of ["for", "against", "nothing"]) shape.classList.toggle(name, effect === name);
      if (effect !== null) shape.dataset.lost = lost.toFixed(4);
      shape.classList.toggle("off", off);
      shape.classList.toggle("chosen", key === Flow.state.chosen);
      shape.style.setProperty("--strength", (0.35 + 0.65 * Math.min(1, Math.abs(lost) / most)).toFixed(2));
    }
    if (!sign) continue;
    sign.classList.toggle("faded", effect !== "for");
    const narrow = drawn.svg.classList.contains("narrow");
    if (off) sign.textContent = narrow ? "✕" : "cut";
    else sign.textContent = effect === null ? "" : narrow ? FlowEffects.shortly(key) : FlowEffects.does(key);
  }
}

// The other parts of the page are about the line that was written down, as long as it is here too.
const asWritten = () => FlowReading.now().line === model.line && !FlowCuts.allCut().length;

// A module that runs for both sides has a box for each, in the order of its stages.
function boxOf(stage) {
  const run = model.stages.filter(({ path }) => path === stage.path).indexOf(stage);
  return Object.values(data.boxes).filter(({ path }) => path === stage.path)[run];
}

const isIn = (n, box) => Graph.outward(Graph.nodes.get(n)).includes(box);

// The stage in which the step of the time line is.
function stageNow() {
  const step = Graph.current();
  return step ? model.stages.findIndex((stage) => isIn(step.n, boxOf(stage))) : null;
}

// The first step of a stage on the time line; NaN, if there is none.
function firstStep(stage) {
  const box = boxOf(stage);
  return Graph.computedAt.get(data.forward.find((n) => isIn(n, box))) ?? NaN;
}

function openBox(stage) {
  const first = firstStep(stage);
  if (first) Places.go(first);
}

// The key of the first stage in some steps.
function stageIn({ from, to }) {
  const steps = model.stages.map(firstStep);
  const s = steps.findIndex((first) => first > from && first <= to);
  return s < 0 ? null : FlowParts.keyOf({ kind: "stage", s });
}

function cellOf({ stage }) {
  const map = data.maps.findIndex(({ weights }) => isIn(weights, boxOf(stage)));
  return asWritten() && map >= 0 ? map : null;
}

function openCell(part) {
  Attention.chooseCell(cellOf(part), part.h, Flow.rowOf(part.stage.side), part.k);
}

export {
  cellOf,
  draw,
  followed,
  likeliest,
  openBox,
  openCell,
  paint,
  resize,
  stageIn,
  stageNow,
  toLeaveFree,
};
