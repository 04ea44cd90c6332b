// --- a map that finds each value once -----------------------------------------------------------------

// The value of a map for a key; `find` gives it the first time.
function once(map, key, find) {
  if (!map.has(key)) map.set(key, find());
  return map.get(key);
}

export { once };
