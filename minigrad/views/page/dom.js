// --- the elements of the page: finding and making them; texts are only ever set as texts --------------

// The element of the page that has this id.
const byId = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(
  "svg g rect path text tspan image line title defs marker pattern".split(" "), // the names of SVG elements here
);

// Children in one list, from lists of lists, without null and false.
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

// Replace the children of an element; they may have all forms that `make` takes.
function fill(element, ...children) {
  element.replaceChildren(...present(children));
}

// A paragraph in a soft colour: what explains, and can be passed over.
const soft = (...children) => make("p", { class: "soft" }, ...children);
// The same within a line.
const softSpan = (...children) => make("span", { class: "soft" }, ...children);

// A table of two columns, from pairs of a name and what stands beside it; a pair may be null.
// The right column gets the `attributes`.
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

// A path, which may be broken after a dot, a slash or an underline.
function breakable(text) {
  return text.split(/(?<=[./_])/).flatMap((part, i) => (i ? [make("wbr"), part] : [part]));
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

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// How far down and to the right an arrow key leads, or null for another key; nothing else hears of it then.
function arrow(event, needsAlt = true) {
  const move = ARROWS[event.key];
  if (!move || (needsAlt && !event.altKey)) return null;
  event.preventDefault();
  event.stopPropagation();
  return move;
}

// Whether the panel is beside the picture, and not below it: see `style.css`.
const isBeside = () => matchMedia("(min-width: 1001px)").matches;

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

// Have a screen reader read a text aloud; nobody sees it.
function say(text) {
  byId("live").textContent = text;
}

export {
  arrow,
  breakable,
  byId,
  factList,
  fill,
  icon,
  isBeside,
  keepFocus,
  make,
  say,
  soft,
  softSpan,
  SVG,
  tabButton,
};
