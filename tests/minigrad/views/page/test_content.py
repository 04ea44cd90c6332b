"""The data of a page: each key that Python writes is read by a script, and no script reads another."""

import re

import numpy as np
import pytest
from losses import attention, mlp
from pages import contents, written

import minigrad as mg
from minigrad.views.page import scripts

SCRIPT = scripts.joined()
# Their values are dicts by names of the user's, which no script knows.
BY_NAME = {"closed", "constants", "labels", "signs", "vocabularies"}


def keys(data, is_record=True):
    """The keys of all records in the data, without numbers; a table has the names of its columns."""
    if isinstance(data, list):
        return {key for one in data for key in keys(one)}
    if not isinstance(data, dict):
        return set()
    columns = data["names"] if {*data} == {"names", "rows"} else []
    inner = (keys(v, not is_record or k not in BY_NAME) for k, v in data.items())
    return set(columns).union((k for k in data if is_record and not k.isdecimal()), *inner)


def picked(x, ids):
    return np.sum(x[ids] * x[ids])


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The data of pages that have, between them, something under each key."""
    folder = tmp_path_factory.mktemp("pages")
    x = mg.Tensor([1.0, 2.0, 3.0], requires_grad=True, name="x")
    return [
        contents(written(mlp(), folder)),
        contents(written(attention(), folder, tokens={"": ("abcde", "abcde")})),
        contents(written(picked, folder, inputs=[x, np.array([0, 2])])),
    ]


def test_each_key_of_the_data_is_read_by_a_script(pages):
    found = set().union(*map(keys, pages))
    assert {"opens", "with_numbers", "arrows", "path", "tokens", "proven"} <= found
    assert [key for key in sorted(found) if not re.search(rf"[.{{,]{key}\b", SCRIPT)] == []


def test_the_scripts_read_no_other_keys(pages):
    read = lambda name: {*re.findall(rf"(?<!\w)(?<!\w\.){name}\.(\w+)", SCRIPT)}
    live = set().union(*(page["live"] for page in pages))
    assert read("data") == {*pages[0]}
    assert read("tape") | read(r"data\.live") <= live | {"frozen"}
