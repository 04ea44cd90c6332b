// --- work that is done while the page is idle, some milliseconds at a time ----------------------------

const SLICE = 12, // milliseconds that are computed without a pause
  SHOWN = 100; // milliseconds until more is shown

const soon = (act) =>
  window.requestIdleCallback ? requestIdleCallback(act, { timeout: 500 }) : setTimeout(act, 1);

// Does one list of things at a time: another one takes the place of what is left of the last.
function worker() {
  let turn = 0;

  // `work` on each that waits; `rest` before each pause; `shown` now and then, told whether all is done.
  function run(things, work, rest, shown) {
    const mine = ++turn;
    const waiting = [...things];
    let last = performance.now();
    const slice = () => {
      if (mine !== turn) return; // other things by now
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
