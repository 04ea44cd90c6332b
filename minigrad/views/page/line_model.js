// --- the model that reads a line: from a text to ids, and from ids to an output -----------------------

import { filled } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import { data } from "./state.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Interpreter from "./interpreter.js";

const model = data.another; // see `another_line.py`
// An encoder reads the line; a decoder alone has the line before its output.
const hasEncoder = model.inputs.length === 2;
const readNames = new Map(Object.entries(model.ids).map(([name, id]) => [id, name])); // id -> symbol
let started = null; // the interpreter, once something was read
let lately = model.wrote; // the output for the line before: a good guess of the next output

// The interpreter of the forward pass, with the arrays that the page has in any case.
function machine() {
  started ??= Interpreter.ofTape(model, (id) => Shown.array(id).numbers);
  return started;
}

// The ids of the symbols of a text; or, as a sentence, why there are none.
function idsOf(text) {
  const symbols = model.level === "word" ? text.split(/\s+/).filter(Boolean) : [...text];
  const unknown = symbols.slice(0, model.longest).find((symbol) => !Object.hasOwn(model.ids, symbol));
  if (!symbols.length) return { why: LINE_WORDS.typeSomething };
  if (unknown !== undefined)
    return { why: filled(LINE_WORDS.unknownSymbol, { level: model.level, symbol: unknown }) };
  const note =
    symbols.length > model.longest
      ? filled(LINE_WORDS.tooLong, { count: symbols.length, longest: model.longest, level: model.level })
      : "";
  return { ids: symbols.slice(0, model.longest).map((symbol) => model.ids[symbol]), note };
}

// The id of the symbol with the highest score, among symbols that may be written.
const likeliest = (row) => Arrays.placeOfLargest(row, (id) => !model.never.includes(id));

// The output of the model for a line, with ids in place of symbols:
//
//   ids       the line
//   prompt    the symbols before the output
//   written   the output
//   looked    the symbols that attention looks at
//   scores    for each symbol of the output, the scores of all symbols
//   weights   for each attention and head, a row for each symbol of the output
function decode(ids) {
  const frame = frameOf(ids);
  if (hasEncoder) machine().change(model.inputs[0], padded(model.inputs[0], ids));
  const written = settle(frame);
  lately = written;
  const { prompt } = frame;
  return {
    ids,
    prompt,
    written,
    looked: hasEncoder ? ids : [...prompt, ...written.slice(0, -1)],
    scores: written.map((_, t) => scoresAt(frame.first + t)),
    weights: model.results.slice(1).map((slot) => weightsOf(machine().slots[slot], frame, written)),
  };
}

// Where a line stands: what is the `prompt` before what is written; `first`, the position that writes the
// first symbol; `most`: how many there is room for.
function frameOf(ids) {
  const prompt = hasEncoder ? model.before : [...ids, ...model.before];
  const first = prompt.length - 1;
  const { size } = machine().slots[model.inputs.at(-1)];
  return { ids, prompt, first, most: Math.min(model.most, size - first) };
}

const padded = (slot, some) =>
  Array.from({ length: machine().slots[slot].size }, (_, i) => some[i] ?? model.pad);

// All positions at once, what they find likeliest fed back until nothing changes: then each symbol is the
// likeliest after those before it, which is what writing one after the other gives. A pass makes at least
// one more symbol final.
function settle({ prompt, first, most }) {
  const last = model.inputs.at(-1);
  let written = lately,
    passes = 0;
  for (;;) {
    machine().change(last, padded(last, [...prompt, ...written.slice(0, most - 1)]));
    machine().update();
    passes++;
    const next = [];
    while (next.length < most && next.at(-1) !== model.end) next.push(likeliest(rowOf(first + next.length)));
    const settled = next.length === written.length && next.every((id, i) => id === written[i]);
    written = next;
    if (settled || passes > most) return written;
  }
}

// The scores of the symbol after a position; -Infinity for symbols that are never written.
function rowOf(position) {
  const { array, shape } = machine().slots[model.results[0]];
  const [, , count] = shape;
  return array.subarray(position * count, (position + 1) * count);
}
const scoresAt = (position) =>
  Array.from(rowOf(position), (v, id) => (model.never.includes(id) ? -Infinity : v));

// Of each head, a row of weights for each symbol written: over the line, or over all before the symbol.
function weightsOf({ array, shape }, { ids, first }, written) {
  const [, heads, rows, columns] = shape;
  return Array.from({ length: heads }, (_h, head) =>
    written.map((_t, t) => {
      const begin = (head * rows + first + t) * columns;
      return array.subarray(begin, begin + (hasEncoder ? ids.length : first + t + 1)).slice();
    }),
  );
}

// The text that ids of symbols stand for, without the end.
function textOf(written) {
  const symbols = written.filter((id) => id !== model.end).map((id) => model.symbols[id]);
  return symbols.join(model.level === "word" ? " " : "");
}

export { decode, hasEncoder, idsOf, machine, model, readNames, textOf };
