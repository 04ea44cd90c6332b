"""The page's scripts as one: each file an object, which gives what it exports and nothing else.

Patterns read the files here, as `scripts` joins them by patterns: a parser of JavaScript would accept
more than can be joined.
"""

import re

import pytest

from minigrad.views.page import scripts

TEXTS = {
    name: (scripts.HERE / f"{file}.js").read_text(encoding="utf-8")
    for file, name in scripts.SCRIPTS.items()
}


def imported(text):
    """The names that a file imports, each with its object's."""
    by_name = re.findall(r'^import \{([^}]*)\} from "./(\w+).js"', text, re.MULTILINE)
    return {(scripts.SCRIPTS[file], n) for some, file in by_name for n in re.findall(r"\w+", some)}


def asked(text):
    """The names that a file asks of others, each with its object's."""
    objects = "|".join(scripts.SCRIPTS.values())
    return imported(text) | {*re.findall(rf"\b({objects})\.(\w+)", text)}


def test_every_file_is_part_of_the_page():
    assert {path.stem for path in scripts.HERE.glob("*.js")} == {*scripts.SCRIPTS}


@pytest.mark.parametrize("name", TEXTS)
def test_what_a_script_asks_of_another_is_exported_there(name):
    wanted = asked(TEXTS[name])
    assert {n for o, n in wanted if n not in scripts.exported(TEXTS[o])} == set()


def test_a_script_imports_those_before_it_alone_so_there_is_no_circle():
    before = set()
    for file, name in scripts.SCRIPTS.items():
        assert {*re.findall(r'from "\./(\w+)\.js";$', TEXTS[name], re.MULTILINE)} <= before, file
        before.add(file)


@pytest.mark.parametrize(("file", "table"), [("Words", "WORDS"), ("LineWords", "LINE_WORDS")])
def test_every_sentence_has_its_parts_and_is_said_somewhere(file, table):
    defined = dict(re.findall(r"^  (\w+):\s(.*?)(?=^  \w+:|^\};)", TEXTS[file], re.M | re.S))
    said = {n for text in TEXTS.values() for n in re.findall(rf"\b{table}\.(\w+)", text)}
    assert len(defined) > 40
    assert said == {*defined}
    for text in TEXTS.values():
        calls = re.findall(rf"(?:filled|withElements)\({table}\.(\w+), \{{([^{{}}]*)\}}\)", text)
        for name, values in calls:
            inner = re.sub(r"\(.*?\)", "", values, flags=re.S)
            given = set(re.findall(r"(?:^|,)\s*(\w+)", inner))
            assert set(re.findall(r"\{(\w+)\}", defined[name])) == given, name


@pytest.mark.parametrize("name", sorted({*TEXTS} - {"Words", "LineWords"}))
def test_every_sentence_stands_with_the_others(name):
    strings = [found["text"] for found in scripts.PARTS.finditer(TEXTS[name]) if found["text"]]
    assert [text for text in strings if re.search(r"^.[A-Z].*[a-z] [a-z].*\. ?.$", text)] == []


def test_the_script_begins_with_what_each_object_gives():
    lines = scripts.joined().splitlines()
    for line, name in zip(lines, TEXTS):
        assert line == f"// {name}: {', '.join(scripts.exported(TEXTS[name]))}"


def test_the_tables_of_events_say_who_tells_what_to_whom():
    """In the order in which they hear."""
    tables = TEXTS["Events"] + TEXTS["Flow"]
    table = re.findall(r"^//   ([\w-]+) +([\w, ]+) -> ([\w, ]+): ", tables, re.MULTILINE)
    found = {}
    for act in ("tell", "hear"):
        for file, name in scripts.SCRIPTS.items():
            for event in re.findall(rf'\b{act}\("([\w-]+)"', TEXTS[name]):
                files = found.setdefault(event, {"tell": [], "hear": []})[act]
                files.extend({file} - {*files})
    told = {event: [files["tell"], files["hear"]] for event, files in found.items()}
    assert {event: [tell.split(", "), hear.split(", ")] for event, tell, hear in table} == told


def test_a_name_that_files_import_is_made_known_once_and_is_that_of_one_file():
    lines = re.findall(r"^const \{([\w,]+)\}=(\w+);$", scripts.joined(), re.MULTILINE)
    known = [(file, name) for names, file in lines for name in names.split(",")]
    assert len({name for _, name in known}) == len(known)
    assert {*known} == {pair for text in TEXTS.values() for pair in imported(text)}


@pytest.mark.parametrize("name", TEXTS)
def test_what_a_script_exports_is_never_another(name):
    """What changes is asked for by a function, or is in an object: a name means one thing."""
    changing = set(re.findall(r"^let (\w+)", TEXTS[name], re.MULTILINE))
    assert changing & {*scripts.exported(TEXTS[name])} == set()


@pytest.mark.slow
def test_what_a_script_exports_is_asked_of_its_object_and_the_rest_stays_inside(
    browser, tmp_path, monkeypatch
):
    (tmp_path / "state.js").write_text("const one = 1;\nconst own = 2;\n\nexport { one };\n")
    (tmp_path / "live.js").write_text(
        'import { one } from "./state.js";\n\nlet now = one;\nconst count = () => now;\n'
        "function more() {\n  now++;\n}\n\nexport { count, more };\n"
    )
    monkeypatch.setattr(scripts, "HERE", tmp_path)
    page = tmp_path / "page.html"
    page.write_text(f"<meta charset=utf-8><script>{scripts.joined(('state', 'live'))}</script>")
    browser.open(page)
    script = "Live.more(); return [Live.count(), State.own === undefined, typeof own];"
    assert browser.run(script) == [2, True, "undefined"]


def test_only_spaces_that_say_nothing_are_left_out():
    text = """
  // a comment
  const a = "two  words; // none"; /* nor
  this */ const b = `x ${a ? `${ { c: 1 }.c }  y` : "z"}  1`;
  let c = a / b / 2, d = a - -1; // b / c
  if (/[/"]\\s \\/ +/g.test(a) && typeof b === "string") return  c + +d;
"""
    assert scripts.without_spaces(text) == (
        'const a="two  words; // none";\nconst b=`x ${a ? `${ { c: 1 }.c }  y` : "z"}  1`;\n'
        "let c=a/b/2,d=a- -1;\n"
        'if(/[/"]\\s \\/ +/g.test(a)&&typeof b==="string")return c+ +d;'
    )
    assert scripts.small("/* no */ a > b {\n  color: red;  margin: 0 1px; }\n") == (
        "a > b{color:red;margin:0 1px;}"
    )
