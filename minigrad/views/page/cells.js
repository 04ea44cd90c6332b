// --- the cells of attention maps: their numbers, what the mask hides, and their symbols ---------------

import { filled, WORDS } from "./words.js";
import { shownToken } from "./symbols.js";
import * as Shapes from "./shapes.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Sources from "./sources.js";
import * as Live from "./live.js";
import * as WhatIf from "./what_if.js";
import * as Fields from "./fields.js";

// `map`: one of `data.maps`. A cell is a row, which is a query, and a column, which is a key, of a head.

// Whether the operation that uses a mask was switched off.
function maskIsOff(mask) {
  return Live.tape?.switches.some(({ places }) =>
    places.some(
      ({ node, gate }) => !WhatIf.isOn(gate) && Graph.into.get(node).some((edge) => edge.source === mask),
    ),
  );
}

// The index of a cell in an array of that shape, which may be broadcast to the shape of the weights.
function cellIndex(map, shape, head, row, column) {
  const leading = Graph.nodes.get(map.weights).shape.slice(0, -2);
  const index = [...Shapes.unravel(head, leading), row, column];
  return shape.map((n, axis) => (n === 1 ? 0 : index[index.length - shape.length + axis]));
}

// The place of a cell in such an array; null, if it was not kept.
const placeIn = (a, map, ...cell) => Sources.placeAt(a, cellIndex(map, a.full, ...cell));

// The number of a cell in the array of that id, such as the weights; null, if it was not kept.
function numberAt(map, id, ...cell) {
  const a = Shown.array(id),
    place = a && placeIn(a, map, ...cell);
  return place === null ? null : a.numbers[place];
}

// Whether the mask hides a key from a query, and is not switched off.
const isMasked = (map, ...cell) =>
  map.mask !== null &&
  !maskIsOff(map.mask) &&
  numberAt(map, Graph.nodes.get(map.mask).value, ...cell) === Number(map.hides);

// Whether the cell is in a mask that can be changed.
const canTurn = ({ mask }) => mask !== null && Fields.slotOf(mask) !== null;

function placeInMask(map, ...cell) {
  const { shape } = Graph.nodes.get(map.mask);
  return Shapes.ravel(cellIndex(map, shape, ...cell), shape);
}

// Let a query see a key that the mask hides from it, or hide it.
function turnMask(map, ...cell) {
  if (!canTurn(map)) return;
  const slot = Fields.slotOf(map.mask);
  const place = placeInMask(map, ...cell);
  Fields.setNumber(slot, place, 1 - Live.arrayOf(slot)[place], Fields.nameAt(map.mask, place));
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

// The symbol of a query (`side` 0) or a key (1); its place where the page knows of none.
function symbolAt(map, side, k) {
  return map.tokens ? `“${shownToken(tokensNow(map.tokens[side])[k])}”` : String(k);
}

// The same with its position, from 1: a start has none.
function nameAt(map, side, k) {
  const starts = map.starts[side];
  if (!map.tokens || (starts && k === 0)) return symbolAt(map, side, k);
  return `${symbolAt(map, side, k)} (${filled(WORDS.position, { place: starts ? k : k + 1 })})`;
}

export { canTurn, isMasked, nameAt, numberAt, placeIn, placeInMask, symbolAt, tokensNow, turnMask };
