// --- from letters to a digit: sentences and buttons around the picture --------------------------------

import { filled } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import { byId, fill, keepFocus, make, say } from "./dom.js";
import { model } from "./line_model.js";
import * as FlowReading from "./flow_reading.js";
import * as FlowParts from "./flow_parts.js";
import * as FlowEffects from "./flow_effects.js";
import * as Flow from "./flow.js";
import * as FlowCuts from "./flow_cuts.js";
import * as FlowLetters from "./flow_letters.js";
import * as FlowScene from "./flow_scene.js";
import * as FlowNames from "./flow_names.js";
import * as FlowSaid from "./flow_said.js";

// The symbols of the output: one of them is followed.
function symbolButtons() {
  const focused = byId("flow-steps").contains(document.activeElement);
  fill(
    byId("flow-steps"),
    FlowReading.now().written.map((id, t) =>
      make(
        "button",
        {
          role: "radio",
          "aria-checked": String(t === Flow.state.step),
          tabindex: t === Flow.state.step ? 0 : -1,
          "aria-label": filled(LINE_WORDS.stepOfOutput, {
            step: t + 1,
            symbol: FlowReading.visible(model.symbols[id]),
          }),
          class: id === FlowReading.now().was[t] ? null : "changed",
          onclick: () => Flow.follow(t),
        },
        FlowReading.visible(model.symbols[id]),
      ),
    ),
  );
  if (focused) byId("flow-steps").children[Flow.state.step].focus();
}

// What the picture says of the symbol, or of the part that is chosen.
function summary() {
  const part = Flow.partChosen();
  pointed();
  keepFocus(() => fill(byId("flow-summary"), part ? brief(part) : ofSymbol()));
}

const sentence = (words, name = null) => (words ? make("p", { class: name }, words) : null);

// On the symbol that is followed: its most important letters and heads, and buttons.
function ofSymbol() {
  const symbol = FlowScene.followed("target");
  if (!FlowEffects.now().complete)
    return [sentence(FlowSaid.leadNow()), sentence(LINE_WORDS.measuring, "soft")];
  return [
    sentence(FlowSaid.leadNow()),
    sentence(FlowSaid.rests("letter")),
    sentence(FlowSaid.rests("head")),
    make("p", { class: "acts" }, toLetters(), toFade(), toUnguessed()),
    sentence(FlowSaid.guess()),
    sentence(FlowSaid.needless()),
    sentence(FlowSaid.widest(), "moral"),
    Flow.state.fades ? sentence(filled(LINE_WORDS.faded, { symbol }), "soft") : null,
  ];
}

// Fades all that does not help; pressed again, nothing.
const toFade = () =>
  make(
    "button",
    {
      "aria-pressed": String(Flow.state.fades),
      "data-field": "fade",
      onclick: () => Flow.fade(!Flow.state.fades),
    },
    filled(LINE_WORDS.all, { symbol: FlowScene.followed("target") }),
  );

// A button that tries other letters in place of the letter that helps most, or that heads look at most.
function toLetters() {
  if (!FlowReading.looking().length) return null;
  const k = Flow.helping("letter")[0]?.k ?? Flow.state.letter;
  return make("button", { onclick: () => Flow.toLetter(k) }, FlowSaid.toTryLetters(k));
}

// A button that leads from a guessed symbol to one that is not guessed.
function toUnguessed() {
  const { guesses } = FlowEffects.now();
  const t = FlowEffects.leastGuessed(guesses);
  if (guesses[Flow.state.step].id !== Flow.symbol() || guesses[t].id === FlowReading.now().written[t])
    return null;
  const words = filled(LINE_WORDS.unguessed, { place: t + 1 });
  return make("button", { onclick: () => Flow.follow(t) }, words);
}

// Sentences on a part, beside the picture.
function brief(part) {
  const symbol = FlowScene.followed("target");
  return [
    make(
      "p",
      { class: "about-part" },
      make("b", {}, FlowNames.ofPart(part)),
      make("button", { class: "small", "aria-label": "Close", onclick: () => Flow.choose(null) }, "✕"),
    ),
    make(
      "p",
      { class: "acts" },
      part.cuts ? cutSwitch(part, "beside") : null,
      make("button", { onclick: () => Flow.fade(true) }, filled(LINE_WORDS.all, { symbol })),
      part.h === undefined ? null : make("button", { class: "link", onclick: toTable }, LINE_WORDS.table),
    ),
    part.kind === "letter" ? [sentence(FlowSaid.carried(part.k)), otherLetters()] : null,
    FlowSaid.sentences(part).map((words) => sentence(words)),
  ];
}

// Other letters in place of one, grouped by the output with them; a button puts each there.
function otherLetters() {
  const groups = FlowLetters.groups();
  if (!groups.length) return sentence(FlowLetters.isTrying() ? LINE_WORDS.trying : "", "soft");
  const changing = groups.filter(({ written }) => FlowLetters.isOther(written));
  const same = groups.find(({ written }) => FlowLetters.isSame(written));
  return [
    sentence(FlowSaid.lettersThatChange(changing.flatMap(({ letters }) => letters).length)),
    make(
      "ul",
      { class: "others" },
      groups
        .filter((group) => group !== same)
        .map(({ written, letters }) => make("li", {}, make("b", {}, answer(written)), toPut(letters))),
    ),
    same &&
      make(
        "details",
        { class: "others", open: byId("flow-summary").querySelector("details.others")?.open },
        make("summary", {}, filled(LINE_WORDS.sameLetters, { count: same.letters.length })),
        toPut(same.letters),
      ),
  ];
}

// An output, with marks at symbols that differ from the output of now.
const answer = (written) =>
  written
    .filter((id) => id !== model.end)
    .map((id, t) =>
      make(
        "span",
        { class: id === FlowReading.now().written[t] ? null : "changed" },
        FlowReading.visible(model.symbols[id]),
      ),
    );

const toPut = (letters) =>
  letters.map((letter) =>
    make("button", { onclick: () => FlowLetters.put(letter) }, FlowReading.visible(letter)),
  );

function toTable() {
  byId("flow-details").scrollIntoView({ block: "nearest" });
  byId("flow-details").focus({ preventScroll: true });
}

// Sentences on the part under the pointer, in place of the chosen part.
function pointed() {
  const part = Flow.partPointed();
  const beside = byId("flow-figure").classList.contains("beside");
  byId("flow-pointed").hidden = !part || !beside;
  if (part && beside)
    fill(
      byId("flow-pointed"),
      make("p", {}, make("b", {}, FlowNames.ofPart(part))),
      FlowSaid.sentences(part).map((words) => sentence(words)),
    );
}

// On, or cut. The same switch can stand in several places: `place` tells them apart.
function cutSwitch(part, place) {
  const off = FlowCuts.isCut(part.key);
  return make(
    "button",
    {
      class: "switch",
      role: "switch",
      "aria-checked": String(!off),
      "aria-label": `${FlowNames.ofPart(part)}: ${off ? "cut" : "on"}`,
      "data-field": `${place} ${part.key}`,
      onclick: () => {
        FlowCuts.turn(part);
        say(`${FlowNames.ofPart(part)}: ${FlowCuts.isCut(part.key) ? "cut" : "on"}`);
      },
    },
    off ? "cut" : "on",
  );
}

// What is cut now, and all of the part that is chosen.
function details() {
  const part = Flow.partChosen();
  const off = FlowCuts.allCut();
  byId("flow-cut").hidden = !off.length;
  fill(
    byId("flow-cut"),
    LINE_WORDS.cutNow,
    " ",
    off.map((one, i) => [
      i ? "; " : "",
      make("button", { class: "link", onclick: () => Flow.choose(one.key) }, FlowNames.ofPart(one)),
      make("span", { class: "soft" }, ` ${FlowSaid.reach(one)}`),
    ]),
    ". ",
    filled(LINE_WORDS.cutWrites, { written: FlowSaid.writtenNow() }),
    " ",
    make("button", { onclick: FlowCuts.putBack }, "Put all back"),
  );
  keepFocus(() =>
    fill(byId("flow-details"), part ? about(part) : make("p", { class: "soft" }, LINE_WORDS.choose)),
  );
}

// All that is known of a part, below the picture.
function about(part) {
  const { kind, stage, h } = part;
  return [
    make(
      "h2",
      {},
      FlowNames.ofPart(part),
      stage ? make("span", { class: "soft mono" }, ` ${stage.path}`) : null,
    ),
    stage ? make("p", {}, filled(LINE_WORDS.about, stage)) : null,
    FlowSaid.sentences(part).map((words) => sentence(words)),
    make(
      "p",
      { class: "acts" },
      part.cuts ? cutSwitch(part, "below") : null,
      stage ? make("button", { onclick: () => FlowScene.openBox(stage) }, "Its box in the drawing") : null,
      kind === "edge" && FlowScene.cellOf(part)
        ? make("button", { onclick: () => FlowScene.openCell(part) }, "Its query and key")
        : null,
    ),
    h === undefined ? null : edgeTable(part),
  ];
}

// Where a head looks, widest first; each ribbon can be chosen, and cut.
function edgeTable({ stage, s, h }) {
  const edges = [...Flow.state.parts.values()]
    .filter((one) => one.kind === "edge" && one.s === s && one.h === h)
    .sort((a, b) => b.width - a.width);
  if (!edges.length) return null;
  const symbol = FlowScene.followed(stage.side);
  return make(
    "table",
    {},
    make("caption", {}, filled(LINE_WORDS.edges[stage.side], { symbol })),
    make(
      "tr",
      {},
      ["looks at", "attention", "does", "ribbon"].map((name) => make("th", { scope: "col" }, name)),
    ),
    edges.map(edgeRow),
  );
}

function edgeRow(edge) {
  const symbol = FlowReading.visible(FlowReading.symbolsOf(edge.stage.reads)[edge.k]);
  const to = { class: "link", "data-field": `to ${edge.key}`, onclick: () => Flow.choose(edge.key) };
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, make("button", to, symbol)),
    make("td", {}, FlowNames.share(edge.width)),
    make("td", {}, FlowEffects.does(edge.key)),
    make("td", {}, cutSwitch(edge, "row")),
  );
}

// The letter whose ribbons the encoder shows.
function letterChoice() {
  byId("flow-by").hidden = !FlowReading.now().source.length;
  fill(
    byId("flow-letter"),
    FlowReading.now().source.map((symbol, k) =>
      make(
        "option",
        { value: k, selected: k === Flow.state.letter },
        `${k + 1}: ${FlowReading.visible(symbol)}`,
      ),
    ),
  );
}

// The names of the stages, as numbered in the picture, and a button for each head.
function stageList() {
  const now = FlowScene.stageNow();
  const { stages } = model;
  fill(
    byId("flow-stages"),
    stages.map((stage, s) => [stageName(stage, s, s === now), " "]),
  );
  fill(
    byId("flow-heads"),
    stages.map((stage, s) => (stage.reads === null ? null : make("li", {}, headButtons(stage, s)))),
  );
}

function stageName(stage, s, isNow) {
  const to = {
    class: "link",
    "aria-current": isNow ? "step" : null,
    onclick: () => Flow.choose(FlowParts.keyOf({ kind: "stage", s })),
  };
  return make(
    "li",
    {},
    make(
      "span",
      { class: "whole" },
      make("span", { class: "numeral" }, `${s + 1} `),
      make("button", to, FlowNames.ofStage(stage)),
    ),
    isNow ? make("span", { class: "badge" }, LINE_WORDS.here) : null,
    make("span", { class: "soft" }, `: ${stage.about}.`),
  );
}

function headButtons(stage, s) {
  return [
    make(
      "span",
      { class: "soft" },
      filled(LINE_WORDS.headsOf, { number: s + 1, stage: FlowNames.ofStage(stage) }),
    ),
    FlowReading.headsOf(stage).map((h) => {
      const key = FlowParts.keyOf({ kind: "head", s, h });
      const name = filled(LINE_WORDS.head, { head: h + 1, stage: FlowNames.ofStage(stage) });
      return make("button", { "aria-label": name, "data-head": key, onclick: () => Flow.choose(key) }, h + 1);
    }),
  ];
}

export { details, letterChoice, pointed, stageList, summary, symbolButtons };
