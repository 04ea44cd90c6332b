// --- chapters: the computation in parts, each with its reason ---------------------------------------------

import { filled, WORDS } from "./words.js";
import { byId, data, hear, icon, make, render, say, shownToken, state, tell } from "./base.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Elements from "./elements.js";
import * as Stages from "./stages.js";
import * as Places from "./places.js";
import * as Attention from "./attention.js";
import * as Live from "./live.js";
import * as WhatIf from "./whatif.js";
import * as Pace from "./pace.js";
import * as Questions from "./questions.js";

const chapters = [];
for (const told of data.chapters) {
  const from = chapters.length ? chapters[chapters.length - 1].to : 0;
  chapters.push({ ...told, number: chapters.length + 1, from, to: from + told.steps }); // its steps are from + 1 to to
}

function chapterAt(time) {
  return chapters.find((chapter) => time <= chapter.to) || chapters[chapters.length - 1];
}

function lessonLink(chapter) {
  if (!chapter.lesson) return null;
  const { title, address } = chapter.lesson;
  return make("a", { class: "lesson", href: address, target: "_blank" }, `Lesson: ${title}`);
}

function chapterList() {
  const now = introduced ?? (state.time ? chapterAt(state.time) : null);
  return make(
    "ol",
    { class: "chapters" },
    chapters.map((chapter) =>
      make(
        "li",
        { class: chapter.back ? "backward" : "", "aria-current": chapter === now ? "step" : null },
        make(
          "button",
          { class: `link ${chapter.code ? "mono" : ""}`, onclick: () => Places.go(chapter.from + 1) },
          chapter.title,
        ),
        make(
          "button",
          {
            class: "small",
            "aria-label": filled(WORDS.playChapter, chapter),
            title: "Play this chapter",
            onclick: () => playChapter(chapter),
          },
          icon("play"),
        ),
        chapter.part ? make("span", { class: "part mono" }, chapter.part) : null,
        chapter.about ? make("p", { class: "soft" }, chapter.about) : null,
        lessonLink(chapter),
      ),
    ),
  );
}

// In the panel of a step: in which chapter it is, and the way to the others.
function chapterLine() {
  const chapter = chapterAt(state.time);
  const first = state.time === chapter.from + 1;
  const to = (other, text) =>
    make(
      "button",
      {
        class: "small",
        disabled: !other,
        "aria-label": text,
        title: text,
        onclick: () => Places.go(other.from + 1),
      },
      icon(text.startsWith("Next") ? "next" : "back"),
    );
  return make(
    "div",
    { class: `chapter ${chapter.back ? "backward" : ""}` },
    make(
      "div",
      { class: "head" },
      make(
        "button",
        {
          class: "link",
          title: "All chapters",
          onclick: () => Places.openTab("overview"),
        },
        filled(WORDS.chapterOf, { number: chapter.number, count: chapters.length }),
      ),
      to(chapters[chapter.number - 2], "Chapter before"),
      to(chapters[chapter.number], "Next chapter"),
      make(
        "button",
        {
          id: "chapter-play",
          class: "small",
          onclick: () => (state.playing ? Pace.stopPlaying() : playChapter(chapter)),
        },
        playWord(),
      ),
    ),
    make("b", { class: chapter.code ? "mono" : null }, chapter.title),
    chapter.part ? make("span", { class: "part mono" }, chapter.part) : null,
    first && chapter.about ? make("p", {}, chapter.about) : null,
    first ? lessonLink(chapter) : null,
  );
}

// --- a chapter plays by itself, and stops where a prediction is worth making ------------------------------

// In a chapter one step is asked about: of attention weights, where one query looks; of a model's scores,
// which symbol is the highest; else the last step on few numbers, which can be worked out in the head. An
// element among hundreds is no question worth an answer.
function questionIn(chapter) {
  const steps = Array.from({ length: chapter.steps }, (_, k) => chapter.from + k);
  for (const i of steps)
    if (!Graph.events[i].back && Attention.mapOf.has(Graph.events[i].n))
      return { time: i + 1, kind: "weights", n: Graph.events[i].n };
  const scores = steps.find((i) => !Graph.events[i].back && Graph.events[i].n === Live.tape?.output);
  if (scores !== undefined && WhatIf.writes(Shown.array(Graph.nodes.get(Live.tape.output).value).numbers))
    return { time: scores + 1, kind: "scores", n: Live.tape.output };
  for (const i of steps.reverse()) {
    const node = Graph.nodes.get(Graph.events[i].n);
    if (!Graph.events[i].back) {
      const index = askable(Elements.ofNode(node), node.value, Graph.nameOf(node.n));
      if (index) return { time: i + 1, kind: "value", n: node.n, index };
    } else if (node.kind === "operation")
      for (const edge of Graph.into.get(node.n))
        if (edge.differentiable && askable(Elements.ofEdge(edge), edge.passed.fitted, ""))
          return { time: i + 1, kind: "gradient", n: node.n };
  }
  return null;
}

const FEW = 24; // numbers, of which one is worth asking for
// The place of the largest number that has a sum or a product to it.
function askable(of, id, target) {
  const a = Shown.array(id);
  if (!a?.numbers.length || a.numbers.length > FEW || a.kind !== "f" || !a.largest) return null;
  const index = Arrays.indexOf(
    a,
    a.numbers.findIndex((v) => Math.abs(v) === a.largest),
  );
  const text = Elements.workedOut(of, index, target, "");
  return text &&
    /[·+\-/] ?[^ ]/.test(text.split(" = ")[1] || "") &&
    !text.includes("…") &&
    !text.includes("?") &&
    text.length < 120
    ? index
    : null;
}

const playWord = () => (state.playing ? "Pause" : "Play it");

// Say it on the button of the chapter, which the panel made.
function sayPlaying() {
  const button = byId("chapter-play");
  if (button) button.textContent = playWord();
}

let stops = null; // while a chapter plays: its end, and its question
let introduced = null; // the chapter whose sentences are there to be read, before its steps

hear("stopped", () => {
  stops = null;
  if (!introduced) return;
  introduced = null;
  tell("panel");
});

function playChapter(chapter) {
  Pace.stopPlaying();
  const inside = state.time > chapter.from && state.time < chapter.to;
  stops = { chapter, question: questionIn(chapter) };
  const begin = () => {
    if (!inside) state.time = chapter.from;
    playOn();
  };
  if (chapter.part && !inside) introduce(chapter, begin);
  else begin();
}

// Chapters that say what a part is for: their sentences, one after the other, and none of their steps.
const toldChapters = chapters.filter(({ part, back }) => part && !back);
function playSentences() {
  Pace.stopPlaying();
  Places.go(0, { quiet: true });
  Stages.setStage(Stages.first());
  const waiting = toldChapters.slice();
  const next = () => (waiting.length ? introduce(waiting.shift(), next) : Pace.stopPlaying());
  next();
}

function introduce(chapter, then) {
  introduced = chapter;
  Places.openTab("overview");
  document.querySelector(".chapters [aria-current]").scrollIntoView({ block: "nearest" });
  tell("chapter", chapter);
  say(`${chapter.title} ${chapter.about}`);
  state.playing = setTimeout(
    () => {
      introduced = null;
      then();
    },
    Pace.timeToRead(chapter.title + chapter.about),
  );
  tell("playing");
}

function playOn() {
  Pace.playFrom((time) => {
    if (time <= stops.chapter.to) return playTo(time);
    say(filled(WORDS.chapterEnds, stops.chapter));
    return Pace.stopPlaying();
  });
}

// Play to a step, which goes on, or to the question about it, which does not.
function playTo(time) {
  const { question } = stops;
  if (!question || question.time !== time || question.due === false) {
    Places.go(time, { quiet: true });
    return true;
  }
  question.due = false;
  state.playing = null;
  ask(question);
  return false;
}

function ask(question) {
  state.asked = question;
  if (question.kind === "gradient") {
    question.before = state.predict;
    state.predict = true;
    for (const edge of Graph.into.get(question.n)) state.answered.delete(edge.id); // a chapter may play again
  }
  Places.go(question.time, { quiet: true });
  say("A question: the answer is hidden until you give it.");
  const field = byId("step").querySelector("form input, form button");
  if (field) field.focus();
}

// The answer was given, or shown: the chapter goes on.
function answered() {
  const question = state.asked;
  if (!question) return;
  if (question.kind === "gradient" && byId("step").querySelector("form.guess")) return; // there is another
  Places.dropQuestion();
  const inside = document.activeElement?.closest("#step form");
  render();
  if (inside) byId("panel").focus({ preventScroll: true }); // where the question was
  if (stops)
    setTimeout(() => {
      if (stops && !state.playing && state.time === question.time) playOn();
    }, 2600);
}

// What is asked instead of what a step of the way forward gives.
function forwardQuestion(node) {
  const question = state.asked;
  if (!question || question.n !== node.n || question.time !== state.time) return null;
  if (question.kind === "weights") return weightsQuestion(node);
  if (question.kind === "scores") return scoresQuestion(node);
  const a = Shown.array(node.value);
  const index = question.index;
  const { value } = Elements.numberAt(a, index);
  const text = Elements.workedOut(Elements.ofNode(node), index, Graph.nameOf(node.n), "?");
  return Questions.numberQuestion({
    what: make("span", {}, "What is ", make("code", { class: "worked" }, text), "  "),
    label: "Your answer",
    value,
    done: (typed) => {
      say(filled(WORDS.itIs, { what: Arrays.written(value, a.digits) }));
      question.told = typed;
      answered();
    },
  });
}

function weightsQuestion(node) {
  const map = data.maps[Attention.mapOf.get(node.n)],
    a = Shown.array(node.value);
  const [rows, columns] = a.shape.slice(-2);
  let best = 0; // the row with the clearest choice, of all heads
  for (let r = 0; r < a.numbers.length / columns; r++)
    if (
      Math.max(...a.numbers.slice(r * columns, (r + 1) * columns)) >
      Math.max(...a.numbers.slice(best * columns, (best + 1) * columns)) - (r ? 1e-9 : 0)
    )
      best = r;
  const row = Array.from(a.numbers.slice(best * columns, (best + 1) * columns));
  const order = row.map((v, k) => [v, k]).sort((x, y) => y[0] - x[0]);
  const picked = [0, 1, Math.floor(order.length / 2), order.length - 1].map(
    (k) => order[Math.min(k, order.length - 1)][1],
  );
  const choices = [...new Set(picked)].sort((x, y) => x - y);
  const tokens = map.tokens ? map.tokens.map((list) => list.map(shownToken)) : [[], []];
  const name = (list, k) => (list[k] === undefined ? `position ${k}` : `“${list[k]}” (${k})`);
  return Questions.choiceQuestion({
    done: answered,
    asks: filled(WORDS.whereLooks, {
      head: Math.floor(best / rows) + 1,
      query: name(tokens[0], best % rows),
    }),
    choices,
    right: order[0][1],
    name: (k) => name(tokens[1], k),
    told: (k) =>
      filled(k === order[0][1] ? WORDS.rightKey : WORDS.wrongKey, { share: Arrays.written(row[k], 3) }),
  });
}

// Which symbol has the highest score at the place where the model hesitates most?
function scoresQuestion(node) {
  const { numbers, shape } = Shown.array(node.value);
  const n = shape[shape.length - 1];
  const names = WhatIf.symbolNames(n);
  const rows = Array.from({ length: numbers.length / n }, (_, place) => {
    const row = Array.from(numbers.slice(place * n, (place + 1) * n), (v, k) => [v, k]).sort(
      (a, b) => b[0] - a[0],
    );
    return { r: place, lead: row[0][0] - row[1][0], order: row.map(([, k]) => k) };
  });
  const { r, lead, order } = rows.reduce((least, row) => (row.lead < least.lead ? row : least));
  const written = WhatIf.writes(numbers);
  return Questions.choiceQuestion({
    done: answered,
    asks: filled(WORDS.whichSymbol, { before: written.slice(0, r).join("") || WORDS.nothingYet }),
    choices: order.slice(0, 4).sort((a, b) => a - b),
    right: order[0],
    name: (k) => `“${names[k]}”`,
    told: (k) =>
      k === order[0]
        ? filled(WORDS.rightSymbol, { lead: Arrays.written(lead, 3) })
        : filled(WORDS.wrongSymbol, { score: Arrays.written(numbers[r * n + k], 3) }),
  });
}

export {
  answered,
  chapterLine,
  chapterList,
  chapters,
  forwardQuestion,
  playChapter,
  playSentences,
  sayPlaying,
  toldChapters,
};
