// --- work that is done while the page is idle, some milliseconds at a time ----------------------------

const SLICE = 12, // milliseconds that are computed without a pause
  SHOWN = 100; // milliseconds until more is shown

const soon = (act) =>
  window.requestIdleCallback ? requestIdleCallback(act, { timeout: 500 }) : setTimeout(act, 1);

// A worker on one list of things at a time: a new list replaces the rest of the old one.
function worker() {
  let turn = 0;

  // Call `work` with each thing, `rest` before each pause, and now and then `shown`, with true in the end.
  function run(things, work, rest, shown) {
    const mine = ++turn;
    const waiting = [...things];
    let last = performance.now();
    const slice = () => {
      if (mine !== turn) return; // there is a new list
      const end = performance.now() + SLICE;
      while (waiting.length && performance.now() < end) work(waiting.shift());
      rest();
      if (!waiting.length || end - last > SHOWN) {
        last = end;
        shown(!waiting.length);
      }
      if (waiting.length) soon(slice);
    };
    soon(slice);
  }

  function stop() {
    turn++;
  }

  return { run, stop };
}

export { worker };
