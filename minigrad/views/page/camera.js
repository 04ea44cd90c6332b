// --- the camera: what of a drawing is seen, and how large ---------------------------------------------------

import { byId, hear, state } from "./base.js";
import * as Graph from "./graph.js";
import * as Cards from "./cards.js";
import * as Drawing from "./drawing.js";

const sheet = byId("sheet"),
  world = byId("world");
const camera = { x: 0, y: 0, scale: 1 };
const cameras = new Map(); // where the reader left each drawing

function aim(glide = true) {
  world.classList.toggle("gliding", glide);
  world.style.transform = `translate(${camera.x}px, ${camera.y}px) scale(${camera.scale})`;
  cameras.set(state.view, { ...camera });
}

const LEGIBLE = 0.58; // at least this large, the letters of cards can be read
// All of it; or, when a drawing is first seen (`readable`), no smaller than can be read.
function fit(glide = true, readable = false) {
  const [width, height] = Graph.views.get(state.view).size || [1, 1];
  const box = sheet.getBoundingClientRect();
  if (!box.width || sheet.hasAttribute("viewBox")) return; // on paper it is whole anyway
  const pad = 20;
  const wide = (box.width - 2 * pad) / width;
  const all = Math.min(wide, (box.height - 2 * pad) / height, 1.2);
  camera.scale = !readable || all >= LEGIBLE ? all : wide >= LEGIBLE ? Math.min(1, wide) : 0.86;
  camera.x = (box.width - width * camera.scale) / 2;
  camera.y = (box.height - height * camera.scale) / 2;
  if (camera.y < pad && readable) camera.y = pad; // what is too large to be read whole begins at its top
  if (camera.x < pad && readable) {
    // and, if it is too wide for that, with the first step in the middle
    const first = [...Drawing.draw(state.view).cards.values()].find(
      (card) => Cards.firstTime(card.key) && !card.outside,
    );
    if (first)
      camera.x = Math.max(
        box.width - pad - width * camera.scale,
        Math.min(pad, box.width / 2 - (first.x + first.w / 2) * camera.scale),
      );
  }
  aim(glide);
}

// Zoom about a point of the window, else about its centre.
function zoom(factor, x, y) {
  const box = sheet.getBoundingClientRect();
  const [cx, cy] = [x === undefined ? box.width / 2 : x, y === undefined ? box.height / 2 : y];
  const scale = Math.min(4, Math.max(0.08, camera.scale * factor));
  camera.x = cx - ((cx - camera.x) * scale) / camera.scale;
  camera.y = cy - ((cy - camera.y) * scale) / camera.scale;
  camera.scale = scale;
  aim(x === undefined);
}

// Move as little as it takes to see a card, those that it gives to or takes from, and some room around.
function reveal(key, partners = []) {
  const { cards } = Drawing.draw(state.view);
  const box = sheet.getBoundingClientRect();
  if (!cards.has(key) || !box.width) return;
  const around = (keys) => {
    const some = keys.map((k) => cards.get(k)).filter(Boolean);
    const left = Math.min(...some.map((c) => c.x)),
      right = Math.max(...some.map((c) => c.x + c.w));
    const top = Math.min(...some.map((c) => c.y)),
      bottom = Math.max(...some.map((c) => c.y + c.h));
    const at = (v, offset) => v * camera.scale + offset;
    return [at(left, camera.x), at(right, camera.x), at(top, camera.y), at(bottom, camera.y)];
  };
  let [left, right, top, bottom] = around([key, ...partners]);
  const [side, room] = [36, Math.min(60, box.height / 8)];
  if (right - left > box.width - 2 * side || bottom - top > box.height - 2 * room)
    [left, right, top, bottom] = around([key]);
  let [dx, dy] = [0, 0];
  if (left < side) dx = side - left;
  else if (right > box.width - side) dx = box.width - side - right;
  if (top < room) dy = room - top;
  else if (bottom > box.height - room) dy = box.height - room - bottom;
  if (Graph.views.get(state.view).size[1] * camera.scale < box.height && camera.y > 0) dy = 0; // all of it is seen
  if (dx || dy) {
    camera.x += dx;
    camera.y += dy;
    aim();
  }
}

hear("reveal", ({ key, partners }) => reveal(key, partners));
hear("stage", () => {
  if (state.stage === "drawing" && Graph.hasDrawings && !cameras.has(state.view)) fit(false, true);
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

function listenToHands() {
  sheet.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const box = sheet.getBoundingClientRect();
      zoom(
        Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)),
        event.clientX - box.left,
        event.clientY - box.top,
      );
    },
    { passive: false },
  );
  const fingers = new Map();
  let moved = 0;
  sheet.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    moved = 0;
  });
  addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
    if (fingers.size === 2) {
      const [other] = [...fingers.entries()].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      const box = sheet.getBoundingClientRect();
      zoom(
        apart([event.clientX, event.clientY]) / Math.max(1, apart(before)),
        other[0] - box.left,
        other[1] - box.top,
      );
    } else {
      camera.x += dx;
      camera.y += dy;
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved > 4) aim(false);
    }
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  for (const end of ["pointerup", "pointercancel"])
    addEventListener(end, (event) => fingers.delete(event.pointerId));
  sheet.addEventListener(
    "click",
    (event) => {
      if (moved > 4) event.stopPropagation();
    },
    true,
  ); // a drag is no click
}

export { aim, camera, cameras, fit, listenToHands, printWhole, reveal, sheet, world, zoom };
