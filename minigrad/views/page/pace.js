// --- playing, and its pace: time to read a new sentence, and less where numbers only move -----------------

import { byId, make } from "./dom.js";
import { state } from "./state.js";
import { tell } from "./events.js";
import * as Graph from "./graph.js";

const READING = 55, // milliseconds for a letter of a new sentence
  STEP = 600,
  MOVE = 120; // a step, and one that only changes a shape or a type
const MOVES =
  /^(np\.(reshape|swapaxes|transpose|moveaxis|broadcast_to|expand_dims|squeeze|ravel|astype)|astype|reshape|getitem)$/;

// What is said of a step; "" of none.
function sentence(time) {
  const step = Graph.steps[time - 1];
  return step ? Graph.aboutOf(Graph.nodes.get(step.n)) : "";
}

const isMove = (time) => MOVES.test(Graph.nodes.get(Graph.steps[time - 1].n).op ?? "");

// Whether there is something to read: what only moves numbers says nothing, and ends no sentence.
function isNew(time) {
  if (isMove(time) || !sentence(time)) return false;
  let before = time - 1;
  while (before && isMove(before)) before--;
  return sentence(time) !== sentence(before);
}

const speed = () => byId("speed").value;
const waits = (time) => speed() === "wait" && isNew(time); // until somebody goes on

const paced = (length) => length / (Number(speed()) || 1);
// Milliseconds that it takes to read a text, at the speed that the reader chose.
const timeToRead = (text) => paced(STEP + READING * text.length);

// How long a step stays.
function stay(time) {
  if (!time) return 0;
  return isNew(time) ? timeToRead(sentence(time)) : paced(isMove(time) ? MOVE : STEP);
}

// Take steps until `act`, which is told the number of each, does not say that it goes on.
function playFrom(act) {
  const next = () => {
    state.playing = true;
    if (!act(state.time + 1)) return;
    if (waits(state.time)) return stopPlaying();
    state.playing = setTimeout(next, stay(state.time));
  };
  next();
}

// Stop, if it plays: before the reader goes elsewhere, and at the end.
function stopPlaying() {
  clearTimeout(state.playing);
  state.playing = null;
  tell("stopped");
}

// Fill the choice of speeds: "wait" is the usual one, but waits at each new sentence.
function choices() {
  byId("speed").append(
    ...[
      ["0.5", "½×"],
      ["1", "1×"],
      ["2", "2×"],
      ["4", "4×"],
      ["wait", "wait"],
    ].map(([value, text]) => make("option", { value, selected: value === "1" }, text)),
  );
}

export { choices, playFrom, stopPlaying, timeToRead };
