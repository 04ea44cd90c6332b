// --- what a number loses when a part of a computation is cut: computed exactly, while the page is idle ---

import * as Idle from "./idle.js";

// A part has a `key`, and `cuts`: slots with the places that are 0 when it is cut. The others stay what they
// are: attention weights of a row are not made to sum to 1 again.

// Of the machine of `interpreter.js` that `machine` gives: `off` is what stays cut, `toggle` cuts a part or
// takes it back, `measure` tells what is lost without each.
function cutter(machine) {
  const off = new Map(); // key -> a part that stays cut
  const idle = Idle.worker();

  // Cut a part, or take it back.
  function toggle(part) {
    if (!off.delete(part.key)) off.set(part.key, part);
    setCuts(machine(), part, [...off.values()]);
  }

  // What `measured` loses without a part; of one that is off, what it would gain with it.
  function loss(part, measured, now) {
    const isOff = off.has(part.key);
    const others = [...off.values()].filter(({ key }) => key !== part.key);
    setCuts(machine(), part, isOff ? others : [...others, part]);
    machine().update();
    const other = measured(part.key);
    setCuts(machine(), part, [...off.values()]); // the next update computes what was there before
    return isOff ? other - now : now - other;
  }

  // The losses of some parts, one after the other; `shown` is called now and then, with all that are known.
  // `measured` is told the key of the part that is turned, or null.
  function measure(parts, measured, shown) {
    const losses = new Map();
    machine().update();
    const now = measured(null);
    idle.run(
      parts,
      (part) => losses.set(part.key, loss(part, measured, now)),
      () => machine().update(),
      (all) => shown(losses, all),
    );
  }

  return { off, toggle, measure };
}

// Set to 0, in the slots of a part that is turned, what these parts cut there.
function setCuts(machine, turned, parts) {
  for (const slot of turned.cuts.keys()) {
    const places = parts.flatMap(({ cuts }) => Array.from(cuts.get(slot) ?? []));
    machine.cut(slot, places.length ? places : null);
  }
}

export { cutter };
