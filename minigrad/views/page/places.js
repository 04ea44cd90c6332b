// --- the place of the reader: a step, a drawing, a node -----------------------------------------------

import { filled, plural, WORDS } from "./words.js";
import { make, say } from "./dom.js";
import { state } from "./state.js";
import { render, tell } from "./events.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Pace from "./pace.js";
import * as Tabs from "./tabs.js";

// Open a drawing by its name. Playing stops.
function show(name) {
  if (!Graph.views.has(name) || name === state.view) return;
  state.view = name;
  Pace.stopPlaying();
  tell("view");
  render();
  say(`${Graph.views.get(name).title}, ${plural(Graph.views.get(name).cards.length, "card")}`);
}

// Open the drawing around this one, if there is one.
function up() {
  const around = Graph.views.get(state.view).around;
  if (around) show(around);
}

// Go to a step, 0 being before the first: its tab and its drawing open, and no node stays chosen.
// `quiet`: it is not read aloud, as when it plays.
function go(time, { quiet = false } = {}) {
  state.time = Math.max(0, Math.min(Graph.steps.length, time));
  if (state.asked?.time !== state.time) state.asked = null;
  state.chosen = null;
  const step = Graph.current();
  if (step) {
    if (state.follow) goTo(step.n);
    else if (Graph.placeIn(state.view, step.n) === null) goTo(step.n, true);
  }
  if (step && Tabs.isExtra(state.tab)) Tabs.open(Tabs.graphTab());
  if (step) state.panelTab = "step";
  if (!step) state.panelTab = "overview";
  render();
  revealStep();
  if (!quiet) say(nowText());
}

// Move the drawing so that the card of the step is seen, and the cards of its arguments.
function revealStep() {
  const step = Graph.current();
  if (step && Graph.hasDrawings && state.tab === "drawing")
    tell("reveal", {
      key: Graph.placeIn(state.view, step.n),
      partners: Graph.into
        .get(step.n)
        .filter((edge) => !step.back || edge.differentiable)
        .map((edge) => Graph.placeIn(state.view, edge.source)),
    });
}

// Show a drawing with a node: the innermost one; or with `outer`, the nearest one around this drawing.
function goTo(n, outer = false) {
  const around = Graph.trail(Graph.home.get(n));
  const here = Graph.trail(state.view);
  if (!Graph.borrowed.get(state.view).has(n) && Graph.views.get(state.view).keys.has(n)) return; // it is here
  let target = Graph.home.get(n);
  if (outer) target = [...here].reverse().find((name) => around.includes(name)) || "all";
  else
    target =
      around.find((name) => Graph.views.get(name).keys.has(n) && !Graph.borrowed.get(name).has(n)) || target;
  if (target !== state.view) {
    state.view = target;
    tell("view");
  }
}

// Go on to the next step in another card of this drawing.
function over(direction) {
  const place = (at) => (at ? Graph.placeIn(state.view, Graph.steps[at - 1].n) : null);
  const here = place(state.time);
  let time = state.time + direction;
  while (time > 0 && time < Graph.steps.length && (place(time) === here || place(time) === null))
    time += direction;
  const follow = state.follow;
  state.follow = false;
  go(time);
  state.follow = follow;
}

// Choose a node: the panel shows it. `open`: its drawing opens too, as for a link from elsewhere.
function choose(n, { open = false } = {}) {
  state.chosen = n;
  state.panelTab = "node";
  if (open && state.tab !== Tabs.graphTab() && state.tab !== "listing") Tabs.open(Tabs.graphTab());
  if (open) goTo(n);
  render();
  if (open && Graph.hasDrawings) tell("reveal", { key: Graph.placeIn(state.view, n) });
  const value = Shown.brief(Graph.nodes.get(n).value);
  const gradient = Graph.stateText(Graph.gradientNow(n));
  say(filled(WORDS.nodeChosen, { name: Graph.fullName(n), value, gradient }));
}

// Open a tab of the panel.
function openTab(name) {
  state.panelTab = name;
  tell("panel");
}

// The node that the panel is about: the chosen one, else that of the step, else the result.
function chosenNode() {
  const step = Graph.current();
  return state.chosen !== null ? state.chosen : step ? step.n : Graph.root.n;
}

// The step of the reader, as words to be read aloud.
function nowText() {
  const step = Graph.current();
  if (!step) return WORDS.beforeFirst;
  const words = WORDS.nowAt[step.back ? "back" : "forward"];
  return filled(words, { ...Graph.progress(), name: Graph.fullName(step.n) });
}

// A name that leads to its node.
function link(n, text = null) {
  return make(
    "button",
    { class: "link mono", title: Graph.fullName(n), onclick: () => choose(n, { open: true }) },
    text || Graph.nameOf(n),
  );
}

export { choose, chosenNode, go, link, nowText, openTab, over, revealStep, show, up };
