// --- the panel of a node: its value, its gradient, what is said of them, and its line of code --------------

import { filled, WORDS } from "./words.js";
import { byId, data, fill, make, plural, state } from "./base.js";
import * as Shapes from "./shapes.js";
import * as Graph from "./graph.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Editing from "./editing.js";
import * as Attention from "./attention.js";
import * as Step from "./step.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Listing from "./listing.js";
import * as Heat from "./heat.js";
import * as Places from "./places.js";

function nodePanel(n) {
  const node = Graph.nodes.get(n);
  const found = Graph.gradientNow(n);
  const computed = !state.time || Graph.computedAt.get(n) <= state.time;
  const value = Shown.array(node.value);
  const grad = found.sum === null ? null : Shown.array(found.sum);
  const users = Graph.outOf.get(n);
  fill(
    byId("node"),
    make(
      "p",
      { class: "phase" },
      node.kind === "operation"
        ? `Operation #${n}`
        : `${node.kind[0].toUpperCase()}${node.kind.slice(1)} #${n}`,
    ),
    make(
      "h2",
      {},
      make(
        "code",
        {},
        node.label,
        node.label && node.made ? " = " : "",
        node.made || (node.label ? "" : node.kind),
      ),
    ),
    Step.trailText(node),
    make(
      "dl",
      { class: "facts" },
      make("dt", {}, "shape"),
      make("dd", {}, Heat.shapeOf(node.shape, node.letters), ` ${node.type}`),
      Graph.into.get(n).length
        ? [make("dt", {}, "made from"), make("dd", {}, joined(Graph.into.get(n).map((edge) => edge.source)))]
        : null,
      users.length
        ? [make("dt", {}, "used by"), make("dd", {}, joined(users.map((edge) => edge.target)))]
        : null,
      node.kept
        ? [
            make("dt", {}, "keeps"),
            make("dd", {}, filled(WORDS.keptBytes, { bytes: plural(node.kept, "byte") })),
          ]
        : null,
    ),
    make("h3", {}, "Value"),
    computed
      ? [
          Editing.valueFields(n),
          Editing.editing(n),
          Editing.areSymbols(n) ? null : [facts(value), histogram(value, "value")],
        ]
      : make("p", { class: "soft" }, "Not computed yet at this step."),
    computed ? Attention.mapButton(n) : null,
    make("h3", {}, "Gradient"),
    found.sum === null || found.state === "zero"
      ? Step.stateLine(found)
      : [
          found.state === "arriving" ? Step.stateLine(found) : null,
          Heat.heat(found.sum, "gradient", { palette: "gradient", letters: node.letters }),
          facts(grad),
          histogram(grad, "gradient"),
        ],
    Live.tape && Live.tape.fixed[Live.tape.value[n]] === undefined && node.gradient !== null
      ? Doubts.fixedText(Doubts.whyFixedGradient(n))
      : null,
    node.check &&
      !Live.changedSlots.size &&
      (state.time === 0 || Graph.handedOnAt.get(n) <= state.time) &&
      !(state.predict && found.state === "hidden")
      ? check(node)
      : null,
    !data.checked && found.sum !== null
      ? make(
          "p",
          { class: "soft" },
          "No finite differences were run: there is too much to compute, or not all of it was recorded.",
        )
      : null,
    node.line ? [make("h3", {}, "The line of code"), where(node)] : null,
  );
}

function joined(numbers) {
  return [...new Set(numbers)].flatMap((n, i) => [
    i ? ", " : "",
    Places.link(
      n,
      Graph.nodes.get(n).label
        ? Graph.nameOf(n)
        : `#${n}${Graph.nodes.get(n).op ? ` ${Graph.nodes.get(n).op}` : ""}`,
    ),
  ]);
}

function facts(a) {
  if (!a?.all || a.numbers.length < 2 || a.all.least === null) return null;
  const { mean, norm, zeros, odd } = a.all;
  const said = [
    `mean ${Arrays.written(mean, 4)}`,
    `norm ${Arrays.written(norm, 4)}`,
    `${plural(zeros, "zero")}`,
  ];
  if (odd) said.push(filled(WORDS.notFinite, { odd }));
  return make("p", { class: "trail" }, said.join(" · "));
}

function histogram(a, palette) {
  if (!a || a.histogram.length < 2 || Shapes.size(a.full) < 8) return null;
  const most = Math.max(...a.histogram);
  const { least: low, greatest: high } = a.all;
  const bars = a.histogram.map((count, i) =>
    make(
      "rect",
      { x: i * 10, y: 50 - (48 * count) / most, width: 9, height: (48 * count) / most },
      make("title", {}, `${plural(count, "number")}`),
    ),
  );
  const zero =
    low < 0 && high > 0
      ? make("line", {
          x1: (240 * -low) / (high - low),
          x2: (240 * -low) / (high - low),
          y1: 0,
          y2: 52,
          "stroke-dasharray": "3 3",
        })
      : null;
  return make(
    "div",
    {},
    make(
      "svg",
      {
        class: `histogram ${palette}`,
        viewBox: "0 0 240 52",
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": filled(WORDS.histogram, {
          least: Arrays.written(low, 4),
          greatest: Arrays.written(high, 4),
        }),
      },
      bars,
      zero,
    ),
    make(
      "div",
      { class: "ends" },
      make("span", {}, Arrays.written(low, 4)),
      make("span", {}, Arrays.written(high, 4)),
    ),
  );
}

function check(node) {
  const { measured, told, tolerance, ok, kink } = node.check;
  const apart = Math.abs(measured - told);
  const compared = [
    make("p", {}, "Along one random direction of this node, the result changes by"),
    make(
      "dl",
      { class: "facts" },
      make("dt", {}, "finite differences"),
      make("dd", { class: "mono" }, Arrays.written(measured, 5)),
      make("dt", {}, "the gradient says"),
      make("dd", { class: "mono" }, Arrays.written(told, 5)),
    ),
  ];
  const outcome = ok
    ? "They agree."
    : kink
      ? "They differ: there is a kink here, with two slopes."
      : filled(WORDS.theyDiffer, {
          apart: Arrays.written(apart, 2),
          tolerance: Arrays.written(tolerance, 2),
        });
  return [
    make("h3", {}, "Checked by finite differences"),
    make("div", { class: `check ${ok ? "" : "off"}` }, compared, make("p", {}, outcome)),
  ];
}

function where(node) {
  const { file, number } = node.line;
  const lines = [];
  for (let k = number - 2; k <= number + 2; k++)
    if (Listing.textOfLine(file, k) !== null)
      lines.push(Listing.codeLine(file, k, k === number ? "now" : ""));
  return [
    make("p", { class: "trail" }, data.files[file].name),
    make(
      "div",
      { class: "where" },
      lines.length ? lines : make("p", { class: "soft" }, filled(WORDS.lineUnknown, { number })),
    ),
  ];
}

export { nodePanel };
