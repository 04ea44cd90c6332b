// --- search ----------------------------------------------------------------------------------------------

import { breakable, byId, data, fill, make, plural, say } from "./base.js";
import * as Places from "./places.js";
import * as Graph from "./graph.js";
import * as Stages from "./stages.js";

const entries = [
  ...data.views.slice(1).map((view) => ({
    text: view.title,
    more: "box",
    open: () => {
      Stages.setStage(Graph.hasDrawings ? "drawing" : "listing");
      Places.show(view.name);
    },
    key: `${view.title} ${view.box !== null ? data.boxes[view.box].path : ""}`.toLowerCase(),
  })),
  ...data.nodes.map((node) => ({
    text:
      `${node.label ? `${node.label}${node.made ? " = " : ""}` : ""}${node.made}` ||
      `${node.kind} #${node.n}`,
    more: node.box === null ? "" : data.boxes[node.box].path,
    open: () => Places.choose(node.n, { open: true }),
    key: `${node.label} ${node.op || ""} ${node.made} #${node.n} ${node.box === null ? "" : data.boxes[node.box].path}`.toLowerCase(),
    first: `${node.label.split(".").pop()} ${(node.op || "").replace("np.", "")}`.toLowerCase(),
  })),
];
let matches = [];
let pointed = 0;

function find() {
  const words = byId("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (entry) => (entry.first?.split(" ").some((part) => part?.startsWith(words[0])) ? 0 : 1);
  matches = words.length
    ? entries
        .filter((entry) => words.every((word) => entry.key.includes(word)))
        .sort((a, b) => rank(a) - rank(b))
        .slice(0, 40)
    : [];
  pointed = 0;
  const list = byId("found");
  list.hidden = !words.length;
  byId("search").setAttribute("aria-expanded", String(!list.hidden));
  fill(
    list,
    matches.length
      ? matches.map((entry, i) =>
          make(
            "li",
            { role: "option", id: `found-${i}`, onclick: () => pick(i) },
            make("code", {}, breakable(entry.text)),
            entry.more ? make("span", { class: "soft" }, "in ", breakable(entry.more)) : null,
          ),
        )
      : words.length
        ? make("li", { class: "soft" }, "Nothing of that name.")
        : null,
  );
  point(0);
  if (words.length) say(`${plural(matches.length, "match", "matches")}`);
}

function point(i) {
  if (!matches.length) return byId("search").removeAttribute("aria-activedescendant");
  pointed = (i + matches.length) % matches.length;
  [...byId("found").children].forEach((item, k) => item.setAttribute("aria-selected", String(k === pointed)));
  byId("search").setAttribute("aria-activedescendant", `found-${pointed}`);
  byId(`found-${pointed}`).scrollIntoView({ block: "nearest" });
}

function pick(i) {
  const entry = matches[i];
  closeSearch();
  if (entry) entry.open();
}

function closeSearch() {
  matches = [];
  byId("found").hidden = true;
  byId("search").setAttribute("aria-expanded", "false");
  byId("search").value = "";
  byId("search").blur();
}

export { closeSearch, find, pick, point, pointed };
