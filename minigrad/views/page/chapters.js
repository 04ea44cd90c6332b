// --- chapters: the computation in parts, each with its reason -----------------------------------------

import { data } from "./state.js";

// Each as `chapters.py` tells it, with its number, from 1, and its steps, `from` + 1 to `to`.
const chapters = [];
for (const told of data.chapters) {
  const from = chapters.at(-1)?.to ?? 0;
  chapters.push({ ...told, number: chapters.length + 1, from, to: from + told.steps });
}

// That in which a step is.
function chapterAt(time) {
  return chapters.find((chapter) => time <= chapter.to) || chapters.at(-1);
}

// Those that say what a part of a model is for.
const toldChapters = chapters.filter(({ part, back }) => part && !back);

export { chapterAt, chapters, toldChapters };
