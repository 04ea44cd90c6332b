// --- what if: parts of the model switched off, and what that does to the loss and to the output ------------------

const guesses = new Map(); // switch -> what switching it off alone would do, to the numbers as they were then
let guessed = null; // the version of the numbers that these are about

function isOn(gate) {
  return !machine || machine.slots[gate].array[0] === 1;
}

function turn(name, gates, on) {
  stopLearning();
  change(`${name} ${on ? "on" : "off"}`, new Map(gates.map((gate) => [gate, [on ? 1 : 0]])));
  keepFocus(render);
  say(`${name} is ${on ? "on" : "off"}. ${lossText()}`);
}

function outputNow() {
  return live.output === null ? null : engine().slots[live.value[live.output]].array;
}

// What a model writes: of each row of its output the symbol with the highest score.
function writes(scores) {
  const shape = nodes.get(live.output).shape, n = shape[shape.length - 1];
  const names = Object.values(live.symbols).filter((symbols) => symbols.length === n).pop();
  if (!names || shape.length < 2) return null;
  return Array.from({ length: scores.length / n }, (_, row) => {
    let best = 0;
    for (let k = 1; k < n; k++) if (scores[row * n + k] > scores[row * n + best]) best = k;
    return names[best];
  });
}

// The output as it was written and as it is now, symbol by symbol: each is the likeliest after those that were
// written before it.
function writtenNow() {
  const now = live.output === null ? null : writes(outputNow());
  if (!now) return null;
  const was = writes(first[live.value[live.output]]);
  return { now: symbolsOf(now, was), was: was.every((symbol, i) => symbol === now[i]) ? null : symbolsOf(was, was) };
}

function symbolsOf(symbols, was) { // those that are not what they were are marked
  return make("code", { class: "symbols" }, symbols.map((symbol, i) => make("span", { class: symbol === was[i] ? null : "changed" }, symbol)));
}

function effect(before, after) { // of two outputs: a sentence
  const [was, is] = [writes(before), writes(after)];
  if (was) {
    const apart = was.filter((symbol, i) => symbol !== is[i]).length;
    return apart ? [`${plural(apart, "symbol")} of ${was.length} would be ${apart > 1 ? "others" : "another"}: `, symbolsOf(is, was)] : [`it would write the same ${plural(was.length, "symbol")}`];
  }
  const most = before.reduce((size, v, i) => Math.max(size, Math.abs(v - after[i])), 0);
  return [`the output changes by ${written(most, 3)} at most`];
}

// Each switch alone, turned and turned back: one at a time, so that the page answers in between.
function guess() {
  if (guessed === version) return;
  guessed = version;
  guesses.clear();
  const about = version;
  const waiting = live.switches.slice();
  const next = () => {
    if (about !== version || state.tab !== "whatif") { if (guessed === about) guessed = null; return; }
    const one = waiting.shift();
    if (!one) return;
    const { change: give, update, slots } = engine();
    const [name, , places] = one;
    const gates = places.map(([, , gate]) => gate);
    const before = outputNow() && outputNow().slice(), kept = gates.map((gate) => slots[gate].array[0]);
    const on = kept.some((v) => v === 1);
    gates.forEach((gate) => give(gate, [on ? 0 : 1])); update();
    guesses.set(name, { on, loss: lossNow(), effect: before && effect(before, outputNow()) });
    gates.forEach((gate, i) => give(gate, [kept[i]])); update();
    keepFocus(() => whatifPanel());
    setTimeout(next, 0);
  };
  setTimeout(next, 0);
}

function switchButton(name, gates, label) {
  const on = gates.filter(isOn).length;
  return make("button", { class: "switch", role: "switch", "aria-checked": on === gates.length ? "true" : on ? "mixed" : "false", "data-field": `switch ${gates.join(" ")}`, "aria-label": `${name}: ${on === gates.length ? "on" : on ? "partly on" : "off"}`, onclick: () => turn(name, gates, on !== gates.length) }, label);
}

function whatifPanel() {
  const box = byId("whatif");
  const root = nodes.get(data.roots[0]);
  const rows = live.switches.map(([name, off, places]) => {
    const gates = places.map(([, , gate]) => gate);
    const on = gates.every(isOn);
    const alone = guessed === version ? guesses.get(name) : null;
    return make("li", { class: on ? "" : "off" },
      make("div", { class: "switch-row" }, switchButton(name, gates, name), make("span", { class: "soft" }, gates.length > 1 ? plural(gates.length, "place") : "")),
      make("p", { class: "soft" }, `Off: ${off}.`),
      alone ? make("p", {}, `${alone.on ? "Switched off" : "Switched on again"}: ${nameOf(root.n)} `, make("span", { class: "mono" }, `${written(lossNow(), 4)} → ${written(alone.loss, 4)}`), alone.effect ? ["; ", alone.effect] : null, ".") : make("p", { class: "soft" }, "…"),
      gates.length > 1 ? make("details", {}, make("summary", { class: "soft", "aria-label": `${name}: each place by itself` }, "each place by itself"), make("ul", {}, places.map(([n, instead, gate]) =>
        make("li", {}, switchButton(`${name} at ${placeName(n)}`, [gate], placeName(n)), " ", link(n), make("span", { class: "soft" }, " off: "), link(instead))))) : make("p", { class: "soft" }, link(places[0][0]), "; off, it is ", link(places[0][1])));
  });
  const told = writtenNow();
  fill(box,
    make("p", { class: "phase" }, "What if"),
    make("h2", {}, `${nameOf(root.n)} = `, make("span", { class: "mono" }, root.shape.length ? "" : written(lossNow(), 5))),
    told ? make("p", {}, "Its likeliest symbols: ", told.now, told.was ? [", and as it was written: ", told.was] : null) : null,
    told ? make("p", { class: "soft" }, "Each is what it would write next, given the symbols before it as they were written.") : null,
    make("p", { class: "soft" }, "Switch a part off: everything is computed again, forward and backward. A model that has learned with a part needs it; how much, the loss says."),
    make("ul", { class: "switches-list" }, rows));
  guess();
}

function placeName(n) {
  const { box } = nodes.get(n);
  const path = box === null || box === undefined ? "" : data.boxes[box][0].split("/")[0];
  return path || nameOf(n);
}
