// --- from letters to a digit: one picture of all stages, and what each part of it does for one symbol ----------

import { filled } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import { byId, keepFocus, say, tell } from "./base.js";
import * as Arrays from "./arrays.js";
import * as Reading from "./flow_reading.js";
import * as Parts from "./flow_parts.js";
import * as Effects from "./flow_effects.js";

// Here is what is followed and chosen. `flow_cuts` cuts parts, `flow_scene` draws, `flow_said` says it in words, and
// `flow_shown` has these do so when this tells of "flow" (another symbol or line is followed), "flow-chosen" and
// "flow-pointed".

let readLine = null; // reads a line
let follows = null; // is told which symbol is followed
let step = null; // the symbol of the output that is followed
let opened = null; // the line, and the symbol that was followed at first
let letter = 0; // the symbol of the source whose row is followed
let byHand = false; // whether that was chosen; else it is the one that is looked at most
let parts = new Map(); // by their keys
let chosen = null; // the key of a part
let pointed = null; // the key of the part that is pointed at
let leads = false; // whether all fades that does not lead to the symbol

const rowOf = (side) => (side === "target" ? Reading.now.first + step : letter);

const symbol = () => Reading.now.written[step];

const partOf = (key) => parts.get(key) ?? Reading.cutter.off.get(key) ?? null;

const partChosen = () => partOf(chosen);

// The parts of a kind that help the symbol, most first.
const helping = (kind) =>
  [...parts.values()]
    .filter((part) => part.kind === kind && Effects.effect(part.key) === "for")
    .sort((a, b) => Effects.lossOf(b.key) - Effects.lossOf(a.key));

const partPointed = () => (pointed === chosen ? null : (parts.get(pointed) ?? null));

// --- another line, or another symbol --------------------------------------------------------------------------

// Before another line is read: what was cut of single symbols of the last one is no longer.
function leave(line) {
  if (!Reading.now || line === Reading.now.line) return;
  byHand = false;
  if (["letter", "edge", "row"].includes(chosen?.split(" ")[0])) chosen = null;
  for (const part of [...Reading.cutter.off.values()])
    if (["edge", "letter"].includes(part.kind)) Reading.cutter.toggle(part);
}

// A line as the model has just read it: see `Reading.take`. `by` has what did it, and `read`, which reads a line.
function show(said, by) {
  if (!by.told.stages?.length || !byId("flow")) return;
  const isOther = said.line !== Reading.now?.line;
  Reading.take(said, by);
  ({ read: readLine, follows } = by);
  const place = step ?? Effects.leastGuessed(blindly(Effects.guessed));
  if (step === null) opened = { line: said.line, step: place };
  byId("flow").hidden = false;
  to(Math.min(place, said.written.length - 1), isOther ? null : letter);
  tell("flow-read");
}

// What `act` gives while the model does not look at the line.
function blindly(act) {
  const eyes = Parts.eyes();
  const turn = () => {
    Reading.cutter.toggle(eyes);
    Reading.machine.update();
  };
  turn();
  const found = act();
  turn();
  return found;
}

// Follow a symbol of the output, and the row of a letter: null stands for the one that is looked at most.
function to(place, row) {
  if (place !== step) follows(place);
  step = place;
  letter = row ?? mostRead();
  parts = Parts.partsOf({ source: letter, target: rowOf("target") });
  if (!partChosen()) chosen = null;
  Effects.measure([...parts.values()], rowOf("target"), symbol(), (key) => key === chosen || key === pointed);
  tell("flow");
}

function follow(t) {
  to(t, byHand ? letter : null);
  say(
    filled(LINE_WORDS.stepOfOutput, { step: t + 1, symbol: Reading.visible(Reading.told.symbols[symbol()]) }),
  );
}

// Follow the row of a letter, and choose it.
function toLetter(k) {
  byHand = true;
  chosen = `letter ${rowOf("target")} ${k}`;
  leads = false;
  to(step, k);
}

// The letter at which all heads together look most.
function mostRead() {
  const sums = Reading.now.source.map((_, k) =>
    Reading.looking()
      .flatMap((stage) => Reading.headsOf(stage).map((h) => Reading.weight(stage, h, rowOf("target"), k)))
      .reduce((a, b) => a + b, 0),
  );
  return Math.max(0, Arrays.placeOfLargest(sums));
}

// --- choosing a part ---------------------------------------------------------------------------------------------

function choose(key) {
  const [kind, number] = (key ?? "").split(" ");
  if (kind === "row") return toLetter(Number(number));
  if (kind === "step") return follow(Math.min(Number(number), Reading.now.written.length - 1));
  chosen = key;
  if (key) leads = false;
  tell("flow-chosen");
  if (!partChosen()) focusStep();
}

const focusStep = () => byId("flow-steps").querySelector('[tabindex="0"]').focus({ preventScroll: true });

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

// What was pressed, or else the picture, stays where it is on the screen, whatever is said above it.
function still(act) {
  const { field } = document.activeElement?.dataset ?? {};
  const held = () => (field && document.querySelector(`[data-field="${field}"]`)) || byId("flow-picture");
  const { top } = held().getBoundingClientRect();
  keepFocus(act);
  byId("flow").closest(".stage").scrollTop += held().getBoundingClientRect().top - top;
}

// After something was cut, or put back: with a part chosen.
function readAgain(key) {
  chosen = key;
  still(() => readLine(Reading.now.line));
}

// The line once more, from a symbol on; null stands for the one that is followed at first.
function readFrom(place) {
  if (place === null) step = null;
  else to(Math.min(place, Reading.now.written.length - 1), byHand ? letter : null);
  readLine(Reading.now.line);
}

function hide() {
  byId("flow").hidden = true;
}

export {
  choose,
  chosen,
  focusStep,
  follow,
  helping,
  hide,
  leads,
  leave,
  letter,
  onlyLeads,
  opened,
  partChosen,
  partPointed,
  parts,
  point,
  readAgain,
  readFrom,
  readLine,
  rowOf,
  show,
  step,
  still,
  symbol,
  toLetter,
};
