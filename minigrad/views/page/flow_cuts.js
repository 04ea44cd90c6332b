// --- from letters to a digit: parts are cut and put back, and what was before is kept --------------------------

import { hear } from "./base.js";
import * as Reading from "./flow_reading.js";
import * as Effects from "./flow_effects.js";
import * as Flow from "./flow.js";

let last = null; // what the picture showed before the last cut: see `turn`
let uncut = null; // what is written for the line with nothing cut

const isCut = (key) => Reading.cutter.off.has(key);
const allCut = () => [...Reading.cutter.off.values()];
const cutNow = () =>
  allCut()
    .map(({ key }) => key)
    .join();

hear("flow", () => {
  const { line, written } = Reading.now();
  if (!allCut().length) uncut = { line, written };
});

// Cut a part, or put it back.
function turn(part) {
  const { line, written } = Reading.now();
  const { standing, rivals } = Effects.known();
  const [lost, rival] = [Effects.lossOf(part.key), rivals.get(part.key)];
  Reading.cutter.toggle(part);
  last = { key: part.key, line, step: Flow.state.step, written, standing, lost, rival, off: cutNow() };
  Flow.readAgain(part.key);
}

// What was before a part was cut, as long as that is the last that was done here.
function beforeCut(part) {
  const now = [part.key, Reading.now().line, Flow.state.step, cutNow()];
  return last && [last.key, last.line, last.step, last.off].join() === now.join() ? last : null;
}

// What is written for a line with nothing cut, as far as it is known.
const writtenUncut = (line) => (uncut?.line === line ? uncut.written : null);

// Cut nothing any more; the line is not read again.
function takeBack() {
  for (const part of allCut()) Reading.cutter.toggle(part);
}

// What `act` gives while nothing is cut.
function whole(act) {
  const parts = allCut();
  for (const part of parts) Reading.cutter.toggle(part);
  const found = act();
  for (const part of parts) Reading.cutter.toggle(part);
  return found;
}

function putBack() {
  takeBack();
  Flow.readAgain(Flow.state.chosen);
  Flow.focusStep();
}

export { allCut, beforeCut, isCut, putBack, takeBack, turn, whole, writtenUncut };
