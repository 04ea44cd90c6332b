// --- where the reader is ---------------------------------------------------------------------------------

function show(name, { keep = false } = {}) {
  if (!views.has(name) || name === state.view) return;
  state.view = name;
  if (!keep) stopPlaying();
  openSheet();
  render();
  say(`${views.get(name).title}, ${plural(views.get(name).cards.length, "card")}`);
}

function openSheet() {
  if (hasDrawings) {
    fill(world, draw(state.view).group);
    const before = cameras.get(state.view);
    if (before) { Object.assign(camera, before); aim(false); } else fit(false, true);
  }
  sheet.setAttribute("aria-label", `Drawing of ${views.get(state.view).title}`);
  crumbs();
}

function up() {
  const around = views.get(state.view).around;
  if (around) show(around);
}

function crumbs() {
  const names = trail(state.view);
  const items = names.map((name, i) => {
    const title = views.get(name).title;
    const last = i === names.length - 1;
    return make("li", {}, make("button", { title, "aria-current": last ? "location" : null, onclick: () => show(name) }, i ? title.split(": ")[0] || title : "The whole"));
  });
  fill(byId("crumbs"), make("ol", {}, items));
}

function go(time, { quiet = false } = {}) {
  state.time = Math.max(0, Math.min(events.length, time));
  if (state.asked && state.asked.time !== state.time) dropQuestion();
  state.chosen = null;
  const event = current();
  if (event) {
    if (state.follow) goTo(event.n);
    else if (placeIn(state.view, event.n) === null) goTo(event.n, true);
  }
  if (event && byId(state.stage).classList.contains("extra")) setStage(graphStage());
  if (event) state.tab = "step";
  if (!event) state.tab = "overview";
  render();
  if (event && hasDrawings && state.stage === "drawing")
    reveal(placeIn(state.view, event.n), into.get(event.n).filter((edge) => !event.back || edge.differentiable).map((edge) => placeIn(state.view, edge.source)));
  if (!quiet) say(nowText());
}

// Show the drawing in which a node is: the innermost, or (`outer`) only as far out as it takes.
function goTo(n, outer = false) {
  const around = trail(home.get(n));
  const views_here = trail(state.view);
  if (!borrowed.get(state.view).has(n) && views.get(state.view).keys.has(n)) return; // it is here
  let target = home.get(n);
  if (outer) target = [...views_here].reverse().find((name) => around.includes(name)) || "all";
  else target = around.find((name) => views.get(name).keys.has(n) && !borrowed.get(name).has(n)) || target;
  if (target !== state.view) { state.view = target; openSheet(); }
}

function over(direction) { // on to the next step that is elsewhere in this drawing
  const place = (time) => (time ? placeIn(state.view, events[time - 1].n) : null);
  const here = place(state.time);
  let time = state.time + direction;
  while (time > 0 && time < events.length && (place(time) === here || place(time) === null)) time += direction;
  const follow = state.follow;
  state.follow = false;
  go(time);
  state.follow = follow;
}

function choose(n, { open = false } = {}) {
  state.chosen = n;
  state.tab = "node";
  if (open && state.stage !== graphStage() && state.stage !== "listing") setStage(graphStage());
  if (open) goTo(n);
  render();
  if (open && hasDrawings) reveal(placeIn(state.view, n));
  say(`${fullName(n)}: value ${brief(nodes.get(n).value)}; gradient ${stateText(gradientNow(n))}`);
}

function chosenNode() {
  const event = current();
  return state.chosen !== null ? state.chosen : event ? event.n : data.roots[0];
}

function nowText() {
  const event = current();
  if (!event) return "Before the first step";
  const n = event.back ? state.time - FORWARD : state.time;
  return `${event.back ? "Backward" : "Forward"} ${n} of ${event.back ? events.length - FORWARD : FORWARD}: ${fullName(event.n)}`;
}

function render() {
  if (hasDrawings) mark();
  if (state.stage === "listing") listing();
  panel();
  markCode();
  timeline();
}
