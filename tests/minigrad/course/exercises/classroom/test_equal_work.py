"""Equal work is found under other names, and the honest are left in peace."""

import ast
import re

import numpy as np
import pytest
from honest_class import BODIES, honest_class, honest_student, in_a_file
from solutions import EXERCISES

from minigrad.course.exercises.classroom.equal_work import codes_of, equal_work, the_same, work_in
from minigrad.course.exercises.learner_file import handed_out
from minigrad.course.folders import EXAMPLES

TWO_LESSONS = list(BODIES)[:6]
ENGINE = "04_your_own_engine.py"


def work(bodies, names=TWO_LESSONS):
    return work_of(in_a_file(bodies, names), names)


def work_of(text, names=TWO_LESSONS):
    return codes_of(ast.parse(text), names)


def test_those_who_have_not_met_are_hardly_ever_told():
    """Measured on 20 classes of 20: of lesson 01 alone 2 pairs of 3800, of two lessons none."""
    told = [
        pair
        for seed in range(5)
        for pair in equal_work({k: work(one) for k, one in honest_class(seed).items()}).items()
    ]
    assert not told


@pytest.mark.parametrize("change", ["a name", "a function"])
def test_a_copy_is_told_where_a_name_or_a_function_is_another(change):
    found = []
    for seed in range(20):
        bodies = honest_student(np.random.default_rng(seed))
        local = re.search(r"^(\w+) = |for (\w+)", bodies["walk"], re.MULTILINE)
        local = local[1] or local[2]
        mine = (
            re.sub(rf"\b{local}\b", "mine", bodies["walk"]) if change == "a name" else "return {}"
        )
        said = equal_work({"ada": work(bodies), "eve": work({**bodies, "walk": mine})})
        found += said.get("ada", [])
    assert set(found) == {"eve (6 of 6 equal)" if change == "a name" else "eve (5 of 6 equal)"}
    assert len(found) >= 18


def test_comments_docstrings_the_order_of_imports_and_other_names_of_modules_make_no_difference():
    bodies = honest_student(np.random.default_rng(0))
    text = "import math\nimport itertools\n" + in_a_file(bodies, TWO_LESSONS)
    other = "import itertools\nimport math\n" + re.sub(
        r"(?m)^(def \w+\(.*\):)", r"\1  # mine\n    'Mine.'", in_a_file(bodies, TWO_LESSONS)
    ).replace("np.", "numpy.").replace("import numpy as np", "import numpy")
    assert equal_work({"ada": work_of(text), "eve": work_of(other)})["ada"] == [
        "eve (6 of 6 equal)"
    ]


def test_what_all_write_alike_tells_nothing():
    short = {name: bodies[0] for name, bodies in BODIES.items() if "\n" not in bodies[0]}
    alike = work(short, list(short))
    assert len(short) == 6
    assert not equal_work({"ada": alike, "ben": alike})


def test_the_solutions_are_found_and_tell_nothing_of_two_who_have_them(tmp_path):
    for name in TWO_LESSONS:
        sheet, exercise = EXERCISES[name]
        with open(tmp_path / sheet.file, "a") as file:
            file.write("" if file.tell() else handed_out(sheet.file).path.read_text())
            file.write(f"\n\n{exercise.text()}\n")
    solved = work_in(tmp_path)
    assert equal_work({"ada": solved, "ben": solved}) == {
        one: ["the solutions (6 of 6 equal)"] for one in ("ada", "ben")
    }


def test_the_solutions_with_a_needless_line_are_found():
    work, imports = {}, "from collections import Counter\nimport numpy as np\n"
    for name in TWO_LESSONS:
        last = EXERCISES[name][1].text()
        text = re.sub(r"(?m)^( +)return ((?:.|\n)*)\Z", r"\1answer = \2\n\1return answer\n", last)
        assert text.count("answer") == 2
        work |= work_of(f"{imports}\n\n{text}", [name])
    assert equal_work({"ada": work}) == {"ada": ["the solutions (6 of 6 equal)"]}


def test_few_functions_that_are_the_same_word_for_word_are_listed():
    """Of `attend` alone, too little to be told as equal work; and what is short is left out."""
    bodies = {**honest_student(np.random.default_rng(0)), "scores": "return q @ k.T"}
    solved = work_of(f"import numpy as np\n\n\n{EXERCISES['attend'][1].text()}", ["attend"])
    works = {one: work(bodies, ["attend", "scores"]) for one in ("ada", "ben")}
    works |= {"eve": solved, "fay": work_of("def attend():\n    return 1\n", ["attend"])}
    files = {"ada": {"a.py": b"1"}, "ben": {"a.py": b"1"}, "eve": {"a.py": b"2"}, "fay": {}}
    assert not equal_work(works)
    assert the_same(works, files) == {
        ("ada", "ben"): ["a.py, byte for byte", "08_scaled_dot_product_attention.py", "attend"],
        ("eve", "the solutions"): ["attend"],
    }


def test_two_lessons_copied_under_other_names_are_listed():
    names = list(BODIES)[6:]
    text = in_a_file(honest_student(np.random.default_rng(0)), names)
    own = set(re.findall(r"(?m)^ +(\w+) = ", text))
    other = re.sub(rf"(?<!\.)\b({'|'.join(own)})\b", r"my_\1", text)
    works = {"ada": work_of(text, names), "ben": work_of(other, names)}
    assert works["ada"] != works["ben"]
    assert not equal_work(works)
    same = the_same(works, {"ada": {}, "ben": {}})
    assert same["ada", "ben"] == ["all that is begun, but for names"]


def test_the_engine_of_the_course_is_found_with_a_rule_more(tmp_path):
    own = (EXAMPLES / "own_engine.py").read_text()
    returned = "\n\ndef engine():\n    return Tensor, backward\n"
    more = "RULES[np.sin] = (lambda g, y, a: g * np.cos(a),)\n"
    works = {}
    for name, text in {
        "ada": own + returned,
        "ben": own.replace("given", "part") + more + returned,
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / ENGINE).write_text(text)
        works[name] = work_in(tmp_path / name)
    assert equal_work(works) == {one: ["own_engine.py (1 of 1 equal)"] for one in works}


def test_stubs_and_programs_to_be_repaired_are_not_compared(tmp_path):
    repaired = handed_out(ENGINE).path.read_text().replace("if factor == 1", "if False")
    (tmp_path / ENGINE).write_text(repaired)
    assert work_in(tmp_path) == {}


@pytest.mark.parametrize(
    "text",
    [
        "() = []\n",
        "(lambda: 0).x = 1\n",
        "product_rule = lambda g, x, y: " + "x + " * 600 + "1\n",
        "def product_rule(g, x, y):\n    return order()\n\ndef order():\n    return product_rule()\n",
    ],
)
def test_whatever_stands_in_a_file_costs_no_other(text, tmp_path):
    (tmp_path / EXERCISES["walk"][0].file).write_text(text)
    (tmp_path / EXERCISES["undo_broadcast"][0].file).write_text("def index_rule(): return 1\n")
    assert "index_rule" in work_in(tmp_path)
