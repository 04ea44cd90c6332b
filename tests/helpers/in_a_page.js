// What the tests of the interpreter do with tapes: their arrays come and go as text.

const text = (array) => {
  const raw = new Uint8Array(Float64Array.from(array).buffer);
  let s = "";
  for (const b of raw) s += String.fromCharCode(b);
  return btoa(s);
};
const floats = (raw) => new Float64Array(Uint8Array.from(atob(raw), (c) => c.charCodeAt(0)).buffer);
const typed = (one, slot, numbers) => Interpreter.ARRAYS[one.kinds[one.slots[slot]].dtype].from(numbers);
const held = (one, slot, of = (v) => v) => [slot, typed(one, slot, floats(one.values[slot]).map(of))];
const started = (one) =>
  Interpreter.interpreter(
    one,
    one.data.map((slot) => held(one, slot)),
  );
function called(one, call, sizes) {
  // one call of it, on NumPy's own numbers, or on their sizes
  const [name, out, reads, ...params] = call,
    names = [...one.names, "add"];
  const added = sizes && ["subtract", "logaddexp", "logaddexp2"].includes(one.names[name]);
  const alone = { ...one, names, calls: [[added ? names.length - 1 : name, out, reads, ...params]] };
  const given = reads.map((slot) => held(one, slot, sizes ? Math.abs : undefined));
  return text(Interpreter.interpreter(alone, given).slots[out].array);
}
const both = (one, call) => [false, true].map((sizes) => called(one, call, sizes));
function changed(one) {
  // other numbers for some slots; what is asked for then
  const machine = started(one);
  for (const [slot, numbers] of one.to) machine.change(slot, floats(numbers));
  machine.update();
  return one.asked.map((slot) => text(machine.slots[slot].array));
}
function descended(one) {
  // steps of gradient descent: pairs of slots, a rate, how many
  const machine = started(one),
    losses = [];
  for (let i = 0; i <= one.steps; i++) {
    losses.push(machine.slots[one.loss].array[0]);
    const numbers = (slot) => machine.slots[slot].array;
    const next = one.learners.map(([p, g]) => {
      const step = numbers(g).map((v) => one.rate * v);
      return [p, numbers(p).map((v, place) => v - step[place])];
    });
    if (i === one.steps) break;
    for (const [p, values] of next) machine.change(p, values);
    machine.update();
  }
  return [losses, ...one.learners.map(([p]) => text(machine.slots[p].array))];
}
