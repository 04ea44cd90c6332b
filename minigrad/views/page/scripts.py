"""The scripts of a page as one script, in which each file is an object with its exports.

    arrays.js:  export { array, at };            const Arrays = (() => { ... return { array, at }; })();
                import * as Arrays from ...      Arrays.at(...): known to all files after it
                import { at } from ...           const { at } = Arrays;  once, behind that object

So the files are modules of JavaScript, which editors and linters understand; and the page is one file,
which a browser can open from a disk. Comments and needless spaces are left out of scripts and styles.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent
# Read them in this order. They run in it, and a file imports only files before it.
FILES = [
    # the data, and computing it again
    "words", "once", "shapes", "symbols", "dom", "state", "events", "arrays", "graph", "functions",
    "kernels", "interpreter", "live", "doubts",
    # where the reader is
    "shown", "pace", "tabs", "places",
    # how an array is shown, and what an element is made of
    "tip", "pictures", "sources", "elements", "heat",
    # changing numbers
    "changes", "fields", "learn", "what_if", "cells", "editing", "changes_said",
    # the drawing, and the other tabs
    "cards", "drawing", "camera", "sheet", "listing", "attention",
    # the panel beside them
    "questions", "chapters", "chapter_questions", "chapter_play", "chapter_list", "predict", "step",
    "details", "cell_panel", "panel",
    # the time line, and ways in and out
    "timeline", "search", "link", "share",
]  # fmt: skip
# Another line that is typed, and the picture from its letters to each symbol of the output: only a page
# in which a line can be typed has these.
ANOTHER_LINE = [
    "line_words", "line_model", "sampling", "idle", "cuts", "ribbons", "flow_reading", "flow_parts",
    "flow_effects", "flow", "flow_cuts", "flow_letters", "flow_scene", "flow_names", "flow_said",
    "flow_panel", "flow_shown", "flow_link", "line_shown", "another_line",
]  # fmt: skip
# Each file's name, and that of its object. The last has keys, help and the start.
SCRIPTS = {
    file: "".join(word.capitalize() for word in file.split("_"))
    for file in [*FILES, *ANOTHER_LINE, "page"]
}

# The parts of a formatted script, with a semicolon after each statement: texts and patterns, in which
# spaces count (a text in backquotes may hold code, two braces deep); comments; and spaces.
PARTS = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'
    |`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\})*`
    |(?<=[(,=:\[!&|?{};\s])/(?![/*\s])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\]|\\.)*\])+/[a-z]*)
    |(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<space>\s+)""",
    re.DOTALL | re.VERBOSE,
)
IMPORTS = re.compile(r'^import [^"]* from "[^"]*";\n', re.MULTILINE)
NAMES = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', re.MULTILINE)
EXPORTS = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)


@functools.cache
def joined(files: tuple[str, ...] = tuple(SCRIPTS)) -> str:
    """The script of these files. It begins with a list of the objects and their exports."""
    texts = {file: (HERE / f"{file}.js").read_text(encoding="utf-8") for file in files}
    # The names of each file that other files import.
    named: dict[str, dict[str, None]] = {file: {} for file in files}
    for text in texts.values():
        for names, file in NAMES.findall(text):
            named[file].update(dict.fromkeys(re.findall(r"\w+", names)))
    contents = [f"// {SCRIPTS[file]}: {', '.join(exported(texts[file]))}" for file in files]
    objects = [as_object(SCRIPTS[file], text, named[file]) for file, text in texts.items()]
    return "\n".join([*contents, *objects])


def exported(text: str) -> list[str]:
    """The names that a file exports."""
    found = EXPORTS.search(text)
    return re.findall(r"\w+", found.group(1)) if found else []


def as_object(name: str, text: str, named: Iterable[str] = ()) -> str:
    """A file as an object of that name with its exports, and the names that other files import."""
    gives = ",".join(exported(text))
    body = without_spaces(EXPORTS.sub("", IMPORTS.sub("", text)))
    known = f"\nconst {{{','.join(named)}}}={name};" if named else ""
    return f"const {name}=(() => {{\n{body}\nreturn {{{gives}}};\n}})();{known}"


def without_spaces(text: str) -> str:
    """A script without comments, and without spaces beside signs; each statement has a line."""
    parts: list[str] = []
    end = 0
    for match in PARTS.finditer(text):
        parts.append(text[end : match.start()])
        parts.append(match["text"] or " ")
        end = match.end()
    parts.append(text[end:])
    single: list[str] = []
    for part in filter(None, parts):
        if part == " " and (not single or single[-1] == " "):
            continue
        single.append(part)
    script: list[str] = []
    for before, part, after in zip(["", *single], single, [*single[1:], ""]):
        if part != " ":
            script.append(part)
        elif before[-1:] == ";":
            script.append("\n")
        elif _needed(before[-1:], after[:1]):
            script.append(" ")
    return "".join(script).strip()


def _needed(before: str, after: str) -> bool:
    """Tell whether a script needs a space between two characters, as in `return x` and `a - -b`."""
    word = lambda sign: sign.isalnum() or sign in "_$#\"'`"
    return (word(before) and word(after)) or (before == after and before in "+-/")


def small(style: str) -> str:
    """A style sheet without its comments, and without spaces beside signs."""
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    return re.sub(r"\s*([{};])\s*|(?<=[:,])\s+", lambda found: found[1] or "", style).strip()
