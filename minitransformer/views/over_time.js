// The part of the page of a reading that plays the snapshots of a run: it stands by itself.

(() => {
  const box = document.getElementById("over-time");
  const told = JSON.parse(document.getElementById("over-time-data").textContent);
  const part = (name) => box.querySelector(`.${name}`);
  const bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const unpacked = told.taken.map((one) => ({
    ...one,
    p: bytes(one.p),
    weights: one.weights.map(bytes),
  }));
  const N = told.names.length;
  const most = Math.max(...unpacked.flatMap((one) => one.norms));
  const POWERS = 4; // of ten, that bars of gradients go down from the largest
  const shown = (symbol) => ({ " ": "␣", "<eos>": "end", "<bos>": "start" })[symbol] ?? symbol;
  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, v] of Object.entries(attributes)) element.setAttribute(name, v);
    element.append(...children);
    return element;
  };

  // Of each place the likeliest symbol, and whether it is right.
  function chosen(one) {
    return told.written.map((wanted, t) => {
      const row = one.p.subarray(t * N, (t + 1) * N);
      const best = row.indexOf(Math.max(...row));
      return { symbol: told.names[best], share: row[best] / 255, right: told.names[best] === wanted };
    });
  }

  function output(one) {
    part("output").replaceChildren(
      ...chosen(one).map(({ symbol, share, right }) =>
        make(
          "span",
          { class: right ? "right" : "wrong", title: `${(100 * share).toFixed(0)}%` },
          make("b", {}, shown(symbol)),
          make("i", { style: `height:${(100 * share).toFixed(0)}%` }),
        ),
      ),
    );
  }

  function maps(one) {
    const at = Number(part("which").value);
    const { rows, columns, heads } = told.attentions[at];
    const side = rows.length * columns.length;
    part("maps").replaceChildren(
      ...Array.from({ length: heads }, (_, h) => {
        const body = rows.map((row, r) =>
          make(
            "tr",
            {},
            make("th", { scope: "row" }, shown(row)),
            ...columns.map((column, c) => {
              const share = one.weights[at][h * side + r * columns.length + c] / 255;
              const says = `${shown(row)} looks at ${shown(column)}: ${(100 * share).toFixed(0)}%`;
              return make("td", { style: `--share:${(100 * share).toFixed(0)}%`, title: says });
            }),
          ),
        );
        const top = make("tr", {}, make("td", {}), ...columns.map((column) => make("th", {}, shown(column))));
        return make(
          "table",
          { class: "over-time-map", "aria-label": `Head ${h + 1}` },
          make("caption", {}, `Head ${h + 1}`),
          make("thead", {}, top),
          make("tbody", {}, ...body),
        );
      }),
    );
  }

  function norms(one) {
    part("norms").replaceChildren(
      ...[...told.modules].reverse().map((module) => {
        const norm = one.norms[told.modules.indexOf(module)];
        const share = norm ? Math.max(0, 1 + Math.log10(norm / most) / POWERS) : 0;
        return make(
          "li",
          {},
          make("code", {}, module),
          make("span", { class: "track" }, make("span", { style: `width:${(100 * share).toFixed(1)}%` })),
          make("span", { class: "size" }, norm.toPrecision(2)),
        );
      }),
    );
  }

  function show(i) {
    const one = unpacked[i];
    const right = chosen(one).filter((place) => place.right).length;
    part("time").value = i;
    part("said").textContent =
      `After ${one.step} steps: a loss of ${one.loss}, ${right} of ${told.written.length} symbols right.`;
    part("time").setAttribute("aria-valuetext", part("said").textContent);
    output(one);
    maps(one);
    norms(one);
  }

  let timer = null;
  function stop() {
    clearInterval(timer);
    timer = null;
    part("play").textContent = "Play";
  }
  part("play").onclick = () => {
    if (timer) return stop();
    if (Number(part("time").value) === unpacked.length - 1) show(0);
    part("play").textContent = "Pause";
    timer = setInterval(() => {
      const next = Number(part("time").value) + 1;
      if (next < unpacked.length) show(next);
      else stop();
    }, 700);
  };
  part("time").oninput = () => {
    stop();
    show(Number(part("time").value));
  };
  part("time").max = unpacked.length - 1;
  part("which").append(
    ...told.attentions.map((one, i) => make("option", { value: i }, `${one.name}, layer ${one.layer}`)),
  );
  const last = told.attentions.findIndex((one) => one.kind === "cross");
  part("which").value = Math.max(0, last);
  part("which").onchange = () => show(Number(part("time").value));
  show(unpacked.length - 1);
})();
