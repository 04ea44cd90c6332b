// --- from letters to a digit: cutting parts, and putting them back ------------------------------------

import { hear } from "./events.js";
import * as FlowReading from "./flow_reading.js";
import * as FlowEffects from "./flow_effects.js";
import * as Flow from "./flow.js";

let last = null; // what the picture showed before the last cut: see `turn`
let uncut = null; // the output for the line without cuts

const isCut = (key) => FlowReading.cutter.off.has(key);
const allCut = () => [...FlowReading.cutter.off.values()];
const cutNow = () =>
  allCut()
    .map(({ key }) => key)
    .join();

hear("flow", () => {
  const { line, written } = FlowReading.now();
  if (!allCut().length) uncut = { line, written };
});

// Cut a part, or put it back.
function turn(part) {
  const { line, written } = FlowReading.now();
  const { standing, rivals } = FlowEffects.now();
  const [lost, rival] = [FlowEffects.lossOf(part.key), rivals.get(part.key)];
  FlowReading.cutter.toggle(part);
  last = { key: part.key, line, step: Flow.state.step, written, standing, lost, rival, off: cutNow() };
  Flow.readAgain(part.key);
}

// What was before a part was cut, as long as that is the last that was done here.
function beforeCut(part) {
  const now = [part.key, FlowReading.now().line, Flow.state.step, cutNow()];
  return last && [last.key, last.line, last.step, last.off].join() === now.join() ? last : null;
}

// What is written for a line with nothing cut, as far as it is known.
const writtenUncut = (line) => (uncut?.line === line ? uncut.written : null);

// Cut nothing any more; the line is not read again.
function takeBack() {
  for (const part of allCut()) FlowReading.cutter.toggle(part);
}

// What `act` gives while nothing is cut.
function whole(act) {
  const parts = allCut();
  for (const part of parts) FlowReading.cutter.toggle(part);
  const found = act();
  for (const part of parts) FlowReading.cutter.toggle(part);
  return found;
}

function putBack() {
  takeBack();
  Flow.readAgain(Flow.state.chosen);
  Flow.focusStep();
}

export { allCut, beforeCut, isCut, putBack, takeBack, turn, whole, writtenUncut };
