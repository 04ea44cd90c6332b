// --- events: who tells what, to whom ------------------------------------------------------------------

// What happens is told to all that listen, by events of the document, so that a file need not import those
// that show what it did, and no circle of imports comes about.
//
// The event, the files that tell it -> those that hear it, and what it says and carries. Files hear in this
// order, that in which the page's scripts run (see `scripts.py`). Those of the picture of a reading are
// in `flow.js`. `test_scripts.py` holds these tables and the files equal.
//
//   numbers   live -> doubts, pictures, drawing, attention, timeline: some were computed again
//   changes   changes -> changes_said: some were changed by the reader, or a change was undone
//   undo      changes -> learn: a change is about to be undone
//   view      places -> sheet: another drawing is open, that of `state.view`
//   tab       tabs -> camera, attention: another tab is open, `state.tab`
//   panel     places, chapter_play -> panel: it is to be made anew, such as for another `state.panelTab`
//   render    events -> page: all that shows `state` is to be made anew
//   reveal    places -> camera: a card is to be seen; {key, partners: those it takes from}
//   light     cards -> listing: what shows some nodes is to light up; a list of their numbers
//   chapter   chapter_play -> flow_shown: its sentences are to be read, before its steps; the chapter
//   playing   chapter_play -> timeline: it plays from here
//   stopped   pace -> chapter_play, timeline: nothing plays any longer
//
// So a number that is typed: `Fields.setNumber` calls `Changes.change`, which has `Live` compute; at
// "numbers" each file forgets, or makes anew, what it keeps of the numbers before; at "changes" the line
// above says how many are changed; and "render" shows it all.

// Tell of an event, with what it carries; and call `act`, which is given that, at each event of a name.
const tell = (name, detail = null) => document.dispatchEvent(new CustomEvent(name, { detail }));
const hear = (name, act) => document.addEventListener(name, ({ detail }) => act(detail));
// Show the page anew, after `state` or `data` was changed.
const render = () => tell("render");

export { hear, render, tell };
