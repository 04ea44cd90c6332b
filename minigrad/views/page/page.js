// --- help, keys, and the start: this file runs last ---------------------------------------------------

import { WORDS } from "./words.js";
import { byId, fill, icon, make, say, soft } from "./dom.js";
import { data, state } from "./state.js";
import { hear, render } from "./events.js";
import { hideTip } from "./tip.js";
import * as Graph from "./graph.js";
import * as ChangesSaid from "./changes_said.js";
import * as Drawing from "./drawing.js";
import * as Places from "./places.js";
import * as Panel from "./panel.js";
import * as Predict from "./predict.js";
import * as Attention from "./attention.js";
import * as Listing from "./listing.js";
import * as Timeline from "./timeline.js";
import * as Search from "./search.js";
import * as Pictures from "./pictures.js";
import * as Cards from "./cards.js";
import * as Camera from "./camera.js";
import * as Pace from "./pace.js";
import * as Link from "./link.js";
import * as Share from "./share.js";
import * as Tabs from "./tabs.js";
import * as Sheet from "./sheet.js";

const KEYS = [
  ["→", "one step on"],
  ["←", "one step back"],
  ["Shift →, Shift ←", "on, or back, to the next thing in this drawing: over a closed box"],
  ["space", "play, pause"],
  ["Home, End", "to the beginning, to the end"],
  ["b", "to the start of the way back"],
  ["↑, ↓", "in the drawing: to the card before, or after"],
  ["Enter", "choose a node, open a box"],
  ["o", "open the box in which this step is"],
  ["u, Backspace", "up, to the box around"],
  ["+, −, 0", "larger, smaller, all of it"],
  ["/", "find"],
  ["p", "predict, then reveal"],
  ["f", "follow each step into its box"],
  ["c", "lines of code"],
  ["t", "table or drawing"],
  ["Alt and arrow keys", "in a heat map: read single numbers; Enter changes one"],
  ["↑, ↓", "in a field: change the number by a step; Page up, Page down: by ten"],
  ["m", "in an attention map: turn the cell in the mask"],
  ["Ctrl z, Ctrl Shift z", "undo a change, do it again"],
];

// Open the dialog that says what the keys do, and what the bars and colours mean.
function help() {
  fill(
    byId("help"),
    make("h2", { tabindex: -1, autofocus: true }, "Keys"),
    make(
      "dl",
      { class: "keys" },
      KEYS.flatMap(([key, text]) => [
        make(
          "dt",
          {},
          key.split(", ").flatMap((k, i) => [i ? " " : "", make("kbd", {}, k)]),
        ),
        make("dd", {}, text),
      ]),
    ),
    make("h3", {}, "The time line"),
    soft(WORDS.aboutTimeLine),
    make("h3", {}, "Cards and gradients"),
    Panel.legend(),
    Panel.colours(),
    soft(WORDS.writtenOut),
    make("form", { method: "dialog" }, make("button", {}, "Close")),
  );
  byId("help").showModal();
}

// Give the focus to the next card of the drawing (1), or to the one before (-1).
function moveFocus(direction) {
  const { cards } = Drawing.draw(state.view);
  const list = [...cards.values()];
  const at = list.findIndex((card) => card.button === document.activeElement);
  const next = list[(at + direction + list.length) % list.length];
  for (const card of list) card.button.setAttribute("tabindex", card === next ? 0 : -1);
  next.button.focus({ preventScroll: true });
  Camera.reveal(next.key);
}

// Open the box in which this step happens.
function openHere() {
  const step = Graph.current();
  if (!step) return;
  const key = Graph.placeIn(state.view, step.n);
  if (typeof key === "string") Places.show(key);
}

// Give a key to the field in which a line can be typed: a letter, if nothing has the focus. Return whether it
// was one.
function takeText({ key, target }) {
  const field = byId("another-line");
  if (!field?.offsetParent || target !== document.body || key.length > 1 || "?/".includes(key)) return false;
  if (key === " ") return true; // nothing begins with it
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  return true;
}

// Enter and space open a card; arrows up and down lead to the card before or after. Return whether the key was
// one of these.
function keyOnCard(event, card) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    const key = /^\d+$/.test(card.dataset.key) ? Number(card.dataset.key) : card.dataset.key;
    Cards.activate(key);
    if (typeof key !== "number" && Graph.hasDrawings) {
      const firstCard = Camera.world.querySelector('.card [tabindex="0"]');
      if (firstCard) firstCard.focus({ preventScroll: true });
    }
    return true;
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return false;
  event.preventDefault();
  moveFocus(event.key === "ArrowDown" ? 1 : -1);
  return true;
}

const LARGER = 1.25, // by which a key or a button zooms
  SMALLER = 1 / LARGER;
const WIDE = 1180; // pixels of a window that has room for the code beside the drawing

// What a key does.
const ACTS = {
  ArrowRight: ({ shiftKey }) => (shiftKey ? Places.over(1) : Places.go(state.time + 1)),
  ArrowLeft: ({ shiftKey }) => (shiftKey ? Places.over(-1) : Places.go(state.time - 1)),
  Home: () => Places.go(0),
  End: () => Places.go(Graph.steps.length),
  " ": () => Timeline.togglePlaying(),
  b: () => Places.go(Graph.FORWARD + 1),
  o: () => openHere(),
  u: () => Places.up(),
  Backspace: () => Places.up(),
  "+": () => Camera.zoom(LARGER),
  "=": () => Camera.zoom(LARGER),
  "-": () => Camera.zoom(SMALLER),
  0: () => Camera.fit(),
  "/": () => byId("search").focus(),
  p: () => Predict.setPredict(!state.predict),
  f: () => setFollow(!state.follow),
  c: () => Listing.toggleCode(document.body.classList.contains("no-code")),
  t: () => Tabs.open(state.tab === "listing" && Graph.hasDrawings ? "drawing" : "listing"),
  "?": () => help(),
};

// A key belongs to the search, field, card or button with the focus; else to the page.
function onKey(event) {
  const { target, key } = event;
  const typing = ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) && target.type !== "range";
  if (byId("help").open || byId("share").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.id === "search") return Search.onKey(event);
  if (typing || takeText(event)) return;
  const card = target.closest ? target.closest(".card") : null;
  const isButton = target.tagName === "BUTTON" || target.tagName === "SUMMARY";
  if (card && keyOnCard(event, card)) return;
  if (isButton && (key === " " || key === "Enter")) return;
  const act = ACTS[key];
  if (!act) return;
  event.preventDefault();
  if (["ArrowRight", "ArrowLeft", "Home", "End"].includes(key)) Pace.stopPlaying();
  act(event);
}

// Choose whether each step opens the drawing in which it happens.
function setFollow(on) {
  state.follow = on;
  byId("follow").setAttribute("aria-pressed", String(on));
  say(WORDS.follows[on ? "on" : "off"]);
}

// Show everything that a step or a number can change. The rest of the page is made once.
function showAll() {
  hideTip(); // its element may be gone
  if (Graph.hasDrawings) Drawing.mark();
  if (state.tab === "listing") Listing.listing();
  Panel.panel();
  Listing.markCode();
  Timeline.timeline();
  Link.keep();
}

hear("render", showAll);

// --- the start ----------------------------------------------------------------------------------------

// Set up the parts of the page, show the first view, and listen.
function start() {
  Drawing.markers();
  Listing.writeCode();
  Camera.listenToHands();
  fill(
    byId("notes"),
    data.notes.map((note) => make("p", {}, note)),
  );
  if (innerWidth < WIDE || Tabs.isExtra(Tabs.first())) Listing.toggleCode(false);
  ChangesSaid.show();
  Tabs.open(Tabs.first());
  Sheet.openSheet();
  render();
  setUpButtons();
  document.addEventListener("keydown", onKey);
  listenToWindow();
  Pace.choices();
  Share.listen();
  queueMicrotask(Link.listen); // once all of this is there
}

// What a button does, by its id.
const CLICKS = {
  first: () => Places.go(0),
  back: () => Places.go(state.time - 1),
  next: () => Places.go(state.time + 1),
  over: () => Places.over(1),
  last: () => Places.go(Graph.steps.length),
  play: () => Timeline.togglePlaying(),
  "zoom-in": () => Camera.zoom(LARGER),
  "zoom-out": () => Camera.zoom(SMALLER),
  "zoom-fit": () => Camera.fit(),
  predict: () => Predict.setPredict(!state.predict),
  follow: () => setFollow(!state.follow),
  "code-switch": () => Listing.toggleCode(document.body.classList.contains("no-code")),
  "help-open": () => help(),
};

function setUpButtons() {
  for (const name of ["first", "back", "next", "over", "last"]) fill(byId(name), icon(name));
  for (const [id, act] of Object.entries(CLICKS)) byId(id).onclick = act;
  byId("time").addEventListener("input", (event) => {
    const time = Number(event.target.value); // stopping puts it back
    Pace.stopPlaying();
    Places.go(time);
  });
  byId("search").addEventListener("input", Search.find);
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search")) byId("found").hidden = true;
  });
}

// Listen to the window: printing, dark or light colours, another size.
function listenToWindow() {
  addEventListener("beforeprint", () => Camera.printWhole(true));
  addEventListener("afterprint", () => Camera.printWhole(false));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", inOtherColours);
  new ResizeObserver(() => {
    if (Graph.hasDrawings && state.tab === "drawing") {
      Camera.resize();
      Places.revealStep();
    }
  }).observe(byId("tabs"));
}

// Paint all pictures anew, in the new colours of the page.
function inOtherColours() {
  Pictures.forget();
  Drawing.forgetCards();
  render();
  Attention.repaint();
}

start();
