// --- an array in the panel: numbers where they are few, else a heat map to read them from -------------

import { filled, WORDS } from "./words.js";
import { longest, shownToken } from "./symbols.js";
import { arrow, make, say, softSpan } from "./dom.js";
import { data } from "./state.js";
import { hideTip, tip } from "./tip.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Pictures from "./pictures.js";
import * as Sources from "./sources.js";
import * as Doubts from "./doubts.js";

// A shape such as "(T 3, 4)", with the letters of the axes that have one.
function shapeOf(shape, letters = []) {
  const parts = ["("];
  shape.forEach((n, axis) => {
    if (axis) parts.push(", ");
    if (letters[axis]) parts.push(make("span", { class: "letters" }, letters[axis]), "\u2009");
    parts.push(String(n));
  });
  return make("span", { class: "shape" }, ...parts, shape.length === 1 ? ",)" : ")");
}

// The labels along each axis: the symbols that `data.labels` has for its letter.
function labelsOf(a, letters) {
  return a.full.map((n, axis) => {
    const known = data.labels[letters[axis]];
    return known && known.length === n && a.steps[axis] === 1 ? known.map(shownToken) : null;
  });
}

// The names of the tiles of a picture: they lie along the only leading axis that is longer than 1.
const NAMES = { H: "head" };
const MOST_NAMES = 12;
function tileNames(a, letters) {
  const before = a.full.slice(0, -2);
  const axis = before.findIndex((n) => n > 1);
  const many = before.filter((n) => n > 1).length;
  if (many !== 1 || !letters[axis] || before[axis] > MOST_NAMES) return [];
  const labels = labelsOf(a, letters)[axis];
  const name = NAMES[letters[axis]] ?? letters[axis];
  return Array.from({ length: a.shape[axis] }, (_, k) => labels?.[k] ?? `${name} ${k * a.steps[axis] + 1}`);
}

const framers = new WeakMap(); // figure -> its array, and what frames places in it
let framed = []; // the figures in which something is framed
// Frame some elements, such as the sources of another element: pairs of a figure and indices. Frames of before
// are removed.
function frame(pairs) {
  for (const figure of framed) framers.get(figure).act([]);
  framed = [];
  for (const [figure, indices] of pairs) {
    const framer = framers.get(figure);
    if (!framer || !indices.length) continue;
    const places = indices.map((index) => Sources.placeAt(framer.array, index));
    framer.act(places.filter((place) => place !== null));
    framed.push(figure);
  }
}

// The figure of an array, by its id. `letters` name its axes, `note` stands beside its name, `fixed`
// says why it is not what Python would compute. `read` is told the index of each element that is pointed
// at, and may return a text that is read aloud with it; `pick` is told the place of the one that is
// chosen.
function heat(
  id,
  name,
  { palette = "value", letters = [], note = "", read = () => {}, pick = null, fixed = null } = {},
) {
  const a = Shown.array(id);
  const caption = make(
    "figcaption",
    {},
    make("code", {}, name),
    note ? softSpan(note) : null,
    Doubts.fixedBadge(fixed),
    a ? null : softSpan(WORDS.notKept),
    a?.full.length ? shapeOf(a.full, letters) : null,
    a && !a.numbers.length ? softSpan("empty") : null,
  );
  const figure = make("figure", { class: "heat" }, caption);
  if (!a) return figure;
  if (!a.full.length || a.numbers.length === 1) figure.append(oneNumber(a));
  else if (a.numbers.length && isSmall(a)) figure.append(grid(a, palette, name, read, labelsOf(a, letters)));
  else if (a.numbers.length)
    figure.append(...heatMap(a, palette, name, read, pick, labelsOf(a, letters), tileNames(a, letters)));
  framers.set(figure, { array: a, act: framing(figure) });
  return figure;
}

// Whether the numbers of an array are written out, in a table.
function isSmall(a) {
  const { rows, columns, count } = Pictures.tiles(a);
  return columns <= 6 && rows <= 8 && count === 1;
}

// An array of one number, written large.
function oneNumber(a) {
  const isChanged = Arrays.changedAt(a, 0) !== undefined;
  return make(
    "div",
    { class: `number ${isChanged ? "changed" : ""}`, title: isChanged ? Arrays.at(a, 0) : null },
    Arrays.written(a.numbers[0], a.digits, a.kind),
  );
}

// A function that frames some places in a figure: in its picture, or in its table.
function framing(figure) {
  const canvas = figure.querySelector("canvas");
  if (canvas) return (places) => Pictures.repaint(canvas, places);
  const cells = figure.querySelectorAll("td");
  return (places) => cells.forEach((cell, i) => cell.classList.toggle("lit", places.includes(i)));
}

// --- few numbers: a table -----------------------------------------------------------------------------

// The labels of the rows and of the columns: the labels of the last two axes.
function labelsOfSides(labels, turned) {
  const [rows, columns] = [labels.at(-2), labels.at(-1)];
  return turned ? [null, rows] : [rows, columns];
}

// A small array: its numbers in their colours. Alt and the arrow keys read them, as in a heat map.
function grid(a, palette, name, read, labels) {
  const { rows, columns, turned } = Pictures.tiles(a);
  const [along, across] = labelsOfSides(labels, turned);
  const cell = cellMaker(a, palette, read, labels);
  const head = across
    ? make(
        "tr",
        {},
        along ? make("th") : null,
        across.map((label) => make("th", { scope: "col" }, label)),
      )
    : null;
  const row = (r) =>
    make(
      "tr",
      {},
      along ? make("th", { scope: "row" }, along[r]) : null,
      Array.from({ length: columns }, (_, c) => cell(r * columns + c)),
    );
  const attributes = {
    "aria-label": filled(WORDS.readNumbers, { name }),
    tabindex: 0,
    onkeydown: arrowReader(a, columns, labels, read),
  };
  const body = Array.from({ length: rows }, (_, r) => row(r));
  return make("div", { class: "scroll" }, make("table", attributes, head, body));
}

// A listener to arrow keys: it reads the number to which a key leads from the number read last.
function arrowReader(a, columns, labels, read) {
  let place = 0;
  return (event) => {
    const move = arrow(event);
    if (!move) return;
    place = Math.max(0, Math.min(a.numbers.length - 1, place + columns * move[0] + move[1]));
    say([Arrays.at(a, place, labels), read(Arrays.indexOf(a, place))].filter(Boolean).join("; "));
  };
}

const BEHIND_TEXT = 0.55; // of the strength of a colour

// A function that makes the cell of a place in such a table.
function cellMaker(a, palette, read, labels) {
  const tone = Pictures.tones(palette);
  return (place) => {
    const v = a.numbers[place];
    return make(
      "td",
      {
        style: `background: ${Pictures.paleTint(v, a.largest, tone, BEHIND_TEXT)}`,
        class: Arrays.changedAt(a, place) === undefined ? null : "changed",
        title: Arrays.at(a, place, labels),
        onpointerenter: () => read(Arrays.indexOf(a, place)),
      },
      Arrays.written(v, a.digits, a.kind),
    );
  };
}

// --- many numbers: a picture to read from -------------------------------------------------------------

// In pixels:
const WIDTH = Math.min(350, innerWidth - 60), // of a map, with its labels: a phone has less room
  HEIGHT = 220, // of a tile, where its rows need no more
  CELL = 18, // the side of the largest cell
  GAP = 6, // between tiles
  LINE = 12, // the height of a row that has a label
  LEAST = 9, // the width of a column that has one
  LETTER = 7; // the width of a letter
const MOST_LINES = 30; // rows that may have labels
const MOST_BESIDE = 4; // tiles

// A large array: the names of its tiles, its picture with labels, and below it a scale and the number under
// the pointer.
function heatMap(a, palette, name, pointed, pick, labels, tilesAre) {
  const layout = layoutOf(a, labels);
  const canvas = make("canvas", { tabindex: 0, role: "img" });
  Pictures.paint(canvas, a, palette, layout);
  canvas.setAttribute("aria-label", filled(WORDS.readMap, { name, range: spanText(a) }));
  const reading = make("span", { class: "reading" });
  listen(canvas, a, layout, labels, pick, (place) => {
    reading.textContent = Arrays.at(a, place, labels);
    return pointed(Arrays.indexOf(a, place));
  });
  const [left, top] = [leftLabels(layout), topLabels(layout)];
  const drawing = left || top ? make("div", { class: "labelled" }, top, left, canvas) : canvas;
  const order = tilesAre.length
    ? make(
        "p",
        { class: "tiles soft" },
        filled(WORDS.tiles[layout.perRow > 1 ? "beside" : "below"], { names: tilesAre.join(", ") }),
      )
    : null;
  return [order, drawing, make("div", { class: "scale" }, ...scale(a, palette), reading)].filter(Boolean);
}

// How many tiles stand beside each other (`perRow`), how large a cell is (`cell` wide, `tall` high), and
// which labels there are: `along` the rows, and `across` the columns.
function layoutOf(a, labels) {
  const { rows, columns, count, turned } = Pictures.tiles(a);
  const [down, across] = labelsOfSides(labels, turned);
  const along = down && rows <= MOST_LINES ? down : null;
  const width = along ? WIDTH - (8 + LETTER * longest(along)) : WIDTH;
  const gap = count > 1 ? GAP : 0;
  const roomFor = (tiles) => (width - (tiles - 1) * gap) / (tiles * columns); // of each cell
  const needed = across && LEAST * columns <= width ? LEAST : 2;
  const perRow = [Math.min(count, MOST_BESIDE), 2].find((tiles) => roomFor(tiles) >= needed) ?? 1;
  const room = roomFor(perRow);
  const cell = room >= 1 ? Math.min(CELL, Math.floor(room)) : room;
  const tall = rows === 1 ? CELL : heightOf(cell, rows, along ? LINE : 0);
  return { rows, columns, count, perRow, gap, cell, tall, along, across };
}

// The height of a cell: its width, or less where there are many rows, but no less than `least`.
function heightOf(width, rows, least) {
  const most = Math.floor(HEIGHT / rows) || 1;
  return Math.max(Math.min(width, most), least);
}

// The pointer, and Alt with the arrow keys, `read` a place; a click, or Enter, may `pick` it.
function listen(canvas, a, layout, labels, pick, read) {
  let place = 0;
  const go = (next) => {
    place = next;
    return read(place);
  };
  canvas.addEventListener("pointermove", (event) => {
    const pointed = placeUnder(canvas, layout, event);
    if (pointed === null) return hideTip();
    go(pointed);
    tip(Arrays.at(a, place, labels), event);
  });
  canvas.addEventListener("pointerleave", hideTip);
  if (pick && !a.thinned) canvas.addEventListener("click", () => pick(place));
  canvas.addEventListener("keydown", (event) => {
    if (pick && !a.thinned && event.key === "Enter") {
      event.preventDefault();
      return pick(place);
    }
    const move = arrow(event);
    if (!move) return;
    const next = place + layout.columns * move[0] + move[1];
    const worked = next >= 0 && next < a.numbers.length ? go(next) : null;
    say([Arrays.at(a, place, labels), worked].filter(Boolean).join("; "));
  });
}

// The place of the element under the pointer; null between the tiles and beside them.
function placeUnder(canvas, { rows, columns, count, perRow, gap, cell, tall }, event) {
  const box = canvas.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * canvas.width,
    y = ((event.clientY - box.top) / box.height) * canvas.height;
  const [wide, high] = [columns * cell + gap, rows * tall + gap]; // of a tile, with the gap behind it
  const [across, down] = [Math.floor(x / wide), Math.floor(y / high)];
  const column = Math.floor((x - across * wide) / cell),
    row = Math.floor((y - down * high) / tall);
  const tile = down * perRow + across;
  const isInside = column >= 0 && row >= 0 && column < columns && row < rows;
  if (!isInside || tile >= count || across >= perRow) return null;
  return tile * rows * columns + row * columns + column;
}

// A label beside each row of each line of tiles.
function leftLabels({ rows, count, perRow, gap, tall, along }) {
  if (!along) return null;
  const lines = Math.ceil(count / perRow);
  return make(
    "div",
    { class: "labels left", "aria-hidden": "true", style: `width:${longest(along)}ch` },
    Array.from({ length: lines }, (_, line) =>
      along.map((label, r) =>
        make(
          "span",
          {
            style: `top:${line * (rows * tall + gap) + r * tall}px; height:${tall}px; line-height:${tall}px`,
          },
          label,
        ),
      ),
    ),
  );
}

// A label above each column of tiles, if there is room.
function topLabels({ columns, perRow, gap, cell, across }) {
  if (!across || cell < LEAST) return null;
  const upright = LETTER * longest(across) > cell; // they are too long for one row
  return make(
    "div",
    {
      class: `labels top ${upright ? "upright" : ""}`,
      "aria-hidden": "true",
      style: upright ? `height:${longest(across) + 0.5}ch` : null,
    },
    Array.from({ length: perRow }, (_, tile) =>
      across.map((label, c) =>
        make("span", { style: `left:${tile * (columns * cell + gap) + c * cell}px; width:${cell}px` }, label),
      ),
    ),
  );
}

// The scale of colours, from the lowest to the highest number.
function scale(a, palette) {
  const { least: low, greatest: high } =
    a.all && a.all.least !== null ? a.all : { least: 0, greatest: a.largest };
  const tone = Pictures.tones(palette);
  const end = (v) => `rgba(${Pictures.tint(v, 1, tone).slice(0, 3).join(", ")}, 1)`;
  const step = a.steps.reduce((x, y) => x * y, 1);
  return [
    make("span", {
      class: "bar",
      style: `background: linear-gradient(90deg, ${end(-1)}, transparent, ${end(1)})`,
    }),
    make(
      "span",
      {},
      `${Arrays.written(low, 4)} to ${Arrays.written(high, 4)}`,
      a.all?.odd ? `; ${filled(WORDS.notFinite, a.all)}` : "",
      a.thinned ? filled(WORDS.oneShown, { step }) : "",
    ),
  ];
}

// The range of an array and its mean, as words, for a reader who does not see the picture.
function spanText(a) {
  return a.all && a.all.least !== null
    ? filled(WORDS.rangeAndMean, {
        least: Arrays.written(a.all.least, 4),
        greatest: Arrays.written(a.all.greatest, 4),
        mean: Arrays.written(a.all.mean, 4),
      })
    : "";
}

export { frame, heat, shapeOf };
