// --- stages, help, keys ----------------------------------------------------------------------------------

const stages = [...document.querySelectorAll(".stage.extra"), ...["drawing", "attention", "listing"].map(byId)];
stages.forEach((stage, i) => {
  if (!stage.id) stage.id = `extra-${i}`;
  stage.setAttribute("role", "tabpanel");
  stage.setAttribute("aria-label", stage.dataset.title);
});

function stageTabs() {
  const shown = stages.filter((stage) => (stage.id !== "attention" || data.maps.length) && (stage.id !== "drawing" || hasDrawings));
  fill(byId("stage-tabs"), shown.map((stage) => tabButton(stage.dataset.title, stage.id, stage.id === state.stage, () => setStage(stage.id))));
}

function graphStage() {
  return hasDrawings ? "drawing" : "listing";
}

function setStage(id) {
  state.stage = id;
  for (const stage of stages) stage.hidden = stage.id !== id;
  byId("stages").classList.toggle("as-written", byId(id).classList.contains("extra"));
  byId("crumbs").hidden = id !== "drawing" && id !== "listing";
  stageTabs();
  if (id === "attention") attentionStage();
  if (id === "drawing" && hasDrawings && !cameras.has(state.view)) fit(false, true);
  render();
}

const KEYS = [
  ["→", "one step on"], ["←", "one step back"], ["Shift →, Shift ←", "on, or back, to the next thing in this drawing: over a closed box"],
  ["space", "play, pause"], ["Home, End", "to the beginning, to the end"], ["b", "to the start of the way back"],
  ["↑, ↓", "in the drawing: to the card before, or after"], ["Enter", "choose a node, open a box"], ["o", "open the box in which this step is"], ["u, Backspace", "up, to the box around"],
  ["+, −, 0", "larger, smaller, all of it"], ["/", "find"], ["p", "predict, then reveal"], ["f", "follow each step into its box"], ["c", "lines of code"], ["t", "table or drawing"], ["Alt and arrow keys", "in a heat map: read single numbers; Enter changes one"],
  ["↑, ↓", "in a field: change the number by a step; Page up, Page down: by ten"], ["m", "in an attention map: turn the cell in the mask"], ["Ctrl z, Ctrl Shift z", "undo a change, do it again"],
];

function help() {
  fill(byId("help"), make("h2", {}, "Keys"),
    make("dl", { class: "keys" }, KEYS.flatMap(([key, text]) => [make("dt", {}, key.split(", ").flatMap((k, i) => [i ? " " : "", make("kbd", {}, k)])), make("dd", {}, text)])),
    make("h3", {}, "The time line"), make("p", { class: "soft" }, "A bar is a step. On the way forward its height says how large the value is, on the way back how large the gradient: the logarithm of the norm, each half on a scale of its own. Below are the chapters."),
    make("h3", {}, "Cards and gradients"), legend(),
    make("p", { class: "soft" }, "On a card, the picture to the left is the value and the one to the right the gradient, each on a scale of its own: values are teal above zero and pink below it, gradients orange above zero and blue below it. An array of up to six numbers is written out."),
    make("form", { method: "dialog" }, make("button", {}, "Close")));
  byId("help").showModal();
}

function moveFocus(direction) {
  const { cards } = draw(state.view);
  const list = [...cards.values()];
  const at = list.findIndex((card) => card.group === document.activeElement);
  const next = list[(at + direction + list.length) % list.length];
  for (const card of list) card.group.setAttribute("tabindex", card === next ? 0 : -1);
  next.group.focus({ preventScroll: true });
  reveal(next.key);
}

function openHere() {
  const event = current();
  if (!event) return;
  const key = placeIn(state.view, event.n);
  if (typeof key === "string") show(key);
}

function onKey(event) {
  const typing = ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName) && event.target.type !== "range";
  if (byId("help").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.id === "search") {
    const act = { ArrowDown: () => point(pointed + 1), ArrowUp: () => point(pointed - 1), Enter: () => pick(pointed), Escape: closeSearch }[event.key];
    if (act) { event.preventDefault(); act(); }
    return;
  }
  if (typing) return;
  const card = event.target.closest ? event.target.closest(".card") : null;
  const button = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY";
  if (card && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    const key = /^\d+$/.test(card.dataset.key) ? Number(card.dataset.key) : card.dataset.key;
    activate(views.get(state.view), key);
    if (typeof key !== "number" && hasDrawings) { const first = world.querySelector('.card[tabindex="0"]'); if (first) first.focus({ preventScroll: true }); }
    return;
  }
  if (card && (event.key === "ArrowDown" || event.key === "ArrowUp")) { event.preventDefault(); return moveFocus(event.key === "ArrowDown" ? 1 : -1); }
  if (button && (event.key === " " || event.key === "Enter")) return;
  const acts = {
    ArrowRight: () => (event.shiftKey ? over(1) : go(state.time + 1)), ArrowLeft: () => (event.shiftKey ? over(-1) : go(state.time - 1)),
    Home: () => go(0), End: () => go(events.length), " ": togglePlaying, b: () => go(FORWARD + 1), o: openHere, u: up, Backspace: up,
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: () => fit(), "/": () => byId("search").focus(),
    p: () => setPredict(!state.predict), f: () => setFollow(!state.follow), c: () => toggleCode(document.body.classList.contains("no-code")),
    t: () => setStage(state.stage === "listing" && hasDrawings ? "drawing" : "listing"), "?": help,
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  if (["ArrowRight", "ArrowLeft", "Home", "End"].includes(event.key)) stopPlaying();
  act();
}

function setFollow(on) {
  state.follow = on;
  byId("follow").setAttribute("aria-pressed", String(on));
  say(on ? "Each step opens the box in which it happens." : "Steps stay in this drawing.");
}

// --- the start -------------------------------------------------------------------------------------------

function start() {
  markers();
  writeCode();
  listenToHands();
  fill(byId("notes"), data.notes.map((note) => make("p", {}, note)));
  if (innerWidth < 1180) toggleCode(false);
  changesShown();
  setStage(stages[0].classList.contains("extra") ? stages[0].id : graphStage());
  openSheet();
  render();
  for (const name of ["first", "back", "next", "over", "last"]) fill(byId(name), icon(name));
  byId("first").onclick = () => go(0);
  byId("back").onclick = () => go(state.time - 1);
  byId("next").onclick = () => go(state.time + 1);
  byId("over").onclick = () => over(1);
  byId("last").onclick = () => go(events.length);
  byId("play").onclick = togglePlaying;
  byId("time").addEventListener("input", (event) => { const time = Number(event.target.value); stopPlaying(); go(time); }); // stopping puts it back
  byId("zoom-in").onclick = () => zoom(1.25);
  byId("zoom-out").onclick = () => zoom(0.8);
  byId("zoom-fit").onclick = () => fit();
  byId("predict").onclick = () => setPredict(!state.predict);
  byId("follow").onclick = () => setFollow(!state.follow);
  byId("code-switch").onclick = () => toggleCode(document.body.classList.contains("no-code"));
  byId("help-open").onclick = help;
  byId("search").addEventListener("input", find);
  document.addEventListener("keydown", onKey);
  addEventListener("beforeprint", () => printWhole(true));
  addEventListener("afterprint", () => printWhole(false));
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) byId("found").hidden = true; });
  const again = () => { themed.clear(); thumbs.clear(); for (const { cards } of drawn.values()) for (const card of cards.values()) card.stamp = null; render(); repaints.forEach((repaint) => repaint()); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  new ResizeObserver(() => { if (hasDrawings && state.stage === "drawing") { cameras.clear(); fit(false, true); } }).observe(byId("stages"));
}

start();
