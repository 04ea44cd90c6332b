// --- the numbers of a node to be changed, and the tabs of a page that computes ------------------------

import { filled, WORDS } from "./words.js";
import { breakable, make, soft, softSpan } from "./dom.js";
import { data } from "./state.js";
import { render } from "./events.js";
import * as Shapes from "./shapes.js";
import * as Shown from "./shown.js";
import * as Pictures from "./pictures.js";
import * as Heat from "./heat.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Doubts from "./doubts.js";
import * as Changes from "./changes.js";
import * as Learn from "./learn.js";
import * as Fields from "./fields.js";
import * as Places from "./places.js";

const FEW = 48; // numbers in a table of fields
const FEW_SYMBOLS = 64; // choices of symbols
const MOST_NUMBERS = 12, // of an array that is open from the start
  MOST_OPEN = 6, // arrays
  MOST_NAMED = 8; // of the others
// node -> the place of the element that is to be changed, in an array too large for fields
const chosenPlace = new Map();

// Whether the numbers of a node are ids of symbols: then they have names, and no mean.
const areSymbols = (n) => (Live.tape?.picks[Live.tape.value[n]]?.vocabulary ?? null) !== null;

// Whether a node has ids, such as those of symbols: whole numbers that choose rows of a table.
const isPick = (n) => Boolean(Live.tape.picks[Live.tape.value[n]]);

// Whether all numbers of a node have fields.
function isSmall(n) {
  const a = Shown.array(Graph.nodes.get(n).value),
    { columns, count } = Pictures.tiles(a);
  return isPick(n) ? a.numbers.length <= FEW_SYMBOLS : a.numbers.length <= FEW && columns <= 6 && count === 1;
}

// The numbers of a node as fields: all of a small one; of a large one the element that was chosen.
function fields(n) {
  const slot = Fields.slotOf(n),
    a = Shown.array(Graph.nodes.get(n).value);
  const numberAt = (place) => (Live.isStarted() ? Live.arrayOf(slot)[place] : a.numbers[place]);
  const fieldAt = (place) =>
    Fields.numberField(slot, place, Fields.nameAt(n, place), numberAt(place), a.kind);
  if (!isSmall(n)) return chosenField(n, a.kind, fieldAt);
  if (isPick(n))
    return make(
      "div",
      { class: "picks" },
      Array.from(a.numbers, (_, k) => fieldAt(k)),
    );
  return fieldTable(Graph.nameOf(n), Pictures.tiles(a), fieldAt);
}

// `fieldAt` makes the field of a place.
function fieldTable(name, { rows, columns }, fieldAt) {
  const row = (r) =>
    make(
      "tr",
      {},
      Array.from({ length: columns }, (_, c) => make("td", {}, fieldAt(r * columns + c))),
    );
  return make(
    "div",
    { class: "scroll" },
    make(
      "table",
      { class: "fields", "aria-label": filled(WORDS.numbersOf, { name }) },
      Array.from({ length: rows }, (_, r) => row(r)),
    ),
  );
}

// The field of the chosen element, or how one is chosen.
function chosenField(n, kind, fieldAt) {
  const place = chosenPlace.get(n);
  const how = WORDS.howToChoose[kind === "b" ? "truth" : "number"];
  return make(
    "p",
    { class: "chosen-number" },
    place === undefined ? softSpan(how) : [make("code", {}, `${Fields.nameAt(n, place)} = `), fieldAt(place)],
  );
}

// Choose an element in the picture of a node: its field has the focus then; a boolean is turned.
function choosePlace(n, place) {
  const slot = Fields.slotOf(n);
  if (slot === null) return;
  chosenPlace.set(n, place);
  if (Live.kindOf(slot).dtype === "b1")
    return Fields.setNumber(slot, place, 1 - Live.arrayOf(slot)[place], Fields.nameAt(n, place));
  render();
  const field = document.querySelector(`[data-field="${slot}-${place}"]`);
  if (field) {
    field.focus({ preventScroll: true });
    field.select();
  }
}

// What stands under the value of a node: its fields, or why it has none.
function editing(n) {
  const node = Graph.nodes.get(n);
  if (!Live.tape) return node.kind === "operation" ? null : soft(filled(WORDS.frozen, data.live));
  const box = Live.tape.inside[n];
  const inside = box && soft(filled(WORDS.cameUpInside, { box }));
  const whyMade = Doubts.madeText(n);
  const why = Doubts.fixedText(Doubts.whyFixed(n)) ?? (whyMade ? soft(whyMade) : null);
  if (node.kind === "operation") return [why, constants(n)];
  const pinned = Live.tape.pinned[Live.tape.value[n]];
  if (pinned) return Doubts.fixedText(filled(WORDS.pinned, { pinned }));
  return make("div", { class: "editing" }, why, inside, isSmall(n) ? howTo(node) : fields(n));
}

// How the fields of a node are used, which its figure already shows.
function howTo(node) {
  const kind = node.type === "bool" ? "truth" : areSymbols(node.n) ? "symbol" : "number";
  return soft(WORDS.eachCanChange[kind]);
}

// The value of a node: where its numbers are few and can be changed, as fields.
function valueFields(n) {
  const node = Graph.nodes.get(n),
    slot = Fields.slotOf(n);
  if (slot === null) return Heat.heat(node.value, Graph.nameOf(n), { letters: node.letters });
  if (!isSmall(n))
    return Heat.heat(node.value, Graph.nameOf(n), {
      letters: node.letters,
      pick: (place) => choosePlace(n, place),
    });
  return make(
    "figure",
    { class: "heat" },
    make(
      "figcaption",
      {},
      make("code", {}, Graph.nameOf(n)),
      node.shape.length ? Heat.shapeOf(node.shape, node.letters) : null,
    ),
    fields(n),
  );
}

// The Python numbers of an operation's line.
function constants(n) {
  const found = Object.entries(Live.tape.numbers[n] || {}).filter(([, slot]) => !Live.tape.pinned[slot]);
  if (!found.length) return null;
  const made = Graph.nodes.get(n).made;
  return make(
    "div",
    { class: "editing" },
    make("h3", {}, found.length > 1 ? "Its constants" : "Its constant"),
    make(
      "p",
      {},
      found.map(([position, slot]) => {
        const v = Live.arrayOf(slot)[0];
        return make(
          "label",
          {},
          make("code", {}, filled(WORDS.argumentOf, { number: Number(position) + 1, made })),
          Fields.numberField(slot, 0, filled(WORDS.constantOf, { made }), v, "f"),
        );
      }),
    ),
  );
}

// The numbers that a reader would change first: small inputs and parameters.
function invitation() {
  if (!Live.tape) return soft(filled(WORDS.pageFrozen, data.live));
  const leaves = data.nodes.filter(
    (node) => node.label && Fields.slotOf(node.n) !== null && Shapes.size(node.shape) > 0,
  );
  leaves.sort((a, b) => areSymbols(b.n) - areSymbols(a.n)); // what a model reads comes before its weights
  const few = leaves
    .filter((node) => Shapes.size(node.shape) <= MOST_NUMBERS || (areSymbols(node.n) && isSmall(node.n)))
    .slice(0, MOST_OPEN);
  const larger = leaves.filter((node) => !few.includes(node)).slice(0, MOST_NAMED);
  if (!leaves.length) return null;
  return [
    make("h3", {}, "Change a number"),
    soft(
      filled(WORDS.computedAgain, {
        how: WORDS.howToChange[few.some((node) => !areSymbols(node.n)) ? "numbers" : "symbols"],
      }),
    ),
    few.map((node) => make("div", { class: "change-one" }, Places.link(node.n), fields(node.n))),
    larger.length
      ? make(
          "p",
          { class: "also" },
          few.length ? "Also:" : null,
          larger.map((node) => Places.link(node.n, breakable(Graph.fullName(node.n)))),
        )
      : null,
  ];
}

document.addEventListener("keydown", (event) => {
  if (!Live.tape || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  const { type, value } = event.target;
  if (type === "text" && value !== event.target.getAttribute("value")) return; // it undoes what is being typed
  event.preventDefault();
  (key === "y" || event.shiftKey ? Changes.redo : Changes.undo)();
});

// Further tabs of the panel, where the page computes: name -> title.
function computingTabs() {
  if (!Live.tape) return {};
  return {
    ...(Learn.movable().length && !Graph.root.shape.length ? { learn: "Learn" } : {}),
    ...(Live.tape.switches.length ? { whatif: "What if" } : {}),
  };
}

export { areSymbols, computingTabs, editing, invitation, valueFields };
