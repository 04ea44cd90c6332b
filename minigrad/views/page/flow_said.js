// --- from letters to a digit: what the picture shows, in words; and what can be pressed beside it ----------------

import { filled, WORDS } from "./words.js";
import { byId, fill, keepFocus, make, say } from "./base.js";
import * as Ribbons from "./ribbons.js";
import * as FlowScene from "./flow_scene.js";
import * as Reading from "./flow_reading.js";
import * as Effects from "./flow_effects.js";
import * as Flow from "./flow.js";
import * as FlowCuts from "./flow_cuts.js";

const score = (v) => v.toFixed(1).replace("-", "−");

const share = (v) => v.toFixed(2);

const percent = (v) => `${(100 * v).toFixed(0)}%`;

// In words.
function named(part) {
  const { stage, kind, h, k } = part;
  if (kind === "letter")
    return filled(WORDS.flowLetter, {
      unit: unit("source"),
      symbol: Reading.quoted(Reading.now.source[k]),
      place: k + 1,
    });
  const name = stageName(stage);
  if (kind === "stage") return name;
  if (kind === "head") return filled(WORDS.flowHead, { head: h + 1, stage: name });
  return filled(WORDS.flowEdge, {
    head: h + 1,
    stage: name,
    key: Reading.quoted(Reading.symbolsOf(stage.reads)[k]),
    share: share(part.width),
  });
}

function stageName({ side, reads, name, layer }) {
  if (layer === null) return name; // there is one of it
  const sides = new Set(Reading.told.stages.map((stage) => stage.side)).size > 1;
  const layers = Reading.told.stages.some((stage) => stage.layer > 1);
  const place = sides && (reads ?? side) === side ? WORDS.flowSides[side] : "";
  return `${place}${name}${layers ? `, layer ${layer}` : ""}`;
}

// --- where heads look ---------------------------------------------------------------------------------------------

const MOST_READ = 3; // symbols of a head that are named

// What the symbols of a side are called.
function unit(side) {
  const apart = side === "target" && Reading.now.source.length;
  return apart ? "symbol" : Reading.told.level === "word" ? "word" : "letter";
}

// A symbol with its place, from 1: what stands at the start, and was not written, has none.
function placed(side, k) {
  const symbols = Reading.symbolsOf(side);
  const symbol = Reading.quoted(symbols[k]);
  const starts = symbols[0] === "<bos>";
  if (starts && k === 0) return symbol;
  return filled(WORDS.flowPlaced, { symbol, unit: unit(side), place: starts ? k : k + 1 });
}

// Where a head looks, widest first, in words.
function mostRead({ stage, h }, most = MOST_READ) {
  return Reading.symbolsOf(stage.reads)
    .map((_, k) => ({ k, width: Reading.weight(stage, h, Flow.rowOf(stage.side), k) }))
    .sort((a, b) => b.width - a.width)
    .filter(({ width }, i) => i < most && width >= 0.005)
    .map(({ k, width }) => `${placed(stage.reads, k)} ${percent(width)}`)
    .join(", ");
}

// What a part reads, in sentences.
function readBy(part) {
  const { kind, stage, h, k } = part;
  const symbol = FlowScene.followed("target");
  if (kind === "letter") return [letterReads(k), bothKinds(), WORDS.flowLetterAbout];
  if (stage.reads === null) return [stage.cut];
  if (kind !== "stage" && FlowCuts.isCut(part.key)) return [WORDS.flowReadsNothing];
  const alone = stage.side === "source" ? bothKinds() : null;
  if (kind === "edge")
    return [
      filled(WORDS.flowEdgeReads, {
        head: h + 1,
        key: placed(stage.reads, k),
        share: percent(part.width),
      }),
      alone,
    ];
  if (kind === "stage") {
    const heads = Array.from(
      { length: Reading.weightsOf(stage).shape[1] },
      (_, one) => `${one + 1}: ${mostRead({ stage, h: one }, 1)}`,
    );
    return [filled(WORDS.flowStageReads, { list: heads.join("; ") })];
  }
  const words = stage.reads === stage.side ? stage.side : "line";
  return [
    filled(WORDS.flowReads[words], {
      symbol: stage.side === "source" ? placed("source", Flow.letter) : symbol,
      list: mostRead(part),
    }),
    alone,
  ];
}

// What the numbers of the encoder are for, beside its ribbons.
const bothKinds = () =>
  filled(WORDS.flowBothKinds, { letter: placed("source", Flow.letter), units: `${unit("source")}s` });

// Which heads take from a letter.
function letterReads(k) {
  const list = Reading.told.stages
    .filter((stage) => stage.reads === "source" && stage.side === "target")
    .flatMap((stage) => {
      const layer = Reading.told.stages.some((one) => one.layer > 1) ? `layer ${stage.layer}, ` : "";
      return Array.from({ length: Reading.weightsOf(stage).shape[1] }, (_, h) => ({
        width: Reading.weight(stage, h, Flow.rowOf(stage.side), k),
        said: `${layer}head ${h + 1} ${percent(Reading.weight(stage, h, Flow.rowOf(stage.side), k))}`,
      }));
    })
    .filter(({ width }) => width >= Ribbons.LEAST)
    .map(({ said }) => said)
    .join(", ");
  const cut = FlowCuts.isCut(`letter ${Flow.rowOf("target")} ${k}`);
  return filled(WORDS.flowLetterRead[cut ? "cut" : list ? "some" : "none"], {
    symbol: FlowScene.followed("target"),
    list,
  });
}

// The symbols of the output: one of them is followed.
function symbolButtons() {
  const focused = byId("flow-steps").contains(document.activeElement);
  fill(
    byId("flow-steps"),
    Reading.now.written.map((id, t) =>
      make(
        "button",
        {
          role: "radio",
          "aria-checked": String(t === Flow.step),
          tabindex: t === Flow.step ? 0 : -1,
          "aria-label": filled(WORDS.stepOfOutput, {
            step: t + 1,
            symbol: Reading.visible(Reading.told.symbols[id]),
          }),
          class: id === Reading.told.wrote[t] ? null : "changed",
          onclick: () => Flow.follow(t),
        },
        Reading.visible(Reading.told.symbols[id]),
      ),
    ),
  );
  if (focused) byId("flow-steps").children[Flow.step].focus();
}

// What the picture says of this symbol, in sentences.
function summary() {
  const symbol = FlowScene.followed("target");
  const other = symbolNamed(Effects.margin.other);
  const [lead, own, second] = [Effects.margin.margin, Effects.margin.own, Effects.margin.second].map(score);
  const part = Flow.partChosen();
  pointed();
  if (part) return keepFocus(() => fill(byId("flow-summary"), brief(part)));
  fill(
    byId("flow-summary"),
    make("p", {}, filled(WORDS.flowLead, { symbol, lead, own, other, second })),
    Effects.known.complete
      ? [
          rests("letter", 4, WORDS.flowLetters, letterNamed),
          needed(symbol),
          rests("head", 2, WORDS.flowHeads, looksMost),
          make("p", { class: "moral" }, widest(symbol)),
          make(
            "p",
            { class: "acts" },
            make(
              "button",
              {
                "aria-pressed": String(Flow.leads),
                "data-field": "leads",
                onclick: () => Flow.onlyLeads(!Flow.leads),
              },
              filled(WORDS.flowAll, { symbol }),
            ),
          ),
          Flow.leads ? make("p", { class: "soft" }, filled(WORDS.flowFaded, { symbol })) : null,
        ]
      : make("p", { class: "soft" }, WORDS.flowMeasuring),
  );
}

// Beside the picture, what is worked out below.
function brief(part) {
  const symbol = FlowScene.followed("target");
  return [
    make("p", {}, make("b", {}, named(part))),
    make(
      "p",
      { class: "acts" },
      part.cuts ? cutSwitch(part, "beside") : null,
      make("button", { onclick: () => Flow.onlyLeads(true) }, filled(WORDS.flowAll, { symbol })),
      part.h === undefined ? null : make("button", { class: "link", onclick: toTable }, WORDS.flowTable),
    ),
    sentences(part),
  ];
}

// What a part reads, and what it does.
const sentences = (part) =>
  [...readBy(part), raises(part), outcome(part)].filter(Boolean).map((sentence) => make("p", {}, sentence));

// Of which scores: told by the run without it.
function raises(part) {
  const [up, down] = Effects.known.moves.get(part.key) ?? [];
  if (!up || (Effects.isNothing(up.by) && Effects.isNothing(down.by))) return "";
  return filled(WORDS.flowRaises, {
    up: symbolNamed(up.id),
    raised: score(up.by),
    down: symbolNamed(down.id),
    lowered: score(-down.by),
  });
}

function toTable() {
  byId("flow-details").scrollIntoView({ block: "nearest" });
  byId("flow-details").focus({ preventScroll: true });
}

// Of the part that is pointed at, in place of the one that is chosen.
function pointed() {
  const part = Flow.partPointed();
  const beside = byId("flow-figure").classList.contains("beside");
  byId("flow-pointed").hidden = !part || !beside;
  if (part && beside) fill(byId("flow-pointed"), make("p", {}, make("b", {}, named(part))), sentences(part));
}

function tipOf(part) {
  if (!part.cuts) return named(part);
  return filled(WORDS.flowTip, { name: named(part), change: Effects.does(part.key) });
}

// On which parts of that kind the symbol rests.
function rests(kind, most, words, name) {
  const found = [...Flow.parts.values()]
    .filter((part) => part.kind === kind && Effects.effect(part.key) === "for")
    .sort((a, b) => Effects.lossOf(b.key) - Effects.lossOf(a.key))
    .slice(0, most);
  const list = found.map((part) => `${name(part)} ${Effects.does(part.key)}`).join("; ");
  return found.length ? make("p", {}, filled(words, { list })) : null;
}

// A head, and the one symbol that it looks at most. One of the encoder does so for each letter.
const looksMost = (part) =>
  part.stage.side === "source"
    ? named(part)
    : filled(WORDS.flowHeadLooks, { head: named(part), key: mostRead(part, 1) });

const letterNamed = ({ k }) => Reading.quoted(Reading.now.source[k]);

// To help is not to be needed: of which letter the loss is more than the lead.
function needed(symbol) {
  const parts = [...Flow.parts.values()].filter(({ kind }) => kind === "letter");
  if (!parts.length || parts.some(({ key }) => !Effects.known.losses.has(key))) return null;
  const list = parts
    .filter(({ key }) => Effects.lossOf(key) > Effects.margin.margin)
    .map(letterNamed)
    .join(", ");
  return make("p", {}, filled(WORDS.flowLettersNeeded[list ? "some" : "none"], { symbol, list }));
}

// The widest ribbon need not be what helps: said with the one that is here.
function widest(symbol) {
  const edges = [...Flow.parts.values()]
    .filter(({ kind, stage }) => kind === "edge" && stage.side === "target")
    .sort((a, b) => b.width - a.width);
  if (!edges.length) return "";
  const said = (words, part) => filled(words, { edge: named(part), symbol, change: Effects.does(part.key) });
  const against = edges.find(({ key }) => Effects.effect(key) === "against");
  const first = Effects.effect(edges[0].key);
  return first === "for" && against
    ? said(WORDS.flowAgainst, against)
    : said(WORDS.flowWidest[first], edges[0]);
}

// --- a part that is chosen ----------------------------------------------------------------------------------------

const symbolNamed = (id) => Reading.quoted(Reading.told.symbols[id]);

// How far a symbol's score is above the best of the others, or below it.
const ahead = (lead, other) =>
  filled(WORDS.flowAhead[lead < 0 ? "behind" : "ahead"], {
    lead: score(Math.abs(lead)),
    other: symbolNamed(other),
  });

const scored = (id) => `${symbolNamed(id)} ${score(Reading.scoresAt(Flow.rowOf("target"))[id])}`;

function outcome(part) {
  if (!part.cuts) return filled(WORDS.flowScores, { list: FlowScene.likeliest().map(scored).join(", ") });
  const lost = Effects.lossOf(part.key);
  if (lost === undefined) return WORDS.flowMeasuring;
  const symbol = FlowScene.followed("target");
  const { margin: lead, other } = Effects.margin;
  const rival = Effects.known.rivals.get(part.key);
  const now = ahead(lead, other);
  if (FlowCuts.isCut(part.key)) {
    const before = FlowCuts.beforeCut(part);
    if (before) return sinceCut(before);
    return [
      filled(WORDS.flowWouldGain, { symbol, now, other: ahead(lead + lost, rival) }),
      inPlaceOf(FlowCuts.writtenUncut(Reading.now.line)?.[Flow.step]),
    ].join(" ");
  }
  return [
    Effects.effect(part.key) === "nothing"
      ? filled(WORDS.flowWouldStay, { symbol, now })
      : filled(WORDS.flowWouldLose, {
          symbol,
          now,
          other: ahead(lead - lost, rival),
          change: Effects.does(part.key),
        }),
    lead > 0 && lost > lead
      ? filled(WORDS.flowMore, { lead: score(lead), other: symbolNamed(rival) })
      : blind(part),
  ].join(" ");
}

// Of what is written without a look at the line, the line is no reason.
function blind({ kind, stage }) {
  const reads = (one) => one.reads === "source" && one.side === "target";
  if (kind !== "stage" || !reads(stage) || Reading.told.stages.filter(reads).length > 1) return "";
  return filled(WORDS.flowBlind, { symbol: FlowScene.followed("target") });
}

const inPlaceOf = (id) =>
  id === undefined || id === Flow.symbol()
    ? ""
    : filled(WORDS.flowCutElse, { now: FlowScene.followed("target"), before: symbolNamed(id) });

// What a cut changed, in the numbers that the picture showed before it.
function sinceCut({ written, lead: { margin: lead, other }, lost, rival }) {
  const id = written[Flow.step];
  const text = (ids) =>
    ids
      .slice(0, Flow.step)
      .map((one) => Reading.visible(Reading.told.symbols[one]))
      .join("");
  const [now, before] = [text(Reading.now.written), text(written)];
  const symbol = symbolNamed(id);
  const was = ahead(lead, other);
  if (now !== before)
    return [
      inPlaceOf(id),
      lost === undefined
        ? filled(WORDS.flowCutOnly, { now, before })
        : filled(WORDS.flowCutEarlier, { now, before, symbol, was, other: ahead(lead - lost, rival) }),
    ].join(" ");
  const found = Reading.marginOf(Reading.scoresAt(Flow.rowOf("target")), id);
  const is = ahead(found.margin, found.other);
  if (id !== Flow.symbol())
    return filled(WORDS.flowCutOther, { now: FlowScene.followed("target"), before: symbol, was, is });
  if (Effects.isNothing(lead - found.margin, lead)) return filled(WORDS.flowWouldStay, { symbol, now: was });
  return filled(WORDS.flowCutSame, { symbol, is, was, change: Effects.signed(lead - found.margin) });
}

function cutSwitch(part, place) {
  const off = FlowCuts.isCut(part.key);
  return make(
    "button",
    {
      class: "switch",
      role: "switch",
      "aria-checked": String(!off),
      "aria-label": `${named(part)}: ${off ? "cut" : "on"}`,
      "data-field": `${place} ${part.key}`,
      onclick: () => {
        FlowCuts.turn(part);
        say(`${named(part)}: ${FlowCuts.isCut(part.key) ? "cut" : "on"}`);
      },
    },
    off ? "cut" : "on",
  );
}

function details() {
  const part = Flow.partChosen();
  const off = FlowCuts.allCut();
  byId("flow-cut").hidden = !off.length;
  fill(
    byId("flow-cut"),
    WORDS.flowCutNow,
    " ",
    off.map((one, i) => [
      i ? "; " : "",
      make("button", { class: "link", onclick: () => Flow.choose(one.key) }, named(one)),
    ]),
    " ",
    make("button", { onclick: FlowCuts.putBack }, "Put all back"),
  );
  keepFocus(() =>
    fill(byId("flow-details"), part ? about(part) : make("p", { class: "soft" }, WORDS.flowChoose)),
  );
}

function about(part) {
  const { kind, stage, s, h } = part;
  const path = stage ? make("span", { class: "soft mono" }, ` ${stage.path}`) : null;
  const edges = [...Flow.parts.values()]
    .filter((one) => one.kind === "edge" && one.s === s && (kind === "stage" || one.h === h))
    .sort((a, b) => b.width - a.width);
  return [
    make("h2", {}, named(part), path),
    stage ? make("p", {}, filled(WORDS.flowAbout, stage)) : null,
    sentences(part),
    make(
      "p",
      { class: "acts" },
      part.cuts ? cutSwitch(part, "below") : null,
      stage ? make("button", { onclick: () => FlowScene.openBox(stage) }, "Its box in the drawing") : null,
      kind === "edge" && FlowScene.cellOf(part)
        ? make("button", { onclick: () => FlowScene.openCell(part) }, "Its query and key")
        : null,
    ),
    h !== undefined && edges.length
      ? make(
          "table",
          {},
          make(
            "caption",
            {},
            filled(WORDS.flowEdges[stage.side], { symbol: FlowScene.followed(stage.side) }),
          ),
          make(
            "tr",
            {},
            ["looks at", "attention", "does", "ribbon"].map((name) => make("th", { scope: "col" }, name)),
          ),
          edges.map((edge) =>
            make(
              "tr",
              {},
              make(
                "th",
                { scope: "row" },
                make(
                  "button",
                  { class: "link", "data-field": `to ${edge.key}`, onclick: () => Flow.choose(edge.key) },
                  Reading.visible(Reading.symbolsOf(stage.reads)[edge.k]),
                ),
              ),
              make("td", {}, share(edge.width)),
              make("td", {}, Effects.does(edge.key)),
              make("td", {}, cutSwitch(edge, "row")),
            ),
          ),
        )
      : null,
  ];
}

function letters() {
  byId("flow-by").hidden = !Reading.now.source.length;
  fill(
    byId("flow-letter"),
    Reading.now.source.map((symbol, k) =>
      make("option", { value: k, selected: k === Flow.letter }, `${k + 1}: ${Reading.visible(symbol)}`),
    ),
  );
}

function stageList() {
  const now = FlowScene.stageNow();
  fill(
    byId("flow-stages"),
    Reading.told.stages.map((stage, s) => [
      make(
        "li",
        {},
        make("span", { class: "numeral" }, `${s + 1} `),
        make(
          "button",
          {
            class: "link",
            "aria-current": s === now ? "step" : null,
            onclick: () => Flow.choose(`stage ${s}`),
          },
          stageName(stage),
        ),
        s === now ? make("span", { class: "badge" }, WORDS.flowHere) : null,
        make("span", { class: "soft" }, `: ${stage.about}.`),
      ),
      " ",
    ]),
  );
  fill(
    byId("flow-heads"),
    Reading.told.stages.map((stage, s) =>
      stage.reads === null ? null : make("li", {}, headButtons(stage, s)),
    ),
  );
}

function headButtons(stage, s) {
  return [
    make("span", { class: "soft" }, filled(WORDS.flowHeadsOf, { number: s + 1, stage: stageName(stage) })),
    Array.from({ length: Reading.weightsOf(stage).shape[1] }, (_, h) =>
      make(
        "button",
        {
          "aria-label": filled(WORDS.flowHead, { head: h + 1, stage: stageName(stage) }),
          "data-head": `head ${s} ${h}`,
          onclick: () => Flow.choose(`head ${s} ${h}`),
        },
        h + 1,
      ),
    ),
  ];
}

export { details, letters, named, outcome, pointed, stageList, summary, symbolButtons, tipOf };
