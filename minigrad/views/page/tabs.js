// --- tabs: the drawing, the table, the attention maps, and further parts of the page ------------------

import { byId, fill, tabButton } from "./dom.js";
import { data, state } from "./state.js";
import { render, tell } from "./events.js";
import * as Graph from "./graph.js";

// In the order of their buttons: `mg.explore` was given the extra ones, of which some stand after the
// drawing.
const all = [
  ...document.querySelectorAll(".tab.extra:not(.after)"),
  ...["drawing", "attention", "listing"].map(byId),
  ...document.querySelectorAll(".tab.extra.after"),
];
all.forEach((tab, i) => {
  if (!tab.id) tab.id = `extra-${i}`;
  tab.setAttribute("role", "tabpanel");
  tab.setAttribute("aria-label", tab.dataset.title);
});

const isExtra = (id) => byId(id).classList.contains("extra");

// A page without attention maps has no tab for them, and one without Graphviz none for the drawing.
const hasContent = ({ id }) =>
  (id !== "attention" || data.maps.length) && (id !== "drawing" || Graph.hasDrawings);

// The id of the tab that shows the graph: the table, where Graphviz was not there to lay out a drawing.
const graphTab = () => (Graph.hasDrawings ? "drawing" : "listing");

// The id of the one that is open at first.
const first = () => (isExtra(all[0].id) ? all[0].id : graphTab());

// Open a tab by its id.
function open(id) {
  state.tab = id;
  for (const tab of all) tab.hidden = tab.id !== id;
  byId("tabs").classList.toggle("as-written", isExtra(id));
  byId("crumbs").hidden = id !== "drawing" && id !== "listing";
  const buttons = all
    .filter(hasContent)
    .map((tab) => tabButton(tab.dataset.title, tab.id, tab.id === id, () => open(tab.id)));
  fill(byId("tab-buttons"), buttons);
  tell("tab");
  render();
}

export { all, first, graphTab, isExtra, open };
