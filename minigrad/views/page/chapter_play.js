// --- a chapter plays by itself, and stops where a prediction is worth making --------------------------

import { filled, WORDS } from "./words.js";
import { byId, isBeside, say } from "./dom.js";
import { state } from "./state.js";
import { hear, render, tell } from "./events.js";
import * as Graph from "./graph.js";
import * as Tabs from "./tabs.js";
import * as Places from "./places.js";
import * as Pace from "./pace.js";
import * as Chapters from "./chapters.js";
import * as ChapterQuestions from "./chapter_questions.js";

let stops = null; // while a chapter plays: its end, and its question

hear("stopped", () => {
  stops = null;
  if (!state.introduced) return;
  state.introduced = null;
  tell("panel");
});

// From its beginning, or from where the time line is in it.
function playChapter(chapter) {
  Pace.stopPlaying();
  const inside = state.time > chapter.from && state.time < chapter.to;
  stops = { chapter, question: ChapterQuestions.questionIn(chapter) };
  const begin = () => {
    if (!inside) state.time = chapter.from;
    playOn();
  };
  if (chapter.part && !inside) introduce(chapter, begin);
  else begin();
}

// Play the sentences of the chapters that name a purpose, one after the other, without their steps.
function playSentences() {
  Pace.stopPlaying();
  Places.go(0, { quiet: true });
  Tabs.open(Tabs.first());
  const waiting = Chapters.toldChapters.slice();
  const next = () => (waiting.length ? introduce(waiting.shift(), next) : Pace.stopPlaying());
  next();
}

// Give time to read its sentences, and then go on.
function introduce(chapter, then) {
  state.introduced = chapter;
  Places.openTab("overview");
  if (isBeside()) document.querySelector(".chapters [aria-current]").scrollIntoView({ block: "nearest" });
  tell("chapter", chapter);
  say(`${chapter.title} ${chapter.about}`);
  state.playing = setTimeout(
    () => {
      state.introduced = null;
      then();
    },
    Pace.timeToRead(chapter.title + chapter.about),
  );
  tell("playing");
}

// Its steps, up to its end.
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

// Stop at the step of a question, with the answer hidden.
function ask(question) {
  state.asked = question;
  if (question.kind === "gradient")
    // which is asked again where the chapter plays again
    for (const edge of Graph.into.get(question.n)) state.answered.delete(edge.id);
  Places.go(question.time, { quiet: true });
  say(WORDS.isAsked);
  const field = byId("step").querySelector("form input, form button");
  if (field) field.focus();
}

const PAUSE = 2600; // milliseconds in which the answer can be read

// The answer was given, or shown: the chapter goes on.
function answered() {
  const question = state.asked;
  if (!question) return;
  if (question.kind === "gradient" && byId("step").querySelector("form.guess")) return; // there is another
  state.asked = null;
  const inside = document.activeElement?.closest("#step form");
  render();
  if (inside) byId("panel").focus({ preventScroll: true }); // where the question was
  if (stops)
    setTimeout(() => {
      if (stops && !state.playing && state.time === question.time) playOn();
    }, PAUSE);
}

// What is asked instead of what a step of the way forward gives; null if nothing is.
function forwardQuestion(node) {
  const question = state.asked;
  if (!question || question.n !== node.n || question.time !== state.time) return null;
  return ChapterQuestions.form(question, node, answered);
}

export { answered, forwardQuestion, playChapter, playSentences };
