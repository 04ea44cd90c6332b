// --- events: who tells what, to whom ------------------------------------------------------------------

// A file tells of an event by an event of the document. So it need not import the files that show it, and
// there is no circle of imports.
//
// Each row has the event, the files that tell it -> the files that hear it, and its meaning and data. Files
// hear in this order, in which the scripts of the page run (see `scripts.py`). The events of the picture of a
// reading are in `flow.js`. `test_scripts.py` holds these tables and the files equal.
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
// An example: a number is typed. `Fields.setNumber` calls `Changes.change`, which calls `Live.setNumbers`. At
// "numbers" each file forgets its pictures of old numbers; at "changes" the line on top says how many numbers
// are changed; and at "render" the page shows everything anew.

// Tell of an event, with its data; call `act` with the data, at each event of that name.
const tell = (name, detail = null) => document.dispatchEvent(new CustomEvent(name, { detail }));
const hear = (name, act) => document.addEventListener(name, ({ detail }) => act(detail));
// Show the page anew, after `state` or `data` was changed.
const render = () => tell("render");

export { hear, render, tell };
