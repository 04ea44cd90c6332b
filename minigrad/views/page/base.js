// Everything on the page is a function of `data`, which was computed when the page was written, and of
// `state`, which says where the reader is. `go`, `show` and `choose` change the state; `render` shows it.
// Where the reader changes numbers, one thing in `data` changes: which arrays it names. `refresh` of `live.js` puts
// their new ids into `node.value` and `node.gradient`, into `edge.passed` and the sums of `arrivals` (see `graph.js`),
// and sets `node.state`.
//
// What happens is told to all that listen, by events of the document, so that a file need not import those
// that show what it did, and no circle of imports comes about: see the table above `tell` and `hear`.
//
// Names that mean the same in all files:
//
//   node, n   a node of the graph, and its number; an edge leads from an argument, its source, to its target
//   step      `{n, back}`: the node, and the direction
//   time      how many steps have been taken
//   id        by which an array is found, once it is asked for (`Shown.array`)
//   a, v      an array, as `unpack` of arrays.js gives it, and one of its numbers
//   place     that of a number among those that the page has kept of an array, counted from 0
//   index     where it is in the whole array, along each axis
//   slot      an array of the computation that the page runs again (see live.js)
//   view      a drawing, of the whole or of a box
//   key       of a card: the number of its node, or the name of the view that its box opens
//   found     what `Graph.gradientNow` gives: the state of a gradient, and its sum
//   map       one of `data.maps`: the attention weights of a module, with what they are made of

const data = JSON.parse(document.getElementById("data").textContent);
// What has a name of its own in a model is called in words everywhere, where it is an end or a start of a text.
const SPECIAL = { "<eos>": "end", "<bos>": "start" };
const SPACE = "␣"; // how a symbol that is a space is shown
for (const map of data.maps) map.starts = (map.tokens ?? []).map(([symbol]) => symbol === "<bos>");
for (const names of [
  ...Object.values(data.labels),
  ...data.maps.flatMap((map) => map.tokens ?? []),
  ...Object.values(data.live.vocabularies ?? {}),
])
  names.forEach((name, i) => {
    if (Object.hasOwn(SPECIAL, name)) names[i] = SPECIAL[name];
  });

// The element of the page that has this id.
const byId = (id) => document.getElementById(id);

const state = {
  time: 0, // how many steps have been taken; 0 is before the first
  view: "all", // the drawing that is shown
  chosen: null, // the node that the panel is about, unless it is that of the step
  stage: "drawing", // the id of the tab that is open above the drawing
  tab: "overview", // and in the panel
  follow: true, // whether each step opens the drawing in which it happens
  predict: false, // whether gradients are hidden until they are worked out
  playing: null, // while it plays: the timer of the next step, or true
  answered: new Map(), // id of an edge -> what the reader typed, or null where it was revealed
  cell: null, // of an attention map: {map, head, row, column}
  introduced: null, // a chapter whose sentences are there to be read, before its steps
  asked: null, // a question of the chapter that plays
};

// --- making elements: texts are only ever set as texts -------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(
  "svg g rect path text tspan image line title defs marker pattern".split(" "), // of those that the page makes
);

// Children without what is not there, from lists of lists.
const present = (children) => children.flat(Infinity).filter((child) => (child ?? null) !== null);

// An element with attributes and children: elements, texts, lists of them, or null for nothing. An
// attribute `onclick` is a listener; one that is null or false is left out, and true gives it without a
// value.
function make(tag, attributes = {}, ...children) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if ((value ?? false) === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

// Give an element other children, in the forms that `make` takes, in place of those that it has.
function fill(element, ...children) {
  element.replaceChildren(...present(children));
}

// A paragraph in a soft colour: what explains, and can be passed over.
const soft = (...children) => make("p", { class: "soft" }, ...children);
// The same within a line.
const softSpan = (...children) => make("span", { class: "soft" }, ...children);

// A table of two columns, from pairs of a name and what stands beside it; a pair may be null.
// `attributes` are those of the right column.
function factList(pairs, attributes = {}) {
  return make(
    "dl",
    { class: "facts" },
    pairs.map((pair) => pair && [make("dt", {}, pair[0]), make("dd", attributes, pair[1])]),
  );
}

// Signs drawn as paths: not every font has them.
const ICONS = {
  first: "M3 3h2v10H3zM14 3v10L6 8z",
  back: "M12 2v12L3 8z",
  play: "M4 2v12l10-6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  next: "M4 2v12l9-6z",
  over: "M2 9a5.5 5.5 0 0 1 10-3l1.6-1.4.4 5-5-.4 1.6-1.3A3.8 3.8 0 0 0 3.7 9zM6.5 11h3v3h-3z",
  last: "M11 3h2v10h-2zM2 3v10l8-5z",
};

// The sign of that name in `ICONS`. Screen readers pass over it: its button has a label.
function icon(name) {
  return make(
    "svg",
    { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" },
    make("path", { d: ICONS[name] }),
  );
}

const inEnglish = new Intl.NumberFormat("en"); // toLocaleString makes one at each call
// A count with its noun: "1 step", "1,200 steps".
function plural(n, one, many = `${one}s`) {
  return `${inEnglish.format(n)} ${n === 1 ? one : many}`;
}

// A path, which may be broken after a dot, a slash or an underline.
function breakable(text) {
  return text.split(/(?<=[./_])/).flatMap((part, i) => (i ? [make("wbr"), part] : [part]));
}

// A symbol where there is little room.
function shownToken(token) {
  const letters = [...token];
  return token === " " ? SPACE : letters.length > 12 ? `${letters.slice(0, 11).join("")}…` : token;
}

// Whether the panel is beside the picture, and not below it: see `style.css`.
const isBeside = () => matchMedia("(min-width: 1001px)").matches;

// How many letters the longest of some texts has.
const longest = (texts) => Math.max(...texts.map((text) => [...text].length));

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// How far down and to the right an arrow key leads, or null for another key; nothing else hears of it then.
function arrow(event, needsAlt = true) {
  const move = ARROWS[event.key];
  if (!move || (needsAlt && !event.altKey)) return null;
  event.preventDefault();
  event.stopPropagation();
  return move;
}

// A tab that shows the part of the page with the id `controls`. The arrow keys lead to the tabs beside
// it: the next one is clicked, which may make all of them anew, and then has the focus.
function tabButton(title, controls, selected, onclick) {
  return make(
    "button",
    {
      role: "tab",
      "aria-selected": String(selected),
      "aria-controls": controls,
      tabindex: selected ? 0 : -1,
      onclick,
      onkeydown: (event) => {
        const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!move) return;
        event.preventDefault();
        event.stopPropagation();
        const list = event.currentTarget.parentElement;
        const { length } = list.children;
        const next = ([...list.children].indexOf(event.currentTarget) + move + length) % length;
        list.children[next].click();
        list.children[next].focus();
      },
    },
    title,
  );
}

// Have a screen reader read a text aloud; nobody sees it.
function say(text) {
  byId("live").textContent = text;
}

// --- events: who tells what, to whom ---------------------------------------------------------------------
//
// The event, the files that tell it -> those that hear it, and what it says and carries. Files hear in this
// order, that in which the page's scripts run (see `scripts.py`). The events of a reading, which begin with
// "flow", stay in the files of that name. `test_scripts.py` holds this table and the files equal.
//
//   numbers   live -> doubts, pictures, drawing, attention, timeline: some were computed again
//   changes   changes -> changes_said: some were changed by the reader, or a change was undone
//   undo      changes -> learn: a change is about to be undone
//   view      places -> sheet: another drawing is open, that of `state.view`
//   stage     stages -> camera, attention: another tab above the drawing is open, `state.stage`
//   panel     places, chapter_play -> panel: it is to be made anew, such as for another tab, `state.tab`
//   render    base -> page: all that shows `state` is to be made anew
//   reveal    places -> camera: a card is to be seen; {key, partners: those it takes from}
//   light     cards -> listing: what shows some nodes is to light up; a list of their numbers
//   chapter   chapter_play -> flow_shown: its sentences are to be read, before its steps; the chapter
//   playing   chapter_play -> timeline: it plays from here
//   stopped   pace -> chapter_play, timeline: nothing plays any longer
//
// So a number that is typed: `Fields.setNumber` calls `Changes.change`, which has `Live` compute; at
// "numbers" each file forgets, or makes anew, what it keeps of the numbers before; at "changes" the line
// above says how many are changed; and "render" shows it all.

// Tell of an event, with what it carries; and call `act`, which is given that, at each event of a name.
const tell = (name, detail = null) => document.dispatchEvent(new CustomEvent(name, { detail }));
const hear = (name, act) => document.addEventListener(name, ({ detail }) => act(detail));
// Show the page anew, after `state` or `data` was changed.
const render = () => tell("render");

// Let the panel be made again by `act`: the field with the focus is found again.
function keepFocus(act) {
  const { field } = document.activeElement ? document.activeElement.dataset : {};
  act();
  const again = field && document.querySelector(`[data-field="${field}"]`);
  if (again && again !== document.activeElement) {
    again.focus({ preventScroll: true });
    if (again.select) again.select();
  }
}

export {
  arrow,
  breakable,
  byId,
  data,
  factList,
  fill,
  hear,
  icon,
  isBeside,
  keepFocus,
  longest,
  make,
  plural,
  render,
  say,
  shownToken,
  soft,
  softSpan,
  SPACE,
  SPECIAL,
  state,
  SVG,
  tabButton,
  tell,
};
