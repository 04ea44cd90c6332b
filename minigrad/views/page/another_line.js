// --- another line: what a model writes for a text that is typed, decoded again at each key ------------

import { filled, plural } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import { SPECIAL } from "./symbols.js";
import { byId, fill, make } from "./dom.js";
import { state } from "./state.js";
import { hear } from "./events.js";
import * as Arrays from "./arrays.js";
import { decode, idsOf, model, textOf } from "./line_model.js";
import * as Flow from "./flow.js";
import * as FlowCuts from "./flow_cuts.js";
import * as Sampling from "./sampling.js";
import * as LineShown from "./line_shown.js";
import * as Link from "./link.js";
import * as Places from "./places.js";

let lastRead = model.line; // the line that the picture is of

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
  // A cell of an attention map is one of the line of the page.
  if (text !== model.line && state.panelTab === "cell") Places.openTab("overview");
  Flow.forget(text);
  const begun = performance.now();
  const decoded = withChances(decode(ids));
  performance.measure("decode", { start: begun });
  const { differs, was } = before(text, ids);
  Flow.show({ ...decoded, line: text, was });
  if (byId("sampling").open) Sampling.show({ ...decoded, shown: LineShown.named });
  fill(byId("another-read"), text);
  const apart = LineShown.output(decoded.written, was);
  LineShown.showSteps(decoded, was);
  fill(
    byId("another-said"),
    note,
    likelihood(text, decoded, apart ? differs : null),
    right === null
      ? null
      : filled(textOf(decoded.written) === right ? LINE_WORDS.readRightly : LINE_WORDS.misread, { right }),
  );
  return decoded;
}

// What cannot be read leaves what stands below as it is: marked as old, and nothing of it can be chosen.
function showReadable(on) {
  byId("another-line").setAttribute("aria-invalid", String(!on));
  byId("another").parentElement.classList.toggle("stale", !on);
  for (const part of [byId("flow"), byId("sampling"), document.querySelector(".writing")])
    if (part) part.inert = !on;
}

const withChances = (decoded) => ({ ...decoded, p: decoded.scores.map((scores) => Arrays.softmax(scores)) });

// The output with which the answer for a line is compared, and the reason why it may differ.
function before(line, ids) {
  if (FlowCuts.allCut().length) return { differs: "cut", was: writtenUncut(line, ids) };
  return { differs: line === model.line ? null : "line", was: model.wrote };
}

function writtenUncut(line, ids) {
  const known = FlowCuts.writtenUncut(line);
  if (known) return known;
  const found = FlowCuts.whole(() => decode(ids).written);
  decode(ids); // the machine has the line with the cuts again
  return found;
}

// How sure it is of all that it writes, and what else there is to know of it.
function likelihood(line, decoded, differs = null) {
  const together = decoded.written.reduce((product, id, t) => product * decoded.p[t][id], 1);
  const share = Arrays.percent(together, 1);
  const symbols = plural(decoded.written.length, "symbol");
  const tabs = line !== model.line ? "line" : FlowCuts.allCut().length ? "cut" : null;
  return filled(LINE_WORDS.hasRead, {
    symbols,
    share,
    others: differs ? filled(LINE_WORDS.otherThan[differs], model) : "",
    tabs: tabs ? filled(LINE_WORDS.otherTabs[tabs], model) : "",
  });
}

// As if this were typed.
function typed(text) {
  byId("another-line").value = text;
  read(text);
}

const bare = (word) => word.replace(/[,.;]$/, "");

// The word of a line that differs from the line of the page, if it is only one; else the whole line.
function variation(text) {
  const [was, is] = [model.line, text].map((line) => line.split(" "));
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
    make("p", {}, filled(LINE_WORDS.whichChange, { line: model.line, text })),
    model.wrote.map((id, i) =>
      make("button", { "aria-pressed": "false", onclick: mark(i) }, LineShown.named(model.symbols[id])),
    ),
    make("button", { class: "primary", onclick: () => answer(text, right, guessed) }, "Show"),
  );
  box.querySelector("button").focus();
}

// Show the output, with a verdict on the guess. The picture follows the first symbol that changed.
function answer(text, right, guessed) {
  const decoded = read(text, right);
  const changed = decoded.written.findIndex((id, t) => id !== model.wrote[t]);
  if (changed >= 0 && byId("flow")?.hidden === false) Flow.follow(changed);
  byId("another-said").prepend(...verdict(guessed, decoded.written), " ");
  byId("another-line").focus();
}

// While a guess is asked, hide the answer, and the answer before.
function asking(on) {
  byId("another-guess").hidden = !on;
  byId("another").parentElement.classList.toggle("asking", on);
}

// Which symbols were missed, and which were named but stay.
function verdict(guessed, written) {
  const wrong = model.wrote.flatMap((id, i) => (guessed.has(i) === (id !== written[i]) ? [] : [i]));
  const symbol = (id) => `“${SPECIAL[model.symbols[id]] ?? model.symbols[id] ?? ""}”`;
  const list = (some, words) =>
    some
      .map((i) => filled(words, { place: i + 1, symbol: symbol(model.wrote[i]), now: symbol(written[i]) }))
      .join("; ");
  const missed = wrong.filter((i) => !guessed.has(i));
  const needless = wrong.filter((i) => guessed.has(i));
  const count = model.wrote.length;
  return [
    filled(LINE_WORDS.guessed, { hits: count - wrong.length, count }),
    missed.length ? filled(LINE_WORDS.guessedMissed, { list: list(missed, LINE_WORDS.symbolMissed) }) : "",
    needless.length
      ? filled(LINE_WORDS.guessedNeedlessly, { list: list(needless, LINE_WORDS.symbolNamed) })
      : "",
  ];
}

// --- the start ----------------------------------------------------------------------------------------

// Lines to try: the line of the page, variations of it, and examples whose right answer is known.
function exampleButtons() {
  const variations = model.variations.filter((text) => idsOf(text).note === "");
  const examples = [[model.line, null], ...variations.map((text) => [text, null]), ...model.examples];
  return examples.map(([text, right]) =>
    make(
      "button",
      {
        onclick: () => {
          FlowCuts.takeBack();
          if (text === model.line) typed(text);
          else ask(text, right);
        },
      },
      model.variations.includes(text) ? variation(text) : text,
    ),
  );
}

// Read the line of the page while nothing else is to be done, so that the first key is answered at once.
function readFirst() {
  if (byId("another-line").value !== model.line) return; // a link to the page had another one
  const decoded = withChances(decode(idsOf(model.line).ids));
  Flow.show({ ...decoded, line: model.line, was: model.wrote });
  fill(byId("another-said"), likelihood(model.line, decoded));
}

hear("flow-line", typed);

if (byId("another")) {
  byId("another").hidden = false;
  byId("another-line").addEventListener("input", (event) => read(event.target.value));
  LineShown.output(model.wrote, model.wrote);
  fill(byId("another-examples"), exampleButtons());
  Sampling.listen();
  byId("sampling").addEventListener("toggle", () => {
    const { ids } = idsOf(byId("another-line").value);
    if (byId("sampling").open)
      Sampling.show({ ...decode(ids ?? idsOf(model.line).ids), shown: LineShown.named });
  });
  (window.requestIdleCallback || setTimeout)(readFirst);
}
