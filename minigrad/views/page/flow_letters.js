// --- from letters to a digit: what is written with another letter in the place of one: the line is read with each --

import { hear, tell } from "./base.js";
import * as Idle from "./idle.js";
import * as Reading from "./flow_reading.js";
import * as Flow from "./flow.js";

const MOST = 80; // letters that are tried: more words than that are too many to read

const idle = Idle.worker();
let place = null; // of the letter that is asked about
let found = new Map(); // letter -> the symbol that is written then, where one is followed; empty until all are known

hear("flow", ask);
hear("flow-chosen", ask);

function ask() {
  const part = Flow.partChosen();
  place = part?.kind === "letter" ? part.k : null;
  found = new Map();
  idle.stop();
  if (place !== null) tryAll();
}

const inPlace = (list, one) => list.map((other, i) => (i === place ? one : other));

function tryAll() {
  const known = Object.keys(Reading.told.ids).filter((name) => !name.startsWith("<"));
  if (known.length > MOST) return;
  const { ids } = Reading.now;
  const t = Flow.step;
  const answers = new Map();
  idle.run(
    known,
    (letter) => answers.set(letter, Reading.decode(inPlace(ids, Reading.told.ids[letter])).written[t]),
    () => Reading.decode(ids), // the machine has the line again
    (all) => {
      if (!all) return;
      found = answers;
      tell("flow-letters");
    },
  );
}

// The letters by what is written with them: pairs of a symbol's id, or undefined where the answer ends before, and
// letters. With which nothing changes comes last.
function groups() {
  const by = new Map();
  for (const [letter, id] of found) by.set(id, [...(by.get(id) ?? []), letter]);
  return [...by].sort(([a], [b]) => (a === Flow.symbol()) - (b === Flow.symbol()));
}

// Let the line be read with another letter in that place, which stays chosen.
function put(letter) {
  const k = place;
  Flow.readLine(inPlace(Reading.now.source, letter).join(Reading.told.level === "word" ? " " : ""));
  Flow.toLetter(k);
}

export { groups, put };
