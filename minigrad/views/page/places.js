// --- where the reader is ---------------------------------------------------------------------------------

import { filled, WORDS } from "./words.js";
import { byId, data, fill, hideTip, make, plural, render, say, state } from "./base.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Drawing from "./drawing.js";
import * as Chapters from "./chapters.js";
import * as Panel from "./panel.js";
import * as Listing from "./listing.js";
import * as Timeline from "./timeline.js";
import * as Page from "./page.js";
import * as Camera from "./camera.js";
import * as Link from "./link.js";

function show(name, { keep = false } = {}) {
  if (!Graph.views.has(name) || name === state.view) return;
  state.view = name;
  if (!keep) Timeline.stopPlaying();
  openSheet();
  render();
  say(`${Graph.views.get(name).title}, ${plural(Graph.views.get(name).cards.length, "card")}`);
}

function openSheet() {
  if (Drawing.hasDrawings) {
    fill(Camera.world, Drawing.draw(state.view).group);
    const before = Camera.cameras.get(state.view);
    if (before) {
      Object.assign(Camera.camera, before);
      Camera.aim(false);
    } else Camera.fit(false, true);
  }
  Camera.sheet.setAttribute("aria-label", filled(WORDS.drawingOf, Graph.views.get(state.view)));
  crumbs();
}

function up() {
  const around = Graph.views.get(state.view).around;
  if (around) show(around);
}

function crumbs() {
  const names = Graph.trail(state.view);
  const items = names.map((name, i) => {
    const title = Graph.views.get(name).title;
    const last = i === names.length - 1;
    return make(
      "li",
      {},
      make(
        "button",
        { title, "aria-current": last ? "location" : null, onclick: () => show(name) },
        i ? title.split(": ")[0] || title : "The whole",
      ),
    );
  });
  fill(byId("crumbs"), make("ol", {}, items));
}

function go(time, { quiet = false } = {}) {
  state.time = Math.max(0, Math.min(Graph.events.length, time));
  if (state.asked && state.asked.time !== state.time) Chapters.dropQuestion();
  state.chosen = null;
  const event = Graph.current();
  if (event) {
    if (state.follow) goTo(event.n);
    else if (Graph.placeIn(state.view, event.n) === null) goTo(event.n, true);
  }
  if (event && byId(state.stage).classList.contains("extra")) Page.setStage(Page.graphStage());
  if (event) state.tab = "step";
  if (!event) state.tab = "overview";
  render();
  revealStep();
  if (!quiet) say(nowText());
}

// Move the drawing until the card of the step is seen, and those that it takes from.
function revealStep() {
  const event = Graph.current();
  if (event && Drawing.hasDrawings && state.stage === "drawing")
    Camera.reveal(
      Graph.placeIn(state.view, event.n),
      Graph.into
        .get(event.n)
        .filter((edge) => !event.back || edge.differentiable)
        .map((edge) => Graph.placeIn(state.view, edge.source)),
    );
}

// Show the drawing in which a node is: the innermost, or (`outer`) only as far out as it takes.
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
    openSheet();
  }
}

function over(direction) {
  // on to the next step that is elsewhere in this drawing
  const place = (at) => (at ? Graph.placeIn(state.view, Graph.events[at - 1].n) : null);
  const here = place(state.time);
  let time = state.time + direction;
  while (time > 0 && time < Graph.events.length && (place(time) === here || place(time) === null))
    time += direction;
  const follow = state.follow;
  state.follow = false;
  go(time);
  state.follow = follow;
}

function choose(n, { open = false } = {}) {
  state.chosen = n;
  state.tab = "node";
  if (open && state.stage !== Page.graphStage() && state.stage !== "listing")
    Page.setStage(Page.graphStage());
  if (open) goTo(n);
  render();
  if (open && Drawing.hasDrawings) Camera.reveal(Graph.placeIn(state.view, n));
  const value = Shown.brief(Graph.nodes.get(n).value);
  const gradient = Graph.stateText(Graph.gradientNow(n));
  say(filled(WORDS.nodeChosen, { name: Graph.fullName(n), value, gradient }));
}

function chosenNode() {
  const event = Graph.current();
  return state.chosen !== null ? state.chosen : event ? event.n : data.roots[0];
}

function nowText() {
  const event = Graph.current();
  if (!event) return "Before the first step";
  const n = event.back ? state.time - Graph.FORWARD : state.time;
  return `${event.back ? "Backward" : "Forward"} ${n} of ${event.back ? Graph.events.length - Graph.FORWARD : Graph.FORWARD}: ${Graph.fullName(event.n)}`;
}

function showAll() {
  hideTip(); // what it was about may be there no longer
  if (Drawing.hasDrawings) Drawing.mark();
  if (state.stage === "listing") Listing.listing();
  Panel.panel();
  Listing.markCode();
  Timeline.timeline();
  Link.keep();
}

document.addEventListener("render", showAll);

export { choose, chosenNode, go, nowText, openSheet, over, revealStep, show, up };
