// --- the time line: a bar for each step ---------------------------------------------------------------

import { filled, WORDS } from "./words.js";
import { byId, fill, icon, make } from "./dom.js";
import { state } from "./state.js";
import { hear } from "./events.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Pictures from "./pictures.js";
import * as Graph from "./graph.js";
import * as Tabs from "./tabs.js";
import * as Places from "./places.js";
import * as Chapters from "./chapters.js";
import * as ChapterList from "./chapter_list.js";
import * as ChapterPlay from "./chapter_play.js";
import * as Pace from "./pace.js";

let sizes; // how large the value of each step is, or on the way back its gradient: the logarithm of the norm
let ends; // the least and the greatest of these on the way forward, and on the way back
function measure() {
  sizes = Graph.steps.map(({ n, back }) =>
    Math.log10(Shown.norm(Graph.nodes.get(n)[back ? "gradient" : "value"])),
  );
  ends = [false, true].map((back) => {
    const some = sizes.filter((v, i) => Graph.steps[i].back === back && Number.isFinite(v));
    return some.length ? [Math.min(...some), Math.max(...some)] : [0, 1];
  });
  ["forward", "backward"].forEach((half, i) => {
    const [least, most] = ends[i].map((v) => Arrays.written(10 ** v, 2));
    document.querySelector(`.half.${half} span`).textContent = filled(WORDS.bars[half], { least, most });
  });
}
measure();
hear("numbers", measure);
hear("playing", timeline);
hear("stopped", timeline);

// The canvas's size is told by the browser when it changes: to ask for it lays out the whole page.
let skylineSize = { width: 0, height: 0 };
new ResizeObserver(([entry]) => {
  skylineSize = entry.contentRect;
  skyline();
}).observe(byId("skyline"));

// Paint the line: a bar a step, the chapters below, and a pointer at this step.
function skyline() {
  const canvas = byId("skyline");
  const ratio = window.devicePixelRatio || 1;
  const { width, height } = skylineSize;
  if (!width) return;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const wide = width / Graph.steps.length;
  pen.fillStyle = Pictures.colour("--ground");
  pen.fillRect(0, 0, width, height);
  paintBars(pen, wide, height - BELOW, Math.min(20, height / 3));
  paintChapters(pen, wide, height - BELOW);
  if (state.time) paintPointer(pen, (state.time - 0.5) * wide, height);
  byId("time").max = Graph.steps.length;
  document.querySelector(".half.forward").style.maxWidth = `${Graph.FORWARD * wide - 6}px`;
  document.querySelector(".half.backward").style.left = `${Graph.FORWARD * wide}px`;
}

const BELOW = 16; // pixels below the bars, for the chapters

// How large the value of each step is, or on the way back its gradient, on one scale each. A bar is `wide`,
// and ends at `base`; above the bars words and the pointer have room. Sizes that the reader is to predict are
// not told.
function paintBars(pen, wide, base, above) {
  Graph.steps.forEach(({ back }, i) => {
    const [low, high] = ends[Number(back)];
    const isTold = !(Graph.isPredicting() && back && i + 1 > state.time);
    const share =
      Number.isFinite(sizes[i]) && isTold ? 0.14 + 0.86 * ((sizes[i] - low) / (high - low || 1)) : 0.06;
    const bar = (base - above) * share;
    pen.globalAlpha = i + 1 === state.time ? 1 : i + 1 < state.time || !state.time ? 0.66 : 0.24;
    pen.fillStyle = Pictures.colour(back ? "--backward" : "--forward");
    pen.fillRect(i * wide, base - bar, Math.max(0.6, wide - (wide > 4 ? 1 : 0)), bar);
  });
  pen.globalAlpha = 1;
}

// A strip for each chapter, with its title where there is room, else its number.
function paintChapters(pen, wide, base) {
  pen.font = `11px ${Pictures.colour("--sans")}`;
  pen.textBaseline = "middle";
  for (const chapter of Chapters.chapters) {
    const [left, right] = [chapter.from * wide, chapter.to * wide];
    pen.fillStyle = Pictures.colour("--line");
    pen.fillRect(left, base + 2, Math.max(0.6, right - left - 1), 14);
    const fits = (text) => pen.measureText(text).width + 8 <= right - left;
    const name = [chapter.title, String(chapter.number)].find(fits);
    if (name === undefined) continue;
    pen.fillStyle = Pictures.colour("--ink");
    pen.fillText(name, left + 4, base + 9.5);
  }
}

function paintPointer(pen, x, height) {
  pen.fillStyle = Pictures.colour("--ink");
  pen.fillRect(x - 1, 18, 2, height - 18);
  pen.beginPath();
  pen.moveTo(x - 5, 14);
  pen.lineTo(x + 5, 14);
  pen.lineTo(x, 21);
  pen.fill();
}

// Show at which step the reader is, in words and in the picture, and whether it plays.
function timeline() {
  const input = byId("time");
  input.value = state.time;
  input.setAttribute("aria-valuetext", Places.nowText());
  fill(byId("now"), stepNow());
  fill(byId("play"), icon(state.playing ? "pause" : "play"));
  byId("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
  ChapterList.sayPlaying();
  skyline();
}

function stepNow() {
  const step = Graph.current();
  const words = WORDS.stepOf[step?.back ? "back" : "forward"];
  const [name, about] = step
    ? [Graph.fullName(step.n), filled(words, Graph.progress())]
    : [WORDS.beforeFirst, "all values and gradients are shown"];
  return [make("b", {}, name), make("span", {}, about)];
}

// Play from this step, or from the start once all are done; or stop. Beside what is not of the steps, the
// sentences of the chapters are played, if there are some.
function togglePlaying() {
  if (state.playing) return Pace.stopPlaying();
  if (Tabs.isExtra(state.tab) && Chapters.toldChapters.length) return ChapterPlay.playSentences();
  if (state.time >= Graph.steps.length) Places.go(0);
  Pace.playFrom((time) => {
    if (time > Graph.steps.length) return Pace.stopPlaying();
    Places.go(time, { quiet: true });
    return true;
  });
}

export { timeline, togglePlaying };
