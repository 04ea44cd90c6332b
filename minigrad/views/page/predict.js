// --- predictions: gradients are hidden until the reader works them out --------------------------------

import { filled, withElements, WORDS } from "./words.js";
import { byId, make, say, soft } from "./dom.js";
import { state } from "./state.js";
import { render } from "./events.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Elements from "./elements.js";
import * as Places from "./places.js";
import * as ChapterPlay from "./chapter_play.js";
import * as Drawing from "./drawing.js";
import * as Graph from "./graph.js";
import * as Questions from "./questions.js";

// The element to ask for: the largest, so that the answer is a number worth working out.
function elementToAsk(edge) {
  const a = Shown.array(edge.passed.fitted);
  return { a, place: Arrays.placeOfLargest(a.numbers.map(Math.abs)) };
}

// The question for what an edge passed: one element of it.
function question(edge) {
  if (edge.passed.fitted === null) return soft(WORDS.giftNotKept);
  const { a, place } = elementToAsk(edge);
  const index = Arrays.indexOf(a, place);
  const what = index.length ? filled(WORDS.elementOf, { index: index.join(", ") }) : "the contribution";
  const names = Elements.workedOut(Elements.ofEdge(edge), index, null, "", { hidden: true });
  return Questions.numberQuestion({
    what: make(
      "span",
      {},
      withElements(WORDS.whatIs, {
        what: names ? [what, ", ", make("code", { class: "worked" }, names)] : what,
      }),
    ),
    label: filled(WORDS.yourAnswer, { what, argument: edge.argument }),
    value: a.numbers[place],
    edge: edge.id,
    done: (typed) => {
      state.answered.set(edge.id, typed);
      render();
      say(outcome(edge));
      focusNext();
      ChapterPlay.answered();
    },
  });
}

function focusNext() {
  const next = byId("step").querySelector("form.guess input");
  (next || byId("panel")).focus();
}

// The answer: the number that was typed, or a note that it was revealed.
function verdict(edge) {
  const isRevealed = state.answered.get(edge.id) === null;
  return make("p", { class: `verdict ${isRevealed ? "" : "right"}` }, outcome(edge));
}

function outcome(edge) {
  const { a, place } = elementToAsk(edge);
  const typed = state.answered.get(edge.id);
  return filled(typed === null ? WORDS.revealed : WORDS.rightNumber, { number: Arrays.at(a, place), typed });
}

// Hide gradients until they are worked out, or show them: before the way back, it leads there.
function setPredict(on) {
  state.predict = on;
  byId("predict").setAttribute("aria-pressed", String(on));
  Drawing.forgetCards();
  if (on && state.time <= Graph.FORWARD) Places.go(Graph.FORWARD + 1);
  else render();
  say(WORDS.predicting[on ? "on" : "off"]);
}

export { question, setPredict, verdict };
