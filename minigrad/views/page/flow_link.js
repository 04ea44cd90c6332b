// --- from letters to a digit: what a link keeps of it, as follow=5&cut=stage.4,head.2.1 ------------------------

import { hear } from "./base.js";
import * as Link from "./link.js";
import * as Flow from "./flow.js";

hear("flow", Link.keep);

// The symbol is counted from 1; the one that is followed at first is left out.
function written() {
  if (!Flow.reading) return [];
  const { line, step } = Flow.opened ?? {};
  const off = [...Flow.cutter.off.keys()];
  return [
    line === Flow.reading.line && step === Flow.step ? null : ["follow", Flow.step + 1],
    off.length ? ["cut", off.map((key) => key.replaceAll(" ", ".")).join(",")] : null,
  ];
}

function read(given) {
  const symbol = Number(given.get("follow") ?? 0);
  const keys = (given.get("cut") ?? "").split(",").filter(Boolean);
  Flow.restore({
    step: Number.isInteger(symbol) && symbol > 0 ? symbol - 1 : null,
    cut: keys.map((key) => key.replaceAll(".", " ")),
  });
}

Link.also({ written, read });
