// --- cuts: the loss of a number without a part of a computation, measured while the page is idle ------

import * as Idle from "./idle.js";

// A part has a `key`, and `cuts`: slots with the places that are 0 when it is cut. All other numbers stay:
// attention weights of a row are not made to sum to 1 again.

// A cutter of the interpreter that `machine` gives. `off` has the parts that are cut now; `toggle` cuts a part
// or puts it back; `measure` finds the loss of a number without each part.
function cutter(machine) {
  const off = new Map(); // key -> a part that stays cut
  const idle = Idle.worker();

  // Cut a part, or take it back.
  function toggle(part) {
    if (!off.delete(part.key)) off.set(part.key, part);
    setCuts(machine(), part, [...off.values()]);
  }

  // The loss of `measured` without a part; for a part that is off, its gain with the part.
  function loss(part, measured, now) {
    const isOff = off.has(part.key);
    const others = [...off.values()].filter(({ key }) => key !== part.key);
    setCuts(machine(), part, isOff ? others : [...others, part]);
    machine().update();
    const other = measured(part.key);
    setCuts(machine(), part, [...off.values()]); // the next update puts back the numbers of before
    return isOff ? other - now : now - other;
  }

  // Measure the losses of some parts, one after the other. Now and then, `shown` is called with the losses that
  // are known. `measured` gets the key of the part that is cut, or null.
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
