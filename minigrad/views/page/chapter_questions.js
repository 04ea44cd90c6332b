// --- questions of a chapter: the prediction that is worth making, and its form ------------------------

import { filled, WORDS } from "./words.js";
import { make, say } from "./dom.js";
import { data } from "./state.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Elements from "./elements.js";
import * as Cells from "./cells.js";
import * as Attention from "./attention.js";
import * as Live from "./live.js";
import * as WhatIf from "./what_if.js";
import * as Questions from "./questions.js";

// In a chapter one step is asked about: of attention weights, where one query looks; of a model's scores,
// which symbol is the highest; else the last step on few numbers, which can be worked out in the head. An
// element among hundreds is no question worth an answer.
function questionIn(chapter) {
  const steps = Array.from({ length: chapter.steps }, (_, k) => chapter.from + k);
  for (const i of steps)
    if (!Graph.steps[i].back && Attention.mapOf.has(Graph.steps[i].n))
      return { time: i + 1, kind: "weights", n: Graph.steps[i].n };
  const scores = steps.find((i) => !Graph.steps[i].back && Graph.steps[i].n === Live.tape?.output);
  if (scores !== undefined && WhatIf.writes(Shown.array(Graph.nodes.get(Live.tape.output).value).numbers))
    return { time: scores + 1, kind: "scores", n: Live.tape.output };
  for (const i of steps.reverse()) {
    const node = Graph.nodes.get(Graph.steps[i].n);
    if (!Graph.steps[i].back) {
      const index = askable(Elements.ofNode(node), node.value, Graph.nameOf(node.n));
      if (index) return { time: i + 1, kind: "value", n: node.n, index };
    } else if (node.kind === "operation")
      for (const edge of Graph.into.get(node.n))
        if (edge.differentiable && askable(Elements.ofEdge(edge), edge.passed.fitted, ""))
          return { time: i + 1, kind: "gradient", n: node.n };
  }
  return null;
}

const FEW = 24; // a number is asked for only in an array of no more numbers
const LONGEST = 120; // letters of the computation of that number
// The place of the largest number that has a sum or a product to it.
function askable(origin, id, target) {
  const a = Shown.array(id);
  if (!a?.numbers.length || a.numbers.length > FEW || a.kind !== "f" || !a.largest) return null;
  const index = Arrays.indexOf(
    a,
    a.numbers.findIndex((v) => Math.abs(v) === a.largest),
  );
  const text = Elements.workedOut(origin, index, target, "");
  return text &&
    /[·+\-/] ?[^ ]/.test(text.split(" = ")[1] || "") &&
    !text.includes("…") &&
    !text.includes("?") &&
    text.length < LONGEST
    ? index
    : null;
}

// The form that asks it, instead of what a step of the way forward gives; `done` when it was answered.
function form(question, node, done) {
  if (question.kind === "weights") return weightsQuestion(node, done);
  if (question.kind === "scores") return scoresQuestion(node, done);
  return valueQuestion(question, node, done);
}

function valueQuestion(question, node, done) {
  const a = Shown.array(node.value);
  const { index } = question;
  const { value } = Elements.numberAt(a, index);
  const text = Elements.workedOut(Elements.ofNode(node), index, Graph.nameOf(node.n), "?");
  return Questions.numberQuestion({
    what: make("span", {}, "What is ", make("code", { class: "worked" }, text), "  "),
    label: "Your answer",
    value,
    done: (typed) => {
      say(filled(WORDS.itIs, { what: Arrays.written(value, a.digits) }));
      question.told = typed;
      done();
    },
  });
}

// The place of the largest; of nearly equal ones the last.
const clearest = (values) => values.reduce((best, v, i) => (v > values[best] - 1e-9 ? i : best), 0);

// Where does the query look, whose choice is the clearest of all heads?
function weightsQuestion(node, done) {
  const map = data.maps[Attention.mapOf.get(node.n)];
  const a = Shown.array(node.value);
  const [rows, columns] = a.shape.slice(-2);
  const rowAt = (r) => Array.from(a.numbers.slice(r * columns, (r + 1) * columns));
  const best = clearest(Array.from({ length: a.numbers.length / columns }, (_, r) => Math.max(...rowAt(r))));
  const row = rowAt(best);
  const order = Arrays.ranked(row);
  const last = order.length - 1;
  const picked = [0, 1, Math.ceil(last / 2), last].map((k) => order[Math.min(k, last)]);
  const choices = [...new Set(picked)].sort((x, y) => x - y);
  return Questions.choiceQuestion({
    done,
    asks: filled(WORDS.whereLooks, {
      head: a.shape.length > 2 ? Attention.headName(map, Math.floor(best / rows)).toLowerCase() : "it",
      query: Cells.nameAt(map, 0, best % rows),
    }),
    choices,
    right: order[0],
    name: (k) => Cells.nameAt(map, 1, k),
    told: (k) =>
      filled(k === order[0] ? WORDS.rightKey : WORDS.wrongKey, { share: Arrays.written(row[k], 3) }),
  });
}

// Which symbol has the highest score at the place where the model hesitates most?
function scoresQuestion(node, done) {
  const { numbers, shape } = Shown.array(node.value);
  const n = shape.at(-1);
  const names = WhatIf.symbolNames(n);
  const places = Array.from({ length: numbers.length / n }, (_, at) => {
    const row = numbers.slice(at * n, (at + 1) * n);
    const order = Arrays.ranked(row);
    return { place: at, lead: row[order[0]] - row[order[1]], order };
  });
  const { place, lead, order } = places.reduce((least, one) => (one.lead < least.lead ? one : least));
  const written = WhatIf.writes(numbers);
  return Questions.choiceQuestion({
    done,
    asks: filled(WORDS.whichSymbol, { before: written.slice(0, place).join("") || WORDS.nothingYet }),
    choices: order.slice(0, 4).sort((a, b) => a - b),
    right: order[0],
    name: (k) => `“${names[k]}”`,
    told: (k) =>
      k === order[0]
        ? filled(WORDS.rightSymbol, { lead: Arrays.written(lead, 3) })
        : filled(WORDS.wrongSymbol, { score: Arrays.written(numbers[place * n + k], 3) }),
  });
}

export { form, questionIn };
