// --- from letters to a digit: the part of a link about it, as follow=5&cut=stage.4,head.2.1 -----------

import { hear } from "./events.js";
import * as Link from "./link.js";
import { model } from "./line_model.js";
import * as FlowReading from "./flow_reading.js";
import * as FlowParts from "./flow_parts.js";
import * as Flow from "./flow.js";
import * as FlowCuts from "./flow_cuts.js";

let waiting = null; // what a link asks for, until a line is read: see `restore`

hear("flow", Link.keep);
hear("flow-read", () => {
  if (waiting) queueMicrotask(() => restore(waiting));
});

// The symbol is counted from 1. The symbol that is followed at first is left out.
function written() {
  if (!FlowReading.now()) return [];
  const { line, step } = Flow.state.opened ?? {};
  const cut = FlowCuts.allCut().map(FlowParts.asText);
  return [
    line === FlowReading.now().line && step === Flow.state.step ? null : ["follow", Flow.state.step + 1],
    cut.length ? ["cut", cut.join(",")] : null,
  ];
}

function read(parameters) {
  const symbol = Number(parameters.get("follow") ?? 0);
  const texts = (parameters.get("cut") ?? "").split(",");
  restore({
    step: Number.isInteger(symbol) && symbol > 0 ? symbol - 1 : null,
    cut: texts.map(FlowParts.fromText).filter(Boolean),
  });
}

// Follow a `step`, or null, and cut parts as a link tells of them. Those that are not there are left out.
function restore(link) {
  waiting = FlowReading.now() ? null : link;
  if (!FlowReading.now()) return;
  FlowCuts.takeBack();
  Flow.readFrom(link.step);
  const parts = link.cut.map(partLike).filter((part) => part?.cuts);
  for (const part of parts) FlowReading.cutter.toggle(part);
  if (parts.length) Flow.readAgain(Flow.state.chosen);
}

// The part of a kind with these numbers. An edge, or a letter, is there while its row is followed.
function partLike(one) {
  const rows = { source: Flow.state.letter, target: Flow.rowOf("target") };
  if (one.kind === "letter") rows.target = one.row;
  if (one.kind === "edge") rows[model.stages[one.s]?.side] = one.row;
  const now = FlowReading.now();
  const isThere = rows.target - now.first in now.written && (rows.source in now.source || !rows.source);
  return isThere ? FlowParts.partsOf(rows).get(FlowParts.keyOf(one)) : null;
}

Link.also({ written, read });
