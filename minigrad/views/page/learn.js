// --- gradient descent in the page: a step, or one after the other, with the loss drawn beside it ------

import { filled, plural, withElements, WORDS } from "./words.js";
import { byId, fill, keepFocus, make, say, soft } from "./dom.js";
import { data } from "./state.js";
import { hear, render } from "./events.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Changes from "./changes.js";
import * as Fields from "./fields.js";

const learning = {
  rate: 0.01,
  without: new Set(), // the nodes that are left out
  losses: [], // before the first step, and after each
  at: null, // the version of the numbers after the last step: `losses` belong to this version
  timer: null, // while steps follow each other
  run: 0, // which steps are undone together
  taken: 0, // steps of this run
};
const PACE = 60; // milliseconds from one step to the next
const SLICE = 40; // milliseconds of steps after which something is shown

// The nodes that have a gradient here and can have other numbers.
const movable = () =>
  data.nodes.filter((node) => Fields.slotOf(node.n) !== null && Live.tape.gradient[node.n] !== undefined);

// What a gradient step changes: parameters, or where there are none the inputs.
function learners() {
  const leaves = movable().filter((node) => Live.tape.fixed[Live.tape.gradient[node.n]] === undefined);
  const parameters = leaves.filter((node) => node.kind === "parameter");
  return parameters.length ? parameters : leaves.filter((node) => node.kind === "input");
}

// The numbers after a step of gradient descent, rounded as their array is.
function descent(numbers, gradient, rate) {
  const step = gradient.map((g) => rate * g);
  return numbers.map((v, i) => v - step[i]);
}

// Take one step of gradient descent; `shown`: the page is made anew after it.
function learnStep({ shown = true } = {}) {
  const { slots } = Live.startedMachine();
  if (learning.at !== Live.versionNow()) Object.assign(learning, { losses: [Live.lossNow()], taken: 0 });
  const changes = new Map();
  for (const node of learners()) {
    if (learning.without.has(node.n)) continue;
    const slot = Live.tape.value[node.n];
    const gradient = slots[Live.tape.gradient[node.n]].array;
    changes.set(slot, descent(slots[slot].array, gradient, learning.rate));
  }
  if (!changes.size) return;
  Changes.change(`learning, ${plural(++learning.taken, "step")}`, changes, `learning ${learning.run}`);
  learning.at = Live.versionNow();
  learning.losses.push(Live.lossNow());
  if (shown) keepFocus(render);
  if (!Number.isFinite(Live.lossNow())) stopLearning();
}

// Take several steps. The page is shown after as many as fit into a slice of time, and answers in between.
function learnSteps(count) {
  newRun();
  const runSlice = () => {
    learning.timer = setTimeout(runSlice); // which `stopLearning` takes back, at the end or before it
    const begun = performance.now();
    do learnStep({ shown: false });
    while (--count > 0 && learning.timer && performance.now() - begun < SLICE);
    if (count <= 0) stopLearning();
    if (learning.timer) keepFocus(render);
  };
  runSlice();
}

// Begin steps that are undone together.
function newRun() {
  stopLearning();
  learning.run++;
  learning.taken = 0;
}

// Take steps one after the other, or stop that.
function toggleLearning() {
  if (learning.timer) return stopLearning();
  newRun();
  learning.timer = setInterval(() => learnStep(), PACE);
  learnStep();
}

// Stop the steps, if they follow each other; also before numbers are changed in another way.
function stopLearning() {
  if (!learning.timer) return;
  clearInterval(learning.timer);
  learning.timer = null;
  render();
  say(learnText());
}

// How the loss has changed since the first step, and what that means.
function learnText() {
  const { losses } = learning;
  if (losses.length < 2) return WORDS.noStepYet;
  const [from, to] = [losses[0], losses.at(-1)];
  const told = filled(WORDS.lossWent, {
    steps: plural(losses.length - 1, "step"),
    from: Arrays.written(from, 4),
    to: Arrays.written(to, 4),
  });
  if (!Number.isFinite(to)) return filled(WORDS.diverged, { told });
  if (to > from) return filled(WORDS.higher, { told });
  return told;
}

const MOST_POINTS = 1000;
const [WIDTH, HEIGHT] = [330, 120];
const FAR = 50; // times the least loss: if the greatest is more, the plot is logarithmic
const AXIS = { left: 46, bottom: HEIGHT - 20 }; // the lines at the sides
// The plot of the loss after each step, or after some of very many.
function lossPlot() {
  const count = learning.losses.length,
    every = Math.ceil(count / MOST_POINTS);
  const drawn = learning.losses.flatMap((v, i) => (i % every === 0 || i === count - 1 ? [[i, v]] : []));
  const finite = drawn.map(([, v]) => v).filter(Number.isFinite);
  if (finite.length < 2) return soft(WORDS.lossIsDrawn);
  const { x, y, logarithmic } = plotScale(finite, count);
  const points = drawn.flatMap(([i, v]) =>
    Number.isFinite(v) ? [`${x(i).toFixed(1)} ${y(v).toFixed(1)}`] : [],
  );
  const last = learning.losses[count - 1];
  return make(
    "svg",
    {
      class: "loss-plot",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": filled(WORDS.lossPlot, { told: learnText() }),
    },
    plotAxes(finite, `${plural(count - 1, "step")}${logarithmic ? ", logarithmic" : ""}`),
    make("path", { d: `M${points.join("L")}` }),
    Number.isFinite(last)
      ? make("rect", { x: x(count - 1) - 2.5, y: y(last) - 2.5, width: 5, height: 5, rx: 2.5 })
      : make("text", { x: WIDTH - 10, y: 14, class: "diverged", "text-anchor": "end" }, "diverged"),
  );
}

// Where a step and a loss are in the plot: logarithmic where the losses differ much.
function plotScale(losses, count) {
  const logarithmic = losses.every((v) => v > 0) && Math.max(...losses) > FAR * Math.min(...losses);
  const scaled = (v) => (logarithmic ? Math.log10(v) : v);
  const [low, high] = [scaled(Math.min(...losses)), scaled(Math.max(...losses))];
  return {
    x: (step) => AXIS.left + ((WIDTH - 56) * step) / (count - 1),
    y: (loss) => 8 + (HEIGHT - 30) * (1 - (scaled(loss) - low) / (high - low || 1)),
    logarithmic,
  };
}

// The two axes: the greatest and the least loss at one, 0 and the last step at the other.
function plotAxes(losses, lastStep) {
  const { left, bottom } = AXIS;
  const label = (v, y) => make("text", { x: 42, y: y + 3, "text-anchor": "end" }, Arrays.written(v, 3));
  return [
    make("line", { x1: left, x2: left, y1: 4, y2: bottom }),
    make("line", { x1: left, x2: WIDTH - 6, y1: bottom, y2: bottom }),
    label(Math.max(...losses), 10),
    label(Math.min(...losses), bottom - 4),
    make("text", { x: left, y: HEIGHT - 6 }, "0"),
    make("text", { x: WIDTH - 8, y: HEIGHT - 6, "text-anchor": "end" }, lastStep),
  ];
}

// Sentences on numbers that are fixed while the others learn: of leaves, and of the loss.
function whatStays() {
  const nodes = learners().filter((node) => !learning.without.has(node.n));
  const reached = new Set(nodes.map((node) => node.n));
  for (const node of data.nodes)
    if (Graph.into.get(node.n).some((edge) => reached.has(edge.source))) reached.add(node.n);
  const lost = Doubts.doubted((n) => Live.isChanged(n) || reached.has(n));
  const why = (slot) =>
    Live.tape.fixed[slot] !== undefined
      ? filled(WORDS.becauseFixed, { why: Live.tape.fixed[slot] })
      : lost.has(slot)
        ? filled(WORDS.becauseMade, { node: Doubts.nodeText(lost.get(slot)) })
        : null;
  const fixed = movable().filter((node) => Live.tape.fixed[Live.tape.gradient[node.n]] !== undefined);
  const wrong = nodes.filter((node) => lost.has(Live.tape.gradient[node.n]));
  const ofLoss = nodes.length ? why(Live.tape.value[Graph.root.n]) : null;
  return [
    fixed.length
      ? filled(WORDS.cannotLearn, { names: joinedNames(fixed), why: why(Live.tape.gradient[fixed[0].n]) })
      : null,
    wrong.length
      ? filled(WORDS.gradientDiffers, { names: joinedNames(wrong), why: why(Live.tape.gradient[wrong[0].n]) })
      : null,
    ofLoss ? filled(WORDS.lossDiffers, { why: ofLoss }) : null,
  ]
    .filter(Boolean)
    .map(Doubts.fixedText);
}

const joinedNames = (nodes) =>
  nodes
    .slice(0, 6)
    .map((node) => Graph.fullName(node.n))
    .join(", ") + (nodes.length > 6 ? filled(WORDS.andMore, { count: nodes.length - 6 }) : "");

// Show the tab "Learn": what a step does, what it cannot do here, and the loss after each step so far.
function learnPanel() {
  const nodes = learners();
  const phase = make("p", { class: "phase" }, "Gradient descent");
  if (!nodes.length) return fill(byId("learn"), phase, make("h2", {}, "Nothing can learn here"), whatStays());
  fill(
    byId("learn"),
    phase,
    make(
      "h2",
      {},
      `${Graph.nameOf(Graph.root.n)} = `,
      make("span", { class: "mono" }, Arrays.written(Live.lossNow(), 5)),
    ),
    whatAStepDoes(nodes),
    whatStays(),
    rateControls(),
    stepButtons(),
    lossPlot(),
    learning.losses.length > 1 ? make("p", {}, learnText()) : null,
    nodes.length > 1 ? learnerList(nodes) : null,
  );
}

function whatAStepDoes(nodes) {
  const count = nodes
    .filter((node) => !learning.without.has(node.n))
    .reduce((sum, node) => sum + Live.sizeOf(Live.tape.value[node.n]), 0);
  return soft(
    withElements(WORDS.stepTakes[count === 1 ? "one" : "many"], {
      numbers: plural(count, "number"),
      step: make("code", {}, "w = w − rate · w.grad"),
    }),
  );
}

// The learning rate: typed, or the next of 1, 2, 5, 10 and so on.
function rateControls() {
  const change = (direction) => setRate(nextRate(learning.rate, direction));
  return make(
    "div",
    { class: "learn-controls" },
    make("label", {}, "learning rate ", rateField(change)),
    make(
      "button",
      { "data-field": "slower", "aria-label": "Smaller learning rate", onclick: () => change(-1) },
      "−",
    ),
    make(
      "button",
      { "data-field": "faster", "aria-label": "Larger learning rate", onclick: () => change(1) },
      "+",
    ),
  );
}

// The learning rate, to be typed; arrow keys `change` it, up (1) or down (-1).
function rateField(change) {
  return make("input", {
    class: "number-field",
    type: "text",
    inputmode: "decimal",
    "data-field": "rate",
    "aria-label": "Learning rate",
    value: Arrays.written(learning.rate, 5),
    onchange: (event) => setRate(Arrays.numberIn(event.target.value)),
    onkeydown: (event) => {
      const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!direction) return;
      event.preventDefault();
      change(direction);
    },
  });
}

const RATES = [1, 2, 5];
// The next of these rates: a larger one (`direction` 1), or a smaller one (-1).
function nextRate(rate, direction) {
  const power = 10 ** Math.floor(Math.log10(rate) + 1e-9);
  const rates = RATES.map((m) => m * power);
  const next =
    direction > 0
      ? (rates.find((v) => v > rate * 1.001) ?? 10 * power)
      : (rates.findLast((v) => v < rate / 1.001) ?? power / 2);
  return Number(next.toPrecision(3));
}

// Take one step, ten, or one after the other.
function stepButtons() {
  const playing = learning.timer !== null;
  return make(
    "div",
    { class: "start" },
    make(
      "button",
      {
        "data-field": "one",
        class: "primary",
        onclick: () => {
          newRun();
          learnStep();
          say(learnText());
        },
      },
      "One step",
    ),
    make("button", { "data-field": "ten", onclick: () => learnSteps(10) }, "Ten"),
    make(
      "button",
      {
        "data-field": "learning",
        "aria-pressed": String(playing),
        "aria-label": "Play the steps of learning",
        onclick: toggleLearning,
      },
      playing ? "Pause" : "Play",
    ),
  );
}

const MOST_LEARNERS = 60; // that are listed

// What learns: each can be left out.
function learnerList(nodes) {
  const label = (node) =>
    make(
      "label",
      {},
      make("input", {
        type: "checkbox",
        checked: !learning.without.has(node.n),
        "data-field": `learns-${node.n}`,
        onchange: (event) => {
          learning.without[event.target.checked ? "delete" : "add"](node.n);
          keepFocus(render);
        },
      }),
      " ",
      make("code", {}, Graph.fullName(node.n)),
    );
  return make(
    "details",
    { open: nodes.length <= 4 },
    make("summary", { class: "soft" }, "what learns"),
    make("div", { class: "learners" }, nodes.slice(0, MOST_LEARNERS).map(label)),
  );
}

// What was typed, or the next rate: null, or a number that is none of a learning rate, changes nothing.
function setRate(rate) {
  if (!(rate > 0) || !Number.isFinite(rate)) say(WORDS.rateAboveZero);
  else {
    learning.rate = rate;
    say(filled(WORDS.learningRate, { rate: Arrays.written(rate, 5) }));
  }
  keepFocus(render);
}

hear("undo", stopLearning);

export { learnPanel, movable, stopLearning };
