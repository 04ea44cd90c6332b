// A lesson presented: one section a screen, pictures and questions large, prose folded, and code above
// pictures. The address keeps the place.
"use strict";

{
  const MARK = "present"; // #the-formula&present
  const HEADINGS = "h1, h2, h3";
  const BEGIN = `${HEADINGS}, section, details.optional`; // of a section
  const PROSE = "p, ul, ol, blockquote";
  const SHOWN = "a.picture, .question, math[display=block], .table, pre";
  const BACK = ["ArrowLeft", "PageUp"];
  const ON = ["ArrowRight", "PageDown"];
  const body = document.body;
  const sections = []; // each the parts of the page that it has
  let place = -1; // of the section that is shown; -1: the whole lesson is there

  const has = (part, what) => part.matches(what) || part.querySelector(what);
  const idOf = (section) => (section[0].id ? section[0] : section[0].querySelector("[id]"))?.id;

  // "These four lines learn:", in front of them.
  const leadsIn = (one) =>
    one.textContent.trim().endsWith(":") && one.nextElementSibling?.matches("pre:not(.code)");

  // A section begins at a heading that something follows. The title stands alone with what is said of the
  // lesson.
  function cut() {
    for (const part of document.querySelector("main").children) {
      const last = sections.at(-1);
      const ready = last && !last.every((one) => one.matches(HEADINGS));
      const afterTitle = sections.length === 1 && part.matches("pre.code, .question");
      if (!last || (ready && (part.matches(BEGIN) || afterTitle))) sections.push([part]);
      else last.push(part);
    }
    sections.forEach((section, i) => {
      if (!idOf(section)) section[0].id = `part-${i}`;
      if (!section.some((part) => has(part, SHOWN))) return; // it is prose alone, which stays
      const folds = section.some((part) => has(part, "a.picture")) ? `${PROSE}, pre.code` : PROSE;
      for (const part of section)
        for (const one of [part, ...part.querySelectorAll(folds)])
          if (one.matches(folds) && !one.closest(".question, .table, .further") && !leadsIn(one))
            one.classList.add("prose");
    });
    document.querySelector("pre.code")?.classList.add("prose"); // the imports
  }

  function element(name, values, clicked) {
    const made = Object.assign(document.createElement(name), values);
    if (clicked) made.onclick = clicked;
    return made;
  }

  const count = element("output", { role: "status" });
  const back = element("button", { textContent: "←", title: "back (←)" }, () => show(place - 1));
  const on = element("button", { textContent: "→", title: "on (→)" }, () => show(place + 1));
  const more = element("button", { textContent: "More", title: "the prose (M)" }, () => unfold());
  const end = element("button", { textContent: "×", title: "the whole lesson (Esc)" }, () => leave());
  const bar = element("nav", { className: "present-bar", ariaLabel: "Sections" });
  for (const button of [back, on, end]) button.ariaLabel = button.title;
  bar.append(back, count, on, more, end);

  function unfold(open = !body.classList.contains("with-prose")) {
    body.classList.toggle("with-prose", open);
    more.ariaPressed = String(open);
  }

  function show(next) {
    if (!sections.length) cut();
    place = Math.min(sections.length - 1, Math.max(0, next));
    const section = sections[place];
    sections.forEach((parts, i) => {
      for (const part of parts) part.classList.toggle("elsewhere", i !== place);
    });
    if (section[0].matches("details")) section[0].open = true;
    body.classList.add("presenting");
    body.append(bar);
    unfold(false);
    count.textContent = `${place + 1} of ${sections.length}`;
    back.disabled = place === 0;
    on.disabled = place === sections.length - 1;
    more.disabled = !section.some((part) => has(part, ".prose"));
    history.replaceState(history.state, "", `#${idOf(section)}&${MARK}`);
    scrollTo(0, 0);
  }

  function leave() {
    if (place < 0) return;
    const section = sections[place];
    place = -1;
    body.classList.remove("presenting");
    bar.remove();
    for (const part of sections.flat()) part.classList.remove("elsewhere");
    history.replaceState(history.state, "", `#${idOf(section)}`);
    section[0].scrollIntoView();
  }

  // From the lesson, it begins with the section that is read.
  function begin() {
    if (!sections.length) cut();
    const middle = innerHeight / 2;
    show(sections.findLastIndex(([first]) => first.getBoundingClientRect().top < middle));
  }

  function read() {
    const [id, mode] = decodeURIComponent(location.hash.slice(1)).split("&");
    if (mode !== MARK && place < 0) return;
    if (!sections.length) cut();
    const target = document.getElementById(id);
    show(sections.findIndex((section) => section.some((part) => part.contains(target))));
  }

  function act(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const writes = event.target.closest("input, textarea, select, dialog");
    if (writes && (event.key !== "Escape" || writes.matches("dialog"))) return;
    const keys = { p: place < 0 ? begin : leave };
    if (place >= 0) {
      for (const key of BACK) keys[key] = () => show(place - 1);
      for (const key of ON) keys[key] = () => show(place + 1);
      Object.assign(keys, { Escape: leave, m: () => more.disabled || unfold() });
    }
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    event.stopPropagation(); // arrows lead to other lessons else
    keys[event.key]();
  }

  const title = "one section a screen (P)";
  document
    .getElementById("theme")
    .before(element("button", { id: "present", textContent: "Present", title }, begin));
  document.addEventListener("keydown", act, true);
  addEventListener("hashchange", read);
  read();
}
