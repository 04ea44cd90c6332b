// The forms of a page: each judges an answer, shows what waits for it, and keeps it in the browser.

import * as Judging from "../judging.js";

// --- keeping: what a browser remembers of a question ----------------------------------------------------

function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(`minigrad:${name}`)) || {};
  } catch {
    return {};
  }
}

function keep(name, what) {
  try {
    localStorage.setItem(`minigrad:${name}`, JSON.stringify({ ...kept(name), ...what }));
  } catch {
    // a browser that keeps nothing: the answers last until the page is closed
  }
}

// --- showing: the forms, and the cells that wait for them -----------------------------------------------

const done = new Set(); // the names of the questions that were answered, or whose answer was shown

// Show the cells whose questions have been answered; hide the others.
function unfold() {
  for (const cell of document.querySelectorAll("[data-waits]"))
    cell.classList.toggle(
      "folded",
      cell.dataset.waits.split(" ").some((name) => !done.has(name)),
    );
  for (const form of document.forms) {
    const { name } = form.dataset;
    const waits = document.querySelector(`[data-waits~="${name}"]`);
    const waiting = form.querySelector(".waiting");
    if (waiting) waiting.hidden = !waits || done.has(name);
  }
}

function solved(name) {
  done.add(name);
  keep(name, { done: true });
  unfold();
}

// Judge an answer, and say under the form what kind it is.
function check(form, given) {
  const asked = JSON.parse(form.dataset.asked);
  const { kind, says } = Judging.verdictOn(asked, given);
  say(form, kind, kind === "right" ? `<p>${says}</p>${asked.because}` : says);
  if (kind === "right") solved(form.dataset.name);
}

function say(form, kind, words) {
  const feedback = form.querySelector(".feedback");
  feedback.dataset.kind = kind;
  feedback.innerHTML = words;
}

function submit(form) {
  const given = new FormData(form).get("given");
  const part = { "?": ".hint", "!": ".answer" }[given]; // as in the terminal
  if (part) {
    form.querySelector(part).open = true;
    return;
  }
  if (!given) {
    say(form, "number", "Give an answer first.");
    return;
  }
  keep(form.dataset.name, { given });
  check(form, given);
}

function start(form) {
  const { name } = form.dataset;
  form.querySelector("button").hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(form);
  });
  form.querySelector(".answer").addEventListener("toggle", (event) => {
    if (event.target.open) solved(name);
  });
  const before = kept(name);
  if (before.done) done.add(name);
  if (before.given) {
    form.elements.given.value = before.given;
    check(form, before.given);
  }
}

document.querySelectorAll("form.question").forEach(start);
unfold();
