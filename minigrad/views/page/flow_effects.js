// --- from letters to a digit: the effect of each part on the symbol that is followed ------------------

import { tell } from "./events.js";
import { model } from "./line_model.js";
import * as FlowReading from "./flow_reading.js";
import * as FlowParts from "./flow_parts.js";

// Told by the run without it.

const NOTHING = 0.02; // of the lead: a part that changes it by less does nothing that is worth a colour

const nothingKnown = (standing) => ({
  standing, // of the symbol that is followed: see `FlowReading.standingOf`
  losses: new Map(), // the loss of its lead without a part, by the key of the part
  rivals: new Map(), // the best other symbol without the part
  moves: new Map(), // what a part does to two scores: see `moved`
  guesses: null, // the symbol at each place if the model does not look at the line: see `guessed`
  complete: false, // whether all is known that the sentences are about
});
let effects = nothingKnown(null);
const now = () => effects; // as far as they are known

// Begin for the symbol that is written in a row; `isAsked` says of a key whether a sentence waits for it.
function measure(parts, row, symbol, isAsked) {
  effects = nothingKnown(FlowReading.standingOf(FlowReading.scoresAt(row), symbol));
  let whole = null; // the scores with nothing turned
  const waiting = [FlowParts.eyes(), ...parts].filter(({ cuts }) => cuts !== null);
  const toSay = () => [effects.complete, ...[...effects.losses.keys()].filter(isAsked)].join();
  FlowReading.cutter.measure(
    waiting,
    (key) => {
      const scores = FlowReading.scoresAt(row);
      const { lead, other } = FlowReading.standingOf(scores, symbol);
      whole ??= scores.slice();
      effects.rivals.set(key, other);
      if (key === "eyes") effects.guesses = guessed();
      if (!FlowReading.cutter.off.has(key)) effects.moves.set(key, moved(scores, whole, symbol, other));
      return lead;
    },
    (losses, all) => {
      const before = toSay();
      effects.losses = new Map(losses);
      effects.complete = all || waiting.every((part) => losses.has(part.key) || isDetail(part));
      tell("flow-losses", { all, others: all || toSay() !== before });
    },
  );
}

const isDetail = ({ kind, stage }) => kind === "edge" && stage.side === "source"; // no sentence is about it

// By how much the scores of two symbols change from some to others. To add a number to all scores changes
// nothing: so each counts against the mean of all.
function moved(from, to, symbol, rival) {
  const ids = Array.from(to, (_, id) => id).filter((id) => !model.never.includes(id));
  const mean = ids.reduce((sum, id) => sum + to[id] - from[id], 0) / ids.length;
  const of = (id) => ({ id, by: to[id] - from[id] - mean });
  return { own: of(symbol), other: of(rival) };
}

// With the scores of now: what is likeliest at each place of the answer, after what was written before it,
// and how far what was written is above all others.
function guessed() {
  const { written, first } = FlowReading.now();
  return written.map((id, t) => {
    const { lead, other } = FlowReading.standingOf(FlowReading.scoresAt(first + t), id);
    return { id: lead >= 0 ? id : other, lead };
  });
}

// The place of the symbol that can be guessed least: it is written for what the model reads.
function leastGuessed(guesses) {
  const leads = guesses.map(({ lead }) => lead);
  return leads.indexOf(Math.min(...leads));
}

// --- in words and colours -----------------------------------------------------------------------------

const isNothing = (change, lead = effects.standing.lead) =>
  Math.abs(change) < NOTHING * Math.max(1, Math.abs(lead));

const digitsOf = (change) => (Math.abs(change) < 0.95 ? 2 : 1);

const signed = (v, digits = digitsOf(v)) => `${v < 0 ? "−" : "+"}${Math.abs(v).toFixed(digits)}`;

// What is lost from one lead to another: the difference of the two as they are written.
function lostFrom(lead, left) {
  const digits = digitsOf(lead - left);
  return signed(lead.toFixed(digits) - left.toFixed(digits), digits);
}

const lossOf = (key) => effects.losses.get(key);

// What a part does, as it is written everywhere.
function does(key) {
  if (!effects.losses.has(key)) return "…";
  const [{ lead }, lost] = [effects.standing, lossOf(key)];
  if (isNothing(lost)) return "0";
  return FlowReading.cutter.off.has(key) ? lostFrom(lead + lost, lead) : lostFrom(lead, lead - lost);
}

// The same where there is little room: the sign, with as many whole units as there are.
function shortly(key) {
  const units = Math.round(Math.abs(lossOf(key)));
  return does(key).slice(0, 1) + (isNothing(lossOf(key)) || !units ? "" : units);
}

// "for" the symbol, "against" it, or "nothing"; null while it is not known.
function effect(key) {
  const lost = lossOf(key);
  if (lost === undefined) return null;
  return isNothing(lost) ? "nothing" : lost > 0 ? "for" : "against";
}

// The symbol that would be written without a part, if it is another; else null.
function winner(key) {
  const { lead } = effects.standing;
  return lead > 0 && lossOf(key) > lead ? effects.rivals.get(key) : null;
}

export {
  digitsOf,
  does,
  effect,
  guessed,
  isNothing,
  leastGuessed,
  lossOf,
  lostFrom,
  measure,
  now,
  shortly,
  signed,
  winner,
};
