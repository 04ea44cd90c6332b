// --- the sheet: the drawing that is open, and the way to the drawings around it -----------------------

import { filled, WORDS } from "./words.js";
import { byId, fill, make } from "./dom.js";
import { state } from "./state.js";
import { hear } from "./events.js";
import * as Graph from "./graph.js";
import * as Places from "./places.js";
import * as Drawing from "./drawing.js";
import * as Camera from "./camera.js";

// Show the drawing of `state.view`, where the reader left it.
function openSheet() {
  if (Graph.hasDrawings) {
    fill(Camera.world, Drawing.draw(state.view).group);
    Camera.open();
  }
  Camera.sheet.setAttribute("aria-label", filled(WORDS.drawingOf, Graph.views.get(state.view)));
  crumbs();
}

// The way out: the drawings around this one, the whole first.
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
        { title, "aria-current": last ? "location" : null, onclick: () => Places.show(name) },
        i ? title.split(": ")[0] || title : "The whole",
      ),
    );
  });
  fill(byId("crumbs"), make("ol", {}, items));
}

hear("view", openSheet);

export { openSheet };
