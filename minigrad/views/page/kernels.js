// --- the kernels: loops over arrays, each made ready for the slots of one call ------------------------

// A kernel gets the slot that its call writes, the slots that it reads, and the further arguments of the call
// (see `script/tape_writing.py`). It returns a function that does the work, each time on the numbers of its
// time. `places` gives the places of the elements of a view (see `placesOf` of interpreter.js).
//
// In the loops, `o` is the array that is written; `a`, `b` and `c` are read.

import * as Shapes from "./shapes.js";
import * as Functions from "./functions.js";

const steps = (shape) => shape.map((_, i) => Shapes.size(shape.slice(i + 1)));

// Broadcasting: the places of the elements that go with each element of the `wide` array.
function spread(shape, wide, places) {
  const found = steps(shape).map((step, i) => (shape[i] === 1 ? 0 : step));
  return places(wide, 0, [...wide.slice(shape.length).map(() => 0), ...found]);
}

const elementwise = (loop) => (out, reads, _, places) => {
  const found = reads.flatMap((slot) => [slot.array, spread(slot.shape, out.shape, places)]);
  return () => loop(out.array, ...found);
};

// The loop of a function of one, two or three numbers.
const each = (f) => (o, a, p, b, q, c, r) => {
  if (c) for (let i = 0; i < o.length; i++) o[i] = f(a[p[i]], b[q[i]], c[r[i]]);
  else if (b) for (let i = 0; i < o.length; i++) o[i] = f(a[p[i]], b[q[i]]);
  else for (let i = 0; i < o.length; i++) o[i] = f(a[p[i]]);
};

// --- along an axis: a call has the sizes before it, along it (n) and behind it (inner) ----------------

// The kernel that visits each group of numbers along an axis. `row` makes, for the two arrays, a function of a
// group: it gets the place where the group begins, and the number of the group. The numbers of a group are
// `inner` places apart.
const alongAxis =
  (row) =>
  (out, [read], [[outer, n, inner]]) => {
    const visit = row(out.array, read.array, n, inner);
    return () => {
      for (let i = 0; i < outer; i++) for (let j = 0; j < inner; j++) visit(i * n * inner + j, i * inner + j);
    };
  };

// One number of each group, such as its sum.
const folding = (fold) =>
  alongAxis((o, a, n, inner) => (first, place) => {
    o[place] = fold(a, first, n, inner);
  });

// The result of a fold after each number, such as running sums.
const scanning = ([begin, step]) =>
  alongAxis((o, a, n, inner) => (first) => {
    let s = begin;
    for (let k = 0, i = first; k < n; k++, i += inner) o[i] = s = step(s, a[i]);
  });

// The place of the best number in each group.
const placing = (beats) =>
  alongAxis((o, a, n, inner) => (first, place) => {
    let best = 0;
    for (let k = 1; k < n; k++) if (beats(a[first + k * inner], a[first + best * inner])) best = k;
    o[place] = best;
  });

// NaN comes last, as in NumPy; numbers that are equal stay in their order.
const inOrder = (x, y) =>
  (Number.isNaN(x) ? 1 : 0) - (Number.isNaN(y) ? 1 : 0) || (x < y ? -1 : x > y ? 1 : 0);

// The order in which the numbers of a group are sorted.
const argsort = alongAxis((o, a, n, inner) => (first) => {
  const order = Array.from({ length: n }, (_, k) => k).sort((k, l) =>
    inOrder(a[first + k * inner], a[first + l * inner]),
  );
  order.forEach((k, i) => {
    o[first + i * inner] = k;
  });
});

// The place of a number among sorted ones; NaN comes last.
function searched(out, [sorted, read], [right]) {
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

// --- moving elements ----------------------------------------------------------------------------------

// A view of an array by strides, such as its transpose.
function moved(out, [read], [begin, strides], places) {
  const o = out.array,
    a = read.array,
    from = places(out.shape, begin, strides);
  return () => Functions.LOOPS.same(o, a, from);
}

// The gradient of a view: each element goes back to its place, and all other elements are 0.
function movedBack(out, [read], [begin, strides], places) {
  const o = out.array,
    a = read.array,
    to = places(read.shape, begin, strides);
  return () => {
    for (let i = 0; i < a.length; i++) o[to[i]] = a[i];
  };
}

// Elements from places that were fixed when the page was written; below 0, the number of the border.
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
  const count = Shapes.size(wide);
  return (visit) => {
    let i = 0;
    for (const first of before)
      for (let k = 0; k < count; k++) {
        let place = first;
        axes.forEach((axis, j) => {
          const index = indices[j].array[from[j][k]];
          const inside = index >= -shape[axis] && index < shape[axis]; // no number is at NaN
          place += inside ? step[axis] * (index < 0 ? index + shape[axis] : index) : NaN;
        });
        for (const last of after) visit(i++, place + last);
      }
  };
}

// Elements at the places that arrays of integers give.
function take(out, [read, ...indices], params, places) {
  const o = out.array,
    a = read.array,
    visit = indexed(read.shape, out.shape, indices, params, places);
  return () =>
    visit((i, place) => {
      o[i] = a[place];
    });
}

// The gradient of `take`: each element is added at the place that it came from. Sums are made in float64.
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

// Arrays one after the other along an axis: in turn, a block of each, whose sizes are `blocks`.
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

// A sum of products. A `free` loop has a size, and strides in the result and in each array that is read; a
// `summed` loop has a size, and strides in each array that is read. If one loop moves only in the first array
// and another only in the second, these two make a product of matrices, for each step of the other loops.
function contract(out, reads, [free, summed], places) {
  const loops = free.map((loop) => [...loop, 0, 0].slice(0, 4)),
    inner = summed.map((loop) => [...loop, 0].slice(0, 3));
  let [a, b] = [reads[0].array, reads[1]?.array ?? Float64Array.of(1)],
    [ofA, ofB] = [2, 3]; // where a loop has its strides
  const only = (moves, stays) => loops.findLastIndex((loop) => loop[moves] && !loop[stays]);
  if (only(ofB, ofA) < 0) [a, b, ofA, ofB] = [b, a, ofB, ofA];
  const column = only(ofB, ofA),
    row = only(ofA, ofB);
  const along = (some, k) =>
    places(
      some.map((loop) => loop[0]),
      0,
      some.map((loop) => loop[k]),
    );
  const [rows, columns] = [row, column].map((i) => (i < 0 ? [] : [loops[i]]));
  const others = loops.filter((_, i) => i !== row && i !== column);
  return products(
    [a, along(others, ofA), along(rows, ofA), along(inner, ofA - 1)],
    [b, along(others, ofB), along(columns, ofB), along(inner, ofB - 1)],
    [out.array, along(others, 1), along(rows, 1), along(columns, 1)],
  );
}

// Products of matrices, one after the other: where each begins, and where its elements are from there.
function products([a, beginsA, rowsA, summedA], [b, beginsB, columnsB, summedB], [o, begins, rows, columns]) {
  const k = summedA.length;
  const [m, n] = [whole(rows.length, 2), whole(columns.length, 4)];
  const [A, B, C] = [m * k, k * n, m * n].map((size) => new Float64Array(size));
  const [orderA, orderB, orderC] = [A, B, C].map(({ length }) => new Int32Array(length));
  const last = (some, i) => some[Math.min(i, some.length - 1)]; // beyond the end, the last one again
  for (let i = 0, at = 0; i < m; i++) for (let j = 0; j < k; j++) orderA[at++] = last(rowsA, i) + summedA[j];
  for (let i = 0, at = 0; i < n; i += 4)
    for (let j = 0; j < k; j++) for (let c = i; c < i + 4; c++) orderB[at++] = last(columnsB, c) + summedB[j];
  for (let i = 0, at = 0; i < m; i++)
    for (let c = 0; c < n; c++) orderC[at++] = last(rows, i) + last(columns, c);
  return () => {
    for (let p = 0; p < begins.length; p++) {
      gather(A, a, beginsA[p], orderA);
      gather(B, b, beginsB[p], orderB);
      multiply(A, B, C, m, k, n);
      scatter(o, C, begins[p], orderC);
    }
  };
}

const whole = (count, by) => by * Math.ceil(count / by);

function gather(to, from, begin, order) {
  for (let i = 0; i < to.length; i++) to[i] = from[begin + order[i]];
}

function scatter(to, from, begin, order) {
  for (let i = 0; i < from.length; i++) to[begin + order[i]] = from[i];
}

// C = A @ B: A (m,k) by rows, two at a time; B (k,n) in strips of four columns. Eight sums stay in registers,
// which is several times as fast as sums in an array; each is made in the order of k.
function multiply(A, B, C, m, k, n) {
  for (let c = 0; c < n; c += 4)
    for (let i = 0; i < m; i += 2) {
      const u = i * k, // where the two rows begin, in A and in C
        w = u + k,
        o = i * n + c,
        q = o + n;
      let x0 = 0,
        x1 = 0,
        x2 = 0,
        x3 = 0,
        y0 = 0,
        y1 = 0,
        y2 = 0,
        y3 = 0;
      for (let j = 0, v = c * k; j < k; j++, v += 4) {
        const x = A[u + j],
          y = A[w + j],
          b0 = B[v],
          b1 = B[v + 1],
          b2 = B[v + 2],
          b3 = B[v + 3];
        x0 += x * b0;
        x1 += x * b1;
        x2 += x * b2;
        x3 += x * b3;
        y0 += y * b0;
        y1 += y * b1;
        y2 += y * b2;
        y3 += y * b3;
      }
      C[o] = x0;
      C[o + 1] = x1;
      C[o + 2] = x2;
      C[o + 3] = x3;
      C[q] = y0;
      C[q + 1] = y1;
      C[q + 2] = y2;
      C[q + 3] = y3;
    }
}

const OTHERS = {
  view: moved,
  unview: movedBack,
  pick: picked,
  take,
  put,
  join,
  contract,
  argsort,
  searchsorted: searched,
};

// Casts; to integers, the fraction is cut off.
const CASTS = { b: each(Functions.truth), f: Functions.LOOPS.same };

// The kernel of a call of that name, for slots of these types.
function kernelOf(name, out, reads) {
  if (name === "same") return elementwise(CASTS[out.dtype[0]] || each(Math.trunc));
  if (OTHERS[name]) return OTHERS[name];
  if (Functions.FOLDS[name]) return folding(Functions.FOLDS[name]);
  if (Functions.SCANS[name]) return scanning(Functions.SCANS[name]);
  if (Functions.PLACES[name]) return placing(Functions.PLACES[name]);
  const truths = reads.every((slot) => slot.dtype === "b1"),
    integers = "iu".includes(out.dtype[0]);
  const f = (truths && Functions.OF_TRUTHS[name]) || (integers && Functions.OF_INTEGERS[name]);
  return elementwise(f ? each(f) : Functions.LOOPS[name] || each(Functions.UFUNCS[name]));
}

export { kernelOf };
