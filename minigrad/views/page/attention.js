// --- the tab of the attention maps: a picture of each head --------------------------------------------

import { filled, WORDS } from "./words.js";
import { longest, shownToken } from "./symbols.js";
import { arrow, byId, fill, make, say, soft } from "./dom.js";
import { data, state } from "./state.js";
import { hear } from "./events.js";
import { hideTip, tip } from "./tip.js";
import * as Shapes from "./shapes.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Doubts from "./doubts.js";
import * as Pictures from "./pictures.js";
import * as Cells from "./cells.js";
import * as Tabs from "./tabs.js";
import * as Places from "./places.js";

// `map` is one of `data.maps`, as `attention.py` made it: the numbers of the nodes of its weights, scores,
// query, key and mask, and its kind and tokens. `i` is its place in the list. `picture` says how one head of
// it is drawn. A cell has a row, for a query, and a column, for a key.

// node of weights -> the number of its map
const mapOf = new Map(data.maps.map((map, i) => [map.weights, i]));

// Functions that show weights: they are called again when numbers, colours or the chosen cell change.
const painters = [];
const repaint = () => painters.forEach((paintAgain) => paintAgain());
hear("numbers", repaint);

// A button that leads to the map of a node, if it has one.
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

// Fill the tab when it is first opened: drawing them takes time.
function fillTab() {
  const box = byId("attention");
  if (box.childElementCount) return;
  box.append(make("p", {}, WORDS.howToReadMaps, data.maps.some(Cells.canTurn) ? WORDS.howToTurnMask : ""));
  for (const [i, map] of data.maps.entries()) box.append(...mapPart(map, i));
}

// A map with its title: a picture of each head that the page has kept.
function mapPart(map, i) {
  const node = Graph.nodes.get(map.weights);
  const a = () => Shown.array(node.value); // its numbers may change
  const count = Shapes.size(node.shape.slice(0, -2));
  const heads = Array.from({ length: count }, (_, head) => head).filter(
    (head) => Cells.numberAt(map, node.value, head, 0, 0) !== null,
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

// The badge that says whether numbers are in doubt; it is updated with them.
function badgeOf(node) {
  const badge = make("span");
  const remark = () => fill(badge, " ", Doubts.badgeOf(node.n));
  remark();
  painters.push(remark);
  return badge;
}

function thinnedNote(a, shown, count) {
  const [queryStep, keyStep] = a.steps.slice(-2);
  return soft(filled(WORDS.headsShown, { shown, count, queryStep, keyStep }));
}

hear("tab", () => {
  if (state.tab === "attention") fillTab();
});

// The name of a matrix of the weights (B, H, T, S): its head, and its example if there are several. Weights
// with three axes are named by the letter of the first.
function headName(map, place) {
  const { shape, letters } = Graph.nodes.get(map.weights);
  const [B, H] = shape.slice(-4, -2);
  const name = (letter, k) => filled(WORDS.matrix[letter] ?? WORDS.matrix.other, { number: k + 1 });
  if (shape.length === 3) return name(letters[0], place);
  if (H === undefined || B === 1) return name("H", place);
  return filled(WORDS.ofExample, { head: name("H", place % H), example: Math.floor(place / H) + 1 });
}

// The title of a map: the kind of attention, and the module that it is in.
function nameOfMap(i) {
  const map = data.maps[i];
  const name = map.place || Graph.nameOf(map.weights);
  return map.kind ? `${map.kind[0].toUpperCase()}${map.kind.slice(1)}: ${name}` : name;
}

// The tokens of the queries and the keys: those of the module, else the labels of the axes, else numbers.
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
  const paintIt = () => paint(picture);
  paintIt();
  painters.push(paintIt);
  listen(picture);
  return make("figure", {}, make("figcaption", {}, count > 1 ? headName(map, head) : "Weights"), canvas);
}

// The sizes of the map of a head, in pixels. Of a large map only some rows (`lines`) and columns (`stacks`)
// were kept.
function layoutOf(a, tokens, count) {
  const [rows, columns] = a.full.slice(-2);
  const [queryStep, keyStep] = a.steps.slice(-2);
  const kept = (n, step) => Array.from({ length: Math.ceil(n / step) }, (_, k) => k * step);
  const [lines, stacks] = [kept(rows, queryStep), kept(columns, keyStep)];
  const [query, key] = tokens.map((list) => longest(list.map(shownToken)));
  const side = Math.min(90, 8 + 7 * query),
    top = key > 1 ? Math.min(70, 10 + 6 * key) : 16;
  const available = byId("tabs").clientWidth;
  const beside = Math.min(count, available > 1000 ? 4 : available > 600 ? 2 : 1); // heads
  const room = Math.max(150, (available - 70) / beside - side);
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

const namesNow = (picture) => picture.tokens.map((list) => Cells.tokensNow(list).map(shownToken));

// Paint the map of a head: also again, when numbers, colours, symbols or the chosen cell change.
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
  const v = Cells.numberAt(map, Graph.nodes.get(map.weights).value, head, row, column);
  pen.fillStyle = Pictures.colour("--paper");
  pen.fillRect(left, up, cell, cell);
  if (Cells.isMasked(map, head, row, column)) hatch(pen, left, up, cell);
  else {
    const [red, green, blue] = Pictures.tones("value")[1];
    pen.fillStyle = `rgba(${red}, ${green}, ${blue}, ${Math.min(1, Math.max(0, v))})`;
    pen.fillRect(left, up, cell, cell);
  }
}

// Slanted lines in a square: a hidden cell has no colour of a number.
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

// The text of a cell: the query, the key, and the weight.
function textAt(picture, row, column) {
  const { map, head } = picture;
  const [queries, keys] = namesNow(picture);
  const who = { query: queries[row], key: keys[column] };
  if (Cells.isMasked(map, head, row, column)) return filled(WORDS.mayNotLook, who);
  const a = picture.a();
  const place = Cells.placeIn(a, map, head, row, column);
  const asScalar = { ...a, shape: [], steps: [] }; // the symbols say where it is, in place of an index
  return `${filled(WORDS.looksAt, who)}: ${Arrays.at(asScalar, place)}`;
}

// The cell under the pointer, as [row, column]; null where there is none.
function cellAt({ canvas, lines, stacks, side, top, cell }, event) {
  const box = canvas.getBoundingClientRect();
  const x = Math.floor((event.clientX - box.left - side) / cell),
    y = Math.floor((event.clientY - box.top - top) / cell);
  return x >= 0 && y >= 0 && x < stacks.length && y < lines.length ? [lines[y], stacks[x]] : null;
}

// The pointer reads and chooses a cell. Alt and the arrow keys go on from the cell that was read last.
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
  at("dblclick", (place) => Cells.turnMask(map, head, ...place));
  canvas.addEventListener("keydown", (event) => {
    const move = arrow(event);
    if (event.key === "Enter" || event.key === "m") {
      event.preventDefault();
      chooseCell(i, head, row, column);
    }
    if (event.key === "m") Cells.turnMask(map, head, row, column);
    if (!move) return;
    row = Math.max(0, Math.min(lines.at(-1), row + queryStep * move[0]));
    column = Math.max(0, Math.min(stacks.at(-1), column + keyStep * move[1]));
    chooseCell(i, head, row, column);
    say(textAt(picture, row, column));
  });
}

// Choose a cell of a map, by its place in `data.maps`: the panel shows it, and its frame is drawn in the map.
function chooseCell(i, head, row, column) {
  state.cell = { map: i, head, row, column };
  Places.openTab("cell");
  repaint();
}

export { chooseCell, headName, mapButton, mapOf, repaint };
