// --- the drawing: made once for each box, then only marked -----------------------------------------------

const sheet = byId("sheet"), world = byId("world");
const hasDrawings = data.views.every((view) => view.size);
const drawn = new Map(); // view -> {group, cards: key -> parts, arrows}
const camera = { x: 0, y: 0, scale: 1 };
const cameras = new Map(); // where the reader left each drawing

function markers() {
  const kinds = { plain: "--operation-line", constant: "--data-line", forward: "--forward", backward: "--backward" };
  const tips = Object.entries(kinds).map(([kind, name]) =>
    make("marker", { id: `tip-${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: kind === "backward" || kind === "forward" ? 9 : 7, markerHeight: kind === "backward" || kind === "forward" ? 9 : 7, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" },
      make("path", { d: "M0 0.6L8 4L0 7.4Z", style: `fill: var(${name})` })));
  const hatch = make("pattern", { id: "freed", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    make("line", { x1: 0, y1: 0, x2: 0, y2: 5, style: "stroke: var(--faint); stroke-width: 1.5" }));
  sheet.prepend(make("defs", {}, tips, hatch));
}

function draw(name) {
  if (!drawn.has(name)) drawn.set(name, drawnOnce(views.get(name)));
  return drawn.get(name);
}

function drawnOnce(view) {
  const frames = view.frames.map(([key, title, kind, x, y, w, h]) =>
    make("g", { class: `frame ${kind}` },
      make("rect", { x, y, width: w, height: h, rx: 8 }),
      make("text", { x: x + 9, y: y + 15, tabindex: -1, role: "button", "aria-label": `Open ${title}`, "data-view": key, onclick: () => show(key) }, title)));
  const arrows = view.arrows.map(([from, to, edge, path]) => {
    const group = make("g", { class: "arrow" }, make("path", { d: path }));
    return { from, to, edge, group, edges: edge === null || edge === undefined ? edgesBetween(view, from, to) : [edges[edge]] };
  });
  for (const arrow of arrows) arrow.constant = !arrow.edges.some((edge) => edge.differentiable);
  const cards = new Map();
  const order = [...view.cards].sort((a, b) => firstTime(a[0]) - firstTime(b[0]));
  for (const card of order) cards.set(card[0], cardOf(view, card));
  const group = make("g", {}, frames, arrows.map((arrow) => arrow.group), [...cards.values()].map((card) => card.group));
  const first = cards.values().next().value;
  if (first) first.group.setAttribute("tabindex", 0);
  return { group, cards, arrows, view };
}

function edgesBetween(view, from, to) { // all those that an arrow from or to a box stands for
  if (!view.between) {
    view.between = new Map();
    for (const edge of edges) {
      const ends = `${placeIn(view.name, edge.source)} ${placeIn(view.name, edge.target)}`;
      if (!view.between.has(ends)) view.between.set(ends, []);
      view.between.get(ends).push(edge);
    }
  }
  return view.between.get(`${from} ${to}`) || [];
}

const inside = new Map(); // the name of a view -> the nodes in it
for (const node of data.nodes)
  for (const name of home.has(node.n) ? trail(home.get(node.n)) : []) {
    if (!inside.has(name)) inside.set(name, []);
    inside.get(name).push(node.n);
  }

function membersOf(key) { // the nodes that a card stands for
  return typeof key === "number" ? [key] : inside.get(key) || [];
}

const timesOf = new Map(); // a card's key -> when its nodes are computed, and when they hand on
function times(key) {
  if (!timesOf.has(key)) {
    const all = (when) => membersOf(key).map((n) => when.get(n)).filter(Boolean).sort((a, b) => a - b);
    timesOf.set(key, { forward: all(computedAt), back: all(handedOnAt), free: membersOf(key).some((n) => computedAt.get(n) === 0) });
  }
  return timesOf.get(key);
}

function firstTime(key) {
  return times(key).forward[0] || 0;
}

function cardOf(view, [key, x, y, w, h]) {
  const number = typeof key === "number";
  const node = number ? nodes.get(key) : null;
  const outside = number && borrowed.get(view.name).has(key);
  const group = make("g", { class: "card", transform: `translate(${x} ${y})`, tabindex: -1, role: "button", "data-key": key });
  const parts = { key, group, w, h, x, y, outside };
  group.append(make("rect", { class: "halo", x: -5, y: -5, width: w + 10, height: h + 10, rx: 11 }));
  if (outside) {
    group.classList.add("outside");
    group.append(make("rect", { class: "face", width: w, height: h, rx: h / 2 }), make("text", { class: "shape", x: w / 2, y: h / 2 + 4, "text-anchor": "middle" }, nameOf(key)));
  } else if (number) {
    group.classList.add(view.results.includes(key) && node.kind === "operation" && data.roots.includes(key) ? "result" : node.kind);
    const sharp = node.kind !== "operation";
    group.append(make("rect", { class: "face", width: w, height: h, rx: sharp ? 3 : 9 }));
    group.append(headText(node, w));
    const shape = node.shape.length ? shapeText(node.shape) : "a number";
    const letters = node.letters.filter(Boolean).length ? node.letters.map((letter) => letter || "·").join(" ") : "";
    group.append(make("text", { class: "shape", x: 9, y: 36 }, shape, letters ? make("tspan", { class: "letters", dx: 6 }, letters) : null));
    group.append(make("text", { class: "shape", x: w - 7, y: 36, "text-anchor": "end" }, `#${key}`));
    parts.shows = key;
  } else {
    const closed = view.closed[key];
    group.classList.add(closed.kind);
    group.append(make("rect", { class: "sheet", x: 4, y: 4, width: w, height: h, rx: 9 }), make("rect", { class: "face", width: w, height: h, rx: 9 }));
    group.append(make("text", { class: "title", x: 10, y: 19 }, closed.lines[0]));
    group.append(make("text", { class: "kind", x: 10, y: 36 }, closed.lines[1] || plural(closed.operations, "operation")));
    parts.progress = make("rect", { class: "progress forward", x: 6, y: h - 5, width: 0, height: 2.4, rx: 1.2 });
    group.append(make("rect", { class: "progress", x: 6, y: h - 5, width: w - 12, height: 2.4, rx: 1.2 }), parts.progress);
    parts.shows = closed.gives.length ? closed.gives[closed.gives.length - 1] : null;
    parts.closed = closed;
  }
  parts.slots = make("g", {});
  group.append(parts.slots);
  group.addEventListener("click", () => activate(view, key));
  group.addEventListener("pointerenter", (event) => { light(membersOf(key)); tip(tipText(view, key, outside), event); });
  group.addEventListener("pointerleave", () => { light([]); hideTip(); });
  return parts;
}

function headText(node, width) {
  const text = make("text", { x: 9, y: 19 });
  const cut = node.head.indexOf(" = ");
  if (node.kind === "operation" && node.label && cut > 0)
    text.append(make("tspan", { class: "name" }, node.head.slice(0, cut)), make("tspan", {}, node.head.slice(cut)));
  else text.append(make("tspan", { class: node.kind === "operation" ? "" : "name" }, node.head));
  return text;
}

function tipText(view, key, outside) {
  if (typeof key !== "number") {
    const closed = view.closed[key];
    return `${closed.lines.join(": ")}\n${plural(closed.operations, "operation")}${closed.learned ? `, ${plural(closed.learned, "learned number")}` : ""}\nclick to open`;
  }
  const node = nodes.get(key);
  const computed = !state.time || computedAt.get(key) <= state.time;
  const found = gradientNow(key);
  return [
    `#${key} ${node.label ? `${node.label}${node.made ? " = " : ""}` : ""}${node.made}`, `${shapeText(node.shape, node.letters)} ${node.type}`,
    `value ${computed ? brief(node.value, 12) : "not computed yet"}`, `gradient ${found.sum !== null && found.state !== "zero" ? brief(found.sum, 12) : stateText(found)}`,
    outside ? "from outside this box" : "",
  ].filter(Boolean).join("\n") + changedText(key);
}

function activate(view, key) {
  if (typeof key === "number") choose(key);
  else show(key);
}

// The small pictures of value and gradient on a card, as they are at this time.
function fillSlots(card) {
  if (card.outside) return;
  const y = card.closed ? 44 : 43, height = card.h - y - (card.closed ? 11 : 7);
  const n = card.shows;
  const node = n === null || n === undefined ? null : nodes.get(n);
  if (!node) return fill(card.slots);
  const found = gradientNow(n);
  const computed = !state.time || computedAt.get(n) <= state.time;
  const stamp = `${computed} ${node.value} ${found.state} ${found.sum} ${found.arrived}`;
  if (card.stamp === stamp) return;
  card.stamp = stamp;
  const both = found.state !== "needs none";
  const width = both ? (card.w - 24) / 2 : card.w - 18;
  const parts = computed ? slot(9, y, width, height, node.value, "value") : [make("rect", { class: "slot later", x: 9, y, width, height, rx: 2 })];
  if (both) {
    const x = 15 + width;
    const kind = found.state.replace(" ", "-");
    if (found.sum !== null && found.state !== "zero") parts.push(...slot(x, y, width, height, found.sum, "gradient", kind));
    else parts.push(make("rect", { class: `slot ${kind}`, x, y, width, height, rx: 2 }));
    const words = { zero: "0", hidden: "?", "not computed": "", later: "", freed: "" }[found.state];
    if (words) parts.push(make("text", { class: `slot-text ${kind}`, x: x + width / 2, y: y + height - 4 }, words));
    if (found.state === "arriving") parts.push(make("text", { class: "slot-text", x: x + width - 10, y: y - 3 }, `${found.arrived}/${found.of}`));
  }
  fill(card.slots, parts);
}

const WRITTEN_OUT = 6, IN_A_ROW = 3; // as in views.py
function cellsOf(shape) { // the rows and columns in which a card writes an array's numbers
  const n = size(shape);
  const columns = shape.length > 1 && shape[shape.length - 1] <= IN_A_ROW ? shape[shape.length - 1] : Math.min(n, IN_A_ROW);
  return [Math.ceil(n / columns), columns];
}

function slot(x, y, width, height, id, palette, kind = "") {
  const a = array(id);
  const parts = [make("rect", { class: `slot ${kind}`, x, y, width, height, rx: 2 })];
  if (!a || !a.numbers.length) parts.push(make("text", { class: "slot-text", x: x + width / 2, y: y + height - 4 }, a ? "empty" : "not kept"));
  else if (a.numbers.length <= WRITTEN_OUT) {
    const [rows, columns] = cellsOf(a.full);
    const [w, h] = [width / columns, height / rows], tone = tones(palette);
    a.numbers.forEach((v, k) => {
      const [left, top] = [x + (k % columns) * w, y + Math.floor(k / columns) * h];
      const [red, green, blue, alpha] = tint(v, a.largest, tone);
      if (a.numbers.length > 1) parts.push(make("rect", { x: left, y: top, width: w, height: h, fill: `rgba(${red}, ${green}, ${blue}, ${((alpha * 0.5) / 255).toFixed(3)})` }));
      parts.push(make("text", { class: `figure ${palette} ${a.numbers.length > 1 ? "tinted" : ""}`, x: left + w / 2, y: top + h / 2 + 4.2, "text-anchor": "middle" }, fitted(v, a, w)));
    });
  } else parts.push(make("image", { x: x + 1, y: y + 1, width: Math.max(1, width - 2), height: height - 2, preserveAspectRatio: "none", href: thumb(id, palette) }));
  return parts;
}

function fitted(v, a, width) { // as many digits as there is room for
  for (let digits = a.digits; digits > 1; digits--) {
    const text = written(v, digits, a.kind);
    if (text.length * 7 < width - 2) return text;
  }
  return written(v, 1, a.kind);
}

// How the drawing looks at this time: what is done, what is happening, what is to come.
function mark() {
  const { cards, arrows, view } = draw(state.view);
  const event = current();
  const here = event ? placeIn(view.name, event.n) : null;
  const flows = new Set(event ? into.get(event.n).filter((edge) => !event.back || (edge.differentiable && edge.contribution !== null)) : []);
  const partners = new Set([...flows].map((edge) => placeIn(view.name, edge.source)));
  for (const card of cards.values()) {
    const when = times(card.key);
    const done = when.forward.length ? when.forward[0] <= state.time : when.free;
    const list = card.group.classList;
    const active = event !== null && card.key === here && !(card.outside && event.n !== card.key);
    list.toggle("todo", event !== null && !event.back && !active && !done);
    list.toggle("now", active);
    list.toggle("backward", active && event.back);
    list.toggle("taking", event !== null && event.back && !active && partners.has(card.key));
    list.toggle("giving", event !== null && !event.back && !active && partners.has(card.key));
    list.toggle("changed", membersOf(card.key).some(isChanged));
    list.toggle("fixed", live !== null && other.size > 0 && whyFixed(card.key) !== null);
    list.toggle("chosen", state.chosen !== null && card.key === state.chosen);
    if (card.progress) {
      const steps = state.time > FORWARD ? when.back : when.forward;
      const taken = steps.filter((time) => time <= state.time).length;
      card.progress.setAttribute("width", state.time && steps.length ? ((card.w - 12) * taken) / steps.length : 0);
      card.progress.setAttribute("class", `progress ${state.time > FORWARD ? "backward" : "forward"}`);
    }
    fillSlots(card);
    card.group.setAttribute("aria-label", spoken(view, card));
    if (active) card.group.setAttribute("aria-current", "step");
    else card.group.removeAttribute("aria-current");
  }
  for (const arrow of arrows) {
    const list = arrow.group.classList;
    const flowing = arrow.edges.some((edge) => flows.has(edge));
    list.toggle("constant", arrow.constant);
    list.toggle("flow", flowing && !event.back);
    list.toggle("return", flowing && event !== null && event.back && !arrow.constant);
    const back = arrow.edges.some((edge) => edge.differentiable && edge.contribution !== null && (handedOnAt.get(edge.target) || Infinity) < (state.time || 0));
    list.toggle("returned", back && !flowing);
    labelArrow(arrow, back || (flowing && event.back));
    list.toggle("todo", event !== null && !event.back && !flowing && arrow.edges.every((edge) => computedAt.get(edge.target) > state.time));
  }
}

// A gradient that is one number is written at its arrow, so that sums can be followed.
function labelArrow(arrow, on) {
  const [edge] = arrow.edges;
  const a = on && arrow.edges.length === 1 && edge.contribution !== null && !isHidden(edge) ? array(edge.contribution) : null;
  if (!a || a.numbers.length !== 1) { if (arrow.label) arrow.label.remove(); arrow.label = null; return; }
  if (arrow.label) return;
  const path = arrow.group.firstChild;
  const { x, y } = path.getPointAtLength(path.getTotalLength() / 2);
  arrow.label = make("text", { x, y: y + 3.5 }, written(a.numbers[0], a.digits));
  arrow.group.append(arrow.label);
}

function pathOf(name) { // of the box that a drawing shows: what tells it from others of its name
  const { box } = views.get(name) || { box: null };
  return box === null ? "" : data.boxes[box][0];
}

function spoken(view, card) {
  if (typeof card.key !== "number") return `${[pathOf(card.key) || card.closed.lines[0], ...card.closed.lines.slice(1)].join(", ")}: box of ${plural(card.closed.operations, "operation")}; Enter opens it`;
  const node = nodes.get(card.key);
  const value = state.time && computedAt.get(card.key) > state.time ? "not computed yet" : brief(node.value);
  return `${card.outside ? "from outside: " : ""}${fullName(card.key)}${node.label.includes(".") ? "" : `, #${node.n}`}, shape ${shapeText(node.shape, node.letters)}, value ${value}, gradient ${stateText(gradientNow(card.key))}${isChanged(card.key) ? ", changed" : ""}${whyFixed(card.key) ? ", fixed" : ""}`;
}

// --- the camera ------------------------------------------------------------------------------------------

function aim(glide = true) {
  world.classList.toggle("gliding", glide);
  world.style.transform = `translate(${camera.x}px, ${camera.y}px) scale(${camera.scale})`;
  cameras.set(state.view, { ...camera });
}

// All of it; or, when a drawing is first seen (`readable`), no smaller than can be read.
function fit(glide = true, readable = false) {
  const [width, height] = views.get(state.view).size || [1, 1];
  const box = sheet.getBoundingClientRect();
  if (!box.width || sheet.hasAttribute("viewBox")) return; // on paper it is whole anyway
  const pad = 20;
  const all = Math.min((box.width - 2 * pad) / width, (box.height - 2 * pad) / height, 1.2);
  camera.scale = readable ? Math.max(all, Math.min(1, Math.max(0.86, (box.width - 2 * pad) / width))) : all;
  camera.x = (box.width - width * camera.scale) / 2;
  camera.y = (box.height - height * camera.scale) / 2;
  if (camera.y < pad && readable) camera.y = pad; // what is too large to be read whole begins at its top
  if (camera.x < pad && readable) { // and, if it is too wide for that, with the first step in the middle
    const first = [...draw(state.view).cards.values()].find((card) => firstTime(card.key) && !card.outside);
    if (first) camera.x = Math.max(box.width - pad - width * camera.scale, Math.min(pad, box.width / 2 - (first.x + first.w / 2) * camera.scale));
  }
  aim(glide);
}

function zoom(factor, x, y) { // about a point of the window, else about its centre
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
  const { cards } = draw(state.view);
  const box = sheet.getBoundingClientRect();
  if (!cards.has(key) || !box.width) return;
  const around = (keys) => {
    const some = keys.map((k) => cards.get(k)).filter(Boolean);
    const left = Math.min(...some.map((c) => c.x)), right = Math.max(...some.map((c) => c.x + c.w));
    const top = Math.min(...some.map((c) => c.y)), bottom = Math.max(...some.map((c) => c.y + c.h));
    const at = (v, offset) => v * camera.scale + offset;
    return [at(left, camera.x), at(right, camera.x), at(top, camera.y), at(bottom, camera.y)];
  };
  let [left, right, top, bottom] = around([key, ...partners]);
  const [side, room] = [36, Math.min(60, box.height / 8)];
  if (right - left > box.width - 2 * side || bottom - top > box.height - 2 * room) [left, right, top, bottom] = around([key]);
  let [dx, dy] = [0, 0];
  if (left < side) dx = side - left; else if (right > box.width - side) dx = box.width - side - right;
  if (top < room) dy = room - top; else if (bottom > box.height - room) dy = box.height - room - bottom;
  if (views.get(state.view).size[1] * camera.scale < box.height && camera.y > 0) dy = 0; // all of it is seen
  if (dx || dy) { camera.x += dx; camera.y += dy; aim(); }
}

// On paper the drawing is there as a whole, whatever is seen of it in the window.
function printWhole(on) {
  const [width, height] = views.get(state.view).size || [1, 1];
  world.classList.remove("gliding");
  if (on) { sheet.setAttribute("viewBox", `-10 -10 ${width + 20} ${height + 20}`); world.style.transform = "none"; }
  else { sheet.removeAttribute("viewBox"); aim(false); }
}

function listenToHands() {
  sheet.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = sheet.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
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
      zoom(apart([event.clientX, event.clientY]) / Math.max(1, apart(before)), other[0] - box.left, other[1] - box.top);
    } else {
      camera.x += dx; camera.y += dy; moved += Math.abs(dx) + Math.abs(dy);
      if (moved > 4) aim(false);
    }
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (event) => fingers.delete(event.pointerId));
  sheet.addEventListener("click", (event) => { if (moved > 4) event.stopPropagation(); }, true); // a drag is no click
}
