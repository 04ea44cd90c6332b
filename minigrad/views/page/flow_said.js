// --- from letters to a digit: what the picture shows, in words; and what can be pressed beside it ----------------

import { filled, WORDS } from "./words.js";
import { byId, fill, keepFocus, make, say } from "./base.js";
import * as Ribbons from "./ribbons.js";
import * as FlowScene from "./flow_scene.js";
import * as Flow from "./flow.js";

const score = (v) => v.toFixed(1).replace("-", "−");

const share = (v) => v.toFixed(2);

const percent = (v) => `${(100 * v).toFixed(0)}%`;

function named(part) {
  // in words
  const { stage, kind, h, k } = part;
  if (kind === "letter")
    return filled(WORDS.flowLetter, {
      unit: unit("source"),
      symbol: Flow.quoted(Flow.visible(Flow.reading.source[k])),
      place: k + 1,
    });
  const name = stageName(stage);
  if (kind === "stage") return name;
  if (kind === "head") return filled(WORDS.flowHead, { head: h + 1, stage: name });
  return filled(WORDS.flowEdge, {
    head: h + 1,
    stage: name,
    key: Flow.quoted(Flow.visible(Flow.symbolsOf(stage.reads)[k])),
    share: share(part.width),
  });
}

function stageName({ side, reads, name, layer }) {
  if (layer === null) return name; // there is one of it
  const sides = new Set(Flow.told.stages.map((stage) => stage.side)).size > 1;
  const layers = Flow.told.stages.some((stage) => stage.layer > 1);
  const place = sides && (reads ?? side) === side ? WORDS.flowSides[side] : "";
  return `${place}${name}${layers ? `, layer ${layer}` : ""}`;
}

// --- where heads look ---------------------------------------------------------------------------------------------

const MOST_READ = 3; // symbols of a head that are named

function unit(side) {
  // what the symbols of a side are called
  const apart = side === "target" && Flow.reading.source.length;
  return apart ? "symbol" : Flow.told.level === "word" ? "word" : "letter";
}

function placed(side, k) {
  // a symbol with its place, from 1: what stands at the start, and was not written, has none
  const symbols = Flow.symbolsOf(side);
  const symbol = Flow.quoted(Flow.visible(symbols[k]));
  const starts = symbols[0] === "<bos>";
  if (starts && k === 0) return symbol;
  return filled(WORDS.flowPlaced, { symbol, unit: unit(side), place: starts ? k : k + 1 });
}

function mostRead({ stage, h }, most = MOST_READ) {
  // where a head looks, widest first, in words
  return Flow.symbolsOf(stage.reads)
    .map((_, k) => ({ k, width: Flow.weight(stage, h, k) }))
    .sort((a, b) => b.width - a.width)
    .filter(({ width }, i) => i < most && width >= 0.005)
    .map(({ k, width }) => `${placed(stage.reads, k)} ${percent(width)}`)
    .join(", ");
}

function readBy(part) {
  // what a part reads, in sentences
  const { kind, stage, h, k } = part;
  const symbol = FlowScene.followed("target");
  if (kind === "letter") return [letterReads(k), bothKinds(), WORDS.flowLetterAbout];
  if (stage.reads === null) return [stage.cut];
  if (kind !== "stage" && Flow.cutter.off.has(part.key)) return [WORDS.flowReadsNothing];
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
      { length: Flow.weightsOf(stage).shape[1] },
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

function letterReads(k) {
  // which heads take from a letter
  const list = Flow.told.stages
    .filter((stage) => stage.reads === "source" && stage.side === "target")
    .flatMap((stage) => {
      const layer = Flow.told.stages.some((one) => one.layer > 1) ? `layer ${stage.layer}, ` : "";
      return Array.from({ length: Flow.weightsOf(stage).shape[1] }, (_, h) => ({
        width: Flow.weight(stage, h, k),
        said: `${layer}head ${h + 1} ${percent(Flow.weight(stage, h, k))}`,
      }));
    })
    .filter(({ width }) => width >= Ribbons.LEAST)
    .map(({ said }) => said)
    .join(", ");
  const cut = Flow.cutter.off.has(`letter ${Flow.rowOf("target")} ${k}`);
  return filled(WORDS.flowLetterRead[cut ? "cut" : list ? "some" : "none"], {
    symbol: FlowScene.followed("target"),
    list,
  });
}

function symbolButtons() {
  // the symbols of the output: one of them is followed
  const focused = byId("flow-steps").contains(document.activeElement);
  fill(
    byId("flow-steps"),
    Flow.reading.written.map((id, t) =>
      make(
        "button",
        {
          role: "radio",
          "aria-checked": String(t === Flow.step),
          tabindex: t === Flow.step ? 0 : -1,
          "aria-label": filled(WORDS.stepOfOutput, {
            step: t + 1,
            symbol: Flow.visible(Flow.told.symbols[id]),
          }),
          class: id === Flow.told.wrote[t] ? null : "changed",
          onclick: () => Flow.follow(t),
        },
        Flow.visible(Flow.told.symbols[id]),
      ),
    ),
  );
  if (focused) byId("flow-steps").children[Flow.step].focus();
}

function summary() {
  // what the picture says of this symbol, in sentences
  const symbol = FlowScene.followed("target");
  const other = symbolNamed(Flow.margin.other);
  const [lead, own, second] = [Flow.margin.margin, Flow.margin.own, Flow.margin.second].map(score);
  const part = Flow.partChosen();
  pointed();
  if (part) return keepFocus(() => fill(byId("flow-summary"), brief(part)));
  fill(
    byId("flow-summary"),
    make("p", {}, filled(WORDS.flowLead, { symbol, lead, own, other, second })),
    Flow.complete
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

function brief(part) {
  // beside the picture, what is worked out below
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

function raises(part) {
  // of which scores: told by the run without it
  const [up, down] = Flow.moves.get(part.key) ?? [];
  if (!up || (Flow.isNothing(up.by) && Flow.isNothing(down.by))) return "";
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

function pointed() {
  // of the part that is pointed at, in place of the one that is chosen
  const part = Flow.partPointed();
  const beside = byId("flow-figure").classList.contains("beside");
  byId("flow-pointed").hidden = !part || !beside;
  if (part && beside) fill(byId("flow-pointed"), make("p", {}, make("b", {}, named(part))), sentences(part));
}

function tipOf(part) {
  if (!part.cuts) return named(part);
  return filled(WORDS.flowTip, { name: named(part), change: Flow.does(part.key) });
}

function rests(kind, most, words, name) {
  // on which parts of that kind the symbol rests
  const found = [...Flow.parts.values()]
    .filter((part) => part.kind === kind && Flow.effect(part.key) === "for")
    .sort((a, b) => Flow.losses.get(b.key) - Flow.losses.get(a.key))
    .slice(0, most);
  const list = found.map((part) => `${name(part)} ${Flow.does(part.key)}`).join("; ");
  return found.length ? make("p", {}, filled(words, { list })) : null;
}

// A head, and the one symbol that it looks at most. One of the encoder does so for each letter.
const looksMost = (part) =>
  part.stage.side === "source"
    ? named(part)
    : filled(WORDS.flowHeadLooks, { head: named(part), key: mostRead(part, 1) });

const letterNamed = ({ k }) => Flow.quoted(Flow.visible(Flow.reading.source[k]));

function needed(symbol) {
  // to help is not to be needed: of which letter the loss is more than the lead
  const parts = [...Flow.parts.values()].filter(({ kind }) => kind === "letter");
  if (!parts.length || parts.some(({ key }) => !Flow.losses.has(key))) return null;
  const list = parts
    .filter(({ key }) => Flow.losses.get(key) > Flow.margin.margin)
    .map(letterNamed)
    .join(", ");
  return make("p", {}, filled(WORDS.flowLettersNeeded[list ? "some" : "none"], { symbol, list }));
}

function widest(symbol) {
  // the widest ribbon need not be what helps: said with the one that is here
  const edges = [...Flow.parts.values()]
    .filter(({ kind, stage }) => kind === "edge" && stage.side === "target")
    .sort((a, b) => b.width - a.width);
  if (!edges.length) return "";
  const said = (words, part) => filled(words, { edge: named(part), symbol, change: Flow.does(part.key) });
  const against = edges.find(({ key }) => Flow.effect(key) === "against");
  const first = Flow.effect(edges[0].key);
  return first === "for" && against
    ? said(WORDS.flowAgainst, against)
    : said(WORDS.flowWidest[first], edges[0]);
}

// --- a part that is chosen ----------------------------------------------------------------------------------------

const symbolNamed = (id) => Flow.quoted(Flow.visible(Flow.told.symbols[id]));

// How far a symbol's score is above the best of the others, or below it.
const ahead = (lead, other) =>
  filled(WORDS.flowAhead[lead < 0 ? "behind" : "ahead"], {
    lead: score(Math.abs(lead)),
    other: symbolNamed(other),
  });

const scored = (id) => `${symbolNamed(id)} ${score(Flow.scoresNow()[id])}`;

function outcome(part) {
  if (!part.cuts) return filled(WORDS.flowScores, { list: FlowScene.likeliest().map(scored).join(", ") });
  const lost = Flow.losses.get(part.key);
  if (lost === undefined) return WORDS.flowMeasuring;
  const symbol = FlowScene.followed("target");
  const { margin: lead, other } = Flow.margin;
  const rival = Flow.rivals.get(part.key);
  const now = ahead(lead, other);
  if (Flow.cutter.off.has(part.key)) {
    const before = Flow.beforeCut(part);
    if (before) return sinceCut(before);
    return [
      filled(WORDS.flowWouldGain, { symbol, now, other: ahead(lead + lost, rival) }),
      Flow.uncut?.line === Flow.reading.line ? inPlaceOf(Flow.uncut.written[Flow.step]) : "",
    ].join(" ");
  }
  return [
    Flow.effect(part.key) === "nothing"
      ? filled(WORDS.flowWouldStay, { symbol, now })
      : filled(WORDS.flowWouldLose, {
          symbol,
          now,
          other: ahead(lead - lost, rival),
          change: Flow.does(part.key),
        }),
    lead > 0 && lost > lead
      ? filled(WORDS.flowMore, { lead: score(lead), other: symbolNamed(rival) })
      : blind(part),
  ].join(" ");
}

// Of what is written without a look at the line, the line is no reason.
function blind({ kind, stage }) {
  const reads = (one) => one.reads === "source" && one.side === "target";
  if (kind !== "stage" || !reads(stage) || Flow.told.stages.filter(reads).length > 1) return "";
  return filled(WORDS.flowBlind, { symbol: FlowScene.followed("target") });
}

const inPlaceOf = (id) =>
  id === undefined || id === Flow.reading.written[Flow.step]
    ? ""
    : filled(WORDS.flowCutElse, { now: FlowScene.followed("target"), before: symbolNamed(id) });

// What a cut changed, in the numbers that the picture showed before it.
function sinceCut({ written, lead: { margin: lead, other }, lost, rival }) {
  const id = written[Flow.step];
  const text = (ids) =>
    ids
      .slice(0, Flow.step)
      .map((one) => Flow.visible(Flow.told.symbols[one]))
      .join("");
  const [now, before] = [text(Flow.reading.written), text(written)];
  const symbol = symbolNamed(id);
  const was = ahead(lead, other);
  if (now !== before)
    return [
      inPlaceOf(id),
      lost === undefined
        ? filled(WORDS.flowCutOnly, { now, before })
        : filled(WORDS.flowCutEarlier, { now, before, symbol, was, other: ahead(lead - lost, rival) }),
    ].join(" ");
  const found = Flow.marginOf(Flow.scoresNow(), id);
  const is = ahead(found.margin, found.other);
  if (id !== Flow.reading.written[Flow.step])
    return filled(WORDS.flowCutOther, { now: FlowScene.followed("target"), before: symbol, was, is });
  if (Flow.isNothing(lead - found.margin, lead)) return filled(WORDS.flowWouldStay, { symbol, now: was });
  return filled(WORDS.flowCutSame, { symbol, is, was, change: Flow.signed(lead - found.margin) });
}

function cutSwitch(part, place) {
  const off = Flow.cutter.off.has(part.key);
  return make(
    "button",
    {
      class: "switch",
      role: "switch",
      "aria-checked": String(!off),
      "aria-label": `${named(part)}: ${off ? "cut" : "on"}`,
      "data-field": `${place} ${part.key}`,
      onclick: () => {
        Flow.turn(part);
        say(`${named(part)}: ${Flow.cutter.off.has(part.key) ? "cut" : "on"}`);
      },
    },
    off ? "cut" : "on",
  );
}

function details() {
  const part = Flow.partChosen();
  const off = [...Flow.cutter.off.values()];
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
    make("button", { onclick: Flow.putBack }, "Put all back"),
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
                  Flow.visible(Flow.symbolsOf(stage.reads)[edge.k]),
                ),
              ),
              make("td", {}, share(edge.width)),
              make("td", {}, Flow.does(edge.key)),
              make("td", {}, cutSwitch(edge, "row")),
            ),
          ),
        )
      : null,
  ];
}

function letters() {
  byId("flow-by").hidden = !Flow.reading.source.length;
  fill(
    byId("flow-letter"),
    Flow.reading.source.map((symbol, k) =>
      make("option", { value: k, selected: k === Flow.letter }, `${k + 1}: ${Flow.visible(symbol)}`),
    ),
  );
}

function stageList() {
  const now = FlowScene.stageNow();
  fill(
    byId("flow-stages"),
    Flow.told.stages.map((stage, s) => [
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
    Flow.told.stages.map((stage, s) => (stage.reads === null ? null : make("li", {}, headButtons(stage, s)))),
  );
}

function headButtons(stage, s) {
  return [
    make("span", { class: "soft" }, filled(WORDS.flowHeadsOf, { number: s + 1, stage: stageName(stage) })),
    Array.from({ length: Flow.weightsOf(stage).shape[1] }, (_, h) =>
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
