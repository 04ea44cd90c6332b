// --- fields in which numbers are changed: typed, dragged, or stepped with the arrow keys -----------------------

function slotOf(n) { // of a node whose numbers can be changed
  const node = nodes.get(n);
  const slot = live && node.kind !== "operation" ? live.value[n] : undefined;
  return slot === undefined || live.pinned[slot] ? null : slot;
}

// Why an array cannot have a number: one of integers has whole numbers of a range, and no others.
function whyNot(slot, v) {
  const [dtype] = kindOf(slot);
  if (!"iu".includes(dtype[0])) return null;
  const high = dtype[1] === "8" ? 2 ** 53 : 2 ** (8 * dtype[1] - (dtype[0] === "i" ? 1 : 0)) - 1; // 64 bits: what a page has exactly
  const low = dtype[0] === "u" ? 0 : dtype[1] === "8" ? -high : -high - 1;
  return Number.isInteger(v) && low <= v && v <= high ? null : `It can only have whole numbers from ${low} to ${high}.`;
}

function setNumber(slot, place, v, name, gesture) {
  const why = whyNot(slot, v);
  if (why) return say(why);
  const numbers = engine().slots[slot].array.slice();
  const pick = live.picks[slot];
  numbers[place] = pick ? Math.max(0, Math.min(pick[0] - 1, v)) : v;
  if (Object.is(numbers[place], engine().slots[slot].array[place])) return;
  const symbols = pick && pick[1] !== null ? live.symbols[pick[1]] : null;
  const told = symbols ? symbols[numbers[place]] : written(numbers[place], 5, kindOf(slot)[0][0]);
  change(`${name} = ${told}`, new Map([[slot, numbers]]), gesture);
  keepFocus(render);
  say(`${name} is ${told}. ${lossText()}`);
}

function nameAt(n, place) {
  const index = indexOf({ shape: nodes.get(n).shape, steps: nodes.get(n).shape.map(() => 1) }, place);
  return `${nameOf(n)}${index.length ? `[${index.join(", ")}]` : ""}`;
}

// How far one step of an arrow key goes: a tenth of the number's power of ten.
function stepOf(v, whole) {
  return whole ? 1 : 10 ** (Math.floor(Math.log10(Math.max(Math.abs(v), 0.1))) - 1);
}

function stepped(v, step, times) { // no 0.30000000000000004
  if (!times || !Number.isFinite(v)) return v;
  const digits = Math.max(0, -Math.floor(Math.log10(step)) + 1);
  return Number((v + step * times).toFixed(Math.min(20, digits)));
}

let dragging = null; // {slot, place, name, from, x, step}
addEventListener("pointermove", (event) => {
  if (!dragging) return;
  const times = Math.trunc((event.clientX - dragging.x) / 6);
  if (!times && !dragging.moved) return;
  dragging.moved = true;
  document.body.classList.add("dragging");
  if (times === dragging.times) return;
  dragging.times = times;
  const v = stepped(dragging.from, dragging.step, times);
  if (!dragging.due) requestAnimationFrame(() => { if (dragging) { dragging.due = false; setNumber(dragging.slot, dragging.place, dragging.v, dragging.name, dragging.gesture); } });
  dragging.due = true; dragging.v = v;
});
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => {
  if (dragging && dragging.moved) { if (dragging.due) setNumber(dragging.slot, dragging.place, dragging.v, dragging.name, dragging.gesture); }
  dragging = null;
  document.body.classList.remove("dragging");
});
let gestures = 0;

function numberField(slot, place, name, v, kind) {
  const whole = kind !== "f";
  const field = `${slot}-${place}`;
  const was = other.has(slot) && !Object.is(first[slot][place], machine.slots[slot].array[place]) ? written(first[slot][place], 5, kind) : null;
  if (kind === "b") return make("button", {
    class: `cell-switch ${was ? "changed" : ""}`, role: "switch", "aria-checked": String(v === 1), "aria-label": name, "data-field": field,
    title: was ? `was ${was}` : "click to turn", onclick: () => setNumber(slot, place, 1 - v, name),
  }, v ? "True" : "False");
  const pick = live.picks[slot];
  const names = pick && pick[1] !== null ? live.symbols[pick[1]] : null;
  if (names) return make("select", { class: was ? "changed" : "", "aria-label": name, "data-field": field, title: was ? `was ${names[first[slot][place]]}` : null,
    onchange: (event) => setNumber(slot, place, Number(event.target.value), name) },
  names.map((symbol, i) => make("option", { value: i, selected: i === v }, symbol === " " ? "␣" : symbol)));
  const typed = (input) => {
    const text = input.value, shown = written(v, 5, kind);
    if (text.trim() === shown) return;
    input.value = shown; // until another number stands in its place
    const guess = numberIn(text);
    if (guess === null) say("That is no number.");
    else setNumber(slot, place, guess, name);
  };
  return make("input", {
    class: `number-field ${was ? "changed" : ""}`, type: "text", inputmode: "decimal", role: "spinbutton", autocomplete: "off", spellcheck: "false",
    "aria-label": name, "aria-valuenow": v, "aria-valuetext": `${written(v, 5, kind)}${was ? `, was ${was}` : ""}`, "data-field": field, value: written(v, 5, kind),
    title: `${was ? `was ${was}\n` : ""}type, drag sideways, or ↑ ↓`,
    onchange: (event) => typed(event.target),
    onkeydown: (event) => {
      const times = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (event.key === "Enter") { event.preventDefault(); typed(event.target); }
      if (event.key === "Escape") { event.target.value = written(v, 5, kind); event.target.blur(); }
      if (!times) return;
      event.preventDefault();
      const now = engine().slots[slot].array[place];
      setNumber(slot, place, stepped(now, stepOf(now, whole), times), name, `keys ${field}`);
    },
    ondragstart: (event) => event.preventDefault(), // the text is selected: it is not what is dragged
    onpointerdown: (event) => {
      if (event.button) return;
      const now = engine().slots[slot].array[place];
      dragging = { slot, place, name, from: now, x: event.clientX, step: stepOf(now, whole), times: 0, gesture: `drag ${++gestures}` };
    },
  });
}

// The numbers of a node as fields: all of a small one; of a large one the element that was chosen.
const FEW = 48;
const chosenPlace = new Map(); // node -> the element of it that is to be changed

function small(n) {
  const a = array(nodes.get(n).value), { columns, count } = tiles(a);
  return live.picks[live.value[n]] ? a.numbers.length <= 64 : a.numbers.length <= FEW && columns <= 6 && count === 1;
}

function fields(n) {
  const slot = slotOf(n), node = nodes.get(n), a = array(node.value);
  const kind = a.kind, { rows, columns } = tiles(a);
  const one = (place) => numberField(slot, place, nameAt(n, place), machine ? machine.slots[slot].array[place] : a.numbers[place], kind);
  if (small(n) && live.picks[slot]) return make("div", { class: "picks" }, [...a.numbers].map((_, place) => one(place)));
  if (small(n)) return make("div", { class: "scroll" },
    make("table", { class: "fields", "aria-label": `The numbers of ${nameOf(n)}` }, Array.from({ length: rows }, (_, r) =>
      make("tr", {}, Array.from({ length: columns }, (_, c) => make("td", {}, one(r * columns + c)))))));
  const place = chosenPlace.get(n);
  return make("p", { class: "chosen-number" }, place === undefined
    ? make("span", { class: "soft" }, a.kind === "b" ? "Click a cell to turn it; with Alt and the arrow keys, Enter turns it." : "Click a number in the picture to change it; with Alt and the arrow keys, Enter chooses it.")
    : [make("code", {}, `${nameAt(n, place)} = `), one(place)]);
}

function choosePlace(n, place) {
  const slot = slotOf(n);
  if (slot === null) return;
  chosenPlace.set(n, place);
  if (kindOf(slot)[0] === "b1") return setNumber(slot, place, 1 - engine().slots[slot].array[place], nameAt(n, place));
  render();
  const field = document.querySelector(`[data-field="${slot}-${place}"]`);
  if (field) { field.focus({ preventScroll: true }); field.select(); }
}

// What stands under the value of a node: its fields, or why it has none.
function editing(n) {
  const node = nodes.get(n);
  if (!live) return node.kind === "operation" ? null : make("p", { class: "soft" }, `No number of this page can be changed: ${data.live.frozen}.`);
  const fixed = whyFixed(n);
  const why = fixed ? make("p", { class: "state fixed" }, make("span", { class: "badge" }, "fixed"), ` ${fixed}`) : madeText(n) ? make("p", { class: "soft" }, madeText(n)) : null;
  if (node.kind === "operation") return [why, constants(n)];
  const pinned = live.pinned[live.value[n]];
  if (pinned) return make("p", { class: "state fixed" }, make("span", { class: "badge" }, "fixed"), ` No number of it can be changed: ${pinned}.`);
  return make("div", { class: "editing" }, why, small(n) ? howTo(node, live.value[n]) : fields(n));
}

function howTo(node, slot) {
  const text = node.type === "bool" ? "A click turns each of them." : live.picks[slot] && live.picks[slot][1] !== null ? "Each can be another symbol." : "Each number can be changed: type, drag sideways, or press ↑ ↓.";
  return make("p", { class: "soft" }, text);
}

// The value of a node: where its numbers are few and can be changed, as fields.
function valueOf(n) {
  const node = nodes.get(n), slot = slotOf(n);
  if (slot === null) return heat(node.value, nameOf(n), { letters: node.letters });
  if (!small(n)) return heat(node.value, nameOf(n), { letters: node.letters, pick: (place) => choosePlace(n, place) });
  return make("figure", { class: "heat" }, make("figcaption", {}, make("code", {}, nameOf(n)), node.shape.length ? shapeOf(node.shape, node.letters) : null), fields(n));
}

function constants(n) { // the Python numbers of an operation's line
  const found = Object.entries(live.numbers[n] || {}).filter(([, slot]) => !live.pinned[slot]);
  if (!found.length) return null;
  const made = nodes.get(n).made;
  return make("div", { class: "editing" }, make("h3", {}, found.length > 1 ? "Its constants" : "Its constant"),
    make("p", {}, found.map(([position, slot]) => {
      const v = engine().slots[slot].array[0];
      return make("label", {}, make("code", {}, `argument ${Number(position) + 1} of ${made} = `), numberField(slot, 0, `constant of ${made}`, v, "f"));
    })));
}

// The numbers that a reader would change first: small inputs and parameters.
function invitation() {
  if (!live) return make("p", { class: "soft" }, `The numbers of this page cannot be changed: ${data.live.frozen}.`);
  const leaves = data.nodes.filter((node) => node.label && slotOf(node.n) !== null && node.shape.reduce((a, b) => a * b, 1) > 0);
  const size = (node) => node.shape.reduce((a, b) => a * b, 1);
  const symbols = (node) => (live.picks[live.value[node.n]] || [])[1] !== undefined && live.picks[live.value[node.n]][1] !== null;
  leaves.sort((a, b) => symbols(b) - symbols(a)); // what a model reads comes before its weights
  const few = leaves.filter((node) => size(node) <= 12 || (symbols(node) && small(node.n))).slice(0, 6);
  const larger = leaves.filter((node) => !few.includes(node)).slice(0, 8);
  if (!leaves.length) return null;
  return [make("h3", {}, "Change a number"),
    make("p", { class: "soft" }, "Type, drag sideways, or press ↑ ↓: all that follows is computed again, here in the page, forward and backward."),
    few.map((node) => make("div", { class: "change-one" }, link(node.n), fields(node.n))),
    larger.length ? make("p", {}, few.length ? "Also: " : "", larger.flatMap((node, i) => [i ? ", " : "", link(node.n, breakable(fullName(node.n)))])) : null];
}

document.addEventListener("keydown", (event) => {
  if (!live || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  if (event.target.type === "text" && event.target.value !== event.target.getAttribute("value")) return; // what is being typed
  event.preventDefault();
  (key === "y" || event.shiftKey ? redo : undo)();
});

// --- a cell of an attention map, in the mask -------------------------------------------------------------------

function maskIsOff(mask) { // what uses it was switched off
  return live !== null && live.switches.some(([, , places]) => places.some(([n, , gate]) => !isOn(gate) && into.get(n).some((edge) => edge.source === mask)));
}

function turnMask(found, head, row, column) {
  const slot = found.mask === null ? null : slotOf(found.mask);
  if (slot === null) return;
  const { shape } = nodes.get(found.mask);
  const place = ravel(cellIndex(found, shape, head, row, column), shape);
  setNumber(slot, place, 1 - engine().slots[slot].array[place], nameAt(found.mask, place));
}

function maskSwitch(found, head, row, column) {
  if (!live || found.mask === null || slotOf(found.mask) === null) return null;
  const { shape } = nodes.get(found.mask);
  const place = ravel(cellIndex(found, shape, head, row, column), shape);
  const [rows, columns] = shape.slice(-2), heads = shape.slice(0, -2).reduce((a, b) => a * b, 1);
  const all = [heads === 1 ? "heads" : null, rows === 1 ? "queries" : null, columns === 1 ? "keys" : null].filter(Boolean);
  return make("p", {}, make("label", {}, "in the mask ", numberField(slotOf(found.mask), place, nameAt(found.mask, place), array(nodes.get(found.mask).value).numbers[place], "b")),
    all.length ? make("span", { class: "soft" }, ` for all ${all.join(" and ")}`) : null);
}

function tokensNow(tokens) { // the symbols of an axis, where the ids that they stood for were changed
  if (!other.size) return tokens;
  for (const [slot, [, path]] of Object.entries(live.picks)) {
    const names = path === null ? null : live.symbols[path], ids = first[slot];
    if (names && ids.length === tokens.length && other.has(Number(slot)) && tokens.every((token, i) => token === names[ids[i]])) return Array.from(machine.slots[slot].array, (id) => names[id]);
  }
  return tokens;
}

function computingTabs() { // further parts of the panel, where the page computes
  if (!live) return {};
  return { ...(learners().length && !nodes.get(data.roots[0]).shape.length ? { learn: "Learn" } : {}), ...(live.switches.length ? { whatif: "What if" } : {}) };
}
