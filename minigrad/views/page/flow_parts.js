// --- from letters to a digit: the parts that can be chosen; nearly all can be cut ---------------------

import { machine, model } from "./line_model.js";
import * as Ribbons from "./ribbons.js";
import * as FlowReading from "./flow_reading.js";

// A stage, a head, a ribbon and a letter are parts. Each has a `key`, its `kind`, and `cuts`: see `cuts.js`.

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
  return { key: `stage ${s}`, kind: "stage", stage, s, cuts };
}

function heads(stage, s) {
  const [, , R, C] = FlowReading.weightsOf(stage).shape;
  return FlowReading.headsOf(stage).map((h) => ({
    key: `head ${s} ${h}`,
    kind: "head",
    stage,
    s,
    h,
    cuts: new Map([[stage.weights, run(h * R * C, R * C)]]),
  }));
}

// The ribbons of a row, for each head.
function edges(stage, s, row) {
  const [, , R, C] = FlowReading.weightsOf(stage).shape;
  return FlowReading.headsOf(stage).flatMap((h) =>
    FlowReading.symbolsOf(stage.reads)
      .map((_, k) => ({
        key: `edge ${s} ${h} ${row} ${k}`,
        kind: "edge",
        stage,
        s,
        h,
        k,
        width: FlowReading.weight(stage, h, row, k),
        cuts: new Map([[stage.weights, [(h * R + row) * C + k]]]),
      }))
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
    return { key: `letter ${row} ${k}`, kind: "letter", k, cuts: new Map(cuts) };
  });
}

// All that lets the answer look at the line; without an encoder, at what stands before.
function eyes() {
  const aside = FlowReading.looking();
  const stages = aside.length ? aside : model.stages.filter(({ reads }) => reads !== null);
  return { key: "eyes", kind: "eyes", cuts: new Map(stages.map(({ out }) => [out, everywhere(out)])) };
}

export { eyes, partsOf };
