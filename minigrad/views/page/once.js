// --- what is found once, and remembered in a map ------------------------------------------------------

// What a map has for a key: `find` is asked for it the first time.
function once(map, key, find) {
  if (!map.has(key)) map.set(key, find());
  return map.get(key);
}

export { once };
