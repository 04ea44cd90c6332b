// Put at the end of a page, whose functions it calls: the line of each node, and of each edge; once a number
// is another, [node, place, number], and a part of the model is off.
const line = (of, id) => {
  const a = Shown.array(id),
    index = a.full.map(() => 0);
  return Elements.workedOut(of, index, "y", Elements.numberAt(a, index).text) || "";
};
const ran = State.data.nodes.filter((node) => node.rule !== undefined);
const back = Graph.edges.filter((edge) => edge.differentiable);
window.told = (change, off) => {
  if (change) Fields.setNumber(Fields.slotOf(change[0]), change[1], change[2], "a number");
  const gates = (Live.tape?.switches ?? [])
    .filter(({ name }) => name === off)
    .flatMap(({ places }) => places);
  if (off) Changes.change(off, new Map(gates.map(({ gate }) => [gate, [0]])));
  return Object.fromEntries([
    ...ran.map((node) => [`n${node.n}`, line(Elements.ofNode(node), node.value)]),
    ...back.map((e) => [`e${e.id}`, line(Elements.ofEdge(e), e.passed.fitted)]),
  ]);
};
