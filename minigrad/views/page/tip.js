// --- the small box beside the pointer -----------------------------------------------------------------

import { byId } from "./dom.js";

// Show a text beside the pointer. `free`: rectangles that it is not to cover, where there is room beside
// them.
function tip(text, event, free = []) {
  const box = byId("tip");
  box.textContent = text;
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  const [x, y] = [event.clientX, event.clientY];
  const pointer = { left: x - 2, right: x + 2, top: y - 2, bottom: y + 2 };
  const corners = cornersBeside(x, y, width, height, free.length > 0);
  const areas = corners.map((corner) => coveredArea(corner, width, height, [...free, pointer]));
  const [left, top] = corners[areas.indexOf(Math.min(...areas))];
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

// Where in the window the upper left corner of such a box can be: the usual place, then `more` around it.
function cornersBeside(x, y, width, height, more) {
  const inside = (v, size, all) => Math.max(4, Math.min(all - size - 8, v));
  const below = y + 18 + height > innerHeight ? y - height - 10 : y + 16;
  const corners = [[inside(x + 14, width, innerWidth), below]];
  if (more)
    for (let away = 10; away < 400; away += 15)
      for (const left of [x + away, x - width - away, x - width / 2])
        for (const top of [y - height / 2, y + away, y - height - away])
          corners.push([inside(left, width, innerWidth), inside(top, height, innerHeight)]);
  return corners;
}

// How much of some rectangles a box covers, in square pixels.
function coveredArea([left, top], width, height, rectangles) {
  return rectangles.reduce((sum, one) => {
    const wide = Math.min(one.right, left + width) - Math.max(one.left, left);
    const high = Math.min(one.bottom, top + height) - Math.max(one.top, top);
    return sum + Math.max(0, wide) * Math.max(0, high);
  }, 0);
}

// Take the small box away, when the pointer leaves what it was about.
function hideTip() {
  byId("tip").hidden = true;
}

export { hideTip, tip };
