"""Options of a command line: what is read where."""

import itertools

import pytest

from minigrad.__main__ import command_line


@pytest.mark.parametrize(
    "parts",
    [
        ["class", "room", "01", "02", ("--seed", "7")],
        ["start", "mine", "01", ("--names", "list"), ("--without-answers",)],
        ["solution", "softmax", ("--again",)],
    ],
)
def test_names_stand_before_options_or_behind(parts):
    names = [one for one in parts[1:] if isinstance(one, str)]
    options = [one for one in parts if not isinstance(one, str)]
    read = lambda *given: vars(command_line().parse_args(["exercises", parts[0], *given]))
    usual = read(*names, *itertools.chain(*options))
    for k in range(len(names) + 1):
        assert read(*names[:k], *itertools.chain(*options), *names[k:]) == usual


def test_what_stands_behind_a_script_is_its_own():
    given = command_line().parse_args(["step", "file.py", "--fast", "name"])
    assert given.arguments == ["--fast", "name"]
