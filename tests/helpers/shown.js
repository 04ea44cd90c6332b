// What a page shows of a computation, as data, and how its numbers are changed: the one place of the
// tests that knows how a page holds them. A test writes this into the page, at the end of its script.

const asText = (numbers) =>
  btoa(Array.from(new Uint8Array(Float64Array.from(numbers).buffer), (b) => String.fromCharCode(b)).join(""));

// An array: all its numbers, whether it is marked, and whether what is drawn of it is the same.
function one(slot, id, why) {
  if (slot === undefined || slot === null || id === null || id === undefined) return null;
  const numbers = Live.startedMachine().slots[slot].array,
    drawn = Shown.array(id);
  const near = (a, b) => Object.is(a, b) || a === b || Math.abs(a - b) <= 0.01 * Math.abs(b) + 1e-9; // sums that cancel leave rounding
  const same = drawn.numbers.length !== numbers.length || drawn.numbers.every((v, i) => near(v, numbers[i]));
  return [asText(numbers), why !== null, same];
}

function everything() {
  const ofEdge = (edge) =>
    Object.entries(edge.passed).map(([part, id]) => {
      const slot = Live.tape.passed[edge.id] && Live.tape.passed[edge.id][part];
      return one(slot, id, Doubts.whyFixedSlot(slot));
    });
  return {
    nodes: State.data.nodes.map(({ n, value, gradient }) => [
      one(Live.tape.value[n], value, Doubts.whyFixed(n)),
      one(Live.tape.gradient[n], gradient, Doubts.whyFixedGradient(n)),
    ]),
    passed: Graph.edges.map(ofEdge),
    warned: document.querySelector("#changes .fixed-lines") !== null, // that other operations may run
  };
}

// Whether each of these nodes has numbers that can be changed; null on a page that cannot compute.
window.changeable = (numbers) => Live.tape && numbers.map((n) => n !== null && Fields.slotOf(n) !== null);

// All that the page shows once these numbers are changed: [node, place, number as text]. Then all is as before.
window.shownAfter = (changes) => {
  for (const [n, place, text] of changes)
    Fields.setNumber(Fields.slotOf(n), place, Number(text), Fields.nameAt(n, place));
  const shown = everything();
  Changes.undoAll();
  return shown;
};
