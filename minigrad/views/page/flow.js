// --- from letters to a digit: one picture of all stages, and what each part of it does for one symbol ----------

import { filled, WORDS } from "./words.js";
import { byId, data, fill, make, say, tip, hideTip } from "./base.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Attention from "./attention.js";
import * as Places from "./places.js";
import * as Cuts from "./cuts.js";
import * as Ribbons from "./ribbons.js";

// What is drawn is the run of the line that stands in the field (see `another_line.js`). A stage, a head, a
// ribbon and a letter are parts: each has a key, and can be cut (see `cuts.js`).

const NOTHING = 0.02; // of the margin: a part that changes it by less does nothing that is worth a colour
const LIKELY = 4,
  MOST_ROWS = 40; // symbols of a lane, the last ones

let told = null, // the stages and symbols: see `another_line.py`
  machine = null,
  cutter = null,
  again = null, // reads the line once more
  reading = null; // see `show`
let step = null, // the symbol of the output that is followed
  letter = 0, // the symbol of the source whose row is followed
  byHand = false, // that was chosen; else it is the one that is looked at most
  chosen = null; // the key of a part
let parts = new Map(), // by their keys
  drawn = null,
  losses = new Map(),
  margin = null, // of the symbol that is followed: see `marginOf`
  complete = false;

const signed = (v) => `${v < 0 ? "−" : "+"}${Math.abs(v).toFixed(Math.abs(v) < 0.95 ? 2 : 1)}`;
const score = (v) => v.toFixed(1).replace("-", "−");
const share = (v) => v.toFixed(2);
const quoted = (symbol) => `“${symbol}”`;

// --- the parts of the run --------------------------------------------------------------------------------

const weightsOf = (stage) => machine.slots[stage.weights];
const rowOf = (side) => (side === "target" ? reading.first + step : letter);
const symbolsOf = (side) => (side === "source" ? reading.source : reading.target);

function weight(stage, head, key) {
  const { shape } = weightsOf(stage);
  return reading.weights.get(stage.path)[(head * shape[2] + rowOf(stage.side)) * shape[3] + key];
}

function collect() {
  // every part that the picture shows
  const found = [];
  const all = (from, count) => Int32Array.from({ length: count }, (_, i) => from + i);
  const add = (part) => found.push(part);
  const looking = told.stages.filter((stage) => stage.reads === "source" && stage.side === "target");
  told.stages.forEach((stage, s) => {
    const cuts = new Map([[stage.out, all(0, machine.slots[stage.out].size)]]);
    add({ key: `stage ${s}`, kind: "stage", stage, s, cuts });
    if (stage.reads === null) return;
    const [, H, R, C] = weightsOf(stage).shape;
    for (let h = 0; h < H; h++) {
      add({
        key: `head ${s} ${h}`,
        kind: "head",
        stage,
        s,
        h,
        cuts: new Map([[stage.weights, all(h * R * C, R * C)]]),
      });
      symbolsOf(stage.reads).forEach((_, k) => {
        const width = weight(stage, h, k);
        if (width < Ribbons.LEAST) return;
        const at = (h * R + rowOf(stage.side)) * C + k;
        const key = `edge ${s} ${h} ${rowOf(stage.side)} ${k}`;
        add({ key, kind: "edge", stage, s, h, k, width, cuts: new Map([[stage.weights, [at]]]) });
      });
    }
  });
  if (looking.length)
    reading.source.forEach((_, k) => {
      const cuts = looking.map((stage) => {
        const [, H, R, C] = weightsOf(stage).shape;
        return [stage.weights, Array.from({ length: H }, (_h, h) => (h * R + rowOf("target")) * C + k)];
      });
      add({ key: `letter ${rowOf("target")} ${k}`, kind: "letter", k, cuts: new Map(cuts) });
    });
  // What the sentences are about comes first.
  const order = ({ kind, stage }) =>
    ["stage", "head", "letter", "edge"].indexOf(kind) + (stage?.side === "source");
  found.sort((a, b) => order(a) - order(b) || (b.width ?? 0) - (a.width ?? 0));
  parts = new Map(found.map((part) => [part.key, part]));
}

function named(part) {
  // in words
  const { stage, kind, h, k } = part;
  if (kind === "letter")
    return filled(WORDS.flowLetter, { symbol: quoted(visible(reading.source[k])), place: k + 1 });
  const name = stageName(stage);
  if (kind === "stage") return name;
  if (kind === "head") return filled(WORDS.flowHead, { head: h + 1, stage: name });
  return filled(WORDS.flowEdge, {
    head: h + 1,
    stage: name,
    key: quoted(visible(symbolsOf(stage.reads)[k])),
    share: share(part.width),
  });
}

function stageName({ side, name, layer }) {
  const sides = new Set(told.stages.map((stage) => stage.side)).size > 1;
  const layers = told.stages.some((stage) => stage.layer > 1);
  const place = sides && name !== "cross-attention" ? WORDS.flowSides[side] : "";
  return `${place}${name}${layers ? `, layer ${layer}` : ""}`;
}

// --- what they do ------------------------------------------------------------------------------------------

function marginOf(row) {
  // how far the symbol's score is above the best of all others
  const symbol = reading.written[step];
  let other = -1;
  for (let i = 0; i < row.length; i++)
    if (i !== symbol && !told.never.includes(i) && (other < 0 || row[i] > row[other])) other = i;
  return { margin: row[symbol] - row[other], own: row[symbol], second: row[other], other };
}

function scoresNow() {
  const { array, shape } = machine.slots[told.results[0]];
  const at = rowOf("target") * shape[2];
  return array.subarray(at, at + shape[2]);
}

const isDetail = ({ kind, stage }) => kind === "edge" && stage.side === "source"; // no sentence is about it

function effect(key) {
  // "for" the symbol, "against" it, or "nothing"; null while it is not known
  const lost = losses.get(key);
  if (lost === undefined) return null;
  return Math.abs(lost) < NOTHING * Math.max(1, Math.abs(margin.margin))
    ? "nothing"
    : lost > 0
      ? "for"
      : "against";
}

function measure() {
  losses = new Map();
  complete = false;
  const waiting = [...parts.values()];
  cutter.measure(
    waiting,
    () => marginOf(scoresNow()).margin,
    (found, all) => {
      losses = found;
      complete = all || [...parts.values()].every((part) => losses.has(part.key) || isDetail(part));
      paint();
      summary();
      if (all) details();
    },
  );
}

// --- what is shown -------------------------------------------------------------------------------------------

function scene() {
  const target = rowOf("target");
  const hasSource = told.stages.some((stage) => stage.side === "source");
  const sides = hasSource ? ["source", "target"] : ["target"];
  const from = hasSource ? 0 : Math.max(0, target + 1 - MOST_ROWS); // the first row that is shown
  const shown = (side) => (hasSource ? symbolsOf(side) : symbolsOf(side).slice(from, target + 1));
  const now = stageNow();
  return {
    lanes: sides.map((side) => ({
      short: WORDS.flowLanes[hasSource ? side : "text"],
      title: filled(WORDS.flowTitles[hasSource ? side : "text"], { symbol: followed(side) }),
      stream: side === "target" ? WORDS.flowStream : null,
      symbols: shown(side).map(visible),
      at: rowOf(side) - from,
      until: side === "target" ? target - from : undefined,
      keys:
        side === "source"
          ? [shown(side).map((_, k) => `row ${k}`), shown(side).map((_, k) => `letter ${target} ${k}`)]
          : [
              shown(side).map((_, k) =>
                k + from - reading.first >= 0 ? `step ${k + from - reading.first}` : null,
              ),
            ],
    })),
    stages: told.stages.map((stage, s) => ({
      key: `stage ${s}`,
      number: s + 1,
      name: stage.name,
      here: s === now ? WORDS.flowHere : null,
      lane: sides.indexOf(stage.side),
      from: stage.reads === null ? null : sides.indexOf(stage.reads),
      heads:
        stage.reads === null
          ? []
          : Array.from({ length: weightsOf(stage).shape[1] }, (_, h) => ({
              key: `head ${s} ${h}`,
              ribbons: shown(stage.reads).map((_k, row) => ({
                key: `edge ${s} ${h} ${rowOf(stage.side)} ${row + from}`,
                row,
                share: weight(stage, h, row + from),
              })),
            })),
    })),
    ends: likeliest().map((i) => ({
      symbol: visible(told.symbols[i]),
      share: reading.p[step][i],
      said: `${(100 * reading.p[step][i]).toFixed(1)}%`,
      chosen: i === reading.written[step],
    })),
  };
}

const SHORT = { "<eos>": "end", "<bos>": "start", " ": "␣", "\n": "⏎" };
function visible(symbol) {
  const name = SHORT[symbol] ?? symbol;
  return name.length > 5 ? `${name.slice(0, 4)}…` : name;
}

// The symbol that a row is there for: of the target, the one that is written there.
const followed = (side) =>
  quoted(visible(side === "target" ? told.symbols[reading.written[step]] : reading.source[letter]));

function likeliest() {
  const p = reading.p[step];
  return p
    .map((_, i) => i)
    .sort((a, b) => p[b] - p[a] || a - b)
    .slice(0, LIKELY);
}

function draw() {
  const box = byId("flow-picture");
  if (!reading || !box.clientWidth) return; // it is not seen
  drawn = Ribbons.draw(scene(), box.clientWidth);
  fill(box, drawn.svg);
  byId("flow-figure").classList.toggle("beside", drawn.free > 230);
  byId("flow-figure").style.setProperty("--free", `${drawn.free - 24}px`);
  paint();
}

function paint() {
  if (!drawn) return;
  const most = Math.max(...[...losses.values()].map(Math.abs), 1e-9);
  for (const [key, { shapes, sign }] of drawn.parts) {
    const does = effect(key);
    const [off, lost] = [cutter.off.has(key), losses.get(key) ?? 0];
    for (const shape of shapes) {
      for (const name of ["for", "against", "nothing"]) shape.classList.toggle(name, does === name);
      if (does !== null) shape.dataset.lost = lost.toFixed(4);
      shape.classList.toggle("off", off);
      shape.classList.toggle("chosen", key === chosen);
      shape.style.setProperty("--strength", (0.35 + 0.65 * Math.min(1, Math.abs(lost) / most)).toFixed(2));
    }
    if (!sign) continue;
    const narrow = drawn.svg.classList.contains("narrow");
    const words = off ? "cut" : does === null ? "" : does === "nothing" ? "0" : signed(lost);
    sign.textContent = narrow ? (off ? "✕" : words.slice(0, 1)) : words;
  }
}

function symbolButtons() {
  // the symbols of the output: one of them is followed
  const focused = byId("flow-steps").contains(document.activeElement);
  fill(
    byId("flow-steps"),
    reading.written.map((id, t) =>
      make(
        "button",
        {
          role: "radio",
          "aria-checked": String(t === step),
          tabindex: t === step ? 0 : -1,
          "aria-label": filled(WORDS.stepOfOutput, { step: t + 1, symbol: visible(told.symbols[id]) }),
          class: id === told.wrote[t] ? null : "changed",
          onclick: () => follow(t),
        },
        visible(told.symbols[id]),
      ),
    ),
  );
  if (focused) byId("flow-steps").children[step].focus();
}

function summary() {
  // what the picture says of this symbol, in sentences
  const symbol = followed("target");
  const other = quoted(visible(told.symbols[margin.other]));
  const [own, second, apart] = [margin.own, margin.second, margin.margin].map(score);
  const part = partChosen();
  if (part) return Live.keepFocus(() => fill(byId("flow-summary"), brief(part)));
  fill(
    byId("flow-summary"),
    make("p", {}, filled(WORDS.flowMargin, { symbol, other, own, second, margin: apart })),
    complete
      ? [
          rests("letter", 4, WORDS.flowLetters, ({ k }) => quoted(visible(reading.source[k]))),
          rests("head", 3, WORDS.flowHeads, named),
          make("p", { class: "moral" }, widest(symbol)),
        ]
      : make("p", { class: "soft" }, WORDS.flowMeasuring),
  );
}

const partChosen = () => parts.get(chosen) ?? cutter.off.get(chosen) ?? null;

function brief(part) {
  // beside the picture, what is worked out below
  return [
    make("p", {}, make("b", {}, named(part))),
    make("p", {}, outcome(part)),
    make(
      "p",
      { class: "acts" },
      cutSwitch(part, "beside"),
      make("button", { onclick: () => choose(null) }, filled(WORDS.flowAll, { symbol: followed("target") })),
    ),
  ];
}

function rests(kind, most, words, name) {
  // on which parts of that kind the symbol rests
  const found = [...parts.values()]
    .filter((part) => part.kind === kind && effect(part.key) === "for")
    .sort((a, b) => losses.get(b.key) - losses.get(a.key))
    .slice(0, most);
  const list = found.map((part) => `${name(part)} ${signed(losses.get(part.key))}`).join(", ");
  return found.length ? make("p", {}, filled(words, { list })) : null;
}

function widest(symbol) {
  // the widest ribbon need not be what helps: said with the one that is here
  const edges = [...parts.values()]
    .filter(({ kind, stage }) => kind === "edge" && stage.side === "target")
    .sort((a, b) => b.width - a.width);
  if (!edges.length) return "";
  const said = (words, part) =>
    filled(words, { edge: named(part), symbol, change: signed(losses.get(part.key)) });
  const against = edges.find(({ key }) => effect(key) === "against");
  const first = effect(edges[0].key);
  return [
    said(WORDS.flowWidest[first], edges[0]),
    first === "for" && against ? said(WORDS.flowAgainst, against) : "",
  ].join(" ");
}

// --- a part that is chosen ----------------------------------------------------------------------------------------

function outcome(part) {
  const lost = losses.get(part.key);
  if (lost === undefined) return WORDS.flowMeasuring;
  const off = cutter.off.has(part.key);
  const now = margin.margin;
  const values = { now: score(now), other: score(off ? now + lost : now - lost), change: signed(lost) };
  return filled(off ? WORDS.flowWouldGain : WORDS.flowWouldLose, values);
}

function cutSwitch(part, place) {
  const off = cutter.off.has(part.key);
  return make(
    "button",
    {
      class: "switch",
      role: "switch",
      "aria-checked": String(!off),
      "aria-label": `${named(part)}: ${off ? "cut" : "on"}`,
      "data-field": `${place} ${part.key}`,
      onclick: () => turn(part),
    },
    off ? "cut" : "on",
  );
}

function details() {
  const part = partChosen();
  const off = [...cutter.off.values()];
  byId("flow-cut").hidden = !off.length;
  fill(
    byId("flow-cut"),
    filled(WORDS.flowCutNow, { parts: off.map(named).join("; ") }),
    " ",
    make("button", { onclick: putBack }, "Put all back"),
  );
  Live.keepFocus(() =>
    fill(byId("flow-details"), part ? about(part) : make("p", { class: "soft" }, WORDS.flowChoose)),
  );
}

function about(part) {
  const { kind, stage, s, h } = part;
  const path = stage ? make("span", { class: "soft mono" }, ` ${stage.path}`) : null;
  const edges = [...parts.values()]
    .filter((one) => one.kind === "edge" && one.s === s && (kind === "stage" || one.h === h))
    .sort((a, b) => b.width - a.width);
  return [
    make("h2", {}, named(part), path),
    make(
      "p",
      {},
      kind === "letter" ? WORDS.flowLetterAbout : filled(WORDS.flowAbout, stage),
      " ",
      outcome(part),
    ),
    make(
      "p",
      { class: "acts" },
      cutSwitch(part, "below"),
      stage ? make("button", { onclick: () => openBox(stage) }, "Its box in the drawing") : null,
      kind === "edge" && cellOf(part)
        ? make("button", { onclick: () => openCell(part) }, "Its query and key")
        : null,
    ),
    h !== undefined && edges.length
      ? make(
          "table",
          {},
          make("caption", {}, filled(WORDS.flowEdges[stage.side], { symbol: followed(stage.side) })),
          make(
            "tr",
            {},
            ["looks at", "attention", "does", "ribbon"].map((name) => make("th", { scope: "col" }, name)),
          ),
          edges.map((edge) =>
            make(
              "tr",
              {},
              make(
                "th",
                { scope: "row" },
                make(
                  "button",
                  { class: "link", "data-field": `to ${edge.key}`, onclick: () => choose(edge.key) },
                  visible(symbolsOf(stage.reads)[edge.k]),
                ),
              ),
              make("td", {}, share(edge.width)),
              make("td", {}, losses.has(edge.key) ? signed(losses.get(edge.key)) : "…"),
              make("td", {}, cutSwitch(edge, "row")),
            ),
          ),
        )
      : null,
  ];
}

function turn(part) {
  cutter.turned(part);
  chosen = part.key;
  again();
  say(`${named(part)}: ${cutter.off.has(part.key) ? "cut" : "on"}`);
}

function putBack() {
  for (const part of [...cutter.off.values()]) cutter.turned(part);
  again();
  byId("flow-steps").querySelector('[tabindex="0"]').focus();
}

// --- where it is in the rest of the page --------------------------------------------------------------------------

// The other parts of the page are about the line that was written down, as long as it is here too.
const asWritten = () => reading.line === told.line && !cutter.off.size;

function boxOf(stage) {
  return Object.entries(data.boxes).find(([, box]) => box.path === stage.path)?.[0];
}

function inBox(n, number) {
  for (let box = Graph.nodes.get(n).box; box !== null && box !== undefined; box = data.boxes[box].parent)
    if (String(box) === number) return true;
  return false;
}

function stageNow() {
  // the stage in which the step of the time line is
  const event = Graph.current();
  return event ? told.stages.findIndex((stage) => inBox(event.n, boxOf(stage))) : null;
}

function openBox(stage) {
  // at its first step
  const number = boxOf(stage);
  const first = data.forward.find((n) => inBox(n, number));
  if (first !== undefined) Places.go(Graph.computedAt.get(first));
}

function cellOf({ stage }) {
  const map = data.maps.findIndex(({ weights }) => inBox(weights, boxOf(stage)));
  return asWritten() && map >= 0 ? map : null;
}

function openCell(part) {
  Attention.chooseCell(cellOf(part), part.h, rowOf(part.stage.side), part.k);
}

// --- choosing ---------------------------------------------------------------------------------------------------

function follow(t) {
  step = t;
  refresh();
  say(filled(WORDS.stepOfOutput, { step: t + 1, symbol: visible(told.symbols[reading.written[t]]) }));
}

function choose(key) {
  const [kind, number] = (key ?? "").split(" ");
  if (kind === "row") return toLetter(Number(number));
  if (kind === "step") return follow(Math.min(Number(number), reading.written.length - 1));
  chosen = key;
  paint();
  summary();
  details();
  const part = partChosen();
  if (!part) return byId("flow-steps").querySelector('[tabindex="0"]').focus();
  say(`${named(part)}. ${outcome(part)}`);
  if (part.kind === "edge" && cellOf(part) !== null) openCell(part);
}

function toLetter(k) {
  // the row of a letter is followed, and the letter is chosen
  [letter, byHand] = [k, true];
  chosen = `letter ${rowOf("target")} ${k}`;
  refresh();
}

function letters() {
  byId("flow-by").hidden = !reading.source.length;
  fill(
    byId("flow-letter"),
    reading.source.map((symbol, k) =>
      make("option", { value: k, selected: k === letter }, `${k + 1}: ${visible(symbol)}`),
    ),
  );
}

function refresh() {
  // another symbol is followed
  if (!byHand) letter = mostRead();
  collect();
  losses = new Map();
  margin = marginOf(scoresNow());
  if (!parts.has(chosen) && !cutter.off.has(chosen)) chosen = null;
  symbolButtons();
  letters();
  draw();
  stageList();
  measure();
  summary();
  details();
}

function mostRead() {
  // the letter at which all heads together look most
  const looking = told.stages.filter((stage) => stage.reads === "source" && stage.side === "target");
  const sums = reading.source.map((_, k) =>
    looking.reduce((sum, stage) => {
      for (let h = 0; h < weightsOf(stage).shape[1]; h++) sum += weight(stage, h, k);
      return sum;
    }, 0),
  );
  return Math.max(0, sums.indexOf(Math.max(...sums)));
}

function stageList() {
  const now = stageNow();
  fill(
    byId("flow-stages"),
    told.stages.map((stage, s) =>
      make(
        "li",
        {},
        make(
          "button",
          {
            class: "link",
            "aria-current": s === now ? "step" : null,
            onclick: () => choose(`stage ${s}`),
          },
          stageName(stage),
        ),
        s === now ? make("span", { class: "badge" }, WORDS.flowHere) : null,
        make("span", { class: "soft" }, ` ${stage.about}`),
        stage.reads === null
          ? null
          : make(
              "span",
              {
                class: "heads",
                role: "group",
                "aria-label": filled(WORDS.flowHeadsOf, { stage: stageName(stage) }),
              },
              Array.from({ length: weightsOf(stage).shape[1] }, (_, h) =>
                make(
                  "button",
                  {
                    "aria-label": filled(WORDS.flowHead, { head: h + 1, stage: stageName(stage) }),
                    onclick: () => choose(`head ${s} ${h}`),
                  },
                  h + 1,
                ),
              ),
            ),
      ),
    ),
  );
}

// A line as the model has just read it: the ids of the source and of the target, where the first symbol is
// written, and the likelihoods. `reread` reads it once more.
function show(said, by) {
  if (!by.told.stages?.length || !byId("flow")) return;
  ({ told, machine, again } = by);
  cutter ??= Cuts.cutter(machine);
  const line = said.line;
  if (line !== reading?.line) byHand = false;
  if (reading && line !== reading.line)
    for (const part of [...cutter.off.values()])
      if (["edge", "letter"].includes(part.kind)) cutter.turned(part);
  const names = new Map(Object.entries(told.ids).map(([name, id]) => [id, name]));
  const aside = told.inputs.length === 2;
  const target = [...said.prompt, ...said.written.slice(0, -1)].map((id) => told.symbols[id]);
  reading = {
    line,
    written: said.written,
    first: said.prompt.length - 1,
    p: said.p,
    source: aside ? said.ids.map((id) => names.get(id)) : [],
    target,
    weights: new Map(
      told.stages
        .filter(({ weights }) => weights !== null)
        .map((stage) => [stage.path, weightsOf(stage).array.slice()]),
    ),
  };
  step = Math.min(step ?? Math.ceil(said.written.length / 2), said.written.length - 1);
  byId("flow").hidden = false;
  refresh();
}

function listen() {
  const box = byId("flow-picture");
  const keyAt = (event) => event.target.dataset?.key;
  box.addEventListener("click", (event) => {
    if (keyAt(event)) choose(keyAt(event));
  });
  box.addEventListener("pointermove", (event) => {
    const part = parts.get(keyAt(event));
    if (!part) return hideTip();
    const does = effect(part.key);
    tip(`${named(part)}\n${does ? WORDS.flowDoes[does] : ""} ${outcome(part)}`, event);
  });
  box.addEventListener("pointerleave", hideTip);
  byId("flow-steps").addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const count = reading.written.length;
    follow((step + by + count) % count);
  });
  byId("flow-letter").addEventListener("change", (event) => toLetter(Number(event.target.value)));
  let before = 0;
  new ResizeObserver(() => {
    if (!reading || box.clientWidth === before) return;
    before = box.clientWidth;
    draw();
    stageList(); // the step may be another by now
  }).observe(box);
}

if (byId("flow")) listen();

function hide() {
  byId("flow").hidden = true;
}

export { hide, show };
