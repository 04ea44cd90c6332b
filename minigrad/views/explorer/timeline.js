// --- the time line ---------------------------------------------------------------------------------------

// Steps in a row that are in one box: the outermost, or of a whole in a single box the next ones.
const lanes = [];
{
  const boxes = (n) => {
    const found = [];
    for (let box = nodes.get(n).box; box !== null && box !== undefined; box = data.boxes[box][1]) found.unshift(box);
    return found;
  };
  const outermost = new Set(Object.entries(data.boxes).filter(([, [, parent]]) => parent === null).map(([box]) => Number(box)));
  const modules = [...outermost].filter((box) => Object.values(data.boxes).some(([, parent]) => parent === box));
  const depth = modules.length <= 2 ? 1 : 0;
  events.forEach((event, i) => {
    const around = boxes(event.n);
    const box = around[Math.min(depth, around.length - 1)];
    const name = box === undefined ? "" : data.boxes[box][2].split(": ")[0];
    const last = lanes[lanes.length - 1];
    if (last && last.box === box && last.back === event.back) last.to = i + 1;
    else lanes.push({ box, name, back: event.back, from: i, to: i + 1 });
  });
}

// How large the value or gradient of each step is: the logarithm of its norm, and the range of each half.
let sizes, ends;
function measure() {
  sizes = events.map((event) => Math.log10(norm(event.back ? nodes.get(event.n).gradient : nodes.get(event.n).value)));
  ends = [false, true].map((back) => {
    const some = sizes.filter((v, i) => events[i].back === back && Number.isFinite(v));
    return some.length ? [Math.min(...some), Math.max(...some)] : [0, 1];
  });
}
measure();

// A bar a step: how large the value is, and on the way back how large the gradient, on one scale each.
function skyline() {
  const canvas = byId("skyline");
  const ratio = window.devicePixelRatio || 1;
  const { width, height } = canvas.getBoundingClientRect();
  if (!width) return;
  canvas.width = width * ratio; canvas.height = height * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const step = width / events.length;
  const base = height - 14, most = height - 32;
  pen.fillStyle = colour("--ground"); pen.fillRect(0, 0, width, height);
  events.forEach((event, i) => {
    const [low, high] = ends[Number(event.back)];
    const open = !(state.predict && event.back && i + 1 > state.time);
    const share = Number.isFinite(sizes[i]) && open ? 0.14 + 0.86 * ((sizes[i] - low) / (high - low || 1)) : 0.06;
    pen.globalAlpha = i + 1 === state.time ? 1 : i + 1 < state.time || !state.time ? 0.66 : 0.24;
    pen.fillStyle = colour(event.back ? "--backward" : "--forward");
    pen.fillRect(i * step, base - most * share, Math.max(0.6, step - (step > 4 ? 1 : 0)), most * share);
  });
  pen.globalAlpha = 1;
  pen.font = `10px ${colour("--sans")}`; pen.textBaseline = "middle";
  for (const lane of lanes) { // under the bars: in which of the outermost boxes each step is
    const [left, right] = [lane.from * step, lane.to * step];
    pen.fillStyle = colour("--line"); pen.fillRect(left, base + 2, Math.max(0.6, right - left - 1), 11);
    if (pen.measureText(lane.name).width + 8 > right - left) continue;
    pen.fillStyle = colour("--ink"); pen.fillText(lane.name, left + 4, base + 8);
  }
  if (state.time) {
    const x = (state.time - 0.5) * step;
    pen.fillStyle = colour("--ink");
    pen.fillRect(x - 1, 18, 2, height - 18);
    pen.beginPath(); pen.moveTo(x - 5, 14); pen.lineTo(x + 5, 14); pen.lineTo(x, 21); pen.fill();
  }
  byId("time").max = events.length;
  document.querySelector(".half.backward").style.left = `${FORWARD * step}px`;
}

function timeline() {
  const event = current();
  const input = byId("time");
  input.value = state.time;
  input.setAttribute("aria-valuetext", nowText());
  if (event) {
    const n = event.back ? state.time - FORWARD : state.time;
    fill(byId("now"), make("b", {}, fullName(event.n)), make("span", {}, `${event.back ? "backward" : "forward"} ${n} of ${event.back ? events.length - FORWARD : FORWARD}`));
  } else fill(byId("now"), make("b", {}, "Before the first step"), make("span", {}, "all values and gradients are shown"));
  fill(byId("play"), icon(state.playing ? "pause" : "play"));
  byId("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
  skyline();
}

function togglePlaying() {
  if (state.playing) return stopPlaying();
  if (state.time >= events.length) go(0);
  const pace = Math.max(140, Math.min(900, 24000 / events.length));
  state.playing = setInterval(() => { if (state.time >= events.length) stopPlaying(); else go(state.time + 1, { quiet: true }); }, pace);
  go(state.time + 1);
}

function stopPlaying() {
  clearInterval(state.playing);
  state.playing = null;
  timeline();
}
