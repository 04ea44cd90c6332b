// --- from letters to a digit: the part of a link about it, as follow=5&cut=stage.4,head.2.1 -----------

import { hear } from "./events.js";
import * as Link from "./link.js";
import { model } from "./line_model.js";
import * as FlowReading from "./flow_reading.js";
import * as FlowParts from "./flow_parts.js";
import * as Flow from "./flow.js";
import * as FlowCuts from "./flow_cuts.js";

let wanted = null; // what a link asks for, until a line is read

hear("flow", Link.keep);
hear("flow-read", () => {
  if (wanted) queueMicrotask(() => restore(wanted));
});

// The symbol is counted from 1. The symbol that is followed at first is left out.
function written() {
  if (!FlowReading.now()) return [];
  const { line, step } = Flow.state.opened ?? {};
  const off = FlowCuts.allCut().map(({ key }) => key.replaceAll(" ", "."));
  return [
    line === FlowReading.now().line && step === Flow.state.step ? null : ["follow", Flow.state.step + 1],
    off.length ? ["cut", off.join(",")] : null,
  ];
}

function read(given) {
  const symbol = Number(given.get("follow") ?? 0);
  const keys = (given.get("cut") ?? "").split(",").filter(Boolean);
  restore({
    step: Number.isInteger(symbol) && symbol > 0 ? symbol - 1 : null,
    cut: keys.map((key) => key.replaceAll(".", " ")),
  });
}

// The `step` that is followed, or null, and the keys of the parts that are cut. Unknown ones are left out.
function restore(said) {
  wanted = FlowReading.now() ? null : said;
  if (!FlowReading.now()) return;
  FlowCuts.takeBack();
  Flow.readFrom(said.step);
  const found = said.cut.map(partNamed).filter((part) => part?.cuts);
  for (const part of found) FlowReading.cutter.toggle(part);
  if (found.length) Flow.readAgain(Flow.state.chosen);
}

// An edge, or a letter, is a part while the row that its key names is followed.
function partNamed(key) {
  const [kind, ...places] = key.split(" ");
  const rows = { source: Flow.state.letter, target: Flow.rowOf("target") };
  if (kind === "letter") rows.target = Number(places[0]);
  if (kind === "edge") rows[model.stages[places[0]]?.side] = Number(places[2]);
  const now = FlowReading.now();
  const isThere = rows.target - now.first in now.written && (rows.source in now.source || !rows.source);
  return isThere ? FlowParts.partsOf(rows).get(key) : null;
}

Link.also({ written, read });
