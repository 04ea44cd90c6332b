// --- from letters to a digit: the line that the model has just read --------------------------------------------

import { SPACE, SPECIAL } from "./base.js";
import * as Arrays from "./arrays.js";
import * as Cuts from "./cuts.js";

// It stands in the field (see `another_line.js`): the symbols of both sides, where heads look, and the scores.

let told = null; // the stages and symbols: see `another_line.py`
let machine = null; // runs the model
let decode = null; // has it write something for ids
let cutter = null; // cuts parts of it
let now = null; // the line: see `take`

// Take what `decode` of `another_line.js` gives, with the `line`, the likelihoods `p` and what
// `was` written before.
function take(said, by) {
  ({ told, machine, decode } = by);
  cutter ??= Cuts.cutter(machine);
  const names = new Map(Object.entries(told.ids).map(([name, id]) => [id, name]));
  const aside = told.inputs.length === 2;
  now = {
    line: said.line,
    ids: said.ids,
    written: said.written,
    was: said.was, // what it is compared with
    first: said.prompt.length - 1, // the row that writes the first symbol
    p: said.p,
    source: aside ? said.ids.map((id) => names.get(id)) : [],
    target: [...said.prompt, ...said.written.slice(0, -1)].map((id) => told.symbols[id]),
    weights: new Map(
      told.stages
        .filter(({ weights }) => weights !== null)
        .map((stage) => [stage.path, weightsOf(stage).array.slice()]),
    ),
  };
}

const symbolsOf = (side) => (side === "source" ? now.source : now.target);

// --- stages and their heads ---

const weightsOf = (stage) => machine.slots[stage.weights]; // (1, H, R, C)
const headsOf = (stage) => Array.from({ length: weightsOf(stage).shape[1] }, (_, h) => h);

// What a head gives a symbol of its attention, for a row.
function weight(stage, h, row, k) {
  const { shape } = weightsOf(stage);
  return now.weights.get(stage.path)[(h * shape[2] + row) * shape[3] + k];
}

// The stages in which the answer looks at what an encoder has read.
const looking = () => told.stages.filter(({ reads, side }) => reads === "source" && side === "target");

// --- scores ---

// As the machine has them now, of a row.
function scoresAt(row) {
  const { array, shape } = machine.slots[told.results[0]];
  return array.subarray(row * shape[2], (row + 1) * shape[2]);
}

// How far a symbol's score is above the best of all others that may be written.
function marginOf(scores, symbol) {
  const other = Arrays.placeOfLargest(scores, (id) => id !== symbol && !told.never.includes(id));
  return { margin: scores[symbol] - scores[other], own: scores[symbol], second: scores[other], other };
}

// --- how symbols are written ---

const SHORT = { ...SPECIAL, " ": SPACE, "\n": "⏎" };

function visible(symbol) {
  const name = SHORT[symbol] ?? symbol;
  return name.length > 5 ? `${name.slice(0, 4)}…` : name;
}

const quoted = (symbol) => `“${visible(symbol)}”`;

export {
  cutter,
  decode,
  headsOf,
  looking,
  machine,
  marginOf,
  quoted,
  now,
  scoresAt,
  symbolsOf,
  take,
  told,
  visible,
  weight,
  weightsOf,
};
