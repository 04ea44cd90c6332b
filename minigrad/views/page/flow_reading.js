// --- from letters to a digit: the line that the model has just read -----------------------------------

import { SPACE, SPECIAL } from "./symbols.js";
import * as Arrays from "./arrays.js";
import { hasEncoder, machine, model, readNames } from "./line_model.js";
import * as Cuts from "./cuts.js";

// It stands in the field (see `another_line.js`): the symbols of both sides, where heads look, and the
// scores.

const cutter = Cuts.cutter(machine); // cuts parts of the model
let line = null; // see `take`

// The line as it was read last; null before the first.
const now = () => line;

// Take what `decode` of line_model.js gives, with the `line`, the likelihoods `p` and what `was` written
// before.
function take(decoded) {
  line = {
    line: decoded.line,
    ids: decoded.ids,
    written: decoded.written,
    was: decoded.was, // the output that it is compared with
    first: decoded.prompt.length - 1, // the row that writes the first symbol
    p: decoded.p,
    source: hasEncoder ? decoded.ids.map((id) => readNames.get(id)) : [],
    target: [...decoded.prompt, ...decoded.written.slice(0, -1)].map((id) => model.symbols[id]),
    weights: new Map(
      model.stages
        .filter(({ weights }) => weights !== null)
        .map((stage) => [stage.path, weightsOf(stage).array.slice()]),
    ),
  };
}

const symbolsOf = (side) => (side === "source" ? line.source : line.target);

// --- stages and their heads ---------------------------------------------------------------------------

const weightsOf = (stage) => machine().slots[stage.weights]; // (1, H, R, C)
const headsOf = (stage) => Array.from({ length: weightsOf(stage).shape[1] }, (_, h) => h);

// What a head gives a symbol of its attention, for a row.
function weight(stage, h, row, k) {
  const { shape } = weightsOf(stage);
  return line.weights.get(stage.path)[(h * shape[2] + row) * shape[3] + k];
}

// The stages in which the answer looks at what an encoder has read.
const looking = () => model.stages.filter(({ reads, side }) => reads === "source" && side === "target");

// --- scores -------------------------------------------------------------------------------------------

// As the machine has them now, of a row.
function scoresAt(row) {
  const { array, shape } = machine().slots[model.results[0]];
  return array.subarray(row * shape[2], (row + 1) * shape[2]);
}

// The lead of a symbol: its score minus the best score of all other symbols that may be written.
function standingOf(scores, symbol) {
  const other = Arrays.placeOfLargest(scores, (id) => id !== symbol && !model.never.includes(id));
  return { lead: scores[symbol] - scores[other], own: scores[symbol], second: scores[other], other };
}

// --- how symbols are written --------------------------------------------------------------------------

const SHORT = { ...SPECIAL, " ": SPACE, "\n": "⏎" };

function visible(symbol) {
  const name = SHORT[symbol] ?? symbol;
  return name.length > 5 ? `${name.slice(0, 4)}…` : name;
}

const quoted = (symbol) => `“${visible(symbol)}”`;

export {
  cutter,
  headsOf,
  looking,
  now,
  quoted,
  scoresAt,
  standingOf,
  symbolsOf,
  take,
  visible,
  weight,
  weightsOf,
};
