// --- the tabs above: the drawing, the maps of attention, the table, and whatever else a page has -----------

import { byId, data, fill, render, state, tabButton, tell } from "./base.js";
import * as Graph from "./graph.js";

const stages = [
  ...document.querySelectorAll(".stage.extra:not(.after)"),
  ...["drawing", "attention", "listing"].map(byId),
  ...document.querySelectorAll(".stage.extra.after"),
];
stages.forEach((stage, i) => {
  if (!stage.id) stage.id = `extra-${i}`;
  stage.setAttribute("role", "tabpanel");
  stage.setAttribute("aria-label", stage.dataset.title);
});

// A page without attention maps has no tab for them, and one without Graphviz none for the drawing.
function stageTabs() {
  const shown = stages.filter(
    (stage) =>
      (stage.id !== "attention" || data.maps.length) && (stage.id !== "drawing" || Graph.hasDrawings),
  );
  fill(
    byId("stage-tabs"),
    shown.map((stage) =>
      tabButton(stage.dataset.title, stage.id, stage.id === state.stage, () => setStage(stage.id)),
    ),
  );
}

const first = () => (stages[0].classList.contains("extra") ? stages[0].id : graphStage()); // that is shown at first
// The tab that shows the graph: the table, where Graphviz was not there to lay out a drawing.
function graphStage() {
  return Graph.hasDrawings ? "drawing" : "listing";
}

// Open a tab by its id.
function setStage(id) {
  state.stage = id;
  for (const stage of stages) stage.hidden = stage.id !== id;
  byId("stages").classList.toggle("as-written", byId(id).classList.contains("extra"));
  byId("crumbs").hidden = id !== "drawing" && id !== "listing";
  stageTabs();
  tell("stage");
  render();
}

export { first, graphStage, setStage, stages };
