// --- attention -------------------------------------------------------------------------------------------

import { filled, WORDS } from "./words.js";
import { longest, shownToken } from "./symbols.js";
import { arrow, byId, factList, fill, make, say, soft } from "./dom.js";
import { data, state } from "./state.js";
import { hear } from "./events.js";
import { hideTip, tip } from "./tip.js";
import * as Shapes from "./shapes.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Sources from "./sources.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Pictures from "./pictures.js";
import * as Fields from "./fields.js";
import * as Masks from "./masks.js";
import * as Tabs from "./tabs.js";
import * as Places from "./places.js";

// `map`: one of `data.maps`, as `attention.py` made it: the numbers of its nodes, that is of its weights,
// scores, query, key and mask, and whatever is said of it. `i`: its place there. `picture`: how one head of it
// is drawn. A cell is a row, which is a query, and a column, which is a key.

// node of weights -> the number of its map
const mapOf = new Map(data.maps.map((map, i) => [map.weights, i]));

// What shows weights of the maps: called once more where numbers, colours or the chosen cell are others.
const repaints = [];
hear("numbers", () => repaints.forEach((repaint) => repaint()));

// A button that leads to the map of a node, if it has one: chapters count on `mapOf` for the same.
function mapButton(n) {
  return mapOf.has(n)
    ? make(
        "button",
        {
          onclick: () => {
            Tabs.open("attention");
            byId(`map-${mapOf.get(n)}`).scrollIntoView({ block: "start" });
          },
        },
        "These are attention weights: see the map",
      )
    : null;
}

// Make the tab of the maps when it is first opened: drawing them takes time.
function attentionTab() {
  const box = byId("attention");
  if (box.childElementCount) return;
  const canTurn = Live.tape && data.maps.some((map) => map.mask !== null && Fields.slotOf(map.mask) !== null);
  box.append(make("p", {}, WORDS.howToReadMaps, canTurn ? WORDS.howToTurnMask : ""));
  for (const [i, map] of data.maps.entries()) box.append(...mapPart(map, i));
}

// A map with its title: a picture of each head that the page has kept.
function mapPart(map, i) {
  const node = Graph.nodes.get(map.weights);
  const a = () => Shown.array(node.value); // other numbers may be there later
  const count = Shapes.size(node.shape.slice(0, -2));
  const heads = Array.from({ length: count }, (_, head) => head).filter(
    (head) => element(map, node.value, head, 0, 0) !== null,
  );
  return [
    make("h2", { id: `map-${i}` }, nameOfMap(i), badgeOf(node)),
    ...(a().thinned ? [thinnedNote(a(), heads.length, count)] : []),
    make(
      "div",
      { class: "heads" },
      heads.map((head) => headMap(map, i, a, head, count)),
    ),
  ];
}

// Whether its numbers are in doubt, which changes with them.
function badgeOf(node) {
  const badge = make("span");
  const remark = () => fill(badge, " ", Doubts.badgeOf(node.n));
  remark();
  repaints.push(remark);
  return badge;
}

function thinnedNote(a, shown, count) {
  const [queryStep, keyStep] = a.steps.slice(-2);
  return soft(filled(WORDS.headsShown, { shown, count, queryStep, keyStep }));
}

hear("tab", () => {
  if (state.tab === "attention") attentionTab();
});

// A matrix of the weights (B, H, T, S) by its head, and by its example where there are several.
function headName(map, place) {
  const [B, H] = Graph.nodes.get(map.weights).shape.slice(-4, -2);
  const name = (head) => filled(WORDS.head, { head: head + 1 });
  if (H === undefined || B === 1) return name(place);
  return filled(WORDS.ofExample, { head: name(place % H), example: Math.floor(place / H) + 1 });
}

// The title of a map: the kind of attention, and the module that it is in.
function nameOfMap(i) {
  const map = data.maps[i];
  const name = map.place || Graph.nameOf(map.weights);
  return map.kind ? `${map.kind[0].toUpperCase()}${map.kind.slice(1)}: ${name}` : name;
}

// Of the queries and the keys: what is told of the module, else what stands along the axes, else numbers.
function tokensOf(map, rows, columns) {
  const letters = Graph.nodes.get(map.weights).letters.slice(-2);
  const along = (n, letter) => {
    const known = data.labels[letter];
    return known?.length === n ? known : Array.from({ length: n }, (_, k) => String(k));
  };
  return map.tokens || [along(rows, letters[0]), along(columns, letters[1])];
}

// The map of one head, of `count`: a picture of its weights, in which a cell can be pointed at and chosen.
function headMap(map, i, a, head, count) {
  const [rows, columns] = a().full.slice(-2);
  const tokens = tokensOf(map, rows, columns);
  const canvas = make("canvas", {
    tabindex: 0,
    role: "img",
    "data-map": i,
    "data-head": head,
    "aria-label": filled(WORDS.readHead, { head: headName(map, head), rows, columns }),
  });
  const picture = { map, i, a, head, tokens, canvas, ...layoutOf(a(), tokens, count) };
  canvas.width = picture.width * picture.ratio;
  canvas.height = picture.height * picture.ratio;
  canvas.style.width = `${picture.width}px`;
  canvas.style.height = `${picture.height}px`;
  const repaint = () => paint(picture);
  repaint();
  repaints.push(repaint);
  listen(picture);
  return make("figure", {}, make("figcaption", {}, count > 1 ? headName(map, head) : "Weights"), canvas);
}

// Where all is in the map of a head, in pixels. Of a large one, some rows (`lines`) and columns (`stacks`) are kept.
function layoutOf(a, tokens, count) {
  const [rows, columns] = a.full.slice(-2);
  const [queryStep, keyStep] = a.steps.slice(-2);
  const kept = (n, step) => Array.from({ length: Math.ceil(n / step) }, (_, k) => k * step);
  const [lines, stacks] = [kept(rows, queryStep), kept(columns, keyStep)];
  const [query, key] = tokens.map((list) => longest(list.map(shownToken)));
  const side = Math.min(90, 8 + 7 * query),
    top = key > 1 ? Math.min(70, 10 + 6 * key) : 16;
  const available = byId("tabs").clientWidth;
  const room = Math.max(150, (available - 70) / Math.min(available > 1000 ? 4 : 2, count) - side);
  const cell = Math.max(5, Math.min(20, Math.floor(room / stacks.length)));
  const slant = key > 1 ? Math.min(40, 4 * key) : 0; // room for the last label
  return {
    lines,
    stacks,
    queryStep,
    keyStep,
    side,
    top,
    cell,
    width: side + stacks.length * cell + 2 + slant,
    height: top + lines.length * cell + 2,
    ratio: window.devicePixelRatio || 1,
  };
}

const namesNow = (picture) => picture.tokens.map((list) => Masks.tokensNow(list).map(shownToken));

// Also called when numbers, colours, symbols or the chosen cell are others.
function paint(picture) {
  const { canvas, ratio, width, height, lines, stacks, side, top, cell } = picture;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  paintNames(pen, picture);
  lines.forEach((row, y) =>
    stacks.forEach((column, x) => paintCell(pen, picture, row, column, side + x * cell, top + y * cell)),
  );
  pen.strokeStyle = Pictures.colour("--line");
  pen.strokeRect(side - 0.5, top - 0.5, stacks.length * cell + 1, lines.length * cell + 1);
  frameChosen(pen, picture);
}

// The queries beside the rows, and the keys above the columns: slanted where one is longer than a letter.
function paintNames(pen, picture) {
  const { lines, stacks, side, top, cell } = picture;
  const [queries, keys] = namesNow(picture);
  const slanted = longest(keys) > 1;
  pen.font = `${Math.min(12, Math.max(8, cell - 3))}px ${Pictures.colour("--mono")}`;
  pen.textBaseline = "middle";
  pen.fillStyle = Pictures.colour("--ink");
  pen.textAlign = "right";
  lines.forEach((row, k) => {
    if (cell >= 8 || k % 2 === 0) pen.fillText(queries[row], side - 5, top + (k + 0.5) * cell, side - 6);
  });
  stacks.forEach((column, k) => {
    if (cell < 8 && k % 2) return;
    pen.save();
    pen.translate(side + (k + 0.5) * cell, top - 4);
    if (slanted) {
      pen.rotate(-Math.PI / 3);
      pen.textAlign = "left";
    } else {
      pen.textAlign = "center";
      pen.translate(0, -5);
    }
    pen.fillText(keys[column], 0, 0);
    pen.restore();
  });
}

// A cell as dark as its weight is large, from 0 to 1; hatched where the mask hides it.
function paintCell(pen, { map, head, cell }, row, column, left, up) {
  const v = element(map, Graph.nodes.get(map.weights).value, head, row, column);
  pen.fillStyle = Pictures.colour("--paper");
  pen.fillRect(left, up, cell, cell);
  if (masked(map, head, row, column)) hatch(pen, left, up, cell);
  else {
    const [red, green, blue] = Pictures.tones("value")[1];
    pen.fillStyle = `rgba(${red}, ${green}, ${blue}, ${Math.min(1, Math.max(0, v))})`;
    pen.fillRect(left, up, cell, cell);
  }
}

// Slanted lines in a square: what is hidden has no colour of a number.
function hatch(pen, left, up, cell) {
  pen.save();
  pen.beginPath();
  pen.rect(left, up, cell, cell);
  pen.clip();
  pen.strokeStyle = Pictures.colour("--line");
  pen.lineWidth = 1.2;
  pen.beginPath();
  for (let d = -cell; d < cell; d += 5) {
    pen.moveTo(left + d, up + cell);
    pen.lineTo(left + d + cell, up);
  }
  pen.stroke();
  pen.restore();
}

// The chosen cell, if it is one of this head.
function frameChosen(pen, { i, head, side, top, cell, queryStep, keyStep }) {
  const chosen = state.cell;
  if (!chosen || chosen.map !== i || chosen.head !== head) return;
  pen.strokeStyle = Pictures.colour("--backward");
  pen.lineWidth = 2;
  pen.strokeRect(
    side + (chosen.column / keyStep) * cell + 1,
    top + (chosen.row / queryStep) * cell + 1,
    cell - 2,
    cell - 2,
  );
}

// What is said of a cell: who looks at whom, and how much.
function textAt(picture, row, column) {
  const { map, head } = picture;
  const [queries, keys] = namesNow(picture);
  const who = { query: queries[row], key: keys[column] };
  if (masked(map, head, row, column)) return filled(WORDS.mayNotLook, who);
  const a = picture.a();
  const place = Sources.placeAt(a, Masks.cellIndex(map, a.full, head, row, column));
  return `${filled(WORDS.looksAt, who)}: ${Arrays.at({ ...a, shape: [], steps: [] }, place)}`;
}

// The cell under the pointer, as [row, column]; null where there is none.
function cellAt({ canvas, lines, stacks, side, top, cell }, event) {
  const box = canvas.getBoundingClientRect();
  const x = Math.floor((event.clientX - box.left - side) / cell),
    y = Math.floor((event.clientY - box.top - top) / cell);
  return x >= 0 && y >= 0 && x < stacks.length && y < lines.length ? [lines[y], stacks[x]] : null;
}

// The pointer reads a cell and chooses it; Alt and the arrow keys go on from the one that was read last.
function listen(picture) {
  const { map, i, head, canvas, lines, stacks, queryStep, keyStep } = picture;
  let [row, column] = [0, 0]; // of the cell that was read last
  const at = (kind, act, otherwise = () => {}) =>
    canvas.addEventListener(kind, (event) => {
      const place = cellAt(picture, event);
      return place ? act(place, event) : otherwise();
    });
  const read = (place, event) => {
    [row, column] = place;
    tip(textAt(picture, row, column), event);
  };
  at("pointermove", read, hideTip);
  canvas.addEventListener("pointerleave", hideTip);
  at("click", (place) => chooseCell(i, head, ...place));
  at("dblclick", (place) => Masks.turnMask(map, head, ...place));
  canvas.addEventListener("keydown", (event) => {
    const move = arrow(event);
    if (event.key === "Enter" || event.key === "m") {
      event.preventDefault();
      chooseCell(i, head, row, column);
    }
    if (event.key === "m") Masks.turnMask(map, head, row, column);
    if (!move) return;
    row = Math.max(0, Math.min(lines.at(-1), row + queryStep * move[0]));
    column = Math.max(0, Math.min(stacks.at(-1), column + keyStep * move[1]));
    chooseCell(i, head, row, column);
    say(textAt(picture, row, column));
  });
}

// The number of a cell; null for one that was not kept.
function element(map, id, head, row, column) {
  const a = Shown.array(id),
    place = a && Sources.placeAt(a, Masks.cellIndex(map, a.full, head, row, column));
  return place === null ? null : a.numbers[place];
}

// Whether the mask hides a key from a query, and is not switched off.
function masked(map, head, row, column) {
  return (
    map.mask !== null &&
    !Masks.maskIsOff(map.mask) &&
    element(map, Graph.nodes.get(map.mask).value, head, row, column) === Number(map.hides)
  );
}

// Choose a cell of a map, by its place in `data.maps`: the panel shows it, and its frame is drawn in the map.
function chooseCell(i, head, row, column) {
  state.cell = { map: i, head, row, column };
  Places.openTab("cell");
  repaints.forEach((repaint) => repaint());
}

// The numbers of one query, or of one key, which is a column there (`turned`).
function vector(map, n, head, place, turned) {
  const { shape, value } = Graph.nodes.get(n);
  const cell = (k) => (turned ? [k, place] : [place, k]);
  return Array.from({ length: shape[shape.length - (turned ? 2 : 1)] }, (_, k) =>
    element(map, value, head, ...cell(k)),
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

// Show the chosen cell: who looks at whom, how much, why, and what gradient reaches that.
function cellPanel() {
  const { map: i, head, row, column } = state.cell;
  const map = data.maps[i];
  const { n, value } = Graph.nodes.get(map.weights);
  const place = map.place || Graph.nameOf(n);
  fill(
    byId("cell"),
    make("p", { class: "phase" }, filled(WORDS.headOf, { head: headName(map, head), place })),
    whoLooks(map, row, column),
    masked(map, head, row, column) ? hiddenNote() : null,
    Masks.maskSwitch(map, head, row, column),
    make("p", { class: "big" }, numberText(value), Doubts.badgeOf(n)),
    soft(WORDS.ofItsAttention),
    queryTimesKey(map),
    gradientOfCell(map),
    nodesOf(map),
  );
}

// Which query looks at which key, by their symbols and then by their positions: a start has no number.
function whoLooks(map, row, column) {
  const [queries, keys] = (map.tokens || [[], []]).map((list) => Masks.tokensNow(list).map(shownToken));
  const [queryStarts, keyStarts] = map.starts; // whether they begin with a start
  const symbol = (list, k) => (list[k] === undefined ? k : `“${list[k]}”`);
  const position = (list, k, starts) => {
    const place = filled(WORDS.position, { place: starts ? k : k + 1 });
    if (list[k] === undefined) return place;
    return starts && k === 0 ? symbol(list, k) : `${symbol(list, k)} (${place})`;
  };
  return [
    make("h2", {}, filled(WORDS.looksAt, { query: symbol(queries, row), key: symbol(keys, column) })),
    soft(
      filled(WORDS.queryAndKey, {
        query: position(queries, row, queryStarts),
        key: position(keys, column, keyStarts),
      }),
    ),
  ];
}

const hiddenNote = () =>
  make("p", { class: "state" }, make("span", { class: "swatch freed" }), WORDS.hiddenByMask);

// The nodes that the weights are made of, each a link.
function nodesOf({ query, key, scores, weights }) {
  const [from, by, to, at] = [query, key, scores, weights].map((n) => Places.link(n));
  return make("p", {}, "Nodes: ", from, " · ", by, " → ", to, " → ", at);
}

// The number of the chosen cell in an array of the shape of the weights.
function numberText(id) {
  const { map: i, head, row, column } = state.cell;
  const v = element(data.maps[i], id, head, row, column);
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
      WORDS.productsSumTo,
      make("code", {}, numberText(Graph.nodes.get(map.scores).value)),
      WORDS.scoreBecomes,
    ),
  ];
}

// The gradient that reaches the chosen cell, and what its sign means; none while the reader predicts.
function gradientOfCell(map) {
  const { head, row, column } = state.cell;
  const [weights, scores] = [map.weights, map.scores].map((n) => Graph.nodes.get(n));
  const isKnown = ({ n, gradient }) =>
    gradient !== null && !state.predict && (!state.time || Graph.handedOnAt.get(n) <= state.time);
  const text = (node) => (isKnown(node) ? numberText(node.gradient) : WORDS.states.later);
  const badge = isKnown(weights) ? Doubts.gradientBadgeOf(weights.n) : null;
  const slope = isKnown(scores) ? element(map, scores.gradient, head, row, column) : null;
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

export { cellPanel, chooseCell, mapButton, mapOf, repaints };
