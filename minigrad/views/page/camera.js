// --- the camera: the part of a drawing that is seen, and its size -------------------------------------

import { byId } from "./dom.js";
import { state } from "./state.js";
import { hear } from "./events.js";
import * as Graph from "./graph.js";
import * as Cards from "./cards.js";
import * as Drawing from "./drawing.js";

const sheet = byId("sheet"),
  world = byId("world");
const camera = { x: 0, y: 0, scale: 1 };
const cameras = new Map(); // where the reader left each drawing

// Show what `camera` says: the window's pixel (x, y) is the drawing's corner, `scale` how large it is.
// With `glide` it moves there; at once otherwise, as it must under a hand.
function aim(glide = true) {
  world.classList.toggle("gliding", glide);
  world.style.transform = `translate(${camera.x}px, ${camera.y}px) scale(${camera.scale})`;
  cameras.set(state.view, { ...camera });
}

// Show a drawing that was just opened, where the reader left it.
function open() {
  const before = cameras.get(state.view);
  if (!before) return fit(false, true);
  Object.assign(camera, before);
  aim(false);
}

// The window has another size: each drawing is seen anew.
function resize() {
  cameras.clear();
  fit(false, true);
}

// Scales of a drawing:
const LEGIBLE = 0.58, // the least at which the letters of cards can be read
  COMFORTABLE = 0.86, // of a drawing that is wider than the window
  LARGEST_FIT = 1.2, // of a small drawing that is shown whole
  SMALLEST = 0.08, // at which zooming ends
  LARGEST = 4;
const PAD = 20; // pixels around a drawing that is shown whole
// See all of the drawing; or, when a drawing is first seen (`readable`), no smaller than can be read.
function fit(glide = true, readable = false) {
  const [width, height] = Graph.views.get(state.view).size || [1, 1];
  const box = sheet.getBoundingClientRect();
  if (!box.width || sheet.hasAttribute("viewBox")) return; // on paper it is whole anyway
  const wide = (box.width - 2 * PAD) / width;
  const all = Math.min(wide, (box.height - 2 * PAD) / height, LARGEST_FIT);
  camera.scale = !readable || all >= LEGIBLE ? all : wide >= LEGIBLE ? Math.min(1, wide) : COMFORTABLE;
  camera.x = (box.width - width * camera.scale) / 2;
  camera.y = (box.height - height * camera.scale) / 2;
  if (camera.y < PAD && readable) camera.y = PAD; // a drawing that is too large begins at its top
  const first = camera.x < PAD && readable ? firstCard() : undefined; // and, too wide, at its first step
  if (first)
    camera.x = Math.max(
      box.width - PAD - width * camera.scale,
      Math.min(PAD, box.width / 2 - (first.x + first.w / 2) * camera.scale),
    );
  aim(glide);
}

const firstCard = () =>
  [...Drawing.draw(state.view).cards.values()].find((card) => Cards.firstTime(card.key) && !card.outside);

// Zoom about a point of the window, else about its centre.
function zoom(factor, x, y) {
  const box = sheet.getBoundingClientRect();
  const [cx, cy] = [x === undefined ? box.width / 2 : x, y === undefined ? box.height / 2 : y];
  const scale = Math.min(LARGEST, Math.max(SMALLEST, camera.scale * factor));
  camera.x = cx - ((cx - camera.x) * scale) / camera.scale;
  camera.y = cy - ((cy - camera.y) * scale) / camera.scale;
  camera.scale = scale;
  aim(x === undefined);
}

// Move as little as possible, so that a card, its partners and some room around them are seen.
function reveal(key, partners = []) {
  const { cards } = Drawing.draw(state.view);
  const box = sheet.getBoundingClientRect();
  if (!cards.has(key) || !box.width) return;
  const edgesOf = (keys) => edgesInWindow(keys.map((one) => cards.get(one)).filter(Boolean));
  let [left, right, top, bottom] = edgesOf([key, ...partners]);
  const [side, room] = [36, Math.min(60, box.height / 8)];
  if (right - left > box.width - 2 * side || bottom - top > box.height - 2 * room)
    [left, right, top, bottom] = edgesOf([key]);
  let [dx, dy] = [0, 0];
  if (left < side) dx = side - left;
  else if (right > box.width - side) dx = box.width - side - right;
  if (top < room) dy = room - top;
  else if (bottom > box.height - room) dy = box.height - room - bottom;
  const isSeen = camera.y > 0 && Graph.views.get(state.view).size[1] * camera.scale < box.height; // all of it
  if (isSeen) dy = 0;
  if (dx || dy) {
    camera.x += dx;
    camera.y += dy;
    aim();
  }
}

// The edges of the smallest rectangle around some cards, in the window: left, right, top, bottom.
function edgesInWindow(cards) {
  const left = Math.min(...cards.map((card) => card.x)),
    right = Math.max(...cards.map((card) => card.x + card.w));
  const top = Math.min(...cards.map((card) => card.y)),
    bottom = Math.max(...cards.map((card) => card.y + card.h));
  const at = (v, offset) => v * camera.scale + offset;
  return [at(left, camera.x), at(right, camera.x), at(top, camera.y), at(bottom, camera.y)];
}

hear("reveal", ({ key, partners }) => reveal(key, partners));
hear("tab", () => {
  if (state.tab === "drawing" && Graph.hasDrawings && !cameras.has(state.view)) fit(false, true);
});

// On paper the drawing is there as a whole, whatever is seen of it in the window.
function printWhole(on) {
  const [width, height] = Graph.views.get(state.view).size || [1, 1];
  world.classList.remove("gliding");
  if (on) {
    sheet.setAttribute("viewBox", `-10 -10 ${width + 20} ${height + 20}`);
    world.style.transform = "none";
  } else {
    sheet.removeAttribute("viewBox");
    aim(false);
  }
}

// --- hands: a wheel zooms, one finger or the mouse moves, two fingers zoom ----------------------------

// Listen to the mouse and to fingers: they move and zoom the drawing. Called once, at the start.
function listenToHands() {
  sheet.addEventListener("wheel", onWheel, { passive: false });
  sheet.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    moved = 0;
  });
  addEventListener("pointermove", onMove);
  for (const end of ["pointerup", "pointercancel"])
    addEventListener(end, (event) => fingers.delete(event.pointerId));
  sheet.addEventListener("click", noClickAfterDrag, true);
}

const fingers = new Map(); // id of a pointer that is down -> where it is, [x, y] of the window
let moved = 0; // pixels since the last one came down
const STILL = 4; // pixels that a click may move

// A wheel zooms about the pointer, farther the more it turns.
function onWheel(event) {
  event.preventDefault();
  const strength = event.deltaMode ? 0.05 : 0.0016; // of a line, or of a pixel
  zoomAt([event.clientX, event.clientY], Math.exp(-event.deltaY * strength));
}

function zoomAt([x, y], factor) {
  const box = sheet.getBoundingClientRect();
  zoom(factor, x - box.left, y - box.top);
}

// Two fingers zoom about the one that stays. One finger, or the mouse, moves the drawing.
function onMove(event) {
  const before = fingers.get(event.pointerId);
  if (!before) return;
  const now = [event.clientX, event.clientY];
  const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
  if (fingers.size === 2) {
    const apart = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
    zoomAt(other, apart(now) / Math.max(1, apart(before)));
  } else {
    const [right, down] = [now[0] - before[0], now[1] - before[1]];
    camera.x += right;
    camera.y += down;
    moved += Math.abs(right) + Math.abs(down);
    if (moved > STILL) aim(false);
  }
  fingers.set(event.pointerId, now);
}

function noClickAfterDrag(event) {
  if (moved > STILL) event.stopPropagation();
}

export { fit, listenToHands, open, printWhole, resize, reveal, sheet, world, zoom };
