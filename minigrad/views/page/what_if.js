// --- "What if": parts of the model are turned off, and the loss and the output are compared -----------

import { filled, plural, withElements, WORDS } from "./words.js";
import { byId, fill, keepFocus, make, say, soft, softSpan } from "./dom.js";
import { state } from "./state.js";
import { render } from "./events.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Changes from "./changes.js";
import * as Learn from "./learn.js";
import * as Tabs from "./tabs.js";
import * as Places from "./places.js";

const effects = new Map(); // switch -> what turning it alone does to the loss and the output
let measuredAt = null; // the version of the numbers that these are about

// Whether a place of a part is on: its gate, a slot with one number, is 1, and 0 while it is off.
function isOn(gate) {
  return !Live.isStarted() || Live.arrayOf(gate)[0] === 1;
}

// Turn a part on or off at the places of these gates.
function turn(name, gates, on) {
  Learn.stopLearning();
  Changes.change(`${name} ${on ? "on" : "off"}`, new Map(gates.map((gate) => [gate, [on ? 1 : 0]])));
  keepFocus(render);
  say(filled(WORDS.becameNow, { name, value: on ? "on" : "off", loss: Live.lossText() }));
}

// The numbers of the output as they are now: the scores of a model; null where the page knows of none.
function outputNow() {
  return Live.tape.output === null ? null : Live.arrayOf(Live.tape.value[Live.tape.output]);
}

// The symbols of a vocabulary of that size.
function symbolNames(n) {
  return Object.values(Live.tape.vocabularies)
    .filter((symbols) => symbols.length === n)
    .pop();
}

// What a model writes: of each row of its output the symbol with the highest score.
function writes(scores) {
  const shape = Graph.nodes.get(Live.tape.output).shape,
    n = shape.at(-1);
  const names = symbolNames(n);
  if (!names || shape.length < 2) return null;
  return Array.from(
    { length: scores.length / n },
    (_, row) => names[Arrays.placeOfLargest(scores.slice(row * n, (row + 1) * n))],
  );
}

// The output as it was written and as it is now, symbol by symbol: each is the likeliest after those that
// were written before it.
function writtenNow() {
  const now = Live.tape.output === null ? null : writes(outputNow());
  if (!now) return null;
  const was = writes(Live.firstOf(Live.tape.value[Live.tape.output]));
  return {
    now: symbolsOf(now, was),
    was: was.every((symbol, i) => symbol === now[i]) ? null : symbolsOf(was, was),
  };
}

// The symbols as an element; those that are not what they were are marked.
function symbolsOf(symbols, was) {
  return make(
    "code",
    { class: "symbols" },
    symbols.map((symbol, i) =>
      make(
        "span",
        { class: `${symbol.length > 1 ? "long" : ""} ${symbol === was[i] ? "" : "changed"}`.trim() || null },
        symbol,
      ),
    ),
  );
}

// What turning a part does, by the outputs before and after: a sentence, as children.
function effectText(before, after) {
  const [was, is] = [writes(before), writes(after)];
  if (was) {
    const apart = was.filter((symbol, i) => symbol !== is[i]).length;
    return apart
      ? withElements(WORDS.otherSymbols[apart > 1 ? "many" : "one"], {
          symbols: plural(apart, "symbol"),
          count: was.length,
          written: symbolsOf(is, was),
        })
      : filled(WORDS.sameSymbols, { symbols: plural(was.length, "symbol") });
  }
  const most = before.reduce((size, v, i) => Math.max(size, Math.abs(v - after[i])), 0);
  return filled(WORDS.outputChanges, { most: Arrays.written(most, 3) });
}

// Each switch alone, turned and turned back: one at a time, so that the page answers in between.
function measureEach() {
  const about = Live.versionNow();
  if (measuredAt === about) return;
  measuredAt = about;
  effects.clear();
  const waiting = Live.tape.switches.slice();
  const next = () => {
    if (about !== Live.versionNow() || state.panelTab !== "whatif") {
      if (measuredAt === about) measuredAt = null; // not all of it was measured
      return;
    }
    const part = waiting.shift();
    if (!part) return;
    effects.set(part.name, effectOf(part));
    keepFocus(() => whatifPanel());
    setTimeout(next, 0);
  };
  setTimeout(next, 0);
}

// What a part does for the loss and the output: it is turned, all is computed, it is turned back.
function effectOf({ places }) {
  const { change: give, update, slots } = Live.startedMachine();
  const gates = places.map(({ gate }) => gate);
  const before = outputNow()?.slice(),
    kept = gates.map((gate) => slots[gate].array[0]);
  const on = kept.some((v) => v === 1);
  for (const gate of gates) give(gate, [on ? 0 : 1]);
  update();
  const effect = { on, loss: Live.lossNow(), text: before && effectText(before, outputNow()) };
  gates.forEach((gate, i) => give(gate, [kept[i]]));
  update();
  return effect;
}

// The switch of a part at these gates, which may be on at some of them only.
function switchButton(name, gates, label) {
  const on = gates.filter(isOn).length;
  return make(
    "button",
    {
      class: "switch",
      role: "switch",
      "aria-checked": on === gates.length ? "true" : on ? "mixed" : "false",
      "data-field": `switch ${gates.join(" ")}`,
      "aria-label": `${name}: ${on === gates.length ? "on" : on ? "partly on" : "off"}`,
      onclick: () => turn(name, gates, on !== gates.length),
    },
    label,
  );
}

// Show the tab "What if": the parts with their switches, below what the model would write as it is now.
function whatifPanel() {
  const { root } = Graph;
  const symbols = writtenNow();
  const picture = byId("flow")?.closest(".tab"); // in which parts can be cut
  fill(
    byId("whatif"),
    make("p", { class: "phase" }, "What if"),
    make(
      "h2",
      {},
      `${Graph.nameOf(root.n)} = `,
      make("span", { class: "mono" }, root.shape.length ? "" : Arrays.written(Live.lossNow(), 5)),
      " ",
      Doubts.badgeOf(root.n),
    ),
    symbols ? likeliest(symbols) : null,
    soft(WORDS.switchOff, symbols ? ` ${WORDS.switchOffOfOne}` : null),
    picture ? soft(withElements(WORDS.switchOneIn, { one: toPicture(picture) })) : null,
    make("ul", { class: "switches-list" }, Live.tape.switches.map(partItem)),
  );
  measureEach();
}

const likeliest = ({ now, was }) => [
  make("p", {}, withElements(WORDS.likeliest[was ? "other" : "same"], { now, was })),
  soft(WORDS.likeliestNext),
];

// A part that can be switched off, what that does, and the places where it is.
function partItem({ name, off, places }) {
  const gates = places.map(({ gate }) => gate);
  return make(
    "li",
    { class: gates.every(isOn) ? "" : "off" },
    make(
      "div",
      { class: "switch-row" },
      switchButton(name, gates, name),
      softSpan(gates.length > 1 ? plural(gates.length, "place") : ""),
    ),
    soft(`Off: ${off}.`),
    effectLine(name),
    places.length > 1 ? eachPlace(name, places) : soft(placeName(places[0]), ": ", gives(places[0])),
  );
}

// What turning a part alone does, once it has been measured.
function effectLine(name) {
  const alone = measuredAt === Live.versionNow() ? effects.get(name) : null;
  if (!alone) return soft("…");
  const losses = `${Arrays.written(Live.lossNow(), 5)} → ${Arrays.written(alone.loss, 5)}`;
  return make(
    "p",
    {},
    withElements(WORDS.switchedAlone[alone.on ? "off" : "on"], {
      name: Graph.nameOf(Graph.root.n),
      losses: make("span", { class: "mono" }, losses),
      more: alone.text ? ["; ", alone.text] : null,
    }),
  );
}

// A switch for each place of a part.
function eachPlace(name, places) {
  return make(
    "details",
    {},
    make(
      "summary",
      { class: "soft", "aria-label": filled(WORDS.eachPlace, { name }) },
      "each place by itself",
    ),
    make(
      "ul",
      {},
      places.map((place) =>
        make(
          "li",
          {},
          switchButton(`${name} at ${placeName(place)}`, [place.gate], placeName(place)),
          softSpan(" ", gives(place)),
        ),
      ),
    ),
  );
}

// Which node a place gives while it is on, and which while it is off.
function gives({ node, instead }) {
  const link = (n) => Places.link(n, numbered(n));
  return withElements(WORDS.partGives, { node: link(node), instead: link(instead) });
}

const toPicture = ({ id }) =>
  make("button", { class: "link", onclick: () => Tabs.open(id) }, WORDS.switchOne);

const moduleOf = (n) => Graph.pathOf(Graph.nodes.get(n)).split("/")[0];
// Where a part is: the module; of one that goes around another, as a residual does, that of what is inside.
function placeName({ node, instead }) {
  const [outer, inner] = [moduleOf(node), moduleOf(instead)];
  if (inner && inner !== outer) return filled(WORDS.around, { part: inner });
  return outer || Graph.nameOf(node);
}
const numbered = (n) => (Graph.nodes.get(n).label ? `${Graph.nameOf(n)} #${n}` : `#${n}`);

export { isOn, symbolNames, whatifPanel, writes, writtenNow };
