// --- from letters to a digit: the output with another letter in place of one --------------------------

import { hear, tell } from "./events.js";
import * as Idle from "./idle.js";
import { decode, model } from "./line_model.js";
import { once } from "./once.js";
import * as FlowReading from "./flow_reading.js";
import * as Flow from "./flow.js";

const MOST = 80; // letters that are tried: more words than that are too many to read

const idle = Idle.worker();
let place = null; // of the letter that is asked about
let outputs = new Map(); // letter -> the ids that are written then; empty until all are known

hear("flow", ask);
hear("flow-chosen", ask);

function ask() {
  const part = Flow.partChosen();
  place = part?.kind === "letter" ? part.k : null;
  outputs = new Map();
  idle.stop();
  if (place !== null) tryAll();
}

const inPlace = (list, one) => list.map((other, i) => (i === place ? one : other));

// Read the line with each letter that is known, while the page is idle.
function tryAll() {
  if (!isTrying()) return;
  const { ids } = FlowReading.now();
  const answers = new Map();
  idle.run(
    letters(),
    (letter) => answers.set(letter, decode(inPlace(ids, model.ids[letter])).written),
    () => decode(ids), // the machine has the line again
    (all) => {
      if (!all) return;
      outputs = answers;
      tell("flow-letters");
    },
  );
}

// Whether they are being tried.
const isTrying = () => place !== null && !outputs.size && letters().length <= MOST;

const letters = () => Object.keys(model.ids).filter((name) => !name.startsWith("<"));

// The letters by what is written with them: pairs of an answer, as ids, and letters. First those with which
// the symbol that is followed is another, and last those with which nothing is.
function groups() {
  const by = new Map();
  for (const [letter, written] of outputs)
    once(by, written.join(), () => ({ written, letters: [] })).letters.push(letter);
  const rank = ({ written }) => (isOther(written) ? 0 : isSame(written) ? 2 : 1);
  return [...by.values()].sort((a, b) => rank(a) - rank(b) || b.letters.length - a.letters.length);
}

const isOther = (written) => written[Flow.state.step] !== Flow.symbol();
const isSame = (written) => written.join() === FlowReading.now().written.join();

// Let the line be read with another letter in that place, which stays chosen.
function put(letter) {
  const k = place;
  Flow.readLine(inPlace(FlowReading.now().source, letter).join(model.level === "word" ? " " : ""));
  Flow.toLetter(k);
}

export { groups, isOther, isSame, isTrying, put };
