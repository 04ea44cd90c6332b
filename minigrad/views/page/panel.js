// --- the panel -------------------------------------------------------------------------------------------

import { filled, WORDS } from "./words.js";
import { breakable, byId, data, fill, hear, make, plural, state, tabButton } from "./base.js";
import * as Editing from "./editing.js";
import * as Step from "./step.js";
import * as Details from "./details.js";
import * as Places from "./places.js";
import * as Attention from "./attention.js";
import * as Learn from "./learn.js";
import * as WhatIf from "./whatif.js";
import * as Graph from "./graph.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Chapters from "./chapters.js";
import * as ChapterList from "./chapter_list.js";
import * as ChapterPlay from "./chapter_play.js";
import * as Doubts from "./doubts.js";

function tabs() {
  const titles = {
    overview: "Overview",
    step: "This step",
    node: "Node",
    cell: "Cell",
    ...Editing.computingTabs(),
  };
  if (!state.cell && state.tab === "cell") state.tab = "overview";
  fill(
    byId("panel-tabs"),
    Object.entries(titles)
      .filter(([name]) => name !== "cell" || state.cell)
      .map(([name, title]) => tabButton(title, name, state.tab === name, () => Places.openTab(name))),
  );
  for (const name of Object.keys(titles)) byId(name).hidden = state.tab !== name;
}

function panel() {
  tabs();
  if (state.tab === "overview") overview();
  if (state.tab === "step") Step.stepPanel();
  if (state.tab === "node") Details.nodePanel(Places.chosenNode());
  if (state.tab === "cell") Attention.cellPanel();
  if (state.tab === "learn") Learn.learnPanel();
  if (state.tab === "whatif") WhatIf.whatifPanel();
}

function overview() {
  const root = Graph.nodes.get(data.roots[0]);
  const learned = data.nodes.filter((node) => node.kind === "parameter" || node.kind === "input");
  const size = (node) => Shown.norm(node.gradient);
  const most = Math.max(...learned.map(size), 0);
  const bySize = [...learned].sort((a, b) => size(b) - size(a)).slice(0, 40);
  const open = !state.predict;
  const chaptersHere = [make("h3", {}, "Chapters"), ChapterList.chapterList()]; // of a model they come first
  fill(
    byId("overview"),
    make("p", { class: "phase" }, "The whole computation"),
    make("h2", {}, make("code", {}, Graph.fullName(root.n))),
    root.shape.length
      ? null
      : make("p", { class: "big" }, Shown.brief(root.value), Doubts.fixedBadge(Doubts.whyFixed(root.n))),
    make(
      "p",
      { class: "soft" },
      filled(WORDS.stepsInAll, {
        about: data.about,
        steps: plural(Graph.FORWARD, "step"),
        back: Graph.events.length - Graph.FORWARD,
      }),
    ),
    make(
      "div",
      { class: "start" },
      Chapters.toldChapters.length
        ? make("button", { class: "primary", onclick: ChapterPlay.playSentences }, "Play the chapters")
        : make(
            "button",
            { class: "primary", onclick: () => ChapterPlay.playChapter(Chapters.chapters[0]) },
            "Play the first chapter",
          ),
      make("button", { onclick: () => Places.go(1) }, "Take the first step →"),
      make("button", { onclick: () => Places.go(Graph.FORWARD + 1) }, "Start with the way back"),
      Editing.computingTabs().whatif
        ? make("button", { onclick: () => Places.openTab("whatif") }, "Switch a part off")
        : null,
    ),
    Chapters.chapters.some((chapter) => chapter.box !== null)
      ? [chaptersHere, Editing.invitation()]
      : [Editing.invitation(), chaptersHere],
    bySize.length && open
      ? make(
          "details",
          { open: bySize.length <= FEW },
          make("summary", {}, make("h3", {}, "What is learned, by the size of its gradient")),
          sizesOf(bySize, size, most),
          make("p", { class: "soft" }, "The size is the square root of the sum of squares."),
        )
      : null,
    bySize.length && !open ? make("p", { class: "soft" }, "Hidden while you predict.") : null,
    make("h3", {}, "What the cards are"),
    legend(),
    colours(),
    make("h3", {}, "Keys"),
    make(
      "p",
      { class: "soft" },
      make("kbd", {}, "→"),
      " ",
      make("kbd", {}, "←"),
      " step, ",
      make("kbd", {}, "space"),
      " plays, ",
      make("kbd", {}, "/"),
      " finds, ",
      make("kbd", {}, "?"),
      " shows all keys.",
    ),
  );
}

const FEW = 12; // parameters whose gradients are listed at once
function sizesOf(nodes, size, most) {
  return make(
    "ul",
    { class: "by-size" },
    nodes.map((node) =>
      make(
        "li",
        {},
        make(
          "button",
          { class: "link", title: node.label, onclick: () => Places.choose(node.n, { open: true }) },
          breakable(Graph.fullName(node.n)),
        ),
        make(
          "span",
          { class: "track-bar", "aria-hidden": "true" },
          make("span", {
            class: "bar",
            style: `display:block;width:${most ? (100 * size(node)) / most : 0}%`,
          }),
        ),
        make(
          "span",
          { class: "size" },
          node.gradient === null ? node.state : Arrays.written(size(node), 4),
          Doubts.fixedBadge(Doubts.whyFixedGradient(node.n)),
        ),
      ),
    ),
  );
}

function legend() {
  const kind = (name, text) =>
    make(
      "li",
      {},
      make("span", {
        class: "swatch kind",
        style: `background: var(--${name}); border-color: var(--${name}-line)`,
      }),
      text,
    );
  const grad = (name, text) => make("li", {}, make("span", { class: `swatch ${name}` }), text);
  return make(
    "div",
    { class: "columns" },
    make(
      "ul",
      { class: "legend" },
      kind("parameter", "parameter: learned"),
      kind("input", "input that needs a gradient"),
      kind("data", "data: constant"),
      kind("operation", "operation"),
      kind("result", "result"),
      kind("module", "box of a module"),
      kind("definition", "box of a function"),
    ),
    make(
      "ul",
      { class: "legend" },
      grad("known", "gradient known"),
      grad("zero", "gradient zero"),
      grad("not-computed", "not computed"),
      grad("arriving", "still arriving"),
      grad("needs-none", "needs none: no place for it"),
      grad("freed", "freed: not kept"),
    ),
  );
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
    make("li", { class: "soft" }, "Each picture has a scale of its own; clear is zero."),
  );
}

hear("panel", panel);

export { colours, legend, panel };
