// What tests ask of a page, and do to it: `Browser.ask` calls one of these by its name.

const all = (selector) => [...document.querySelectorAll(selector)];
const count = (selector) => all(selector).length;
const text = (selector) => document.querySelector(selector).innerText;
const texts = (selector) => all(selector).map((e) => e.innerText || e.textContent);
const each = (selector, property) => all(selector).map((e) => e[property]);
const classes = (selector) =>
  all(selector)
    .map((e) => e.getAttribute("class"))
    .join();
const starting = (
  selector,
  words, // after the number of a line
) => all(selector).find((e) => e.textContent.replace(/^[\s\d]*/, "").startsWith(words));
const focus = (selector) => document.querySelector(selector).focus();
const blur = () => document.activeElement.blur();
const clear = (selector) => {
  document.querySelector(selector).value = "";
};
const choose = (selector, value) => {
  const field = document.querySelector(selector);
  field.value = value;
  field.dispatchEvent(new Event("change"));
};
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

const clicked = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const click = (selector, number) => clicked(all(selector)[number]);
const clickOn = (selector, words) => clicked(starting(selector, words));
const point = (selector, words, event) => starting(selector, words).dispatchEvent(new PointerEvent(event));

// The cells of each heat map of that name, in that part of the page.
const cells = (part, name) =>
  all(`${part} .heat`)
    .filter((map) => map.querySelector("code").innerText === name)
    .map((map) => [...map.querySelectorAll("td")].map((cell) => cell.innerText));
const told = (selector, number) => {
  // what is told of the left end of a picture
  const picture = all(selector)[number],
    { left, top } = picture.getBoundingClientRect();
  picture.dispatchEvent(new PointerEvent("pointermove", { clientX: left + 1, clientY: top + 1 }));
  return text("#tip");
};
const within = (selector, words, inner) => starting(selector, words).querySelectorAll(inner).length;

const overflows = () => document.documentElement.scrollWidth > window.innerWidth;
const named = (e) => e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label");
const unnamed = () =>
  all("button, [role], input, select, canvas[tabindex]").filter((e) => e.offsetParent !== null && !named(e))
    .length;
function look(selector) {
  const style = getComputedStyle(document.querySelector(selector));
  return [style.fill, style.stroke, style.strokeDasharray].join();
}
function stepped() {
  // to the end of the time line; how many steps
  const steps = Number(document.getElementById("time").max);
  for (let i = 0; i < steps; i++) document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  return steps;
}
const pictures = () =>
  all("figure > svg").map((svg) => {
    const box = svg.getBoundingClientRect();
    return [box.width, box.height, svg.querySelectorAll("text").length];
  });
function lightness() {
  // of the text, and of what is behind it
  const of = (colour) =>
    colour
      .match(/\d+/g)
      .slice(0, 3)
      .reduce((sum, n) => sum + Number(n), 0) / 3;
  const style = getComputedStyle(document.body);
  return [of(style.color), of(style.backgroundColor)];
}
function inside(selector, frame) {
  const [a, b] = [selector, frame].map((s) => document.querySelector(s).getBoundingClientRect());
  return a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
}
