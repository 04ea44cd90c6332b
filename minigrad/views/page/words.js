// --- the sentences that have parts, as templates: `{name}` stands for what is filled in -------------------

const WORDS = {
  allArrived: "All {count} contributions have arrived. Their sum stays here, in ",
  andMore: " and {count} more",
  argumentOf: "argument {number} of {made} = ",
  arrivedOf: "{arrived} of {of} contributions have arrived",
  around: "around {part}",
  asWritten: "All numbers are as they were written. {loss}",
  bars: {
    forward: ": size of each value, {least} to {most}",
    backward: ": of each gradient, {least} to {most}",
  },
  becauseFixed: "it keeps its numbers, whatever is changed: {why}",
  becauseMade: "{node} keeps its value, which Python or NumPy made of numbers that change",
  boxSpoken: "{name}: box of {operations}; Enter opens it",
  cameUpInside:
    "It came up inside {box}. Python or NumPy may have made it there of an array that has no card: that one cannot be changed here.",
  cannotLearn: "{names} cannot learn, for the gradient has a fixed part: {why}.",
  chapterEnds: "The end of chapter {number}.",
  chapterOf: "Chapter {number} of {count}",
  clickToOpen: "{name}\n{contents}\nclick to open",
  computedAgain: "{how}: all that follows is computed again, here in the page, forward and backward.",
  constantOf: "constant of {made}",
  copied: "Copied: {what}.",
  copiesAlong: {
    axis: "Broadcasting had made {copies} along axis {axes}; their gradients are summed:",
    axes: "Broadcasting had made {copies} along axes {axes}; their gradients are summed:",
  },
  diverged:
    "{told} It diverged: every step went farther beyond the lowest point, until no number could hold it. Undo, and take a smaller learning rate.",
  drawingOf: "Drawing of {title}",
  eachPlace: "{name}: each place by itself",
  elementOf: "element [{index}] of the contribution",
  everyShown: "; every {steps} shown",
  firstToArrive: "The first of {count} to arrive there.",
  forAll: " for all {letters}",
  frozen: "No number of this page can be changed: {frozen}.",
  gradientDiffers: "The gradient of {names} is not the one that Python would compute after a step: {why}.",
  headOf: "Head {head} of {place}",
  headOfKind: "Head {head}{kind}",
  headsShown: "Shown: {shown} of {count} heads, one query in {queryStep}, one key in {keyStep}.",
  higher:
    "{told} It is higher than before: the steps are too large, and go beyond the lowest point. Take a smaller learning rate.",
  histogram: "Histogram from {least} to {greatest}",
  imports: "the imports",
  itIs: "It is {what}",
  keepsNumbers: "It keeps its numbers, whatever is changed: {why}.",
  keepsPerhaps: {
    line: "A number in {made} keeps its value when others change, and Python or NumPy may have made it of numbers that are others now.",
    itself:
      "It keeps its value when others change, and Python or NumPy may have made it of numbers that are others now.",
    source:
      "What it is computed from, {node}, keeps its value when others change, and Python or NumPy may have made it of numbers that are others now.",
  },
  keepsProven: {
    line: "A number of its line keeps its value when {sources} changes: Python or NumPy made it of that, as running the function again has shown.",
    itself:
      "It keeps its value when {sources} changes: Python or NumPy made it of that, as running the function again has shown.",
    source:
      "What it is computed from, {node}, keeps its value when {sources} changes: Python or NumPy made it of that, as running the function again has shown.",
  },
  keptBytes: "{bytes} for the way back",
  learningRate: "Learning rate {rate}",
  leftOut: "{count} numbers are changed, too many for a link: it leaves them out.",
  lineUnknown: "line {number}; its text is not known",
  looksAt: "{query} looks at {key}",
  lossAgainst: "The loss compares with the symbols as they were written at first.",
  lossDiffers:
    "The loss that is drawn here has a fixed part, and is not the one that Python would compute: {why}.",
  lossPlot: "The loss after each step. {told}",
  lossWent: "After {steps} the loss went from {from} to {to}.",
  madeOf: {
    line: "Python or NumPy made a number of its line of {sources}: it keeps its value when that changes.",
    itself: "Python or NumPy made it of {sources}: it keeps its value when that changes.",
  },
  mayNotLook: "{query} may not look at {key}",
  nothingYet: "nothing yet",
  nodeChosen: "{name}: value {value}; gradient {gradient}",
  nodeSpoken: "{name}, shape {shape}, value {value}, gradient {gradient}",
  noneNeeded: "{names}: no gradient is needed there.",
  notHosted:
    "In front of the file's name in this line write the address of its folder, once that is on a server, such as https://example.org/course/out/.",
  notCopied: "The browser does not let this page copy. Choose the text, or save the picture: {what}.",
  notFinite: "{odd} not finite",
  numberIn: "a number in {made}",
  numbersOf: "The numbers of {name}",
  otherPaths:
    " With other numbers of {names} the function may run other operations: these are the ones that ran.",
  otherSymbols: {
    one: "{symbols} of {count} would be another: ",
    many: "{symbols} of {count} would be others: ",
  },
  outputChanges: "the output changes by {most} at most",
  pageFrozen: "The numbers of this page cannot be changed: {frozen}.",
  pinned: "No number of it can be changed: {pinned}.",
  playChapter: "Play chapter {number}",
  position: "position {place}",
  queryAndKey: "The query is {query}, the key {key}.",
  rangeAndMean: "from {least} to {greatest}, mean {mean}",
  readAt: " What was done with the numbers read at {lines} stays as it was.",
  readHead:
    "Head {head}: {rows} queries, {columns} keys. Alt and arrow keys move from cell to cell, Enter chooses.",
  readMap: "{name}, heat map, {range}. Arrow keys with Alt read single numbers.",
  readNumbers: "The numbers of {name}; Alt and the arrow keys read them",
  rightKey: "Right: {share} of its attention.",
  rightNumber: "Right: {number}, and you said {typed}.",
  rightSymbol: "Right: it leads by {lead}.",
  sameSymbols: "it would write the same {symbols}",
  saved: "Saved: {name}.",
  slope: {
    negative:
      "Negative: a little more attention here, taken from all the others, would lower the loss. To cut it whole can do something else.",
    positive:
      "Positive: a little more attention here, taken from all the others, would raise the loss: more is gained there for the same attention. To cut it whole can do something else: a part that helps may have this sign.",
  },
  someTrue: "{some} of {count} True",
  stepBack: "Backward, step {step} of {count}",
  stepForward: "Forward, step {step} of {count}",
  stepNumber: "Step {step}",
  stepsInAll: "{about}. {steps} forward, then {back} back.",
  stepTakes: {
    one: "A step takes from the number the learning rate times its gradient: ",
    many: "A step takes from each of {numbers} the learning rate times its gradient: ",
  },
  switchOne: "Cut a single stage, head or ribbon",
  switchOneIn: " in the picture of the tab Reading: there it gives 0, for any line.",
  switchOff: "Switch a part off: everything is computed again, forward and backward.",
  switchOffOfOne:
    "The loss is that of this one example, against what was written at first: it can go down by chance where a part is off. What a part is good for shows over many examples.",
  tiles: { beside: "Side by side, then below: {names}", below: "From top to bottom: {names}" },
  theyDiffer: "They differ by {apart}, more than the {tolerance} that rounding explains.",
  whatIs: "What is {what}",
  whereLooks: "Where does head {head} look most, for the query {query}?",
  whichSymbol: "It has written {before}. Which symbol gets the highest score next?",
  wholeNumbers: "It can only have whole numbers from {low} to {high}.",
  wrongSymbol: "This gets {score}, and another more. Try again.",
  wrongKey: "It gives that {share}. Try another.",
  yourAnswer: "Your answer: {what} to {argument}",
};

// A template with its parts filled in, from an object that has each by its name.
function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export { filled, WORDS };
