// Put at the end of a page, whose functions it calls: the line of each node, and of each edge.
const line = (rule, node, id) => {
  const a = array(id), index = a.full.map(() => 0);
  return workedOut(rule, node, index, "y", numberAt(a, index).text) || "";
};
const ran = data.nodes.filter((node) => node.rule !== undefined);
const back = edges.filter((edge) => edge.differentiable);
window.told = Object.fromEntries([
  ...ran.map((node) => [`n${node.n}`, line(data.rules[node.rule], node, node.value)]),
  ...back.map((e) => [`e${e.id}`, line(e.rule, nodes.get(e.target), e.contribution)]),
]);
