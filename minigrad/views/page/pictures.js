// --- pictures of arrays: a number is a colour, and zero is clear --------------------------------------

import { hear } from "./events.js";
import { once } from "./once.js";
import * as Shown from "./shown.js";

const themed = new Map(); // name of a variable -> its value, until the colours of the page change
// The value of a variable of the page's style, such as "--ink".
function colour(name) {
  return once(themed, name, () => getComputedStyle(document.documentElement).getPropertyValue(name).trim());
}

// The colours of a palette, "value" or "gradient": that below zero, and that above it.
function tones(palette) {
  const of = (sign) =>
    colour(`--${palette === "gradient" ? "grad" : "value"}-${sign}`)
      .split(",")
      .map(Number);
  return [of("minus"), of("plus")];
}

const NAN_COLOUR = [255, 0, 200, 255];
const STRONGEST = 235; // the alpha of the largest number

// The colour of a number among those whose largest size is `largest`, as red, green, blue and alpha up
// to 255. Zero is clear, so that whatever is behind shows through, in light and in dark.
function tint(v, largest, [minus, plus]) {
  if (Number.isNaN(v)) return NAN_COLOUR;
  if (!Number.isFinite(v)) return [...(v < 0 ? minus : plus), 255];
  const share = largest ? Math.min(1, Math.abs(v) / largest) : 0;
  return [...(v < 0 ? minus : plus), Math.round(STRONGEST * share)];
}

// The same for a style, with a share of its strength, so that text on it can be read.
function paleTint(v, largest, tone, strength) {
  const [red, green, blue, alpha] = tint(v, largest, tone);
  return `rgba(${red}, ${green}, ${blue}, ${((alpha * strength) / 255).toFixed(3)})`;
}

// An array of any shape as one flat picture: the last two axes are a tile, and tiles stand in rows.
function tiles(a) {
  const shape = a.shape;
  let columns = shape.at(-1) ?? 1;
  let rows = shape.at(-2) ?? 1;
  const count = a.numbers.length / Math.max(1, rows * columns);
  const turned = columns === 1 && rows > 1; // a column lies down
  if (turned) [rows, columns] = [columns, rows];
  return { rows, columns, count, turned };
}

let scratchPad = null;
// One canvas for all that is only made to be copied.
function scratch(width, height) {
  if (!scratchPad)
    scratchPad = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  scratchPad.canvas.width = width;
  scratchPad.canvas.height = height;
  return scratchPad;
}

// Paint an array on a canvas, which becomes as large as it takes. `layout`: `perRow` tiles stand beside each
// other, `gap` pixels apart, and a number is `cell` pixels wide and `tall` pixels high.
function paint(canvas, a, palette, layout) {
  const { perRow, gap, cell, tall } = layout;
  const { rows, columns, count } = tiles(a);
  const tone = tones(palette);
  const lines = Math.ceil(count / perRow);
  const width = perRow * columns * cell + (perRow - 1) * gap;
  const height = lines * rows * tall + (lines - 1) * gap;
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  const pen = scratch(Math.max(1, columns), Math.max(1, rows));
  const piece = pen.canvas;
  for (let t = 0; t < count; t++) {
    const pixels = pen.createImageData(piece.width, piece.height);
    for (let i = 0; i < rows * columns; i++)
      pixels.data.set(tint(a.numbers[t * rows * columns + i], a.largest, tone), 4 * i);
    pen.putImageData(pixels, 0, 0);
    const x = (t % perRow) * (columns * cell + gap),
      y = Math.floor(t / perRow) * (rows * tall + gap);
    context.drawImage(piece, x, y, columns * cell, rows * tall);
  }
  painted.set(canvas, { a, palette, layout });
}

const painted = new WeakMap(); // canvas -> how it was painted
// Paint the same picture, with frames around some places: one around neighbours in a row or a column.
function repaint(canvas, places) {
  const { a, palette, layout } = painted.get(canvas);
  const { perRow, gap, cell, tall } = layout;
  paint(canvas, a, palette, layout);
  const { rows, columns } = tiles(a);
  const context = canvas.getContext("2d");
  context.strokeStyle = getComputedStyle(canvas).getPropertyValue("--forward");
  context.lineWidth = 2;
  for (const { place, across, down } of runsOf(places, rows, columns)) {
    const row = Math.floor(place / columns) % rows,
      tile = Math.floor(place / (rows * columns));
    context.strokeRect(
      (tile % perRow) * (columns * cell + gap) + (place % columns) * cell,
      Math.floor(tile / perRow) * (rows * tall + gap) + row * tall,
      Math.max(2, across * cell),
      Math.max(2, down * tall),
    );
  }
}

// Places in runs of neighbours: the first of each, and how many of them are beside or below each other.
function runsOf(places, rows, columns) {
  const left = new Set(places);
  const runs = [];
  for (const place of [...left].sort((x, y) => x - y)) {
    if (!left.has(place)) continue;
    const row = Math.floor(place / columns) % rows;
    let across = 1,
      down = 1;
    while ((place % columns) + across < columns && left.has(place + across)) across++;
    if (across === 1) while (row + down < rows && left.has(place + down * columns)) down++;
    for (let k = 0; k < across; k++) left.delete(place + k);
    for (let k = 0; k < down; k++) left.delete(place + k * columns);
    runs.push({ place, across, down });
  }
  return runs;
}

const MOST_DOTS = [56, 14]; // beside and below each other: a card has room for no more
const thumbs = new Map(); // "id palette" -> the picture
hear("numbers", () => {
  for (const key of thumbs.keys()) if (key.includes("@")) thumbs.delete(key);
});
// The picture of an array for a card, as an address.
function thumb(id, palette) {
  return once(thumbs, `${id} ${palette}`, () => dots(Shown.array(id), palette));
}

// Forget the colours, for those of the page have changed.
function forget() {
  themed.clear();
  thumbs.clear();
}

// An array with no more dots than `MOST_DOTS`: of larger ones, some numbers.
function dots(a, palette) {
  const { rows, columns, count } = tiles(a);
  const side = Math.min(count, 4); // tiles beside each other; further tiles are left out
  const width = Math.min(MOST_DOTS[0], columns * side + side - 1),
    height = Math.min(MOST_DOTS[1], rows);
  const pen = scratch(width, height);
  const pixels = pen.createImageData(width, height);
  const tone = tones(palette);
  for (let x = 0; x < width; x++) {
    const place = ((x + 0.5) / width) * side;
    const tile = Math.floor(place),
      column = Math.floor((place - tile) * (columns + (side > 1 ? 1 : 0)));
    if (column >= columns) continue;
    for (let y = 0; y < height; y++) {
      const row = Math.floor(((y + 0.5) / height) * rows);
      pixels.data.set(
        tint(a.numbers[(tile * rows + row) * columns + column], a.largest, tone),
        4 * (y * width + x),
      );
    }
  }
  pen.putImageData(pixels, 0, 0);
  return pen.canvas.toDataURL();
}

export { colour, forget, paint, paleTint, repaint, thumb, tiles, tint, tones };
