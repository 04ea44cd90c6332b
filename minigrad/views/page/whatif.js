// --- what if: parts of the model switched off, and what that does to the loss and to the output ------------------

import { filled, WORDS } from "./words.js";
import { byId, data, fill, keepFocus, make, plural, render, say, state } from "./base.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Changes from "./changes.js";
import * as Learn from "./learn.js";
import * as Places from "./places.js";

const guesses = new Map(); // switch -> what switching it off alone would do, to the numbers as they were then
let guessed = null; // the version of the numbers that these are about

function isOn(gate) {
  return !Live.machine || Live.machine.slots[gate].array[0] === 1;
}

function turn(name, gates, on) {
  Learn.stopLearning();
  Changes.change(`${name} ${on ? "on" : "off"}`, new Map(gates.map((gate) => [gate, [on ? 1 : 0]])));
  keepFocus(render);
  say(`${name} is ${on ? "on" : "off"}. ${Live.lossText()}`);
}

function outputNow() {
  return Live.tape.output === null
    ? null
    : Live.startedMachine().slots[Live.tape.value[Live.tape.output]].array;
}

function symbolNames(n) {
  // of a vocabulary of that size
  return Object.values(Live.tape.vocabularies)
    .filter((symbols) => symbols.length === n)
    .pop();
}

// What a model writes: of each row of its output the symbol with the highest score.
function writes(scores) {
  const shape = Graph.nodes.get(Live.tape.output).shape,
    n = shape[shape.length - 1];
  const names = symbolNames(n);
  if (!names || shape.length < 2) return null;
  return Array.from({ length: scores.length / n }, (_, row) => {
    let best = 0;
    for (let k = 1; k < n; k++) if (scores[row * n + k] > scores[row * n + best]) best = k;
    return names[best];
  });
}

// The output as it was written and as it is now, symbol by symbol: each is the likeliest after those that were
// written before it.
function writtenNow() {
  const now = Live.tape.output === null ? null : writes(outputNow());
  if (!now) return null;
  const was = writes(Live.first[Live.tape.value[Live.tape.output]]);
  return {
    now: symbolsOf(now, was),
    was: was.every((symbol, i) => symbol === now[i]) ? null : symbolsOf(was, was),
  };
}

function symbolsOf(symbols, was) {
  // those that are not what they were are marked
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

function effect(before, after) {
  // of two outputs: a sentence
  const [was, is] = [writes(before), writes(after)];
  if (was) {
    const apart = was.filter((symbol, i) => symbol !== is[i]).length;
    return apart
      ? [
          filled(WORDS.otherSymbols[apart > 1 ? "many" : "one"], {
            symbols: plural(apart, "symbol"),
            count: was.length,
          }),
          symbolsOf(is, was),
        ]
      : [filled(WORDS.sameSymbols, { symbols: plural(was.length, "symbol") })];
  }
  const most = before.reduce((size, v, i) => Math.max(size, Math.abs(v - after[i])), 0);
  return [filled(WORDS.outputChanges, { most: Arrays.written(most, 3) })];
}

// Each switch alone, turned and turned back: one at a time, so that the page answers in between.
function guess() {
  if (guessed === Live.version) return;
  guessed = Live.version;
  guesses.clear();
  const about = Live.version;
  const waiting = Live.tape.switches.slice();
  const next = () => {
    if (about !== Live.version || state.tab !== "whatif") {
      if (guessed === about) guessed = null;
      return;
    }
    const one = waiting.shift();
    if (!one) return;
    const { change: give, update, slots } = Live.startedMachine();
    const { name, places } = one;
    const gates = places.map(({ gate }) => gate);
    const before = outputNow()?.slice(),
      kept = gates.map((gate) => slots[gate].array[0]);
    const on = kept.some((v) => v === 1);
    gates.forEach((gate) => give(gate, [on ? 0 : 1]));
    update();
    guesses.set(name, { on, loss: Live.lossNow(), effect: before && effect(before, outputNow()) });
    gates.forEach((gate, i) => give(gate, [kept[i]]));
    update();
    keepFocus(() => whatifPanel());
    setTimeout(next, 0);
  };
  setTimeout(next, 0);
}

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

function whatifPanel() {
  const box = byId("whatif");
  const root = Graph.nodes.get(data.roots[0]);
  const rows = Live.tape.switches.map(({ name, off, places }) => {
    const gates = places.map(({ gate }) => gate);
    const on = gates.every(isOn);
    const alone = guessed === Live.version ? guesses.get(name) : null;
    return make(
      "li",
      { class: on ? "" : "off" },
      make(
        "div",
        { class: "switch-row" },
        switchButton(name, gates, name),
        make("span", { class: "soft" }, gates.length > 1 ? plural(gates.length, "place") : ""),
      ),
      make("p", { class: "soft" }, `Off: ${off}.`),
      alone
        ? make(
            "p",
            {},
            `${alone.on ? "Switched off" : "Switched on again"}: ${Graph.nameOf(root.n)} `,
            make(
              "span",
              { class: "mono" },
              `${Arrays.written(Live.lossNow(), 5)} → ${Arrays.written(alone.loss, 5)}`,
            ),
            alone.effect ? ["; ", alone.effect] : null,
            ".",
          )
        : make("p", { class: "soft" }, "…"),
      gates.length > 1
        ? make(
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
              places.map(({ node: n, instead, gate }) =>
                make(
                  "li",
                  {},
                  switchButton(`${name} at ${placeName(n, instead)}`, [gate], placeName(n, instead)),
                  make("span", { class: "soft" }, " it gives "),
                  Places.link(n, numbered(n)),
                  make("span", { class: "soft" }, ", off "),
                  Places.link(instead, numbered(instead)),
                ),
              ),
            ),
          )
        : make(
            "p",
            { class: "soft" },
            placeName(places[0].node, places[0].instead),
            ": it gives ",
            Places.link(places[0].node, numbered(places[0].node)),
            ", off ",
            Places.link(places[0].instead, numbered(places[0].instead)),
          ),
    );
  });
  const told = writtenNow();
  fill(
    box,
    make("p", { class: "phase" }, "What if"),
    make(
      "h2",
      {},
      `${Graph.nameOf(root.n)} = `,
      make("span", { class: "mono" }, root.shape.length ? "" : Arrays.written(Live.lossNow(), 5)),
      " ",
      Doubts.fixedBadge(Doubts.whyFixed(root.n)),
    ),
    told
      ? make(
          "p",
          {},
          "Its likeliest symbols: ",
          told.now,
          told.was ? [", and as it was written: ", told.was] : null,
        )
      : null,
    told
      ? make(
          "p",
          { class: "soft" },
          "Each is what it would write next, given the symbols before it as they were written.",
        )
      : null,
    make("p", { class: "soft" }, WORDS.switchOff, told ? ` ${WORDS.switchOffOfOne}` : null),
    make("ul", { class: "switches-list" }, rows),
  );
  guess();
}

const pathOf = (n) => {
  const { box } = Graph.nodes.get(n);
  return box === null || box === undefined ? "" : data.boxes[box].path.split("/")[0];
};
// Where a part is: the module; of one that goes around another, as a residual does, that of what is inside.
function placeName(n, instead) {
  const [outer, inner] = [pathOf(n), pathOf(instead)];
  if (inner && inner !== outer) return filled(WORDS.around, { part: inner });
  return outer || Graph.nameOf(n);
}
const numbered = (n) => (Graph.nodes.get(n).label ? `${Graph.nameOf(n)} #${n}` : `#${n}`);

export { isOn, symbolNames, whatifPanel, writes, writtenNow };
