// --- the interpreter: runs a tape, the calls that make up a forward and a backward pass --------------------

// A tape (see `script/tape.py`) has slots and calls. A slot is an array of a dtype and a shape that
// never change; a call reads some slots and writes one. Nothing here knows of derivatives: the backward
// pass is calls like any other. Sums are made in float64, and rounded where they are stored.

import * as Functions from "./functions.js";

const ARRAYS = {
  f4: Float32Array,
  f8: Float64Array,
  b1: Uint8Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: Float64Array,
  u8: Float64Array, // exact up to 2 ** 53
};

const product = (numbers) => numbers.reduce((a, b) => a * b, 1);

function interpreter(tape, held) {
  // `held`: the array of each slot that no call writes
  const slots = tape.slots.map((kind) => {
    const { dtype, shape } = tape.kinds[kind];
    return { dtype, shape, size: product(shape), array: null, dirty: false };
  });
  for (const [slot, array] of held) slots[slot].array = array;

  // Where the elements of an array of `shape` are that is looked at with `strides`: made once for each.
  const maps = new Map();
  function places(shape, begin, strides) {
    const key = `${shape} ${begin} ${strides}`;
    if (!maps.has(key)) {
      const found = new Int32Array(product(shape));
      const at = shape.map(() => 0);
      for (let i = 0, place = begin; i < found.length; i++) {
        found[i] = place;
        for (let axis = shape.length - 1; axis >= 0; axis--) {
          place += strides[axis];
          if (++at[axis] < shape[axis]) break;
          place -= strides[axis] * shape[axis];
          at[axis] = 0;
        }
      }
      maps.set(key, found);
    }
    return maps.get(key);
  }

  const steps = (shape) => shape.map((_, i) => product(shape.slice(i + 1)));
  function spread(shape, wide) {
    // broadcasting: null where there is nothing to do
    if (String(shape) === String(wide)) return null;
    const found = steps(shape).map((step, i) => (shape[i] === 1 ? 0 : step));
    return places(wide, 0, [...wide.slice(shape.length).map(() => 0), ...found]);
  }

  // Each function of a tape, made ready for its slots: what is returned does the work.
  function elementwise(f, out, reads) {
    const o = out.array,
      n = out.size;
    const [a, b, c] = reads.map((slot) => slot.array);
    const [p, q, r] = reads.map((slot) => spread(slot.shape, out.shape));
    if (reads.length === 1)
      return () => {
        for (let i = 0; i < n; i++) o[i] = f(a[i]);
      };
    if (reads.length === 3)
      return () => {
        for (let i = 0; i < n; i++) o[i] = f(a[p ? p[i] : i], b[q ? q[i] : i], c[r ? r[i] : i]);
      };
    if (!p && !q)
      return () => {
        for (let i = 0; i < n; i++) o[i] = f(a[i], b[i]);
      };
    if (!p)
      return () => {
        for (let i = 0; i < n; i++) o[i] = f(a[i], b[q[i]]);
      };
    if (!q)
      return () => {
        for (let i = 0; i < n; i++) o[i] = f(a[p[i]], b[i]);
      };
    return () => {
      for (let i = 0; i < n; i++) o[i] = f(a[p[i]], b[q[i]]);
    };
  }

  function rows(sizes, row) {
    // each group of a reduction: where it begins, and its place among them
    const [outer, n, inner] = sizes;
    for (let i = 0; i < outer; i++) for (let j = 0; j < inner; j++) row(i * n * inner + j, i * inner + j);
  }

  function folding([begin, step, end], [out], [read], sizes) {
    const o = out.array,
      a = read.array,
      [, n, inner] = sizes;
    return () =>
      rows(sizes, (first, place) => {
        let s = begin;
        for (let k = 0, i = first; k < n; k++, i += inner) s = step(s, a[i]);
        o[place] = end ? end(s, n) : s;
      });
  }

  function scanning([begin, step], [out], [read], sizes) {
    const o = out.array,
      a = read.array,
      [, n, inner] = sizes;
    return () =>
      rows(sizes, (first) => {
        let s = begin;
        for (let k = 0, i = first; k < n; k++, i += inner) o[i] = s = step(s, a[i]);
      });
  }

  function placing(beats, [out], [read], sizes) {
    const o = out.array,
      a = read.array,
      [, n, inner] = sizes;
    return () =>
      rows(sizes, (first, place) => {
        let best = 0;
        for (let k = 1; k < n; k++) if (beats(a[first + k * inner], a[first + best * inner])) best = k;
        o[place] = best;
      });
  }

  function argsort([out], [read], sizes) {
    // stable; NaN comes last
    const o = out.array,
      a = read.array,
      [, n, inner] = sizes;
    const before = (x, y) =>
      (Number.isNaN(x) ? 1 : 0) - (Number.isNaN(y) ? 1 : 0) || (x < y ? -1 : x > y ? 1 : 0);
    return () =>
      rows(sizes, (first) => {
        const order = Array.from({ length: n }, (_, k) => k).sort((k, l) =>
          before(a[first + k * inner], a[first + l * inner]),
        );
        order.forEach((k, i) => {
          o[first + i * inner] = k;
        });
      });
  }

  function searched([out], [sorted, read], right) {
    // the place among sorted numbers; NaN comes last
    const o = out.array,
      a = sorted.array,
      v = read.array;
    const before = (x, y) => x < y || (Number.isNaN(y) && !Number.isNaN(x));
    return () => {
      for (let i = 0; i < o.length; i++) {
        let [low, high] = [0, a.length];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (right ? !before(v[i], a[middle]) : before(a[middle], v[i])) low = middle + 1;
          else high = middle;
        }
        o[i] = low;
      }
    };
  }

  function moved([out], [read], begin, strides) {
    const o = out.array,
      a = read.array,
      from = places(out.shape, begin, strides);
    return () => {
      for (let i = 0; i < o.length; i++) o[i] = a[from[i]];
    };
  }

  function movedBack([out], [read], begin, strides) {
    const o = out.array,
      a = read.array,
      to = places(read.shape, begin, strides);
    return () => {
      for (let i = 0; i < a.length; i++) o[to[i]] = a[i];
    }; // the others stay 0
  }

  function picked([out], [read, border], from) {
    const o = out.array,
      a = read.array,
      b = border.array;
    return () => {
      for (let i = 0; i < o.length; i++) o[i] = from[i] < 0 ? b[0] : a[from[i]];
    };
  }

  // Arrays of integers as an index of some axes; `at` is where the axes that they make stand.
  function indexed(shape, others, indices, axes, at) {
    const wide = others.slice(at, others.length - (shape.length - axes.length - at));
    const step = steps(shape),
      rest = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
    const along = (some) =>
      places(
        some.map((axis) => shape[axis]),
        0,
        some.map((axis) => step[axis]),
      );
    const [before, after] = [along(rest.slice(0, at)), along(rest.slice(at))];
    const from = indices.map((slot) => spread(slot.shape, wide));
    const count = product(wide);
    return (visit) => {
      let i = 0;
      for (const first of before)
        for (let k = 0; k < count; k++) {
          let place = first;
          axes.forEach((axis, j) => {
            const index = indices[j].array[from[j] ? from[j][k] : k];
            const inside = index >= -shape[axis] && index < shape[axis]; // no number is at NaN
            place += inside ? step[axis] * (index < 0 ? index + shape[axis] : index) : NaN;
          });
          for (const last of after) visit(i++, place + last);
        }
    };
  }

  function taken([out], [read, ...indices], axes, at) {
    const o = out.array,
      a = read.array,
      visit = indexed(read.shape, out.shape, indices, axes, at);
    return () =>
      visit((i, place) => {
        o[i] = a[place];
      });
  }

  function put([out], [read, ...indices], axes, at) {
    const o = new Float64Array(out.size),
      a = read.array,
      visit = indexed(out.shape, read.shape, indices, axes, at);
    return () => {
      o.fill(0);
      visit((i, place) => {
        o[place] += a[i];
      });
      out.array.set(o);
    };
  }

  function join([out], reads, blocks) {
    const o = out.array,
      row = blocks.reduce((a, b) => a + b, 0);
    return () => {
      for (let i = 0, begin = 0; begin < o.length; i++, begin += row) {
        let place = begin;
        reads.forEach((slot, k) => {
          o.set(slot.array.subarray(i * blocks[k], (i + 1) * blocks[k]), place);
          place += blocks[k];
        });
      }
    };
  }

  // A sum of products: `kept` and `summed` loops, each a size and the strides of the result and of what is
  // read. The innermost of each kind are the loops below, and the places that the others lead to are known.
  function contract([out], reads, kept, summed) {
    const one = reads.length === 1;
    const o = out.array,
      a = reads[0].array,
      b = one ? Float64Array.of(1) : reads[1].array;
    const full = (loop, count) => [...loop, ...Array(count - loop.length).fill(0)];
    const loops = kept.map((loop) => full(loop, 4)),
      inner = summed.map((loop) => full(loop, 3));
    const [m, so, sa, sb] = loops.pop() || [1, 0, 0, 0],
      [n, ta, tb] = inner.pop() || [1, 0, 0];
    const through = (some, k) =>
      places(
        some.map((loop) => loop[0]),
        0,
        some.map((loop) => loop[k]),
      );
    const [po, pa, pb] = [1, 2, 3].map((k) => through(loops, k)),
      [qa, qb] = [1, 2].map((k) => through(inner, k));
    const sums = new Float64Array(m);
    const byRows = !(ta === 1 && tb === 1 && sb !== 1);
    return () => {
      if (!o.length) return;
      for (let i = 0; i < po.length; i++) {
        sums.fill(0);
        for (let j = 0; j < qa.length; j++) {
          const [x, y] = [pa[i] + qa[j], pb[i] + qb[j]];
          if (!byRows)
            for (let c = 0; c < m; c++) {
              let s = 0;
              for (let k = 0, u = x + c * sa, v = y + c * sb; k < n; k++) s += a[u + k] * b[v + k];
              sums[c] += s;
            }
          else if (sa === 0 && sb === 1)
            for (let k = 0; k < n; k++) {
              const u = a[x + k * ta],
                v = y + k * tb;
              for (let c = 0; c < m; c++) sums[c] += u * b[v + c];
            }
          else
            for (let k = 0; k < n; k++)
              for (let c = 0, u = x + k * ta, v = y + k * tb; c < m; c++, u += sa, v += sb)
                sums[c] += a[u] * b[v];
        }
        for (let c = 0, place = po[i]; c < m; c++, place += so) o[place] = sums[c];
      }
    };
  }

  const OTHERS = {
    view: moved,
    unview: movedBack,
    pick: picked,
    take: taken,
    put,
    join,
    contract,
    argsort,
    searchsorted: searched,
  };

  function ready(name, out, reads, params) {
    if (name === "same" && out.dtype === reads[0].dtype) {
      out.array = reads[0].array;
      return null;
    } // the same numbers
    out.array = new ARRAYS[out.dtype](out.size);
    if (name === "same")
      return elementwise({ b: Functions.truth, f: (x) => x }[out.dtype[0]] || Math.trunc, out, reads);
    if (OTHERS[name]) return OTHERS[name]([out], reads, ...params);
    if (Functions.FOLDS[name]) return folding(Functions.FOLDS[name], [out], reads, ...params);
    if (Functions.SCANS[name]) return scanning(Functions.SCANS[name], [out], reads, ...params);
    if (Functions.PLACES[name]) return placing(Functions.PLACES[name], [out], reads, ...params);
    const truths = reads.every((slot) => slot.dtype === "b1"),
      integers = "iu".includes(out.dtype[0]);
    return elementwise(
      (truths && Functions.OF_TRUTHS[name]) ||
        (integers && Functions.OF_INTEGERS[name]) ||
        Functions.UFUNCS[name],
      out,
      reads,
    );
  }

  const run = tape.calls.filter(([, out]) => slots[out].array === null); // the others are of what is fixed
  const calls = run.map(([name, out, reads, ...params]) => {
    const [to, from] = [slots[out], reads.map((slot) => slots[slot])];
    return { to, from, work: ready(tape.names[name], to, from, params) };
  });

  // Compute again what depends on a slot that was changed, and nothing else; return the slots touched.
  function update() {
    for (const { to, from, work } of calls) {
      to.dirty ||= from.some((slot) => slot.dirty);
      if (to.dirty && work) work();
      if (to.dirty && to.cut) for (const place of to.cut) to.array[place] = 0;
    }
    const touched = [];
    slots.forEach((slot, i) => {
      if (slot.dirty) touched.push(i);
      slot.dirty = false;
    });
    return touched;
  }

  for (const slot of slots) slot.dirty = true;
  update();
  return {
    slots,
    update,
    // From the next update on, these elements of a computed slot are 0, whatever its call gives.
    cut(slot, elements) {
      slots[slot].cut = elements;
      slots[slot].dirty = true;
    },
    change(slot, numbers) {
      slots[slot].array.set(numbers);
      slots[slot].dirty = true;
    },
  };
}

// What a step of gradient descent leaves of some numbers, rounded as their array is.
function descent(numbers, gradient, rate) {
  const step = gradient.map((g) => rate * g);
  return numbers.map((v, i) => v - step[i]);
}

export { ARRAYS, descent, interpreter, product };
