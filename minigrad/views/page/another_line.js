// --- another line: what a model writes for a text that is typed, decoded again at each key ------------

import { filled } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import { byId, data, fill, make, plural, softSpan, SPACE, SPECIAL, state } from "./base.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Interpreter from "./interpreter.js";
import * as Flow from "./flow.js";
import * as FlowCuts from "./flow_cuts.js";
import * as Sampling from "./sampling.js";
import * as Link from "./link.js";
import * as Places from "./places.js";

const told = data.another; // see `another_line.py`
let machine = null; // the interpreter, once something was read
let lastRead = told?.line; // the line that the picture is of
let lately = told?.wrote; // what it wrote for the line before: a good guess of what it will write

// The forward pass, with what the page has of it.
function startedMachine() {
  machine ??= Interpreter.ofTape(told, (id) => Shown.array(id).numbers);
  return machine;
}

// --- from a text to ids, and from ids to what the model writes ----------------------------------------

// The ids of the symbols of a text; or, as a sentence, why there are none.
function idsOf(text) {
  const symbols = told.level === "word" ? text.split(/\s+/).filter(Boolean) : [...text];
  const unknown = symbols.slice(0, told.longest).find((symbol) => !Object.hasOwn(told.ids, symbol));
  if (!symbols.length) return { why: LINE_WORDS.typeSomething };
  if (unknown !== undefined)
    return { why: filled(LINE_WORDS.unknownSymbol, { level: told.level, symbol: unknown }) };
  const note =
    symbols.length > told.longest
      ? filled(LINE_WORDS.tooLong, { count: symbols.length, longest: told.longest, level: told.level })
      : "";
  return { ids: symbols.slice(0, told.longest).map((symbol) => told.ids[symbol]), note };
}

// The id of the symbol with the highest score, of those that may be written.
const likeliest = (row) => Arrays.placeOfLargest(row, (id) => !told.never.includes(id));

// What the model writes for a line, by ids of symbols:
//
//   ids, prompt, written   of the line; of what stands before what it writes; and of what it writes
//   looked                 of what attention looks at
//   scores                 of each symbol written, those of all symbols
//   weights                of each attention and head, a row for each symbol written
function decode(ids) {
  startedMachine();
  const frame = frameOf(ids);
  if (frame.aside) machine.change(told.inputs[0], padded(told.inputs[0], ids));
  const written = settle(frame);
  lately = written;
  const { prompt, aside } = frame;
  return {
    ids,
    prompt,
    written,
    looked: aside ? ids : [...prompt, ...written.slice(0, -1)],
    scores: written.map((_, t) => scoresAt(frame.first + t)),
    weights: told.results.slice(1).map((slot) => weightsOf(machine.slots[slot], frame, written)),
  };
}

// Where a line stands: `aside`, read by an encoder, or before what is written; `first`: the position
// that writes the first symbol; `most`: how many there is room for.
function frameOf(ids) {
  const aside = told.inputs.length === 2;
  const prompt = aside ? told.before : [...ids, ...told.before];
  const first = prompt.length - 1;
  const { size } = machine.slots[told.inputs.at(-1)];
  return { ids, aside, prompt, first, most: Math.min(told.most, size - first) };
}

const padded = (slot, some) =>
  Array.from({ length: machine.slots[slot].size }, (_, i) => some[i] ?? told.pad);

// All positions at once, what they find likeliest fed back until nothing changes: then each symbol is the
// likeliest after those before it, which is what writing one after the other gives. A pass makes at least
// one more symbol final.
function settle({ prompt, first, most }) {
  const last = told.inputs.at(-1);
  let written = lately,
    passes = 0;
  for (;;) {
    machine.change(last, padded(last, [...prompt, ...written.slice(0, most - 1)]));
    machine.update();
    passes++;
    const next = [];
    while (next.length < most && next.at(-1) !== told.end) next.push(likeliest(rowOf(first + next.length)));
    const settled = next.length === written.length && next.every((id, i) => id === written[i]);
    written = next;
    if (settled || passes > most) return written;
  }
}

// The scores of the symbol after a position; and with -Infinity for those that are never written.
function rowOf(position) {
  const { array, shape } = machine.slots[told.results[0]];
  const [, , count] = shape;
  return array.subarray(position * count, (position + 1) * count);
}
const scoresAt = (position) =>
  Array.from(rowOf(position), (v, id) => (told.never.includes(id) ? -Infinity : v));

// Of each head, a row of weights for each symbol written: over the line, or over all before the symbol.
function weightsOf({ array, shape }, { ids, aside, first }, written) {
  const [, heads, rows, columns] = shape;
  return Array.from({ length: heads }, (_h, head) =>
    written.map((_t, t) => {
      const begin = (head * rows + first + t) * columns;
      return array.subarray(begin, begin + (aside ? ids.length : first + t + 1)).slice();
    }),
  );
}

// The softmax of scores.
function chances(scores) {
  const high = Math.max(...scores);
  const powers = scores.map((v) => Math.exp(v - high));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((v) => v / sum);
}

// --- how it is shown: as the section shows the line of the page (see minitransformer's `explain`) -----

const PAUSE = 150; // milliseconds
const percent = (share) => Arrays.percent(share, 1);
const named = (name) =>
  SPECIAL[name] ? make("span", { class: "special" }, SPECIAL[name]) : name === " " ? SPACE : name;
let letterNames = null; // of the ids that it reads
const readName = (id) => {
  letterNames ??= new Map(Object.entries(told.ids).map(([name, i]) => [i, name]));
  return told.inputs.length === 2 ? letterNames.get(id) : told.symbols[id];
};

// A step of writing: what was written before it, the likeliest symbols, and what each head looks at.
// `said`: what `decode` gives, with the probabilities `p`; `was`: what was written before.
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
      t ? names.slice(0, t).map(named) : softSpan("nothing yet"),
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

// The likeliest symbols, each with a bar as long as its probability.
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

// What a head looks at: each symbol as dark as its weight, and the one that has most.
function look(said, weights, name) {
  const top = Arrays.placeOfLargest(weights);
  const names = said.looked.map(readName);
  return make(
    "div",
    { class: "look" },
    softSpan(name),
    make(
      "span",
      { class: "row" },
      Array.from(weights, (w, i) =>
        make(
          "span",
          { class: "letter", style: `--share:${Arrays.percent(w)}`, title: `${names[i]}: ${percent(w)}` },
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

// --- typing, and a guess ------------------------------------------------------------------------------

// Read a line and show all that the model makes of it, or say why it cannot be read. `right`: what is
// right for it, where the page knows that. What `decode` gives, with the probabilities `p`.
function read(text, right = null) {
  Link.keep();
  const { ids, why, note } = idsOf(text);
  asking(false);
  showReadable(Boolean(ids));
  if (!ids) {
    fill(byId("another-said"), filled(LINE_WORDS.stillFor, { why, line: lastRead }));
    return null;
  }
  lastRead = text;
  if (text !== told.line && state.tab === "cell") Places.openTab("overview"); // the cell is one of the line of the page
  Flow.leave(text);
  const begun = performance.now();
  const said = withChances(decode(ids));
  performance.measure("decode", { start: begun });
  const { differs, was } = before(text, ids);
  picture(text, said, was);
  if (byId("sampling").open) Sampling.show({ ...said, shown: named });
  fill(byId("another-read"), text);
  const apart = output(said.written, was);
  showSteps(said, was);
  fill(
    byId("another-said"),
    note,
    likelihood(text, said, apart ? differs : null),
    right === null
      ? null
      : filled(textOf(said.written) === right ? LINE_WORDS.readRightly : LINE_WORDS.misread, { right }),
  );
  return said;
}

// What cannot be read leaves what stands below as it is: marked as old, and nothing of it can be chosen.
function showReadable(on) {
  byId("another-line").setAttribute("aria-invalid", String(!on));
  byId("another").parentElement.classList.toggle("stale", !on);
  for (const part of [byId("flow"), byId("sampling"), document.querySelector(".writing")])
    if (part) part.inert = !on;
}

const withChances = (said) => ({ ...said, p: said.scores.map(chances) });

function textOf(written) {
  const symbols = written.filter((id) => id !== told.end).map((id) => told.symbols[id]);
  return symbols.join(told.level === "word" ? " " : "");
}

// What the answer for a line is compared with, and why it can differ: what is cut, or the line.
function before(line, ids) {
  if (FlowCuts.allCut().length) return { differs: "cut", was: writtenUncut(line, ids) };
  return { differs: line === told.line ? null : "line", was: told.wrote };
}

function writtenUncut(line, ids) {
  const known = FlowCuts.writtenUncut(line);
  if (known) return known;
  const found = FlowCuts.whole(() => decode(ids).written);
  decode(ids); // the machine has the line with the cuts again
  return found;
}

// How sure it is of all that it writes, and what else there is to know of it.
function likelihood(line, said, differs = null) {
  const share = percent(said.written.reduce((product, id, t) => product * said.p[t][id], 1));
  const symbols = plural(said.written.length, "symbol");
  const tabs = line !== told.line ? "line" : FlowCuts.allCut().length ? "cut" : null;
  return filled(LINE_WORDS.hasRead, {
    symbols,
    share,
    others: differs ? filled(LINE_WORDS.otherThan[differs], told) : "",
    sure: line === told.line ? "" : LINE_WORDS.sureOfAny,
    tabs: tabs ? filled(LINE_WORDS.otherTabs[tabs], told) : "",
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
    ? filled(LINE_WORDS.becomes, { was: bare(was[other[0]]), is: bare(is[other[0]]) })
    : text;
}

// Which symbols will be other ones? Asked before the answer is shown.
function ask(text, right) {
  byId("another-line").value = text;
  if (byId("flow")) Flow.hide();
  asking(true);
  fill(byId("another-output"));
  fill(byId("another-said"));
  const guessed = new Set(); // places of symbols
  const mark = (i) => (event) => {
    if (!guessed.delete(i)) guessed.add(i);
    event.target.setAttribute("aria-pressed", String(guessed.has(i)));
  };
  const box = byId("another-guess");
  fill(
    box,
    make("p", {}, filled(LINE_WORDS.whichChange, { line: told.line, text })),
    told.wrote.map((id, i) =>
      make("button", { "aria-pressed": "false", onclick: mark(i) }, named(told.symbols[id])),
    ),
    make("button", { class: "primary", onclick: () => answer(text, right, guessed) }, "Show"),
  );
  box.querySelector("button").focus();
}

// Show what it writes, with a verdict on the guess; the picture follows the first symbol that changed.
function answer(text, right, guessed) {
  const said = read(text, right);
  const changed = said.written.findIndex((id, t) => id !== told.wrote[t]);
  if (changed >= 0 && byId("flow")?.hidden === false) Flow.follow(changed);
  byId("another-said").prepend(...verdict(guessed, said.written), " ");
  byId("another-line").focus();
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
    filled(LINE_WORDS.guessed, { hits: count - wrong.length, count }),
    missed.length ? filled(LINE_WORDS.guessedMissed, { list: list(missed, true) }) : "",
    needless.length ? filled(LINE_WORDS.guessedNeedlessly, { list: list(needless, false) }) : "",
  ];
}

// --- the start ----------------------------------------------------------------------------------------

// Lines to try: that of the page, others of its kind, and examples of which the right answer is known.
function exampleButtons() {
  const variations = told.variations.filter((text) => idsOf(text).note === "");
  const examples = [[told.line, null], ...variations.map((text) => [text, null]), ...told.examples];
  return examples.map(([text, right]) =>
    make(
      "button",
      {
        onclick: () => {
          FlowCuts.takeBack();
          if (text === told.line) typed(text);
          else ask(text, right);
        },
      },
      told.variations.includes(text) ? variation(text) : text,
    ),
  );
}

// Read the line of the page while nothing else is to be done, so that the first key is answered at once.
function readFirst() {
  if (byId("another-line").value !== told.line) return; // a link to the page had another one
  const said = withChances(decode(idsOf(told.line).ids));
  picture(told.line, said, told.wrote);
  fill(byId("another-said"), likelihood(told.line, said));
}

if (told && byId("another")) {
  byId("another").hidden = false;
  byId("another-line").addEventListener("input", (event) => read(event.target.value));
  output(told.wrote, told.wrote);
  fill(byId("another-examples"), exampleButtons());
  Sampling.listen();
  byId("sampling").addEventListener("toggle", () => {
    const { ids } = idsOf(byId("another-line").value);
    if (byId("sampling").open) Sampling.show({ ...decode(ids ?? idsOf(told.line).ids), shown: named });
  });
  (window.requestIdleCallback || setTimeout)(readFirst);
}
