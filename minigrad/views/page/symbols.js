// --- the symbols of a model in the texts of the page --------------------------------------------------

// What has a name of its own in a model is called in words everywhere, where it is an end or a start of a
// text.
const SPECIAL = { "<eos>": "end", "<bos>": "start" };
const SPACE = "␣"; // how a symbol that is a space is shown

const MOST_LETTERS = 12; // of a symbol where there is little room

// A symbol where there is little room.
function shownToken(token) {
  if (token === " ") return SPACE;
  const letters = [...token];
  return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join("")}…` : token;
}

// How many letters the longest of some texts has.
const longest = (texts) => Math.max(...texts.map((text) => [...text].length));

export { longest, SPACE, SPECIAL, shownToken };
