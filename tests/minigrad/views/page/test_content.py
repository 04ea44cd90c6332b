"""The data of a page: each key that Python writes is read by a script, and no script reads another."""

import re

import numpy as np
import pytest
from losses import attention, mlp
from pages import contents, keys, unread, written

import minigrad as mg
from minigrad.views.page import scripts

SCRIPT = scripts.joined()


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
    assert unread(found, SCRIPT) == []


def test_the_scripts_read_no_other_keys(pages):
    read = lambda name: {*re.findall(rf"(?<!\w)(?<!\w\.){name}\.(\w+)", SCRIPT)}
    live = set().union(*(page["live"] for page in pages))
    assert read("data") == {*pages[0]}
    assert read("tape") | read(r"data\.live") <= live | {"frozen"}
