// --- the search: names, operations and modules --------------------------------------------------------

import { plural, WORDS } from "./words.js";
import { breakable, byId, fill, make, say, softSpan } from "./dom.js";
import { data } from "./state.js";
import * as Places from "./places.js";
import * as Graph from "./graph.js";
import * as Tabs from "./tabs.js";

// What can be found: `key` is searched, `text` and `more` are shown, and what begins a part of `first`
// comes first.
const entries = [
  ...data.views.slice(1).map((view) => ({
    text: view.title,
    more: "box",
    open: () => {
      Tabs.open(Tabs.graphTab());
      Places.show(view.name);
    },
    key: `${view.title} ${Graph.pathOf(view)}`.toLowerCase(),
  })),
  ...data.nodes.map((node) => ({
    text: Graph.asLine(node) || `${node.kind} #${node.n}`,
    more: Graph.pathOf(node),
    open: () => Places.choose(node.n, { open: true }),
    key: `${node.label} ${node.op || ""} ${node.made} #${node.n} ${Graph.pathOf(node)}`.toLowerCase(),
    first: `${node.label.split(".").pop()} ${(node.op || "").replace("np.", "")}`.toLowerCase(),
  })),
];
const MOST_MATCHES = 40;
let matches = []; // entries
let pointed = 0; // the match that Enter opens

// List what has all the words that were typed, at each key.
function find() {
  const words = byId("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (entry) => (entry.first?.split(" ").some((part) => part?.startsWith(words[0])) ? 0 : 1);
  matches = words.length
    ? entries
        .filter((entry) => words.every((word) => entry.key.includes(word)))
        .sort((a, b) => rank(a) - rank(b))
        .slice(0, MOST_MATCHES)
    : [];
  pointed = 0;
  const list = byId("found");
  list.hidden = !words.length;
  byId("search").setAttribute("aria-expanded", String(!list.hidden));
  const none = words.length ? make("li", { class: "soft" }, WORDS.nothingFound) : null;
  fill(list, matches.length ? matches.map(matchItem) : none);
  point(0);
  if (words.length) say(`${plural(matches.length, "match", "matches")}`);
}

function matchItem({ text, more }, i) {
  return make(
    "li",
    { role: "option", id: `found-${i}`, onclick: () => pick(i) },
    make("code", {}, breakable(text)),
    more ? softSpan("in ", breakable(more)) : null,
  );
}

// Point to a match by its place: after the last comes the first.
function point(i) {
  if (!matches.length) return byId("search").removeAttribute("aria-activedescendant");
  pointed = (i + matches.length) % matches.length;
  [...byId("found").children].forEach((item, k) => item.setAttribute("aria-selected", String(k === pointed)));
  byId("search").setAttribute("aria-activedescendant", `found-${pointed}`);
  byId(`found-${pointed}`).scrollIntoView({ block: "nearest" });
}

// Open a match, and end the search.
function pick(i) {
  const entry = matches[i];
  closeSearch();
  if (entry) entry.open();
}

// The arrow keys point to a match, Enter opens it, Escape ends the search.
function onKey(event) {
  const act = {
    ArrowDown: () => point(pointed + 1),
    ArrowUp: () => point(pointed - 1),
    Enter: () => pick(pointed),
    Escape: closeSearch,
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

// End the search: the field is empty and has no focus.
function closeSearch() {
  matches = [];
  byId("found").hidden = true;
  byId("search").setAttribute("aria-expanded", "false");
  byId("search").value = "";
  byId("search").blur();
}

export { find, onKey };
