// --- an array by its id: the page brought it along, or has computed it --------------------------------

import { data } from "./state.js";
import * as Arrays from "./arrays.js";
import * as Graph from "./graph.js";
import * as Live from "./live.js";

// The array, as `unpack` of arrays.js gives it; null where it was not kept.
function array(id) {
  if ((id ?? null) === null) return null;
  if (typeof id === "string") return Live.ofSlot(id);
  const { p } = data.arrays[id];
  return p === undefined ? Arrays.ofId(id) : Live.computedFirst(p);
}

// The norm of an array, which need not be unpacked for it; 0 where it was not kept.
function norm(id) {
  if ((id ?? null) === null) return 0;
  if (typeof id === "string") return Live.normOf(id);
  const { p } = data.arrays[id];
  return p === undefined ? Arrays.normKept(id) : Live.normAtFirst(p);
}

// An array in a few letters, as `Arrays.brief` writes it.
const brief = (id, most) => Arrays.brief(array(id), most);

// What a node is now, and was at first.
function changedText(n) {
  return Live.isChanged(n)
    ? `\n${brief(Graph.nodes.get(n).value)}, was ${brief(Live.original.value.get(n))}`
    : "";
}

export { array, brief, changedText, norm };
