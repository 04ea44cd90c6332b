// --- from letters to a digit: how it is drawn, and where its stages are in the rest of the page -----------------

import { filled, WORDS } from "./words.js";
import { byId, data, fill } from "./base.js";
import * as Graph from "./graph.js";
import * as Attention from "./attention.js";
import * as Places from "./places.js";
import * as Ribbons from "./ribbons.js";
import * as Reading from "./flow_reading.js";
import * as Effects from "./flow_effects.js";
import * as Flow from "./flow.js";
import * as FlowCuts from "./flow_cuts.js";

const LIKELY = 4,
  MOST_ROWS = 40; // symbols of a lane, the last ones

let drawn = null;

function scene() {
  const target = Flow.rowOf("target");
  const hasSource = Reading.told.stages.some((stage) => stage.side === "source");
  const sides = hasSource ? ["source", "target"] : ["target"];
  const from = hasSource ? 0 : Math.max(0, target + 1 - MOST_ROWS); // the first row that is shown
  const shown = (side) =>
    hasSource ? Reading.symbolsOf(side) : Reading.symbolsOf(side).slice(from, target + 1);
  const now = stageNow();
  return {
    lanes: sides.map((side) => ({
      short: WORDS.flowLanes[hasSource ? side : "text"],
      title: filled(WORDS.flowTitles[hasSource ? side : "text"], { symbol: followed(side) }),
      stream: side === "target" ? WORDS.flowStream : null,
      symbols: shown(side).map(Reading.visible),
      at: Flow.rowOf(side) - from,
      until: side === "target" ? target - from : undefined,
      keys:
        side === "source"
          ? [shown(side).map((_, k) => `row ${k}`), shown(side).map((_, k) => `letter ${target} ${k}`)]
          : [
              shown(side).map((_, k) =>
                k + from - Reading.now.first >= 0 ? `step ${k + from - Reading.now.first}` : null,
              ),
            ],
    })),
    stages: Reading.told.stages.map((stage, s) => ({
      key: `stage ${s}`,
      number: s + 1,
      name: stage.name,
      here: s === now ? WORDS.flowHere : null,
      fixed: stage.cut === null,
      lane: sides.indexOf(stage.side),
      from: stage.reads === null ? null : sides.indexOf(stage.reads),
      heads:
        stage.reads === null
          ? []
          : Array.from({ length: Reading.weightsOf(stage).shape[1] }, (_, h) => ({
              key: `head ${s} ${h}`,
              ribbons: shown(stage.reads).map((_k, row) => ({
                key: `edge ${s} ${h} ${Flow.rowOf(stage.side)} ${row + from}`,
                row,
                share: Reading.weight(stage, h, Flow.rowOf(stage.side), row + from),
              })),
            })),
    })),
    likely: WORDS.flowLikely.long,
    likelyShort: WORDS.flowLikely.short,
    ends: likeliest().map((i) => ({
      symbol: Reading.visible(Reading.told.symbols[i]),
      share: Reading.now.p[Flow.step][i],
      said: `${(100 * Reading.now.p[Flow.step][i]).toFixed(1)}%`,
      chosen: i === Flow.symbol(),
    })),
  };
}

// The symbol that a row is there for: of the target, the one that is written there.
const followed = (side) =>
  Reading.quoted(side === "target" ? Reading.told.symbols[Flow.symbol()] : Reading.now.source[Flow.letter]);

function likeliest() {
  const p = Reading.now.p[Flow.step];
  return p
    .map((_, i) => i)
    .sort((a, b) => p[b] - p[a] || a - b)
    .slice(0, LIKELY);
}

let wide = 0; // the width of the picture, as the browser has told it: to ask costs a layout
const width = () => wide || byId("flow-picture").clientWidth;

function draw() {
  const box = byId("flow-picture");
  if (!Reading.now || !width()) return; // it is not seen
  drawn = Ribbons.draw(scene(), width());
  fill(box, drawn.svg);
  byId("flow-figure").classList.toggle("beside", drawn.free > 230);
  byId("flow-figure").style.setProperty("--free", `${drawn.free - 24}px`);
  paint();
}

// Draws again, and says so, if the picture has another width.
function resize(told) {
  const again = Reading.now && told !== wide;
  wide = told;
  if (again) draw();
  return again;
}

// What the small box beside the pointer is not to cover: the heads, the answer, and the panel.
function toLeaveFree() {
  const shapes = drawn.svg.querySelectorAll(".head, .end, .share");
  return [...shapes, byId("flow-beside"), byId("panel")].map((one) => one.getBoundingClientRect());
}

function paint() {
  if (!drawn) return;
  drawn.svg.classList.toggle("leads", Flow.leads);
  const most = Math.max(...[...Effects.known.losses.values()].map(Math.abs), 1e-9);
  for (const [key, { shapes, sign }] of drawn.parts) {
    const effect = Effects.effect(key);
    const [off, lost] = [FlowCuts.isCut(key), Effects.lossOf(key) ?? 0];
    for (const shape of shapes) {
      for (const name of ["for", "against", "nothing"]) shape.classList.toggle(name, effect === name);
      if (effect !== null) shape.dataset.lost = lost.toFixed(4);
      shape.classList.toggle("off", off);
      shape.classList.toggle("chosen", key === Flow.chosen);
      shape.style.setProperty("--strength", (0.35 + 0.65 * Math.min(1, Math.abs(lost) / most)).toFixed(2));
    }
    if (!sign) continue;
    sign.classList.toggle("faded", effect !== "for");
    const narrow = drawn.svg.classList.contains("narrow");
    if (off) sign.textContent = narrow ? "✕" : "cut";
    else sign.textContent = effect === null ? "" : narrow ? Effects.shortly(key) : Effects.does(key);
  }
}

// The other parts of the page are about the line that was written down, as long as it is here too.
const asWritten = () => Reading.now.line === Reading.told.line && !FlowCuts.allCut().length;

// A module that runs for both sides has a box for each, in the order of its stages.
function boxOf(stage) {
  const run = Reading.told.stages.filter(({ path }) => path === stage.path).indexOf(stage);
  return Object.entries(data.boxes).filter(([, box]) => box.path === stage.path)[run]?.[0];
}

function inBox(n, number) {
  for (let box = Graph.nodes.get(n).box; box !== null && box !== undefined; box = data.boxes[box].parent)
    if (String(box) === number) return true;
  return false;
}

// The stage in which the step of the time line is.
function stageNow() {
  const event = Graph.current();
  return event ? Reading.told.stages.findIndex((stage) => inBox(event.n, boxOf(stage))) : null;
}

// On the time line; NaN for one that is not there.
function firstStep(stage) {
  const number = boxOf(stage);
  return Graph.computedAt.get(data.forward.find((n) => inBox(n, number))) ?? NaN;
}

function openBox(stage) {
  const first = firstStep(stage);
  if (first) Places.go(first);
}

// The key of the first stage in some steps.
function stageIn({ from, to }) {
  const steps = Reading.told.stages.map(firstStep);
  const s = steps.findIndex((first) => first > from && first <= to);
  return s < 0 ? null : `stage ${s}`;
}

function cellOf({ stage }) {
  const map = data.maps.findIndex(({ weights }) => inBox(weights, boxOf(stage)));
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
