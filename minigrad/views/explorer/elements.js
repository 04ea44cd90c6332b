// --- one element worked out: `w.grad[0, 1] = x[0]·g[1] = 1·10 = 10` ---------------------------------------

// What a result is made of comes with the page (see elements.py, which does the same in text). An element
// is worked out as its names and its numbers, each with how tightly it binds, and its value if it is known.

const TIGHT = 9, POWER = 8, SIGN = 7, PRODUCT = 6, SUM = 5, COMPARED = 3;
const MOST_TERMS = 3, LONGEST_SIDE = 120;
const SHOWN = {
  "*": ["·", PRODUCT, (a, b) => a * b], "/": [" / ", PRODUCT, (a, b) => a / b], "+": [" + ", SUM, (a, b) => a + b], "-": [" - ", SUM, (a, b) => a - b], "**": ["**", POWER, (a, b) => a ** b],
  "<": [" < ", COMPARED, (a, b) => a < b], "<=": [" <= ", COMPARED, (a, b) => a <= b], ">": [" > ", COMPARED, (a, b) => a > b], ">=": [" >= ", COMPARED, (a, b) => a >= b],
  "==": [" == ", COMPARED, (a, b) => a === b], "!=": [" != ", COMPARED, (a, b) => a !== b], and: [" and ", 2, (a, b) => a && b], or: [" or ", 1, (a, b) => a || b],
};
const EXTREME = { max: Math.max, min: Math.min };

const whole = (text) => ({ names: [text, TIGHT], numbers: [text, TIGHT], value: null });
const size = (shape) => shape.reduce((a, b) => a * b, 1);
const indexed = (name, index) => (index.length ? `${name}[${index.join(", ")}]` : name);

function unravel(place, shape) {
  const index = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) { index.unshift(place % shape[axis]); place = Math.floor(place / shape[axis]); }
  return index;
}

function ravel(index, shape) {
  return index.reduce((place, k, axis) => place * shape[axis] + k, 0);
}

function sourceOf(moved, index) {
  return unravel(index.reduce((place, k, axis) => place + k * moved.strides[axis], moved.offset), moved.shape);
}

// `read` gives the number at an index of what has a role, null where the page does not have it, and its text.
// Null stands for an element of which it is not known any more what it is made of.
function element_of(made, index, read) {
  if (typeof made !== "object" || made === null) {
    const value = { inf: Infinity, "-inf": -Infinity, nan: NaN }[made] ?? Number(made);
    return { ...whole(written(value, 4, typeof made === "boolean" ? "b" : "f")), value };
  }
  if (made.role !== undefined) {
    const { value, text } = read(made.role, index);
    return { names: [indexed(made.name, index), TIGHT], numbers: [text, TIGHT], value };
  }
  if (made.kind === "moved") return element_of(made.of, sourceOf(made, index), read);
  if (made.by && made.by.some(read.changed)) return null; // its places were read from numbers that are others now
  if (made.kind === "picked") {
    let place = made.places[ravel(index, made.shape)];
    const k = made.shapes.findIndex((shape) => { if (place < size(shape)) return true; place -= size(shape); return false; });
    return element_of(made.of[k], unravel(place, made.shapes[k]), read);
  }
  if (made.kind === "scattered") {
    const wanted = ravel(index, made.shape);
    const found = made.places.flatMap((place, k) => (place === wanted ? [k] : []));
    return joined_up("+", found.length, (k) => [made.of, unravel(found[k], made.inner)], read);
  }
  if (made.kind === "reduced") return joined_up(made.sign, countOf(made.sign, made), (k) => partOf(made.sign, made, index, k), read);
  const of = made.of.map((part) => element_of(part, index, read));
  return of.includes(null) ? null : each(made.sign, of);
}

function countOf(sign, made) {
  while (made.kind === "moved") made = made.of;
  return made.kind === "reduced" && made.sign === sign ? size(made.counts) * countOf(sign, made.of) : 1;
}

function partOf(sign, made, index, k) { // the k-th term: a sum of sums is one sum
  while (made.kind === "moved") { index = sourceOf(made, index); made = made.of; }
  if (made.kind !== "reduced" || made.sign !== sign) return [made, index];
  const inner = countOf(sign, made.of);
  return partOf(sign, made.of, [...index, ...unravel(Math.floor(k / inner), made.counts)], k % inner);
}

function joined_up(sign, count, part, read) {
  if (!count) return { ...whole("0"), value: 0 };
  const most = count <= MOST_TERMS + 1 ? count : MOST_TERMS;
  const some = Array.from({ length: most }, (_, k) => element_of(...part(k), read));
  if (some.includes(null)) return null;
  const more = most < count ? ["…"] : [];
  const known = !more.length && some.every((one) => one.value !== null);
  if (sign !== "+") {
    const list = (kind) => [`${sign}(${[...some.map((one) => one[kind][0]), ...more].join(", ")})`, TIGHT];
    return { names: list("names"), numbers: list("numbers"), value: known ? EXTREME[sign](...some.map((one) => one.value)) : null };
  }
  if (count === 1) return some[0];
  const sum = (kind) => [...some.map((one, i) => bracketed(one[kind], SUM, i > 0)), ...more].join(" + ");
  return {
    names: [more.length ? `${sum("names")} (${count} terms)` : sum("names"), SUM], numbers: [sum("numbers"), SUM],
    value: known ? some.reduce((total, one) => total + Number(one.value), 0) : null,
  };
}

function each(sign, of) {
  const known = of.every((one) => one.value !== null);
  const values = of.map((one) => one.value);
  if (SHOWN[sign] && of.length === 2) {
    const [shown, binds, compute] = SHOWN[sign];
    const bits = { True: "1", False: "0" };
    const operands = ["*", "/", "+", "-", "**"].includes(sign) ? of.map((one) => ({ ...one, numbers: [bits[one.numbers[0]] || one.numbers[0], one.numbers[1]] })) : of;
    const right = binds + (["-", "/", "**"].includes(sign) ? 1 : 0);
    const both = (kind) => [bracketed(operands[0][kind], binds + (sign === "**" ? 1 : 0), sign === "**") + shown + bracketed(operands[1][kind], right, true), binds];
    return { names: both("names"), numbers: both("numbers"), value: known ? compute(Number(values[0]), Number(values[1])) : null };
  }
  if (sign === "neg" || sign === "not") {
    const mark = sign === "neg" ? "-" : "not ";
    const one = (kind) => [mark + bracketed(of[0][kind], PRODUCT, true), sign === "neg" ? SIGN : 2];
    return { names: one("names"), numbers: one("numbers"), value: null };
  }
  if (sign === "where") {
    const [condition, a, b] = of;
    const names = [`${bracketed(a.names, 1, false)} if ${condition.names[0]} else ${b.names[0]}`, 0];
    if (condition.value === null) return { names, numbers: [`${a.numbers[0]} if ${condition.numbers[0]} else ${b.numbers[0]}`, 0], value: null };
    const chosen = condition.value ? a : b;
    return { names, numbers: chosen.numbers, value: chosen.value };
  }
  const call = (kind) => [`${sign}(${of.map((one) => one[kind][0]).join(", ")})`, TIGHT];
  return { names: call("names"), numbers: call("numbers"), value: known && sign === "isfinite" ? Number.isFinite(values[0]) : null };
}

function bracketed([text, binds], needed, inner) {
  return binds < needed || (inner && text.startsWith("-")) ? `(${text})` : text;
}

// An element of what a rule gives at a node, with its numbers, or with its names alone (`hidden`): as text,
// or null where it would be no help.
function workedOut(rule, node, index, target, result, { equals = "=", hidden = false } = {}) {
  const made = rule && rule[2];
  if (made === null || made === undefined || result === null) return null;
  const read = (role, at) => numberAt(arrayOf(role, node), at);
  read.changed = (role) => isChanged(sourceAt(role, node).n);
  const found = element_of(made, index, read);
  if (found === null) return null;
  const sides = [found.names[0], ...(hidden ? [] : [found.numbers[0].includes("?") ? "…" : found.numbers[0], result])];
  if (sides.some((side) => side.length > LONGEST_SIDE)) return null;
  const shown = [...new Set(sides)];
  return hidden ? `${indexed(target, index)} ${equals} ${shown[0]}` : `${indexed(target, index)} ${equals} ${shown.join(" = ")}`;
}

function arrayOf(role, node) { // the array that is g, y or an argument at a node
  if (role === "g") return array(node.gradient);
  if (role === "y") return array(node.value);
  return array(sourceAt(role, node).value);
}

function sourceAt(role, node) { // the node that is an argument of another
  const [position, item] = Array.isArray(role) ? role : [role, null];
  return nodes.get(into.get(node.n).find((one) => one.position === position && one.item === item).source);
}

function numberAt(a, index) { // where some rows or columns are left out, not every number is there
  const place = a ? placeAt(a, index) : null;
  if (place === null) return { value: null, text: "?" };
  const value = a.numbers[place];
  return { value, text: written(value, a.digits, a.kind) };
}

function placeAt(a, index) { // among the numbers that were kept
  return index.some((k, axis) => k % a.steps[axis]) ? null : ravel(index.map((k, axis) => k / a.steps[axis]), a.shape);
}
