// --- from letters to a digit: sentences on the picture ------------------------------------------------

import { filled } from "./words.js";
import { LINE_WORDS } from "./line_words.js";
import * as Arrays from "./arrays.js";
import { model } from "./line_model.js";
import * as Ribbons from "./ribbons.js";
import * as FlowScene from "./flow_scene.js";
import * as FlowReading from "./flow_reading.js";
import * as FlowParts from "./flow_parts.js";
import * as FlowNames from "./flow_names.js";
import * as FlowEffects from "./flow_effects.js";
import * as Flow from "./flow.js";
import * as FlowCuts from "./flow_cuts.js";

// --- where heads look ---------------------------------------------------------------------------------

const MOST_READ = 3; // symbols of a head that are named
const LEAST_NAMED = 0.005; // the weight of one of them

// Where a head looks, widest first, in words.
function mostRead({ stage, h }, most = MOST_READ) {
  return FlowReading.symbolsOf(stage.reads)
    .map((_, k) => ({ k, width: FlowReading.weight(stage, h, Flow.rowOf(stage.side), k) }))
    .sort((a, b) => b.width - a.width)
    .filter(({ width }, i) => i < most && width >= LEAST_NAMED)
    .map(({ k, width }) => `${FlowNames.placed(stage.reads, k)} ${Arrays.percent(width)}`)
    .join(", ");
}

// What a part reads, in sentences.
function readBy(part) {
  const { kind, stage, key } = part;
  if (kind !== "letter" && stage.reads === null) return [stage.cut];
  if ((kind === "head" || kind === "edge") && FlowCuts.isCut(key)) return [LINE_WORDS.readsNothing];
  return READS[kind](part);
}

const READS = {
  stage: ({ stage }) => {
    const heads = FlowReading.headsOf(stage).map((h) => `${h + 1}: ${mostRead({ stage, h }, 1)}`);
    return [filled(LINE_WORDS.stageReads, { list: heads.join("; ") })];
  },
  head: (part) => {
    const { stage } = part;
    const isSource = stage.side === "source";
    const symbol = isSource ? FlowNames.placed("source", Flow.state.letter) : FlowScene.followed("target");
    const words = LINE_WORDS.reads[stage.reads === stage.side ? stage.side : "line"];
    return [filled(words, { symbol, list: mostRead(part) }), isSource ? bothKinds() : null];
  },
  edge: ({ stage, h, k, width }) => [
    filled(LINE_WORDS.edgeReads, {
      head: h + 1,
      key: FlowNames.placed(stage.reads, k),
      share: Arrays.percent(width),
    }),
    stage.side === "source" ? bothKinds() : null,
  ],
  letter: ({ k }) => [letterReads(k), bothKinds(), LINE_WORDS.letterAbout],
};

// What the numbers of the encoder are for, beside its ribbons.
const bothKinds = () =>
  filled(LINE_WORDS.bothKinds, {
    letter: FlowNames.placed("source", Flow.state.letter),
    units: FlowNames.units(),
  });

// Which heads take from a letter.
function letterReads(k) {
  const list = model.stages
    .filter((stage) => stage.reads === "source" && stage.side === "target")
    .flatMap((stage) => {
      const words = LINE_WORDS.headNumber[model.stages.some((one) => one.layer > 1) ? "inLayer" : "alone"];
      return FlowReading.headsOf(stage).map((h) => {
        const width = FlowReading.weight(stage, h, Flow.rowOf(stage.side), k);
        const head = filled(words, { layer: stage.layer, head: h + 1 });
        return { width, text: `${head} ${Arrays.percent(width)}` };
      });
    })
    .filter(({ width }) => width >= Ribbons.LEAST)
    .map(({ text }) => text)
    .join(", ");
  const cut = FlowCuts.isCut(FlowParts.keyOf({ kind: "letter", row: Flow.rowOf("target"), k }));
  return filled(LINE_WORDS.letterRead[cut ? "cut" : list ? "some" : "none"], {
    symbol: FlowScene.followed("target"),
    list,
  });
}

const MUCH = 0.3, // of a head's attention: what is told of a letter that brings what it has read
  MOST_CARRIED = 2;

// The letters that a letter has read in the encoder: it carries them to each head that looks at it.
function carried(k) {
  const list = model.stages
    .flatMap((stage, s) => (stage.side === "source" && stage.reads === "source" ? heardBy(stage, s, k) : []))
    .filter(({ width }) => width >= MUCH)
    .sort((a, b) => b.width - a.width)
    .slice(0, MOST_CARRIED)
    .map(({ other, h, width, key }) => {
      const brought = filled(LINE_WORDS.brought, {
        symbol: FlowNames.placed("source", other),
        share: Arrays.percent(width),
        head: h + 1,
      });
      return FlowEffects.now().losses.has(key) ? `${brought}: ${FlowEffects.does(key)}` : brought;
    })
    .join("; ");
  return list && filled(LINE_WORDS.carried, { unit: FlowNames.unit("source"), list });
}

// For a letter, the other letter that each head of a stage reads most.
const heardBy = (stage, s, k) =>
  FlowReading.headsOf(stage).map((h) => {
    const widths = FlowReading.now().source.map((_, one) =>
      one === k ? 0 : FlowReading.weight(stage, h, k, one),
    );
    const width = Math.max(...widths);
    const other = widths.indexOf(width);
    return { other, h, width, key: FlowParts.keyOf({ kind: "edge", s, h, row: k, k: other }) };
  });

// The symbols that a part reads, and its effect.
const sentences = (part) => [...readBy(part), raises(part), outcome(part)].filter(Boolean);

// What it does to two scores, of which the lead is the difference without it: told by the run without it.
function raises(part) {
  const { own, other } = FlowEffects.now().moves.get(part.key) ?? {};
  if (!own || [own, other].every(({ by }) => FlowEffects.isNothing(by))) return "";
  return filled(LINE_WORDS.raises, {
    symbol: FlowNames.ofSymbol(own.id),
    own: FlowEffects.signed(own.by),
    other: FlowNames.ofSymbol(other.id),
    others: FlowEffects.signed(other.by),
  });
}

const tipOf = (part) =>
  part.cuts
    ? filled(LINE_WORDS.tip, { name: FlowNames.ofPart(part), change: effectOf(part) })
    : FlowNames.ofPart(part);

// --- a symbol -----------------------------------------------------------------------------------------

// What a part does; and what would be written without it, if that is another symbol.
function effectOf({ key }) {
  const other = FlowEffects.winner(key);
  return other === null ? FlowEffects.does(key) : `${FlowEffects.does(key)} → ${FlowNames.ofSymbol(other)}`;
}

// How far the symbol is ahead.
function leadNow() {
  const { lead, own, second, other } = FlowEffects.now().standing;
  // With two digits, so that the difference of the two is the lead, which is rounded once.
  return filled(LINE_WORDS.lead, {
    symbol: FlowScene.followed("target"),
    lead: FlowNames.score(lead),
    own: FlowNames.score(own, 2),
    other: FlowNames.ofSymbol(other),
    second: FlowNames.score(second, 2),
  });
}

const joined = (ids) => ids.map((id) => FlowReading.visible(model.symbols[id])).join("");

// What is written before the symbol that is followed.
const soFar = (ids) => joined(ids.slice(0, Flow.state.step));

const writtenNow = () => joined(FlowReading.now().written.filter((id) => id !== model.end));

// Whether it can be guessed without a look at the line.
function guess() {
  const { id, lead: guessed } = FlowEffects.now().guesses[Flow.state.step];
  return filled(LINE_WORDS.guess[id === Flow.symbol() ? "same" : "other"], {
    what: LINE_WORDS.guessWithout[FlowReading.looking().length ? "line" : "text"],
    symbol: FlowScene.followed("target"),
    other: FlowNames.ofSymbol(id),
    lead: FlowNames.score(guessed),
    before: Flow.state.step ? `“${soFar(FlowReading.now().written)}”` : LINE_WORDS.nothingBefore,
  });
}

// On which parts of a kind the symbol rests: its letters, its heads.
const RESTS = {
  letter: { most: 4, words: LINE_WORDS.letters, name: FlowNames.ofLetter },
  head: { most: 2, words: LINE_WORDS.heads, name: looksMost },
};

function rests(kind) {
  const { most, words, name } = RESTS[kind];
  const list = Flow.helping(kind)
    .slice(0, most)
    .map((part) => `${name(part)} ${effectOf(part)}`);
  return list.length ? filled(words, { list: list.join("; ") }) : "";
}

// A head, and the one symbol that it looks at most. One of the encoder does so for each letter.
function looksMost(part) {
  if (part.stage.side === "source") return FlowNames.ofPart(part);
  return filled(LINE_WORDS.headLooks, { head: FlowNames.ofPart(part), key: mostRead(part, 1) });
}

// To help is not to be needed.
function needless() {
  const letters = [...Flow.state.parts.values()].filter(({ kind }) => kind === "letter");
  if (!letters.length || letters.some(({ key }) => FlowEffects.winner(key) !== null)) return "";
  return filled(LINE_WORDS.lettersNeedless, { letters: FlowNames.units() });
}

// A sentence that says, with the widest ribbon here, that the widest need not help most.
function widest() {
  const symbol = FlowScene.followed("target");
  const edges = [...Flow.state.parts.values()]
    .filter(({ kind, stage }) => kind === "edge" && stage.side === "target")
    .sort((a, b) => b.width - a.width);
  if (!edges.length) return "";
  const sentence = (words, part) =>
    filled(words, { edge: FlowNames.ofPart(part), symbol, change: effectOf(part) });
  const against = edges.find(({ key }) => FlowEffects.effect(key) === "against");
  const first = FlowEffects.effect(edges[0].key);
  return first === "for" && against
    ? sentence(LINE_WORDS.against, against)
    : sentence(LINE_WORDS.widest[first], edges[0]);
}

// --- a part that is chosen ----------------------------------------------------------------------------

// How far a symbol's score is above the best of the others, or below it; beside a change of it, with the
// digits of that.
const ahead = (lead, other, change = 1) =>
  filled(LINE_WORDS.ahead[lead < 0 ? "behind" : "ahead"], {
    lead: FlowNames.score(Math.abs(lead), FlowEffects.digitsOf(change)),
    other: FlowNames.ofSymbol(other),
  });

const scored = (id) =>
  `${FlowNames.ofSymbol(id)} ${FlowNames.score(FlowReading.scoresAt(Flow.rowOf("target"))[id])}`;

// The symbol that is written without the part; or with it, if the part is cut.
function outcome(part) {
  if (!part.cuts) return filled(LINE_WORDS.scores, { list: FlowScene.likeliest().map(scored).join(", ") });
  const lost = FlowEffects.lossOf(part.key);
  if (lost === undefined) return LINE_WORDS.measuring;
  if (FlowCuts.isCut(part.key)) {
    const before = FlowCuts.beforeCut(part);
    return before ? sinceCut(before) : withItAgain(part, lost);
  }
  const symbol = FlowScene.followed("target");
  const { standing, rivals, guesses } = FlowEffects.now();
  const { lead, other } = standing;
  const rival = rivals.get(part.key);
  return [
    FlowEffects.effect(part.key) === "nothing"
      ? filled(LINE_WORDS.wouldStay, { symbol, now: ahead(lead, other) })
      : filled(LINE_WORDS.wouldLose, {
          symbol,
          now: ahead(lead, other, lost),
          other: ahead(lead - lost, rival, lost),
          change: FlowEffects.does(part.key),
        }),
    FlowEffects.winner(part.key) === null
      ? ""
      : filled(LINE_WORDS.more, { lead: FlowNames.score(lead), other: FlowNames.ofSymbol(rival) }),
    guesses && FlowReading.looking().includes(part.stage) && part.kind === "stage" ? guess() : "",
  ]
    .filter(Boolean)
    .join(" ");
}

// The gain of a part that is cut; and the symbol that is written here because of the cuts.
function withItAgain(part, gained) {
  const { standing, rivals } = FlowEffects.now();
  const { lead, other } = standing;
  const rival = rivals.get(part.key);
  return [
    filled(LINE_WORDS.wouldGain, {
      symbol: FlowScene.followed("target"),
      now: ahead(lead, other, gained),
      other: ahead(lead + gained, rival, gained),
    }),
    inPlaceOf(FlowCuts.writtenUncut(FlowReading.now().line)?.[Flow.state.step]),
  ]
    .filter(Boolean)
    .join(" ");
}

const inPlaceOf = (id) =>
  id === undefined || id === Flow.symbol()
    ? ""
    : filled(LINE_WORDS.cutElse, { now: FlowScene.followed("target"), before: FlowNames.ofSymbol(id) });

// For which symbols a cut is: a head or a stage is out for all.
function reach({ kind, stage, row }) {
  if (kind !== "letter" && kind !== "edge") return LINE_WORDS.reach.all;
  if (stage?.side === "source")
    return filled(LINE_WORDS.reach.letter, { letter: FlowNames.placed("source", row) });
  return filled(LINE_WORDS.reach.symbol, { place: row - FlowReading.now().first + 1 });
}

// Of another letter in the place of one: how many write another symbol.
const lettersThatChange = (count) =>
  filled(LINE_WORDS.otherLetters[count ? "some" : "none"], {
    count,
    symbol: FlowScene.followed("target"),
    letters: count === 1 ? FlowNames.unit("source") : FlowNames.units(),
  });

const toTryLetters = (k) =>
  filled(LINE_WORDS.tryLetters, { letters: FlowNames.units(), letter: FlowNames.ofLetter({ k }) });

// What a cut changed, in the numbers that the picture showed before it.
function sinceCut({ written, standing: { lead, other }, lost, rival }) {
  const id = written[Flow.state.step];
  const [now, before] = [soFar(FlowReading.now().written), soFar(written)];
  const symbol = FlowNames.ofSymbol(id);
  if (now !== before)
    return [
      inPlaceOf(id),
      lost === undefined
        ? filled(LINE_WORDS.cutOnly, { now, before })
        : filled(LINE_WORDS.cutEarlier, {
            now,
            before,
            symbol,
            was: ahead(lead, other, lost),
            other: ahead(lead - lost, rival, lost),
          }),
    ]
      .filter(Boolean)
      .join(" ");
  const found = FlowReading.standingOf(FlowReading.scoresAt(Flow.rowOf("target")), id);
  const change = lead - found.lead;
  const was = ahead(lead, other, change);
  const is = ahead(found.lead, found.other, change);
  if (id !== Flow.symbol())
    return filled(LINE_WORDS.cutOther, { now: FlowScene.followed("target"), before: symbol, was, is });
  if (FlowEffects.isNothing(change, lead))
    return filled(LINE_WORDS.wouldStay, { symbol, now: ahead(lead, other) });
  return filled(LINE_WORDS.cutSame, { symbol, is, was, change: FlowEffects.lostFrom(lead, found.lead) });
}

export {
  carried,
  guess,
  leadNow,
  lettersThatChange,
  needless,
  reach,
  rests,
  sentences,
  tipOf,
  toTryLetters,
  widest,
  writtenNow,
};
