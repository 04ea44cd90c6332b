// --- chapters in the panel: a list, and the chapter of a step -----------------------------------------

import { filled, WORDS } from "./words.js";
import { byId, icon, make } from "./dom.js";
import { state } from "./state.js";
import * as Places from "./places.js";
import * as Pace from "./pace.js";
import * as Chapters from "./chapters.js";
import * as ChapterPlay from "./chapter_play.js";

function lessonLink(chapter) {
  if (!chapter.lesson) return null;
  const { title, address } = chapter.lesson;
  return make("a", { class: "lesson", href: address, target: "_blank" }, `Lesson: ${title}`);
}

// All chapters with their reasons; the chapter of this step is marked.
function chapterList() {
  const now = state.introduced ?? (state.time ? Chapters.chapterAt(state.time) : null);
  return make(
    "ol",
    { class: "chapters" },
    Chapters.chapters.map((chapter) => chapterItem(chapter, chapter === now)),
  );
}

function chapterItem(chapter, isNow) {
  return make(
    "li",
    { class: chapter.back ? "backward" : "", "aria-current": isNow ? "step" : null },
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
        onclick: () => ChapterPlay.playChapter(chapter),
      },
      icon("play"),
    ),
    chapter.part ? make("span", { class: "part mono" }, chapter.part) : null,
    chapter.about ? make("p", { class: "soft" }, chapter.about) : null,
    lessonLink(chapter),
  );
}

// In the panel of a step: its chapter, and buttons that lead to the chapters before and after.
function chapterLine() {
  const chapter = Chapters.chapterAt(state.time);
  const first = state.time === chapter.from + 1;
  const { number } = chapter;
  const count = Chapters.chapters.length;
  const all = make(
    "button",
    { class: "link", title: "All chapters", onclick: () => Places.openTab("overview") },
    filled(WORDS.chapterOf, { number, count }),
  );
  return make(
    "div",
    { class: `chapter ${chapter.back ? "backward" : ""}` },
    make(
      "div",
      { class: "head" },
      all,
      step("back", "Chapter before", Chapters.chapters[number - 2]),
      step("next", "Next chapter", Chapters.chapters[number]),
      playButton(chapter),
    ),
    make("b", { class: chapter.code ? "mono" : null }, chapter.title),
    chapter.part ? make("span", { class: "part mono" }, chapter.part) : null,
    first && chapter.about ? make("p", {}, chapter.about) : null,
    first ? lessonLink(chapter) : null,
  );
}

// To a chapter, if there is one.
const step = (sign, title, chapter) =>
  make(
    "button",
    {
      class: "small",
      disabled: !chapter,
      "aria-label": title,
      title,
      onclick: () => Places.go(chapter.from + 1),
    },
    icon(sign),
  );

const playButton = (chapter) =>
  make(
    "button",
    {
      id: "chapter-play",
      class: "small",
      onclick: () => (state.playing ? Pace.stopPlaying() : ChapterPlay.playChapter(chapter)),
    },
    playWord(),
  );

const playWord = () => (state.playing ? "Pause" : "Play it");

// Say it on the button of the chapter, which the panel made.
function sayPlaying() {
  const button = byId("chapter-play");
  if (button) button.textContent = playWord();
}

export { chapterLine, chapterList, sayPlaying };
