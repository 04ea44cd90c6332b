// --- a cell of an attention map, in the mask -------------------------------------------------------------------

import { filled, WORDS } from "./words.js";
import { make, softSpan } from "./dom.js";
import * as Shapes from "./shapes.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as WhatIf from "./what_if.js";
import * as Fields from "./fields.js";

// Whether what uses a mask was switched off.
function maskIsOff(mask) {
  return Live.tape?.switches.some(({ places }) =>
    places.some(
      ({ node, gate }) => !WhatIf.isOn(gate) && Graph.into.get(node).some((edge) => edge.source === mask),
    ),
  );
}

// The index of a cell in an array of that shape, whose leading axes may be broadcast to those of the weights.
function cellIndex(map, shape, head, row, column) {
  const leading = Graph.nodes.get(map.weights).shape.slice(0, -2);
  const index = [...Shapes.unravel(head, leading), row, column];
  return shape.map((n, axis) => (n === 1 ? 0 : index[index.length - shape.length + axis]));
}

function placeInMask(map, head, row, column) {
  const { shape } = Graph.nodes.get(map.mask);
  return Shapes.ravel(cellIndex(map, shape, head, row, column), shape);
}

// Let a query see a key that the mask hides from it, or hide it. `map`: one of `data.maps`.
function turnMask(map, head, row, column) {
  const slot = map.mask === null ? null : Fields.slotOf(map.mask);
  if (slot === null) return;
  const place = placeInMask(map, head, row, column);
  Fields.setNumber(slot, place, 1 - Live.arrayOf(slot)[place], Fields.nameAt(map.mask, place));
}

// The switch of a cell in the mask, if it can be changed, and what else it turns by broadcasting.
function maskSwitch(map, head, row, column) {
  if (!Live.tape || map.mask === null || Fields.slotOf(map.mask) === null) return null;
  const { shape, value } = Graph.nodes.get(map.mask);
  const place = placeInMask(map, head, row, column);
  const [rows, columns] = shape.slice(-2),
    heads = Shapes.size(shape.slice(0, -2));
  const all = [
    heads === 1 ? "heads" : null,
    rows === 1 ? "queries" : null,
    columns === 1 ? "keys" : null,
  ].filter(Boolean);
  return make(
    "p",
    {},
    make(
      "label",
      {},
      "in the mask ",
      Fields.numberField(
        Fields.slotOf(map.mask),
        place,
        Fields.nameAt(map.mask, place),
        Shown.array(value).numbers[place],
        "b",
      ),
    ),
    all.length ? softSpan(filled(WORDS.forAll, { letters: all.join(" and ") })) : null,
  );
}

// The symbols of an axis as they are now: the ids that they stood for may have been changed.
function tokensNow(tokens) {
  if (!Live.changedSlots.size) return tokens;
  for (const [slot, { vocabulary: path }] of Object.entries(Live.tape.picks)) {
    const names = path === null ? null : Live.tape.vocabularies[path],
      ids = Live.firstOf(slot);
    if (
      names &&
      ids.length === tokens.length &&
      Live.changedSlots.has(Number(slot)) &&
      tokens.every((token, i) => token === names[ids[i]])
    )
      return Array.from(Live.arrayOf(slot), (id) => names[id]);
  }
  return tokens;
}

export { cellIndex, maskIsOff, maskSwitch, tokensNow, turnMask };
