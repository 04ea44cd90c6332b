// --- from letters to a digit: names of its parts and symbols ------------------------------------------

import { filled } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import { model } from "./line_model.js";
import * as FlowReading from "./flow_reading.js";

// A part, in words.
function ofPart(part) {
  const { stage, kind, h, k } = part;
  if (kind === "letter")
    return filled(LINE_WORDS.letter, {
      unit: unit("source"),
      symbol: FlowReading.quoted(FlowReading.now().source[k]),
      place: k + 1,
    });
  const name = ofStage(stage);
  if (kind === "stage") return name;
  if (kind === "head") return filled(LINE_WORDS.head, { head: h + 1, stage: name });
  return filled(LINE_WORDS.edge, {
    head: h + 1,
    stage: name,
    key: FlowReading.quoted(FlowReading.symbolsOf(stage.reads)[k]),
    share: share(part.width),
  });
}

// With its side and its layer, where there are several.
function ofStage({ side, reads, name, layer }) {
  if (layer === null) return name; // there is one of it
  const sides = new Set(model.stages.map((stage) => stage.side)).size > 1;
  const layers = model.stages.some((stage) => stage.layer > 1);
  const place = sides && (reads ?? side) === side ? LINE_WORDS.sides[side] : "";
  return `${place}${name}${layers ? `, layer ${layer}` : ""}`;
}

// What the symbols of a side are called.
function unit(side) {
  const apart = side === "target" && FlowReading.now().source.length;
  return apart ? "symbol" : model.level === "word" ? "word" : "letter";
}

const units = () => `${unit("source")}s`;

// A symbol with its place, from 1: what stands at the start, and was not written, has none.
function placed(side, k) {
  const symbols = FlowReading.symbolsOf(side);
  const symbol = FlowReading.quoted(symbols[k]);
  const starts = symbols[0] === "<bos>";
  if (starts && k === 0) return symbol;
  return filled(LINE_WORDS.placed, { symbol, unit: unit(side), place: starts ? k : k + 1 });
}

// A symbol of the output, by its id.
const ofSymbol = (id) => FlowReading.quoted(model.symbols[id]);

// A letter of the line, by its place.
function ofLetter({ k }) {
  return FlowReading.quoted(FlowReading.now().source[k]);
}

// --- numbers: of a score, and of attention ---

const score = (v, digits = 1) => v.toFixed(digits).replace("-", "−");

const share = (v) => v.toFixed(2);

export { ofLetter, ofPart, ofStage, ofSymbol, placed, score, share, unit, units };
