// --- the output of a model, with the scores and the weights of each symbol ----------------------------

import { filled, WORDS } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import { SPACE, SPECIAL } from "./symbols.js";
import { byId, fill, make, softSpan } from "./dom.js";
import * as Arrays from "./arrays.js";
import { hasEncoder, model, readNames } from "./line_model.js";

// As the section of the page shows the line that it is of: see minitransformer's `explain`.

const PAUSE = 150; // milliseconds until the steps are shown
const percent = (share) => Arrays.percent(share, 1);
const named = (name) =>
  SPECIAL[name] ? make("span", { class: "special" }, SPECIAL[name]) : name === " " ? SPACE : name;
const lookedAt = (id) => (hasEncoder ? readNames.get(id) : model.symbols[id]);

// A step of writing: the output before it, the likeliest symbols, and the attention of each head.
// `decoded`: the result of `decode`, with the probabilities `p`; `was`: the output for the line before.
function step(decoded, t, was) {
  const names = decoded.written.map((id) => model.symbols[id]);
  const isNew = decoded.written[t] !== was[t] ? "changed" : "";
  const words = LINE_WORDS.headNumber[decoded.weights.length > 1 ? "inLayer" : "alone"];
  const rows = decoded.weights.flatMap((heads, layer) =>
    heads.map((rowsOf, h) => look(decoded, rowsOf[t], filled(words, { layer: layer + 1, head: h + 1 }))),
  );
  const earlier = rows.length > model.heads ? rows.length - decoded.weights.at(-1).length : 0;
  return make(
    "li",
    {},
    make(
      "div",
      { class: "so-far" },
      make("span", { class: "label" }, "written"),
      t ? names.slice(0, t).map(named) : softSpan(WORDS.nothingYet),
      make("b", { class: `next ${isNew}`.trim() }, named(names[t])),
    ),
    make("div", { class: "chances" }, bars(decoded.p[t])),
    make(
      "div",
      { class: "looks" },
      earlier
        ? make("details", {}, make("summary", {}, LINE_WORDS.layersBefore), rows.slice(0, earlier))
        : null,
      rows.slice(earlier),
    ),
  );
}

let later = 0;
// Show what stands below the picture, once nothing has been typed for a moment: it is much to lay out.
function showSteps(decoded, was) {
  const box = document.querySelector(".writing");
  box.setAttribute("aria-busy", "true");
  clearTimeout(later);
  later = setTimeout(() => {
    fill(
      box,
      decoded.written.map((_, t) => step(decoded, t, was)),
    );
    box.removeAttribute("aria-busy");
  }, PAUSE);
}

// The likeliest symbols, each with a bar as long as its probability.
function bars(p) {
  return Arrays.ranked(p)
    .slice(0, model.likely)
    .map((k) =>
      make(
        "div",
        { class: "chance" },
        make("span", { class: "token" }, named(model.symbols[k])),
        make("span", { class: "bar" }, make("span", { style: `width:${percent(p[k])}` })),
        make("span", { class: "percent" }, percent(p[k])),
      ),
    );
}

// The attention of a head: each symbol as dark as its weight, and the symbol with the most.
function look(decoded, weights, name) {
  const top = Arrays.placeOfLargest(weights);
  const names = decoded.looked.map(lookedAt);
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

// Show the output, with marks at symbols that differ from before; return how many differ.
function output(written, was) {
  const apart = written.filter((id, i) => id !== was[i]).length;
  const shown = written.map((id, i) =>
    make("span", { class: id === was[i] ? null : "changed" }, named(model.symbols[id])),
  );
  fill(byId("another-output"), make("code", { class: "symbols" }, shown));
  return apart;
}

export { named, output, showSteps };
