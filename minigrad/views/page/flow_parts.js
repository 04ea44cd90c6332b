// --- from letters to a digit: the parts that can be chosen; nearly all can be cut ---------------------

import { machine, model } from "./line_model.js";
import * as Ribbons from "./ribbons.js";
import * as FlowReading from "./flow_reading.js";

// A stage, a head, a ribbon and a letter are parts. Each has a `key`, its `kind`, the numbers of its kind, and
// `cuts`: see `cuts.js`. A row and a step are places of the picture that can be followed.

// The numbers that tell those of a kind apart: a stage, a head, the row that reads, the symbol that is read; a
// step of the output.
const NUMBERS = {
  stage: ["s"],
  head: ["s", "h"],
  edge: ["s", "h", "row", "k"],
  letter: ["row", "k"],
  row: ["k"],
  step: ["t"],
};

const words = (part) => [part.kind, ...NUMBERS[part.kind].map((name) => part[name])];
const keyOf = (part) => words(part).join(" ");
const withKey = (part) => ({ key: keyOf(part), ...part });

// A part as a link has it, such as edge.2.0.5.3, and back: the kind and the numbers, or null.
const asText = (part) => words(part).join(".");
function fromText(text) {
  const [kind, ...numbers] = text.split(".");
  const names = NUMBERS[kind];
  return names ? { kind, ...Object.fromEntries(names.map((name, i) => [name, Number(numbers[i])])) } : null;
}

const run = (from, count) => Int32Array.from({ length: count }, (_, i) => from + i);
const everywhere = (slot) => run(0, machine().slots[slot].size);

// All parts that the picture shows of the rows that are followed, by their keys. What the sentences are about
// comes first.
function partsOf(rows) {
  const order = ({ kind, stage }) =>
    ["stage", "head", "letter", "edge"].indexOf(kind) + (stage?.side === "source");
  return new Map(
    [
      ...model.stages.flatMap((stage, s) => [
        ofStage(stage, s),
        ...(stage.reads === null ? [] : [...heads(stage, s), ...edges(stage, s, rows[stage.side])]),
      ]),
      ...letters(rows.target),
    ]
      .sort((a, b) => order(a) - order(b) || (b.width ?? 0) - (a.width ?? 0))
      .map((part) => [part.key, part]),
  );
}

function ofStage(stage, s) {
  const cuts = stage.cut === null ? null : new Map([[stage.out, everywhere(stage.out)]]);
  return withKey({ kind: "stage", stage, s, cuts });
}

function heads(stage, s) {
  const [, , R, C] = FlowReading.weightsOf(stage).shape;
  return FlowReading.headsOf(stage).map((h) =>
    withKey({ kind: "head", stage, s, h, cuts: new Map([[stage.weights, run(h * R * C, R * C)]]) }),
  );
}

// The ribbons of a row, for each head.
function edges(stage, s, row) {
  const [, , R, C] = FlowReading.weightsOf(stage).shape;
  return FlowReading.headsOf(stage).flatMap((h) =>
    FlowReading.symbolsOf(stage.reads)
      .map((_, k) => {
        const width = FlowReading.weight(stage, h, row, k);
        const cuts = new Map([[stage.weights, [(h * R + row) * C + k]]]);
        return withKey({ kind: "edge", stage, s, h, row, k, width, cuts });
      })
      .filter(({ width }) => width >= Ribbons.LEAST),
  );
}

// A letter is cut for the row that is followed, where the answer looks at it.
function letters(row) {
  const looking = FlowReading.looking();
  if (!looking.length) return [];
  return FlowReading.now().source.map((_, k) => {
    const cuts = looking.map((stage) => {
      const [, , R, C] = FlowReading.weightsOf(stage).shape;
      return [stage.weights, FlowReading.headsOf(stage).map((h) => (h * R + row) * C + k)];
    });
    return withKey({ kind: "letter", row, k, cuts: new Map(cuts) });
  });
}

// The rows and steps of the picture, by their keys.
function places() {
  const { source, written } = FlowReading.now();
  const rows = source.map((_, k) => ({ kind: "row", k }));
  const steps = written.map((_, t) => ({ kind: "step", t }));
  return new Map([...rows, ...steps].map((place) => [keyOf(place), place]));
}

// All that lets the answer look at the line; without an encoder, at what stands before.
function eyes() {
  const aside = FlowReading.looking();
  const stages = aside.length ? aside : model.stages.filter(({ reads }) => reads !== null);
  return { key: "eyes", kind: "eyes", cuts: new Map(stages.map(({ out }) => [out, everywhere(out)])) };
}

export { asText, eyes, fromText, keyOf, partsOf, places };
