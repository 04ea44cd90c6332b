// --- from scores to a symbol that is drawn: temperature, top-k and top-p ------------------------------

import { filled } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import { byId, fill, make, say } from "./dom.js";
import { model } from "./line_model.js";
import * as Arrays from "./arrays.js";

const MOST_ROWS = 8;
const chosen = { step: 0, temperature: 1, k: null, p: null };
let reading = null; // the scores and the symbol of each step: see `decode` of line_model.js
let drawn = []; // symbols, since something was changed

// The probabilities that a symbol is drawn from: see `distribution` in minitransformer's `decoding`.
function distribution(scores, temperature, k, p) {
  const shares = Arrays.softmax(scores, temperature);
  const allowed = new Array(scores.length).fill(0);
  let before = 0; // what the likelier ones have together
  Arrays.ranked(shares).forEach((i, rank) => {
    if ((k === null || rank < k) && (p === null || before < p)) allowed[i] = shares[i];
    before += shares[i];
  });
  const left = allowed.reduce((a, b) => a + b, 0);
  return allowed.map((share) => share / left);
}

// Draw a symbol from the probabilities of the table.
function draw() {
  const { scores } = reading;
  const p = distribution(scores[chosen.step], chosen.temperature, chosen.k, chosen.p);
  let rest = Math.random();
  const found = p.findIndex((share) => {
    rest -= share;
    return rest < 0;
  });
  drawn.push(found < 0 ? Arrays.placeOfLargest(p) : found); // the sum is 1 but for rounding
  table();
  say(filled(LINE_WORDS.drawnNow, { symbol: model.symbols[drawn.at(-1)] }));
}

// --- the table ----------------------------------------------------------------------------------------

// A cell of the table: a bar from 0 to `v`, on a scale from `low` to `high`.
function bar(v, low, high, text, shown = true) {
  const place = (number) => (100 * (number - low)) / (high - low || 1);
  const [from, to] = [Math.min(0, v), Math.max(0, v)].map(place);
  return make(
    "td",
    {},
    make(
      "span",
      { class: "track", "aria-hidden": "true" },
      shown ? make("span", { style: `left:${from.toFixed(1)}%; width:${(to - from).toFixed(1)}%` }) : null,
    ),
    make("span", { class: "percent" }, text),
  );
}

// The likeliest symbols of the chosen step, from score to probability, and how often each was drawn.
function table() {
  const scores = reading.scores[chosen.step];
  const p = distribution(scores, chosen.temperature, chosen.k, chosen.p);
  const order = Arrays.ranked(scores);
  const rows = order.slice(0, MOST_ROWS).filter((i) => Number.isFinite(scores[i]));
  const both = rows.flatMap((i) => [scores[i], scores[i] / chosen.temperature]);
  const scale = [Math.min(0, ...both), Math.max(0, ...both)]; // one, so that one sees what a temperature does
  const rest = order.slice(rows.length).reduce((sum, i) => sum + p[i], 0);
  const head = ["symbol", "score", "score / temperature", "probability", "drawn"];
  fill(
    byId("sampling-table"),
    make(
      "tr",
      {},
      head.map((name) => make("th", { scope: "col" }, name)),
    ),
    rows.map((i) => symbolRow(i, scores[i], p[i], scale)),
  );
  byId("sampling-rest").textContent = filled(LINE_WORDS.otherShare, {
    share: Arrays.percent(rest, 1),
    count: drawn.length,
  });
}

// The row of a symbol, by its id: its score, on a scale for all, and its probability.
function symbolRow(id, score, p, scale) {
  const warmed = score / chosen.temperature;
  const times = drawn.filter((one) => one === id).length;
  return make(
    "tr",
    { class: drawn.at(-1) === id ? "drawn" : null },
    make("th", { scope: "row" }, reading.shown(model.symbols[id])),
    bar(score, ...scale, score.toFixed(2)),
    bar(warmed, ...scale, warmed.toFixed(2)),
    bar(p, 0, 1, p ? Arrays.percent(p, 1) : "left out", p > 0),
    make("td", { class: "times" }, times ? `${times} ×` : ""),
  );
}

// The name of a symbol as it is shown, as text.
const nameOf = (id) => make("span", {}, reading.shown(model.symbols[id])).textContent;

// The symbols that were written, each a button: it chooses the step that the table is of.
function steps() {
  fill(
    byId("sampling-steps"),
    reading.written.map((id, t) =>
      make(
        "button",
        {
          "aria-pressed": String(t === chosen.step),
          "aria-label": filled(LINE_WORDS.stepOfOutput, { step: t + 1, symbol: nameOf(id) }),
          onclick: () => {
            change({ step: t });
            byId("sampling-steps").children[t].focus();
          },
        },
        reading.shown(model.symbols[id]),
      ),
    ),
  );
}

// Choose another step, temperature, top-k or top-p. Draws of before are removed: the probabilities change.
function change(to) {
  Object.assign(chosen, to);
  drawn = [];
  byId("sampling-told").textContent = chosen.temperature.toFixed(1);
  steps();
  table();
}

// What was read last: `{scores, written, shown}`, the symbols as `shown` makes elements of them.
function show(decoded) {
  reading = decoded;
  change({ step: Math.min(chosen.step, decoded.written.length - 1) });
}

// The table is of the symbol that is followed elsewhere too.
function follow(t) {
  if (byId("sampling").open && t < reading.written.length) change({ step: t });
  else chosen.step = t;
}

// Called once, if the page has a model that reads.
function listen() {
  const wrong = new Map(); // field -> a sentence on its mistake
  const number = (id, fits) => {
    const name = id.slice(-1);
    byId(id).addEventListener("input", ({ target }) => {
      const text = target.value.trim(),
        v = Number(text.replace(",", "."));
      const right = text === "" || fits(v);
      target.setAttribute("aria-invalid", String(!right));
      wrong.set(name, right ? "" : filled(LINE_WORDS.notNow[name], { text }));
      byId("sampling-wrong").textContent = [...wrong.values()].filter(Boolean).join(" ");
      change({ [name]: right && text !== "" ? v : null });
    });
  };
  byId("sampling-temperature").addEventListener("input", ({ target }) =>
    change({ temperature: Number(target.value) }),
  );
  number("sampling-k", (v) => Number.isInteger(v) && v >= 1);
  number("sampling-p", (v) => v > 0 && v <= 1);
  byId("sampling-draw").onclick = draw;
}

export { follow, listen, show };
