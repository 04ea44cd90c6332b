// --- shapes: how many elements an array has, and at which place each of them is -----------------------

// How many elements an array of that shape has.
const size = (shape) => shape.reduce((a, b) => a * b, 1);

// The index of the element at a place.
function unravel(place, shape) {
  const index = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index.unshift(place % shape[axis]);
    place = Math.floor(place / shape[axis]);
  }
  return index;
}

// The place of the element at an index.
function ravel(index, shape) {
  return index.reduce((place, k, axis) => place * shape[axis] + k, 0);
}

export { ravel, size, unravel };
