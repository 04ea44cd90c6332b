// --- a picture of a flow from symbols to a result: lanes of symbols, stages, and ribbons between ------

// It knows nothing of models. A scene has `lanes` of symbols, each with a row that is followed (`at`);
// `stages` that add to a lane, with `heads` that gather from rows of a lane (`from`), or with none; and
// `ends`, what comes out. A head is a box as high as 1, and a ribbon as wide as its share of it. What can be
// chosen has a key; a stage that is `fixed` has no sign, and no colour of its own.

import { make } from "./dom.js";
import { once } from "./once.js";

// `apart`: the further space between stages without heads, for their names.
const WIDE = { label: 38, head: 46, join: 24, work: 18, gap: 30, apart: 42, ends: 150, least: 66 };
const NARROW = { label: 20, head: 20, join: 12, work: 10, gap: 4, apart: 3, ends: 88, least: 20 };
const ROW = 15,
  BETWEEN = 5, // heads
  TOP = 44, // of a lane, for the names of its stages
  CORNER = 253, // the height of a lane beside which sentences have room
  SMALLEST = 0.78, // a picture that does not fit is drawn smaller, but no smaller than this
  LEAST = 0.02; // no ribbon is drawn of less

const place = (v) => v.toFixed(2);

// Where everything is from left to right, with ribbons `u` long.
function columns(scene, m, u) {
  const pen = scene.lanes.map(() => m.label);
  const ends = scene.lanes.map(() => m.label);
  const before = scene.lanes.map(() => null); // the last stage that was placed
  const stages = scene.stages.map((stage) => {
    if (stage.from === null && before[stage.lane]?.from === null) pen[stage.lane] += m.apart;
    before[stage.lane] = stage;
    const crosses = stage.from !== null && stage.from !== stage.lane;
    if (crosses) pen[stage.lane] = Math.max(pen[stage.lane], pen[stage.from] + m.label);
    const start = pen[stage.lane];
    if (crosses) ends[stage.from] = Math.max(ends[stage.from], start);
    const head = stage.from === null ? start + m.gap : start + u;
    const width = stage.from === null ? m.work : m.head;
    const join = stage.from === null ? head + width : head + width + m.join;
    pen[stage.lane] = join + m.gap / 2;
    return { start, head, width, join };
  });
  const again = scene.lanes.map((_, i) => (i < scene.lanes.length - 1 ? pen[i] : null)); // its symbols once more
  const last = scene.lanes.length - 1;
  ends[last] = pen[last] + m.gap / 2;
  return { stages, again, ends, width: ends[last] + m.ends };
}

// As wide as the room, or as narrow as it can be.
function layout(scene, room) {
  const m = room < 620 || columns(scene, WIDE, WIDE.least).width > room / SMALLEST ? NARROW : WIDE;
  let [least, most] = [m.least, 400];
  for (let i = 0; i < 20; i++) {
    const u = (least + most) / 2;
    if (columns(scene, m, u).width > room) most = u;
    else least = u;
  }
  const x = columns(scene, m, least);
  const heads = Math.max(...scene.stages.map((stage) => stage.heads.length));
  let y = 0;
  const lanes = scene.lanes.map((lane, number) => {
    const words = m === WIDE && number < scene.lanes.length - 1 ? CORNER : 0;
    const high = Math.max(lane.symbols.length * ROW, heads * (20 + BETWEEN), words);
    const found = { top: y + TOP, high, row: (i) => found.top + (i + 0.5) * ROW };
    y = found.top + high;
    return found;
  });
  const box = Math.min(36, Math.min(...lanes.map(({ high }) => high / heads)) - BETWEEN);
  return { m, x, lanes, box, width: Math.max(room, x.width), height: y + 8 };
}

// A ribbon from one upright to another, each given by its middle and its width.
function band(x0, y0, w0, x1, y1, w1) {
  const middle = place((x0 + x1) / 2);
  const [a, b, c, d] = [y0 - w0 / 2, y1 - w1 / 2, y1 + w1 / 2, y0 + w0 / 2].map(place);
  return `M${place(x0)} ${a}C${middle} ${a} ${middle} ${b} ${place(x1)} ${b}V${c}C${middle} ${c} ${middle} ${d} ${place(x0)} ${d}Z`;
}

function curve(x0, y0, x1, y1) {
  const middle = place((x0 + x1) / 2);
  return `M${place(x0)} ${place(y0)}C${middle} ${place(y0)} ${middle} ${place(y1)} ${place(x1)} ${place(y1)}`;
}

const text = (x, y, words, attributes = {}) =>
  make("text", { x: place(x), y: place(y), ...attributes }, words);

// The picture of a scene, as wide as there is room; and for each key what is coloured by it, and where its
// sign is written. In the corner that is `free` and `high` nothing is drawn.
function draw(scene, room) {
  const plan = { scene, ...layout(scene, room), parts: new Map() };
  const { m, x, lanes } = plan;
  const [width, height] = [plan.width, plan.height].map(Math.ceil);
  const scale = Math.max(SMALLEST, Math.min(1, room / width));
  const svg = make(
    "svg",
    {
      class: m === NARROW ? "flow narrow" : "flow",
      viewBox: `0 0 ${width} ${height}`,
      width: Math.floor(scale * width),
      height: Math.ceil(scale * height),
      "aria-hidden": "true",
    },
    make("defs", {}, hatching()),
    scene.lanes.map((lane, i) => streams(plan, lane, i)),
    scene.stages.map((stage, s) => (stage.from === null ? worked : gathered)(plan, stage, x.stages[s])),
    scene.lanes.map((lane, i) => [titles(plan, lane, i), symbols(plan, lane, i)]),
    ending(plan),
  );
  return { svg, parts: plan.parts, free: corner(plan, room), high: lanes[0].top + lanes[0].high + 10 };
}

// How wide the corner is that nothing is drawn in: above the last lane, to the right.
function corner({ scene, x, width }, room) {
  const used = x.stages.filter((_, s) => scene.stages[s].lane === 0 || scene.stages[s].from === 0);
  const fits = scene.lanes.length > 1 && x.width <= room;
  return fits ? width - Math.max(...used.map(({ join }) => join)) : 0;
}

// What is coloured by a key, and where its sign is written.
function partOf({ parts }, key) {
  return once(parts, key, () => ({ shapes: [], sign: null }));
}

function keyed(plan, key, name, attributes, sign = null) {
  const shape = make(name, { ...attributes, "data-key": key });
  const part = partOf(plan, key);
  part.shapes.push(shape);
  part.sign = sign ?? part.sign;
  return shape;
}

// For what works against: stripes.
const hatching = () =>
  make(
    "pattern",
    { id: "against", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    make("rect", { class: "ground", width: 5, height: 5 }),
    make("rect", { class: "stripe", width: 1.6, height: 5 }),
  );

// --- a lane -------------------------------------------------------------------------------------------

const isLater = (lane, row) => row > (lane.until ?? Infinity);

const streams = ({ m, x, lanes }, lane, i) =>
  lane.symbols.map((_, row) =>
    isLater(lane, row)
      ? null
      : make("line", {
          class: row === lane.at ? "stream followed" : "stream",
          x1: place(m.label),
          x2: place(x.ends[i]),
          y1: place(lanes[i].row(row)),
          y2: place(lanes[i].row(row)),
        }),
  );

const titles = ({ scene, m, x, lanes }, lane, i) => [
  text(2, lanes[i].top - 34, m === WIDE ? lane.title : lane.short, { class: "lane" }),
  lane.stream ? alongside(scene, x, i, lanes[i].row(lane.at) - 6, lane.stream) : null,
];

// At the start of a lane, and once more where another lane reads it.
function symbols(plan, lane, i) {
  const { m, x, lanes } = plan;
  const places = x.again[i] === null ? [m.label / 2] : [m.label / 2, x.again[i] + m.label / 2 - 2];
  return lane.symbols.map((symbol, row) =>
    places.map((left, again) => {
      const key = lane.keys?.[again]?.[row] ?? null;
      const tile = make("rect", {
        class: row === lane.at ? "symbol followed" : "symbol",
        x: place(left - m.label / 2 + 1),
        y: place(lanes[i].row(row) - ROW / 2 + 0.5),
        width: m.label - 2,
        height: ROW - 1,
        rx: 3,
        "data-key": key,
      });
      if (key !== null && again) partOf(plan, key).shapes.push(tile);
      return [
        tile,
        text(left, lanes[i].row(row) + 4, symbol, {
          class: `name${isLater(lane, row) ? " later" : ""}${symbol.length > 2 ? " long" : ""}`,
        }),
      ];
    }),
  );
}

// --- a stage ------------------------------------------------------------------------------------------

// The number and the name of a stage, and below them its effect.
function heading(plan, stage, middle, top) {
  const { m } = plan;
  const name = m === WIDE ? `${stage.number} ${stage.name}` : String(stage.number);
  const sign = text(middle, top - 5, "", { class: "sign" });
  const box = { x: middle - m.head / 2, y: top - 16, width: m.head, height: 14, rx: 7 };
  return [
    stage.here ? text(middle, top - 32, stage.here, { class: "along here" }) : null,
    text(middle, top - 20, name, { class: stage.here ? "heading here" : "heading", "data-key": stage.key }),
    stage.fixed ? null : [keyed(plan, stage.key, "rect", { class: "part stage", ...box }, sign), sign],
  ];
}

// A stage without heads works on each row of its lane.
function worked(plan, stage, { head, width }) {
  const { top } = plan.lanes[stage.lane];
  const high = plan.scene.lanes[stage.lane].symbols.length * ROW;
  const name = stage.fixed ? "fixed work" : "part work";
  return [
    keyed(plan, stage.key, "rect", { class: name, x: head, y: top, width, height: high, rx: 4 }),
    heading(plan, stage, head + width / 2, top),
  ];
}

// A stage with heads gathers from rows, and adds to the row that is followed.
function gathered(plan, stage, where) {
  const { scene, lanes, box } = plan;
  const line = lanes[stage.lane].row(scene.lanes[stage.lane].at);
  const from = lanes[stage.from];
  const high = stage.heads.length * (box + BETWEEN) - BETWEEN;
  const top = from.top + Math.min(4, (from.high - high) / 2);
  return [
    stage.heads.map((one, h) => {
      const up = top + h * (box + BETWEEN);
      const to = curve(where.head + where.width, up + box / 2, where.join, line);
      return [
        keyed(plan, one.key, "path", { class: "part joined", d: to }),
        bands(plan, stage, where, h, up),
        headBox(plan, one.key, h, where, up),
      ];
    }),
    make("path", { class: "plus", d: plus(where.join, line) }),
    heading(plan, stage, where.head + where.width / 2, from.top),
  ];
}

// The ribbons of a head, one below the other where they enter it.
function bands(plan, stage, { start, head }, h, up) {
  const { lanes, box } = plan;
  const slot = ROW / stage.heads.length; // of a row, for each head
  let entered = up;
  return stage.heads[h].ribbons.map(({ key, row, share }) => {
    entered += share * box;
    if (share < LEAST) return null;
    const y = lanes[stage.from].row(row) - ROW / 2 + (h + 0.5) * slot;
    const d = band(start, y, share * slot, head, entered - (share * box) / 2, share * box);
    return keyed(plan, key, "path", { class: "part ribbon", d });
  });
}

function headBox(plan, key, h, { head, width }, up) {
  const { m, box } = plan;
  const [middle, tall] = [head + width / 2, box > 26];
  const sign = text(middle, up + box / 2 + (tall ? 11 : 4), "", { class: "sign" });
  return [
    keyed(plan, key, "rect", { class: "part head", x: head, y: up, width, height: box, rx: 3 }, sign),
    tall ? text(middle, up + box / 2 - 3, m === WIDE ? `head ${h + 1}` : h + 1, { class: "number" }) : null,
    sign,
  ];
}

const plus = (x, y) =>
  `M${place(x - 6)} ${place(y)}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M${place(x - 3)} ${place(y)}h6M${place(x)} ${place(y - 3)}v6`;

// Where the row that is followed has room for some words: between two of its stages.
function alongside(scene, x, lane, y, words) {
  const own = scene.stages.flatMap((stage, s) => (stage.lane === lane ? [{ ...x.stages[s], ...stage }] : []));
  const free = own.findIndex((stage, i) => {
    const next = own[i + 1];
    return next && (next.from === lane ? next.start : next.head) - stage.join > 7 * words.length;
  });
  return free < 0 ? null : text(own[free].join + 12, y, words, { class: "along" });
}

const END = 20; // the height of a row of what comes out

// What comes out, likeliest first, each with a bar; beside the row that is followed.
function ending({ scene, x, lanes, m, height }) {
  const last = lanes.length - 1;
  const left = x.ends[last];
  const line = lanes[last].row(scene.lanes[last].at);
  const top = Math.min(Math.max(16, line - END / 2), height - scene.ends.length * END - 4);
  const widest = m.ends - (m === WIDE ? 84 : 80);
  return [
    text(left + 8, top - 3, m === WIDE ? scene.likely : scene.likelyShort, { class: "along" }),
    scene.ends.map((end, i) => {
      const y = top + i * END;
      const to = curve(left - 2, line, left + 8, y + END / 2);
      return [
        end.chosen ? make("path", { class: "stream followed", d: to, fill: "none" }) : null,
        endRow(end, left, y, widest),
      ];
    }),
  ];
}

// A symbol, and a bar that is as long as its share of the `widest`.
function endRow({ symbol, share, said, chosen }, left, y, widest) {
  const name = chosen ? "end chosen" : "end";
  const width = place(Math.max(1, widest * share));
  return [
    make("rect", { class: name, x: left + 8, y: y + 1, width: 22, height: END - 2, rx: 3 }),
    text(left + 19, y + 14.5, symbol, { class: "name" }),
    make("rect", { class: "bar", x: left + 34, y: y + 6, width, height: 8, rx: 2 }),
    text(left + 38 + widest * share, y + 14, said, { class: "share" }),
  ];
}

export { draw, LEAST };
