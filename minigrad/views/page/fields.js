// --- fields in which numbers are changed: typed, dragged, or stepped with the arrow keys --------------

import { filled, WORDS } from "./words.js";
import { SPACE } from "./symbols.js";
import { keepFocus, make, say } from "./dom.js";
import { render } from "./events.js";
import * as Shapes from "./shapes.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Changes from "./changes.js";

// The slot of a node whose numbers can be changed; null for another node.
function slotOf(n) {
  const node = Graph.nodes.get(n);
  const slot = Live.tape && node.kind !== "operation" ? Live.tape.value[n] : undefined;
  return slot === undefined || Live.tape.pinned[slot] ? null : slot;
}

// The reason why an array cannot have a number; null if it can. Integers are whole, and have a range.
function whyNot(slot, v) {
  const [kind, bytes] = Live.kindOf(slot).dtype;
  if (kind !== "i" && kind !== "u") return null;
  const isLong = bytes === "8"; // of 64 bits a page has those up to 2 ** 53 exactly
  const high = isLong ? 2 ** 53 : 2 ** (8 * bytes - (kind === "i" ? 1 : 0)) - 1;
  const low = kind === "u" ? 0 : isLong ? -high : -high - 1;
  return Number.isInteger(v) && low <= v && v <= high ? null : filled(WORDS.wholeNumbers, { low, high });
}

// The symbols that the integers of a slot choose from, or null.
function symbolsOf(slot) {
  const path = Live.tape.picks[slot]?.vocabulary ?? null;
  return path === null ? null : Live.tape.vocabularies[path];
}

// Give one element a new number, if its array can have it, and say what the loss becomes. `place` is its place
// in the flat array, `name` its name, and `gesture` is as in `Changes.change`.
function setNumber(slot, place, v, name, gesture) {
  const why = whyNot(slot, v);
  if (why) return say(why);
  const numbers = Live.arrayOf(slot).slice();
  const pick = Live.tape.picks[slot];
  numbers[place] = pick ? Math.max(0, Math.min(pick.size - 1, v)) : v;
  if (Object.is(numbers[place], Live.arrayOf(slot)[place])) return;
  const text =
    symbolsOf(slot)?.[numbers[place]] ?? Arrays.written(numbers[place], 5, Live.kindOf(slot).dtype[0]);
  Changes.change(`${name} = ${text}`, new Map([[slot, numbers]]), gesture);
  keepFocus(render);
  say(filled(WORDS.becameNow, { name, value: text, loss: Live.lossText() }));
}

// The name of an element of a node, such as "w[0, 1]".
function nameAt(n, place) {
  const index = Shapes.unravel(place, Graph.nodes.get(n).shape);
  return `${Graph.nameOf(n)}${index.length ? `[${index.join(", ")}]` : ""}`;
}

// How far one step of an arrow key goes: a tenth of the number's power of ten.
function stepOf(v, whole) {
  return whole ? 1 : 10 ** (Math.floor(Math.log10(Math.max(Math.abs(v), 0.1))) - 1);
}

// A number some steps further, without a 0.30000000000000004.
function stepped(v, step, times) {
  if (!times || !Number.isFinite(v)) return v;
  const digits = Math.max(0, -Math.floor(Math.log10(step)) + 1);
  return Number((v + step * times).toFixed(Math.min(20, digits)));
}

// --- dragging a field sideways: each few pixels are a step --------------------------------------------

const PIXELS = 6; // of a step
let dragging = null; // the number that is dragged, where that began, and how far it is now
let gestures = 0;

// `one`: the number of a field, as `textField` tells it.
function beginDrag(event, one) {
  if (event.button) return;
  const from = Live.arrayOf(one.slot)[one.place];
  const step = stepOf(from, one.whole);
  dragging = { ...one, from, step, x: event.clientX, times: 0, gesture: `drag ${++gestures}` };
}

function setDragged() {
  dragging.due = false;
  setNumber(dragging.slot, dragging.place, dragging.v, dragging.name, dragging.gesture);
}

// The number follows the pointer, at most once in each frame that the browser draws.
addEventListener("pointermove", (event) => {
  if (!dragging) return;
  const times = Math.trunc((event.clientX - dragging.x) / PIXELS);
  if (!times && !dragging.moved) return;
  dragging.moved = true;
  document.body.classList.add("dragging");
  if (times === dragging.times) return;
  dragging.times = times;
  dragging.v = stepped(dragging.from, dragging.step, times);
  if (!dragging.due)
    requestAnimationFrame(() => {
      if (dragging) setDragged();
    });
  dragging.due = true;
});
for (const end of ["pointerup", "pointercancel"])
  addEventListener(end, () => {
    if (dragging?.due) setDragged();
    dragging = null;
    document.body.classList.remove("dragging");
  });

// --- the fields ---------------------------------------------------------------------------------------

// The field for the number `v` of an element: a switch, a choice of symbols, or text. `name` is the name of
// the element, `kind` the letter of its dtype.
function numberField(slot, place, name, v, kind) {
  const isChanged =
    Live.changedSlots.has(slot) && !Object.is(Live.firstOf(slot)[place], Live.arrayOf(slot)[place]);
  const was = isChanged ? Arrays.written(Live.firstOf(slot)[place], 5, kind) : null;
  if (kind === "b") return switchField(slot, place, name, v, was);
  return symbolsOf(slot)
    ? choiceField(slot, place, name, v, isChanged)
    : textField(slot, place, name, v, kind, was);
}

// The name by which `keepFocus` finds a field again, after the panel was made anew.
const fieldOf = (slot, place) => `${slot}-${place}`;

// True or False: a click turns it.
function switchField(slot, place, name, v, was) {
  return make(
    "button",
    {
      class: `cell-switch ${was ? "changed" : ""}`,
      role: "switch",
      "aria-checked": String(v === 1),
      "aria-label": name,
      "data-field": fieldOf(slot, place),
      title: was ? `was ${was}` : "click to turn",
      onclick: () => setNumber(slot, place, 1 - v, name),
    },
    v ? "True" : "False",
  );
}

// A choice of symbols: the array has the place of each in its vocabulary.
function choiceField(slot, place, name, v, isChanged) {
  const symbols = symbolsOf(slot);
  return make(
    "select",
    {
      class: isChanged ? "changed" : "",
      "aria-label": name,
      "data-field": fieldOf(slot, place),
      title: isChanged ? `was ${symbols[Live.firstOf(slot)[place]]}` : null,
      onchange: (event) => setNumber(slot, place, Number(event.target.value), name),
    },
    symbols.map((symbol, i) =>
      make("option", { value: i, selected: i === v }, symbol === " " ? SPACE : symbol),
    ),
  );
}

// A number to be typed, dragged, or stepped with the arrow keys.
function textField(slot, place, name, v, kind, was) {
  const shown = Arrays.written(v, 5, kind);
  const one = { slot, place, name, whole: kind !== "f" };
  return make("input", {
    class: `number-field ${was ? "changed" : ""}`,
    type: "text",
    inputmode: "decimal",
    role: "spinbutton",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": name,
    "aria-valuenow": v,
    "aria-valuetext": `${shown}${was ? `, was ${was}` : ""}`,
    "data-field": fieldOf(slot, place),
    value: shown,
    title: `${was ? `was ${was}\n` : ""}type, drag sideways, or ↑ ↓`,
    onchange: (event) => takeTyped(event.target, shown, one),
    onkeydown: (event) => keyInField(event, shown, one),
    ondragstart: (event) => event.preventDefault(), // a selected text is not dragged
    onpointerdown: (event) => beginDrag(event, one),
  });
}

// What was typed becomes the number of a field in which `shown` stood, if it is one.
function takeTyped(input, shown, { slot, place, name }) {
  const text = input.value.trim();
  if (text === shown) return;
  input.value = shown; // until another number stands in its place
  const typed = Arrays.numberIn(text);
  const why = typed === null ? WORDS.noNumber : whyNot(slot, typed);
  if (why) refuse(input, filled(WORDS.refused, { text, why, shown }));
  else setNumber(slot, place, typed, name);
}

// Say below a field, or below its table, that what was typed is refused, until something else is typed there.
function refuse(input, why) {
  const note = make("span", { class: "refused" }, why);
  (input.closest("table") ?? input).after(note);
  input.addEventListener("input", () => note.remove(), { once: true });
  say(why);
}

const STEPS = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
// Enter takes what was typed, Escape leaves it; the steps of one field in a row are undone together.
function keyInField(event, shown, one) {
  const { slot, place, name, whole } = one;
  const times = STEPS[event.key];
  if (event.key === "Enter") {
    event.preventDefault();
    takeTyped(event.target, shown, one);
  }
  if (event.key === "Escape") {
    event.target.value = shown;
    event.target.blur();
  }
  if (!times) return;
  event.preventDefault();
  const now = Live.arrayOf(slot)[place];
  setNumber(slot, place, stepped(now, stepOf(now, whole), times), name, `keys ${fieldOf(slot, place)}`);
}

export { slotOf, setNumber, nameAt, numberField };
