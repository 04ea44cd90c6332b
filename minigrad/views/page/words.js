// --- the sentences of the page, as templates: `{name}` is a field -------------------------------------

// A label of a word or a few, of a button or a heading, stands where it is made.

const WORDS = {
  aboutTimeLine:
    "A bar is a step. On the way forward its height says how large the value is, on the way back how large the gradient: the logarithm of the norm, each half on a scale of its own. Below are the chapters.",
  allArrived: {
    one: "All that comes here has arrived. It stays, in {gradient}.",
    many: "All {count} contributions have arrived. Their sum stays here, in {gradient}.",
  },
  andMore: " and {count} more",
  argumentOf: "argument {number} of {made} = ",
  around: "around {part}",
  arrivedOf: "{arrived} of {of} contributions have arrived",
  asWritten: "All numbers are as they were written. {loss}",
  bars: {
    forward: ": size of each value, {least} to {most}",
    backward: ": of each gradient, {least} to {most}",
  },
  becameNow: "{name} is {value}. {loss}",
  becauseFixed: "it keeps its numbers, whatever is changed: {why}",
  becauseMade: "{node} keeps its value, which Python or NumPy made of numbers that change",
  beforeFirst: "Before the first step",
  boxSpoken: "{name}: box of {operations}; Enter opens it",
  cameUpInside:
    "It came up inside {box}. Python or NumPy may have made it there of an array that has no card: that one cannot be changed here.",
  canBeChanged: "Every number here can be changed: choose a card or a name, and type, drag or press ↑ ↓.",
  cannotLearn: "{names} cannot learn, for the gradient has a fixed part: {why}.",
  chapterEnds: "The end of chapter {number}.",
  chapterOf: "Chapter {number} of {count}",
  checkedAlong: "Along one random direction of this node, the result changes by",
  clearIsZero: "Each picture has a scale of its own; clear is zero.",
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
  eachCanChange: {
    truth: "A click turns each of them.",
    symbol: "Each can be another symbol.",
    number: "Each number can be changed: type, drag sideways, or press ↑ ↓.",
  },
  eachPlace: "{name}: each place by itself",
  elementOf: "element [{index}] of the contribution",
  oneShown: "; one in {step} shown",
  firstKeys: "{on} {back} step, {space} plays, {find} finds, {help} shows all keys.",
  firstToArrive: "The first of {count} to arrive there.",
  follows: {
    on: "Each step opens the box in which it happens.",
    off: "Steps stay in this drawing.",
  },
  forAll: " for all {letters}",
  frozen: "No number of this page can be changed: {frozen}.",
  giftNotKept: "What it gave was not kept.",
  gradientDiffers: "The gradient of {names} is not the one that Python would compute after a step: {why}.",
  headOf: "{head} of {place}",
  headsShown: "Shown: {shown} of {count} heads, one query in {queryStep}, one key in {keyStep}.",
  hiddenByMask: "The mask hides this key from this query.",
  hiddenWhilePredicting: "Hidden while you predict.",
  higher:
    "{told} It is higher than before: the steps are too large, and go beyond the lowest point. Take a smaller learning rate.",
  histogram: "Histogram from {least} to {greatest}",
  howToChange: {
    numbers: "Type, drag sideways, or press ↑ ↓",
    symbols: "Choose other symbols",
  },
  howToChoose: {
    truth: "Click a cell to turn it; with Alt and the arrow keys, Enter turns it.",
    number: "Click a number in the picture to change it; with Alt and the arrow keys, Enter chooses it.",
  },
  howToReadMaps:
    "Rows are queries, columns are keys: how much each position takes from each other one. A row sums to one. Hatched cells are hidden by the mask. Choose a cell to see the query, the key, and the gradient that reaches it; Alt and the arrow keys move.",
  howToTurnMask: " A double click on a cell, or m, turns it in the mask.",
  imports: "the imports",
  isAsked: "A question: the answer is hidden until you give it.",
  itIs: "It is {what}.",
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
  likeliest: {
    same: "Its likeliest symbols: {now}",
    other: "Its likeliest symbols: {now}, and as it was written: {was}",
  },
  likeliestNext: "Each is what it would write next, given the symbols before it as they were written.",
  lineUnknown: "line {number}; its text is not known",
  looksAt: "{query} looks at {key}",
  lossAgainst: "The loss compares with the symbols as they were written at first.",
  lossDiffers:
    "The loss that is drawn here has a fixed part, and is not the one that Python would compute: {why}.",
  lossIs: "{name} is {loss}",
  lossIsDrawn: "The loss after each step is drawn here.",
  lossPlot: "The loss after each step. {told}",
  lossWent: "After {steps} the loss went from {from} to {to}.",
  madeOf: {
    line: "Python or NumPy made a number of its line of {sources}: it keeps its value when that changes.",
    itself: "Python or NumPy made it of {sources}: it keeps its value when that changes.",
  },
  matrix: { H: "Head {number}", B: "Example {number}", other: "Matrix {number}" },
  mayNotLook: "{query} may not look at {key}",
  nodeChosen: "{name}: value {value}; gradient {gradient}",
  nodeSpoken: "{name}, shape {shape}, value {value}, gradient {gradient}",
  noneNeeded: "{names}: no gradient is needed there.",
  noNumber: "That is no number.",
  noStepYet: "No step was taken yet.",
  notChecked: "No finite differences were run: there is too much to compute, or not all of it was recorded.",
  notCopied: "The browser does not let this page copy. Choose the text, or save the picture: {what}.",
  notFinite: "{odd} not finite",
  nothingElse: "Nothing else goes there.",
  nothingFound: "Nothing of that name.",
  nothingHappened: "Nothing has happened yet. ",
  nothingYet: "nothing yet",
  notHosted:
    "In front of the file's name in this line write the address of its folder, once that is on a server, such as https://example.org/course/out/.",
  notKept: "not kept",
  notRight: {
    sign: "The size is right, the sign is not.",
    large: "Too large.",
    small: "Too small.",
    other: "Not yet.",
  },
  nowAt: { forward: "Forward {step} of {count}: {name}", back: "Backward {step} of {count}: {name}" },
  numberIn: "a number in {made}",
  numbersOf: "The numbers of {name}",
  ofExample: "{head} of example {example}",
  ofItsAttention: "of its attention.",
  otherPaths:
    " With other numbers of {names} the function may run other operations: these are the ones that ran.",
  otherSymbols: {
    one: "{symbols} of {count} would be another: {written}",
    many: "{symbols} of {count} would be others: {written}",
  },
  outputChanges: "the output changes by {most} at most",
  pageFrozen: "The numbers of this page cannot be changed: {frozen}.",
  partBelow: "The part below shows the run as it was written.",
  partGives: "it gives {node}, off {instead}",
  pinned: "No number of it can be changed: {pinned}.",
  playChapter: "Play chapter {number}",
  position: "position {place}",
  predicting: {
    on: "Gradients are hidden until you work them out.",
    off: "Gradients are shown.",
  },
  productsSumTo:
    "The products sum to {score}, the score. Scaled and masked where the model does so, softmax over the row makes the weight of it.",
  queryAndKey: "The query is {query}, the key {key}.",
  queryOrKeyNotKept: "Of the query and the key, not all numbers are kept in this page.",
  rangeAndMean: "from {least} to {greatest}, mean {mean}",
  rateAboveZero: "A learning rate is a number above 0.",
  readAt: " What was done with the numbers read at {lines} stays as it was.",
  readHead:
    "{head}: {rows} queries, {columns} keys. Alt and arrow keys move from cell to cell, Enter chooses.",
  readMap: "{name}, heat map, {range}. Arrow keys with Alt read single numbers.",
  readNumbers: "The numbers of {name}; Alt and the arrow keys read them",
  revealed: "Revealed: {number}",
  refused: "“{text}”? {why} {shown} stays.",
  rightKey: "Right: {share} of its attention.",
  rightNumber: "Right: {number}, and you said {typed}.",
  rightSymbol: "Right: it leads by {lead}.",
  sameSymbols: "it would write the same {symbols}",
  saved: "Saved: {name}.",
  shareOf: "for {argument}, which is {source}",
  sizeOfGradient: "The size is the square root of the sum of squares.",
  slope: {
    negative:
      "Negative: a little more attention here, taken from all the others, would lower the loss. To cut it whole can do something else.",
    positive:
      "Positive: a little more attention here, taken from all the others, would raise the loss: more is gained there for the same attention. To cut it whole can do something else: a part that helps may have this sign.",
  },
  someTrue: "{some} of {count} True",
  states: {
    known: "known",
    zero: "zero: every element is 0",
    "needs none": "needs none: nothing to be learned depends on it",
    "not computed": "not computed: no backward pass came here",
    freed: "freed: it passed through here and was not kept",
    later: "not computed yet",
    arriving: "arriving",
    hidden: "hidden, for you to work out",
  },
  stepBack: "Backward, step {step} of {count}",
  stepForward: "Forward, step {step} of {count}",
  stepOf: { forward: "forward {step} of {count}", back: "backward {step} of {count}" },
  stepNumber: "Step {step}",
  stepsInAll: "{about}. {steps} forward, then {back} back.",
  stepTakes: {
    one: "A step takes from the number the learning rate times its gradient: {step}.",
    many: "A step takes from each of {numbers} the learning rate times its gradient: {step}.",
  },
  switchedAlone: {
    off: "Switched off: {name} {losses}{more}.",
    on: "Switched on again: {name} {losses}{more}.",
  },
  switchOff: "Switch a part off: everything is computed again, forward and backward.",
  switchOffOfOne:
    "The loss is that of this one example, against what was written at first: it can go down by chance where a part is off. What a part is good for shows over many examples.",
  switchOne: "Cut a single stage, head or ribbon",
  switchOneIn: "{one} in the picture of the tab Reading: there it gives 0, for any line.",
  textUnknown: "its text is not known",
  theyAgree: "They agree.",
  theyDiffer: "They differ by {apart}, more than the {tolerance} that rounding explains.",
  theyMeetAtKink: "They differ: there is a kink here, with two slopes.",
  tiles: { beside: "Side by side, then below: {names}", below: "From top to bottom: {names}" },
  travelled: { before: "Undone: {name}. {loss}", after: "Done again: {name}. {loss}" },
  valueLater: "Not computed yet at this step.",
  whatIs: "What is {what}?",
  whereLooks: "Where does {head} look most, for the query {query}?",
  whichSymbol: "It has written {before}. Which symbol gets the highest score next?",
  wholeNumbers: "It can only have whole numbers from {low} to {high}.",
  writtenOut: "An array of up to six numbers is written out.",
  wrongKey: "It gives that {share}. Try another.",
  wrongSymbol: "This gets {score}, and another more. Try again.",
  yourAnswer: "Your answer: {what} to {argument}",
};

// A template with its parts filled in, from an object that has each by its name.
function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// The same as children of an element: a value may be an element, or a list of them.
function withElements(template, values) {
  return template.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? values[part] : part));
}

const inEnglish = new Intl.NumberFormat("en"); // toLocaleString makes one at each call
// A count with its noun: "1 step", "1,200 steps".
function plural(n, one, many = `${one}s`) {
  return `${inEnglish.format(n)} ${n === 1 ? one : many}`;
}

export { filled, plural, withElements, WORDS };
