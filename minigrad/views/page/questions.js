// --- questions: a number to be typed, or one of some choices ------------------------------------------

import { filled, WORDS } from "./words.js";
import { make, say } from "./dom.js";
import * as Arrays from "./arrays.js";

// A number, `value`, is asked for: `what` says which one, `label` is read aloud for its field. `done` is
// told what was typed when it is right, or null when it is revealed. `edge`: the id of the edge that it
// is about.
function numberQuestion({ what, label, value, done, edge = null }) {
  const input = make("input", {
    type: "text",
    inputmode: "decimal",
    "aria-label": label,
    placeholder: "a number",
  });
  const verdict = make("span", { class: "verdict wrong", role: "status" });
  const onsubmit = (event) => {
    event.preventDefault();
    const typed = input.value.trim(),
      guess = Arrays.numberIn(typed);
    if (guess === null) verdict.textContent = WORDS.noNumber;
    else if (isRight(guess, value)) done(typed);
    else {
      verdict.textContent = hint(guess, value);
      say(verdict.textContent);
    }
  };
  return make(
    "form",
    { class: "guess", "data-edge": edge, onsubmit },
    what,
    input,
    make("button", { type: "submit" }, "Check"),
    make("button", { type: "button", onclick: () => done(null) }, "Reveal"),
    verdict,
  );
}

const NEAR = 0.02; // of a number: a guess that is off by no more is right, to two digits
const NEAR_ZERO = 1e-9;

// Whether a guess is right to two digits.
function isRight(guess, v) {
  return Math.abs(guess - v) <= (v === 0 ? NEAR_ZERO : NEAR * Math.abs(v));
}

// What is wrong with a guess, without telling the number.
function hint(guess, v) {
  if (v !== 0 && isRight(-guess, v)) return WORDS.notRight.sign;
  if (v !== 0 && Math.sign(guess) === Math.sign(v))
    return WORDS.notRight[Math.abs(guess) > Math.abs(v) ? "large" : "small"];
  return WORDS.notRight.other;
}

// One of some choices is right; `told` has a sentence on each choice, and `done` is called after the
// right one, or when it is revealed.
function choiceQuestion({ asks, choices, right, name, told, done }) {
  const verdict = make("span", { class: "verdict", role: "status" });
  const choose = (k) => {
    verdict.className = `verdict ${k === right ? "right" : "wrong"}`;
    verdict.textContent = told(k);
    say(verdict.textContent);
    if (k === right) done();
  };
  const reveal = () => {
    verdict.textContent = filled(WORDS.itIs, { what: name(right) });
    say(verdict.textContent);
    done();
  };
  return make(
    "form",
    { class: "guess", onsubmit: (event) => event.preventDefault() },
    make("span", {}, asks),
    choices.map((k) => make("button", { type: "button", onclick: () => choose(k) }, name(k))),
    make("button", { type: "button", onclick: reveal }, "Reveal"),
    verdict,
  );
}

export { choiceQuestion, numberQuestion };
