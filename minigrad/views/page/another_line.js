// --- another line: what a model writes for a text that is typed, decoded again at each key ---------------------

import { filled, WORDS } from "./words.js";
import { byId, data, fill, make, plural, SPACE, SPECIAL, state } from "./base.js";
import * as Shown from "./shown.js";
import * as Interpreter from "./interpreter.js";
import * as Flow from "./flow.js";
import * as FlowCuts from "./flow_cuts.js";
import * as Sampling from "./sampling.js";
import * as Link from "./link.js";
import * as Places from "./places.js";

const told = data.another; // see `another_line.py`
let machine = null;
let lastRead = told?.line; // the line that the picture is of
let lately = told?.wrote; // what it wrote for the line before: a good guess of what it will write

// The forward pass, with what the page has of it.
function startedMachine() {
  machine ??= Interpreter.ofTape(told, (id) => Shown.array(id).numbers);
  return machine;
}

// --- from a text to ids, and from ids to what the model writes -----------------------------------------------

// The ids of the symbols of a text; or, as a sentence, why there are none.
function idsOf(text) {
  const symbols = told.level === "word" ? text.split(/\s+/).filter(Boolean) : [...text];
  const unknown = symbols.slice(0, told.longest).find((symbol) => !Object.hasOwn(told.ids, symbol));
  if (!symbols.length) return { why: WORDS.typeSomething };
  if (unknown !== undefined)
    return { why: filled(WORDS.unknownSymbol, { level: told.level, symbol: unknown }) };
  const note =
    symbols.length > told.longest
      ? filled(WORDS.tooLong, { count: symbols.length, longest: told.longest, level: told.level })
      : "";
  return { ids: symbols.slice(0, told.longest).map((symbol) => told.ids[symbol]), note };
}

const likeliest = (row) => {
  let best = -1;
  for (let k = 0; k < row.length; k++)
    if (!told.never.includes(k) && (best < 0 || row[k] > row[best])) best = k;
  return best;
};

// All positions at once, what they find likeliest fed back until nothing changes: then each symbol is the
// likeliest after those before it, which is what writing one after the other gives. A pass makes at least
// one more symbol final.
function decode(ids) {
  const { slots, change, update } = startedMachine();
  const [scores, ...weights] = told.results.map((slot) => slots[slot]);
  const N = scores.shape[2];
  const aside = told.inputs.length === 2; // the line is read by an encoder
  const prompt = aside ? told.before : [...ids, ...told.before];
  const last = told.inputs[told.inputs.length - 1];
  const first = prompt.length - 1; // the position that writes the first symbol
  const most = Math.min(told.most, slots[last].size - first);
  const padded = (slot, some) => Array.from({ length: slots[slot].size }, (_, i) => some[i] ?? told.pad);
  if (aside) change(told.inputs[0], padded(told.inputs[0], ids));
  let written = lately,
    passes = 0;
  for (;;) {
    change(last, padded(last, [...prompt, ...written.slice(0, most - 1)]));
    update();
    passes++;
    const next = [];
    while (next.length < most && next[next.length - 1] !== told.end) {
      const at = (first + next.length) * N;
      next.push(likeliest(scores.array.subarray(at, at + N)));
    }
    const settled = next.length === written.length && next.every((id, i) => id === written[i]);
    written = next;
    if (settled || passes > most) break;
  }
  lately = written;
  const looked = aside ? ids : [...prompt, ...written.slice(0, -1)];
  return {
    ids,
    prompt,
    written,
    passes,
    looked,
    scores: written.map((_, t) =>
      Array.from(scores.array.subarray((first + t) * N, (first + t + 1) * N), (v, k) =>
        told.never.includes(k) ? -Infinity : v,
      ),
    ),
    weights: weights.map((slot) => {
      const [, H, T, S] = slot.shape;
      return Array.from({ length: H }, (_h, h) =>
        written.map((_t, t) => {
          const row = (h * T + first + t) * S;
          return slot.array.subarray(row, row + (aside ? ids.length : first + t + 1)).slice();
        }),
      );
    }),
  };
}

// The softmax of scores.
function chances(scores) {
  const high = Math.max(...scores);
  const powers = scores.map((v) => Math.exp(v - high));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((v) => v / sum);
}

// --- how it is shown: as the section shows the line of the page (see minitransformer's `explain`) ---------------

const PAUSE = 150; // milliseconds
const percent = (share) => `${(100 * share).toFixed(1)}%`;
const named = (name) =>
  SPECIAL[name] ? make("span", { class: "special" }, SPECIAL[name]) : name === " " ? SPACE : name;
let letterNames = null; // of the ids that it reads
const readName = (id) => {
  letterNames ??= new Map(Object.entries(told.ids).map(([name, i]) => [i, name]));
  return told.inputs.length === 2 ? letterNames.get(id) : told.symbols[id];
};

function step(said, t, was) {
  const names = said.written.map((id) => told.symbols[id]);
  const isNew = said.written[t] !== was[t] ? "changed" : "";
  const many = said.weights.length > 1;
  const rows = said.weights.flatMap((heads, layer) =>
    heads.map((rowsOf, h) => look(said, rowsOf[t], `${many ? `layer ${layer + 1}, ` : ""}head ${h + 1}`)),
  );
  const earlier = rows.length > told.heads ? rows.length - said.weights[said.weights.length - 1].length : 0;
  return make(
    "li",
    {},
    make(
      "div",
      { class: "so-far" },
      make("span", { class: "label" }, "written"),
      t ? names.slice(0, t).map(named) : make("span", { class: "soft" }, "nothing yet"),
      make("b", { class: `next ${isNew}`.trim() }, named(names[t])),
    ),
    make("div", { class: "chances" }, bars(said.p[t])),
    make(
      "div",
      { class: "looks" },
      earlier ? make("details", {}, make("summary", {}, "the layers before"), rows.slice(0, earlier)) : null,
      rows.slice(earlier),
    ),
  );
}

let later = 0;
// Show what stands below the picture, once nothing has been typed for a moment: it is much to lay out.
function showSteps(said, was) {
  const box = document.querySelector(".writing");
  box.setAttribute("aria-busy", "true");
  clearTimeout(later);
  later = setTimeout(() => {
    fill(
      box,
      said.written.map((_, t) => step(said, t, was)),
    );
    box.removeAttribute("aria-busy");
  }, PAUSE);
}

function bars(p) {
  const order = p.map((_, k) => k).sort((a, b) => p[b] - p[a] || a - b);
  return order
    .slice(0, told.likely)
    .map((k) =>
      make(
        "div",
        { class: "chance" },
        make("span", { class: "token" }, named(told.symbols[k])),
        make("span", { class: "bar" }, make("span", { style: `width:${percent(p[k])}` })),
        make("span", { class: "percent" }, percent(p[k])),
      ),
    );
}

function look(said, weights, name) {
  let top = 0;
  weights.forEach((w, i) => {
    if (w > weights[top]) top = i;
  });
  const names = said.looked.map(readName);
  return make(
    "div",
    { class: "look" },
    make("span", { class: "soft" }, name),
    make(
      "span",
      { class: "row" },
      Array.from(weights, (w, i) =>
        make(
          "span",
          { class: "letter", style: `--share:${(100 * w).toFixed(0)}%`, title: `${names[i]}: ${percent(w)}` },
          named(names[i]),
        ),
      ),
    ),
    make("span", { class: "most" }, named(names[top]), ` ${percent(weights[top])}`),
  );
}

// Show what it writes, and what is other than before; return how many symbols are.
function output(written, was) {
  const apart = written.filter((id, i) => id !== was[i]).length;
  const shown = written.map((id, i) =>
    make("span", { class: id === was[i] ? null : "changed" }, named(told.symbols[id])),
  );
  fill(byId("another-output"), make("code", { class: "symbols" }, shown));
  return apart;
}

// --- typing, and a guess ---------------------------------------------------------------------------------

function read(text, right = null) {
  Link.keep();
  const { ids, why, note } = idsOf(text);
  byId("another-line").setAttribute("aria-invalid", String(!ids));
  asking(false);
  byId("another").parentElement.classList.toggle("stale", !ids);
  for (const part of [byId("flow"), byId("sampling"), document.querySelector(".writing")])
    if (part) part.inert = !ids;
  if (!ids) {
    fill(byId("another-said"), filled(WORDS.stillFor, { why, line: lastRead }));
    return null;
  }
  lastRead = text;
  if (text !== told.line && state.tab === "cell") {
    Places.openTab("overview"); // the cell is one of the line of the page
  }
  Flow.leave(text);
  const begun = performance.now();
  const said = decode(ids);
  performance.measure("decode", { start: begun });
  said.p = said.scores.map(chances);
  const { differs, was } = before(text);
  picture(text, said, was);
  if (byId("sampling").open) Sampling.show({ ...said, shown: named });
  fill(byId("another-read"), text);
  const apart = output(said.written, was);
  showSteps(said, was);
  const wrote = said.written.filter((id) => id !== told.end).map((id) => told.symbols[id]);
  const joined = wrote.join(told.level === "word" ? " " : "");
  fill(
    byId("another-said"),
    note,
    likelihood(text, said, apart ? differs : null),
    right === null ? null : filled(joined === right ? WORDS.readRightly : WORDS.misread, { right }),
  );
  return said;
}

// What the answer for a line is compared with, and why it can differ: what is cut, or the line.
function before(line) {
  const uncut = FlowCuts.allCut().length ? FlowCuts.writtenUncut(line) : null;
  if (uncut) return { differs: "cut", was: uncut };
  return { differs: line === told.line ? null : "line", was: told.wrote };
}

// How sure it is of all that it writes, and what else there is to know of it.
function likelihood(line, said, differs = null) {
  const share = percent(said.written.reduce((product, id, t) => product * said.p[t][id], 1));
  const symbols = plural(said.written.length, "symbol");
  const tabs = line !== told.line ? "line" : FlowCuts.allCut().length ? "cut" : null;
  return filled(WORDS.hasRead, {
    symbols,
    share,
    others: differs ? filled(WORDS.otherThan[differs], told) : "",
    sure: line === told.line ? "" : WORDS.sureOfAny,
    tabs: tabs ? filled(WORDS.otherTabs[tabs], told) : "",
  });
}

// Show the picture of what leads to each symbol.
function picture(line, said, was) {
  Flow.show({ ...said, line, was }, { told, machine, decode, read: typed, follows: Sampling.follow });
}

function typed(text) {
  byId("another-line").value = text;
  read(text);
}

const bare = (word) => word.replace(/[,.;]$/, "");

// What is other in a line than in that of the page, if it is one word; else the line.
function variation(text) {
  const [was, is] = [told.line, text].map((line) => line.split(" "));
  const other = is.flatMap((word, i) => (word === was[i] ? [] : [i]));
  return was.length === is.length && other.length === 1
    ? filled(WORDS.becomes, { was: bare(was[other[0]]), is: bare(is[other[0]]) })
    : text;
}

// Which symbols will be other ones? Asked before the answer is shown.
function ask(text, right) {
  byId("another-line").value = text;
  if (byId("flow")) Flow.hide();
  asking(true);
  fill(byId("another-output"));
  fill(byId("another-said"));
  const guessed = new Set();
  const mark = (i) => (event) => {
    if (!guessed.delete(i)) guessed.add(i);
    event.target.setAttribute("aria-pressed", String(guessed.has(i)));
  };
  const box = byId("another-guess");
  fill(
    box,
    make("p", {}, filled(WORDS.whichChange, { line: told.line, text })),
    told.wrote.map((id, i) =>
      make("button", { "aria-pressed": "false", onclick: mark(i) }, named(told.symbols[id])),
    ),
    make(
      "button",
      {
        class: "primary",
        onclick: () => {
          const said = read(text, right);
          const changed = said.written.findIndex((id, t) => id !== told.wrote[t]);
          if (changed >= 0 && byId("flow")?.hidden === false) Flow.follow(changed);
          byId("another-said").prepend(...verdict(guessed, said.written), " ");
          byId("another-line").focus();
        },
      },
      "Show",
    ),
  );
  box.querySelector("button").focus();
}

// While a guess is asked, nothing is shown of the answer, nor of the one before.
function asking(on) {
  byId("another-guess").hidden = !on;
  byId("another").parentElement.classList.toggle("asking", on);
}

// Which symbols were missed, and which were named but stay.
function verdict(guessed, written) {
  const wrong = told.wrote.flatMap((id, i) => (guessed.has(i) === (id !== written[i]) ? [] : [i]));
  const symbol = (id) => `“${SPECIAL[told.symbols[id]] ?? told.symbols[id] ?? ""}”`;
  const list = (some, became) =>
    some
      .map((i) => `symbol ${i + 1}, ${symbol(told.wrote[i])}${became ? ` (now ${symbol(written[i])})` : ""}`)
      .join("; ");
  const missed = wrong.filter((i) => !guessed.has(i));
  const needless = wrong.filter((i) => guessed.has(i));
  const count = told.wrote.length;
  return [
    filled(WORDS.guessed, { hits: count - wrong.length, count }),
    missed.length ? filled(WORDS.guessedMissed, { list: list(missed, true) }) : "",
    needless.length ? filled(WORDS.guessedNeedlessly, { list: list(needless, false) }) : "",
  ];
}

if (told && byId("another")) {
  byId("another").hidden = false;
  byId("another-line").addEventListener("input", (event) => read(event.target.value));
  output(told.wrote, told.wrote);
  fill(
    byId("another-examples"),
    [
      [told.line, null],
      ...told.variations.filter((text) => idsOf(text).note === "").map((text) => [text, null]),
      ...told.examples,
    ].map(([text, right]) =>
      make(
        "button",
        {
          onclick: () => {
            if (text !== told.line) return ask(text, right);
            typed(text);
          },
        },
        told.variations.includes(text) ? variation(text) : text,
      ),
    ),
  );
  Sampling.listen();
  byId("sampling").addEventListener("toggle", () => {
    const { ids } = idsOf(byId("another-line").value);
    if (byId("sampling").open) Sampling.show({ ...decode(ids ?? idsOf(told.line).ids), shown: named });
  });
  (window.requestIdleCallback || setTimeout)(() => {
    if (byId("another-line").value !== told.line) return; // a link to the page had another one
    const said = decode(idsOf(told.line).ids); // so that the first key is answered at once
    said.p = said.scores.map(chances);
    picture(told.line, said, told.wrote);
    fill(byId("another-said"), likelihood(told.line, said));
  });
}

export { decode, idsOf };
