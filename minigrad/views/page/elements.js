// --- one element worked out: `w.grad[0, 1] = x[0]·g[1] = 1·10 = 10` -----------------------------------

import { data } from "./state.js";
import * as Arrays from "./arrays.js";
import * as Shown from "./shown.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";
import * as Functions from "./functions.js";
import * as Sources from "./sources.js";

// The way leads back from the element, along the calls that the page computes with, to arrays that have a
// name. (elements.py does the same.) A text is a pair: the words, and how tightly its operator binds.

const { TIGHT, MOST_TERMS, LONG, WHOLE, FOLDS } = data.constants;
const SUM = data.signs.add.binds;
const BITS = { True: "1", False: "0" };

// The result of `act`; `otherwise`, if the sources of some element are not known.
function ifClear(act, otherwise) {
  try {
    return act();
  } catch (problem) {
    if (problem instanceof Sources.Unclear) return otherwise;
    throw problem;
  }
}

const indexed = (name, index) => (index.length ? `${name}[${index.join(", ")}]` : name);
// A text, in brackets where it binds less tightly than is `needed`; `inner`: it stands behind a sign.
const bracketed = ([text, binds], needed, inner = false) =>
  binds < needed || (inner && text.startsWith("-")) ? `(${text})` : text;

// The result of an operation, and the gradient that its rule gives along an edge: the slot, and `names`, the
// arrays that it is computed from, as slot -> {name, id}; `id` gives the id of the array.
const ofNode = (node) => resultOf(node, data.rules[node.rule], Sources.tape?.value[node.n]);
function ofEdge(edge) {
  const { with_numbers, passed } = Sources.tape ?? { with_numbers: {}, passed: {} };
  const numbers = Object.values(Live.tape?.numbers[edge.target] ?? {}); // Python's, such as the 2 of x ** 2
  const slot = numbers.some((one) => Live.changedSlots.has(one)) ? undefined : with_numbers[edge.id];
  return resultOf(Graph.nodes.get(edge.target), edge.rule, slot ?? passed[edge.id]?.fitted);
}

// The result in a slot, with the names that the rule reads: g is the gradient of the node, y its value.
function resultOf(node, rule, slot) {
  if (slot === undefined || !rule) return null;
  const names = new Map();
  const nameSlot = (part, n, name, id) => {
    const of = Sources.tape[part][n];
    if (of !== undefined && !names.has(of)) names.set(of, { name, id });
  };
  nameSlot("gradient", node.n, "g", () => node.gradient);
  for (const { role, name } of rule.reads) {
    const read = role === "y" ? node : sourceAt(role, node);
    nameSlot("value", read.n, name, () => read.value);
  }
  return { slot, names };
}

// The node that is an argument of another.
function sourceAt(role, node) {
  const [position, item] = Array.isArray(role) ? role : [role, null];
  return Graph.nodes.get(
    Graph.into.get(node.n).find((one) => one.position === position && one.item === item).source,
  );
}

const gates = new Set((Sources.tape?.switches ?? []).flatMap(({ places }) => places.map(({ gate }) => gate)));

// The operand that a call of `where` lets through, if it is the gate of a switch; else null.
const letThrough = (name, operands) =>
  name === "where" && gates.has(operands[0].slot) ? operands[Sources.numberOf(operands[0]) ? 1 : 2] : null;

// --- the way from an element back to `names`: slot -> its name, and the id of its array ---------------

// The name of the call that makes an element; undefined where the way ends.
const callOf = (names, { slot }) => (names.has(slot) ? undefined : Sources.calls.get(slot)?.name);

// An element as the terms that it is made of: `{names, numbers}`, a text with the names of arrays, and
// one with numbers.
function textOf(names, element) {
  const name = callOf(names, element);
  if (name === undefined) return endOf(names, element);
  if (Sources.MOVES.includes(name)) {
    const source = Sources.moved(element);
    return source ? textOf(names, source) : constant(0, "f");
  }
  if (Sources.SUMS[name]) return totalOf(names, name, element);
  if (!Functions.UFUNCS[name] && !Functions.LOOPS[name]) throw new Sources.Unclear();
  const operands = Sources.operands(element);
  const through = letThrough(name, operands);
  if (through) return textOf(names, through);
  const texts = operands.map((operand) => textOf(names, operand));
  return name === "where" ? where(Sources.numberOf(operands[0]), ...texts) : each(name, texts);
}

// Where the way ends: an element of an array that has a name, or a number.
function endOf(names, { slot, at }) {
  const known = names.get(slot);
  if (known)
    return {
      names: [indexed(known.name, at), TIGHT],
      numbers: [numberAt(Shown.array(known.id()), at).text, TIGHT],
    };
  const number = Sources.numberOf({ slot, at });
  if (number === null || Sources.tape.fixed[slot] !== undefined) throw new Sources.Unclear();
  return constant(number, Sources.kindOf(slot).dtype[0]);
}

// A sum, or another call of `Sources.SUMS`: its first terms, and dots for the rest.
function totalOf(names, name, element) {
  const sign = FOLDS[name] ?? "+";
  const count = countOf(names, sign, element);
  const terms = Array.from({ length: count <= MOST_TERMS + 1 ? count : MOST_TERMS }, (_, k) => {
    const factors = termOf(names, sign, element, k).map((factor) => textOf(names, factor));
    return factors.length > 1 ? each("multiply", factors) : factors[0];
  });
  const total = joined(sign, terms, count);
  return name === "mean" ? each("divide", [total, constant(Sources.terms(element).count, "i")]) : total;
}

// A sum of sums is one sum: how many terms it has.
function countOf(names, sign, element) {
  const { count, term } = Sources.terms(element);
  const inner = count ? sameSum(names, sign, term(0)) : null;
  return inner ? count * countOf(names, sign, inner) : count;
}

// The k-th term of such a sum: its factors.
function termOf(names, sign, element, k) {
  const { term } = Sources.terms(element);
  const inner = sameSum(names, sign, term(0));
  if (!inner) return term(k);
  const inside = countOf(names, sign, inner);
  return termOf(names, sign, sameSum(names, sign, term(Math.floor(k / inside))), k % inside);
}

// The inner sum that a term of a sum is, even if it was moved since; null, if it is no sum of this sign.
function sameSum(names, sign, term) {
  let element = term.length === 1 ? term[0] : null;
  while (element && ["same", "view"].includes(callOf(names, element))) element = Sources.moved(element);
  return element && FOLDS[callOf(names, element)] === sign ? element : null;
}

// --- texts of elements joined to one ------------------------------------------------------------------

// A number of no array, such as the 2 of x ** 2; `kind` is the letter of its dtype.
function constant(number, kind) {
  const whole = kind === "f" && Number.isInteger(number) && Math.abs(number) < WHOLE;
  const text = [Arrays.written(number, 4, whole || kind === "u" ? "i" : kind), TIGHT];
  return { names: text, numbers: text };
}

// The text of a function of elements with these texts. A function that counts has booleans as 0 and 1.
function each(name, operands) {
  const asNumber = ([text, binds]) => [data.signs[name]?.counts ? (BITS[text] ?? text) : text, binds];
  const names = operands.map((one) => one.names);
  const numbers = operands.map((one) => asNumber(one.numbers));
  return { names: called(name, names), numbers: called(name, numbers) };
}

// A call as text: "a + b" where the function has a sign (see `data.signs`), else "f(a, b)".
function called(name, texts) {
  const sign = data.signs[name];
  if (!sign) return [`${name}(${texts.map(([text]) => text).join(", ")})`, TIGHT];
  const left = sign.left === null ? "" : bracketed(texts[0], sign.left, name === "power");
  return [left + sign.shown + bracketed(texts.at(-1), sign.right, true), sign.binds];
}

// The text of one of two; `chosen` is null where it is not known which.
function where(chosen, condition, a, b) {
  const both = (part) => [`${bracketed(a[part], 1)} if ${condition[part][0]} else ${b[part][0]}`, 0];
  return { names: both("names"), numbers: chosen === null ? both("numbers") : (chosen ? a : b).numbers };
}

// `some` terms of `count`: "a + b + …", or of another sign "max(a, b, …)".
function joined(sign, some, count) {
  if (!some.length) return constant(0, "i");
  if (some.length === 1 && sign === "+") return some[0];
  const more = some.length < count ? ["…"] : [];
  const list = (part) => {
    const texts = some.map((one) => one[part]);
    if (sign !== "+") return [`${sign}(${[...texts.map(([text]) => text), ...more].join(", ")})`, TIGHT];
    return [[...texts.map((text, i) => bracketed(text, SUM, i > 0)), ...more].join(" + "), SUM];
  };
  const names = list("names");
  if (sign === "+" && more.length) names[0] += ` (${count} terms)`;
  return { names, numbers: list("numbers") };
}

// An element of a result (see `ofNode`), with its numbers, or with its names alone (`hidden`); before it, if
// it has one, the name that it is given (`target`). As text, or null where it would be no help.
function workedOut(origin, index, target, result, { equals = "=", hidden = false } = {}) {
  if (origin === null || result === null) return null;
  const found = ifClear(() => textOf(origin.names, { slot: origin.slot, at: index }), null);
  if (found === null) return null;
  const numbers = found.numbers[0].includes("?") ? "…" : found.numbers[0];
  const sides = [found.names[0], ...(hidden ? [] : [numbers, result])];
  if (sides.some((side) => side.length > LONG)) return null;
  const left = target === null ? "" : `${indexed(target, index)} ${equals} `;
  return left + [...new Set(sides)].join(" = ");
}

const MOST_ENDS = 1024;
// The elements of named arrays that an element of a result (see `ofNode`) is made of: slot -> their indices.
// None, if there are more than `MOST_ENDS`.
function madeOf(origin, index) {
  const found = new Map();
  let steps = 0;
  const walk = (element) => {
    if (++steps > 4 * MOST_ENDS) throw new Sources.Unclear();
    const { slot, at } = element;
    if (origin.names.has(slot)) return found.set(slot, [...(found.get(slot) ?? []), at]);
    const name = callOf(origin.names, element);
    if (name === undefined) return null; // a constant
    if (Sources.MOVES.includes(name)) {
      const source = Sources.moved(element);
      return source && walk(source);
    }
    if (Sources.SUMS[name]) {
      const { count, term } = Sources.terms(element);
      if (count > MOST_ENDS) throw new Sources.Unclear();
      for (let k = 0; k < count; k++) term(k).forEach(walk);
      return null;
    }
    const operands = Sources.operands(element);
    const through = letThrough(name, operands);
    return through ? walk(through) : operands.forEach(walk);
  };
  const walked = () => {
    if (origin) walk({ slot: origin.slot, at: index });
    return found;
  };
  return ifClear(walked, new Map());
}

// The number of an array at an index, and how it is written: "?" where the page has not kept it.
function numberAt(a, index) {
  const place = a ? Sources.placeAt(a, index) : null;
  if (place === null) return { value: null, text: "?" };
  const value = a.numbers[place];
  return { value, text: Arrays.written(value, a.digits, a.kind) };
}

export { madeOf, numberAt, ofEdge, ofNode, sourceAt, workedOut };
