// --- ways out of the page: a link, a line of HTML to embed it, and pictures ---------------------------

import { filled, WORDS } from "./words.js";
import { byId, fill, make, say, soft, SVG } from "./dom.js";
import { data, state } from "./state.js";
import * as Graph from "./graph.js";
import * as Drawing from "./drawing.js";
import * as Camera from "./camera.js";
import * as Link from "./link.js";

const MARGIN = 12;

// The rules of the page's style, and its colours as they are now, so that a picture needs neither.
function styleOf(root, isUsed) {
  const now = getComputedStyle(document.documentElement);
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const styleRules = rules.filter((rule) => rule.selectorText);
  const used = styleRules.filter((rule) => rule.selectorText !== ":root" && isUsed(rule.selectorText));
  const texts = used.map((rule) => rule.cssText).join("\n");
  const variables = new Set(styleRules.flatMap((rule) => rule.cssText.match(/--[\w-]+/g) ?? []));
  const colours = [...variables].map((name) => `${name}:${now.getPropertyValue(name)}`).join(";");
  return `${root}{${colours};color:${now.getPropertyValue("--ink")}}\n${texts}\n*{animation:none!important}`;
}

// An image of its own, as a text that a file can have: `{svg, width, height}`.
function wrapped(width, height, style, ...content) {
  const svg = make("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
  svg.append(Object.assign(document.createElementNS(SVG, "style"), { textContent: style }), ...content);
  return { svg: new XMLSerializer().serializeToString(svg), width, height };
}

// The drawing that is open, whole, whatever of it is seen in the window.
function ofDrawing() {
  const [width, height] = Graph.views.get(state.view).size.map((n) => n + 2 * MARGIN);
  const ground = make("rect", { width, height, style: "fill: var(--ground)" });
  const group = make("g", { transform: `translate(${MARGIN} ${MARGIN})` });
  group.append(Drawing.draw(state.view).group.cloneNode(true));
  const defs = Camera.sheet.querySelector("defs").cloneNode(true);
  const drawn = /^\.(card|arrow|frame)\b/;
  return wrapped(
    width,
    height,
    styleOf("svg", (rule) => drawn.test(rule)),
    defs,
    ground,
    group,
  );
}

// A part of the page, whose canvases become pictures.
function ofElement(element) {
  const box = element.getBoundingClientRect();
  const width = Math.ceil(Math.max(box.width, element.scrollWidth)) + 2 * MARGIN;
  const height = Math.ceil(Math.max(box.height, element.scrollHeight)) + 2 * MARGIN;
  const inside = make(
    "div",
    { id: element.parentElement.id, style: "display:block;border:0;font:14px/1.45 var(--sans)" },
    stillCopy(element),
  );
  const body = make("div", { xmlns: "http://www.w3.org/1999/xhtml", class: "picture" }, inside);
  const frame = document.createElementNS(SVG, "foreignObject");
  frame.setAttribute("width", width);
  frame.setAttribute("height", height);
  frame.append(body);
  return wrapped(
    width,
    height,
    styleOf(".picture", () => true),
    frame,
  );
}

// A copy of an element that only shows: canvases are images, and what asks something of the reader is left
// out.
function stillCopy(element) {
  const copy = element.cloneNode(true);
  const canvases = [...element.querySelectorAll("canvas")];
  copy.querySelectorAll("canvas").forEach((canvas, i) => {
    const { width, height } = canvases[i].getBoundingClientRect();
    const style = `width:${width}px;height:${height}px;display:block`;
    canvas.replaceWith(make("img", { src: canvases[i].toDataURL(), style }));
  });
  for (const other of copy.querySelectorAll("button, input, form"))
    if (other.closest(".chapter, .guess, .editing")) other.remove();
  copy.style.cssText = `overflow:visible;height:auto;padding:${MARGIN}px;contain:none;background:var(--paper)`;
  return copy;
}

// What there is to copy now: its name, and how its picture is made.
function pictures() {
  const found = [];
  if (Graph.hasDrawings)
    found.push([filled(WORDS.drawingOf, Graph.views.get(state.view)), "drawing", ofDrawing]);
  if (!byId("attention").hidden)
    data.maps.forEach((_, i) => {
      const title = byId(`map-${i}`);
      if (title)
        found.push([
          title.textContent.trim(),
          `attention-${i + 1}`,
          () => ofElement(title.nextElementSibling),
        ]);
    });
  for (const element of document.querySelectorAll("[data-picture]"))
    if (element.checkVisibility())
      found.push([element.dataset.picture, element.id, () => ofElement(element)]);
  if (state.panelTab === "step" && state.time)
    found.push([
      filled(WORDS.stepNumber, { step: state.time }),
      `step-${state.time}`,
      () => ofElement(byId("step")),
    ]);
  return found;
}

const address = ({ svg }) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

// A picture as a canvas, whose dots are `scale` to a pixel of the page.
async function dotted(picture, scale = 2) {
  const image = new Image();
  image.src = address(picture);
  await image.decode();
  const canvas = make("canvas", { width: picture.width * scale, height: picture.height * scale });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function save(name, href) {
  make("a", { href, download: name }).click();
  say(filled(WORDS.saved, { name }));
}

// Copy by `act`, and say whether it worked: a browser may forbid it.
async function copyBy(act, what) {
  const output = byId("share-said");
  try {
    await act();
    output.textContent = filled(WORDS.copied, { what });
  } catch {
    output.textContent = filled(WORDS.notCopied, { what });
  }
  say(output.textContent);
}

const copyPicture = (picture) =>
  navigator.clipboard.write([
    new ClipboardItem({
      "image/png": dotted(picture).then((canvas) => new Promise((done) => canvas.toBlob(done))),
    }),
  ]);

// A text to copy, in a field where it can be chosen by hand too.
function textRow(label, text) {
  const field = make("input", {
    type: "text",
    readonly: true,
    value: text,
    "aria-label": label,
    onfocus: () => field.select(),
  });
  return make(
    "p",
    { class: "share-row" },
    make("b", {}, label),
    field,
    make("button", { onclick: () => copyBy(() => navigator.clipboard.writeText(text), label) }, "Copy"),
  );
}

const isHosted = ({ protocol, hostname }) =>
  protocol.startsWith("http") && !/^(127\.|localhost$|\[::1\])/.test(hostname);

// The line of HTML that shows this page in another page, by its address, if that can be reached.
function embedding(place, hash) {
  const file = decodeURIComponent(place.pathname.split("/").pop() || "page.html");
  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const source = (isHosted(place) ? place.href.split("#")[0] : file) + (hash ? `#${hash}` : "");
  return `<iframe src="${escaped(source)}" title="${escaped(data.title)}" style="width:100%;height:40rem;border:1px solid #bbb" loading="lazy"></iframe>`;
}

// One picture to copy or to save; `picture` makes it when it is asked for.
function pictureRow([title, name, picture]) {
  return make(
    "p",
    { class: "share-row" },
    make("span", {}, title),
    make("button", { onclick: () => save(`${name}.svg`, address(picture())) }, "SVG"),
    make(
      "button",
      { onclick: async () => save(`${name}.png`, (await dotted(picture())).toDataURL()) },
      "PNG",
    ),
    make("button", { onclick: () => copyBy(() => copyPicture(picture()), title) }, "Copy"),
  );
}

// Open the dialog, with a link and pictures of the state of now.
function open() {
  const { hash, leftOut } = Link.written();
  const link = location.href.split("#")[0] + (hash ? `#${hash}` : "");
  fill(
    byId("share"),
    make("h2", {}, "Share what is shown"),
    textRow("Link", link),
    leftOut ? soft(filled(WORDS.leftOut, { count: leftOut })) : null,
    textRow("To embed it", embedding(location, hash)),
    isHosted(location) ? null : soft(WORDS.notHosted),
    make("h3", {}, "Pictures"),
    pictures().map(pictureRow),
    make("p", { id: "share-said", class: "soft", role: "status" }),
    make("form", { method: "dialog" }, make("button", {}, "Close")),
  );
  byId("share").showModal();
}

// Called once, at the start. A page in a frame of another one leaves its bars out.
function listen() {
  byId("share-open").onclick = open;
  if (window.self !== window.top) document.body.classList.add("embedded");
}

export { dotted, embedding, listen, pictures };
