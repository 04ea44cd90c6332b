// --- the time line ---------------------------------------------------------------------------------------

import { filled, WORDS } from "./words.js";
import { byId, fill, hear, icon, make, state } from "./base.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Pictures from "./pictures.js";
import * as Graph from "./graph.js";
import * as Places from "./places.js";
import * as Chapters from "./chapters.js";
import * as ChapterList from "./chapter_list.js";
import * as Pace from "./pace.js";

// How large the value or gradient of each step is: the logarithm of its norm, and the range of each half.
let sizes, ends;
function measure() {
  sizes = Graph.events.map((event) =>
    Math.log10(Shown.norm(event.back ? Graph.nodes.get(event.n).gradient : Graph.nodes.get(event.n).value)),
  );
  ends = [false, true].map((back) => {
    const some = sizes.filter((v, i) => Graph.events[i].back === back && Number.isFinite(v));
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

// A bar a step: how large the value is, and on the way back how large the gradient, on one scale each.
function skyline() {
  const canvas = byId("skyline");
  const ratio = window.devicePixelRatio || 1;
  const { width, height } = skylineSize;
  if (!width) return;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const step = width / Graph.events.length;
  const base = height - 16,
    most = height - 36;
  pen.fillStyle = Pictures.colour("--ground");
  pen.fillRect(0, 0, width, height);
  Graph.events.forEach((event, i) => {
    const [low, high] = ends[Number(event.back)];
    const open = !(state.predict && event.back && i + 1 > state.time);
    const share =
      Number.isFinite(sizes[i]) && open ? 0.14 + 0.86 * ((sizes[i] - low) / (high - low || 1)) : 0.06;
    pen.globalAlpha = i + 1 === state.time ? 1 : i + 1 < state.time || !state.time ? 0.66 : 0.24;
    pen.fillStyle = Pictures.colour(event.back ? "--backward" : "--forward");
    pen.fillRect(i * step, base - most * share, Math.max(0.6, step - (step > 4 ? 1 : 0)), most * share);
  });
  pen.globalAlpha = 1;
  pen.font = `11px ${Pictures.colour("--sans")}`;
  pen.textBaseline = "middle";
  for (const chapter of Chapters.chapters) {
    // under the bars
    const [left, right] = [chapter.from * step, chapter.to * step];
    pen.fillStyle = Pictures.colour("--line");
    pen.fillRect(left, base + 2, Math.max(0.6, right - left - 1), 14);
    const name =
      pen.measureText(chapter.title).width + 8 > right - left ? String(chapter.number) : chapter.title;
    if (pen.measureText(name).width + 8 > right - left) continue;
    pen.fillStyle = Pictures.colour("--ink");
    pen.fillText(name, left + 4, base + 9.5);
  }
  if (state.time) {
    const x = (state.time - 0.5) * step;
    pen.fillStyle = Pictures.colour("--ink");
    pen.fillRect(x - 1, 18, 2, height - 18);
    pen.beginPath();
    pen.moveTo(x - 5, 14);
    pen.lineTo(x + 5, 14);
    pen.lineTo(x, 21);
    pen.fill();
  }
  byId("time").max = Graph.events.length;
  document.querySelector(".half.forward").style.maxWidth = `${Graph.FORWARD * step - 6}px`;
  document.querySelector(".half.backward").style.left = `${Graph.FORWARD * step}px`;
}

function timeline() {
  const event = Graph.current();
  const input = byId("time");
  input.value = state.time;
  input.setAttribute("aria-valuetext", Places.nowText());
  if (event) {
    const n = event.back ? state.time - Graph.FORWARD : state.time;
    fill(
      byId("now"),
      make("b", {}, Graph.fullName(event.n)),
      make(
        "span",
        {},
        `${event.back ? "backward" : "forward"} ${n} of ${event.back ? Graph.events.length - Graph.FORWARD : Graph.FORWARD}`,
      ),
    );
  } else
    fill(
      byId("now"),
      make("b", {}, "Before the first step"),
      make("span", {}, "all values and gradients are shown"),
    );
  fill(byId("play"), icon(state.playing ? "pause" : "play"));
  byId("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
  ChapterList.sayPlaying();
  skyline();
}

function togglePlaying() {
  if (state.playing) return Pace.stopPlaying();
  if (state.time >= Graph.events.length) Places.go(0);
  Pace.playFrom((time) => {
    if (time > Graph.events.length) return Pace.stopPlaying();
    Places.go(time, { quiet: true });
    return true;
  });
}

export { timeline, togglePlaying };
