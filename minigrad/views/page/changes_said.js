// --- the line on top: how many numbers are changed, and what follows ---------------------------------------

import { filled, WORDS } from "./words.js";
import { byId, data, fill, hear, make, plural } from "./base.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Changes from "./changes.js";
import * as WhatIf from "./whatif.js";

function show() {
  const box = byId("changes");
  const root = Graph.nodes.get(data.roots[0]);
  box.hidden = Live.tape === null;
  if (Live.tape === null) return;
  if (!Changes.past.length && !Changes.future.length)
    return fill(
      box,
      make(
        "span",
        {},
        "Every number here can be changed: choose a card or a name, and type, drag or press ↑ ↓.",
      ),
    );
  const leaves = Live.tape.leaves
    .map(({ slot }) => slot)
    .concat(Object.values(Live.tape.numbers).flatMap(Object.values))
    .filter((slot) => Live.changedSlots.has(slot));
  const count = leaves.reduce(
    (n, slot) =>
      n +
      Live.machine.slots[slot].array.reduce((k, v, i) => k + (Object.is(v, Live.first[slot][i]) ? 0 : 1), 0),
    0,
  );
  const off = Live.tape.switches.reduce(
    (n, { places }) => n + places.filter(({ gate }) => !WhatIf.isOn(gate)).length,
    0,
  );
  const told = WhatIf.writtenNow();
  fill(
    box,
    make(
      "b",
      {},
      [count ? `${plural(count, "number")} changed` : null, off ? `${plural(off, "part")} off` : null]
        .filter(Boolean)
        .join(", ") || "As it was written",
    ),
    root.shape.length
      ? null
      : make(
          "span",
          {},
          `${Graph.nameOf(root.n)} `,
          count || off ? [make("s", {}, Arrays.written(Live.lossAtFirst(), 5)), " → "] : null,
          make("b", { class: "mono" }, Arrays.written(Live.lossNow(), 5)),
          " ",
          Doubts.fixedBadge(Doubts.whyFixed(root.n)),
        ),
    told ? make("span", {}, "likeliest symbols ", told.now) : null,
    told?.was ? make("span", { class: "soft" }, WORDS.lossAgainst) : null,
    Doubts.readLines().length
      ? make(
          "span",
          { class: "fixed-lines" },
          make("span", { class: "badge" }, "fixed"),
          filled(WORDS.readAt, { lines: Doubts.readLines().join(", ") }),
        )
      : null,
    (Live.tape.paths || []).some(Live.isChanged)
      ? make(
          "span",
          { class: "fixed-lines" },
          make("span", { class: "badge" }, "fixed"),
          filled(WORDS.otherPaths, {
            names: Live.tape.paths.filter(Live.isChanged).map(Graph.nameOf).join(", "),
          }),
        )
      : null,
    make("span", { class: "soft only-extra" }, "The part below shows the run as it was written."),
    make(
      "span",
      { class: "buttons" },
      make(
        "button",
        {
          "data-field": "undo",
          onclick: Changes.undo,
          disabled: !Changes.past.length,
          title: "Undo (Ctrl Z)",
        },
        "Undo",
      ),
      make(
        "button",
        {
          "data-field": "redo",
          onclick: Changes.redo,
          disabled: !Changes.future.length,
          title: "Do again (Ctrl Shift Z)",
        },
        "Do again",
      ),
      make(
        "button",
        {
          "data-field": "first",
          onclick: Changes.undoAll,
          disabled: !count && !off,
          title: "All numbers as they were written",
        },
        "As written",
      ),
    ),
  );
}

hear("changes", show);

export { show };
