// --- from letters to a digit: one picture of all stages, and the effect of each part on one symbol ----

import { filled } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import { byId, keepFocus, say } from "./dom.js";
import { tell } from "./events.js";
import * as Arrays from "./arrays.js";
import { machine, model } from "./line_model.js";
import * as Sampling from "./sampling.js";
import * as FlowReading from "./flow_reading.js";
import * as FlowParts from "./flow_parts.js";
import * as FlowEffects from "./flow_effects.js";

// From a line that is typed to the picture and its sentences, from file to file:
//
//   another_line   gives it to `line_model`, which decodes it; `line_shown` and `Flow.show` take the result
//   flow_reading   keeps the reading: the symbols of both sides, the attention weights, and the scores
//   flow           keeps in `state` the symbol that is followed and the part that is chosen; it tells of changes
//   flow_parts     lists the parts that can be cut: stages, heads, ribbons, letters
//   flow_effects   measures the loss of the symbol without each part, by `cuts`, while the page is idle
//   flow_shown     hears of all this: `flow_scene` draws it, by `ribbons`, and `flow_panel` says it, by `flow_said`
//
// And back, from the reader:
//
//   flow_cuts      cuts a part or puts it back, and has the line read again
//   flow_letters   tries other letters in place of one
//   flow_link      keeps the followed symbol and the cuts in the address
//
// The events, as in `events.js`:
//
//   flow           flow -> flow_cuts, flow_letters, flow_shown, flow_link: another symbol or line is followed
//   flow-read      flow -> flow_link: a line was read, and is followed
//   flow-line      flow -> another_line: a line is to be read, as if it were typed; the line
//   flow-chosen    flow -> flow_letters, flow_shown: another part is chosen, `state.chosen`
//   flow-pointed   flow -> flow_shown: another one is pointed at, `state.pointed`
//   flow-losses    flow_effects -> flow_shown: more was measured; {all, others: whether sentences change}
//   flow-letters   flow_letters -> flow_shown: all letters were tried

const state = {
  step: null, // the symbol of the output that is followed
  opened: null, // the line, and the symbol that was followed at first
  letter: 0, // the symbol of the source whose row is followed
  byHand: false, // whether the reader chose this letter; else it is the one that heads look at most
  parts: new Map(), // by their keys
  chosen: null, // the key of a part
  pointed: null, // the key of the part that is pointed at
  fades: false, // whether all fades that does not help the symbol
};

const rowOf = (side) => (side === "target" ? FlowReading.now().first + state.step : state.letter);

const symbol = () => FlowReading.now().written[state.step];

const partOf = (key) => state.parts.get(key) ?? FlowReading.cutter.off.get(key) ?? null;

const partChosen = () => partOf(state.chosen);

// The parts of a kind that help the symbol, most first.
const helping = (kind) =>
  [...state.parts.values()]
    .filter((part) => part.kind === kind && FlowEffects.effect(part.key) === "for")
    .sort((a, b) => FlowEffects.lossOf(b.key) - FlowEffects.lossOf(a.key));

const partPointed = () => (state.pointed === state.chosen ? null : (state.parts.get(state.pointed) ?? null));

// --- another line, or another symbol ------------------------------------------------------------------

// Before another line is read: put back the parts that belong to single symbols of the last line.
function forget(line) {
  if (!FlowReading.now() || line === FlowReading.now().line) return;
  state.byHand = false;
  const isOfOneSymbol = (part) => ["edge", "letter"].includes(part?.kind);
  if (isOfOneSymbol(partChosen())) state.chosen = null;
  for (const part of [...FlowReading.cutter.off.values()].filter(isOfOneSymbol))
    FlowReading.cutter.toggle(part);
}

// A line as the model has just read it: see `FlowReading.take`.
function show(decoded) {
  if (!model.stages.length || !byId("flow")) return;
  const isOther = decoded.line !== FlowReading.now()?.line;
  FlowReading.take(decoded);
  const place = state.step ?? FlowEffects.leastGuessed(blindly(FlowEffects.guessed));
  if (state.step === null) state.opened = { line: decoded.line, step: place };
  byId("flow").hidden = false;
  goTo(Math.min(place, decoded.written.length - 1), isOther ? null : state.letter);
  tell("flow-read");
}

// The result of `act` while the model does not look at the line.
function blindly(act) {
  const eyes = FlowParts.eyes();
  const turn = () => {
    FlowReading.cutter.toggle(eyes);
    machine().update();
  };
  turn();
  const found = act();
  turn();
  return found;
}

// Follow a symbol of the output, and the row of a letter; null stands for the letter that heads look at most.
function goTo(place, row) {
  if (place !== state.step) Sampling.follow(place);
  state.step = place;
  state.letter = row ?? mostRead();
  state.parts = FlowParts.partsOf({ source: state.letter, target: rowOf("target") });
  if (!partChosen()) state.chosen = null;
  const isAsked = (key) => key === state.chosen || key === state.pointed;
  FlowEffects.measure([...state.parts.values()], rowOf("target"), symbol(), isAsked);
  tell("flow");
}

function follow(t) {
  goTo(t, state.byHand ? state.letter : null);
  say(filled(LINE_WORDS.stepOfOutput, { step: t + 1, symbol: FlowReading.visible(model.symbols[symbol()]) }));
}

// Follow the row of a letter, and choose it.
function toLetter(k) {
  state.byHand = true;
  state.chosen = FlowParts.keyOf({ kind: "letter", row: rowOf("target"), k });
  state.fades = false;
  goTo(state.step, k);
}

// The letter at which all heads together look most.
function mostRead() {
  const sums = FlowReading.now().source.map((_, k) =>
    FlowReading.looking()
      .flatMap((stage) =>
        FlowReading.headsOf(stage).map((h) => FlowReading.weight(stage, h, rowOf("target"), k)),
      )
      .reduce((a, b) => a + b, 0),
  );
  return Math.max(0, Arrays.placeOfLargest(sums));
}

// --- choosing a part ----------------------------------------------------------------------------------

// Choose a part by its key, or none; or follow a place of the picture.
function choose(key) {
  const place = FlowParts.places().get(key);
  if (place) return place.kind === "row" ? toLetter(place.k) : follow(place.t);
  state.chosen = key;
  if (key) state.fades = false;
  tell("flow-chosen");
  if (!partChosen()) focusStep();
}

const focusStep = () => byId("flow-steps").querySelector('[tabindex="0"]').focus({ preventScroll: true });

// Fade all that does not help the symbol, or nothing.
function fade(on) {
  state.fades = on;
  if (on) state.chosen = null;
  tell("flow-chosen");
}

function point(key) {
  if (key === state.pointed) return;
  state.pointed = key;
  tell("flow-pointed");
}

// Run `act` so that the pressed button, or else the picture, stays at its place on the screen.
function keepInPlace(act) {
  const { field } = document.activeElement?.dataset ?? {};
  const anchor = () => (field && document.querySelector(`[data-field="${field}"]`)) || byId("flow-picture");
  const { top } = anchor().getBoundingClientRect();
  keepFocus(act);
  byId("flow").closest(".tab").scrollTop += anchor().getBoundingClientRect().top - top;
}

// Have a line read, as if it were typed.
const readLine = (line) => tell("flow-line", line);

// After something was cut, or put back: with a part chosen.
function readAgain(key) {
  state.chosen = key;
  keepInPlace(() => readLine(FlowReading.now().line));
}

// Read the line again, and follow a symbol; null stands for the symbol that is followed at first.
function readFrom(place) {
  if (place === null) state.step = null;
  else goTo(Math.min(place, FlowReading.now().written.length - 1), state.byHand ? state.letter : null);
  readLine(FlowReading.now().line);
}

function hide() {
  byId("flow").hidden = true;
}

export {
  choose,
  fade,
  focusStep,
  follow,
  forget,
  helping,
  hide,
  keepInPlace,
  partChosen,
  partPointed,
  point,
  readAgain,
  readFrom,
  readLine,
  rowOf,
  show,
  state,
  symbol,
  toLetter,
};
