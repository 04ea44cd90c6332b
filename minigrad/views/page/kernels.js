// --- the kernels: loops over arrays, each made ready for the slots of one call ----------------------------

// A kernel is told the slot that its call writes, those that it reads, and the other arguments of the call (see
// `script/tape.py`). What it returns does the work, each time with the numbers that are there then. `places` gives
// where the elements of an array of some shape are that is looked at with strides.

import * as Functions from "./functions.js";

const product = (numbers) => numbers.reduce((a, b) => a * b, 1);
const steps = (shape) => shape.map((_, i) => product(shape.slice(i + 1)));

function spread(shape, wide, places) {
  // broadcasting: null where there is nothing to do
  if (String(shape) === String(wide)) return null;
  const found = steps(shape).map((step, i) => (shape[i] === 1 ? 0 : step));
  return places(wide, 0, [...wide.slice(shape.length).map(() => 0), ...found]);
}

const elementwise = (f) => (out, reads, _, places) => {
  const o = out.array,
    n = out.size;
  const [a, b, c] = reads.map((slot) => slot.array);
  const [p, q, r] = reads.map((slot) => spread(slot.shape, out.shape, places));
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
};

function rows(sizes, row) {
  // each group of a reduction: where it begins, and its place among them
  const [outer, n, inner] = sizes;
  for (let i = 0; i < outer; i++) for (let j = 0; j < inner; j++) row(i * n * inner + j, i * inner + j);
}

const folding =
  ([begin, step, end]) =>
  (out, [read], [sizes]) => {
    const o = out.array,
      a = read.array,
      [, n, inner] = sizes;
    return () =>
      rows(sizes, (first, place) => {
        let s = begin;
        for (let k = 0, i = first; k < n; k++, i += inner) s = step(s, a[i]);
        o[place] = end ? end(s, n) : s;
      });
  };

const scanning =
  ([begin, step]) =>
  (out, [read], [sizes]) => {
    const o = out.array,
      a = read.array,
      [, n, inner] = sizes;
    return () =>
      rows(sizes, (first) => {
        let s = begin;
        for (let k = 0, i = first; k < n; k++, i += inner) o[i] = s = step(s, a[i]);
      });
  };

const placing =
  (beats) =>
  (out, [read], [sizes]) => {
    const o = out.array,
      a = read.array,
      [, n, inner] = sizes;
    return () =>
      rows(sizes, (first, place) => {
        let best = 0;
        for (let k = 1; k < n; k++) if (beats(a[first + k * inner], a[first + best * inner])) best = k;
        o[place] = best;
      });
  };

function argsort(out, [read], [sizes]) {
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

function searched(out, [sorted, read], [right]) {
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

function moved(out, [read], [begin, strides], places) {
  const o = out.array,
    a = read.array,
    from = places(out.shape, begin, strides);
  return () => {
    for (let i = 0; i < o.length; i++) o[i] = a[from[i]];
  };
}

function movedBack(out, [read], [begin, strides], places) {
  const o = out.array,
    a = read.array,
    to = places(read.shape, begin, strides);
  return () => {
    for (let i = 0; i < a.length; i++) o[to[i]] = a[i];
  }; // the others stay 0
}

function picked(out, [read, border], [from]) {
  const o = out.array,
    a = read.array,
    b = border.array;
  return () => {
    for (let i = 0; i < o.length; i++) o[i] = from[i] < 0 ? b[0] : a[from[i]];
  };
}

// Arrays of integers as an index of some axes; `at` is where the axes that they make stand.
function indexed(shape, others, indices, [axes, at], places) {
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
  const from = indices.map((slot) => spread(slot.shape, wide, places));
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

function taken(out, [read, ...indices], params, places) {
  const o = out.array,
    a = read.array,
    visit = indexed(read.shape, out.shape, indices, params, places);
  return () =>
    visit((i, place) => {
      o[i] = a[place];
    });
}

function put(out, [read, ...indices], params, places) {
  const o = new Float64Array(out.size),
    a = read.array,
    visit = indexed(out.shape, read.shape, indices, params, places);
  return () => {
    o.fill(0);
    visit((i, place) => {
      o[place] += a[i];
    });
    out.array.set(o);
  };
}

function join(out, reads, [blocks]) {
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
// Four columns, or four products of each, are taken at a time, each sum in the same order: two to four
// times as fast.
function contract(out, reads, [kept, summed], places) {
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

  function dots(x, y) {
    // rows of both
    let c = 0;
    for (; sa === 0 && c + 4 <= m; c += 4) {
      let s0 = 0,
        s1 = 0,
        s2 = 0,
        s3 = 0;
      for (let k = 0, v = y + c * sb; k < n; k++, v++) {
        const u = a[x + k];
        s0 += u * b[v];
        s1 += u * b[v + sb];
        s2 += u * b[v + 2 * sb];
        s3 += u * b[v + 3 * sb];
      }
      sums[c] += s0;
      sums[c + 1] += s1;
      sums[c + 2] += s2;
      sums[c + 3] += s3;
    }
    for (; c < m; c++) {
      let s = 0;
      for (let k = 0, u = x + c * sa, v = y + c * sb; k < n; k++) s += a[u + k] * b[v + k];
      sums[c] += s;
    }
  }

  function rowsOfB(x, y) {
    // numbers of a, rows of b
    let k = 0;
    for (; k + 4 <= n; k += 4) {
      const u = x + k * ta;
      const [u0, u1, u2, u3] = [a[u], a[u + ta], a[u + 2 * ta], a[u + 3 * ta]];
      for (let c = 0, v = y + k * tb; c < m; c++, v++)
        sums[c] = sums[c] + u0 * b[v] + u1 * b[v + tb] + u2 * b[v + 2 * tb] + u3 * b[v + 3 * tb];
    }
    for (; k < n; k++)
      for (let c = 0, u = a[x + k * ta], v = y + k * tb; c < m; c++, v++) sums[c] += u * b[v];
  }

  function anyhow(x, y) {
    for (let k = 0; k < n; k++)
      for (let c = 0, u = x + k * ta, v = y + k * tb; c < m; c++, u += sa, v += sb) sums[c] += a[u] * b[v];
  }

  const add = ta === 1 && tb === 1 && sb !== 1 ? dots : sa === 0 && sb === 1 ? rowsOfB : anyhow;
  return () => {
    if (!o.length) return;
    for (let i = 0; i < po.length; i++) {
      sums.fill(0);
      for (let j = 0; j < qa.length; j++) add(pa[i] + qa[j], pb[i] + qb[j]);
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

const CASTS = { b: Functions.truth, f: (x) => x }; // to integers: without what is behind the point

// The kernel of a call of that name, for slots of these types.
function kernelOf(name, out, reads) {
  if (name === "same") return elementwise(CASTS[out.dtype[0]] || Math.trunc);
  if (OTHERS[name]) return OTHERS[name];
  if (Functions.FOLDS[name]) return folding(Functions.FOLDS[name]);
  if (Functions.SCANS[name]) return scanning(Functions.SCANS[name]);
  if (Functions.PLACES[name]) return placing(Functions.PLACES[name]);
  const truths = reads.every((slot) => slot.dtype === "b1"),
    integers = "iu".includes(out.dtype[0]);
  return elementwise(
    (truths && Functions.OF_TRUTHS[name]) ||
      (integers && Functions.OF_INTEGERS[name]) ||
      Functions.UFUNCS[name],
  );
}

export { kernelOf, product };
