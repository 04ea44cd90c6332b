// Light or dark, progress, larger pictures, keys. Answers and progress stay in this browser.
"use strict";

const store = (() => {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => {} };
  }
})();
const root = document.documentElement;
root.dataset.theme = store.getItem("minigrad:theme") || "";

function otherTheme() {
  const dark =
    getComputedStyle(root).colorScheme === "dark" ||
    (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "light" : "dark";
  store.setItem("minigrad:theme", root.dataset.theme);
}

// A lesson counts as read once its end has been seen.
function watchTheEnd(number) {
  const end = document.querySelector("footer");
  new IntersectionObserver((seen, observer) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    store.setItem(`minigrad:read/${number}`, "1");
    observer.disconnect();
  }).observe(end);
  store.setItem("minigrad:last", number);
}

function showProgress(rows) {
  const last = store.getItem("minigrad:last");
  for (const row of rows) {
    row.classList.toggle("read", store.getItem(`minigrad:read/${row.dataset.lesson}`) === "1");
    const asked = row.dataset.questions.split(" ").filter(Boolean);
    const done = asked.filter((name) => (store.getItem(`minigrad:${name}`) || "").includes('"done":true'));
    if (done.length) row.querySelector(".facts").append(` · ${done.length} of ${asked.length} questions`);
    if (row.dataset.lesson !== last) continue;
    const link = row.querySelector(".title").cloneNode(true);
    link.textContent = `Go on with ${last} ${link.textContent}`;
    document.getElementById("resume").replaceChildren(link);
  }
  const read = document.querySelectorAll(".read").length;
  if (read) document.getElementById("resume").append(` (${read} of ${rows.length} read)`);
}

// A path through the lessons: they stand out in the map and in the list. The ways on from each lead along it.
const chosenPath = () => JSON.parse(store.getItem("minigrad:path") || '{ "lessons": [] }');

function showPath() {
  const { name, lessons } = chosenPath();
  const on = new Set(lessons.map(({ number }) => number));
  for (const button of document.querySelectorAll(".paths button"))
    button.ariaPressed = String(button.textContent === name);
  for (const row of document.querySelectorAll("li[data-lesson]"))
    row.classList.toggle("aside", on.size > 0 && !on.has(row.dataset.lesson));
  for (const part of document.querySelectorAll(".map .node, .map .edge")) {
    const numbers = [...part.classList].filter((one) => /^n\d/.test(one)).map((one) => one.slice(1));
    part.classList.toggle("aside", on.size > 0 && !numbers.every((number) => on.has(number)));
  }
}

function choosePath(button) {
  const rows = [...button.closest("li").querySelectorAll(".numbers a")];
  const lessons = rows.map((link) => {
    const number = link.textContent;
    const { textContent: title } = document.querySelector(`li[data-lesson="${number}"] .title`);
    return { number, title, address: link.getAttribute("href") };
  });
  const again = button.ariaPressed === "true";
  store.setItem(
    "minigrad:path",
    JSON.stringify(again ? { lessons: [] } : { name: button.textContent, lessons }),
  );
  showPath();
}

function goAlongPath(number) {
  const { name, lessons } = chosenPath();
  const here = lessons.findIndex((one) => one.number === number);
  if (here < 0) return;
  const link = (rel, to) => {
    const made = document.createElement("a");
    Object.assign(made, { rel, href: to.address, textContent: `${to.number} ${to.title}` });
    return made;
  };
  const path = document.createElement("a");
  Object.assign(path, { href: "index.html#paths", className: "quiet", textContent: `Path: ${name}` });
  const [before, after] = [lessons[here - 1], lessons[here + 1]];
  const ways = [before && link("prev", before), path, after && link("next", after)];
  document.querySelector("nav.way").replaceChildren(...ways.filter(Boolean));
}

// Formulas and tables that are too wide get smaller letters, down to 70 %; what is wider still scrolls, by
// keys too.
function fitWidth() {
  for (const part of document.querySelectorAll('math[display="block"], .table')) {
    part.style.fontSize = "";
    if (part.scrollWidth <= part.clientWidth) continue;
    part.style.fontSize = `${100 * Math.max(0.7, part.clientWidth / part.scrollWidth)}%`;
  }
  for (const part of document.querySelectorAll('pre, math[display="block"], .table'))
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
}

// A picture opens over the page: at its own size or larger, to be scrolled, or as large as the window.
function larger(link) {
  const box = document.createElement("dialog");
  const picture = document.createElement("img");
  picture.src = link.href;
  picture.alt = link.firstElementChild.alt;
  const zoom = zoomOf(picture);
  box.onkeydown = (event) => {
    const act = { "+": 1.4, "=": 1.4, "-": 1 / 1.4, 0: 0 }[event.key];
    if (act !== undefined) zoom(act);
    event.stopPropagation();
  };
  box.onclick = (event) => {
    if (event.target === box) box.close();
  };
  closeByGoingBack(box);
  box.append(zoomBar(box, zoom), picture);
  document.body.append(box);
  box.showModal();
  zoom(0);
}

// What makes a picture larger by a factor; 0: as large as the window.
function zoomOf(picture) {
  let scale = 0; // 0: as large as the window
  return (by) => {
    const fit = picture.clientWidth / picture.naturalWidth;
    scale = by && Math.min(8, Math.max(0.2, (scale || fit) * by));
    picture.style.width = scale ? `${scale * picture.naturalWidth}px` : "";
    picture.classList.toggle("fits", !scale);
  };
}

function zoomBar(box, zoom) {
  const bar = document.createElement("p");
  for (const [sign, about, act] of [
    ["−", "smaller (-)", () => zoom(1 / 1.4)],
    ["+", "larger (+)", () => zoom(1.4)],
    ["▢", "all of it (0)", () => zoom(0)],
    ["×", "close (Esc)", () => box.close()],
  ]) {
    const button = document.createElement("button");
    button.textContent = sign;
    button.title = button.ariaLabel = about;
    button.onclick = act;
    bar.append(button);
  }
  return bar;
}

// The browser's way back closes a box, and stays on the page.
function closeByGoingBack(box) {
  const back = () => box.close();
  history.pushState("picture", "");
  addEventListener("popstate", back);
  box.onclose = () => {
    removeEventListener("popstate", back);
    if (history.state === "picture") history.back();
    box.remove();
  };
}

function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, textarea, select, pre, dialog")) return;
  if (event.key === "d") otherTheme();
  const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const link = way && document.querySelector(`a[rel=${way}]`);
  if (link) link.click();
}

// Of a page of tables: only the rows that hold all of the words, and the sections that have such a row.
function filterRows(field) {
  const words = field.value.toLowerCase().split(/\s+/);
  for (const section of document.querySelectorAll("section:has(.idiom)")) {
    const rows = [...section.querySelectorAll(".idiom")];
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    section.hidden = rows.every((row) => row.hidden);
  }
}

// A lesson that runs while it is read: its page is shown again once it has what its cells print and draw.
async function waitForOutputs() {
  const answer = await fetch(location.pathname).catch(() => null);
  if (answer?.ok && !(await answer.text()).includes('<p class="running">')) location.reload();
  else setTimeout(waitForOutputs, 1000);
}

document.addEventListener("DOMContentLoaded", () => {
  if (document.querySelector("p.running")) waitForOutputs();
  const field = document.getElementById("filter");
  if (field) field.oninput = () => filterRows(field);
  document.getElementById("theme").onclick = otherTheme;
  document.addEventListener("keydown", key);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.picture");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    larger(link);
  });
  const number = document.body.dataset.lesson;
  if (number) {
    watchTheEnd(number);
    goAlongPath(number);
  }
  new ResizeObserver(fitWidth).observe(document.body); // parts that unfold make it higher
  const rows = document.querySelectorAll("li[data-lesson]");
  if (rows.length) showProgress(rows);
  for (const button of document.querySelectorAll(".paths button")) button.onclick = () => choosePath(button);
  showPath();
  for (const form of document.querySelectorAll("form[data-opens]"))
    form.onsubmit = (event) => {
      event.preventDefault();
      location.href = `${form.dataset.opens}#line=${encodeURIComponent(form.elements.line.value)}`;
    };
});
