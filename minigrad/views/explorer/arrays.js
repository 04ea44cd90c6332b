// --- arrays: unpacked when first asked for; every digit shown is the number's own -----------------------

const LARGE_DIGITS = 3, SMALL_DIGITS = 5, POWERS = 36, SPECIAL = 6;
const NOT_FINITE = { nan: NaN, inf: Infinity, "-inf": -Infinity };
const unpacked = new Map();

function bytes(base64) {
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) found[i] = text.charCodeAt(i);
  return found;
}

function array(id) {
  if (id === null || id === undefined) return null;
  if (!unpacked.has(id)) unpacked.set(id, typeof id === "string" ? ofSlot(id) : unpack(data.arrays[id]));
  return unpacked.get(id);
}

function unpack(packed) {
  const steps = packed.k || packed.s.map(() => 1);
  const shape = packed.s.map((n, axis) => Math.ceil(n / steps[axis])); // of what was kept
  const size = shape.reduce((a, b) => a * b, 1);
  let numbers, digits = SMALL_DIGITS;
  if (packed.c !== undefined) {
    numbers = decoded(bytes(packed.c), packed.e);
    digits = LARGE_DIGITS;
  } else if (packed.x !== undefined) {
    const raw = bytes(packed.x).buffer;
    numbers = packed.w === 8 ? new Float64Array(raw) : Float64Array.from(new Float32Array(raw));
  } else if (packed.b !== undefined) {
    const bits = bytes(packed.b);
    numbers = Float64Array.from({ length: size }, (_, i) => (bits[i >> 3] >> (i & 7)) & 1);
  } else {
    numbers = Float64Array.from(packed.v, (v) => (typeof v === "string" ? NOT_FINITE[v] : v));
  }
  let largest = 0;
  for (const v of numbers) if (Number.isFinite(v) && Math.abs(v) > largest) largest = Math.abs(v);
  return {
    shape, steps, numbers, digits, largest, full: packed.s, kind: packed.t,
    all: packed.m || null, histogram: packed.h || [], thinned: packed.k !== undefined,
  };
}

function decoded(raw, top) {
  const numbers = new Float64Array(raw.length / 2);
  const specials = [0, NaN, Infinity, -Infinity, Number.MIN_VALUE, -Number.MIN_VALUE];
  for (let i = 0; i < numbers.length; i++) {
    const code = raw[2 * i] | (raw[2 * i + 1] << 8);
    if (code < SPECIAL) { numbers[i] = specials[code]; continue; }
    const high = Math.floor((code - SPECIAL) / 900);
    const digits = ((code - SPECIAL) % 900) + 100;
    const power = (high >> 1) - POWERS + 1 + top - 2;
    numbers[i] = Number(`${high & 1 ? "-" : ""}${digits}e${power}`);
  }
  return numbers;
}

function written(v, digits, kind = "f") {
  if (kind === "b") return v ? "True" : "False";
  if (Number.isNaN(v)) return "nan";
  if (!Number.isFinite(v)) return v > 0 ? "inf" : "-inf";
  if (v === 0) return "0";
  if (Math.abs(v) === Number.MIN_VALUE) return v > 0 ? "≈0" : "≈−0";
  if (kind !== "f") return String(v);
  const small = Math.abs(v) < 1e-4;
  let [mantissa, power] = (small ? v.toExponential(digits - 1) : v.toPrecision(digits)).split("e");
  if (mantissa.includes(".")) mantissa = mantissa.replace(/\.?0+$/, "");
  return power === undefined ? mantissa : `${mantissa}e${power.replace("+", "")}`;
}

function numberIn(text) { // what was typed, as a number; null where it is none
  const plain = text.trim().toLowerCase().replace(",", ".").replace("−", "-").replace(/^\+/, "").replace("infinity", "inf");
  if (Object.hasOwn(NOT_FINITE, plain)) return NOT_FINITE[plain];
  const [above, below = "1", ...more] = plain.split("/"); // a fraction, or one number
  if (more.length || !above || !below || Number(below) === 0) return null;
  return Number.isNaN(above / below) ? null : above / below;
}

function brief(id, most = 6) { // an array in a few letters: its numbers, up to so many
  const a = array(id);
  if (!a) return "not kept";
  if (a.numbers.length <= most && !a.thinned) return [...a.numbers].map((v) => written(v, a.digits, a.kind)).join(", ");
  if (a.kind === "b") return `${[...a.numbers].filter(Boolean).length} of ${a.numbers.length} True`;
  if (!a.all || a.all[0] === null) return "no finite number";
  const [low, high] = a.all;
  return low === high ? `all ${written(low, 4)}` : `${written(low, 4)} to ${written(high, 4)}`;
}

function norm(id) { // read from the packed array, which need not be unpacked for it
  if (typeof id === "string") return normOf(id);
  const packed = id === null || id === undefined ? null : data.arrays[id];
  return !packed ? 0 : packed.m ? packed.m[3] || 0 : array(id).largest;
}

// --- colours of numbers ----------------------------------------------------------------------------------

const themed = new Map();
function colour(name) {
  if (!themed.has(name)) themed.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return themed.get(name);
}

function tones(palette) {
  const of = (sign) => colour(`--${palette === "gradient" ? "grad" : "value"}-${sign}`).split(",").map(Number);
  return [of("minus"), of("plus")];
}

// Zero is clear, so that whatever is behind shows through, in light and in dark.
function tint(v, largest, [minus, plus]) {
  if (Number.isNaN(v)) return [255, 0, 200, 255];
  if (!Number.isFinite(v)) return [...(v < 0 ? minus : plus), 255];
  const share = largest ? Math.min(1, Math.abs(v) / largest) : 0;
  return [...(v < 0 ? minus : plus), Math.round(235 * share)];
}

// An array of any shape as one flat picture: the last two axes are a tile, and tiles stand in rows.
function tiles(a) {
  const shape = a.shape;
  let columns = shape.length ? shape[shape.length - 1] : 1;
  let rows = shape.length > 1 ? shape[shape.length - 2] : 1;
  const count = a.numbers.length / Math.max(1, rows * columns);
  const turned = columns === 1 && rows > 1; // a column lies down
  if (turned) [rows, columns] = [columns, rows];
  return { rows, columns, count, turned };
}

let scratchPad = null;
function scratch(width, height) { // one canvas for all that is only made to be copied
  if (!scratchPad) scratchPad = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  scratchPad.canvas.width = width; scratchPad.canvas.height = height;
  return scratchPad;
}

function paint(canvas, a, palette, perRow, gap, cellWidth, cellHeight) {
  const { rows, columns, count } = tiles(a);
  const tone = tones(palette);
  const lines = Math.ceil(count / perRow);
  const width = perRow * columns * cellWidth + (perRow - 1) * gap;
  const height = lines * rows * cellHeight + (lines - 1) * gap;
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
    const x = (t % perRow) * (columns * cellWidth + gap), y = Math.floor(t / perRow) * (rows * cellHeight + gap);
    context.drawImage(piece, x, y, columns * cellWidth, rows * cellHeight);
  }
  return { perRow, gap, cellWidth, cellHeight };
}

// A picture for a card, with no more dots than a card has room for.
const MOST_DOTS = [56, 14];
const thumbs = new Map();
function thumb(id, palette) {
  const key = `${id} ${palette}`;
  if (!thumbs.has(key)) thumbs.set(key, dots(array(id), palette));
  return thumbs.get(key);
}

function dots(a, palette) {
  const { rows, columns, count } = tiles(a);
  const side = Math.min(count, 4); // tiles beside each other; those beyond are left out
  const width = Math.min(MOST_DOTS[0], columns * side + side - 1), height = Math.min(MOST_DOTS[1], rows);
  const pen = scratch(width, height);
  const pixels = pen.createImageData(width, height);
  const tone = tones(palette);
  for (let x = 0; x < width; x++) {
    const place = ((x + 0.5) / width) * side;
    const tile = Math.floor(place), column = Math.floor((place - tile) * (columns + (side > 1 ? 1 : 0)));
    if (column >= columns) continue;
    for (let y = 0; y < height; y++) {
      const row = Math.floor(((y + 0.5) / height) * rows);
      pixels.data.set(tint(a.numbers[(tile * rows + row) * columns + column], a.largest, tone), 4 * (y * width + x));
    }
  }
  pen.putImageData(pixels, 0, 0);
  return pen.canvas.toDataURL();
}

// --- an array in the panel: numbers where they are few, else a heat map to read them from ---------------

function indexOf(a, place) { // the index of an element in the whole array, of which some may be left out
  const index = [];
  for (let axis = a.shape.length - 1; axis >= 0; axis--) {
    index.unshift((place % a.shape[axis]) * a.steps[axis]);
    place = Math.floor(place / a.shape[axis]);
  }
  return index;
}

function at(a, place, labels = []) {
  const index = indexOf(a, place);
  const was = changedAt(a, place);
  const named = index.map((k, axis) => (labels[axis] ? `“${labels[axis][k]}”` : "")).filter(Boolean);
  return `${index.length ? `[${index.join(", ")}]${named.length ? ` (${named.join(", ")})` : ""} = ` : ""}${written(a.numbers[place], a.digits, a.kind)}${was === undefined ? "" : `, was ${written(was, a.digits, a.kind)}`}`;
}

function shapeText(shape, letters = []) {
  const inside = shape.map((n, axis) => (letters[axis] ? `${letters[axis]} ${n}` : String(n)));
  return `(${inside.join(", ")}${shape.length === 1 ? "," : ""})`;
}

function shapeOf(shape, letters = []) {
  const parts = ["("];
  shape.forEach((n, axis) => {
    if (axis) parts.push(", ");
    if (letters[axis]) parts.push(make("span", { class: "letters" }, letters[axis]), "\u2009");
    parts.push(String(n));
  });
  return make("span", { class: "shape" }, ...parts, shape.length === 1 ? ",)" : ")");
}

// What stands along each axis: the symbols that `data.labels` has for its letter.
function labelsOf(a, letters) {
  return a.full.map((n, axis) => { const known = data.labels[letters[axis]]; return known && known.length === n && a.steps[axis] === 1 ? known.map(shownToken) : null; });
}

// `read` is told the index of each element that is pointed at, `pick` which element was chosen.
function heat(id, name, { palette = "value", letters = [], note = "", read = () => {}, pick = null } = {}) {
  const a = array(id);
  const caption = make("figcaption", {}, make("code", {}, name), note ? make("span", { class: "soft" }, note) : null);
  const figure = make("figure", { class: "heat" }, caption);
  if (!a) {
    caption.append(make("span", { class: "soft" }, "not kept"));
    return figure;
  }
  if (a.full.length) caption.append(shapeOf(a.full, letters));
  if (!a.numbers.length) caption.append(make("span", { class: "soft" }, "empty"));
  else if (!a.full.length || a.numbers.length === 1) figure.append(make("div", { class: `number ${changedAt(a, 0) === undefined ? "" : "changed"}`, title: changedAt(a, 0) === undefined ? null : at(a, 0) }, written(a.numbers[0], a.digits, a.kind)));
  else if (tiles(a).columns <= 6 && tiles(a).rows <= 8 && tiles(a).count === 1) figure.append(grid(a, palette, name, read, labelsOf(a, letters)));
  else figure.append(...map(a, palette, name, read, pick, labelsOf(a, letters)));
  return figure;
}

function grid(a, palette, name, read, labels) {
  const { rows, columns, turned } = tiles(a);
  const [along, across] = turned ? [null, labels[labels.length - 2]] : [labels[labels.length - 2], labels[labels.length - 1]];
  const tone = tones(palette);
  const body = across ? [make("tr", {}, along ? make("th") : null, across.map((label) => make("th", { scope: "col" }, label)))] : [];
  for (let r = 0; r < rows; r++) {
    const cells = along ? [make("th", { scope: "row" }, along[r])] : [];
    for (let c = 0; c < columns; c++) {
      const v = a.numbers[r * columns + c];
      const [red, green, blue, alpha] = tint(v, a.largest, tone);
      const style = `background: rgba(${red}, ${green}, ${blue}, ${(alpha * 0.55 / 255).toFixed(3)})`;
      const place = r * columns + c;
      cells.push(make("td", { style, class: changedAt(a, place) === undefined ? null : "changed", title: at(a, place, labels), onpointerenter: () => read(indexOf(a, place)) }, written(v, a.digits, a.kind)));
    }
    body.push(make("tr", {}, cells));
  }
  let place = 0;
  const onkeydown = (event) => { // as in a heat map
    const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (!move || !event.altKey) return;
    event.preventDefault(); event.stopPropagation();
    place = Math.max(0, Math.min(a.numbers.length - 1, place + move));
    say([at(a, place, labels), read(indexOf(a, place))].filter(Boolean).join("; "));
  };
  return make("div", { class: "scroll" }, make("table", { "aria-label": `The numbers of ${name}; Alt and the arrow keys read them`, tabindex: 0, onkeydown }, body));
}

const longest = (texts) => Math.max(...texts.map((text) => [...text].length));
const LINE = 12, MOST_LINES = 30; // the height of a row with a label, and how many may have one
function map(a, palette, name, pointed = () => {}, pick = null, labels = [], width = 350) {
  const { rows, columns, count, turned } = tiles(a);
  const [down, across] = turned ? [null, labels[labels.length - 2]] : [labels[labels.length - 2], labels[labels.length - 1]];
  const along = down && rows <= MOST_LINES ? down : null;
  if (along) width -= 8 + 7 * longest(along);
  const gap = count > 1 ? 6 : 0;
  let perRow = Math.max(1, Math.min(count, 4));
  while (perRow > 1 && (width - (perRow - 1) * gap) / (perRow * columns) < 2) perRow = Math.ceil(perRow / 2);
  const free = (width - (perRow - 1) * gap) / (perRow * columns);
  const cell = free >= 1 ? Math.min(18, Math.floor(free)) : free;
  const tall = rows === 1 ? 18 : Math.max(free >= 1 ? 1 : free, along ? LINE : 0, Math.min(cell, Math.floor(220 / rows) || 1));
  const canvas = make("canvas", { tabindex: 0, role: "img" });
  const layout = paint(canvas, a, palette, perRow, gap, cell, tall);
  const [low, high] = a.all && a.all[0] !== null ? a.all : [0, a.largest];
  canvas.setAttribute("aria-label", `${name}, heat map, ${brief2(a)}. Arrow keys with Alt read single numbers.`);
  const reading = make("span", { class: "reading" });
  const tone = tones(palette);
  const end = (v) => `rgba(${tint(v, 1, tone).slice(0, 3).join(", ")}, 1)`;
  const bar = make("span", { class: "bar", style: `background: linear-gradient(90deg, ${end(-1)}, transparent, ${end(1)})` });
  const range = make("span", {}, `${written(low, 4)} to ${written(high, 4)}`, a.thinned ? `; every ${a.steps.map((k) => (k > 1 ? `${k}th` : "")).filter(Boolean).join(" and ")} shown` : "");
  let place = 0;
  const read = (next) => { place = next; reading.textContent = at(a, place, labels); return pointed(indexOf(a, place)); };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * canvas.width, y = ((event.clientY - box.top) / box.height) * canvas.height;
    const column = Math.floor(x / (columns * layout.cellWidth + gap)), row = Math.floor(y / (rows * layout.cellHeight + gap));
    const c = Math.floor((x - column * (columns * layout.cellWidth + gap)) / layout.cellWidth);
    const r = Math.floor((y - row * (rows * layout.cellHeight + gap)) / layout.cellHeight);
    const tile = row * perRow + column;
    if (c < 0 || r < 0 || c >= columns || r >= rows || tile >= count || column >= perRow) return hideTip();
    read(tile * rows * columns + r * columns + c);
    tip(at(a, place, labels), event);
  });
  canvas.addEventListener("pointerleave", hideTip);
  if (pick && !a.thinned) canvas.addEventListener("click", () => pick(place));
  canvas.addEventListener("keydown", (event) => {
    if (pick && !a.thinned && event.key === "Enter") { event.preventDefault(); return pick(place); }
    const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (!move || !event.altKey) return;
    event.preventDefault(); event.stopPropagation();
    const worked = place + move >= 0 && place + move < a.numbers.length ? read(place + move) : null;
    say([at(a, place, labels), worked].filter(Boolean).join("; "));
  });
  const lines = Math.ceil(count / perRow);
  const left = along ? make("div", { class: "labels left", "aria-hidden": "true", style: `width:${longest(along)}ch` }, Array.from({ length: lines }, (_, line) => along.map((label, r) =>
    make("span", { style: `top:${line * (rows * tall + gap) + r * tall}px; height:${tall}px; line-height:${tall}px` }, label)))) : null;
  const upright = across && 7 * longest(across) > cell; // too long to stand beside each other
  const top = across && cell >= 10 ? make("div", { class: `labels top ${upright ? "upright" : ""}`, "aria-hidden": "true", style: upright ? `height:${longest(across) + 0.5}ch` : null }, Array.from({ length: perRow }, (_, tile) => across.map((label, c) =>
    make("span", { style: `left:${tile * (columns * cell + gap) + c * cell}px; width:${cell}px` }, label)))) : null;
  const drawing = left || top ? make("div", { class: "labelled" }, top, left, canvas) : canvas;
  return [drawing, make("div", { class: "scale" }, bar, range, reading)];
}

function brief2(a) {
  return a.all && a.all[0] !== null ? `from ${written(a.all[0], 4)} to ${written(a.all[1], 4)}, mean ${written(a.all[2], 4)}` : "";
}

function tip(text, event) {
  const box = byId("tip");
  box.textContent = text;
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(4, Math.min(innerWidth - width - 8, event.clientX + 14))}px`;
  box.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 16}px`;
}

function hideTip() { byId("tip").hidden = true; }
