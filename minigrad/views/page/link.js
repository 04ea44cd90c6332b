// --- a link to a state, such as #step=37&x[0]=-3: read at the start, and written as the reader goes on ---

import { byId } from "./dom.js";
import { data, state } from "./state.js";
import { once } from "./once.js";
import * as Arrays from "./arrays.js";
import * as Live from "./live.js";
import * as Changes from "./changes.js";
import * as Fields from "./fields.js";
import * as Shapes from "./shapes.js";
import * as WhatIf from "./what_if.js";
import * as Places from "./places.js";
import * as Tabs from "./tabs.js";

const MOST_CHANGES = 60; // changed numbers that a link has; one with more leaves them out
const KEEP = 250; // milliseconds after the last change of the state
const names = new Map(); // name in a link -> a node whose numbers can be changed
for (const node of data.nodes)
  if (Fields.slotOf(node.n) !== null)
    names.set(node.label && !names.has(node.label) ? node.label : `n${node.n}`, node.n);
const tabOf = (title) => Tabs.all.find((tab) => tab.dataset.title.toLowerCase() === title)?.id;
const line = () => byId("another-line");
const others = []; // see `also`
// Have a part of the page that comes after this file say itself what a link keeps of it: `written` gives
// pairs of a name and a value, `read` is told all that a link has.
const also = (part) => others.push(part);
const gates = () => Live.tape?.switches.flatMap(({ places }) => places) ?? [];

// A number with as few digits as identify it among the numbers of 32 bits.
function shortest(v) {
  const digits = [1, 2, 3, 4, 5, 6, 7, 8].find((n) => Math.fround(v.toPrecision(n)) === v);
  return String(Number(v.toPrecision(digits ?? 9)));
}

// Every number that is not as it was: its name in a link, and its value with all its digits.
function changed() {
  const found = [];
  for (const [name, n] of names) {
    const slot = Fields.slotOf(n);
    if (!Live.changedSlots.has(slot)) continue;
    const { shape, dtype } = Live.kindOf(slot);
    Live.arrayOf(slot).forEach((v, i) => {
      if (Object.is(v, Live.firstOf(slot)[i])) return;
      const index = shape.length ? `[${Shapes.unravel(i, shape).join(",")}]` : "";
      found.push([name + index, dtype === "f4" ? shortest(v) : String(v)]);
    });
  }
  return found;
}

// The state as a link has it, without parts that are as at the start; and the count of numbers left out.
function written() {
  const off = gates().filter(({ gate }) => !WhatIf.isOn(gate));
  const numbers = changed();
  const parts = [
    state.time ? ["step", state.time] : null,
    state.tab === (state.time ? Tabs.graphTab() : Tabs.first())
      ? null
      : ["tab", byId(state.tab).dataset.title.toLowerCase()],
    line() && line().value !== line().getAttribute("value") ? ["line", line().value] : null,
    off.length ? ["off", off.map(({ node }) => node).join(",")] : null,
    ...others.flatMap((part) => part.written()),
    ...(numbers.length > MOST_CHANGES ? [] : numbers),
  ].filter(Boolean);
  const text = (part) => encodeURIComponent(part).replace(/%5B|%5D|%2C/g, decodeURIComponent);
  return {
    hash: parts.map(([name, v]) => `${text(name)}=${text(v)}`).join("&"),
    leftOut: numbers.length > MOST_CHANGES ? numbers.length : 0,
  };
}

let last = ""; // the link that was written or read last
let due = null; // the timer that writes it
// Write the link into the address of the page, once nothing has changed for a moment.
function keep() {
  clearTimeout(due);
  due = setTimeout(() => {
    const { hash } = written();
    if (hash === last) return;
    last = hash;
    try {
      history.replaceState(null, "", `#${hash}`);
    } catch {
      // a frame that is made of text has no address
    }
  }, KEEP);
}

// Take over what the address of the page says: its numbers, its line, and where the reader is.
function read() {
  const hash = location.hash.slice(1);
  if (hash === last) return;
  last = hash;
  const parameters = new URLSearchParams(hash.replaceAll("+", "%2B"));
  if (Live.tape) readNumbers(parameters);
  if (line() && parameters.has("line")) {
    line().value = parameters.get("line");
    line().dispatchEvent(new Event("input"));
  }
  for (const part of others) part.read(parameters);
  readPlace(parameters);
}

// Take numbers and switched-off parts from a link. A number that is not in the link gets its first value.
function readNumbers(parameters) {
  const changes = new Map(); // slot -> its numbers, at first its first ones
  const numbersOf = (slot) => once(changes, slot, () => Live.firstOf(slot).slice());
  for (const slot of Live.changedSlots)
    if (Live.tape.leaves.some((leaf) => leaf.slot === slot)) numbersOf(slot);
  const off = (parameters.get("off") ?? "").split(",").map(Number);
  for (const { node, gate } of gates())
    if (off.includes(node) || Live.changedSlots.has(gate)) numbersOf(gate)[0] = off.includes(node) ? 0 : 1;
  for (const [name, text] of parameters) {
    const place = placeOf(name);
    const v = Arrays.numberIn(text);
    if (place !== null && v !== null) numbersOf(place.slot)[place.at] = v;
  }
  if (changes.size) Changes.change("the numbers of the link", changes);
}

// The slot and the place of an element by its name, such as "x[0]"; null where there is none.
function placeOf(name) {
  const [, of, index = ""] = name.match(/^(.*?)(?:\[([\d, ]*)\])?$/);
  const slot = names.has(of) ? Fields.slotOf(names.get(of)) : null;
  if (slot === null) return null;
  const at = Shapes.ravel(index.split(",").filter(Boolean).map(Number), Live.kindOf(slot).shape);
  return at >= 0 && at < Live.sizeOf(slot) ? { slot, at } : null;
}

function readPlace(parameters) {
  const step = Number(parameters.get("step") ?? 0);
  Places.go(Number.isInteger(step) ? step : 0);
  const tab = tabOf(parameters.get("tab") ?? "");
  if (tab) Tabs.open(tab);
  else if (!state.time) Tabs.open(Tabs.first());
}

// Called at the start, once all files have run: a link goes before the step that the page opens at.
function listen() {
  if (location.hash.length > 1) read();
  else if (data.opens) Places.go(data.opens);
  addEventListener("hashchange", read);
}

export { also, keep, listen, written };
