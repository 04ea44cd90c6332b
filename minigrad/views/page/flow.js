// --- from letters to a digit: one picture of all stages, and what each part of it does for one symbol ----------

import { filled, WORDS } from "./words.js";
import { byId, keepFocus, say, SPACE, SPECIAL, tell } from "./base.js";
import * as Cuts from "./cuts.js";
import * as Ribbons from "./ribbons.js";

// What is drawn is the run of the line that stands in the field (see `another_line.js`). A stage, a head, a
// ribbon and a letter are parts: each has a key, and nearly each can be cut (see `cuts.js`). Here is what is followed, chosen
// and cut. `flow_scene` draws it, `flow_said` says it in words, and `flow_shown` has both do so when this tells
// of "flow" (another symbol or line is followed), "flow-chosen", "flow-pointed" and "flow-losses".

const NOTHING = 0.02; // of the margin: a part that changes it by less does nothing that is worth a colour

let told = null; // the stages and symbols: see `another_line.py`
let machine = null;
let cutter = null;
let again = null; // reads the line once more
let follows = null; // is told which symbol is followed
let reading = null; // see `show`
let step = null; // the symbol of the output that is followed
let opened = null; // the line, and the symbol that was followed at first
let wanted = null; // what a link asks for, until a line is read
let followed = null; // the one that `follows` was told
let letter = 0; // the symbol of the source whose row is followed
let byHand = false; // whether that was chosen; else it is the one that is looked at most
let chosen = null; // the key of a part
let pointed = null; // the key of the part that is pointed at
let leads = false; // whether all fades that does not lead to the symbol
let turning = false; // whether a part is being cut, or taken back
let last = null; // what the picture showed before that: see `turn`
let uncut = null; // what is written for the line with nothing cut
let parts = new Map(); // by their keys
let losses = new Map(); // what the margin loses without a part, by its key
let rivals = new Map(); // the best of the other symbols then
let moves = new Map(); // what a part does to single scores: see `moved`
let margin = null; // of the symbol that is followed: see `marginOf`
let complete = false; // whether all is known that the sentences are about

const weightsOf = (stage) => machine.slots[stage.weights];

// --- how its symbols and numbers are written ---

const SHORT = { ...SPECIAL, " ": SPACE, "\n": "⏎" };

function visible(symbol) {
  const name = SHORT[symbol] ?? symbol;
  return name.length > 5 ? `${name.slice(0, 4)}…` : name;
}

const quoted = (symbol) => `“${symbol}”`;

const signed = (v) => `${v < 0 ? "−" : "+"}${Math.abs(v).toFixed(Math.abs(v) < 0.95 ? 2 : 1)}`;

// --- what it reads ---

const rowOf = (side) => (side === "target" ? reading.first + step : letter);

const symbolsOf = (side) => (side === "source" ? reading.source : reading.target);

function weight(stage, head, key) {
  const { shape } = weightsOf(stage);
  return reading.weights.get(stage.path)[(head * shape[2] + rowOf(stage.side)) * shape[3] + key];
}

// --- the parts of the run --------------------------------------------------------------------------------

const run = (from, count) => Int32Array.from({ length: count }, (_, i) => from + i);
const everywhere = (slot) => run(0, machine.slots[slot].size);

function collect() {
  // every part that the picture shows
  const found = [];
  const add = (part) => found.push(part);
  const looking = told.stages.filter((stage) => stage.reads === "source" && stage.side === "target");
  told.stages.forEach((stage, s) => {
    const cuts = stage.cut === null ? null : new Map([[stage.out, everywhere(stage.out)]]);
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
        cuts: new Map([[stage.weights, run(h * R * C, R * C)]]),
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

// --- what they do ------------------------------------------------------------------------------------------

function marginOf(row, symbol = reading.written[step]) {
  // how far the symbol's score is above the best of all others
  let other = -1;
  for (let i = 0; i < row.length; i++)
    if (i !== symbol && !told.never.includes(i) && (other < 0 || row[i] > row[other])) other = i;
  return { margin: row[symbol] - row[other], own: row[symbol], second: row[other], other };
}

// Of which symbol a score is raised most, and of which lowered most, from some scores to others. To add a number to
// all of them changes nothing: so each counts against the mean of all.
function moved(from, to) {
  const found = Array.from(to, (v, id) => ({ id, by: v - from[id] })).filter(
    ({ id }) => !told.never.includes(id),
  );
  const mean = found.reduce((sum, { by }) => sum + by, 0) / found.length;
  found.sort((a, b) => b.by - a.by);
  return [found[0], found[found.length - 1]].map(({ id, by }) => ({ id, by: by - mean }));
}

function scoresAt(row) {
  const { array, shape } = machine.slots[told.results[0]];
  return array.subarray(row * shape[2], (row + 1) * shape[2]);
}

const scoresNow = () => scoresAt(rowOf("target"));

const isDetail = ({ kind, stage }) => kind === "edge" && stage.side === "source"; // no sentence is about it

const isNothing = (change, lead = margin.margin) => Math.abs(change) < NOTHING * Math.max(1, Math.abs(lead));

// What a part does, as it is written everywhere.
const does = (key) => (losses.has(key) ? (isNothing(losses.get(key)) ? "0" : signed(losses.get(key))) : "…");

function effect(key) {
  // "for" the symbol, "against" it, or "nothing"; null while it is not known
  const lost = losses.get(key);
  if (lost === undefined) return null;
  return isNothing(lost) ? "nothing" : lost > 0 ? "for" : "against";
}

function measure() {
  losses = new Map();
  rivals = new Map();
  moves = new Map();
  complete = false;
  let whole = null; // the scores with nothing turned
  const waiting = [...parts.values()].filter(({ cuts }) => cuts !== null);
  const said = () => [complete, losses.has(chosen), losses.has(pointed)].join();
  cutter.measure(
    waiting,
    (key) => {
      const scores = scoresNow();
      const found = marginOf(scores);
      whole ??= scores.slice();
      rivals.set(key, found.other);
      if (!cutter.off.has(key)) moves.set(key, moved(scores, whole));
      return found.margin;
    },
    (found, all) => {
      const before = said();
      losses = found;
      complete = all || waiting.every((part) => losses.has(part.key) || isDetail(part));
      tell("flow-losses", { all, others: all || said() !== before });
    },
  );
}

const partChosen = () => parts.get(chosen) ?? cutter.off.get(chosen) ?? null;

const partPointed = () => (pointed === chosen ? null : (parts.get(pointed) ?? null));

// --- choosing, and cutting -----------------------------------------------------------------------------------

// What was pressed, or else the picture, stays where it is on the screen, whatever is said above it.
function still(act) {
  const { field } = document.activeElement?.dataset ?? {};
  const held = () => (field && document.querySelector(`[data-field="${field}"]`)) || byId("flow-picture");
  const { top } = held().getBoundingClientRect();
  keepFocus(act);
  byId("flow").closest(".stage").scrollTop += held().getBoundingClientRect().top - top;
}

function turn(part) {
  last = {
    key: part.key,
    line: reading.line,
    step,
    written: reading.written,
    lead: margin,
    lost: losses.get(part.key),
    rival: rivals.get(part.key),
  };
  cutter.toggle(part);
  last.off = cutNow();
  chosen = part.key;
  turning = true;
  still(again);
  turning = false;
}

const cutNow = () => [...cutter.off.keys()].join();

// What was before a part was cut, as long as that is the last that was done here.
const beforeCut = (part) =>
  last?.key === part.key && last.line === reading.line && last.step === step && last.off === cutNow()
    ? last
    : null;

function putBack() {
  for (const part of [...cutter.off.values()]) cutter.toggle(part);
  turning = true;
  still(again);
  turning = false;
  byId("flow-steps").querySelector('[tabindex="0"]').focus({ preventScroll: true });
}

function onlyLeads(on) {
  leads = on;
  if (on) chosen = null;
  tell("flow-chosen");
}

function point(key) {
  if (key === pointed) return;
  pointed = key;
  tell("flow-pointed");
}

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
  if (key) leads = false;
  tell("flow-chosen");
  if (!partChosen()) byId("flow-steps").querySelector('[tabindex="0"]').focus();
}

function toLetter(k) {
  // the row of a letter is followed, and the letter is chosen
  [letter, byHand] = [k, true];
  chosen = `letter ${rowOf("target")} ${k}`;
  leads = false;
  refresh();
}

function refresh() {
  // another symbol is followed
  if (!byHand && !turning) letter = mostRead();
  collect();
  losses = new Map();
  if (step !== followed) follows(step);
  followed = step;
  margin = marginOf(scoresNow());
  if (!parts.has(chosen) && !cutter.off.has(chosen)) chosen = null;
  measure();
  tell("flow");
}

// The symbol that is followed at first: the one that is guessed worst when the model looks nowhere, and so is
// written for what it reads.
function leastGuessed() {
  const looking = told.stages.filter(({ side, reads }) => side === "target" && reads !== null);
  const aside = looking.filter(({ reads }) => reads === "source");
  const blind = {
    key: "blind",
    cuts: new Map((aside.length ? aside : looking).map(({ out }) => [out, everywhere(out)])),
  };
  cutter.toggle(blind);
  machine.update();
  const guesses = reading.written.map((id, t) => marginOf(scoresAt(reading.first + t), id).margin);
  cutter.toggle(blind);
  machine.update();
  return guesses.indexOf(Math.min(...guesses));
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

// Before another line is read: what was cut of single symbols of the last one is no longer.
function leave(line) {
  if (!reading || line === reading.line) return;
  byHand = false;
  if (["letter", "edge", "row"].includes(chosen?.split(" ")[0])) chosen = null;
  for (const part of [...cutter.off.values()])
    if (["edge", "letter"].includes(part.kind)) cutter.toggle(part);
}

// A line as the model has just read it, as `decode` of `another_line.js` gives it, with the `line` and the
// likelihoods `p`; `by` has the machine that did it, and `again`, which reads the line once more.
function show(said, by) {
  if (!by.told.stages?.length || !byId("flow")) return;
  ({ told, machine, again, follows } = by);
  cutter ??= Cuts.cutter(machine);
  const line = said.line;
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
  if (!cutter.off.size) uncut = { line, written: said.written };
  if (step === null) {
    step = leastGuessed();
    opened = { line, step };
  }
  step = Math.min(step, said.written.length - 1);
  byId("flow").hidden = false;
  refresh();
  if (wanted) queueMicrotask(() => restore(wanted));
}

// As a link says: the `step` that is followed, or null, and the keys of what is cut. What is not there is left out.
function restore(said) {
  wanted = reading ? null : said;
  if (!reading) return;
  const back = [...cutter.off.values()];
  for (const part of back) cutter.toggle(part);
  step = said.step;
  again();
  const found = said.cut.map(partNamed).filter((part) => part?.cuts);
  for (const part of found) cutter.toggle(part);
  if (found.length) again();
}

// An edge, or a letter, is a part while the row that its key names is followed.
function partNamed(key) {
  const [kind, ...places] = key.split(" ");
  const before = [step, letter];
  if (kind === "letter") step = places[0] - reading.first;
  if (kind === "edge" && told.stages[places[0]]?.side === "source") letter = Number(places[2]);
  else if (kind === "edge") step = places[2] - reading.first;
  const isThere = step in reading.written && (letter in reading.source || !reading.source.length);
  if (isThere) collect();
  const found = isThere ? parts.get(key) : null;
  [step, letter] = before;
  return found;
}

function hide() {
  byId("flow").hidden = true;
}

export {
  beforeCut,
  choose,
  chosen,
  complete,
  cutter,
  does,
  effect,
  follow,
  hide,
  isNothing,
  leads,
  leave,
  letter,
  losses,
  margin,
  marginOf,
  moves,
  onlyLeads,
  opened,
  partChosen,
  partPointed,
  parts,
  point,
  putBack,
  quoted,
  reading,
  restore,
  rivals,
  rowOf,
  scoresNow,
  show,
  signed,
  step,
  still,
  symbolsOf,
  told,
  toLetter,
  turn,
  uncut,
  visible,
  weight,
  weightsOf,
};
