// --- the panel: its tabs ------------------------------------------------------------------------------

import { filled, plural, withElements, WORDS } from "./words.js";
import { breakable, byId, fill, isBeside, make, soft, tabButton } from "./dom.js";
import { data, state } from "./state.js";
import { hear } from "./events.js";
import * as Editing from "./editing.js";
import * as Step from "./step.js";
import * as Details from "./details.js";
import * as Places from "./places.js";
import * as CellPanel from "./cell_panel.js";
import * as Learn from "./learn.js";
import * as WhatIf from "./what_if.js";
import * as Graph from "./graph.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Chapters from "./chapters.js";
import * as ChapterList from "./chapter_list.js";
import * as ChapterPlay from "./chapter_play.js";
import * as Doubts from "./doubts.js";

// The tabs of the panel: "Cell" only while a cell of an attention map is chosen.
function tabs() {
  const titles = {
    overview: "Overview",
    step: "This step",
    node: "Node",
    cell: "Cell",
    ...Editing.computingTabs(),
  };
  if (!state.cell && state.panelTab === "cell") state.panelTab = "overview";
  fill(
    byId("panel-tabs"),
    Object.entries(titles)
      .filter(([name]) => name !== "cell" || state.cell)
      .map(([name, title]) => tabButton(title, name, state.panelTab === name, () => open(name))),
  );
  for (const name of Object.keys(titles)) byId(name).hidden = state.panelTab !== name;
}

// Open a tab by hand. Where the panel is below the picture, and not beside it, it comes into sight.
function open(name) {
  Places.openTab(name);
  if (!isBeside()) byId("panel").scrollIntoView({ block: "start" });
}

// Make the tab that is open. The other tabs are made when they are opened.
function panel() {
  tabs();
  if (state.panelTab === "overview") overview();
  if (state.panelTab === "step") Step.stepPanel();
  if (state.panelTab === "node") Details.nodePanel(Places.chosenNode());
  if (state.panelTab === "cell") CellPanel.cellPanel();
  if (state.panelTab === "learn") Learn.learnPanel();
  if (state.panelTab === "whatif") WhatIf.whatifPanel();
}

// Show the whole. Of a model the chapters come first; of a few lines, the numbers to change.
function overview() {
  const chaptersHere = [make("h3", {}, "Chapters"), ChapterList.chapterList()];
  const ofModel = Chapters.chapters.some((chapter) => chapter.box !== null);
  fill(
    byId("overview"),
    theWhole(),
    waysToBegin(),
    ofModel ? [chaptersHere, Editing.invitation()] : [Editing.invitation(), chaptersHere],
    whatIsLearned(),
    make("h3", {}, "What the cards are"),
    legend(),
    colours(),
    make("h3", {}, "Keys"),
    firstKeys(),
  );
}

// The result, and how many steps lead to it and back.
function theWhole() {
  const { root } = Graph;
  return [
    make("p", { class: "phase" }, "The whole computation"),
    make("h2", {}, make("code", {}, Graph.fullName(root.n))),
    root.shape.length ? null : make("p", { class: "big" }, Shown.brief(root.value), Doubts.badgeOf(root.n)),
    soft(
      filled(WORDS.stepsInAll, {
        about: data.about,
        steps: plural(Graph.FORWARD, "step"),
        back: Graph.steps.length - Graph.FORWARD,
      }),
    ),
  ];
}

function waysToBegin() {
  const [title, play] = Chapters.toldChapters.length
    ? ["Play the chapters", ChapterPlay.playSentences]
    : ["Play the first chapter", () => ChapterPlay.playChapter(Chapters.chapters[0])];
  return make(
    "div",
    { class: "start" },
    make("button", { class: "primary", onclick: play }, title),
    make("button", { onclick: () => Places.go(1) }, "Take the first step →"),
    make("button", { onclick: () => Places.go(Graph.FORWARD + 1) }, "Start with the way back"),
    Editing.computingTabs().whatif
      ? make("button", { onclick: () => Places.openTab("whatif") }, "Switch a part off")
      : null,
  );
}

const FEW = 12; // nodes whose gradients are listed at once
const MOST_LISTED = 40;
// Parameters and inputs, the largest gradient first: not while the reader predicts, whom it would tell.
function whatIsLearned() {
  const learned = data.nodes.filter((node) => node.kind === "parameter" || node.kind === "input");
  if (!learned.length) return null;
  if (Graph.isPredicting()) return soft(WORDS.hiddenWhilePredicting);
  const bySize = learned
    .map((node) => [node, Shown.norm(node.gradient)])
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_LISTED);
  return make(
    "details",
    { open: bySize.length <= FEW },
    make("summary", {}, make("h3", {}, "What is learned, by the size of its gradient")),
    sizesOf(bySize),
    soft(WORDS.sizeOfGradient),
  );
}

function firstKeys() {
  const keys = { on: "→", back: "←", space: "space", find: "/", help: "?" };
  return soft(
    withElements(
      WORDS.firstKeys,
      Object.fromEntries(Object.entries(keys).map(([act, name]) => [act, make("kbd", {}, name)])),
    ),
  );
}

// A list of nodes and the sizes of their gradients, the largest first, each with a bar.
function sizesOf(bySize) {
  const most = Math.max(bySize[0][1], 0);
  const bar = (size) =>
    make("span", {
      class: "bar",
      style: `display:block;width:${most ? (100 * size) / most : 0}%`,
    });
  return make(
    "ul",
    { class: "by-size" },
    bySize.map(([node, size]) =>
      make(
        "li",
        {},
        make(
          "button",
          { class: "link", title: node.label, onclick: () => Places.choose(node.n, { open: true }) },
          breakable(Graph.fullName(node.n)),
        ),
        make("span", { class: "track-bar", "aria-hidden": "true" }, bar(size)),
        make(
          "span",
          { class: "size" },
          node.gradient === null ? node.state : Arrays.written(size, 4),
          Doubts.gradientBadgeOf(node.n),
        ),
      ),
    ),
  );
}

const KINDS = {
  parameter: "parameter: learned",
  input: "input that needs a gradient",
  data: "data: constant",
  operation: "operation",
  result: "result",
  module: "box of a module",
  definition: "box of a function",
};
const GRADIENTS = {
  known: "gradient known",
  zero: "gradient zero",
  "not-computed": "not computed",
  arriving: "still arriving",
  "needs-none": "needs none: no place for it",
  freed: "freed: not kept",
};

// The colours of the kinds of cards, and how the gradient on a card looks in each of its states.
function legend() {
  const list = (texts, swatch) =>
    make(
      "ul",
      { class: "legend" },
      Object.entries(texts).map(([name, text]) => make("li", {}, make("span", swatch(name)), text)),
    );
  const ofKind = (name) => ({
    class: "swatch kind",
    style: `background: var(--${name}); border-color: var(--${name}-line)`,
  });
  const ofGradient = (name) => ({ class: `swatch ${name}` });
  return make("div", { class: "columns" }, list(KINDS, ofKind), list(GRADIENTS, ofGradient));
}

// What the two pictures on a card show, and in which colours.
function colours() {
  const pair = (palette) =>
    ["minus", "plus"].map((sign) =>
      make("span", { class: "swatch tone", style: `background: rgb(var(--${palette}-${sign}))` }),
    );
  return make(
    "ul",
    { class: "legend tones" },
    make("li", {}, pair("value"), "left: the value, below and above zero"),
    make("li", {}, pair("grad"), "right: the gradient, below and above zero"),
    make("li", { class: "soft" }, WORDS.clearIsZero),
  );
}

hear("panel", panel);

export { colours, legend, panel };
