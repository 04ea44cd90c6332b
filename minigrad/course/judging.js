// The kind of an answer, as `judging.py` tells it: the same functions, by the same names, in the same order.
//
// Answers are judged where no browser is, in a terminal or a notebook, and where no Python is, in a page: so
// in two languages. The sentences, patterns and constants are Python's; one table of answers, in
// test_questions.py, tests both.

const OF_PYTHON = "OF_PYTHON"; // its constants, filled in by forms.py
const { SAYS, FACTORS, BRACKETS, POWERS_AND_PRODUCTS, SUM, RAISED, ORDINALS, SLACK } = OF_PYTHON;
const NUMBER = new RegExp(OF_PYTHON.NUMBER, "gi");
const UNDO = { sign: (n) => -n, reciprocal: (n) => 1 / n, double: (n) => n / 2, half: (n) => n * 2 };
const OPERATIONS = {
  "^": (a, b) => a ** b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
};
const CALL = new RegExp(OF_PYTHON.CALL, "gi");
const CALLS = { log: Math.log, ln: Math.log, exp: Math.exp, sqrt: Math.sqrt, "√": Math.sqrt };
const DASHES = new RegExp(`[${OF_PYTHON.DASHES}]`, "g");
const SPACES = new RegExp(`[${OF_PYTHON.SPACES}]+`, "g");

function verdictOn(facts, text) {
  return facts.choices.length ? ofChoices(facts, text) : ofNumbers(facts, text);
}

function choiceNamed(choices, text) {
  const typed = letters(text);
  const ways = [
    [choices.map(letters), typed],
    [choices.map((choice) => JSON.stringify(numbers(choice))), JSON.stringify(numbers(text) || [])],
    [choices.map((_, i) => String.fromCharCode(97 + i)), typed],
    [choices.map((_, i) => String(i + 1)), typed],
  ];
  const found = ways.find(([names, name]) => names.includes(name));
  return found ? found[0].indexOf(found[1]) : -1;
}

const letters = (text) =>
  text
    .toLowerCase()
    .replace(SPACES, "")
    .replace(/[`$'"]/g, "")
    .replace(/^[[\]().]+|[[\]().]+$/g, "");

function ofChoices(facts, text) {
  const place = choiceNamed(facts.choices, text);
  if (place < 0) return verdict("choice");
  if (place === facts.answer) return verdict("right");
  const known = facts.mistakes.find(([typed]) => choiceNamed(facts.choices, typed) === place);
  return known ? { kind: "mistake", says: known[1] } : wrong(facts);
}

function ofNumbers(facts, text) {
  const { answer, digits } = facts;
  const [given, asPercent] = readings(text, answer.length);
  if (given === null) return verdict("number");
  if (same(given, answer, digits) || same(asPercent, answer, digits)) return verdict("right");
  const single = answer.length === 1;
  const known = facts.mistakes.find(([typed]) => same(given, numbers(typed, single) || [], digits));
  if (known) return { kind: "mistake", says: known[1] };
  if (given.length !== answer.length) return ofAnotherLength(facts, given);
  return ofSizes(facts, given) || ofPlaces(facts, given) || wrong(facts);
}

function readings(text, count) {
  const single = count === 1;
  let given = numbers(text, single);
  if (given !== null && given.length > count && text.includes(";")) {
    text = text.replace(/(?<=\d),(?=\d)/g, "."); // 0,5; 1,5
    given = numbers(text);
  }
  return [given, numbers(text.replaceAll("%", " "), single) || []];
}

function ofAnotherLength({ answer, digits, shape }, given) {
  const oneLess = answer.map((_, i) => answer.filter((_other, j) => j !== i));
  if (shape && oneLess.some((axes) => same(given, axes, digits))) return verdict("missing");
  return verdict("count", { expected: answer.length, given: given.length });
}

function ofSizes({ answer, digits }, given) {
  const each = (change) => same(given.map(change), answer, digits);
  if (given.every((g, i) => rounded(g, answer[i], digits)))
    return verdict("rounded", { digits: Math.max(...answer.map((a) => digitsOf(a, digits))) });
  if (given.every((g, i) => fits(g, answer[i], digits) || near(g, answer[i], digits))) return verdict("near");
  for (const [kind, undo] of Object.entries(UNDO)) if (each(undo)) return verdict(kind);
  for (const [name, factor] of answer.some(Boolean) ? Object.entries(FACTORS) : [])
    if (each((g) => g / factor) || each((g) => g * factor)) return verdict("ten", { factor: name });
  return null;
}

function ofPlaces({ answer, digits, shape, rows, before, counted }, given) {
  const alike = (some, others) => same(some, others, digits);
  const sorted = (some) => [...some].sort((a, b) => a - b);
  const columns = answer.length / rows;
  const turned = answer.map((_, i) => answer[(i % rows) * columns + Math.floor(i / rows)]);
  const kinds = {
    reversed: shape && alike([...given].reverse(), answer),
    transpose: rows && alike(given, turned),
    order: alike(sorted(given), sorted(answer)),
    before: alike(given, before),
    one: counted && Math.abs(given[0] - answer[0]) === 1,
  };
  for (const [kind, fit] of Object.entries(kinds)) if (fit) return verdict(kind);
  const off = given.flatMap((g, i) => (fits(g, answer[i], digits) ? [] : [ORDINALS[i] ?? `${i + 1}th`]));
  if (off.length === answer.length) return null;
  const last = off.pop();
  const places = off.length ? `${off.join(", ")} and ${last}` : last;
  return verdict("some", { places, count: answer.length, verb: off.length ? "are" : "is" });
}

const wrong = ({ case: first }) => verdict("wrong", { case: first || "the question once more." });
const verdict = (kind, values = {}) => ({
  kind,
  says: SAYS[kind].replace(/\{(\w+)\}/g, (_, name) => values[name]),
});

// The numbers in a text, null if there is anything else; `single`: one is expected.
function numbers(text, single) {
  text = text.replace(SPACES, " ").trim().replace(DASHES, "-").replace("\u2044", "/");
  text = text.replace(/(^|[,;[(]) ?- (?=[\d.])/g, "$1-").replace(/[. ]+$/, "");
  text = text.replace(CALL, called).replace(/(?<=\d)_(?=\d)/g, "");
  text = text.replace(/(?<=\d) ?[x×] ?(?=\d)/g, single ? "*" : ", ");
  if (single && /^[-+]?[1-9]\d{0,2}([, ])\d{3}(\1\d{3})*(\.\d+)?$/.test(text))
    text = text.replace(/[, ]/g, "");
  else if (single) text = text.replace(/^([-+]?\d+),(\d+)(?=(e[-+]?\d+)?\s*%?$)/, "$1.$2");
  text = computed(text, single).replace(/[[\](){}]/g, " ");
  const found = [...text.matchAll(NUMBER)];
  if (!found.length || /[^\s,;]/.test(text.replace(NUMBER, " "))) return null;
  return found.map(([, n, percent]) => Number(n) / (percent ? 100 : 1));
}

function computed(text, single) {
  const raised = (found) => `^${[...found].map((sign) => "-0123456789"[RAISED.indexOf(sign)]).join("")}`;
  text = text
    .replace(new RegExp(`[${RAISED}]+`, "g"), raised)
    .replace(/[·⋅]/g, "*")
    .replaceAll("**", "^");
  text = text.replace(new RegExp(BRACKETS, "gi"), "$1");
  for (const step of [...POWERS_AND_PRODUCTS, ...(single ? [SUM] : [])])
    for (let before = ""; text !== before; ) {
      before = text;
      text = text.replace(new RegExp(step, "i"), applied);
    }
  return text;
}

function applied(found, first, sign, second) {
  const number = OPERATIONS[sign](Number(first), Number(second));
  return Number.isFinite(number) ? String(number) : found;
}

function called(call, sign, name, above, below, ofRoot, ofWord) {
  const number = CALLS[name.toLowerCase()](Number(above || ofRoot || ofWord) / Number(below || 1));
  if (!Number.isFinite(number)) return call;
  return String(sign === "-" ? -number : number);
}

const whole = (number) => number === Math.floor(number);
const unit = (number, digits) => 10 ** (Number(number.toExponential(6).split("e")[1]) + 1 - digits);
const near = (typed, number, digits) =>
  !(digits === null && whole(number)) && Math.abs(typed - number) <= 0.02 * Math.abs(number);
const digitsOf = (number, digits) => digits || (whole(number) ? String(Math.abs(number)).length : 3);

const same = (some, others, digits) =>
  some.length === others.length && some.every((s, i) => fits(s, others[i], digits));
const fits = (typed, number, digits) => Math.abs(typed - number) <= tolerance(number, digits);

function tolerance(number, digits) {
  if (number === 0 || (digits === null && whole(number))) return Math.max(1e-6, 1e-9 * Math.abs(number));
  return SLACK * unit(number, digits || 3);
}

function rounded(typed, number, digits) {
  if (fits(typed, number, digits)) return true;
  const fewest = digits === null && whole(number) ? 2 : 1;
  for (let fewer = fewest; number !== 0 && fewer < digitsOf(number, digits); fewer++) {
    const step = unit(number, fewer);
    if (Math.abs(typed - number) <= SLACK * step && whole(Math.round((typed / step) * 1e6) / 1e6))
      return true;
  }
  return false;
}

export { verdictOn };
