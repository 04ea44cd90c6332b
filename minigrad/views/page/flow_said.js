// --- from letters to a digit: what the picture shows, in words; and what can be pressed beside it ----------------

import { filled, WORDS } from "./words.js";
import { byId, fill, keepFocus, make } from "./base.js";
import * as FlowScene from "./flow_scene.js";
import * as Flow from "./flow.js";

const signed = (v) => `${v < 0 ? "−" : "+"}${Math.abs(v).toFixed(Math.abs(v) < 0.95 ? 2 : 1)}`;

const score = (v) => v.toFixed(1).replace("-", "−");

const share = (v) => v.toFixed(2);

const quoted = (symbol) => `“${symbol}”`;

function named(part) {
  // in words
  const { stage, kind, h, k } = part;
  if (kind === "letter")
    return filled(WORDS.flowLetter, {
      symbol: quoted(FlowScene.visible(Flow.reading.source[k])),
      place: k + 1,
    });
  const name = stageName(stage);
  if (kind === "stage") return name;
  if (kind === "head") return filled(WORDS.flowHead, { head: h + 1, stage: name });
  return filled(WORDS.flowEdge, {
    head: h + 1,
    stage: name,
    key: quoted(FlowScene.visible(Flow.symbolsOf(stage.reads)[k])),
    share: share(part.width),
  });
}

function stageName({ side, reads, name, layer }) {
  const sides = new Set(Flow.told.stages.map((stage) => stage.side)).size > 1;
  const layers = Flow.told.stages.some((stage) => stage.layer > 1);
  const place = sides && (reads ?? side) === side ? WORDS.flowSides[side] : "";
  return `${place}${name}${layers ? `, layer ${layer}` : ""}`;
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
            symbol: FlowScene.visible(Flow.told.symbols[id]),
          }),
          class: id === Flow.told.wrote[t] ? null : "changed",
          onclick: () => Flow.follow(t),
        },
        FlowScene.visible(Flow.told.symbols[id]),
      ),
    ),
  );
  if (focused) byId("flow-steps").children[Flow.step].focus();
}

function summary() {
  // what the picture says of this symbol, in sentences
  const symbol = FlowScene.followed("target");
  const other = quoted(FlowScene.visible(Flow.told.symbols[Flow.margin.other]));
  const [own, second, apart] = [Flow.margin.own, Flow.margin.second, Flow.margin.margin].map(score);
  const part = Flow.partChosen();
  if (part) return keepFocus(() => fill(byId("flow-summary"), brief(part)));
  fill(
    byId("flow-summary"),
    make("p", {}, filled(WORDS.flowMargin, { symbol, other, own, second, margin: apart })),
    Flow.complete
      ? [
          rests("letter", 4, WORDS.flowLetters, ({ k }) => quoted(FlowScene.visible(Flow.reading.source[k]))),
          rests("head", 3, WORDS.flowHeads, named),
          make("p", { class: "moral" }, widest(symbol)),
        ]
      : make("p", { class: "soft" }, WORDS.flowMeasuring),
  );
}

function brief(part) {
  // beside the picture, what is worked out below
  return [
    make("p", {}, make("b", {}, named(part))),
    make("p", {}, outcome(part)),
    make(
      "p",
      { class: "acts" },
      cutSwitch(part, "beside"),
      make(
        "button",
        { onclick: () => Flow.choose(null) },
        filled(WORDS.flowAll, { symbol: FlowScene.followed("target") }),
      ),
    ),
  ];
}

function rests(kind, most, words, name) {
  // on which parts of that kind the symbol rests
  const found = [...Flow.parts.values()]
    .filter((part) => part.kind === kind && Flow.effect(part.key) === "for")
    .sort((a, b) => Flow.losses.get(b.key) - Flow.losses.get(a.key))
    .slice(0, most);
  const list = found.map((part) => `${name(part)} ${signed(Flow.losses.get(part.key))}`).join(", ");
  return found.length ? make("p", {}, filled(words, { list })) : null;
}

function widest(symbol) {
  // the widest ribbon need not be what helps: said with the one that is here
  const edges = [...Flow.parts.values()]
    .filter(({ kind, stage }) => kind === "edge" && stage.side === "target")
    .sort((a, b) => b.width - a.width);
  if (!edges.length) return "";
  const said = (words, part) =>
    filled(words, { edge: named(part), symbol, change: signed(Flow.losses.get(part.key)) });
  const against = edges.find(({ key }) => Flow.effect(key) === "against");
  const first = Flow.effect(edges[0].key);
  return [
    said(WORDS.flowWidest[first], edges[0]),
    first === "for" && against ? said(WORDS.flowAgainst, against) : "",
  ].join(" ");
}

// --- a part that is chosen ----------------------------------------------------------------------------------------

function outcome(part) {
  const lost = Flow.losses.get(part.key);
  if (lost === undefined) return WORDS.flowMeasuring;
  const off = Flow.cutter.off.has(part.key);
  const now = Flow.margin.margin;
  const values = { now: score(now), other: score(off ? now + lost : now - lost), change: signed(lost) };
  return filled(off ? WORDS.flowWouldGain : WORDS.flowWouldLose, values);
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
      onclick: () => Flow.turn(part),
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
    filled(WORDS.flowCutNow, { parts: off.map(named).join("; ") }),
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
    make(
      "p",
      {},
      kind === "letter" ? WORDS.flowLetterAbout : filled(WORDS.flowAbout, stage),
      " ",
      outcome(part),
    ),
    make(
      "p",
      { class: "acts" },
      cutSwitch(part, "below"),
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
                  FlowScene.visible(Flow.symbolsOf(stage.reads)[edge.k]),
                ),
              ),
              make("td", {}, share(edge.width)),
              make("td", {}, Flow.losses.has(edge.key) ? signed(Flow.losses.get(edge.key)) : "…"),
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
      make("option", { value: k, selected: k === Flow.letter }, `${k + 1}: ${FlowScene.visible(symbol)}`),
    ),
  );
}

function stageList() {
  const now = FlowScene.stageNow();
  fill(
    byId("flow-stages"),
    Flow.told.stages.map((stage, s) =>
      make(
        "li",
        {},
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
        make("span", { class: "soft" }, ` ${stage.about}`),
        stage.reads === null
          ? null
          : make(
              "span",
              {
                class: "heads",
                role: "group",
                "aria-label": filled(WORDS.flowHeadsOf, { stage: stageName(stage) }),
              },
              make("span", { class: "soft" }, "heads "),
              Array.from({ length: Flow.weightsOf(stage).shape[1] }, (_, h) =>
                make(
                  "button",
                  {
                    "aria-label": filled(WORDS.flowHead, { head: h + 1, stage: stageName(stage) }),
                    onclick: () => Flow.choose(`head ${s} ${h}`),
                  },
                  h + 1,
                ),
              ),
            ),
      ),
    ),
  );
}

export { details, letters, named, outcome, quoted, signed, stageList, summary, symbolButtons };
