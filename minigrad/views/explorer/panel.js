// --- the panel -------------------------------------------------------------------------------------------

function tabs() {
  const titles = { overview: "Overview", step: "This step", node: "Node", cell: "Cell", ...computingTabs() };
  if (!state.cell && state.tab === "cell") state.tab = "overview";
  fill(byId("panel-tabs"), Object.entries(titles).filter(([name]) => name !== "cell" || state.cell).map(([name, title]) =>
    tabButton(title, name, state.tab === name, () => { state.tab = name; panel(); })));
  for (const name of Object.keys(titles)) byId(name).hidden = state.tab !== name;
}

function tabButton(title, controls, selected, onclick) {
  return make("button", { role: "tab", "aria-selected": String(selected), "aria-controls": controls, tabindex: selected ? 0 : -1, onclick,
    onkeydown: (event) => {
      const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!move) return;
      event.preventDefault(); event.stopPropagation();
      const all = [...event.currentTarget.parentElement.children];
      const next = all[(all.indexOf(event.currentTarget) + move + all.length) % all.length];
      const list = event.currentTarget.parentElement, at = all.indexOf(next);
      next.click();
      list.children[at].focus();
    } }, title);
}

function panel() {
  tabs();
  if (state.tab === "overview") overview();
  if (state.tab === "step") stepPanel();
  if (state.tab === "node") nodePanel(chosenNode());
  if (state.tab === "cell") cellPanel();
  if (state.tab === "learn") learnPanel();
  if (state.tab === "whatif") whatifPanel();
}

function overview() {
  const root = nodes.get(data.roots[0]);
  const learned = data.nodes.filter((node) => node.kind === "parameter" || node.kind === "input");
  const size = (node) => norm(node.gradient);
  const most = Math.max(...learned.map(size), 0);
  const bySize = [...learned].sort((a, b) => size(b) - size(a)).slice(0, 40);
  const open = !state.predict;
  const chaptersHere = [make("h3", {}, "Chapters"), chapterList()]; // of a model they come first
  fill(byId("overview"),
    make("p", { class: "phase" }, "The whole computation"),
    make("h2", {}, make("code", {}, fullName(root.n))),
    root.shape.length ? null : make("p", { class: "big" }, brief(root.value)),
    make("p", { class: "soft" }, `${data.about}. ${plural(FORWARD, "step")} forward, then ${events.length - FORWARD} back.`),
    make("div", { class: "start" },
      make("button", { class: "primary", onclick: () => playChapter(chapters[0]) }, "Play the first chapter"),
      make("button", { onclick: () => go(1) }, "Take the first step →"),
      make("button", { onclick: () => go(FORWARD + 1) }, "Start with the way back"),
      computingTabs().whatif ? make("button", { onclick: () => { state.tab = "whatif"; panel(); } }, "Switch a part off") : null),
    chapters.some((chapter) => chapter.box !== null) ? [chaptersHere, invitation()] : [invitation(), chaptersHere],
    bySize.length ? make("h3", {}, "What is learned, by the size of its gradient") : null,
    bySize.length && open ? make("ul", { class: "by-size" }, bySize.map((node) => make("li", {},
      make("button", { class: "link", title: node.label, onclick: () => choose(node.n, { open: true }) }, breakable(fullName(node.n))),
      make("span", { class: "track-bar", "aria-hidden": "true" }, make("span", { class: "bar", style: `display:block;width:${most ? (100 * size(node)) / most : 0}%` })),
      make("span", { class: "size" }, node.gradient === null ? node.state : written(size(node), 4))))) : null,
    bySize.length && open ? make("p", { class: "soft" }, "The size is the square root of the sum of squares.") : null,
    bySize.length && !open ? make("p", { class: "soft" }, "Hidden while you predict.") : null,
    make("h3", {}, "What the cards are"), legend(),
    make("h3", {}, "Keys"),
    make("p", { class: "soft" }, make("kbd", {}, "→"), " ", make("kbd", {}, "←"), " step, ", make("kbd", {}, "space"), " plays, ", make("kbd", {}, "/"), " finds, ", make("kbd", {}, "?"), " shows all keys."));
}

function legend() {
  const kind = (name, text) => make("li", {}, make("span", { class: "swatch kind", style: `background: var(--${name}); border-color: var(--${name}-line)` }), text);
  const grad = (name, text) => make("li", {}, make("span", { class: `swatch ${name}` }), text);
  return make("div", { class: "columns" },
    make("ul", { class: "legend" }, kind("parameter", "parameter: learned"), kind("input", "input that needs a gradient"), kind("data", "data: constant"), kind("operation", "operation"), kind("result", "result"), kind("module", "box of a module"), kind("definition", "box of a function")),
    make("ul", { class: "legend" }, grad("known", "gradient known"), grad("zero", "gradient zero"), grad("not-computed", "not computed"), grad("arriving", "still arriving"), grad("needs-none", "needs none: no place for it"), grad("freed", "freed: not kept")));
}

function lineText(node) {
  if (!node.line) return null;
  const [file, number] = node.line;
  const text = textOfLine(file, number);
  return make("p", { class: "trail" }, make("button", { class: "link mono", onclick: () => showLine(file, number) }, `${data.files[file].name}:${number}`), " ", make("code", {}, text));
}

function trailText(node) {
  const names = [];
  for (let box = node.box; box !== null && box !== undefined; box = data.boxes[box][1]) names.unshift(data.boxes[box][2].split(": ")[0]);
  return names.length ? make("p", { class: "trail" }, `in ${names.filter(Boolean).join(" › ")}`) : null;
}

function link(n, text = null) {
  return make("button", { class: "link mono", title: fullName(n), onclick: () => choose(n, { open: true }) }, text || nameOf(n));
}

function stepPanel() {
  const event = current();
  const box = byId("step");
  if (!event) return fill(box, make("p", {}, "Nothing has happened yet. "), make("div", { class: "start" }, make("button", { class: "primary", onclick: () => go(1) }, "Take the first step →")));
  const node = nodes.get(event.n);
  const count = event.back ? `Backward, step ${state.time - FORWARD} of ${events.length - FORWARD}` : `Forward, step ${state.time} of ${FORWARD}`;
  const why = node.about || (node.box !== null ? data.boxes[node.box][3] : "");
  const head = [
    chapterLine(),
    make("p", { class: `phase ${event.back ? "backward" : ""}` }, count),
    make("h2", {}, make("code", {}, node.label ? node.label : "", node.label && node.made ? " = " : "", node.made || (node.label ? "" : `${node.kind} #${node.n}`))),
    why ? make("p", { class: "why" }, why) : null,
    trailText(node), lineText(node),
  ];
  fill(box, head, event.back ? (node.kind === "operation" ? backward(node) : leaf(node)) : forward(node));
  box.scrollTop = 0;
}

function forward(node) {
  const given = into.get(node.n);
  const line = workedLine(data.rules[node.rule], node, node.value, nameOf(node.n));
  const question = forwardQuestion(node);
  return [
    question ? null : line.element,
    given.length ? make("h3", {}, "Is given") : null,
    given.map((edge) => {
      const source = nodes.get(edge.source);
      return heat(source.value, `${edge.argument ? `${edge.argument} = ` : ""}${nameOf(source.n)}`, { letters: source.letters, note: source.kind === "operation" ? "" : source.kind });
    }),
    make("h3", {}, "Gives"),
    question || [heat(node.value, nameOf(node.n), { letters: node.letters, read: line.show }), mapButton(node.n)],
  ];
}

function leaf(node) {
  return [
    make("p", {}, arrivals.get(node.n).length === 1 ? "All that comes here has arrived. It stays, in " : `All ${arrivals.get(node.n).length} contributions have arrived. Their sum stays here, in `, make("code", {}, `${fullName(node.n)}.grad`), "."),
    gradientFigure(node.n, "gradient"),
    make("h3", {}, "What it belongs to"),
    heat(node.value, nameOf(node.n), { letters: node.letters }),
  ];
}

function gradientFigure(n, name) {
  const found = gradientNow(n);
  const node = nodes.get(n);
  if (found.sum === null || found.state === "zero") return stateLine(found);
  return [found.state === "arriving" ? stateLine(found) : null, heat(found.sum, name, { palette: "gradient", letters: node.letters })];
}

function stateLine(found) {
  return make("p", { class: "state" }, make("span", { class: `swatch ${found.state.replace(" ", "-")}` }), stateText(found));
}

function backward(node) {
  const shares = into.get(node.n).filter((edge) => edge.differentiable);
  const others = into.get(node.n).filter((edge) => !edge.differentiable);
  const root = data.roots.includes(node.n) && arrivals.get(node.n).length === 1;
  return [
    make("h3", {}, "The gradient that arrives here"),
    node.gradient === null ? stateLine(gradientNow(node.n)) : heat(node.gradient, "g", { palette: "gradient", letters: node.letters, note: root ? "the walk starts here" : "of the loss, by this node" }),
    node.gradient === null && node.state !== "freed" ? null : shares.map((edge) => shareOf(node, edge)),
    others.length ? make("p", { class: "soft" }, `${others.map((edge) => nameOf(edge.source)).join(", ")}: no gradient is needed there.`) : null,
  ];
}

function shareOf(node, edge) {
  const source = nodes.get(edge.source);
  const hidden = isHidden(edge);
  const [text, note, , roles] = edge.rule || ["", "", null, []];
  const reads = roles.map(([role, name]) => {
    if (role === "y") return heat(node.value, name, { letters: node.letters });
    const read = sourceAt(role, node);
    return heat(read.value, name, { letters: read.letters });
  });
  const line = workedLine(edge.rule, node, edge.contribution, `${nameOf(source.n)}.grad`, arrivals.get(source.n).length > 1 ? "gets" : "=");
  const before = edge.before !== null && edge.before !== undefined;
  const result = [];
  if (edge.contribution === null || edge.contribution === undefined) result.push(make("p", { class: "soft" }, "What it gave was not kept."));
  else {
    if (edge.axes.length) {
      const shape = node.shape;
      if (edge.given !== null) result.push(heat(edge.given, "the rule gives", { palette: "gradient", letters: node.letters }));
      const copies = edge.axes.reduce((n, axis) => n * shape[axis], 1);
      result.push(make("p", { class: "soft" }, `Broadcasting had made ${plural(copies, "copy", "copies")} along ${edge.axes.length > 1 ? "axes" : "axis"} ${edge.axes.join(", ")}; their gradients are summed:`));
    }
    result.push(heat(edge.contribution, "contribution", { palette: "gradient", letters: source.letters, read: line.show }));
    result.push(before
      ? make("div", { class: "sum" }, heat(edge.before, "had arrived before", { palette: "gradient", letters: source.letters }), heat(edge.after, "sum now", { palette: "gradient", letters: source.letters }))
      : make("p", { class: "soft" }, arrivals.get(source.n).length > 1 ? `The first of ${arrivals.get(source.n).length} to arrive there.` : "Nothing else goes there."));
  }
  return make("div", { class: "share" },
    make("p", {}, "for ", make("code", {}, edge.argument || `argument ${edge.position}`), ", which is ", link(source.n, source.label || `#${source.n}${source.op ? ` ${source.op}` : ""}`)),
    text ? make("code", { class: "rule" }, text) : null,
    note ? make("p", { class: "soft note" }, note) : null,
    hidden ? null : line.element,
    reads.length ? make("details", { open: hidden || [node, ...into.get(node.n).map((other) => nodes.get(other.source))].every((one) => size(one.shape) <= 24) }, make("summary", { class: "soft" }, `where ${roles.map(([, name]) => name).join(", ")} …`), reads) : null,
    hidden ? question(node, edge) : result,
    state.predict && state.answered.has(edge.id) ? verdict(edge) : null);
}

// The line below a rule: its first element, then that under the pointer.
function workedLine(rule, node, id, target, equals = "=") {
  const element = make("p", { class: "worked mono", hidden: true });
  const a = array(id);
  const show = (index) => {
    const { value, text: result } = numberAt(a, index);
    const text = value === null ? null : workedOut(rule, node, index, target, result, { equals });
    element.hidden = text === null;
    element.textContent = text || "";
    return text;
  };
  if (a && a.numbers.length) show(a.full.map(() => 0));
  return { element, show };
}

function nodePanel(n) {
  const node = nodes.get(n);
  const found = gradientNow(n);
  const computed = !state.time || computedAt.get(n) <= state.time;
  const value = array(node.value);
  const grad = found.sum === null ? null : array(found.sum);
  const users = outOf.get(n);
  fill(byId("node"),
    make("p", { class: "phase" }, node.kind === "operation" ? `Operation #${n}` : `${node.kind[0].toUpperCase()}${node.kind.slice(1)} #${n}`),
    make("h2", {}, make("code", {}, node.label, node.label && node.made ? " = " : "", node.made || (node.label ? "" : node.kind))),
    trailText(node),
    make("dl", { class: "facts" },
      make("dt", {}, "shape"), make("dd", {}, shapeOf(node.shape, node.letters), ` ${node.type}`),
      into.get(n).length ? [make("dt", {}, "made from"), make("dd", {}, joined(into.get(n).map((edge) => edge.source)))] : null,
      users.length ? [make("dt", {}, "used by"), make("dd", {}, joined(users.map((edge) => edge.target)))] : null,
      node.kept ? [make("dt", {}, "keeps"), make("dd", {}, `${plural(node.kept, "byte")} for the way back`)] : null),
    make("h3", {}, "Value"),
    computed ? [valueOf(n), editing(n), facts(value), histogram(value, "value")] : make("p", { class: "soft" }, "Not computed yet at this step."),
    computed ? mapButton(n) : null,
    make("h3", {}, "Gradient"),
    found.sum === null || found.state === "zero" ? stateLine(found) : [found.state === "arriving" ? stateLine(found) : null, heat(found.sum, "gradient", { palette: "gradient", letters: node.letters }), facts(grad), histogram(grad, "gradient")],
    whyFixedGradient(n),
    node.check && !other.size && (state.time === 0 || handedOnAt.get(n) <= state.time) && !(state.predict && found.state === "hidden") ? check(node) : null,
    !data.checked && found.sum !== null ? make("p", { class: "soft" }, "No finite differences were run: there is too much to compute, or not all of it was recorded.") : null,
    node.line ? [make("h3", {}, "The line of code"), where(node)] : null);
}

function joined(numbers) {
  return [...new Set(numbers)].flatMap((n, i) => [i ? ", " : "", link(n, nodes.get(n).label ? nameOf(n) : `#${n}${nodes.get(n).op ? ` ${nodes.get(n).op}` : ""}`)]);
}

function facts(a) {
  if (!a || !a.all || a.numbers.length < 2 || a.all[0] === null) return null;
  const [low, high, mean, norm, zeros, odd] = a.all;
  const said = [`mean ${written(mean, 4)}`, `norm ${written(norm, 4)}`, `${plural(zeros, "zero")}`];
  if (odd) said.push(`${odd} not finite`);
  return make("p", { class: "trail" }, said.join(" · "));
}

function histogram(a, palette) {
  if (!a || a.histogram.length < 2 || a.full.reduce((x, y) => x * y, 1) < 8) return null;
  const most = Math.max(...a.histogram);
  const [low, high] = a.all;
  const bars = a.histogram.map((count, i) => make("rect", { x: i * 10, y: 50 - (48 * count) / most, width: 9, height: (48 * count) / most },
    make("title", {}, `${plural(count, "number")}`)));
  const zero = low < 0 && high > 0 ? make("line", { x1: (240 * -low) / (high - low), x2: (240 * -low) / (high - low), y1: 0, y2: 52, "stroke-dasharray": "3 3" }) : null;
  return make("div", {},
    make("svg", { class: `histogram ${palette}`, viewBox: "0 0 240 52", preserveAspectRatio: "none", role: "img", "aria-label": `Histogram from ${written(low, 4)} to ${written(high, 4)}` }, bars, zero),
    make("div", { class: "ends" }, make("span", {}, written(low, 4)), make("span", {}, written(high, 4))));
}

function check(node) {
  const [measured, told, tolerance, ok, kink] = node.check;
  const apart = Math.abs(measured - told);
  const told_text = [
    make("p", {}, "Along one random direction of this node, the result changes by"),
    make("dl", { class: "facts" }, make("dt", {}, "finite differences"), make("dd", { class: "mono" }, written(measured, 5)), make("dt", {}, "the gradient says"), make("dd", { class: "mono" }, written(told, 5))),
  ];
  const verdict_text = ok ? "They agree." : kink ? "They differ: there is a kink here, with two slopes." : `They differ by ${written(apart, 2)}, more than the ${written(tolerance, 2)} that rounding explains.`;
  return [make("h3", {}, "Checked by finite differences"), make("div", { class: `check ${ok ? "" : "off"}` }, told_text, make("p", {}, verdict_text))];
}

function where(node) {
  const [file, number] = node.line;
  const lines = [];
  for (let k = number - 2; k <= number + 2; k++) if (textOfLine(file, k) !== null) lines.push(codeLine(file, k, k === number ? "now" : ""));
  return [make("p", { class: "trail" }, data.files[file].name), make("div", { class: "where" }, lines.length ? lines : make("p", { class: "soft" }, `line ${number}; its text is not known`))];
}

// --- predict, then reveal --------------------------------------------------------------------------------

// The element to ask for: the largest, so that the answer is a number worth working out.
function asked(edge) {
  const a = array(edge.contribution);
  let place = 0;
  a.numbers.forEach((v, i) => { if (Math.abs(v) > Math.abs(a.numbers[place])) place = i; });
  return { a, place };
}

function question(node, edge) {
  if (edge.contribution === null) return make("p", { class: "soft" }, "What it gave was not kept.");
  const { a, place } = asked(edge);
  const index = indexOf(a, place);
  const what = index.length ? `element [${index.join(", ")}] of the contribution` : "the contribution";
  const names = workedOut(edge.rule, node, index, "", "", { equals: "", hidden: true });
  return numberQuestion({
    what: make("span", {}, `What is ${what}`, names ? [", ", make("code", { class: "worked" }, names.trim())] : null, "?"),
    label: `Your answer: ${what} to ${edge.argument}`, value: a.numbers[place], edge: edge.id,
    done: (typed) => { state.answered.set(edge.id, typed); render(); say(`${typed === null ? "It is" : "Right:"} ${at(a, place)}`); focusNext(); answered(); },
  });
}

// A number is asked for; `done` is told what was typed when it is right, or null when it is revealed.
function numberQuestion({ what, label, value, done, edge = null }) {
  const input = make("input", { type: "text", inputmode: "decimal", "aria-label": label, placeholder: "a number" });
  const told = make("span", { class: "verdict wrong", role: "status" });
  const submit = () => {
    const typed = input.value.trim(), guess = numberIn(typed);
    if (guess === null) told.textContent = "That is no number.";
    else if (isRight(guess, value)) done(typed);
    else { told.textContent = hint(guess, value); say(told.textContent); }
  };
  return make("form", { class: "guess", "data-edge": edge, onsubmit: (event) => { event.preventDefault(); submit(); } },
    what, input, make("button", { type: "submit" }, "Check"), make("button", { type: "button", onclick: () => done(null) }, "Reveal"), told);
}

function focusNext() {
  const next = byId("step").querySelector("form.guess input");
  (next || byId("panel")).focus();
}

function isRight(guess, v) { // to two digits
  if (v === 0) return Math.abs(guess) < 1e-9;
  return Math.abs(guess - v) <= 0.02 * Math.abs(v);
}

function hint(guess, v) {
  if (v !== 0 && Math.abs(guess + v) <= 0.02 * Math.abs(v)) return "The size is right, the sign is not.";
  if (v !== 0 && Math.sign(guess) === Math.sign(v)) return Math.abs(guess) > Math.abs(v) ? "Too large." : "Too small.";
  return "Not yet.";
}

function verdict(edge) {
  const { a, place } = asked(edge);
  const typed = state.answered.get(edge.id);
  return make("p", { class: `verdict ${typed === null ? "" : "right"}` }, typed === null ? `Revealed: ${at(a, place)}` : `Right: ${at(a, place)}, and you said ${typed}.`);
}

function setPredict(on) {
  state.predict = on;
  if (state.asked) state.asked.before = on;
  byId("predict").setAttribute("aria-pressed", String(on));
  for (const { cards } of drawn.values()) for (const card of cards.values()) card.stamp = null;
  if (on && state.time <= FORWARD) go(FORWARD + 1);
  else render();
  say(on ? "Gradients are hidden until you work them out." : "Gradients are shown.");
}
