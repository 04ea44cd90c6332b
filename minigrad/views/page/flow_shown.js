// --- from letters to a digit: picture and sentences are updated, and listen to the reader -------------

import { arrow, byId, keepFocus, say } from "./dom.js";
import { hear } from "./events.js";
import { hideTip, tip } from "./tip.js";
import * as Editing from "./editing.js";
import * as Places from "./places.js";
import * as FlowReading from "./flow_reading.js";
import * as Flow from "./flow.js";
import * as FlowScene from "./flow_scene.js";
import * as FlowNames from "./flow_names.js";
import * as FlowSaid from "./flow_said.js";
import * as FlowPanel from "./flow_panel.js";

hear("flow", () => {
  FlowPanel.symbolButtons();
  FlowPanel.letterChoice();
  FlowScene.draw();
  FlowPanel.stageList();
  FlowPanel.summary();
  FlowPanel.details();
});

hear("flow-chosen", () => {
  FlowScene.paint();
  keepFocus(FlowPanel.summary);
  FlowPanel.details();
  const part = Flow.partChosen();
  if (!part) return;
  say(`${FlowNames.ofPart(part)}. ${FlowSaid.sentences(part).at(-1)}`);
  if (part.kind === "edge" && FlowScene.cellOf(part) !== null) FlowScene.openCell(part);
});

hear("flow-pointed", FlowPanel.pointed);

hear("flow-letters", () => Flow.keepInPlace(FlowPanel.summary));

hear("chapter", (chapter) => {
  const key = FlowReading.now() && FlowScene.stageIn(chapter);
  if (key) Flow.choose(key);
});

hear("flow-losses", ({ all, others }) => {
  FlowScene.paint();
  if (!others) return;
  Flow.keepInPlace(() => {
    FlowPanel.summary();
    if (all) FlowPanel.details();
  });
});

// To the pointer over the picture.
function listenToPointer(box) {
  const keyAt = (event) => event.target.dataset?.key;
  let quiet = null; // the part that was pressed: nothing more is said of it beside the pointer
  box.addEventListener("click", (event) => {
    if (keyAt(event)) Flow.choose(keyAt(event));
    quiet = keyAt(event) ?? null;
    hideTip();
  });
  box.addEventListener("pointermove", (event) => {
    const part = Flow.state.parts.get(keyAt(event));
    Flow.point(part?.key ?? null);
    if (quiet !== part?.key) quiet = null;
    if (part && quiet === null) tip(FlowSaid.tipOf(part), event, FlowScene.toLeaveFree());
    else hideTip();
  });
  box.addEventListener("pointerleave", () => {
    hideTip();
    Flow.point(null);
  });
}

// To the picture, the arrow keys, and the width of the window.
function listen() {
  const box = byId("flow-picture");
  listenToPointer(box);
  byId("flow-steps").addEventListener("keydown", (event) => {
    const move = arrow(event, false);
    if (!move) return;
    const count = FlowReading.now().written.length;
    Flow.follow((Flow.state.step + move[0] + move[1] + count) % count);
  });
  byId("flow-letter").addEventListener("change", (event) => Flow.toLetter(Number(event.target.value)));
  byId("flow-whatif").hidden = !Editing.computingTabs().whatif;
  byId("flow-whatif").querySelector("button").onclick = () => Places.openTab("whatif");
  new ResizeObserver(() => {
    if (FlowScene.resize(box.clientWidth)) FlowPanel.stageList(); // the step may be another by now
  }).observe(box);
}

if (byId("flow")) listen();
