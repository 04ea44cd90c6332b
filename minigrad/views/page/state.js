// --- the data of the page, and the place of the reader ------------------------------------------------

import { byId } from "./dom.js";
import { SPECIAL } from "./symbols.js";

// Everything on the page is a function of `data` and of `state`. Python computes the data: `content` of
// content.py lists its keys. The state says where the reader is: `go`, `show` and `choose` of places.js
// change it, and `render` of events.js shows it.
//
// When the reader changes a number, `refresh` of live.js puts the names of other arrays into `node.value`,
// `node.gradient`, `edge.passed` and the sums of `arrivals` (see graph.js), and another word into `node.state`.
//
// Names that mean the same in all files:
//
//   node, n   a node of the graph, and its number; an edge leads from an argument, its source, to its target
//   step      `{n, back}`: the node, and the direction
//   time      how many steps have been taken
//   id        of an array: `Shown.array` finds it
//   a, v      an array, as `unpack` of arrays.js makes it, and one of its numbers
//   place     of a number, among the numbers that the page has kept of an array, counted from 0
//   index     of a number in the whole array, along each axis
//   slot      an array of the computation that the page runs again (see live.js)
//   view      a drawing, of the whole or of a box
//   key       of a card: the number of its node, or the name of the view that its box opens
//   found     the result of `Graph.gradientNow`: the state of a gradient, and its sum
//   map       one of `data.maps`: the attention weights of a module, with their query, key and mask

const data = JSON.parse(byId("data").textContent);
for (const map of data.maps) map.starts = (map.tokens ?? []).map(([symbol]) => symbol === "<bos>");
for (const names of [
  ...Object.values(data.labels),
  ...data.maps.flatMap((map) => map.tokens ?? []),
  ...Object.values(data.live.vocabularies ?? {}),
])
  names.forEach((name, i) => {
    if (Object.hasOwn(SPECIAL, name)) names[i] = SPECIAL[name];
  });

const state = {
  time: 0, // how many steps have been taken; 0 is before the first
  view: "all", // the drawing that is shown
  chosen: null, // the node of the panel, if it is not the node of the step
  tab: "drawing", // the id of the tab that is open
  panelTab: "overview", // and of that in the panel
  follow: true, // whether each step opens the drawing in which it happens
  predict: false, // whether the reader chose that gradients are hidden until they are worked out
  playing: null, // while it plays: the timer of the next step, or true
  answered: new Map(), // id of an edge -> what the reader typed, or null where it was revealed
  cell: null, // of an attention map: {map, head, row, column}
  introduced: null, // a chapter whose sentences are there to be read, before its steps
  asked: null, // a question of the chapter that plays: see chapter_questions.js
};

export { data, state };
