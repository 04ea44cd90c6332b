// --- the functions of a tape: of each number by itself, and of many -----------------------------------

const rint = (x) => (Math.abs(x - Math.trunc(x)) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));
const remainder = (a, b) => {
  const m = a % b;
  return m !== 0 && m < 0 !== b < 0 ? m + b : m;
};
const truth = (x) => x !== 0; // NaN is true, as in Python
const negative = (x) => x < 0 || Object.is(x, -0);
const logaddexp = (exp, log) => (a, b) =>
  a === b ? a + log(1) : Math.max(a, b) + log(exp(-Math.abs(a - b)));

// As NumPy has it: of what the remainder leaves, which rounding can leave below a whole number.
function floorDivide(a, b) {
  const quotient = (a - remainder(a, b)) / b;
  if (!Number.isFinite(quotient)) return b === 0 ? a / b : quotient;
  return quotient - Math.floor(quotient) > 0.5 ? Math.floor(quotient) + 1 : Math.floor(quotient);
}

// The error function: a sum of terms of one sign; beyond 3, a continued fraction for the rest to 1.
function erf(x) {
  const size = Math.abs(x);
  if (!(size < 6)) return Number.isNaN(x) ? x : Math.sign(x);
  if (size < 3) {
    let term = x,
      total = x;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(total); n++) total += term *= (2 * x * x) / (2 * n + 1);
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * total;
  }
  let fraction = size;
  for (let n = 60; n > 0; n--) fraction = size + n / 2 / fraction;
  return Math.sign(x) * (1 - Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction));
}

const UFUNCS = {
  negative: (x) => -x,
  square: (x) => x * x,
  sqrt: Math.sqrt,
  reciprocal: (x) => 1 / x,
  log: Math.log,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  tanh: Math.tanh,
  absolute: Math.abs,
  fabs: Math.abs,
  sign: Math.sign,
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  rint,
  cbrt: Math.cbrt,
  expm1: Math.expm1,
  log1p: Math.log1p,
  arcsin: Math.asin,
  arccos: Math.acos,
  arctan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  arcsinh: Math.asinh,
  arccosh: Math.acosh,
  arctanh: Math.atanh,
  exp2: (x) => 2 ** x,
  log2: Math.log2,
  log10: Math.log10,
  erf,
  deg2rad: (x) => (x * Math.PI) / 180,
  radians: (x) => (x * Math.PI) / 180,
  rad2deg: (x) => (x * 180) / Math.PI,
  degrees: (x) => (x * 180) / Math.PI,
  power: (a, b) => (b === 2 ? a * a : a === 1 ? 1 : a ** b),
  float_power: (a, b) => (a === 1 ? 1 : a ** b),
  minimum: Math.min,
  floor_divide: floorDivide,
  remainder,
  fmod: (a, b) => a % b,
  arctan2: Math.atan2,
  hypot: Math.hypot,
  copysign: (a, b) => (negative(b) ? -Math.abs(a) : Math.abs(a)),
  logaddexp: logaddexp(Math.exp, Math.log1p),
  logaddexp2: logaddexp(
    (x) => 2 ** x,
    (x) => Math.log1p(x) / Math.LN2,
  ),
  isnan: (x) => Number.isNaN(x),
  isinf: (x) => Math.abs(x) === Infinity,
  isfinite: (x) => Number.isFinite(x),
  isposinf: (x) => x === Infinity,
  isneginf: (x) => x === -Infinity,
  signbit: negative,
  equal: (a, b) => a === b,
  not_equal: (a, b) => a !== b,
  less: (a, b) => a < b,
  less_equal: (a, b) => a <= b,
  greater: (a, b) => a > b,
  greater_equal: (a, b) => a >= b,
  logical_not: (x) => x === 0,
  logical_and: (a, b) => truth(a) && truth(b),
  logical_or: (a, b) => truth(a) || truth(b),
  logical_xor: (a, b) => truth(a) !== truth(b),
  bitwise_and: (a, b) => Number(BigInt(a) & BigInt(b)),
  bitwise_or: (a, b) => Number(BigInt(a) | BigInt(b)),
  bitwise_xor: (a, b) => Number(BigInt(a) ^ BigInt(b)),
  invert: (x) => -x - 1,
};

// What models compute most, each with its loop, which reads element p[i] of a, q[i] of b and r[i] of c. A
// browser keeps the numbers of such a loop in registers; a function that is called for each gets and returns
// objects.
const LOOPS = {
  same: (o, a, p) => {
    for (let i = 0; i < o.length; i++) o[i] = a[p[i]];
  },
  exp: (o, a, p) => {
    for (let i = 0; i < o.length; i++) o[i] = Math.exp(a[p[i]]);
  },
  add: (o, a, p, b, q) => {
    for (let i = 0; i < o.length; i++) o[i] = a[p[i]] + b[q[i]];
  },
  subtract: (o, a, p, b, q) => {
    for (let i = 0; i < o.length; i++) o[i] = a[p[i]] - b[q[i]];
  },
  multiply: (o, a, p, b, q) => {
    for (let i = 0; i < o.length; i++) o[i] = a[p[i]] * b[q[i]];
  },
  divide: (o, a, p, b, q) => {
    for (let i = 0; i < o.length; i++) o[i] = a[p[i]] / b[q[i]];
  },
  maximum: (o, a, p, b, q) => {
    for (let i = 0; i < o.length; i++) o[i] = Math.max(a[p[i]], b[q[i]]);
  },
  where: (o, c, r, a, p, b, q) => {
    for (let i = 0; i < o.length; i++) o[i] = truth(c[r[i]]) ? a[p[i]] : b[q[i]];
  },
};
// The same for booleans, which are 0 and 1.
const OF_TRUTHS = {
  bitwise_and: (a, b) => a & b,
  bitwise_or: (a, b) => a | b,
  bitwise_xor: (a, b) => a ^ b,
  invert: (x) => 1 - x,
  add: (a, b) => a | b,
  multiply: (a, b) => a & b,
};
// The same functions for integers: a result has no fraction, and a number divided by 0 is 0.
const OF_INTEGERS = {
  floor_divide: (a, b) => (b === 0 ? 0 : floorDivide(a, b)),
  remainder: (a, b) => (b === 0 ? 0 : remainder(a, b)),
  fmod: (a, b) => (b === 0 ? 0 : a % b),
  reciprocal: (x) => (x === 0 ? 0 : Math.trunc(1 / x)),
};

// --- functions of many numbers: of the first of them, how many, and how far one is from the next ------

// A function that combines its result so far, at first `begin`, with one number after the other.
const fold = (begin, step) => (a, first, n, apart) => {
  let s = begin;
  for (let k = 0, i = first; k < n; k++, i += apart) s = step(s, a[i]);
  return s;
};
// Those of all models have their loops, as above.
function sum(a, first, n, apart) {
  let s = 0;
  for (let k = 0, i = first; k < n; k++, i += apart) s += a[i];
  return s;
}
function max(a, first, n, apart) {
  let s = -Infinity;
  for (let k = 0, i = first; k < n; k++, i += apart) s = Math.max(s, a[i]);
  return s;
}
const FOLDS = {
  sum,
  mean: (a, first, n, apart) => sum(a, first, n, apart) / n,
  prod: fold(1, (s, x) => s * x),
  max,
  min: fold(Infinity, Math.min),
  any: fold(0, (s, x) => (s || truth(x) ? 1 : 0)),
  all: fold(1, (s, x) => (s && truth(x) ? 1 : 0)),
  count_nonzero: fold(0, (s, x) => s + (truth(x) ? 1 : 0)),
};
// What they begin with, and a step.
const SCANS = { cumsum: [0, (s, x) => s + x], cumprod: [1, (s, x) => s * x] };
// Whether a number beats the best before it: the place is that of the first that beats all others; NaN does.
const PLACES = {
  argmax: (x, best) => x > best || (Number.isNaN(x) && !Number.isNaN(best)),
  argmin: (x, best) => x < best || (Number.isNaN(x) && !Number.isNaN(best)),
};

export { FOLDS, LOOPS, OF_INTEGERS, OF_TRUTHS, PLACES, SCANS, truth, UFUNCS };
