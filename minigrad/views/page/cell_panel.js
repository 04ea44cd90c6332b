// --- the panel of a cell of an attention map: query, key, weight, score and gradient ------------------

import { filled, withElements, WORDS } from "./words.js";
import { byId, factList, fill, make, soft, softSpan } from "./dom.js";
import { data, state } from "./state.js";
import { hideTip, tip } from "./tip.js";
import * as Shapes from "./shapes.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Doubts from "./doubts.js";
import * as Pictures from "./pictures.js";
import * as Fields from "./fields.js";
import * as Cells from "./cells.js";
import * as Attention from "./attention.js";
import * as Places from "./places.js";

// Show the chosen cell: who looks at whom, how much, why, and what gradient reaches that.
function cellPanel() {
  const { map: i, head, row, column } = state.cell;
  const map = data.maps[i];
  const { n, value } = Graph.nodes.get(map.weights);
  const place = map.place || Graph.nameOf(n);
  fill(
    byId("cell"),
    make("p", { class: "phase" }, filled(WORDS.headOf, { head: Attention.headName(map, head), place })),
    whoLooks(map, row, column),
    Cells.isMasked(map, head, row, column) ? hiddenNote() : null,
    maskSwitch(map, head, row, column),
    make("p", { class: "big" }, numberText(value), Doubts.badgeOf(n)),
    soft(WORDS.ofItsAttention),
    queryTimesKey(map),
    gradientOfCell(map),
    nodesOf(map),
  );
}

// Which query looks at which key, by their symbols and then by their positions.
function whoLooks(map, row, column) {
  const [query, key] = [Cells.nameAt(map, 0, row), Cells.nameAt(map, 1, column)];
  const symbols = { query: Cells.symbolAt(map, 0, row), key: Cells.symbolAt(map, 1, column) };
  return [
    make("h2", {}, filled(WORDS.looksAt, symbols)),
    map.tokens ? soft(filled(WORDS.queryAndKey, { query, key })) : null,
  ];
}

const hiddenNote = () =>
  make("p", { class: "state" }, make("span", { class: "swatch freed" }), WORDS.hiddenByMask);

// The switch of a cell in the mask, if it can be changed, and what else it turns by broadcasting.
function maskSwitch(map, head, row, column) {
  if (!Cells.canTurn(map)) return null;
  const { shape, value } = Graph.nodes.get(map.mask);
  const place = Cells.placeInMask(map, head, row, column);
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

// The nodes that the weights are made of, each a link.
function nodesOf({ query, key, scores, weights }) {
  const [from, by, to, at] = [query, key, scores, weights].map((n) => Places.link(n));
  return make("p", {}, "Nodes: ", from, " · ", by, " → ", to, " → ", at);
}

// The number of the chosen cell in an array of the shape of the weights.
function numberText(id) {
  const { map: i, head, row, column } = state.cell;
  const v = Cells.numberAt(data.maps[i], id, head, row, column);
  return v === null ? WORDS.notKept : Arrays.written(v, Shown.array(id).digits);
}

// How the score of the chosen cell comes about: its query, its key and their products, as strips.
function queryTimesKey(map) {
  const { head, row, column } = state.cell;
  const query = vector(map, map.query, head, row, false);
  const key = vector(map, map.key, head, column, true);
  const product = query.map((v, k) => v * key[k]);
  const complete = ![...query, ...key].includes(null);
  const largest = Math.max(...query.map(Math.abs), ...key.map(Math.abs));
  return [
    make("h3", {}, "Query times key"),
    !complete
      ? soft(WORDS.queryOrKeyNotKept)
      : make(
          "div",
          { class: "vectors" },
          make("span", {}, "query"),
          strip(query, "value", largest),
          make("span", {}, "key"),
          strip(key, "value", largest),
          make("span", {}, "product"),
          strip(product, "value", Math.max(...product.map(Math.abs))),
        ),
    make(
      "p",
      {},
      withElements(WORDS.productsSumTo, {
        score: make("code", {}, numberText(Graph.nodes.get(map.scores).value)),
      }),
    ),
  ];
}

// The numbers of one query, or of one key, which is a column there (`turned`).
function vector(map, n, head, place, turned) {
  const { shape, value } = Graph.nodes.get(n);
  const cell = (k) => (turned ? [k, place] : [place, k]);
  return Array.from({ length: shape[shape.length - (turned ? 2 : 1)] }, (_, k) =>
    Cells.numberAt(map, value, head, ...cell(k)),
  );
}

// Numbers as a strip of colours, which the pointer reads; one of the size `largest` is the strongest.
function strip(numbers, palette, largest) {
  const canvas = make("canvas", { role: "img", "aria-label": `${numbers.length} numbers` });
  canvas.width = numbers.length;
  canvas.height = 1;
  const pen = canvas.getContext("2d");
  const pixels = pen.createImageData(numbers.length, 1);
  numbers.forEach((v, k) => pixels.data.set(Pictures.tint(v, largest, Pictures.tones(palette)), 4 * k));
  pen.putImageData(pixels, 0, 0);
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const k = Math.min(
      numbers.length - 1,
      Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * numbers.length)),
    );
    tip(`[${k}] = ${Arrays.written(numbers[k], 4)}`, event);
  });
  canvas.addEventListener("pointerleave", hideTip);
  return canvas;
}

// The gradient that reaches the chosen cell, and what its sign means; none while the reader predicts.
function gradientOfCell(map) {
  const { head, row, column } = state.cell;
  const [weights, scores] = [map.weights, map.scores].map((n) => Graph.nodes.get(n));
  const isKnown = ({ n, gradient }) =>
    gradient !== null && !Graph.isPredicting() && (!state.time || Graph.handedOnAt.get(n) <= state.time);
  const text = (node) => (isKnown(node) ? numberText(node.gradient) : WORDS.states.later);
  const badge = isKnown(weights) ? Doubts.gradientBadgeOf(weights.n) : null;
  const slope = isKnown(scores) ? Cells.numberAt(map, scores.gradient, head, row, column) : null;
  return [
    make("h3", {}, "The gradient that reaches this cell"),
    factList(
      [
        ["by the weight", [text(weights), badge]],
        ["by the score", text(scores)],
      ],
      { class: "mono" },
    ),
    slope ? soft(WORDS.slope[slope < 0 ? "negative" : "positive"]) : null,
  ];
}

export { cellPanel };
