// --- predict, then reveal ---------------------------------------------------------------------------------

import { filled, WORDS } from "./words.js";
import { byId, make, render, say, state } from "./base.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Elements from "./elements.js";
import * as Places from "./places.js";
import * as Chapters from "./chapters.js";
import * as Drawing from "./drawing.js";
import * as Graph from "./graph.js";

// The element to ask for: the largest, so that the answer is a number worth working out.
function asked(edge) {
  const a = Shown.array(edge.passed.fitted);
  let place = 0;
  a.numbers.forEach((v, i) => {
    if (Math.abs(v) > Math.abs(a.numbers[place])) place = i;
  });
  return { a, place };
}

function question(edge) {
  if (edge.passed.fitted === null) return make("p", { class: "soft" }, "What it gave was not kept.");
  const { a, place } = asked(edge);
  const index = Arrays.indexOf(a, place);
  const what = index.length ? filled(WORDS.elementOf, { index: index.join(", ") }) : "the contribution";
  const names = Elements.workedOut(Elements.ofEdge(edge), index, null, "", { hidden: true });
  return numberQuestion({
    what: make(
      "span",
      {},
      filled(WORDS.whatIs, { what }),
      names ? [", ", make("code", { class: "worked" }, names)] : null,
      "?",
    ),
    label: filled(WORDS.yourAnswer, { what, argument: edge.argument }),
    value: a.numbers[place],
    edge: edge.id,
    done: (typed) => {
      state.answered.set(edge.id, typed);
      render();
      say(`${typed === null ? "It is" : "Right:"} ${Arrays.at(a, place)}`);
      focusNext();
      Chapters.answered();
    },
  });
}

// A number is asked for; `done` is told what was typed when it is right, or null when it is revealed.
function numberQuestion({ what, label, value, done, edge = null }) {
  const input = make("input", {
    type: "text",
    inputmode: "decimal",
    "aria-label": label,
    placeholder: "a number",
  });
  const told = make("span", { class: "verdict wrong", role: "status" });
  const submit = () => {
    const typed = input.value.trim(),
      guess = Arrays.numberIn(typed);
    if (guess === null) told.textContent = "That is no number.";
    else if (isRight(guess, value)) done(typed);
    else {
      told.textContent = hint(guess, value);
      say(told.textContent);
    }
  };
  return make(
    "form",
    {
      class: "guess",
      "data-edge": edge,
      onsubmit: (event) => {
        event.preventDefault();
        submit();
      },
    },
    what,
    input,
    make("button", { type: "submit" }, "Check"),
    make("button", { type: "button", onclick: () => done(null) }, "Reveal"),
    told,
  );
}

function focusNext() {
  const next = byId("step").querySelector("form.guess input");
  (next || byId("panel")).focus();
}

function isRight(guess, v) {
  // to two digits
  if (v === 0) return Math.abs(guess) < 1e-9;
  return Math.abs(guess - v) <= 0.02 * Math.abs(v);
}

function hint(guess, v) {
  if (v !== 0 && Math.abs(guess + v) <= 0.02 * Math.abs(v)) return "The size is right, the sign is not.";
  if (v !== 0 && Math.sign(guess) === Math.sign(v))
    return Math.abs(guess) > Math.abs(v) ? "Too large." : "Too small.";
  return "Not yet.";
}

function verdict(edge) {
  const { a, place } = asked(edge);
  const typed = state.answered.get(edge.id);
  return make(
    "p",
    { class: `verdict ${typed === null ? "" : "right"}` },
    typed === null
      ? `Revealed: ${Arrays.at(a, place)}`
      : filled(WORDS.rightNumber, { number: Arrays.at(a, place), typed }),
  );
}

function setPredict(on) {
  state.predict = on;
  if (state.asked) state.asked.before = on;
  byId("predict").setAttribute("aria-pressed", String(on));
  for (const { cards } of Drawing.drawn.values()) for (const card of cards.values()) card.stamp = null;
  if (on && state.time <= Graph.FORWARD) Places.go(Graph.FORWARD + 1);
  else render();
  say(on ? "Gradients are hidden until you work them out." : "Gradients are shown.");
}

export { numberQuestion, question, setPredict, verdict };
